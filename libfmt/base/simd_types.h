/* SPDX-License-Identifier: MIT
 * simd_types.h: vectors of 32 and 16 bytes, and how functions on them are inlined. Include
 * base/simd.h.
 */
#ifndef BVPI_BASE_SIMD_TYPES_H
#define BVPI_BASE_SIMD_TYPES_H

#include <stdint.h>
#include <string.h>
#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h> /* compiled in a tenth of the time of immintrin.h */
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* These types are only ever passed to static functions: their ABI does not matter.
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

/* The processor shifts each lane by a number of its own, which SSE2 can't. */
#if defined(__AVX2__) || defined(__aarch64__)
#define BVPI_LANE_SHIFTS
#endif

typedef float f32x8 __attribute__((vector_size(32)));
typedef int32_t i32x8 __attribute__((vector_size(32)));
typedef uint32_t u32x8 __attribute__((vector_size(32)));
typedef double f64x4 __attribute__((vector_size(32)));
typedef int64_t i64x4 __attribute__((vector_size(32)));
typedef uint64_t u64x4 __attribute__((vector_size(32)));

/* The two 16-byte registers of SSE2 or NEON in a 32-byte vector; a union is what gcc optimises
 * best. */
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

#endif
