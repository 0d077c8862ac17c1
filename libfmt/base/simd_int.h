/* SPDX-License-Identifier: MIT
 * simd_int.h: integers and masks, eight or four at once. Include base/simd.h.
 */
#ifndef BVPI_BASE_SIMD_INT_H
#define BVPI_BASE_SIMD_INT_H

#include "base/simd_types.h"

/* ---- loads, stores, constants ---------------------------------------------------------------- */

BVPI_INLINE i32x8 i32x8_splat(int32_t x)
{
    return (i32x8){x, x, x, x, x, x, x, x};
}

BVPI_INLINE u32x8 u32x8_splat(uint32_t x)
{
    return (u32x8){x, x, x, x, x, x, x, x};
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
#elif defined(__aarch64__)
    const bvpi_halves x = {.i32 = v};
    vst1_u8(p, vmovn_u16(vuzp1q_u16((uint16x8_t)x.i32_half[0], (uint16x8_t)x.i32_half[1])));
#else
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)v[i];
#endif
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
#elif defined(__aarch64__)
    const uint16x8_t words = vmovl_u8(vld1_u8(p));
    bvpi_halves r;
    r.i32_half[0] = (bvpi_i32x4)vmovl_u16(vget_low_u16(words));
    r.i32_half[1] = (bvpi_i32x4)vmovl_high_u16(words);
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
#elif defined(__aarch64__)
    const int16x8_t words = vld1q_s16(p);
    bvpi_halves r;
    r.i32_half[0] = (bvpi_i32x4)vmovl_s16(vget_low_s16(words));
    r.i32_half[1] = (bvpi_i32x4)vmovl_high_s16(words);
    return r.i32;
#else
    return (i32x8){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
#endif
}

/* ---- four floats ----------------------------------------------------------------------------- */

/* Bit i of the result is the top bit of lane i. */
BVPI_INLINE unsigned i32x4_movemask(bvpi_i32x4 mask)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_ps((__m128)mask);
#elif defined(__wasm_simd128__)
    return (unsigned)wasm_i32x4_bitmask((v128_t)mask);
#elif defined(__aarch64__)
    const uint32x4_t bit = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(vcltzq_s32((int32x4_t)mask), bit));
#else
    unsigned bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (mask[i] < 0 ? 1u : 0u) << i;
    return bits;
#endif
}

/* ---- comparisons: all bits of a lane set where true, false on NaN ---------------------------- */

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

/* ---- selection, minimum, maximum ------------------------------------------------------------- */

BVPI_INLINE bvpi_i32x4 bvpi_i32x4_min(bvpi_i32x4 a, bvpi_i32x4 b)
{
#ifdef __aarch64__
    return (bvpi_i32x4)vminq_s32((int32x4_t)a, (int32x4_t)b);
#else
    const bvpi_i32x4 less = a < b;
    return (a & less) | (b & ~less);
#endif
}

BVPI_INLINE bvpi_i32x4 bvpi_i32x4_max(bvpi_i32x4 a, bvpi_i32x4 b)
{
#ifdef __aarch64__
    return (bvpi_i32x4)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
#else
    return bvpi_i32x4_min(b, a) ^ a ^ b; /* the other one */
#endif
}

BVPI_INLINE i32x8 i32x8_min(i32x8 a, i32x8 b)
{
#ifdef __AVX2__
    return (i32x8)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    bvpi_halves x = {.i32 = a}, y = {.i32 = b}, r;
    for (int h = 0; h < 2; h++)
        r.i32_half[h] = bvpi_i32x4_min(x.i32_half[h], y.i32_half[h]);
    return r.i32;
#endif
}

BVPI_INLINE i32x8 i32x8_max(i32x8 a, i32x8 b)
{
#ifdef __AVX2__
    return (i32x8)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
    bvpi_halves x = {.i32 = a}, y = {.i32 = b}, r;
    for (int h = 0; h < 2; h++)
        r.i32_half[h] = bvpi_i32x4_max(x.i32_half[h], y.i32_half[h]);
    return r.i32;
#endif
}

/* ---- masks ----------------------------------------------------------------------------------- */

/* As i32x4_movemask. */
BVPI_INLINE unsigned i32x8_movemask(i32x8 mask)
{
#ifdef __AVX2__
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined(__aarch64__)
    /* the upper halves of all lanes hold their top bits */
    const bvpi_halves m = {.i32 = mask};
    const uint16x8_t bit = {1, 2, 4, 8, 16, 32, 64, 128};
    const int16x8_t tops = vuzp2q_s16((int16x8_t)m.i32_half[0], (int16x8_t)m.i32_half[1]);
    return vaddvq_u16(vandq_u16(vcltzq_s16(tops), bit));
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
#elif defined(__aarch64__)
    const bvpi_halves m = {.i64 = mask};
    return i32x4_movemask(
        (bvpi_i32x4)vuzp2q_s32((int32x4_t)m.i64_half[0], (int32x4_t)m.i64_half[1]));
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
