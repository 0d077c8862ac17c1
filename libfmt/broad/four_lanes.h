/* SPDX-License-Identifier: MIT
 * four_lanes.h: what four bodies have, stored one after another, as lanes of vectors, and back.
 */
#ifndef BVPI_BROAD_FOUR_LANES_H
#define BVPI_BROAD_FOUR_LANES_H

#include "base/simd.h"

/* v[j]: four numbers of body j; becomes one number of each of the four. */
BVPI_INLINE void bvpi_transpose_4x4(f64x4 v[4])
{
    const f64x4 even = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6);
    const f64x4 odd = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    const f64x4 even_2 = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
    const f64x4 odd_2 = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(even, even_2, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(odd, odd_2, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(even, even_2, 2, 3, 6, 7);
    v[3] = __builtin_shufflevector(odd, odd_2, 2, 3, 6, 7);
}

/* p: six numbers of each body, all of one after all of another. v[k]: number k of each. */
BVPI_INLINE void bvpi_load_4x6(const double *p, f64x4 v[6])
{
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) { /* numbers 2k and 2k + 1 */
        const int at = 2 * k, next = 6 + 2 * k;
        const f64x4 of_0 = f64x4_load(p + at / 4 * 4), of_2 = f64x4_load(p + 12 + at / 4 * 4);
        const f64x4 of_1 = f64x4_load(p + next / 4 * 4), of_3 = f64x4_load(p + 12 + next / 4 * 4);
        const f64x4 even = at % 4 == 0 ? __builtin_shufflevector(of_0, of_2, 0, 1, 4, 5)
                                       : __builtin_shufflevector(of_0, of_2, 2, 3, 6, 7);
        const f64x4 odd = next % 4 == 0 ? __builtin_shufflevector(of_1, of_3, 0, 1, 4, 5)
                                        : __builtin_shufflevector(of_1, of_3, 2, 3, 6, 7);
        v[2 * k] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
        v[2 * k + 1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
    }
}

/* The reverse. */
BVPI_INLINE void bvpi_store_4x6(double *p, const f64x4 v[6])
{
    f64x4 even[3], odd[3]; /* of bodies 0 and 2, of 1 and 3 */
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        even[k] = __builtin_shufflevector(v[2 * k], v[2 * k + 1], 0, 4, 2, 6);
        odd[k] = __builtin_shufflevector(v[2 * k], v[2 * k + 1], 1, 5, 3, 7);
    }
    f64x4_store(p, __builtin_shufflevector(even[0], even[1], 0, 1, 4, 5));
    f64x4_store(p + 4, __builtin_shufflevector(even[2], odd[0], 0, 1, 4, 5));
    f64x4_store(p + 8, __builtin_shufflevector(odd[1], odd[2], 0, 1, 4, 5));
    f64x4_store(p + 12, __builtin_shufflevector(even[0], even[1], 2, 3, 6, 7));
    f64x4_store(p + 16, __builtin_shufflevector(even[2], odd[0], 2, 3, 6, 7));
    f64x4_store(p + 20, __builtin_shufflevector(odd[1], odd[2], 2, 3, 6, 7));
}

/* v[j]: two times four floats of body j; becomes two times one number of each of the four. */
BVPI_INLINE void bvpi_transpose_halves(f32x8 v[4])
{
    const f32x8 low = __builtin_shufflevector(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const f32x8 high = __builtin_shufflevector(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const f32x8 low_2 = __builtin_shufflevector(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const f32x8 high_2 = __builtin_shufflevector(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
    v[0] = __builtin_shufflevector(low, low_2, 0, 1, 8, 9, 4, 5, 12, 13);
    v[1] = __builtin_shufflevector(low, low_2, 2, 3, 10, 11, 6, 7, 14, 15);
    v[2] = __builtin_shufflevector(high, high_2, 0, 1, 8, 9, 4, 5, 12, 13);
    v[3] = __builtin_shufflevector(high, high_2, 2, 3, 10, 11, 6, 7, 14, 15);
}

#endif
