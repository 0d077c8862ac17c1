/* SPDX-License-Identifier: MIT
 * fma.h: a * b + c, rounded once. WebAssembly has no instruction for it, and a C library's function
 * takes as long as 20 products: there it is computed from products and sums, with the same bits.
 *
 * The exact product is the sum of two doubles. Added to c, it leaves two terms that do not overlap
 * and a rest; the rest is rounded to odd, so that the last addition cannot round a second time.
 *
 * Held by tests/unit/test_fma.c: the processor's instruction.
 * Based on: Dekker, A floating-point technique for extending the available precision, 1971; Boldo,
 * Melquiond, Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
 * odd, 2008.
 */
#ifndef BVPI_BASE_FMA_H
#define BVPI_BASE_FMA_H

#include <stdint.h>
#include <string.h>

/* The exact sum of two doubles. */
typedef struct bvpi_two {
    double sum, rest;
} bvpi_two;

static inline bvpi_two bvpi_two_sum(double a, double b)
{
    const double s = a + b, t = s - a;
    return (bvpi_two){s, (a - (s - t)) + (b - t)};
}

/* a * b - product, which is a double unless it underflows. */
static inline double bvpi_product_rest(double a, double b, double product)
{
    const double a_scaled = a * 0x1.0000002p27, b_scaled = b * 0x1.0000002p27; /* 2^27 + 1 */
    const double a_hi = a_scaled - (a_scaled - a), a_lo = a - a_hi;
    const double b_hi = b_scaled - (b_scaled - b), b_lo = b - b_hi;
    return ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo;
}

/* Of two doubles, rounded so that the last bit is set unless the sum is exact. */
static inline double bvpi_sum_to_odd(double a, double b)
{
    const bvpi_two s = bvpi_two_sum(a, b);
    uint64_t bits;
    memcpy(&bits, &s.sum, sizeof bits);
    if (s.rest != 0 && (bits & 1) == 0)
        bits += (s.rest > 0) == (s.sum > 0) ? 1 : -1;
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return odd;
}

static inline double bvpi_fma_by_parts(double a, double b, double c)
{
    const double product = a * b, size = __builtin_fabs(product);
    /* far from where a part would overflow, or a product lose bits below the least double */
    if (!(size > 0x1p-900 && size < 0x1p900 && __builtin_fabs(a) < 0x1p960 &&
          __builtin_fabs(b) < 0x1p960 && __builtin_fabs(c) < 0x1p960))
        return a == 0 || b == 0 ? product + c : __builtin_fma(a, b, c);
    const double rest = bvpi_product_rest(a, b, product);
    if (c == -product)
        return rest + 0.0;
    const bvpi_two low = bvpi_two_sum(c, rest), high = bvpi_two_sum(product, low.sum);
    return high.sum + bvpi_sum_to_odd(low.rest, high.rest);
}

static inline double bvpi_fma(double a, double b, double c)
{
#ifdef __wasm__
    return bvpi_fma_by_parts(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
}

#endif
