/* SPDX-License-Identifier: MIT
 * refit_volume.h: the payload of an oriented volume around a range, three axes at a time.
 *
 * Numbers are those of bvpi_oriented_local, bvpi_oriented_centre and bvpi_oriented_sizes to the
 * bit: the rules of the format are about these.
 *
 * Slow twins: bvpi_centre_encode and bvpi_size_code_over (oriented_set.h), to which
 * tests/property/test_refit_volume.c holds it.
 * Spec: format.md, chapter "Oriented volumes"
 */
#ifndef BVPI_REFIT_REFIT_VOLUME_H
#define BVPI_REFIT_REFIT_VOLUME_H

#include "base/simd.h"
#include "kinds/node/oriented_set.h"
#include "refit/refit.h"

#include <math.h>

/* Rows and columns of a volume's axes; the fourth lane of a column is 0, of a row another number.
 */
typedef struct volume_axes {
    f64x4 row[3], column[4];
} volume_axes;

BVPI_INLINE volume_axes volume_axes_of(const double axis[9])
{
    const f64x4 last = f64x4_load(axis + 5);
    volume_axes axes = {.row = {f64x4_load(axis), f64x4_load(axis + 3),
                                __builtin_shufflevector(last, last, 1, 2, 3, 3)}};
    f64x4_columns(axes.row, axes.column);
    return axes;
}

/* Three numbers and one that is not used. */
BVPI_INLINE f64x4 f64x3_load(const double *p)
{
    return (f64x4){p[0], p[1], p[2], 0};
}

/* A vector along the volume's axes. */
BVPI_INLINE f64x4 volume_local(const volume_axes *axes, f64x4 v)
{
    return axes->column[0] * v[0] + axes->column[1] * v[1] + axes->column[2] * v[2];
}

/* The steps of a centre that is `middle` away from the parent's, along the axes:
 * bvpi_centre_encode.
 */
BVPI_INLINE bvpi_i32x4 centre_steps(const volume_axes *axes, f64x4 middle, double reach)
{
    const f64x4 most = f64x4_splat(BVPI_CENTRE_MAX);
    const f64x4 offset =
        axes->row[0] * middle[0] + axes->row[1] * middle[1] + axes->row[2] * middle[2];
    f64x4 steps = f64x4_splat(0);
    if (reach > 0)
        steps = offset / reach * 0x1p14 + 0.5;
    steps = f64x4_min(f64x4_max(steps, -most), most);
    return __builtin_convertvector(bvpi_floor_lanes(steps), bvpi_i32x4);
}

/* The least codes whose sizes are not below size[0 .. 2]: bvpi_size_code_over. Returns the sizes. A
 * share of the reach mostly tells its rank by its own first bits; by roundings, where it is very
 * small, and from the last rank below one on, codes are found one by one. */
BVPI_INLINE f64x4 size_codes_over(f64x4 size, double reach, uint8_t code[3])
{
    const f64x4 share = size / reach;
    const i64x4 rank = (i64x4)((u64x4)share >> BVPI_RANK_SHIFT) - BVPI_RANK_BIAS + 1;
    const f64x4 own = (f64x4)((rank + BVPI_RANK_BIAS) << BVPI_RANK_SHIFT) * reach;
    const f64x4 less = (f64x4)((rank + BVPI_RANK_BIAS - 1) << BVPI_RANK_SHIFT) * reach;
    const i64x4 fits = f64x4_ge(share, f64x4_splat(0x1p-15)) &
                       f64x4_lt(share, f64x4_splat(31.0 / 32)) & f64x4_ge(own, size) &
                       f64x4_lt(less, size);
    if ((i64x4_movemask(fits) & 7) == 7) {
        const i64x4 codes = 240 - rank + 2 * (rank & 15); /* bvpi_size_code_of_rank below 240 */
        for (int k = 0; k < 3; k++)
            code[k] = (uint8_t)codes[k];
        return own;
    }
    f64x4 sizes = f64x4_splat(0);
    for (int k = 0; k < 3; k++) {
        code[k] = bvpi_size_code_over(size[k], reach);
        sizes[k] = bvpi_size_of_code(code[k]) * reach;
    }
    return sizes;
}

/* The payload behind the rotation of a volume with frame's axes, whose corners take up `range`
 * relative to frame's centre. Returns the volume. */
BVPI_INLINE bvpi_oriented volume_around(const bvpi_oriented *frame, const bvpi_range *range,
                                        const bvpi_oriented *parent, bool rss, double slack,
                                        uint8_t payload[BVPI_ORIENTED_PAYLOAD])
{
    const volume_axes axes = volume_axes_of(frame->axis);
    const f64x4 lo = f64x3_load(range->lo), hi = f64x3_load(range->hi);
    const f64x4 from = f64x3_load(frame->centre), above = f64x3_load(parent->centre);
    const f64x4 middle = (lo + hi) / 2 - volume_local(&axes, above - from);
    const bvpi_i32x4 steps = centre_steps(&axes, middle, parent->reach);
    const f64x4 centre = above + __builtin_convertvector(steps, f64x4) * 0x1p-14 * parent->reach;
    const f64x4 at = volume_local(&axes, centre - from);
    f64x4 half = f64x4_max(hi - at, at - lo) + slack;
    /* the ball reaches from the rectangle's new height as far as from the one it was chosen for */
    if (rss)
        half[2] = (hi[2] - lo[2]) / 2 + fabs((lo[2] + hi[2]) / 2 - at[2]) + slack;
    const f64x4 size = size_codes_over(half, parent->reach, payload + 10);
    bvpi_oriented volume = *frame;
    for (int k = 0; k < 3; k++) {
        const int16_t field = (int16_t)steps[k];
        memcpy(payload + 4 + 2 * k, &field, sizeof field);
        volume.centre[k] = centre[k];
        volume.size[k] = size[k];
    }
    volume.reach = size[0] + size[1] + size[2];
    return volume;
}

#endif
