/* SPDX-License-Identifier: MIT
 * place_box.h: the box of a placed body, its three axes at once, or of four bodies on one axis.
 *
 * The image of centre - half .. centre + half on an axis: its middle is the image of the centre,
 * half its length the sum of |entry| half. That is without a comparison: which corner is extreme
 * follows no pattern, and a processor guesses it wrong half of the time.
 *
 * Held by tests/property/test_broad_boxes.c, in exact arithmetic.
 * Spec: exactness.md, chapter 10, "Boxes of moving bodies"
 */
#ifndef BVPI_BROAD_PLACE_BOX_H
#define BVPI_BROAD_PLACE_BOX_H

#include <stdbool.h>

#include "base/simd.h"
#include "broad/body_bounds.h"

/* An axis in each lane; the last lane is 0. */
BVPI_INLINE void bvpi_place_columns(const double m[12], f64x4 columns[4])
{
    const f64x4 rows[3] = {f64x4_load(m), f64x4_load(m + 4), f64x4_load(m + 8)};
    f64x4_columns(rows, columns);
}

/* A box grown by `more`: the subtraction errs by at most 2^-53 of what it subtracts from and what
 * it subtracts. */
BVPI_INLINE void bvpi_grow_box(f64x4 more, f64x4 *lo, f64x4 *hi)
{
    *lo = *lo - more - (f64x4_abs(*lo) + more) * 0x1p-51;
    *hi = *hi + more + (f64x4_abs(*hi) + more) * 0x1p-51;
}

/* Around the images of centre[k] - half[k] .. centre[k] + half[k]; entries: of the placement, the
 * translation last. A lane is an axis of one body, or a body: the results are the same. With u =
 * 2^-53 and `terms` the sum of the magnitudes: the middle errs by 4 u of them, its half by 3 u,
 * their sum and the last subtraction by u each; 16 u are taken off, and more than underflow
 * loses. */
BVPI_INLINE void bvpi_place_ends(const f64x4 entries[4], const f64x4 centre[3], const f64x4 half[3],
                                 f64x4 *lo, f64x4 *hi)
{
    f64x4 middle = entries[3], sum = {0, 0, 0, 0}, terms = f64x4_abs(entries[3]);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        const f64x4 at = entries[k] * centre[k], size = f64x4_abs(entries[k]) * half[k];
        middle += at;
        sum += size;
        terms += f64x4_abs(at) + size;
    }
    const f64x4 margin = terms * 0x1p-49 + 0x1p-900;
    *lo = middle - sum - margin;
    *hi = middle + sum + margin;
}

/* The world box of a body that is not empty, rounded outward; the last lane says nothing. */
BVPI_INLINE void bvpi_place_box(const bvpi_body_box *box, const f64x4 columns[4], f64x4 *lo,
                                f64x4 *hi)
{
    f64x4 centre[3], half[3];
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        centre[k] = f64x4_splat(box->centre[k]);
        half[k] = f64x4_splat(box->half[k]);
    }
    bvpi_place_ends(columns, centre, half, lo, hi);
}

/* Grows it by `grow`, and an assembly's also by its slack; NULL: none. */
BVPI_INLINE void bvpi_place_more(const double *slack, const f64x4 columns[4], double grow,
                                 f64x4 *lo, f64x4 *hi)
{
    f64x4 more = f64x4_splat(grow);
    if (slack != NULL)
        more += f64x4_abs(columns[0]) * slack[0] + f64x4_abs(columns[1]) * slack[1] +
                f64x4_abs(columns[2]) * slack[2] + f64x4_abs(columns[3]) * 0x1p-51;
    if (slack != NULL || grow > 0)
        bvpi_grow_box(more, lo, hi);
}

/* Lanes whose ends are in reach; NaN is not. */
BVPI_INLINE i64x4 bvpi_ends_in_reach(f64x4 lo, f64x4 hi)
{
    return f64x4_le(f64x4_splat(-BVPI_BROAD_FARTHEST), lo) &
           f64x4_le(hi, f64x4_splat(BVPI_BROAD_FARTHEST));
}

/* Of the three axes of one body. */
BVPI_INLINE bool bvpi_is_in_reach(f64x4 lo, f64x4 hi)
{
    return (i64x4_movemask(bvpi_ends_in_reach(lo, hi)) & 7) == 7;
}

#endif
