/* SPDX-License-Identifier: MIT
 * fat_box.h: a box that a body may move in for a while, before anything has to be searched anew.
 *
 * Fat boxes that do not meet prove that the bodies' boxes do not, as long as both bodies are in
 * theirs. A side that moves outward gets more room than one that moves inward. How fat they are
 * decides how fast a broad phase is, never what it finds.
 *
 * Based on: Verlet, "Computer experiments on classical fluids", 1967 (lists of near pairs).
 * Measured: decisions.md, "Many moving bodies"
 */
#ifndef BVPI_BROAD_FAT_BOX_H
#define BVPI_BROAD_FAT_BOX_H

#include <stdint.h>

#include "base/simd.h"
#include "broad/body_bounds.h"
#include "prim/place_bounds.h"

/* 32 bytes, which a kernel loads at once. */
typedef struct bvpi_fat_box {
    float lo[3], unused, hi[3], unused_too;
} bvpi_fat_box;

/* The box that a fat one was made around. */
typedef struct bvpi_fat_origin {
    float lo[3];   /* about */
    uint32_t made; /* at which step */
    float hi[3], unused;
} bvpi_fat_origin;

#define BVPI_FAT_MOST  4    /* longest sides of the box: as far as a side may be ahead */
#define BVPI_FAT_SPARE 0.25 /* of the way ahead: for a body that turns, or goes another way */

/* Around a box in reach, of which the last lanes say nothing, each side farther outward by
 * `ahead` >= 0, and by more than the rounding to floats, which is below 2^-24 of the number and
 * 2^-149. It is in reach itself, so that whatever is in it is. */
BVPI_INLINE void bvpi_fat_box_make(f64x4 lo, f64x4 hi, f64x4 ahead_lo, f64x4 ahead_hi,
                                   bvpi_fat_box *out)
{
    lo -= ahead_lo;
    hi += ahead_hi;
    lo -= f64x4_abs(lo) * 0x1p-22 + 0x1p-140;
    hi += f64x4_abs(hi) * 0x1p-22 + 0x1p-140;
    lo = f64x4_max(lo, f64x4_splat(-BVPI_BROAD_FARTHEST));
    hi = f64x4_min(hi, f64x4_splat(BVPI_BROAD_FARTHEST));
    f32x8_store((float *)out, f32x8_from_f64(lo, hi));
}

BVPI_INLINE void bvpi_fat_load(const bvpi_bounds *box, f64x4 *lo, f64x4 *hi)
{
    const f64x4 last = f64x4_load(&box->lo[2]);
    *lo = f64x4_load(box->lo);
    *hi = __builtin_shufflevector(last, last, 1, 2, 3, 3);
}

BVPI_INLINE void bvpi_fat_origin_note(f64x4 lo, f64x4 hi, uint32_t step, bvpi_fat_origin *out)
{
    f32x8_store((float *)out, f32x8_from_f64(lo, hi));
    out->made = step;
}

/* A tight one, of a body that has not been seen before. */
BVPI_INLINE void bvpi_fat_box_begin(const bvpi_bounds *box, uint32_t step, bvpi_fat_origin *origin,
                                    bvpi_fat_box *fat)
{
    f64x4 lo, hi;
    const f64x4 ahead = {0, 0, 0, 0};
    bvpi_fat_load(box, &lo, &hi);
    bvpi_fat_box_make(lo, hi, ahead, ahead, fat);
    bvpi_fat_origin_note(lo, hi, step, origin);
}

/* Makes it anew where the body is now, so that each side may go on as it has since it was made last
 * for `reach` steps. A body that would be ahead by more than the most in one step gets a tight
 * one. */
BVPI_INLINE void bvpi_fat_box_renew(const bvpi_bounds *box, uint32_t reach, uint32_t step,
                                    bvpi_fat_origin *origin, bvpi_fat_box *fat)
{
    f64x4 lo, hi;
    const f32x8 old = f32x8_load((const float *)origin);
    const f64x4 none = {0, 0, 0, 0};
    bvpi_fat_load(box, &lo, &hi);
    const f64x4 way_lo = f64x4_from_low(old) - lo, way_hi = hi - f64x4_from_high(old);
    const double way = bvpi_largest3(f64x4_max(f64x4_abs(way_lo), f64x4_abs(way_hi)));
    const double most = BVPI_FAT_MOST * bvpi_largest3(hi - lo);
    const double steps = step - origin->made > 1 ? (double)(step - origin->made) : 1;
    double scale = (double)reach / steps;
    if (way * scale > most)
        scale = way <= most * steps ? most / way : 0;
    const f64x4 spare = f64x4_splat(way * BVPI_FAT_SPARE);
    bvpi_fat_box_make(lo, hi, (f64x4_max(way_lo, none) + spare) * scale,
                      (f64x4_max(way_hi, none) + spare) * scale, fat);
    bvpi_fat_origin_note(lo, hi, step, origin);
}

#endif
