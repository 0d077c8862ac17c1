/* SPDX-License-Identifier: MIT
 * dd2.h: double-doubles two at a time, each lane with the bits of dd.h.
 *
 * Rounding errors of products come from the factors' halves on every processor, so all numbers must
 * be in range (bvpi_dd2_is_moderate): beyond it halves overflow, or products lose bits.
 *
 * Slow twin: dd.h, tests/unit/test_exact_product.c.
 */
#ifndef BVPI_BASE_DD2_H
#define BVPI_BASE_DD2_H

#include <stdbool.h>

#include "base/dd.h"
#include "base/simd.h"

typedef struct bvpi_dd2 {
    bvpi_f64x2 hi, lo;
} bvpi_dd2;

BVPI_INLINE bvpi_dd2 bvpi_dd2_of(bvpi_dd a, bvpi_dd b)
{
    return (bvpi_dd2){{a.hi, b.hi}, {a.lo, b.lo}};
}

BVPI_INLINE bvpi_dd bvpi_dd2_lane(bvpi_dd2 a, int lane)
{
    return (bvpi_dd){a.hi[lane], a.lo[lane]};
}

BVPI_INLINE bvpi_f64x2 bvpi_f64x2_abs(bvpi_f64x2 a)
{
    typedef int64_t i64x2 __attribute__((vector_size(16)));
    return (bvpi_f64x2)((i64x2)a & INT64_MAX);
}

/* Is the number 0, or is its size in least .. most? */
static inline bool bvpi_dd2_is_moderate(double a, double least, double most)
{
    const double size = __builtin_fabs(a);
    return size == 0 || (size >= least && size <= most);
}

/* a + b exactly. */
BVPI_INLINE bvpi_dd2 bvpi_dd2_sum(bvpi_f64x2 a, bvpi_f64x2 b)
{
    const bvpi_f64x2 s = a + b, t = s - a;
    return (bvpi_dd2){s, (a - (s - t)) + (b - t)};
}

BVPI_INLINE bvpi_dd2 bvpi_dd2_fast_sum(bvpi_f64x2 a, bvpi_f64x2 b)
{
    const bvpi_f64x2 s = a + b;
    return (bvpi_dd2){s, b - (s - a)};
}

/* a * b exactly. */
BVPI_INLINE bvpi_dd2 bvpi_dd2_product(bvpi_f64x2 a, bvpi_f64x2 b)
{
    const bvpi_f64x2 p = a * b;
    const bvpi_f64x2 a_scaled = a * 0x1.0000002p27, b_scaled = b * 0x1.0000002p27;
    const bvpi_f64x2 a_hi = a_scaled - (a_scaled - a), a_lo = a - a_hi;
    const bvpi_f64x2 b_hi = b_scaled - (b_scaled - b), b_lo = b - b_hi;
    return (bvpi_dd2){p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

BVPI_INLINE bvpi_dd2 bvpi_dd2_neg(bvpi_dd2 a)
{
    return (bvpi_dd2){-a.hi, -a.lo};
}

BVPI_INLINE bvpi_dd2 bvpi_dd2_add(bvpi_dd2 a, bvpi_dd2 b)
{
    bvpi_dd2 s = bvpi_dd2_sum(a.hi, b.hi);
    const bvpi_dd2 t = bvpi_dd2_sum(a.lo, b.lo);
    s = bvpi_dd2_fast_sum(s.hi, s.lo + t.hi);
    return bvpi_dd2_fast_sum(s.hi, s.lo + t.lo);
}

BVPI_INLINE bvpi_dd2 bvpi_dd2_mul(bvpi_dd2 a, bvpi_dd2 b)
{
    const bvpi_dd2 p = bvpi_dd2_product(a.hi, b.hi);
    return bvpi_dd2_fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

BVPI_INLINE bvpi_dd2 bvpi_dd2_scale(bvpi_dd2 a, bvpi_f64x2 b)
{
    const bvpi_dd2 p = bvpi_dd2_product(a.hi, b);
    return bvpi_dd2_fast_sum(p.hi, p.lo + a.lo * b);
}

BVPI_INLINE bvpi_dd2 bvpi_dd2_div(bvpi_dd2 a, bvpi_dd2 b)
{
    const bvpi_f64x2 q = a.hi / b.hi;
    const bvpi_dd2 r = bvpi_dd2_add(a, bvpi_dd2_neg(bvpi_dd2_scale(b, q)));
    return bvpi_dd2_fast_sum(q, r.hi / b.hi);
}

#endif
