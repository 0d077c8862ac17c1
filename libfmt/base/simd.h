/* SPDX-License-Identifier: MIT
 * simd.h: eight floats (or four doubles) at once, by gcc/clang vector extensions.
 *
 * Add, multiply and bit operations are the plain operators; comparisons, minimum, maximum and
 * selection are functions, because gcc takes 32-byte ones apart into scalars on SSE2.
 * Every function answers bit for bit the same on every instruction set, NaN and -0 included.
 */
#ifndef BVPI_BASE_SIMD_H
#define BVPI_BASE_SIMD_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

/* These types are only ever passed to functions that are inlined: their ABI does not matter.
 * (gcc prints one note in spite of this; -Wno-psabi silences it.) */
#pragma GCC diagnostic ignored "-Wpsabi"

/* Inlined, but with sanitizers (BVPI_OUTLINE): one copy of a function is checked as well as many,
 * and kernels compile in a third of the time. decisions.md, "The time of the tests". */
#ifdef BVPI_OUTLINE
#define BVPI_INLINE static inline __attribute__((unused))
#else
#define BVPI_INLINE static inline __attribute__((always_inline, unused))
#endif

/* Of what is long: inlined, too, but where code shall be small (BVPI_SMALL) the compiler may keep
 * one copy. decisions.md, "In the browser". */
#ifdef BVPI_SMALL
#define BVPI_INLINE_LONG static inline __attribute__((unused))
#else
#define BVPI_INLINE_LONG BVPI_INLINE
#endif

/* Before a loop of few rounds over vectors: keeps small arrays of them in registers, with constant
 * subscripts. clang does so by itself, gcc only at -O3 (27 against 20 ns for a pair of triangles).
 * On SSE2 it doubles a kernel's text and takes off an eighth of its instructions: kernels that
 * define BVPI_COMPACT do without there. */
#if defined(__clang__) || (defined(BVPI_COMPACT) && defined(__SSE2__) && !defined(__AVX2__))
#define BVPI_UNROLL
#else
#define BVPI_UNROLL _Pragma("GCC unroll 9")
#endif

typedef float f32x8 __attribute__((vector_size(32)));
typedef int32_t i32x8 __attribute__((vector_size(32)));
typedef uint32_t u32x8 __attribute__((vector_size(32)));
typedef double f64x4 __attribute__((vector_size(32)));
typedef int64_t i64x4 __attribute__((vector_size(32)));
typedef uint64_t u64x4 __attribute__((vector_size(32)));

/* The two 16-byte registers of SSE2 in a 32-byte vector; a union is what gcc optimises best. */
typedef float bvpi_f32x4 __attribute__((vector_size(16)));
typedef int32_t bvpi_i32x4 __attribute__((vector_size(16)));
typedef double bvpi_f64x2 __attribute__((vector_size(16)));
typedef int64_t bvpi_i64x2 __attribute__((vector_size(16)));
typedef union bvpi_halves {
    f32x8 f32;
    i32x8 i32;
    f64x4 f64;
    i64x4 i64;
    bvpi_f32x4 f32_half[2];
    bvpi_i32x4 i32_half[2];
    bvpi_f64x2 f64_half[2];
    bvpi_i64x2 i64_half[2];
} bvpi_halves;

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

BVPI_INLINE f32x8 f32x8_splat(float x)
{
    return (f32x8){x, x, x, x, x, x, x, x};
}

BVPI_INLINE i32x8 i32x8_splat(int32_t x)
{
    return (i32x8){x, x, x, x, x, x, x, x};
}

BVPI_INLINE u32x8 u32x8_splat(uint32_t x)
{
    return (u32x8){x, x, x, x, x, x, x, x};
}

BVPI_INLINE f64x4 f64x4_splat(double x)
{
    return (f64x4){x, x, x, x};
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

BVPI_INLINE i32x8 i32x8_load(const int32_t *p)
{
    i32x8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

BVPI_INLINE void i32x8_store(int32_t *p, i32x8 v)
{
    memcpy(p, &v, sizeof v);
}

BVPI_INLINE u32x8 u32x8_load(const uint32_t *p)
{
    u32x8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

BVPI_INLINE void u32x8_store(uint32_t *p, u32x8 v)
{
    memcpy(p, &v, sizeof v);
}

/* Lanes from 0 to 255, as bytes. */
BVPI_INLINE void i32x8_store_u8(uint8_t *p, i32x8 v)
{
#ifdef __SSE2__
    const bvpi_halves x = {.i32 = v};
    const __m128i words = _mm_packs_epi32((__m128i)x.i32_half[0], (__m128i)x.i32_half[1]);
    _mm_storel_epi64((__m128i *)(void *)p, _mm_packus_epi16(words, words));
#elif defined(__wasm_simd128__)
    const bvpi_halves x = {.i32 = v};
    const v128_t words = wasm_i16x8_narrow_i32x4((v128_t)x.i32_half[0], (v128_t)x.i32_half[1]);
    wasm_v128_store64_lane(p, wasm_u8x16_narrow_i16x8(words, words), 0);
#else
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)v[i];
#endif
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

/* Eight bytes, widened. */
BVPI_INLINE i32x8 i32x8_from_u8(const uint8_t *p)
{
#ifdef __AVX2__
    return (i32x8)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p));
#elif defined(__SSE2__)
    __m128i zero = _mm_setzero_si128();
    __m128i words = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)p), zero);
    bvpi_halves r;
    r.i32_half[0] = (bvpi_i32x4)_mm_unpacklo_epi16(words, zero);
    r.i32_half[1] = (bvpi_i32x4)_mm_unpackhi_epi16(words, zero);
    return r.i32;
#elif defined(__wasm_simd128__)
    const v128_t words = wasm_u16x8_load8x8(p);
    bvpi_halves r;
    r.i32_half[0] = (bvpi_i32x4)wasm_u32x4_extend_low_u16x8(words);
    r.i32_half[1] = (bvpi_i32x4)wasm_u32x4_extend_high_u16x8(words);
    return r.i32;
#else
    return (i32x8){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
#endif
}

/* Eight signed numbers of 16 bits, widened. */
BVPI_INLINE i32x8 i32x8_from_i16(const int16_t *p)
{
#ifdef __AVX2__
    return (i32x8)_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p));
#elif defined(__SSE2__)
    const __m128i words = _mm_loadu_si128((const __m128i *)p);
    bvpi_halves r;
    r.i32_half[0] = (bvpi_i32x4)_mm_srai_epi32(_mm_unpacklo_epi16(words, words), 16);
    r.i32_half[1] = (bvpi_i32x4)_mm_srai_epi32(_mm_unpackhi_epi16(words, words), 16);
    return r.i32;
#elif defined(__wasm_simd128__)
    const v128_t words = wasm_v128_load(p);
    bvpi_halves r;
    r.i32_half[0] = (bvpi_i32x4)wasm_i32x4_extend_low_i16x8(words);
    r.i32_half[1] = (bvpi_i32x4)wasm_i32x4_extend_high_i16x8(words);
    return r.i32;
#else
    return (i32x8){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
#endif
}

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

BVPI_INLINE f32x8 f32x8_from_u8(const uint8_t *p)
{
    return f32x8_from_i32(i32x8_from_u8(p));
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
    return (bvpi_f32x4)(((bvpi_i32x4)yes & mask) | ((bvpi_i32x4)no & ~mask));
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
#else
    for (int i = 0; i < 4; i++)
        a[i] = __builtin_sqrtf(a[i]);
    return a;
#endif
}

/* Bit i of the result is the top bit of lane i. */
BVPI_INLINE unsigned i32x4_movemask(bvpi_i32x4 mask)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_ps((__m128)mask);
#elif defined(__wasm_simd128__)
    return (unsigned)wasm_i32x4_bitmask((v128_t)mask);
#else
    unsigned bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (mask[i] < 0 ? 1u : 0u) << i;
    return bits;
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

BVPI_INLINE i32x8 i32x8_lt(i32x8 a, i32x8 b)
{
#ifdef __AVX2__
    return a < b;
#else
    bvpi_halves x = {.i32 = a}, y = {.i32 = b}, r;
    for (int h = 0; h < 2; h++)
        r.i32_half[h] = x.i32_half[h] < y.i32_half[h];
    return r.i32;
#endif
}

BVPI_INLINE i32x8 i32x8_eq(i32x8 a, i32x8 b)
{
#ifdef __AVX2__
    return a == b;
#else
    bvpi_halves x = {.i32 = a}, y = {.i32 = b}, r;
    for (int h = 0; h < 2; h++)
        r.i32_half[h] = x.i32_half[h] == y.i32_half[h];
    return r.i32;
#endif
}

BVPI_INLINE i32x8 i32x8_gt(i32x8 a, i32x8 b)
{
    return i32x8_lt(b, a);
}

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

BVPI_INLINE f64x4 f64x4_select(i64x4 mask, f64x4 yes, f64x4 no)
{
    return (f64x4)f32x8_select((i32x8)mask, (f32x8)yes, (f32x8)no);
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

BVPI_INLINE bvpi_i32x4 bvpi_i32x4_min(bvpi_i32x4 a, bvpi_i32x4 b)
{
    const bvpi_i32x4 less = a < b;
    return (a & less) | (b & ~less);
}

BVPI_INLINE bvpi_i32x4 bvpi_i32x4_max(bvpi_i32x4 a, bvpi_i32x4 b)
{
    return bvpi_i32x4_min(b, a) ^ a ^ b; /* the other one */
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

BVPI_INLINE f32x8 f32x8_abs(f32x8 a)
{
    return (f32x8)((i32x8)a & 0x7fffffff);
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
#else
    f64x4 r;
    for (int i = 0; i < 4; i++)
        r[i] = __builtin_sqrt(a[i]);
    return r;
#endif
}

/* The least of the eight; no lane may be NaN. */
BVPI_INLINE float f32x8_least(f32x8 a)
{
#ifdef __SSE2__
#ifdef __AVX2__
    __m128 m = _mm_min_ps(_mm256_castps256_ps128((__m256)a), _mm256_extractf128_ps((__m256)a, 1));
#else
    bvpi_halves x = {.f32 = a};
    __m128 m = _mm_min_ps((__m128)x.f32_half[0], (__m128)x.f32_half[1]);
#endif
    m = _mm_min_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_min_ss(m, _mm_shuffle_ps(m, m, 1)));
#elif defined(__wasm_simd128__)
    bvpi_halves x = {.f32 = a};
    v128_t m = wasm_f32x4_pmin((v128_t)x.f32_half[0], (v128_t)x.f32_half[1]);
    m = wasm_f32x4_pmin(m, wasm_i32x4_shuffle(m, m, 2, 3, 0, 1));
    m = wasm_f32x4_pmin(m, wasm_i32x4_shuffle(m, m, 1, 0, 3, 2));
    return wasm_f32x4_extract_lane(m, 0);
#else
    float least = a[0];
    for (int i = 1; i < 8; i++)
        least = a[i] < least ? a[i] : least;
    return least;
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

/* ---- masks ----------------------------------------------------------------------------------- */

/* As i32x4_movemask. */
BVPI_INLINE unsigned i32x8_movemask(i32x8 mask)
{
#ifdef __AVX2__
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#else
    const bvpi_halves m = {.i32 = mask};
    return i32x4_movemask(m.i32_half[0]) | i32x4_movemask(m.i32_half[1]) << 4;
#endif
}

BVPI_INLINE unsigned i64x4_movemask(i64x4 mask)
{
#ifdef __AVX2__
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#elif defined(__SSE2__)
    bvpi_halves m = {.i64 = mask};
    return (unsigned)_mm_movemask_pd((__m128d)m.i64_half[0]) |
           (unsigned)_mm_movemask_pd((__m128d)m.i64_half[1]) << 2;
#elif defined(__wasm_simd128__)
    bvpi_halves m = {.i64 = mask};
    return (unsigned)wasm_i64x2_bitmask((v128_t)m.i64_half[0]) |
           (unsigned)wasm_i64x2_bitmask((v128_t)m.i64_half[1]) << 2;
#else
    unsigned bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (mask[i] < 0 ? 1u : 0u) << i;
    return bits;
#endif
}

/* The lowest set bit's number; bits != 0. */
BVPI_INLINE unsigned bvpi_lowest_bit(unsigned bits)
{
    return (unsigned)__builtin_ctz(bits);
}

BVPI_INLINE unsigned bvpi_popcount(unsigned bits)
{
    return (unsigned)__builtin_popcount(bits);
}

#endif
