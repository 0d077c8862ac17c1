/* SPDX-License-Identifier: MIT
 * tri_ray.h: where a ray meets closed triangles, eight at a time; exact in the real numbers, hence
 * watertight.
 * Spec: exactness.md, chapter 7
 * Based on: Woop, Benthin, Wald, Watertight Ray/Triangle Intersection, 2013 (the shear).
 */
#ifndef BVPI_PRIM_TRI_RAY_H
#define BVPI_PRIM_TRI_RAY_H

#include <stdbool.h>

#include "base/simd.h"
#include "prim/pose.h"

/* A ray made ready for the triangles of one placed part. A point p of the part is seen along the
 * ray at x = p[kx] - shear[0] p[kz] - offset[0] and y likewise: the ray is at (0, 0). */
typedef struct bvpi_tri_ray {
    double world_origin[3], world_direction[3]; /* as given, exact */
    double m[12];                               /* the part's placement, exact */
    double origin[3], direction[3];             /* in part coordinates, within ... */
    double origin_err[3], direction_err[3];
    int kx, ky, kz; /* kz: the axis of the largest |direction|; cyclic order */
    double shear[2], offset[2];
    double view_err;  /* of x and y computed in double */
    double depth_err; /* of the parameter t of a corner computed in double */
    float shear_f[2], offset_f[2];
    float view_err_f; /* of x and y computed in float */
} bvpi_tri_ray;

/* bound: the largest |coordinate| of each axis in the part. BVP_ERR_ARGUMENT: not finite, in part
 * coordinates either, or a direction of length zero. */
bvp_status bvpi_tri_ray_init(bvpi_tri_ray *out, const bvpi_place *place, const double origin[3],
                             const double direction[3], const double bound[3]);

typedef struct bvpi_tri_ray_hit {
    double t, u, v; /* parameter; barycentric coordinates of corners 1 and 2 */
} bvpi_tri_ray_hit;

/* One triangle, part coordinates: does it meet the closed piece t_min .. t_max of the ray? Decided
 * exactly; *hit is rounded (t into the given range). A triangle whose plane holds the ray's
 * direction is never hit, nor is a degenerate one. */
bool bvpi_tri_ray1(const bvpi_tri_ray *ray, const float tri[9], double t_min, double t_max,
                   bvpi_tri_ray_hit *hit);

/* Lanes whose triangles the ray's line certainly misses. */
BVPI_INLINE unsigned bvpi_tri_ray_misses(const bvpi_tri_ray *ray, const f32x8 tri[9])
{
    f32x8 x[3], y[3], side[3], zero = f32x8_splat(0), size_x = zero, size_y = zero;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const f32x8 *p = tri + 3 * i;
        x[i] =
            p[ray->kx] - p[ray->kz] * f32x8_splat(ray->shear_f[0]) - f32x8_splat(ray->offset_f[0]);
        y[i] =
            p[ray->ky] - p[ray->kz] * f32x8_splat(ray->shear_f[1]) - f32x8_splat(ray->offset_f[1]);
        size_x = f32x8_max(f32x8_abs(x[i]), size_x);
        size_y = f32x8_max(f32x8_abs(y[i]), size_y);
    }
    f32x8 e = f32x8_splat(ray->view_err_f);
    f32x8 err = (size_x + size_y + e) * e * f32x8_splat(2.001f) +
                size_x * size_y * f32x8_splat(6.01f * 0x1p-24f) + f32x8_splat(0x1p-120f);
    i32x8 plus = {0}, minus = {0};
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        side[i] = x[i] * y[j] - x[j] * y[i];
        plus |= f32x8_gt(side[i], err);
        minus |= f32x8_lt(side[i], -err);
    }
    return i32x8_movemask(plus & minus);
}

/* Eight triangles, tri[3 * corner + axis]; lanes: those in play. Returns the mask of the lanes hit
 * with t_min <= t <= t_max and fills their hits. */
static inline unsigned bvpi_tri_ray8(const bvpi_tri_ray *ray, const f32x8 tri[9], unsigned lanes,
                                     double t_min, double t_max, bvpi_tri_ray_hit hits[8])
{
    unsigned out = 0;
    lanes &= ~bvpi_tri_ray_misses(ray, tri);
    for (; lanes != 0; lanes &= lanes - 1) {
        unsigned lane = bvpi_lowest_bit(lanes);
        float corners[9];
        BVPI_UNROLL
        for (int k = 0; k < 9; k++)
            corners[k] = tri[k][lane];
        if (bvpi_tri_ray1(ray, corners, t_min, t_max, &hits[lane]))
            out |= 1u << lane;
    }
    return out;
}

#endif
