/* SPDX-License-Identifier: MIT
 * words.h: two's complement integers of a few words, least significant word first. The number of
 * words is a constant wherever a function is inlined. Callers choose it so that no result
 * overflows.
 * Spec: exactness.md, chapter 4
 */
#ifndef BVPI_PRIM_WORDS_H
#define BVPI_PRIM_WORDS_H

#include <string.h>

#include "base/simd.h"

typedef unsigned __int128 bvpi_u128;

BVPI_INLINE bvpi_u128 bvpi_two_words(const uint64_t *a)
{
    return (bvpi_u128)a[1] << 64 | a[0];
}

/* out = a + b; out may be a or b, here and in bvpi_words_sub. Two words at a time, as 128-bit
 * numbers. */
BVPI_INLINE void bvpi_words_add(uint64_t *out, const uint64_t *a, const uint64_t *b, int n)
{
    bvpi_u128 carry = 0;
    BVPI_UNROLL
    for (int i = 0; i + 1 < n; i += 2) {
        const bvpi_u128 left = bvpi_two_words(a + i), part = left + bvpi_two_words(b + i);
        const bvpi_u128 sum = part + carry;
        carry = (part < left) | (sum < part);
        out[i] = (uint64_t)sum;
        out[i + 1] = (uint64_t)(sum >> 64);
    }
    if (n % 2 != 0)
        out[n - 1] = a[n - 1] + b[n - 1] + (uint64_t)carry;
}

BVPI_INLINE void bvpi_words_sub(uint64_t *out, const uint64_t *a, const uint64_t *b, int n)
{
    bvpi_u128 borrow = 0;
    BVPI_UNROLL
    for (int i = 0; i + 1 < n; i += 2) {
        const bvpi_u128 left = bvpi_two_words(a + i), right = bvpi_two_words(b + i);
        const bvpi_u128 part = left - right, difference = part - borrow;
        borrow = (left < right) | (part < borrow);
        out[i] = (uint64_t)difference;
        out[i + 1] = (uint64_t)(difference >> 64);
    }
    if (n % 2 != 0)
        out[n - 1] = a[n - 1] - b[n - 1] - (uint64_t)borrow;
}

/* out = a b, of n + m words. out must be neither a nor b. */
BVPI_INLINE void bvpi_words_mul(uint64_t *out, const uint64_t *a, int n, const uint64_t *b, int m)
{
    BVPI_UNROLL
    for (int i = 0; i < n + m; i++)
        out[i] = 0;
    BVPI_UNROLL
    for (int i = 0; i < n; i++) {
        unsigned __int128 carry = 0;
        BVPI_UNROLL
        for (int j = 0; j < m; j++) {
            carry += (unsigned __int128)a[i] * b[j] + out[i + j];
            out[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        out[i + m] = (uint64_t)carry;
    }
    /* read as unsigned, a negative factor is 2^(64 n) too large: correct the product */
    if ((int64_t)a[n - 1] < 0)
        bvpi_words_sub(out + n, out + n, b, m);
    if ((int64_t)b[m - 1] < 0)
        bvpi_words_sub(out + m, out + m, a, n);
}

BVPI_INLINE int bvpi_words_sign(const uint64_t *a, int n)
{
    uint64_t any = 0;
    BVPI_UNROLL
    for (int i = 0; i < n; i++)
        any |= a[i];
    return any == 0 ? 0 : (int64_t)a[n - 1] < 0 ? -1 : 1;
}

/* Relative error: 1.01 * 2^-53. */
BVPI_INLINE double bvpi_words_to_double(const uint64_t *a, int n)
{
    while (n > 1 && a[n - 1] == (uint64_t)((int64_t)a[n - 2] >> 63))
        n--;
    if (n == 1)
        return (double)(int64_t)a[0];
    __int128 top = (__int128)((unsigned __int128)a[n - 1] << 64 | a[n - 2]);
    /* all bits above the first 63 equal the sign */
    int shift = 65 - __builtin_clzll((a[n - 1] ^ (uint64_t)((int64_t)a[n - 1] >> 63)) | 1);
    uint64_t power = (uint64_t)(1023 + shift + 64 * (n - 2)) << 52;
    double unit;
    memcpy(&unit, &power, sizeof unit);
    return (double)(int64_t)(top >> shift) * unit;
}

#endif
