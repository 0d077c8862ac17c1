/* SPDX-License-Identifier: MIT
 * simd.h: eight floats (or four doubles) at once, by gcc/clang vector extensions.
 *
 * Add, multiply and bit operations are the plain operators; comparisons, minimum, maximum and
 * selection are functions, because gcc takes 32-byte ones apart into scalars on SSE2.
 * Every function answers bit for bit the same on every instruction set, NaN and -0 included.
 */
#ifndef BVPI_BASE_SIMD_H
#define BVPI_BASE_SIMD_H

#include "base/simd_f32.h"
#include "base/simd_f64.h"
#include "base/simd_int.h"
#include "base/simd_types.h"

#endif
