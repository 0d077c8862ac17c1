/* SPDX-License-Identifier: MIT
 * seeds.h: cuts a set of boxes into two that grow from seeds at its borders; each box goes where it
 * adds least volume.
 * Based on: Zachmann, Minimal hierarchical collision detection, 2002, section 4.2; lookahead is
 * what it leaves as future work.
 */
#ifndef BVPI_PACK_TREE_SEEDS_H
#define BVPI_PACK_TREE_SEEDS_H

#include "pack/tree/sah_split.h"
#include "node/frame.h"
#include "bvpack_build.h"

/* items: node->count >= 2 of them; node: their box. rule: volume, longest or lookahead. leaf_size:
 * lookahead does not price cuts of leaves. Moves the items of the left set to the front. Returns
 * their number: at least 1, less than all. */
uint32_t bvpi_cut_by_volume(bvpi_item *items, bvp_split rule, uint32_t leaf_size,
                            const bvpi_build_node *node);

/* The same sets by volume; of these the ones that two planes on one axis, one for each set, leave
 * least of `parent` for: the node's box as it was cut from its own parent's. */
uint32_t bvpi_cut_restricted(bvpi_item *items, uint32_t count, const bvpi_frame *parent);

#endif
