/* SPDX-License-Identifier: MIT
 * simd_f64.h: four doubles at once, and their conversions from and to floats. Include base/simd.h.
 */
#ifndef BVPI_BASE_SIMD_F64_H
#define BVPI_BASE_SIMD_F64_H

#include "base/simd_f32.h"

/* fmax and fmin without a call; a, when one is not a number. */
BVPI_INLINE double bvpi_larger(double a, double b)
{
    return a < b ? b : a;
}

BVPI_INLINE double bvpi_smaller(double a, double b)
{
    return b < a ? b : a;
}

/* ---- loads, stores, constants ---------------------------------------------------------------- */

BVPI_INLINE f64x4 f64x4_splat(double x)
{
    return (f64x4){x, x, x, x};
}

BVPI_INLINE f64x4 f64x4_load(const double *p)
{
    f64x4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

BVPI_INLINE void f64x4_store(double *p, f64x4 v)
{
    memcpy(p, &v, sizeof v);
}

/* ---- conversions ----------------------------------------------------------------------------- */

BVPI_INLINE void f64x4_from_i32(i32x8 v, f64x4 out[2])
{
    const bvpi_halves x = {.i32 = v};
    for (int h = 0; h < 2; h++)
#ifdef __AVX2__
        out[h] = (f64x4)_mm256_cvtepi32_pd((__m128i)x.i32_half[h]);
#else
        out[h] = __builtin_convertvector(x.i32_half[h], f64x4);
#endif
}

/* Lanes 0..3, exactly. */
BVPI_INLINE f64x4 f64x4_from_low_i32(i32x8 v)
{
#ifdef __AVX2__
    return (f64x4)_mm256_cvtepi32_pd(_mm256_castsi256_si128((__m256i)v));
#elif defined(__wasm_simd128__)
    bvpi_halves x = {.i32 = v}, r;
    const v128_t low = (v128_t)x.i32_half[0];
    r.f64_half[0] = (bvpi_f64x2)wasm_f64x2_convert_low_i32x4(low);
    r.f64_half[1] =
        (bvpi_f64x2)wasm_f64x2_convert_low_i32x4(wasm_i32x4_shuffle(low, low, 2, 3, 2, 3));
    return r.f64;
#elif defined(__aarch64__)
    const bvpi_halves x = {.i32 = v};
    const int32x4_t low = (int32x4_t)x.i32_half[0];
    bvpi_halves r;
    r.f64_half[0] = (bvpi_f64x2)vcvtq_f64_s64(vmovl_s32(vget_low_s32(low)));
    r.f64_half[1] = (bvpi_f64x2)vcvtq_f64_s64(vmovl_high_s32(low));
    return r.f64;
#else
    return (f64x4){v[0], v[1], v[2], v[3]};
#endif
}

BVPI_INLINE f64x4 bvpi_f64x4_from_f32x4(bvpi_f32x4 v)
{
#ifdef __AVX2__
    return (f64x4)_mm256_cvtps_pd((__m128)v);
#elif defined(__SSE2__)
    bvpi_halves r;
    r.f64_half[0] = (bvpi_f64x2)_mm_cvtps_pd((__m128)v);
    r.f64_half[1] = (bvpi_f64x2)_mm_cvtps_pd(_mm_movehl_ps((__m128)v, (__m128)v));
    return r.f64;
#elif defined(__wasm_simd128__)
    const v128_t upper = wasm_i64x2_shuffle((v128_t)v, (v128_t)v, 1, 1);
    bvpi_halves r;
    r.f64_half[0] = (bvpi_f64x2)wasm_f64x2_promote_low_f32x4((v128_t)v);
    r.f64_half[1] = (bvpi_f64x2)wasm_f64x2_promote_low_f32x4(upper);
    return r.f64;
#else
    return __builtin_convertvector(v, f64x4);
#endif
}

BVPI_INLINE bvpi_f32x4 bvpi_f32x4_from_f64x4(f64x4 v)
{
#ifdef __AVX2__
    return (bvpi_f32x4)_mm256_cvtpd_ps((__m256d)v);
#elif defined(__SSE2__)
    bvpi_halves x = {.f64 = v};
    return (bvpi_f32x4)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)x.f64_half[0]),
                                     _mm_cvtpd_ps((__m128d)x.f64_half[1]));
#elif defined(__wasm_simd128__)
    bvpi_halves x = {.f64 = v};
    return (bvpi_f32x4)wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero((v128_t)x.f64_half[0]),
                                          wasm_f32x4_demote_f64x2_zero((v128_t)x.f64_half[1]), 0,
                                          2);
#else
    return __builtin_convertvector(v, bvpi_f32x4);
#endif
}

/* Lanes 0..3, exactly. */
BVPI_INLINE f64x4 f64x4_from_low(f32x8 v)
{
#ifdef __AVX2__
    return (f64x4)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)v));
#else
    bvpi_halves x = {.f32 = v};
    return bvpi_f64x4_from_f32x4(x.f32_half[0]);
#endif
}

/* Lanes 4..7, exactly. */
BVPI_INLINE f64x4 f64x4_from_high(f32x8 v)
{
#ifdef __AVX2__
    return (f64x4)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)v, 1));
#else
    bvpi_halves x = {.f32 = v};
    return bvpi_f64x4_from_f32x4(x.f32_half[1]);
#endif
}

/* Lanes 0..3 and 4..7, rounded to nearest. */
BVPI_INLINE f32x8 f32x8_from_f64(f64x4 low, f64x4 high)
{
#ifdef __AVX2__
    /* not through the union: gcc would store two halves and wait for them */
    return (f32x8)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)high), _mm256_cvtpd_ps((__m256d)low));
#else
    bvpi_halves r;
    r.f32_half[0] = bvpi_f32x4_from_f64x4(low);
    r.f32_half[1] = bvpi_f32x4_from_f64x4(high);
    return r.f32;
#endif
}

/* ---- comparisons: all bits of a lane set where true, false on NaN ---------------------------- */

BVPI_INLINE i64x4 f64x4_lt(f64x4 a, f64x4 b)
{
#ifdef __AVX2__
    return a < b;
#else
    bvpi_halves x = {.f64 = a}, y = {.f64 = b}, r;
    for (int h = 0; h < 2; h++)
        r.i64_half[h] = x.f64_half[h] < y.f64_half[h];
    return r.i64;
#endif
}

BVPI_INLINE i64x4 f64x4_le(f64x4 a, f64x4 b)
{
#ifdef __AVX2__
    return a <= b;
#else
    bvpi_halves x = {.f64 = a}, y = {.f64 = b}, r;
    for (int h = 0; h < 2; h++)
        r.i64_half[h] = x.f64_half[h] <= y.f64_half[h];
    return r.i64;
#endif
}

BVPI_INLINE i64x4 f64x4_gt(f64x4 a, f64x4 b)
{
    return f64x4_lt(b, a);
}

BVPI_INLINE i64x4 f64x4_ge(f64x4 a, f64x4 b)
{
    return f64x4_le(b, a);
}

/* ---- selection, minimum, maximum ------------------------------------------------------------- */

BVPI_INLINE f64x4 f64x4_select(i64x4 mask, f64x4 yes, f64x4 no)
{
    return (f64x4)f32x8_select((i32x8)mask, (f32x8)yes, (f32x8)no);
}

BVPI_INLINE f64x4 f64x4_min(f64x4 a, f64x4 b)
{
#ifdef __AVX2__
    return (f64x4)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    bvpi_halves x = {.f64 = a}, y = {.f64 = b}, r;
    for (int h = 0; h < 2; h++)
        r.f64_half[h] = (bvpi_f64x2)_mm_min_pd((__m128d)x.f64_half[h], (__m128d)y.f64_half[h]);
    return r.f64;
#elif defined(__wasm_simd128__)
    bvpi_halves x = {.f64 = a}, y = {.f64 = b}, r;
    for (int h = 0; h < 2; h++)
        r.f64_half[h] = (bvpi_f64x2)wasm_f64x2_pmin((v128_t)y.f64_half[h], (v128_t)x.f64_half[h]);
    return r.f64;
#else
    return f64x4_select(f64x4_lt(a, b), a, b);
#endif
}

BVPI_INLINE f64x4 f64x4_max(f64x4 a, f64x4 b)
{
#ifdef __AVX2__
    return (f64x4)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    bvpi_halves x = {.f64 = a}, y = {.f64 = b}, r;
    for (int h = 0; h < 2; h++)
        r.f64_half[h] = (bvpi_f64x2)_mm_max_pd((__m128d)x.f64_half[h], (__m128d)y.f64_half[h]);
    return r.f64;
#elif defined(__wasm_simd128__)
    bvpi_halves x = {.f64 = a}, y = {.f64 = b}, r;
    for (int h = 0; h < 2; h++)
        r.f64_half[h] = (bvpi_f64x2)wasm_f64x2_pmax((v128_t)y.f64_half[h], (v128_t)x.f64_half[h]);
    return r.f64;
#else
    return f64x4_select(f64x4_gt(a, b), a, b);
#endif
}

BVPI_INLINE f64x4 f64x4_abs(f64x4 a)
{
    return (f64x4)((i64x4)a & INT64_MAX);
}

/* Of lanes 0 .. 2, none of which is NaN. */
BVPI_INLINE double bvpi_largest3(f64x4 v)
{
    return bvpi_larger(v[0], bvpi_larger(v[1], v[2]));
}

BVPI_INLINE f64x4 f64x4_sqrt(f64x4 a)
{
#ifdef __AVX2__
    return (f64x4)_mm256_sqrt_pd((__m256d)a);
#elif defined(__SSE2__)
    bvpi_halves x = {.f64 = a}, r;
    for (int h = 0; h < 2; h++)
        r.f64_half[h] = (bvpi_f64x2)_mm_sqrt_pd((__m128d)x.f64_half[h]);
    return r.f64;
#elif defined(__wasm_simd128__)
    bvpi_halves x = {.f64 = a}, r;
    for (int h = 0; h < 2; h++)
        r.f64_half[h] = (bvpi_f64x2)wasm_f64x2_sqrt((v128_t)x.f64_half[h]);
    return r.f64;
#elif defined(__aarch64__)
    bvpi_halves x = {.f64 = a}, r;
    for (int h = 0; h < 2; h++)
        r.f64_half[h] = (bvpi_f64x2)vsqrtq_f64((float64x2_t)x.f64_half[h]);
    return r.f64;
#else
    f64x4 r;
    for (int i = 0; i < 4; i++)
        r[i] = __builtin_sqrt(a[i]);
    return r;
#endif
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Columns of a 3x4 matrix, given by its rows; the last lane of each is 0. */
BVPI_INLINE void f64x4_columns(const f64x4 rows[3], f64x4 columns[4])
{
#ifdef __AVX2__
    const __m256d zero = _mm256_setzero_pd(), x = (__m256d)rows[0], y = (__m256d)rows[1];
    const __m256d even = _mm256_unpacklo_pd(x, y), odd = _mm256_unpackhi_pd(x, y);
    const __m256d even_z = _mm256_unpacklo_pd((__m256d)rows[2], zero);
    const __m256d odd_z = _mm256_unpackhi_pd((__m256d)rows[2], zero);
    columns[0] = (f64x4)_mm256_permute2f128_pd(even, even_z, 0x20);
    columns[1] = (f64x4)_mm256_permute2f128_pd(odd, odd_z, 0x20);
    columns[2] = (f64x4)_mm256_permute2f128_pd(even, even_z, 0x31);
    columns[3] = (f64x4)_mm256_permute2f128_pd(odd, odd_z, 0x31);
#else
    for (int k = 0; k < 4; k++)
        columns[k] = (f64x4){rows[0][k], rows[1][k], rows[2][k], 0};
#endif
}

/* a1 a2 a0 a3 */
BVPI_INLINE f64x4 f64x4_turn(f64x4 a)
{
#ifdef __AVX2__
    return (f64x4)_mm256_permute4x64_pd((__m256d)a, 0xc9);
#else
    return (f64x4){a[1], a[2], a[0], a[3]};
#endif
}

/* The sums of each one's lanes: (0 + 1) + (2 + 3). */
BVPI_INLINE void f64x4_sums(f64x4 a, f64x4 b, double out[2])
{
#ifdef __AVX2__
    const __m256d pairs = _mm256_hadd_pd((__m256d)a, (__m256d)b);
    const __m128d sums = _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1));
    out[0] = _mm_cvtsd_f64(sums);
    out[1] = _mm_cvtsd_f64(_mm_unpackhi_pd(sums, sums));
#else
    out[0] = (a[0] + a[1]) + (a[2] + a[3]);
    out[1] = (b[0] + b[1]) + (b[2] + b[3]);
#endif
}

/* Lanes 0 .. 2 of a, then of b, next to one another. */
BVPI_INLINE void f64x4_store3_3(double *out, f64x4 a, f64x4 b)
{
#ifdef __AVX2__
    const __m256d turned = _mm256_permute4x64_pd((__m256d)b, 0x39); /* b1 b2 b3 b0 */
    _mm256_storeu_pd(out, _mm256_blend_pd((__m256d)a, turned, 8));
    _mm_storeu_pd(out + 4, _mm256_castpd256_pd128(turned));
#else
    for (int k = 0; k < 3; k++) {
        out[k] = a[k];
        out[3 + k] = b[k];
    }
#endif
}

#endif
