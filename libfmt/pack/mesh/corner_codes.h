/* SPDX-License-Identifier: MIT
 * corner_codes.h: a cluster's triangles as local vertex numbers, in as few bits as possible.
 * Spec: format.md, chapter "Cluster records"
 */
#ifndef BVPI_PACK_MESH_CORNER_CODES_H
#define BVPI_PACK_MESH_CORNER_CODES_H

#include "format/layout.h"

/* Renumbers the vertices so that the three of a triangle are near each other.
 * corners: 3 local vertices (0 .. vertex_count - 1, each in use) for each triangle; receives the
 * new numbers.
 * order: receives the old number of each new one. */
void bvpi_corners_order(uint8_t *corners, uint32_t triangle_count, uint32_t vertex_count,
                        uint8_t *order);

/* Writes the stream to `out`, and its widths to the header. Returns the stream's size in bytes: at
 * most 3 for each triangle. */
uint32_t bvpi_corners_pack(const uint8_t *corners, uint32_t triangle_count, bvpd_cluster *head,
                           uint8_t *out);

#endif
