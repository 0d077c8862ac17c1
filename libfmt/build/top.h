/* SPDX-License-Identifier: MIT
 * top.h: the hierarchy over an assembly's instances.
 * Spec: format.md, chapters "Instances", "Hierarchy over the instances".
 */
#ifndef BVPI_BUILD_TOP_H
#define BVPI_BUILD_TOP_H

#include "bvpack.h"
#include "format/layout.h"
#include "prim/place_bounds.h"

typedef struct bvpi_top {
    bvpd_node *nodes;
    uint32_t *order; /* instances in leaf order */
    bvpd_hierarchy hierarchy;
} bvpi_top;

/* count > 0; all numbers at most BVPI_COORDINATE_MAX. On success the caller frees both arrays. */
bvp_status bvpi_top_build(const bvpi_bounds *bounds, uint32_t count, bvpi_top *out,
                          bvp_error *error);

#endif
