/* SPDX-License-Identifier: MIT
 * gjk.h: the distance of a triangle and a convex body by support functions, in double and in
 * double-double.
 * Spec: exactness.md, chapter 13
 */
#ifndef BVPI_PRIM_GJK_H
#define BVPI_PRIM_GJK_H

#include <math.h>
#include <stdbool.h>

#include "prim/convex.h"
#include "prim/convex_tri.h"
#include "prim/nearest.h"

/* When a search may stop; lengths are scaled so that the reach is below 1. */
typedef struct bvpi_gjk_goal {
    double limit;  /* the lower end is above it */
    double enough; /* the upper end is not above it */
} bvpi_gjk_goal;

static inline double bvpi_num_sqrt_f64(double a)
{
    return sqrt(a);
}

static inline bvpi_dd bvpi_num_sqrt_dd(bvpi_dd a)
{
    return bvpi_dd_sqrt(a);
}

/* How much a bound from below and one from above err, in UNITs: spec, chapter 13. */
#define BVPI_GJK_LOWER 40
#define BVPI_GJK_UPPER 26

#define NUM     double
#define NAME(x) BVPI_DOUBLE(x)
#define UNIT    0x1p-53
#include "prim/gjk_of.h"

#define NUM     bvpi_dd
#define NAME(x) BVPI_DOUBLE_DOUBLE(x)
#define UNIT    0x1p-100
#include "prim/gjk_of.h"

#endif
