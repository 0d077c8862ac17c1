/* SPDX-License-Identifier: MIT
 * body_bounds.h: the box of a body, before its placement and in the world.
 */
#ifndef BVPI_BROAD_BODY_BOUNDS_H
#define BVPI_BROAD_BODY_BOUNDS_H

#include <stdbool.h>

#include "bvpack.h"
#include "prim/place_bounds.h"

#define BVPI_BROAD_FARTHEST 0x1p100 /* most |coordinate| of a box in the world */

/* centre - half .. centre + half */
typedef struct bvpi_body_box {
    double centre[3], half[3];
} bvpi_body_box;

/* A body before its placement. */
typedef struct bvpi_body_bounds {
    bvpi_body_box box; /* around its box */
    /* Of an assembly: what one unit of the placement's column k may be wrong by where queries round
     * the product of two placements; 0 of a part. */
    double slack[3];
    bool has_slack;
    bool is_empty; /* there is nothing to bound */
} bvpi_body_bounds;

/* Reads the file. Errors as of a query of this body, but for its placement. */
bvp_status bvpi_body_bounds_init(const bvp_body *body, bvpi_body_bounds *out);

/* The box in the world, grown by `grow` >= 0 on all sides, rounded outward. BVP_ERR_ARGUMENT: a
 * placement that queries refuse (NULL: the identity); BVP_ERR_LIMIT: it reaches too far. */
bvp_status bvpi_body_bounds_place(const bvpi_body_bounds *bounds, const double *placement,
                                  double grow, bvpi_bounds *out);

#endif
