/* SPDX-License-Identifier: MIT
 * point_tri4.h: nearest points of four triangles side by side, in double: enough for nearly all.
 *
 * Which region of the plane the point's foot is in names the nearest feature. The signs that choose
 * the region are not certified: any region yields a point of the triangle, and the interval proved
 * from it is wide if the region was wrong. Then the lane goes to bvpi_point_tri_general().
 * Spec: exactness.md, chapter 8
 * Based on: Ericson, Real-Time Collision Detection, 2004, 5.1.5.
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

BVPI_INLINE f64x4 bvpi_dot4(const f64x4 a[3], const f64x4 b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The triangle's point nearest to the origin: numerators and denominator of its coordinates along
 * the edges from corner 0. d[k]: products of both edges with minus corner k. Later selections
 * override earlier ones. */
BVPI_INLINE void bvpi_region4(f64x4 d[3][2], f64x4 *s, f64x4 *r, f64x4 *sum)
{
    const f64x4 zero = f64x4_splat(0), one = f64x4_splat(1);
    const f64x4 along = d[1][1] - d[1][0], back = d[2][0] - d[2][1];
    const f64x4 va = d[1][0] * d[2][1] - d[2][0] * d[1][1];
    const f64x4 vb = d[2][0] * d[0][1] - d[0][0] * d[2][1];
    const f64x4 vc = d[0][0] * d[1][1] - d[1][0] * d[0][1];
    i64x4 in = f64x4_gt(va, zero) & f64x4_gt(vb, zero) & f64x4_gt(vc, zero);
    *s = f64x4_select(in, vb, zero);
    *r = f64x4_select(in, vc, zero);
    *sum = f64x4_select(in, va + vb + vc, one);
    in = f64x4_le(va, zero) & f64x4_ge(along, zero) & f64x4_ge(back, zero) &
         f64x4_gt(along + back, zero);
    *s = f64x4_select(in, back, *s);
    *r = f64x4_select(in, along, *r);
    *sum = f64x4_select(in, along + back, *sum);
    in = f64x4_le(vb, zero) & f64x4_gt(d[0][1], zero) & f64x4_lt(d[2][1], zero);
    *s = f64x4_select(in, zero, *s);
    *r = f64x4_select(in, d[0][1], *r);
    *sum = f64x4_select(in, d[0][1] - d[2][1], *sum);
    in = f64x4_le(vc, zero) & f64x4_gt(d[0][0], zero) & f64x4_lt(d[1][0], zero);
    *s = f64x4_select(in, d[0][0], *s);
    *r = f64x4_select(in, zero, *r);
    *sum = f64x4_select(in, d[0][0] - d[1][0], *sum);
    const i64x4 at_2 = f64x4_ge(d[2][1], zero) & f64x4_le(back, zero);
    const i64x4 at_1 = f64x4_ge(d[1][0], zero) & f64x4_le(along, zero);
    const i64x4 at_0 = f64x4_le(d[0][0], zero) & f64x4_le(d[0][1], zero);
    *r = f64x4_select(at_2, one, *r);
    *s = f64x4_select(at_1, one, f64x4_select(at_2, zero, *s));
    *r = f64x4_select(at_1 | at_0, zero, *r);
    *s = f64x4_select(at_0, zero, *s);
    *sum = f64x4_select(at_0 | at_1 | at_2, one, *sum);
}

/* The interval that a point y of the triangle proves (chapter 6). With M the largest coordinate of
 * a corner, y errs by at most 14 u M: two each for the edges, their multiples and the sums, eight
 * for the multiples' sum beyond 1. */
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
    f64x4 c[3][3], e[3], f[3], d[3][2], s, r, sum;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const double *row = point->m + 4 * x, shift = row[3] - point->world[x];
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            c[k][x] =
                (tri[3 * k] * row[0] + tri[3 * k + 1] * row[1] + tri[3 * k + 2] * row[2] + shift) *
                point->scale;
        e[x] = c[1][x] - c[0][x];
        f[x] = c[2][x] - c[0][x];
    }
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        d[k][0] = -bvpi_dot4(e, c[k]);
        d[k][1] = -bvpi_dot4(f, c[k]);
    }
    bvpi_region4(d, &s, &r, &sum);
    s /= sum;
    r /= sum;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        out->y[x] = c[0][x] + s * e[x] + r * f[x];
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
