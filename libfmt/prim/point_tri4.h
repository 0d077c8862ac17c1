/* SPDX-License-Identifier: MIT
 * point_tri4.h: nearest points of four triangles side by side, in double: enough for nearly all.
 *
 * Where region_of.h errs, the interval is wide, and the lane goes to bvpi_point_tri_general().
 * Spec: exactness.md, chapter 8
 */
#ifndef BVPI_PRIM_POINT_TRI4_H
#define BVPI_PRIM_POINT_TRI4_H

#include "prim/point_tri.h"

/* Relative width of an interval that is narrow enough: below 1e-9. */
#define BVPI_GOOD_ENOUGH 0x1p-31

/* Nearest points relative to the point, and intervals of the distance, all scaled. good: all bits
 * are set if the interval is narrow enough. */
typedef struct bvpi_point_tri4 {
    f64x4 y[3], lo, hi;
    i64x4 good;
} bvpi_point_tri4;

#define V       f64x4
#define MASK    i64x4
#define OP(x)   f64x4_##x
#define NAME(x) x##4
#include "prim/region_of.h"
#undef V
#undef MASK
#undef OP
#undef NAME

/* The interval that a point y of the triangle proves (chapter 6). */
BVPI_INLINE void bvpi_bound4(bvpi_point_tri4 *out, f64x4 c[3][3], double eta)
{
    const f64x4 *y = out->y;
    f64x4 sum = f64x4_splat(0), err = sum, sizes = sum;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const f64x4 size =
            f64x4_max(f64x4_abs(c[0][x]), f64x4_max(f64x4_abs(c[1][x]), f64x4_abs(c[2][x])));
        sum += f64x4_abs(y[x]);
        err += f64x4_abs(y[x]) * size;
        sizes += size;
    }
    const f64x4 least =
        f64x4_min(bvpi_dot4(y, c[0]), f64x4_min(bvpi_dot4(y, c[1]), bvpi_dot4(y, c[2])));
    const f64x4 square = bvpi_dot4(y, y), length = f64x4_sqrt(square);
    const f64x4 gap = least - err * (13 * 0x1p-53) - sum * (eta * (2 + 0x1p-40));
    out->lo = gap / length * (1 - 0x1p-50);
    out->hi = length * (1 + 0x1p-49) + sizes * (17 * 0x1p-53) + eta * (4 + 0x1p-40);
    out->good = f64x4_gt(gap, f64x4_splat(0)) & f64x4_gt(square, f64x4_splat(0x1p-200)) &
                f64x4_le(out->hi - out->lo, out->hi * BVPI_GOOD_ENOUGH);
}

/* tri[3 * corner + axis], part coordinates. */
BVPI_INLINE void bvpi_point_tri4_init(bvpi_point_tri4 *out, const bvpi_point *point,
                                      const f64x4 tri[9])
{
    f64x4 c[3][3];
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const double *row = point->m + 4 * x, shift = row[3] - point->world[x];
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            c[k][x] =
                (tri[3 * k] * row[0] + tri[3 * k + 1] * row[1] + tri[3 * k + 2] * row[2] + shift) *
                point->scale;
    }
    bvpi_nearest_to_zero4(c, out->y);
    bvpi_bound4(out, c, point->eta);
}

/* The result of one lane; tri: its corners. */
static inline void bvpi_point_tri4_lane(const bvpi_point_tri4 *four, const bvpi_point *point,
                                        const float tri[9], unsigned lane, bvpi_point_tri *out)
{
    const double back = 1 / point->scale;
    if (four->good[lane] == 0) {
        bvpi_point_tri_general(point, tri, out);
        return;
    }
    out->lo = four->lo[lane] * back;
    out->hi = four->hi[lane] * back;
    for (int x = 0; x < 3; x++)
        out->point[x] = point->world[x] + four->y[x][lane] * back;
}

#endif
