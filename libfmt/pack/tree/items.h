/* SPDX-License-Identifier: MIT
 * items.h: the boxes of a mesh's triangles, on the grid of its hierarchies.
 */
#ifndef BVPI_PACK_TREE_ITEMS_H
#define BVPI_PACK_TREE_ITEMS_H

#include "pack/mesh/mesh.h"
#include "pack/tree/sah_split.h"
#include "base/large_array.h"
#include "node/grid.h"

/* Bounds of all vertices; no -0. */
void bvpi_mesh_bounds(const bvpi_mesh *mesh, float lo[3], float hi[3]);

/* One item for each triangle, in the mesh's order, to be freed; NULL: out of memory.
 * *degenerate_count: triangles without area. */
bvpi_item *bvpi_items_make(const bvpi_mesh *mesh, const bvpi_grid *grid, uint32_t thread_count,
                           uint64_t *degenerate_count);

/* The items of some triangles, in their order; triangles NULL: of 0 .. count - 1. Returns how many
 * of them have no area. */
uint64_t bvpi_items_gather(const bvpi_mesh *mesh, const bvpi_grid *grid, const uint32_t *triangles,
                           uint32_t count, bvpi_item *items);

#endif
