/* SPDX-License-Identifier: MIT
 * dd.h: numbers of twice the precision of a double, as the unevaluated sum of two.
 * Spec: exactness.md, chapter 2
 * Based on: Joldes, Muller, Popescu, Tight and rigorous error bounds for basic building blocks of
 * double-word arithmetic, 2017.
 */
#ifndef BVPI_BASE_DD_H
#define BVPI_BASE_DD_H

#include "base/exact_product.h"

/* |lo| <= half an ulp of hi. With u = 2^-53, and no over- or underflow, each operation errs by at
 * most 10 u^2 times its result, sums included, also when the terms cancel. */
typedef struct bvpi_dd {
    double hi, lo;
} bvpi_dd;

static inline bvpi_dd bvpi_dd_of(double x)
{
    return (bvpi_dd){x, 0};
}

/* a + b exactly. */
static inline bvpi_dd bvpi_dd_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (bvpi_dd){s, (a - (s - t)) + (b - t)};
}

/* a + b exactly, for |a| >= |b| or a == 0. */
static inline bvpi_dd bvpi_dd_fast_sum(double a, double b)
{
    double s = a + b;
    return (bvpi_dd){s, b - (s - a)};
}

/* a * b exactly. */
static inline bvpi_dd bvpi_dd_product(double a, double b)
{
    double p = a * b;
    return (bvpi_dd){p, bvpi_product_rest(a, b, p)};
}

static inline bvpi_dd bvpi_dd_neg(bvpi_dd a)
{
    return (bvpi_dd){-a.hi, -a.lo};
}

static inline bvpi_dd bvpi_dd_abs(bvpi_dd a)
{
    return a.hi < 0 ? bvpi_dd_neg(a) : a;
}

static inline bvpi_dd bvpi_dd_add(bvpi_dd a, bvpi_dd b)
{
    bvpi_dd s = bvpi_dd_sum(a.hi, b.hi), t = bvpi_dd_sum(a.lo, b.lo);
    s = bvpi_dd_fast_sum(s.hi, s.lo + t.hi);
    return bvpi_dd_fast_sum(s.hi, s.lo + t.lo);
}

static inline bvpi_dd bvpi_dd_sub(bvpi_dd a, bvpi_dd b)
{
    return bvpi_dd_add(a, bvpi_dd_neg(b));
}

static inline bvpi_dd bvpi_dd_mul(bvpi_dd a, bvpi_dd b)
{
    bvpi_dd p = bvpi_dd_product(a.hi, b.hi);
    return bvpi_dd_fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline bvpi_dd bvpi_dd_scale(bvpi_dd a, double b)
{
    bvpi_dd p = bvpi_dd_product(a.hi, b);
    return bvpi_dd_fast_sum(p.hi, p.lo + a.lo * b);
}

static inline bvpi_dd bvpi_dd_div(bvpi_dd a, bvpi_dd b)
{
    double q = a.hi / b.hi;
    bvpi_dd r = bvpi_dd_sub(a, bvpi_dd_scale(b, q));
    return bvpi_dd_fast_sum(q, r.hi / b.hi);
}

static inline bvpi_dd bvpi_dd_sqrt(bvpi_dd a)
{
    double s = __builtin_sqrt(a.hi);
    if (!(s > 0))
        return (bvpi_dd){s, 0};
    bvpi_dd r = bvpi_dd_sub(a, bvpi_dd_product(s, s));
    return bvpi_dd_fast_sum(s, r.hi / (2 * s));
}

/* The nearest double. */
static inline double bvpi_dd_round(bvpi_dd a)
{
    return a.hi + a.lo;
}

#endif
