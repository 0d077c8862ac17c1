/* SPDX-License-Identifier: MIT
 * full_leaves.h: binary hierarchies whose leaves are full, as far as the counts allow, and whose
 * subtrees tend to fill wide nodes of such leaves.
 */
#ifndef BVPI_PACK_TREE_FULL_LEAVES_H
#define BVPI_PACK_TREE_FULL_LEAVES_H

#include "pack/tree/sah_split.h"

/* As bvpi_split_rest: splits the leaves among `node_count` existing nodes, deterministically.
 * O(n log n) for n items. */
uint32_t bvpi_full_rest(bvpi_item *items, uint32_t leaf_size, bvpi_build_node *nodes,
                        uint32_t node_count);

#endif
