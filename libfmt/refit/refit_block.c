/* SPDX-License-Identifier: MIT
 * refit_block.c: the nodes of one block of a binary hierarchy, in an order in which they can be
 * computed from below and from above.
 * Spec: format.md, chapter "Binary hierarchies"
 */
#include "refit/refit_block.h"

#include <assert.h>

bool bvpi_block_list(const bvpi_binary *tree, const bvpi_binary_node *root, const uint8_t *payload,
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

const bvpi_cluster *bvpi_block_triangle(const bvpi_binary *tree, const bvpi_part *part,
                                        bvpi_raw_cluster *open, uint32_t item, uint32_t *local)
{
    uint32_t reference;
    if (!bvpi_binary_item(tree, item, &reference))
        return NULL;
    *local = reference & 255;
    return bvpi_raw_find(open, part, reference, 1);
}

bool bvpi_block_bound(const bvpi_binary *tree, const bvpi_part *part, bvpi_raw_cluster *open,
                      const bvpi_binary_node *leaf, bvpi_aabb *out)
{
    bvpi_aabb_clear(out);
    for (uint32_t i = 0; i < leaf->count; i++) {
        uint32_t local;
        const bvpi_cluster *cluster =
            bvpi_block_triangle(tree, part, open, leaf->first + i, &local);
        if (!cluster)
            return false;
        bvpi_raw_include(cluster, local, 1, out);
    }
    return true;
}
