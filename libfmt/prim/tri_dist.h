/* SPDX-License-Identifier: MIT
 * tri_dist.h: distance of triangles in the world, as certified intervals.
 * Spec: exactness.md, chapter 6, which derives the bounds
 */
#ifndef BVPI_PRIM_TRI_DIST_H
#define BVPI_PRIM_TRI_DIST_H

#include "base/simd.h"
#include "prim/pose.h"
#include "prim/tri_tri.h"

typedef struct bvpi_tri_dist {
    double lo, hi; /* lo <= distance <= hi, world; both 0 exactly when the triangles meet */
    double point_a[3], point_b[3]; /* witness points, world; they lie on the triangles, at most hi
                                      apart, but for the rounding of their coordinates */
} bvpi_tri_dist;

/* One pair. Degenerate triangles are segments or points. hi - lo <= 1e-9 hi, but for distances
 * below some 1e-20 of the coordinates. */
void bvpi_tri_dist1(const bvpi_pose *pose, const float a[9], const float b[9], bvpi_tri_dist *out);

/* ---- eight pairs in float -------------------------------------------------------------------- */

/* Corners in the frame parallel to the world, relative to corner 0 of A, scaled. */
BVPI_INLINE void bvpi_pairs_load_world(const bvpi_pose *pose, const f32x8 a[9], const f32x8 b[9],
                                       bvpi_pairs_f32 *p)
{
    for (int x = 0; x < 3; x++) {
        const double *ra = pose->world_a + 3 * x, *rb = pose->world_b + 4 * x;
        f64x4 u[2][3], v[2][3], scale = f64x4_splat(pose->world_scale);
        for (int k = 0; k < 3; k++) {
            const f32x8 *s = a + 3 * k, *t = b + 3 * k;
            u[0][k] = f64x4_from_low(s[0]) * f64x4_splat(ra[0]) +
                      f64x4_from_low(s[1]) * f64x4_splat(ra[1]) +
                      f64x4_from_low(s[2]) * f64x4_splat(ra[2]);
            u[1][k] = f64x4_from_high(s[0]) * f64x4_splat(ra[0]) +
                      f64x4_from_high(s[1]) * f64x4_splat(ra[1]) +
                      f64x4_from_high(s[2]) * f64x4_splat(ra[2]);
            v[0][k] = f64x4_from_low(t[0]) * f64x4_splat(rb[0]) +
                      f64x4_from_low(t[1]) * f64x4_splat(rb[1]) +
                      f64x4_from_low(t[2]) * f64x4_splat(rb[2]) + (f64x4_splat(rb[3]) - u[0][0]);
            v[1][k] = f64x4_from_high(t[0]) * f64x4_splat(rb[0]) +
                      f64x4_from_high(t[1]) * f64x4_splat(rb[1]) +
                      f64x4_from_high(t[2]) * f64x4_splat(rb[2]) + (f64x4_splat(rb[3]) - u[1][0]);
            p->b[k][x] = f32x8_from_f64(v[0][k] * scale, v[1][k] * scale);
        }
        p->a1[x] = f32x8_from_f64((u[0][1] - u[0][0]) * scale, (u[1][1] - u[1][0]) * scale);
        p->a2[x] = f32x8_from_f64((u[0][2] - u[0][0]) * scale, (u[1][2] - u[1][0]) * scale);
        p->a12[x] = f32x8_from_f64((u[0][2] - u[0][1]) * scale, (u[1][2] - u[1][1]) * scale);
        p->f1[x] = f32x8_from_f64((v[0][1] - v[0][0]) * scale, (v[1][1] - v[1][0]) * scale);
        p->f2[x] = f32x8_from_f64((v[0][2] - v[0][0]) * scale, (v[1][2] - v[1][0]) * scale);
        p->f12[x] = f32x8_from_f64((v[0][2] - v[0][1]) * scale, (v[1][2] - v[1][1]) * scale);
    }
    double eta = pose->world_eta * pose->world_scale;
    p->eta = f32x8_splat((float)eta * (1 + 0x1p-20f) + 0x1p-100f);
}

BVPI_INLINE f32x8 bvpi_clamp01(f32x8 x)
{
    return f32x8_min(f32x8_max(x, f32x8_splat(0)), f32x8_splat(1));
}

/* The shortest difference of points so far. */
typedef struct bvpi_shortest {
    f32x8 v[3], length_sq;
} bvpi_shortest;

BVPI_INLINE void bvpi_shortest_offer(bvpi_shortest *best, const f32x8 v[3], i32x8 valid)
{
    f32x8 d = dot_f32(v, v);
    i32x8 better = f32x8_lt(d, best->length_sq) & valid;
    best->length_sq = f32x8_select(better, d, best->length_sq);
    for (int x = 0; x < 3; x++)
        best->v[x] = f32x8_select(better, v[x], best->v[x]);
}

/* A triangle's edges from each corner to the next, 1 / their squared lengths, and its corners. */
typedef struct bvpi_edges8 {
    f32x8 corner[3][3], edge[3][3], length_sq[3], inverse[3];
} bvpi_edges8;

BVPI_INLINE void bvpi_edges8_init(bvpi_edges8 *out, const f32x8 e01[3], const f32x8 e12[3],
                                  const f32x8 e02[3])
{
    for (int x = 0; x < 3; x++) {
        out->edge[0][x] = e01[x];
        out->edge[1][x] = e12[x];
        out->edge[2][x] = -e02[x];
    }
    for (int k = 0; k < 3; k++) {
        out->length_sq[k] = dot_f32(out->edge[k], out->edge[k]);
        out->inverse[k] = f32x8_splat(1) / f32x8_max(out->length_sq[k], f32x8_splat(0x1p-100f));
    }
}

/* Edge i of a and edge j of b: the lines' nearest points, clamped, then each to the other. */
BVPI_INLINE void bvpi_offer_edges8(bvpi_shortest *best, const bvpi_edges8 *a, const bvpi_edges8 *b,
                                   int i, int j)
{
    f32x8 w[3], v[3];
    const f32x8 *e = a->edge[i], *f = b->edge[j];
    for (int x = 0; x < 3; x++)
        w[x] = b->corner[j][x] - a->corner[i][x];
    f32x8 ee = a->length_sq[i], ff = b->length_sq[j];
    f32x8 ef = dot_f32(e, f), ew = dot_f32(e, w), fw = dot_f32(f, w);
    f32x8 least = ee * ff * f32x8_splat(0x1p-22f) + f32x8_splat(0x1p-100f);
    f32x8 s = bvpi_clamp01((ew * ff - ef * fw) / f32x8_max(ee * ff - ef * ef, least));
    f32x8 t = bvpi_clamp01((ef * s - fw) * b->inverse[j]);
    s = bvpi_clamp01((ef * t + ew) * a->inverse[i]);
    for (int x = 0; x < 3; x++)
        v[x] = w[x] + f[x] * t - e[x] * s;
    bvpi_shortest_offer(best, v, i32x8_splat(-1));
}

/* A corner q and the face of t, where q's foot lies inside; sign: 1 when t is of A, -1 when of B.
 */
BVPI_INLINE void bvpi_offer_face8(bvpi_shortest *best, const f32x8 q[3], const bvpi_edges8 *t,
                                  const f32x8 across[3][3], float sign)
{
    f32x8 w[3], m[3], v[3];
    for (int x = 0; x < 3; x++)
        w[x] = q[x] - t->corner[0][x];
    f32x8 zero = f32x8_splat(0);
    for (int k = 0; k < 3; k++) {
        f32x8 r[3];
        for (int x = 0; x < 3; x++)
            r[x] = q[x] - t->corner[k][x];
        m[k] = dot_f32(across[k], r);
    }
    f32x8 sum = m[0] + m[1] + m[2];
    i32x8 inside = f32x8_ge(m[0], zero) & f32x8_ge(m[1], zero) & f32x8_ge(m[2], zero) &
                   f32x8_gt(sum, f32x8_splat(0x1p-100f));
    f32x8 inverse = f32x8_splat(sign) / sum, l1 = m[2] * inverse, l2 = m[0] * inverse;
    for (int x = 0; x < 3; x++)
        v[x] = w[x] * f32x8_splat(sign) - t->edge[0][x] * l1 + t->edge[2][x] * l2;
    bvpi_shortest_offer(best, v, inside);
}

/* The nine pairs of edges and six of corner and face. */
BVPI_INLINE void bvpi_shortest_of_pairs(const bvpi_pairs_f32 *p, bvpi_shortest *best)
{
    bvpi_edges8 a, b;
    f32x8 na[3], nb[3], across_a[3][3], across_b[3][3];
    bvpi_edges8_init(&a, p->a1, p->a12, p->a2);
    bvpi_edges8_init(&b, p->f1, p->f12, p->f2);
    for (int x = 0; x < 3; x++) {
        a.corner[0][x] = f32x8_splat(0);
        a.corner[1][x] = p->a1[x];
        a.corner[2][x] = p->a2[x];
        for (int k = 0; k < 3; k++)
            b.corner[k][x] = p->b[k][x];
        best->v[x] = b.corner[0][x];
    }
    best->length_sq = dot_f32(best->v, best->v);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            bvpi_offer_edges8(best, &a, &b, i, j);
    cross_f32(p->a1, p->a2, na);
    cross_f32(p->f1, p->f2, nb);
    for (int k = 0; k < 3; k++) {
        cross_f32(na, a.edge[k], across_a[k]);
        cross_f32(nb, b.edge[k], across_b[k]);
    }
    for (int k = 0; k < 3; k++) {
        bvpi_offer_face8(best, b.corner[k], &a, across_a, 1);
        bvpi_offer_face8(best, a.corner[k], &b, across_b, -1);
    }
}

/* Bounds of the distance, scaled, from the difference v of two points that are nearly nearest. */
BVPI_INLINE void bvpi_shortest_bounds(const bvpi_pairs_f32 *p, const bvpi_shortest *best, f32x8 *lo,
                                      f32x8 *hi)
{
    const f32x8 *v = best->v, zero = f32x8_splat(0), unit = f32x8_splat(0x1p-24f);
    f32x8 size[3], err = zero, sum = zero, sizes = zero, longest = zero;
    for (int x = 0; x < 3; x++) {
        f32x8 a = f32x8_max(f32x8_abs(p->a1[x]), f32x8_abs(p->a2[x])), m = f32x8_abs(v[x]);
        f32x8 b = max3_f32(f32x8_abs(p->b[0][x]), f32x8_abs(p->b[1][x]), f32x8_abs(p->b[2][x]));
        size[x] = f32x8_max(a, b);
        err += m * size[x];
        sum += m;
        sizes += size[x];
        longest = f32x8_max(longest, m);
    }
    f32x8 far_a = max3_f32(zero, dot_f32(v, p->a1), dot_f32(v, p->a2));
    f32x8 near_b = min3_f32(dot_f32(v, p->b[0]), dot_f32(v, p->b[1]), dot_f32(v, p->b[2]));
    f32x8 length = f32x8_sqrt(best->length_sq);
    f32x8 gap = near_b - far_a - err * unit * f32x8_splat(12) - sum * p->eta * f32x8_splat(2);
    /* a shorter v may have underflowed when squared */
    i32x8 usable = f32x8_gt(longest, f32x8_splat(0x1p-40f)) & f32x8_gt(gap, zero);
    *lo = f32x8_select(usable, gap / length * f32x8_splat(1 - 0x1p-20f), zero);
    *hi = length * f32x8_splat(1 + 0x1p-20f) + sizes * unit * f32x8_splat(16) +
          p->eta * f32x8_splat(4) + f32x8_splat(0x1p-50f);
}

/* Eight pairs at a time, in float: 0 <= lo <= distance <= hi. The interval is some 2^-20 of the
 * coordinates wide: use it to skip pairs. Lanes out of float's range get 0 and infinity. Arguments
 * as bvpi_tri_tri8. */
static inline void bvpi_tri_dist8(const bvpi_pose *pose, const f32x8 a[9], const f32x8 b[9],
                                  f32x8 *lo, f32x8 *hi)
{
    bvpi_pairs_f32 p;
    bvpi_shortest best;
    if (pose->own_frame)
        bvpi_pairs_load_f32(pose, a, b, &p);
    else
        bvpi_pairs_load_world(pose, a, b, &p);
    bvpi_shortest_of_pairs(&p, &best);
    bvpi_shortest_bounds(&p, &best, lo, hi);
    *lo = *lo * f32x8_splat(pose->length_lo);
    *hi = *hi * f32x8_splat(pose->length_hi) + f32x8_splat(0x1p-126f);
    /* not a number: out of range */
    i32x8 good = f32x8_le(*lo, *hi);
    *lo = f32x8_select(good, *lo, f32x8_splat(0));
    *hi = f32x8_select(good, *hi, f32x8_splat(__builtin_inff()));
}

#endif
