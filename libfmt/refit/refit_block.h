/* SPDX-License-Identifier: MIT
 * refit_block.h: what refits of all binary kinds share: a block's nodes as a list, and leaves.
 * Spec: format.md, chapter "Binary hierarchies"
 */
#ifndef BVPI_REFIT_REFIT_BLOCK_H
#define BVPI_REFIT_REFIT_BLOCK_H

#include "node/raw_cluster.h"

/* A leaf has at least one of a block's 256 triangles. */
enum { BVPI_BLOCK_NODES_MAX = 2 * BVPD_CLUSTER_TRIANGLES - 1 };

typedef struct bvpi_block_node {
    bvpi_binary_node node;
    const uint8_t *payload;
    uint32_t left; /* number of the left child, which the right one follows; 0: a leaf */
} bvpi_block_node;

/* Lists all nodes of the block below `root`, which is nodes[0]; children come after their parents.
 * False: the bytes violate a rule that keeps walks inside the blob, or makes them end. */
bool bvpi_block_list(const bvpi_binary *tree, const bvpi_binary_node *root, const uint8_t *payload,
                     bvpi_block_node nodes[BVPI_BLOCK_NODES_MAX], uint32_t *count);

/* The raw cluster of an item, which is anywhere in the part if the tree has an order stream, and
 * the local number of its triangle; NULL: there is no such triangle. */
const bvpi_cluster *bvpi_block_triangle(const bvpi_binary *tree, const bvpi_part *part,
                                        bvpi_raw_cluster *open, uint32_t item, uint32_t *local);

/* The box of a leaf's triangles. False: some are not there. */
bool bvpi_block_bound(const bvpi_binary *tree, const bvpi_part *part, bvpi_raw_cluster *open,
                      const bvpi_binary_node *leaf, bvpi_aabb *out);

/* The number of the upper record whose payload bvpi_binary_children has returned. */
static inline uint32_t bvpi_upper_number(const bvpi_binary *tree, const uint8_t *payload)
{
    return (uint32_t)((uint64_t)(payload - tree->blob) / tree->upper_size);
}

#endif
