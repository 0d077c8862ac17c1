/* SPDX-License-Identifier: MIT
 * nearest.h: nearest points of triangles in double and in double-double.
 * Spec: exactness.md, chapter 6
 */
#ifndef BVPI_PRIM_NEAREST_H
#define BVPI_PRIM_NEAREST_H

#include <math.h>

#include "base/dd.h"

#define BVPI_NUMBER_OPERATIONS(NAME, NUM, of, value, add, sub, mul, div)                           \
    static inline NUM NAME(bvpi_num_of)(double x)                                                  \
    {                                                                                              \
        return of;                                                                                 \
    }                                                                                              \
    static inline double NAME(bvpi_num_value)(NUM a)                                               \
    {                                                                                              \
        return value;                                                                              \
    }                                                                                              \
    static inline NUM NAME(bvpi_num_add)(NUM a, NUM b)                                             \
    {                                                                                              \
        return add;                                                                                \
    }                                                                                              \
    static inline NUM NAME(bvpi_num_sub)(NUM a, NUM b)                                             \
    {                                                                                              \
        return sub;                                                                                \
    }                                                                                              \
    static inline NUM NAME(bvpi_num_mul)(NUM a, NUM b)                                             \
    {                                                                                              \
        return mul;                                                                                \
    }                                                                                              \
    static inline NUM NAME(bvpi_num_div)(NUM a, NUM b)                                             \
    {                                                                                              \
        return div;                                                                                \
    }

#define BVPI_DOUBLE(x) x##_f64
BVPI_NUMBER_OPERATIONS(BVPI_DOUBLE, double, x, a, a + b, a - b, a *b, a / b)
#define NUM     double
#define NAME(x) BVPI_DOUBLE(x)
#define UNIT    0x1p-53
#include "prim/nearest_of.h"

#define BVPI_DOUBLE_DOUBLE(x) x##_dd
BVPI_NUMBER_OPERATIONS(BVPI_DOUBLE_DOUBLE, bvpi_dd, bvpi_dd_of(x), a.hi, bvpi_dd_add(a, b),
                       bvpi_dd_sub(a, b), bvpi_dd_mul(a, b), bvpi_dd_div(a, b))
#define NUM     bvpi_dd
#define NAME(x) BVPI_DOUBLE_DOUBLE(x)
#define UNIT    0x1p-100
#include "prim/nearest_of.h"

#endif
