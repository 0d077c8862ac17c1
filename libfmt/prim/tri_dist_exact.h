/* SPDX-License-Identifier: MIT
 * tri_dist_exact.h: distance of two triangles that do not meet, by integers, where double-double is
 * not good enough. Spec: exactness.md, chapter 6
 */
#ifndef BVPI_PRIM_TRI_DIST_EXACT_H
#define BVPI_PRIM_TRI_DIST_EXACT_H

#include <stdbool.h>

#include "base/dd.h"

/* Nearest points relative to A's first corner, along the world's axes, times the caller's scale. */
typedef struct bvpi_nearest_exact {
    double lo, hi; /* world, not scaled: 0 <= lo <= distance <= hi, hi - lo <= 2^-48 hi + 2^-1072 */
    bvpi_dd x[3], y[3];
} bvpi_nearest_exact;

/* ma, mb: placements, or NULL; scale: a power of two. False: something is not finite, or they meet.
 */
bool bvpi_tri_dist_exact(const float a[9], const float b[9], const double *ma, const double *mb,
                         double scale, bvpi_nearest_exact *out);

#endif
