/* SPDX-License-Identifier: MIT
 * exact_product.h: the rounding error of a product, which is a double unless it underflows. With
 * it, products are computed in twice the precision (dd.h).
 *
 * Processors have an instruction for it, a * b + c rounded once. WebAssembly has none, and a C
 * library's function takes as long as 20 products: there the error is computed from the factors'
 * halves, with the same bits.
 *
 * Held by tests/unit/test_exact_product.c: the processor's instruction.
 * Based on: Dekker, A floating-point technique for extending the available precision, 1971.
 */
#ifndef BVPI_BASE_EXACT_PRODUCT_H
#define BVPI_BASE_EXACT_PRODUCT_H

/* a * b - product, where product is a * b rounded. */
static inline double bvpi_product_rest_by_parts(double a, double b, double product)
{
    const double size = __builtin_fabs(product);
    /* far from where a half would overflow, or a product lose bits below the least double */
    if (!(size > 0x1p-900 && size < 0x1p900 && __builtin_fabs(a) < 0x1p960 &&
          __builtin_fabs(b) < 0x1p960))
        return a == 0 || b == 0 ? a * b - product : __builtin_fma(a, b, -product);
    const double a_scaled = a * 0x1.0000002p27, b_scaled = b * 0x1.0000002p27; /* 2^27 + 1 */
    const double a_hi = a_scaled - (a_scaled - a), a_lo = a - a_hi;
    const double b_hi = b_scaled - (b_scaled - b), b_lo = b - b_hi;
    return ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo;
}

static inline double bvpi_product_rest(double a, double b, double product)
{
#ifdef __wasm__
    return bvpi_product_rest_by_parts(a, b, product);
#else
    return __builtin_fma(a, b, -product);
#endif
}

#endif
