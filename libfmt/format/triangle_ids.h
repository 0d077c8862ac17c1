/* SPDX-License-Identifier: MIT
 * triangle_ids.h: the numbers that a part's triangles have in the source.
 * Spec: format.md, chapter 7
 */
#ifndef BVPI_FORMAT_TRIANGLE_IDS_H
#define BVPI_FORMAT_TRIANGLE_IDS_H

#include "format/record.h"

/* Size in bytes of what follows an id record's header, for widths up to 32 and triangle_count up to
 * 256. */
uint32_t bvpi_ids_packed_size(const bvpd_ids *head, uint32_t triangle_count);
/* `width` bits (<= 32) after an id record's header, from bit `first` on; must be inside TIDS. */
uint32_t bvpi_ids_bits(const uint8_t *packed, uint32_t first, unsigned width);
/* The source number of a local triangle (0 .. 255) of a cluster, from a copy of its header. Without
 * ids: its storage number. */
uint64_t bvpi_triangle_id(const bvpi_part *part, const bvpd_cluster *cluster, uint32_t local);

#endif
