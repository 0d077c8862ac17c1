/* SPDX-License-Identifier: MIT
 * place_bounds.h: the world bounds of a box that is placed somewhere, rounded outward.
 * Spec: format.md, chapters "Instances", "Hierarchy over the instances".
 */
#ifndef BVPI_PRIM_PLACE_BOUNDS_H
#define BVPI_PRIM_PLACE_BOUNDS_H

#include <stdbool.h>

/* An instance's bounds in the world, rounded outward. */
typedef struct bvpi_bounds {
    double lo[3], hi[3];
} bvpi_bounds;

/* Sign of (an end of the box's image under one row of a placement, the upper or the lower) - bound,
 * barring underflow of the products. */
int bvpi_place_compare(const double row[4], const float lo[3], const float hi[3], bool upper,
                       double bound);

/* Contains every point of the part's box lo .. hi at `placement`, in real arithmetic. */
void bvpi_place_bounds(const double placement[12], const float lo[3], const float hi[3],
                       bvpi_bounds *out);

#endif
