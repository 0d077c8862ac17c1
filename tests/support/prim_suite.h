/* SPDX-License-Identifier: MIT
 * prim_suite.h: what the tests of the primitives share: bounds, lanes, and how a suite is run.
 */
#ifndef PRIM_SUITE_H
#define PRIM_SUITE_H

#include <check.h>
#include <math.h>

#include "base/simd.h"
#include "suite.h"

/* The largest magnitude of each coordinate of `count` points. */
static inline void bounds_of(const float *p, int count, double bound[3])
{
    bound[0] = bound[1] = bound[2] = 0;
    for (int i = 0; i < 3 * count; i++)
        bound[i % 3] = fmax(bound[i % 3], fabs((double)p[i]));
}

/* One triangle in all eight lanes. */
static inline void splat_triangle(const float t[9], f32x8 out[9])
{
    for (int k = 0; k < 9; k++)
        out[k] = f32x8_splat(t[k]);
}

/* out = m p, in double. */
static inline void place_point(const double m[12], const float p[3], double out[3])
{
    for (int x = 0; x < 3; x++)
        out[x] = m[4 * x] * (double)p[0] + m[4 * x + 1] * (double)p[1] +
                 m[4 * x + 2] * (double)p[2] + m[4 * x + 3];
}

/* Runs the tests, a list that ends with NULL; returns the exit status, 77 when this processor lacks
 * what the file was compiled for. */
static inline int run_suite(const char *name, const TTest *const *tests)
{
#ifdef __AVX2__
    if (!__builtin_cpu_supports("avx2"))
        return 77;
#endif
    return suite_run_within(name, 300, tests);
}

#endif
