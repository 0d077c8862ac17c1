/* SPDX-License-Identifier: MIT
 * point_tri.h: the point of a triangle nearest to a given point.
 * Spec: exactness.md, chapter 8
 */
#ifndef BVPI_PRIM_POINT_TRI_H
#define BVPI_PRIM_POINT_TRI_H

#include "base/simd.h"
#include "prim/nearest8.h"
#include "prim/pose.h"

/* A point prepared for the triangles of one placed part. */
typedef struct bvpi_point {
    double world[3], m[12]; /* the point and the part's placement, exact */
    double scale, eta;   /* scale: power of two that brings m p - point below 1; eta: error of its
                            coordinates in double, scaled */
    double part[3], err; /* the point in part coordinates; bound of a coordinate's error */
    double part_scale;   /* the same as scale, for p - part */
    float part_hi[3],
        part_lo[3]; /* the point in part coordinates, scaled, as a sum of two floats */
    float scale_f, part_eta;
    float length_lo,
        length_hi; /* bounds of the world length of a scaled unit of part coordinates */
} bvpi_point;

/* bound: the largest |coordinate| on each axis in the part. Returns BVP_ERR_ARGUMENT if the point
 * is not finite, or overflows in part coordinates. */
bvp_status bvpi_point_init(bvpi_point *out, const bvpi_placement *placement, const double world[3],
                           const double bound[3]);

typedef struct bvpi_point_tri {
    double lo,
        hi; /* lo <= distance <= hi, world; both are 0 exactly if the point is on the triangle */
    double point[3]; /* nearest point, world, rounded to double */
} bvpi_point_tri;

/* One triangle, in part coordinates. Degenerate ones count as segments or points. The interval is
 * no wider than 2^-31 of its upper end, except for underflow. */
void bvpi_point_tri1(const bvpi_point *point, const float tri[9], bvpi_point_tri *out);
/* The same, for triangles that prim/point_tri4.h cannot answer. */
void bvpi_point_tri_general(const bvpi_point *point, const float tri[9], bvpi_point_tri *out);

/* ---- eight triangles in float ---------------------------------------------------------------- */

/* Corners relative to the point, scaled. Two subtractions: each rounds relative to its result, or
 * not at all if the result is smaller than the point. */
BVPI_INLINE void bvpi_point_load8(const bvpi_point *point, const f32x8 tri[9], bvpi_edges8 *out)
{
    const f32x8 scale = f32x8_splat(point->scale_f);
    f32x8 e01[3], e12[3], e02[3];
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const f32x8 hi = f32x8_splat(point->part_hi[x]), lo = f32x8_splat(point->part_lo[x]);
        f32x8 c[3];
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            c[k] = tri[3 * k + x] * scale;
            out->corner[k][x] = (c[k] - hi) - lo;
        }
        e01[x] = c[1] - c[0];
        e12[x] = c[2] - c[1];
        e02[x] = c[2] - c[0];
    }
    bvpi_edges8_init(out, e01, e12, e02);
}

BVPI_INLINE void bvpi_point_shortest8(const bvpi_edges8 *t, bvpi_shortest *best)
{
    f32x8 zero[3] = {{0}, {0}, {0}}, n[3], across[3][3];
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        best->v[x] = t->corner[0][x];
    best->length_sq = dot_f32(best->v, best->v);
    cross_f32(t->edge[2], t->edge[0], n);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        f32x8 v[3], s = bvpi_clamp01(-dot_f32(t->corner[k], t->edge[k]) * t->inverse[k]);
        BVPI_UNROLL
        for (int x = 0; x < 3; x++)
            v[x] = t->corner[k][x] + t->edge[k][x] * s;
        bvpi_shortest_offer(best, v, i32x8_splat(-1));
        cross_f32(n, t->edge[k], across[k]);
    }
    bvpi_offer_face8(best, zero, t, across, -1);
}

/* 0 <= lo <= distance <= hi, world; tri[3 * corner + axis]. The interval has a width of some 2^-20
 * of p - point. Lanes out of float's range get 0 and infinity. */
static inline void bvpi_point_tri8(const bvpi_point *point, const f32x8 tri[9], f32x8 *lo,
                                   f32x8 *hi)
{
    bvpi_edges8 t;
    bvpi_shortest best;
    f32x8 size[3];
    bvpi_point_load8(point, tri, &t);
    bvpi_point_shortest8(&t, &best);
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        size[x] = max3_f32(f32x8_abs(t.corner[0][x]), f32x8_abs(t.corner[1][x]),
                           f32x8_abs(t.corner[2][x])) *
                  f32x8_splat(1.5f); /* because of the second rounding */
    f32x8 near = min3_f32(dot_f32(best.v, t.corner[0]), dot_f32(best.v, t.corner[1]),
                          dot_f32(best.v, t.corner[2]));
    bvpi_shortest_bounds(&best, near, size, f32x8_splat(point->part_eta), lo, hi);
    bvpi_to_length8(point->length_lo, point->length_hi, lo, hi);
}

#endif
