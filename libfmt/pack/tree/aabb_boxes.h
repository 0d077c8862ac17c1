/* SPDX-License-Identifier: MIT
 * aabb_boxes.h: payloads of axis-aligned boxes, from the leaves upward.
 * Spec: format.md, chapter "AABB tree".
 */
#ifndef BVPI_PACK_TREE_AABB_BOXES_H
#define BVPI_PACK_TREE_AABB_BOXES_H

#include "pack/mesh/mesh.h"
#include "pack/tree/sah_split.h"
#include "node/aabb_node.h"

/* The exact bounds of `count` > 0 triangles. */
void bvpi_aabb_around(const bvpi_mesh *mesh, const bvpi_item *items, uint32_t count,
                      uint8_t payload[BVPI_AABB_PAYLOAD]);

/* The exact bounds of two boxes. */
void bvpi_aabb_join(const uint8_t *a, const uint8_t *b, uint8_t payload[BVPI_AABB_PAYLOAD]);

#endif
