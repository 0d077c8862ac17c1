/* SPDX-License-Identifier: MIT
 * sah_split.c: splits sets of boxes until leaves are small, with the best kernel of this machine.
 *
 * Nodes wait on a stack, the left child on top, so that children are listed depth first and both
 * children of a node are adjacent.
 *
 * Held by tests/unit/test_split.c.
 */
#include "pack/tree/sah_split.h"

#include "base/isa.h"
#include "pack/tree/sah_split_kernel.h"
#include "format/layout.h"

#include <assert.h>

static const bvpi_split_kernel *kernel(void)
{
    return BVPI_ISA_CHOOSE(bvpi_split_kernel, bvpi_isa_of_cpu());
}

void bvpi_split_root(const bvpi_item *items, uint32_t count, uint32_t depth, bvpi_build_node *root)
{
    *root = (bvpi_build_node){.count = count, .depth = depth};
    kernel()->bound(items, count, root);
}

void bvpi_split_once(bvpi_item *items, uint32_t leaf_size, const bvpi_build_node *node,
                     bvpi_build_node *left, bvpi_build_node *right)
{
    kernel()->once(items, leaf_size, node, left, right);
}

uint32_t bvpi_split_rest(bvpi_item *items, uint32_t leaf_size, bvpi_build_node *nodes,
                         uint32_t node_count, bvpi_split_fn *split)
{
    uint32_t waiting[BVPD_DEPTH_MAX], used = node_count;
    for (uint32_t root = 0; root < node_count; root++) {
        uint32_t waiting_count = nodes[root].left == 0;
        waiting[0] = root;
        while (waiting_count > 0) {
            bvpi_build_node *node = &nodes[waiting[--waiting_count]];
            if (node->count <= leaf_size)
                continue;
            /* one sibling for each level above, and the depth limit leaves room for two more */
            assert(waiting_count + 2 <= BVPD_DEPTH_MAX);
            node->left = used;
            split(items, leaf_size, node, &nodes[used], &nodes[used + 1]);
            waiting[waiting_count++] = used + 1;
            waiting[waiting_count++] = used;
            used += 2;
        }
    }
    return used;
}

uint32_t bvpi_split_all(bvpi_item *items, uint32_t count, uint32_t leaf_size, uint32_t depth,
                        bvpi_build_node *nodes)
{
    bvpi_split_root(items, count, depth, &nodes[0]);
    return bvpi_split_rest(items, leaf_size, nodes, 1, bvpi_split_once);
}
