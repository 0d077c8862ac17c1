/* SPDX-License-Identifier: MIT
 * refit_block.h: what refits of all binary kinds share: a block's nodes as a list, in an order in
 * which they can be computed from below and from above, and leaves.
 * Spec: format.md, chapter "Binary hierarchies"
 */
#ifndef BVPI_REFIT_REFIT_BLOCK_H
#define BVPI_REFIT_REFIT_BLOCK_H

#include "node/raw_cluster.h"

#include <assert.h>

/* A leaf has at least one of a block's 256 triangles. */
enum { BVPI_BLOCK_NODES_MAX = 2 * BVPD_CLUSTER_TRIANGLES - 1 };

typedef struct bvpi_block_node {
    bvpi_binary_node node;
    const uint8_t *payload;
    uint32_t left; /* number of the left child, which the right one follows; 0: a leaf */
} bvpi_block_node;

/* Lists all nodes of the block below `root`, which is nodes[0]; children come after their parents.
 * False: the bytes violate a rule that keeps walks inside the blob, or makes them end. */
static inline bool bvpi_block_list(const bvpi_binary *tree, const bvpi_binary_node *root,
                                   const uint8_t *payload,
                                   bvpi_block_node nodes[BVPI_BLOCK_NODES_MAX], uint32_t *count)
{
    nodes[0] = (bvpi_block_node){.node = *root, .payload = payload};
    *count = 1;
    for (uint32_t k = 0; k < *count; k++) {
        bvpi_binary_node child[2];
        const uint8_t *below[2];
        if (bvpi_binary_is_leaf(tree, &nodes[k].node))
            continue;
        if (!bvpi_binary_children(tree, &nodes[k].node, child, below))
            return false;
        /* two children share their parent's triangles, and neither is without one */
        assert(*count + 2 <= BVPI_BLOCK_NODES_MAX);
        nodes[k].left = *count;
        for (int side = 0; side < 2; side++)
            nodes[(*count)++] = (bvpi_block_node){.node = child[side], .payload = below[side]};
    }
    return true;
}

/* How many items behind one another are triangles behind one another in a cluster, of `count`: all,
 * but where an order stream names them. */
static inline uint32_t bvpi_block_run(const bvpi_binary *tree, uint32_t count)
{
    return tree->order_width == 0 ? count : 1;
}

/* The raw cluster of items first .. first + run - 1, and the local number of the first triangle;
 * NULL: there are no such triangles. */
static inline const bvpi_cluster *bvpi_block_triangles(const bvpi_binary *tree,
                                                       const bvpi_part *part,
                                                       bvpi_raw_cluster *open, uint32_t first,
                                                       uint32_t run, uint32_t *local)
{
    uint32_t reference;
    if (!bvpi_binary_item(tree, first, &reference))
        return NULL;
    *local = reference & 255;
    return bvpi_raw_find(open, part, reference, run);
}

/* The box of a leaf's triangles. False: some are not there. */
static inline bool bvpi_block_bound(const bvpi_binary *tree, const bvpi_part *part,
                                    bvpi_raw_cluster *open, const bvpi_binary_node *leaf,
                                    bvpi_raw_box *out)
{
    const uint32_t run = bvpi_block_run(tree, leaf->count);
    bvpi_raw_clear(out);
    for (uint32_t done = 0; done < leaf->count; done += run) {
        uint32_t local;
        const bvpi_cluster *cluster =
            bvpi_block_triangles(tree, part, open, leaf->first + done, run, &local);
        if (!cluster)
            return false;
        bvpi_raw_include(cluster, local, run, out);
    }
    return true;
}

/* A record of the upper array: it links to a block, or has two children in the array behind it. */
typedef struct bvpi_upper_record {
    bvpi_binary_node node;
    const uint8_t *payload, *below[2]; /* its own; its children's */
    uint32_t child[2];                 /* numbers of their records */
    bool is_block;
} bvpi_upper_record;

/* False: it is not there. */
static inline bool bvpi_upper_read(const bvpi_binary *tree, uint32_t idx, bvpi_upper_record *out)
{
    bvpi_binary_node child[2];
    if (!bvpi_binary_upper(tree, idx, &out->node, &out->payload))
        return false;
    out->is_block = out->node.end != 0;
    if (out->is_block)
        return true;
    if (!bvpi_binary_children(tree, &out->node, child, out->below))
        return false;
    for (int side = 0; side < 2; side++) {
        out->child[side] = (uint32_t)((uint64_t)(out->below[side] - tree->blob) / tree->upper_size);
        assert(out->child[side] > idx); /* so the ways up end */
    }
    return true;
}

#endif
