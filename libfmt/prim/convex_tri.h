/* SPDX-License-Identifier: MIT
 * convex_tri.h: the distance of a placed triangle and a solid convex body, as a certified interval.
 * Spec: exactness.md, chapter 13, which derives the bounds
 */
#ifndef BVPI_PRIM_CONVEX_TRI_H
#define BVPI_PRIM_CONVEX_TRI_H

#include "prim/convex.h"

/* A triangle as near as this share of the reach counts as touching. */
#define BVPI_CONVEX_BAND 0x1p-42

/* A convex body beside one placed part. */
typedef struct bvpi_convex_pose {
    const bvpi_convex *convex;
    const double *m; /* the part's placement */
    double scale;    /* power of two: scale * reach is in [1/2, 1) */
    double band;     /* world: at least what counts as touching */
} bvpi_convex_pose;

/* bound: the largest |coordinate| on each axis in the part; m: outlives the pose. */
void bvpi_convex_pose_init(bvpi_convex_pose *out, const bvpi_convex *convex, const double m[12],
                           const double bound[3]);

typedef struct bvpi_convex_tri {
    double lo, hi; /* lo <= distance <= hi, world; both are 0 if the triangle counts as touching */
    double point_tri[3], point_convex[3]; /* witness points, world */
    unsigned effort; /* which arithmetic was needed: 1 double, 8 double-double */
    bool is_tight;   /* hi - lo is as small as is promised; else the search has stalled */
} bvpi_convex_tri;

/* One triangle; degenerate ones count as segments or points. If it is farther than limit, only lo
 * is set, and above limit. Any hi <= enough ends the search; INFINITY and -1 ask for the distance.
 * Whether it counts as touching does not depend on limit and enough. */
void bvpi_convex_tri1(const bvpi_convex_pose *pose, const float tri[9], double limit, double enough,
                      bvpi_convex_tri *out);

#endif
