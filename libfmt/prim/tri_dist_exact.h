/* SPDX-License-Identifier: MIT
 * tri_dist_exact.h: the distance of two disjoint triangles in integers, for pairs where
 * double-double is too coarse.
 * Spec: exactness.md, chapter 6
 */
#ifndef BVPI_PRIM_TRI_DIST_EXACT_H
#define BVPI_PRIM_TRI_DIST_EXACT_H

#include <stdbool.h>

#include "base/dd.h"

/* Nearest points relative to A's first corner, along the world's axes, times the caller's scale. */
typedef struct bvpi_nearest_exact {
    double lo, hi; /* world, unscaled: 0 <= lo <= distance <= hi, hi - lo <= 2^-48 hi + 2^-1072 */
    bvpi_dd x[3], y[3];
} bvpi_nearest_exact;

/* The triangles must not meet. ma, mb: placements, or NULL for the identity; scale: a power of two.
 * Returns false if a number is not finite. */
bool bvpi_tri_dist_exact(const float a[9], const float b[9], const double *ma, const double *mb,
                         double scale, bvpi_nearest_exact *out);

#endif
