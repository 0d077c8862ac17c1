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
    double by_z;      /* 1 / direction[kz] */
    double depth_err; /* of the parameter t of a corner computed in double */
    float shear_f[2], offset_f[2];
    float view_err_f; /* of x and y computed in float */
} bvpi_tri_ray;

/* bound: the largest |coordinate| of each axis in the part. BVP_ERR_ARGUMENT: not finite, in part
 * coordinates either, or a direction of length zero. */
bvp_status bvpi_tri_ray_init(bvpi_tri_ray *out, const bvpi_place *place, const double origin[3],
                             const double direction[3], const double bound[3]);

/* The same without a placement, in a third of the time and inlined. False: the numbers are too
 * large or small for this. Spec: exactness.md, chapter 7. */
BVPI_INLINE bool bvpi_tri_ray_init_plain(bvpi_tri_ray *out, const double origin[3],
                                         const double direction[3], const double bound[3]);

typedef struct bvpi_tri_ray_hit {
    double t, u, v; /* parameter; barycentric coordinates of corners 1 and 2 */
} bvpi_tri_ray_hit;

/* One triangle, part coordinates: does it meet the closed piece t_min .. t_max of the ray? Decided
 * exactly; *hit is rounded (t into the given range). A triangle whose plane holds the ray's
 * direction is never hit, nor is a degenerate one. */
bool bvpi_tri_ray1(const bvpi_tri_ray *ray, const float tri[9], double t_min, double t_max,
                   bvpi_tri_ray_hit *hit);

BVPI_INLINE void bvpi_tri_ray_set_depth(bvpi_tri_ray *out, const double bound[3])
{
    const double by_z = __builtin_fabs(out->by_z), *err = out->direction_err;
    const double reach = bound[out->kz] + __builtin_fabs(out->origin[out->kz]);
    out->depth_err =
        (out->origin_err[out->kz] + 5 * 0x1p-53 * reach + reach * err[out->kz] * by_z) * by_z *
        (1 + 0x1p-40);
}

/* Axis i (0: kx, 1: ky) of the sheared view. exact: error of the shear's effect and the offset. */
BVPI_INLINE void bvpi_tri_ray_set_view(bvpi_tri_ray *out, int i, double shear, double offset,
                                       double exact, double reach)
{
    const double err = (exact + 6 * 0x1p-53 * reach + 0x1p-1000) * (1 + 0x1p-40);
    const double err_f = (exact + 6 * 0x1p-24 * reach + 0x1p-120) * (1 + 0x1p-20);
    const bool finite = err < __builtin_inf(); /* else it overflows: nothing is certain */
    const float above = finite ? (float)err_f * (1 + 0x1p-20f) : __builtin_inff();
    out->shear[i] = shear;
    out->offset[i] = offset;
    out->shear_f[i] = (float)shear;
    out->offset_f[i] = (float)offset;
    out->view_err = bvpi_larger(out->view_err, finite ? err : __builtin_inf());
    out->view_err_f = above > out->view_err_f ? above : out->view_err_f;
}

BVPI_INLINE bool bvpi_tri_ray_is_moderate(double x)
{
    const double size = __builtin_fabs(x);
    return size == 0 || (size > 0x1p-400 && size < 0x1p400);
}

/* The shear, a quotient, and the offset, the origin less a product, each with what rounding took
 * away: as good as double-double. */
BVPI_INLINE void bvpi_tri_ray_view_plain(bvpi_tri_ray *out, int i, double by_z,
                                         const double bound[3])
{
    const int k = i == 0 ? out->kx : out->ky, z = out->kz;
    const double ok = out->origin[k], oz = out->origin[z];
    const double dk = out->direction[k], dz = out->direction[z];
    const double shear = dk / dz, shear_lo = __builtin_fma(-shear, dz, dk) * by_z;
    const double product = shear * oz, product_lo = __builtin_fma(shear, oz, -product);
    const double sum = ok - product, part = sum - ok;
    const double sum_lo = (ok - (sum - part)) - (product + part);
    const double offset = sum + (sum_lo - product_lo - shear_lo * oz);
    const double size = __builtin_fabs(shear), far = size * __builtin_fabs(oz);
    const double exact = 0x1p-98 * (__builtin_fabs(ok) + 2 * far + bound[z] * size);
    bvpi_tri_ray_set_view(out, i, shear, offset, exact,
                          bound[k] + size * bound[z] + __builtin_fabs(offset));
}

BVPI_INLINE bool bvpi_tri_ray_init_plain(bvpi_tri_ray *out, const double origin[3],
                                         const double direction[3], const double bound[3])
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double x = __builtin_fabs(direction[0]), y = __builtin_fabs(direction[1]);
    const double along = __builtin_fabs(direction[2]);
    const int z = along > bvpi_larger(x, y) ? 2 : y > x;
    if (direction[z] == 0)
        return false;
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        if (!bvpi_tri_ray_is_moderate(origin[a]) || !bvpi_tri_ray_is_moderate(direction[a]))
            return false;
        out->world_origin[a] = out->origin[a] = origin[a];
        out->world_direction[a] = out->direction[a] = direction[a];
        out->origin_err[a] = 0x1p-53 * (1 + 0x1p-40) * __builtin_fabs(origin[a]);
        out->direction_err[a] = 0x1p-53 * (1 + 0x1p-40) * __builtin_fabs(direction[a]);
    }
    memcpy(out->m, identity, sizeof identity);
    out->kz = z;
    out->kx = z == 2 ? 0 : z + 1;
    out->ky = z == 0 ? 2 : z - 1;
    out->by_z = 1 / direction[z];
    out->view_err = 0;
    out->view_err_f = 0;
    bvpi_tri_ray_view_plain(out, 0, out->by_z, bound);
    bvpi_tri_ray_view_plain(out, 1, out->by_z, bound);
    bvpi_tri_ray_set_depth(out, bound);
    return true;
}

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
