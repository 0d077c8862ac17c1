/* SPDX-License-Identifier: MIT
 * top.h: the hierarchy over an assembly's instances.
 * Spec: format.md, chapters "Instances", "Hierarchy over the instances".
 */
#ifndef BVPI_BUILD_TOP_H
#define BVPI_BUILD_TOP_H

#include "bvpack.h"
#include "format/layout.h"

/* An instance's bounds in the world, rounded outward. */
typedef struct bvpi_bounds {
    double lo[3], hi[3];
} bvpi_bounds;

typedef struct bvpi_top {
    bvpd_node *nodes;
    uint32_t *order; /* instances in leaf order */
    bvpd_hierarchy hierarchy;
} bvpi_top;

/* Contains every point of the part's box lo .. hi at `placement`, in real arithmetic. */
void bvpi_place_bounds(const double placement[12], const float lo[3], const float hi[3],
                       bvpi_bounds *out);

/* count > 0; all numbers at most BVPI_COORDINATE_MAX. On success the caller frees both arrays. */
bvp_status bvpi_top_build(const bvpi_bounds *bounds, uint32_t count, bvpi_top *out,
                          bvp_error *error);

#endif
