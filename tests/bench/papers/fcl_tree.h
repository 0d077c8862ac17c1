/* SPDX-License-Identifier: MIT
 * fcl_tree.h: FCL's trees of boxes, with its own counts of tests: a control of ours.
 */
#ifndef PAPERS_FCL_TREE_H
#define PAPERS_FCL_TREE_H

#include "bvpack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* AABB trees are for building only: FCL places them by fitting all boxes anew. */
typedef enum fcl_kind { FCL_OBB, FCL_OBBRSS, FCL_AABB, FCL_KINDS } fcl_kind;

typedef struct fcl_tree fcl_tree;

/* False: the program was built without FCL; then nothing else here may be called. */
bool fcl_is_there(void);
/* Of `count` triangles of 9 floats, in their order. *seconds: of the processor, to build. To be
 * freed. */
fcl_tree *fcl_tree_build(fcl_kind kind, const float *tri, uint64_t count, double *seconds);
void fcl_tree_free(fcl_tree *tree);
/* Pairs of triangles of a and of b at `placement` (rigid) that FCL finds to touch; stops at the
 * first one when is_boolean. Box tests go to boxes, tests of triangles to triangles. Trees of OBB
 * or of OBBRSS, both of one kind. */
uint64_t fcl_tree_pairs(const fcl_tree *a, const fcl_tree *b, const double placement[12],
                        bool is_boolean, bvp_stats *stats);
/* The distance of a and b, trees of OBBRSS, by their RSS; of bodies that touch 0 or less. */
double fcl_tree_distance(const fcl_tree *a, const fcl_tree *b, const double placement[12]);
/* Of a node with numbers of 4 or of 8 bytes. */
size_t fcl_node_bytes(fcl_kind kind, int number_size);

#ifdef __cplusplus
}
#endif

#endif
