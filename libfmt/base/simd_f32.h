/* SPDX-License-Identifier: MIT
 * simd_f32.h: eight or four floats at once. Include base/simd.h.
 */
#ifndef BVPI_BASE_SIMD_F32_H
#define BVPI_BASE_SIMD_F32_H

#include "base/simd_int.h"

/* ---- loads, stores, constants ---------------------------------------------------------------- */

BVPI_INLINE f32x8 f32x8_splat(float x)
{
    return (f32x8){x, x, x, x, x, x, x, x};
}

/* Any alignment. */
BVPI_INLINE f32x8 f32x8_load(const float *p)
{
    f32x8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The same four floats in both halves. */
BVPI_INLINE f32x8 f32x8_load_twice(const float *p)
{
#ifdef __AVX2__
    return (f32x8)_mm256_broadcast_ps((const __m128 *)p);
#else
    bvpi_halves r;
    memcpy(&r.f32_half[0], p, sizeof r.f32_half[0]);
    r.f32_half[1] = r.f32_half[0];
    return r.f32;
#endif
}

BVPI_INLINE void f32x8_store(float *p, f32x8 v)
{
    memcpy(p, &v, sizeof v);
}

/* ---- conversions ----------------------------------------------------------------------------- */

/* Rounded to nearest; exact below 2^24. */
BVPI_INLINE f32x8 f32x8_from_i32(i32x8 v)
{
#ifdef __AVX2__
    return (f32x8)_mm256_cvtepi32_ps((__m256i)v);
#else
    bvpi_halves x = {.i32 = v}, r;
    for (int h = 0; h < 2; h++) {
#ifdef __wasm_simd128__
        /* else clang sees that these were words or bytes, and converts them one by one */
        __asm__("" : "+r"(x.i32_half[h]));
#endif
        r.f32_half[h] = __builtin_convertvector(x.i32_half[h], bvpi_f32x4);
    }
    return r.f32;
#endif
}

BVPI_INLINE f32x8 f32x8_from_u8(const uint8_t *p)
{
    return f32x8_from_i32(i32x8_from_u8(p));
}

/* ---- four floats ----------------------------------------------------------------------------- */

BVPI_INLINE bvpi_f32x4 f32x4_splat(float x)
{
    return (bvpi_f32x4){x, x, x, x};
}

BVPI_INLINE bvpi_i32x4 f32x4_lt(bvpi_f32x4 a, bvpi_f32x4 b)
{
    return a < b;
}

BVPI_INLINE bvpi_i32x4 f32x4_le(bvpi_f32x4 a, bvpi_f32x4 b)
{
    return a <= b;
}

BVPI_INLINE bvpi_i32x4 f32x4_gt(bvpi_f32x4 a, bvpi_f32x4 b)
{
    return b < a;
}

BVPI_INLINE bvpi_i32x4 f32x4_ge(bvpi_f32x4 a, bvpi_f32x4 b)
{
    return b <= a;
}

/* As f32x8_select, f32x8_min, f32x8_max and f32x8_sqrt. */
BVPI_INLINE bvpi_f32x4 f32x4_select(bvpi_i32x4 mask, bvpi_f32x4 yes, bvpi_f32x4 no)
{
#ifdef __aarch64__
    return (bvpi_f32x4)vbslq_f32((uint32x4_t)mask, (float32x4_t)yes, (float32x4_t)no);
#else
    return (bvpi_f32x4)(((bvpi_i32x4)yes & mask) | ((bvpi_i32x4)no & ~mask));
#endif
}

BVPI_INLINE bvpi_f32x4 f32x4_min(bvpi_f32x4 a, bvpi_f32x4 b)
{
#ifdef __SSE2__
    return (bvpi_f32x4)_mm_min_ps((__m128)a, (__m128)b);
#elif defined(__wasm_simd128__)
    return (bvpi_f32x4)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
#else
    return f32x4_select(a < b, a, b);
#endif
}

BVPI_INLINE bvpi_f32x4 f32x4_max(bvpi_f32x4 a, bvpi_f32x4 b)
{
#ifdef __SSE2__
    return (bvpi_f32x4)_mm_max_ps((__m128)a, (__m128)b);
#elif defined(__wasm_simd128__)
    return (bvpi_f32x4)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
#else
    return f32x4_select(a > b, a, b);
#endif
}

BVPI_INLINE bvpi_f32x4 f32x4_abs(bvpi_f32x4 a)
{
    return (bvpi_f32x4)((bvpi_i32x4)a & 0x7fffffff);
}

BVPI_INLINE bvpi_f32x4 f32x4_sqrt(bvpi_f32x4 a)
{
#ifdef __SSE2__
    return (bvpi_f32x4)_mm_sqrt_ps((__m128)a);
#elif defined(__wasm_simd128__)
    return (bvpi_f32x4)wasm_f32x4_sqrt((v128_t)a);
#elif defined(__aarch64__)
    return (bvpi_f32x4)vsqrtq_f32((float32x4_t)a);
#else
    for (int i = 0; i < 4; i++)
        a[i] = __builtin_sqrtf(a[i]);
    return a;
#endif
}

/* ---- comparisons: all bits of a lane set where true, false on NaN ---------------------------- */

BVPI_INLINE i32x8 f32x8_lt(f32x8 a, f32x8 b)
{
#ifdef __AVX2__
    return a < b;
#else
    bvpi_halves x = {.f32 = a}, y = {.f32 = b}, r;
    for (int h = 0; h < 2; h++)
        r.i32_half[h] = x.f32_half[h] < y.f32_half[h];
    return r.i32;
#endif
}

BVPI_INLINE i32x8 f32x8_le(f32x8 a, f32x8 b)
{
#ifdef __AVX2__
    return a <= b;
#else
    bvpi_halves x = {.f32 = a}, y = {.f32 = b}, r;
    for (int h = 0; h < 2; h++)
        r.i32_half[h] = x.f32_half[h] <= y.f32_half[h];
    return r.i32;
#endif
}

BVPI_INLINE i32x8 f32x8_eq(f32x8 a, f32x8 b)
{
#ifdef __AVX2__
    return a == b;
#else
    bvpi_halves x = {.f32 = a}, y = {.f32 = b}, r;
    for (int h = 0; h < 2; h++)
        r.i32_half[h] = x.f32_half[h] == y.f32_half[h];
    return r.i32;
#endif
}

BVPI_INLINE i32x8 f32x8_gt(f32x8 a, f32x8 b)
{
    return f32x8_lt(b, a);
}

BVPI_INLINE i32x8 f32x8_ge(f32x8 a, f32x8 b)
{
    return f32x8_le(b, a);
}

/* ---- selection, minimum, maximum ------------------------------------------------------------- */

/* Lane by lane: yes where the mask's bits are set, no where they are clear. Lanes of a mask are all
 * ones or all zeros. */
BVPI_INLINE f32x8 f32x8_select(i32x8 mask, f32x8 yes, f32x8 no)
{
#ifdef __AVX2__
    return (f32x8)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
#else
    bvpi_halves m = {.i32 = mask}, y = {.f32 = yes}, n = {.f32 = no}, r;
    for (int h = 0; h < 2; h++)
        r.f32_half[h] = f32x4_select(m.i32_half[h], y.f32_half[h], n.f32_half[h]);
    return r.f32;
#endif
}

BVPI_INLINE i32x8 i32x8_select(i32x8 mask, i32x8 yes, i32x8 no)
{
    return (i32x8)f32x8_select(mask, (f32x8)yes, (f32x8)no);
}

/* a < b ? a : b: b when either is NaN, b when they are zeros of either sign. */
BVPI_INLINE f32x8 f32x8_min(f32x8 a, f32x8 b)
{
#ifdef __AVX2__
    return (f32x8)_mm256_min_ps((__m256)a, (__m256)b);
#else
    bvpi_halves x = {.f32 = a}, y = {.f32 = b}, r;
    for (int h = 0; h < 2; h++)
        r.f32_half[h] = f32x4_min(x.f32_half[h], y.f32_half[h]);
    return r.f32;
#endif
}

/* a > b ? a : b, likewise. */
BVPI_INLINE f32x8 f32x8_max(f32x8 a, f32x8 b)
{
#ifdef __AVX2__
    return (f32x8)_mm256_max_ps((__m256)a, (__m256)b);
#else
    bvpi_halves x = {.f32 = a}, y = {.f32 = b}, r;
    for (int h = 0; h < 2; h++)
        r.f32_half[h] = f32x4_max(x.f32_half[h], y.f32_half[h]);
    return r.f32;
#endif
}

BVPI_INLINE f32x8 f32x8_abs(f32x8 a)
{
    return (f32x8)((i32x8)a & 0x7fffffff);
}

/* Correctly rounded. */
BVPI_INLINE f32x8 f32x8_sqrt(f32x8 a)
{
#ifdef __AVX2__
    return (f32x8)_mm256_sqrt_ps((__m256)a);
#else
    bvpi_halves x = {.f32 = a}, r;
    for (int h = 0; h < 2; h++)
        r.f32_half[h] = f32x4_sqrt(x.f32_half[h]);
    return r.f32;
#endif
}

/* The least of the eight; no lane may be NaN. Which of several zeros is the answer depends on the
 * order of comparisons: halves, pairs, lanes. */
BVPI_INLINE float f32x8_least(f32x8 a)
{
#ifdef __AVX2__
    bvpi_f32x4 m = (bvpi_f32x4)_mm_min_ps(_mm256_castps256_ps128((__m256)a),
                                          _mm256_extractf128_ps((__m256)a, 1));
#else
    bvpi_halves x = {.f32 = a};
    bvpi_f32x4 m = f32x4_min(x.f32_half[0], x.f32_half[1]);
#endif
#ifdef __SSE2__
    m = (bvpi_f32x4)_mm_min_ps((__m128)m, _mm_movehl_ps((__m128)m, (__m128)m));
    return _mm_cvtss_f32(_mm_min_ss((__m128)m, _mm_shuffle_ps((__m128)m, (__m128)m, 1)));
#else
    m = f32x4_min(m, (bvpi_f32x4){m[2], m[3], m[2], m[3]});
    return m[0] < m[1] ? m[0] : m[1];
#endif
}

#endif
