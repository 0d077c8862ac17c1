/* SPDX-License-Identifier: MIT
 * seeds.h: cutting a set of boxes in two that grow from seeds at its borders, each box going where
 * it adds least volume.
 * Based on: Zachmann, Minimal hierarchical collision detection, 2002, section 4.2, and, as
 * lookahead, what it leaves as future work.
 */
#ifndef BVPI_PACK_TREE_SEEDS_H
#define BVPI_PACK_TREE_SEEDS_H

#include "pack/tree/sah_split.h"
#include "bvpack_build.h"

/* items: node->count >= 2 of them, node: their box. rule: volume, longest or lookahead;
 * leaf_size: lookahead judges no cut of a leaf. Those of
 * the left set come to the front; returns how many: at least 1, fewer than all. */
uint32_t bvpi_cut_by_volume(bvpi_item *items, bvp_split rule, uint32_t leaf_size,
                            const bvpi_build_node *node);

#endif
