/* SPDX-License-Identifier: MIT
 * convex.h: a convex body, checked and placed in the world: bvp_convex.
 *
 * All kinds are a core and a radius. The core is a point, a segment, a box, an elliptic cylinder or
 * a hull of points; it is what the linear part of the placement makes of it, exactly. Its points
 * are relative to the centre, the placement's translation.
 * Spec: exactness.md, chapter 13
 */
#ifndef BVPI_PRIM_CONVEX_H
#define BVPI_PRIM_CONVEX_H

#include <stdbool.h>

#include "prim/pose.h"

typedef struct bvpi_convex {
    bvp_convex_kind kind;
    bvpi_placement placement;
    double centre[3]; /* in the world, exact */
    double half[3];   /* of the core along its axes: cylinder: radius, radius, half its length */
    double radius;    /* what the core is widened by: of sphere and capsule */
    double bound[3];  /* largest |coordinate| of the core before placement */
    double size[3];   /* at least |coordinate| of a point relative to the centre, and the sum of the
                         magnitudes that it is computed from */
    const double *points;
    uint32_t point_count;
} bvpi_convex;

/* BVP_ERR_ARGUMENT as bvpack.h says. */
bvp_status bvpi_convex_init(bvpi_convex *out, const bvp_convex *given);

/* How far it reaches along a direction of the world, of any length, relative to the centre: d . x
 * is in out[0] .. out[1] for all its points x. d may err by `error` in each coordinate. */
void bvpi_convex_extent(const bvpi_convex *convex, const double d[3], const double error[3],
                        double out[2]);

#endif
