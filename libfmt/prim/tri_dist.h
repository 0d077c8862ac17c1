/* SPDX-License-Identifier: MIT
 * tri_dist.h: distances of triangles in the world, as certified intervals.
 * Spec: exactness.md, chapter 6, which derives the bounds
 */
#ifndef BVPI_PRIM_TRI_DIST_H
#define BVPI_PRIM_TRI_DIST_H

#include "base/simd.h"
#include "prim/nearest8.h"
#include "prim/pose.h"
#include "prim/tri_tri.h"

typedef struct bvpi_tri_dist {
    double lo, hi; /* lo <= distance <= hi, world; both are 0 exactly if the triangles meet */
    double point_a[3], point_b[3]; /* witness points, world: on the triangles and at most hi apart,
                                      except for the rounding of their coordinates */
    unsigned effort; /* which arithmetic was needed: 1 double, 8 double-double, 32 integers */
} bvpi_tri_dist;

/* One pair. Degenerate triangles count as segments or points. The interval is no wider than 2^-31
 * of its upper end, except for underflow. */
void bvpi_tri_dist1(const bvpi_pose *pose, const float a[9], const float b[9], bvpi_tri_dist *out);
/* The same without the integer step: the interval may be wider. */
void bvpi_tri_dist1_rough(const bvpi_pose *pose, const float a[9], const float b[9],
                          bvpi_tri_dist *out);
/* As bvpi_tri_dist1 if lo <= limit. If lo > limit, only lo is set, and the interval may be
 * wider. */
void bvpi_tri_dist1_within(const bvpi_pose *pose, const float a[9], const float b[9], double limit,
                           bvpi_tri_dist *out);
/* As bvpi_tri_dist1_within, but stops at any hi <= limit. The points are then at most hi apart, and
 * whether the triangles meet is not decided. */
void bvpi_tri_dist1_any(const bvpi_pose *pose, const float a[9], const float b[9], double limit,
                        bvpi_tri_dist *out);
/* For a pair that is known to meet: a common point, as witness of both. It is within 2^-47 of the
 * reach of both triangles. */
void bvpi_tri_common1(const bvpi_pose *pose, const float a[9], const float b[9],
                      bvpi_tri_dist *out);

/* ---- eight pairs in float -------------------------------------------------------------------- */

/* Loads corners in the frame parallel to the world, relative to corner 0 of A, scaled. */
BVPI_INLINE_LONG void bvpi_pairs_load_world(const bvpi_pose *pose, const f32x8 a[9],
                                            const f32x8 b[9], bvpi_pairs_f32 *p)
{
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const double *ra = pose->world_a + 3 * x, *rb = pose->world_b + 4 * x;
        f64x4 u[2][3], v[2][3], scale = f64x4_splat(pose->world_scale);
        BVPI_UNROLL
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

/* The shortest of nine edge-edge and six corner-face connections. */
BVPI_INLINE_LONG void bvpi_shortest_of_pairs(const bvpi_pairs_f32 *p, bvpi_shortest *best)
{
    bvpi_edges8 a, b;
    f32x8 na[3], nb[3], across_a[3][3], across_b[3][3];
    bvpi_edges8_init(&a, p->a1, p->a12, p->a2);
    bvpi_edges8_init(&b, p->f1, p->f12, p->f2);
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        a.corner[0][x] = f32x8_splat(0);
        a.corner[1][x] = p->a1[x];
        a.corner[2][x] = p->a2[x];
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            b.corner[k][x] = p->b[k][x];
        best->v[x] = b.corner[0][x];
    }
    best->length_sq = dot_f32(best->v, best->v);
    BVPI_UNROLL
    for (int k = 0; k < 9; k++)
        bvpi_offer_edges8(best, &a, &b, k / 3, k % 3);
    cross_f32(p->a1, p->a2, na);
    cross_f32(p->f1, p->f2, nb);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        cross_f32(na, a.edge[k], across_a[k]);
        cross_f32(nb, b.edge[k], across_b[k]);
    }
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        bvpi_offer_face8(best, b.corner[k], &a, across_a, 1);
        bvpi_offer_face8(best, a.corner[k], &b, across_b, -1);
    }
}

BVPI_INLINE_LONG void bvpi_pairs_load_dist(const bvpi_pose *pose, const f32x8 a[9],
                                           const f32x8 b[9], bvpi_pairs_f32 *p)
{
    if (pose->own_frame)
        bvpi_pairs_load_f32(pose, a, b, p);
    else
        bvpi_pairs_load_world(pose, a, b, p);
}

/* The largest |coordinate| on each axis, of either triangle. */
BVPI_INLINE_LONG void bvpi_pairs_size8(const bvpi_pairs_f32 *p, f32x8 size[3])
{
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        f32x8 far = f32x8_max(f32x8_abs(p->a1[x]), f32x8_abs(p->a2[x]));
        size[x] = f32x8_max(
            far, max3_f32(f32x8_abs(p->b[0][x]), f32x8_abs(p->b[1][x]), f32x8_abs(p->b[2][x])));
    }
}

/* Eight pairs in float: 0 <= lo <= distance <= hi. The interval has a width of some 2^-20 of the
 * coordinates: good for skipping pairs. Lanes out of float's range get 0 and infinity. along:
 * roughly the direction from the nearest point of a to that of b, of any length, in A's frame if
 * pose->own_frame, else parallel to the world. Other arguments as in bvpi_tri_tri8. */
static inline void bvpi_tri_dist8_along(const bvpi_pose *pose, const f32x8 a[9], const f32x8 b[9],
                                        f32x8 *lo, f32x8 *hi, f32x8 along[3])
{
    bvpi_pairs_f32 p;
    bvpi_shortest best;
    f32x8 size[3], zero = f32x8_splat(0);
    bvpi_pairs_load_dist(pose, a, b, &p);
    bvpi_shortest_of_pairs(&p, &best);
    bvpi_pairs_size8(&p, size);
    const f32x8 *v = best.v;
    f32x8 gap = min3_f32(dot_f32(v, p.b[0]), dot_f32(v, p.b[1]), dot_f32(v, p.b[2])) -
                max3_f32(zero, dot_f32(v, p.a1), dot_f32(v, p.a2));
    bvpi_shortest_bounds(&best, gap, size, p.eta, lo, hi);
    bvpi_to_length8(pose->length_lo, pose->length_hi, lo, hi);
    memcpy(along, best.v, sizeof best.v);
}

/* The same without the direction. */
static inline void bvpi_tri_dist8(const bvpi_pose *pose, const f32x8 a[9], const f32x8 b[9],
                                  f32x8 *lo, f32x8 *hi)
{
    f32x8 along[3];
    bvpi_tri_dist8_along(pose, a, b, lo, hi, along);
}

/* ---- eight pairs of facing triangles --------------------------------------------------------- */

/* Where two triangles are very near compared with their size, the difference of their nearest
 * points has too large a relative error to separate them. Normals do not have that problem. */

/* A lower bound, scaled: the gap between the projections on n, for any n. */
BVPI_INLINE_LONG f32x8 bvpi_gap_along_normal8(const bvpi_pairs_f32 *p, const f32x8 n[3],
                                              const f32x8 size[3])
{
    const f32x8 zero = f32x8_splat(0);
    f32x8 err = zero, sum = zero;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const f32x8 m = f32x8_abs(n[x]);
        err += m * size[x];
        sum += m;
    }
    const f32x8 a1 = dot_f32(n, p->a1), a2 = dot_f32(n, p->a2);
    const f32x8 b0 = dot_f32(n, p->b[0]), b1 = dot_f32(n, p->b[1]), b2 = dot_f32(n, p->b[2]);
    const f32x8 above = min3_f32(b0, b1, b2) - max3_f32(zero, a1, a2);
    const f32x8 below = min3_f32(zero, a1, a2) - max3_f32(b0, b1, b2);
    const f32x8 square = dot_f32(n, n);
    const f32x8 gap =
        f32x8_max(above, below) - err * f32x8_splat(12 * 0x1p-24f) - sum * p->eta * 2.0f;
    /* a shorter n may have underflowed when squared */
    const i32x8 usable = f32x8_gt(square, f32x8_splat(0x1p-80f)) & f32x8_gt(gap, zero);
    return f32x8_select(usable, gap / f32x8_sqrt(square) * f32x8_splat(1 - 0x1p-20f), zero);
}

/* 0 <= result <= distance: the larger gap along the two normals. Arguments as in
 * bvpi_tri_dist8_along. */
static inline f32x8 bvpi_tri_gap8(const bvpi_pose *pose, const f32x8 a[9], const f32x8 b[9])
{
    bvpi_pairs_f32 p;
    f32x8 na[3], nb[3], size[3];
    bvpi_pairs_load_dist(pose, a, b, &p);
    bvpi_pairs_size8(&p, size);
    cross_f32(p.a1, p.a2, na);
    cross_f32(p.f1, p.f2, nb);
    f32x8 lo =
        f32x8_max(bvpi_gap_along_normal8(&p, na, size), bvpi_gap_along_normal8(&p, nb, size));
    f32x8 hi = lo;
    bvpi_to_length8(pose->length_lo, pose->length_hi, &lo, &hi);
    return lo;
}

#endif
