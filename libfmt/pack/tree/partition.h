/* SPDX-License-Identifier: MIT
 * partition.h: cuts a set of triangles in two, by any rule of enum bvp_split.
 * Based on: Zachmann 2002, section 4.2; van den Bergen 1997, section 2.2; Gottschalk, Lin, Manocha
 * 1996, section 4; Wald 2007.
 */
#ifndef BVPI_PACK_TREE_PARTITION_H
#define BVPI_PACK_TREE_PARTITION_H

#include "pack/mesh/mesh.h"
#include "pack/tree/sah_split.h"
#include "node/frame.h"
#include "bvpack_build.h"

typedef struct bvpi_partition_rule {
    bvp_split rule;        /* not DEFAULT */
    uint32_t leaf_size;    /* sah, lookahead */
    const bvpi_frame *box; /* restricted: the node's box, from which the children's are cut */
    const bvpi_mesh *mesh; /* mean: for the triangles' centroids */
    const double *axes; /* mean: three rows to project on, the longest first; NULL: the coordinate
                           axes, in the order of the box's extents */
} bvpi_partition_rule;

/* Cuts `node` (its box, first, count >= 2, depth) into left and right (the same fields; `left` is
 * 0), permuting the node's items. Neither side is empty. If a rule puts everything on one side, or
 * if the hierarchy is so deep that only halving keeps it within its limit, the items are halved in
 * their current order. O(count). */
void bvpi_partition(bvpi_item *items, const bvpi_partition_rule *cut, const bvpi_build_node *node,
                    bvpi_build_node *left, bvpi_build_node *right);

#endif
