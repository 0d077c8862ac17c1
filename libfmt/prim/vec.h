/* SPDX-License-Identifier: MIT
 * vec.h: three-dimensional vectors, eight in floats (_f32) or four in doubles (_f64) side by side.
 */
#ifndef BVPI_PRIM_VEC_H
#define BVPI_PRIM_VEC_H

#include "base/simd.h"

/* VEC, MASK: vector types; OP(name): their operations; SPLAT(x): x in every lane; NAME(x): x with
 * the suffix of the instance. */
#define VEC      f32x8
#define MASK     i32x8
#define OP(name) f32x8_##name
#define SPLAT(x) f32x8_splat(x)
#define NAME(x)  x##_f32
#include "prim/vec_of.h"

#define VEC      f64x4
#define MASK     i64x4
#define OP(name) f64x4_##name
#define SPLAT(x) f64x4_splat(x)
#define NAME(x)  x##_f64
#include "prim/vec_of.h"

#endif
