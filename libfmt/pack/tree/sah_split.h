/* SPDX-License-Identifier: MIT
 * sah_split.h: binary hierarchies over boxes by the binned surface area heuristic.
 * Based on: Wald, On fast construction of SAH-based bounding volume hierarchies, 2007.
 */
#ifndef BVPI_PACK_TREE_SAH_SPLIT_H
#define BVPI_PACK_TREE_SAH_SPLIT_H

#include "base/simd.h"
#include "format/layout.h"

#include <stdbool.h>
#include <stdint.h>

/* A box to be sorted into the hierarchy: 32 bytes, one vector of eight. Its corners are whole
 * numbers of grid steps below 2^22, so that all sums are exact and no compiler can change a result.
 * The lower corner is stored negated: the union of boxes is then one maximum. */
typedef struct bvpi_item {
    _Alignas(32) float minus_lo[3];
    uint32_t id; /* the caller's */
    float hi[3];
    uint32_t zero;
} bvpi_item;

/* Children are adjacent: left and left + 1. left == 0: a leaf with items first .. first + count -
 * 1. */
typedef struct bvpi_build_node {
    _Alignas(16) float minus_lo[3];
    uint32_t left;
    float hi[3];
    uint32_t first;
    uint32_t count;
    uint32_t depth; /* number of nodes above it */
} bvpi_build_node;

/* Splits until every leaf has at most `leaf_size` items. Permutes items; nodes: room for 2 * count.
 * Node 0 is the root; `depth` nodes are above it. count and depth must allow leaves no deeper than
 * BVPD_DEPTH_MAX - 2. Returns the number of nodes. */
uint32_t bvpi_split_all(bvpi_item *items, uint32_t count, uint32_t leaf_size, uint32_t depth,
                        bvpi_build_node *nodes);

/* The same for the leaves among `node_count` existing nodes, by bvpi_split_once or another one. */
typedef void bvpi_split_fn(bvpi_item *items, uint32_t leaf_size, const bvpi_build_node *node,
                           bvpi_build_node *left, bvpi_build_node *right);
uint32_t bvpi_split_rest(bvpi_item *items, uint32_t leaf_size, bvpi_build_node *nodes,
                         uint32_t node_count, bvpi_split_fn *split);

/* Splits `node` once, into left and right (sets box, first, count, depth; left = 0). */
void bvpi_split_once(bvpi_item *items, uint32_t leaf_size, const bvpi_build_node *node,
                     bvpi_build_node *left, bvpi_build_node *right);

/* A node that holds all `count` items as a leaf. */
void bvpi_split_root(const bvpi_item *items, uint32_t count, uint32_t depth, bvpi_build_node *root);

/* True if the node is so deep that only halving keeps the hierarchy within its depth limit. */
static inline bool bvpi_build_node_must_halve(const bvpi_build_node *node)
{
    uint32_t levels = 1;
    if (node->depth + 32 + 3 < BVPD_DEPTH_MAX)
        return false;
    for (uint32_t count = node->count; count > 1; count = (count + 1) / 2)
        levels++;
    return node->depth + levels + 2 >= BVPD_DEPTH_MAX;
}

/* a > b ? a : b; neither may be NaN. */
static inline bvpi_f32x4 bvpi_max4(bvpi_f32x4 a, bvpi_f32x4 b)
{
#ifdef __SSE2__
    return (bvpi_f32x4)_mm_max_ps((__m128)a, (__m128)b);
#else
    bvpi_i32x4 mask = a > b;
    return (bvpi_f32x4)(((bvpi_i32x4)a & mask) | ((bvpi_i32x4)b & ~mask));
#endif
}

/* The longest axis of the box; the first of equal ones. */
static inline int bvpi_build_node_longest(const bvpi_build_node *node)
{
    int best = 0;
    for (int axis = 1; axis < 3; axis++)
        if (node->hi[axis] + node->minus_lo[axis] > node->hi[best] + node->minus_lo[best])
            best = axis;
    return best;
}

/* Half of the box's surface, in grid steps. */
static inline float bvpi_build_node_area(const bvpi_build_node *node)
{
    float x = node->hi[0] + node->minus_lo[0], y = node->hi[1] + node->minus_lo[1];
    float z = node->hi[2] + node->minus_lo[2];
    return x * y + y * z + z * x;
}

#endif
