/* SPDX-License-Identifier: MIT
 * zone_shape.h: a solid convex zone in the world: its bounds, a ball inside it, what is deep inside
 * it, and lines through it.
 * Spec: exactness.md, chapter 12, "Zones"
 */
#ifndef BVPI_CLASH_ZONE_SHAPE_H
#define BVPI_CLASH_ZONE_SHAPE_H

#include "bvpack_clash.h"
#include "prim/convex.h"
#include "prim/place_bounds.h"

typedef struct bvpi_zone {
    bvp_convex given; /* its points and its placement are the caller's */
    bvpi_convex shape;
    bvpi_bounds bounds; /* contain it */
    double inner[3];    /* a point of it, within the slack; the centre of the ball below */
    double radius;      /* of a ball inside it; 0: none is known */
    double slack;       /* error of points that are computed from it */
} bvpi_zone;

/* BVP_ERR_ARGUMENT: no such shape. */
bvp_status bvpi_zone_init(bvpi_zone *zone, const bvp_convex *given);

/* A body all of whose points are at least `by` > 0 deep in the zone, except for the slack: the
 * largest one of the zone's kind, but of a hull a scaled one. False: there is none. */
bool bvpi_zone_shrink(const bvpi_zone *zone, double by, bvpi_convex *out);

/* Line `which` through the zone: its ends, in the zone within the slack. False: there are fewer. */
enum { BVPI_ZONE_LINES = 16 };
bool bvpi_zone_line(const bvpi_zone *zone, uint32_t which, double from[3], double to[3]);

/* An upper bound of the shortest move that takes the zone and a part's placed box apart. m: the
 * part's placement; lo, hi: its box before that; bounds: after. */
double bvpi_zone_apart(const bvpi_zone *zone, const bvpi_placement *m, const float lo[3],
                       const float hi[3], const bvpi_bounds *bounds);

#endif
