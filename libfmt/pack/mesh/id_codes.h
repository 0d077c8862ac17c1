/* SPDX-License-Identifier: MIT
 * id_codes.h: source numbers of a cluster, which come in runs, in as few bits as possible.
 * Spec: format.md, chapter "Triangle numbers"
 */
#ifndef BVPI_PACK_MESH_ID_CODES_H
#define BVPI_PACK_MESH_ID_CODES_H

#include "format/layout.h"

/* How the numbers of a cluster are stored. */
typedef struct bvpi_ids_plan {
    bvpd_ids head;
    uint32_t packed_size;                      /* of what follows the head, in bytes */
    uint32_t position[BVPD_CLUSTER_TRIANGLES]; /* of each of head.gap_count gaps, ascending */
    uint32_t skip[BVPD_CLUSTER_TRIANGLES];     /* numbers left out up to each gap, ascending */
} bvpi_ids_plan;

/* count: 1 .. 256. */
void bvpi_ids_choose(const uint32_t *numbers, uint32_t count, bvpi_ids_plan *plan);
/* plan: made for these numbers. out: plan->packed_size zero bytes, for what follows the head, and
 * eight more that may be written. */
void bvpi_ids_write(const bvpi_ids_plan *plan, const uint32_t *numbers, uint32_t count,
                    uint8_t *out);

#endif
