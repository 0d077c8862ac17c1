/* SPDX-License-Identifier: MIT
 * base_tree.h: the papers' baselines, 24-DOP and sphere trees, as plain binary trees in memory.
 */
#ifndef PAPERS_BASE_TREE_H
#define PAPERS_BASE_TREE_H

#include "scenes.h"

typedef struct base_node {
    uint32_t child;    /* left; the right one follows; 0: leaf */
    uint32_t triangle; /* of a leaf */
    float size;        /* what is larger is descended first */
} base_node;

/* Leaves of one triangle; children behind parents. Split at the middle of the longest axis. */
typedef struct base_tree {
    const mesh *mesh;
    double bound[3]; /* largest |coordinate| of each axis */
    uint32_t node_count;
    base_node *nodes;
    float *volumes; /* node_count times the kind's number of floats */
    double seconds; /* to build */
} base_tree;

/* Bounds triangles order[0 .. count - 1] of `mesh` by a volume; returns its size. */
typedef float (*base_fit)(const mesh *mesh, const uint32_t *order, uint32_t count, float *volume);

void base_tree_build(base_tree *tree, const mesh *mesh, base_fit fit, int floats);
void base_tree_free(base_tree *tree);

void dop_tree_build(base_tree *tree, const mesh *mesh);
void sphere_tree_build(base_tree *tree, const mesh *mesh);
enum { DOP_FLOATS = 24, SPHERE_FLOATS = 4 };

/* Pairs of touching triangles of a and of b at `placement` (rigid); stops at the first one when
 * is_boolean. Counts go to boxes, leaves and triangles. */
uint64_t dop_tree_pairs(const base_tree *a, const base_tree *b, const double placement[12],
                        bool is_boolean, bvp_stats *stats);
uint64_t sphere_tree_pairs(const base_tree *a, const base_tree *b, const double placement[12],
                           bool is_boolean, bvp_stats *stats);

#endif
