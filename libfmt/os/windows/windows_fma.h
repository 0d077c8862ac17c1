/* SPDX-License-Identifier: MIT
 * windows_fma.h: x * y + z rounded once, without the processor's instruction.
 *
 * mingw-w64's fma rounds twice, first to 64 bits; exact stages rest on it being right
 * (base/exact_product.h). Product and summand become numbers of 128 bits with their highest bit at
 * TOP; of the smaller one, what is shifted out stays as one bit that is set. Nothing is lost by
 * that: a product has 106 bits, so bits are shifted out only where more than 18 others lie between
 * them and what is rounded.
 *
 * Held by tests/unit/test_windows_fma.c: the processor's instruction.
 */
#ifndef BVPI_OS_WINDOWS_FMA_H
#define BVPI_OS_WINDOWS_FMA_H

#include <math.h>
#include <stdint.h>

typedef unsigned __int128 bvpi_fma_bits;

/* size * 2^exponent, with the sign */
typedef struct bvpi_fma_part {
    bvpi_fma_bits size;
    int exponent, is_negative;
} bvpi_fma_part;

enum { BVPI_FMA_TOP = 124 };

static inline int bvpi_fma_high_bit(bvpi_fma_bits size)
{
    const uint64_t high = (uint64_t)(size >> 64), low = (uint64_t)size;
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
}

static inline bvpi_fma_part bvpi_fma_normal(bvpi_fma_bits size, int exponent, int is_negative)
{
    const int shift = BVPI_FMA_TOP - bvpi_fma_high_bit(size);
    return (bvpi_fma_part){size << shift, exponent - shift, is_negative};
}

/* The mantissa of a number that is finite and not zero. */
static inline uint64_t bvpi_fma_mantissa(double x, int *exponent)
{
    const double fraction = frexp(fabs(x), exponent);
    *exponent -= 53;
    return (uint64_t)(fraction * 0x1p53);
}

static inline bvpi_fma_bits bvpi_fma_shift_down(bvpi_fma_bits size, int shift)
{
    if (shift > 127)
        return 1;
    const bvpi_fma_bits rest = size & (((bvpi_fma_bits)1 << shift) - 1);
    return size >> shift | (rest != 0);
}

/* To the nearest double, of two the even one. */
static inline double bvpi_fma_round(bvpi_fma_bits size, int exponent)
{
    enum { LEAST = -1074 };
    const int normal = exponent + bvpi_fma_high_bit(size) - 52;
    const int unit = normal > LEAST ? normal : LEAST;
    if (unit <= exponent)
        return ldexp((double)(uint64_t)size, exponent);
    /* two bits below the unit: a half, and whether there is more */
    const bvpi_fma_bits few =
        unit - exponent >= 2 ? bvpi_fma_shift_down(size, unit - exponent - 2) : size << 1;
    uint64_t whole = (uint64_t)(few >> 2);
    const unsigned rest = (unsigned)few & 3;
    whole += rest > 2 || (rest == 2 && (whole & 1));
    return ldexp((double)whole, unit);
}

static inline double bvpi_fma_by_integers(double x, double y, double z)
{
    if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0)
        return x * y + z;
    if (!isfinite(z))
        return z;
    if (z == 0)
        return x * y;
    int x_exponent, y_exponent, z_exponent;
    const bvpi_fma_bits product =
        (bvpi_fma_bits)bvpi_fma_mantissa(x, &x_exponent) * bvpi_fma_mantissa(y, &y_exponent);
    const uint64_t summand = bvpi_fma_mantissa(z, &z_exponent);
    bvpi_fma_part a = bvpi_fma_normal(product, x_exponent + y_exponent, !signbit(x) != !signbit(y));
    bvpi_fma_part b = bvpi_fma_normal(summand, z_exponent, signbit(z) != 0);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.size < b.size)) {
        const bvpi_fma_part larger = b;
        b = a;
        a = larger;
    }
    b.size = bvpi_fma_shift_down(b.size, a.exponent - b.exponent);
    const bvpi_fma_bits sum = a.is_negative == b.is_negative ? a.size + b.size : a.size - b.size;
    if (sum == 0)
        return 0;
    const double result = bvpi_fma_round(sum, a.exponent);
    return a.is_negative ? -result : result;
}

#endif
