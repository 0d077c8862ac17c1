/* SPDX-License-Identifier: MIT
 * nearest8.h: nearest points of the edges, corners and faces of eight pairs of triangles, in float.
 * Spec: exactness.md, chapter 6
 */
#ifndef BVPI_PRIM_NEAREST8_H
#define BVPI_PRIM_NEAREST8_H

#include "prim/vec.h"

BVPI_INLINE_LONG f32x8 bvpi_clamp01(f32x8 x)
{
    return f32x8_min(f32x8_max(x, f32x8_splat(0)), f32x8_splat(1));
}

/* The shortest connection so far. */
typedef struct bvpi_shortest {
    f32x8 v[3], length_sq;
} bvpi_shortest;

BVPI_INLINE_LONG void bvpi_shortest_offer(bvpi_shortest *best, const f32x8 v[3], i32x8 valid)
{
    f32x8 d = dot_f32(v, v);
    i32x8 better = f32x8_lt(d, best->length_sq) & valid;
    best->length_sq = f32x8_select(better, d, best->length_sq);
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        best->v[x] = f32x8_select(better, v[x], best->v[x]);
}

/* A triangle's corners, its edges from each corner to the next, and 1 / their squared lengths. */
typedef struct bvpi_edges8 {
    f32x8 corner[3][3], edge[3][3], length_sq[3], inverse[3];
} bvpi_edges8;

BVPI_INLINE_LONG void bvpi_edges8_init(bvpi_edges8 *out, const f32x8 e01[3], const f32x8 e12[3],
                                       const f32x8 e02[3])
{
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        out->edge[0][x] = e01[x];
        out->edge[1][x] = e12[x];
        out->edge[2][x] = -e02[x];
    }
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        out->length_sq[k] = dot_f32(out->edge[k], out->edge[k]);
        out->inverse[k] = f32x8_splat(1) / f32x8_max(out->length_sq[k], f32x8_splat(0x1p-100f));
    }
}

/* Edge i of a and edge j of b: the lines' nearest points, clamped to the edges, then each projected
 * onto the other. */
BVPI_INLINE_LONG void bvpi_offer_edges8(bvpi_shortest *best, const bvpi_edges8 *a,
                                        const bvpi_edges8 *b, int i, int j)
{
    f32x8 w[3], v[3];
    const f32x8 *e = a->edge[i], *f = b->edge[j];
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        w[x] = b->corner[j][x] - a->corner[i][x];
    f32x8 ee = a->length_sq[i], ff = b->length_sq[j];
    f32x8 ef = dot_f32(e, f), ew = dot_f32(e, w), fw = dot_f32(f, w);
    f32x8 least = ee * ff * f32x8_splat(0x1p-22f) + f32x8_splat(0x1p-100f);
    f32x8 s = bvpi_clamp01((ew * ff - ef * fw) / f32x8_max(ee * ff - ef * ef, least));
    f32x8 t = bvpi_clamp01((ef * s - fw) * b->inverse[j]);
    s = bvpi_clamp01((ef * t + ew) * a->inverse[i]);
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        v[x] = w[x] + f[x] * t - e[x] * s;
    bvpi_shortest_offer(best, v, i32x8_splat(-1));
}

/* A corner q and the face of t, if q's foot lies inside. sign: 1 if t belongs to A, -1 if to B. */
BVPI_INLINE_LONG void bvpi_offer_face8(bvpi_shortest *best, const f32x8 q[3], const bvpi_edges8 *t,
                                       const f32x8 across[3][3], float sign)
{
    f32x8 w[3], m[3], v[3];
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        w[x] = q[x] - t->corner[0][x];
    f32x8 zero = f32x8_splat(0);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        f32x8 r[3];
        BVPI_UNROLL
        for (int x = 0; x < 3; x++)
            r[x] = q[x] - t->corner[k][x];
        m[k] = dot_f32(across[k], r);
    }
    f32x8 sum = m[0] + m[1] + m[2];
    i32x8 inside = f32x8_ge(m[0], zero) & f32x8_ge(m[1], zero) & f32x8_ge(m[2], zero) &
                   f32x8_gt(sum, f32x8_splat(0x1p-100f));
    f32x8 inverse = f32x8_splat(sign) / sum, l1 = m[2] * inverse, l2 = m[0] * inverse;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        v[x] = w[x] * f32x8_splat(sign) - t->edge[0][x] * l1 + t->edge[2][x] * l2;
    bvpi_shortest_offer(best, v, inside);
}

/* Bounds of the distance, scaled, from a connection v of two points that are nearly the nearest,
 * and the gap between the projections on v. size: bounds of the coordinates; eta: their error in
 * either triangle. */
BVPI_INLINE_LONG void bvpi_shortest_bounds(const bvpi_shortest *best, f32x8 gap,
                                           const f32x8 size[3], f32x8 eta, f32x8 *lo, f32x8 *hi)
{
    f32x8 zero = f32x8_splat(0), unit = f32x8_splat(0x1p-24f);
    f32x8 err = zero, sum = zero, sizes = zero, longest = zero;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        f32x8 m = f32x8_abs(best->v[x]);
        err += m * size[x];
        sum += m;
        sizes += size[x];
        longest = f32x8_max(longest, m);
    }
    f32x8 length = f32x8_sqrt(best->length_sq);
    gap = gap - err * unit * f32x8_splat(12) - sum * eta * f32x8_splat(2);
    /* a shorter v may have underflowed when squared */
    i32x8 usable = f32x8_gt(longest, f32x8_splat(0x1p-40f)) & f32x8_gt(gap, zero);
    *lo = f32x8_select(usable, gap / length * f32x8_splat(1 - 0x1p-20f), zero);
    *hi = length * f32x8_splat(1 + 0x1p-20f) + sizes * unit * f32x8_splat(16) +
          eta * f32x8_splat(4) + f32x8_splat(0x1p-50f);
}

/* Converts scaled units to world lengths. NaN means out of range: 0 and infinity. */
BVPI_INLINE_LONG void bvpi_to_length8(float length_lo, float length_hi, f32x8 *lo, f32x8 *hi)
{
    *lo = *lo * f32x8_splat(length_lo);
    *hi = *hi * f32x8_splat(length_hi) + f32x8_splat(0x1p-126f);
    i32x8 good = f32x8_le(*lo, *hi);
    *lo = f32x8_select(good, *lo, f32x8_splat(0));
    *hi = f32x8_select(good, *hi, f32x8_splat(__builtin_inff()));
}

#endif
