/* SPDX-License-Identifier: MIT
 * sample.h: a tree of planes over a sample of items, by which all items are sorted at once.
 */
#ifndef BVPI_PACK_TREE_SAMPLE_H
#define BVPI_PACK_TREE_SAMPLE_H

#include "pack/tree/items_kernel.h"

typedef struct bvpi_sample_tree {
    /* Room for 2 * the sample's items; a node's box, first and count are those of the sample. */
    bvpi_build_node *build_nodes;
    bvpi_plane *planes; /* of the nodes */
    uint32_t *leaves;   /* room for as many as the sample has: leaf nodes, from left to right */
    uint32_t build_node_count, leaf_count;
} bvpi_sample_tree;

/* Of the triangles of a mesh, one in each run of so many is in the sample. */
enum { BVPI_SAMPLE_STRIDE = 32 };

/* How many nodes bvpi_sample_split can make at most. */
uint64_t bvpi_sample_room(uint32_t count, uint32_t most);

/* Splits until a leaf has at most `most` items of the sample, or no plane separates its centres.
 * sample: not empty; is permuted. The plane of a leaf holds its number in `batch`. */
void bvpi_sample_split(bvpi_item *sample, uint32_t count, uint32_t most, uint32_t depth,
                       bvpi_sample_tree *out);

/* Sets first, count and box of the inner nodes. */
void bvpi_sample_join(bvpi_build_node *build_nodes, uint32_t build_node_count);

/* Which of the next `stride` items is in the sample. It varies, because meshes repeat themselves.
 * *state: 0 at first. */
static inline uint32_t bvpi_sample_next(uint32_t *state, uint32_t stride)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return (*state >> 16) % stride;
}

/* Sorts items by a tree over a sample of them. `sorted` receives the items, `nodes` (room for 2 *
 * count) the nodes; node 0 is the root, and leaves may be split further. Returns the number of
 * nodes. scratch: bvpi_presort_scratch_size(count) bytes, aligned to 64. */
uint32_t bvpi_presort(const bvpi_item *items, uint32_t count, uint32_t depth, bvpi_item *sorted,
                      bvpi_build_node *nodes, void *scratch);
uint64_t bvpi_presort_scratch_size(uint32_t count);

#endif
