/* SPDX-License-Identifier: MIT
 * scales.h: instances so far from the others that one grid cannot resolve both.
 * Spec: format.md, chapter "Hierarchies over the instances"
 */
#ifndef BVPI_PACK_TREE_SCALES_H
#define BVPI_PACK_TREE_SCALES_H

#include "bvpack.h"
#include "format/layout.h"
#include "prim/place_bounds.h"

/* Instances in groups, each of which gets a grid of its own; one group if one grid suffices. */
typedef struct bvpi_scales {
    uint32_t *members; /* all instances, group by group, in their order within a group */
    uint32_t ends[BVPD_TOP_MAX];
    uint32_t count;
} bvpi_scales;

/* count > 0; no number above BVPI_COORDINATE_MAX. On success the caller frees the members. */
bvp_status bvpi_scales_find(const bvpi_bounds *bounds, uint32_t count, bvpi_scales *out,
                            bvp_error *error);

#endif
