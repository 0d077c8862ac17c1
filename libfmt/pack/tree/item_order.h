/* SPDX-License-Identifier: MIT
 * item_order.h: puts the items of a binary hierarchy in an order that follows from where the
 * triangles are, not from their numbers.
 *
 * Rules that cut sets of items break ties by the items' order, and rules that grow sets from seeds
 * depend on it all the way: without this, a mesh whose triangles were shuffled would get another
 * hierarchy.
 */
#ifndef BVPI_PACK_TREE_ITEM_ORDER_H
#define BVPI_PACK_TREE_ITEM_ORDER_H

#include "pack/mesh/mesh.h"
#include "pack/tree/sah_split.h"

/* mixed: in no order of space, so that growing sets meet items from everywhere, not one side
 * first; else along a Morton curve, which keeps neighbours together in memory. False: out of
 * memory. O(count), but for many items with one key. */
bool bvpi_items_sort(const bvpi_mesh *mesh, bool mixed, bvpi_item *items, uint32_t count);

#endif
