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
/* The head of a cluster's id record, and where its packed numbers begin in the part's ids_size
 * bytes. It stands before them, or, where triangles lie outside, in the cluster's own head. False:
 * it is not sound, or does not lie in them. */
bool bvpi_ids_head(const uint8_t *ids, uint64_t ids_size, const bvpd_cluster *cluster,
                   bvpd_ids *head, uint64_t *packed_off);
/* The source number of a local triangle (0 .. 255) of a cluster, from a copy of its header. Without
 * ids (NULL), or in a damaged record: its storage number. */
uint64_t bvpi_number_of(const uint8_t *ids, uint64_t ids_size, const bvpd_cluster *cluster,
                        uint32_t local);
/* The same of eight local triangles; neighbours, which are mostly in one run of numbers, cost
 * less. */
void bvpi_numbers_of_eight(const uint8_t *ids, uint64_t ids_size, const bvpd_cluster *cluster,
                           const uint32_t local[8], uint64_t out[8]);
static inline uint64_t bvpi_triangle_id(const bvpi_part *part, const bvpd_cluster *cluster,
                                        uint32_t local)
{
    return bvpi_number_of(part->ids, part->ids_size, cluster, local);
}

#endif
