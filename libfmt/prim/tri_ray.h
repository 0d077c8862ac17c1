/* SPDX-License-Identifier: MIT
 * tri_ray.h: where a ray meets closed triangles, eight at a time; exact in real numbers, hence
 * watertight.
 * Spec: exactness.md, chapter 7
 * Based on: Woop, Benthin, Wald, Watertight Ray/Triangle Intersection, 2013 (the shear).
 */
#ifndef BVPI_PRIM_TRI_RAY_H
#define BVPI_PRIM_TRI_RAY_H

#include <stdbool.h>

#include "base/simd.h"
#include "prim/pose.h"

/* A ray prepared for the triangles of one placed part. Seen along the ray, a point p of the part is
 * at x = p[kx] - shear[0] p[kz] - offset[0], and y likewise. The ray itself is at (0, 0). */
typedef struct bvpi_tri_ray {
    double world_origin[4],
        world_direction[4]; /* as given, exact; the fourth number is unused in all of these */
    const double *m;        /* the part's placement, exact */
    double origin[4], direction[4]; /* in part coordinates, with the errors below */
    double origin_err[4], direction_err[4];
    int kx, ky, kz; /* kz: the axis of the largest |direction|; kx, ky follow in cyclic order */
    double shear[2], offset[2];
    double view_err;  /* error of x and y computed in double */
    double by_z;      /* 1 / direction[kz] */
    double depth_err; /* error of a corner's parameter t computed in double */
    float shear_f[2], offset_f[2];
    float view_err_f; /* error of x and y computed in float */
} bvpi_tri_ray;

/* bound: the largest |coordinate| on each axis in the part. Returns BVP_ERR_ARGUMENT if the ray is
 * not finite, overflows in part coordinates, or has a direction of length 0. */
bvp_status bvpi_tri_ray_init(bvpi_tri_ray *out, const bvpi_placement *placement,
                             const double origin[3], const double direction[3],
                             const double bound[3]);

/* The same for the identity placement, in a third of the time and inlined. The fourth numbers must
 * be 0. Returns false if a number is too large or too small for it. Spec: exactness.md, chapter
 * 7. */
BVPI_INLINE bool bvpi_tri_ray_init_plain(bvpi_tri_ray *out, f64x4 origin, f64x4 direction,
                                         const double bound[3]);

typedef struct bvpi_tri_ray_hit {
    double t, u, v; /* parameter of the ray; barycentric coordinates of corners 1 and 2 */
} bvpi_tri_ray_hit;

/* One triangle, in part coordinates: does it meet the closed piece t_min .. t_max of the ray? The
 * decision is exact; *hit is rounded, with t clamped to the range. A triangle whose plane contains
 * the ray's direction is never hit, nor is a degenerate one. */
bool bvpi_tri_ray1(const bvpi_tri_ray *ray, const float tri[9], double t_min, double t_max,
                   bvpi_tri_ray_hit *hit);

/* The same by exact arithmetic alone, for what bvpi_tri_ray_in_double cannot decide. */
bool bvpi_tri_ray_exactly(const bvpi_tri_ray *ray, const float tri[9], double t_min, double t_max,
                          bvpi_tri_ray_hit *hit);

BVPI_INLINE void bvpi_tri_ray_set_depth(bvpi_tri_ray *out, const double bound[3])
{
    const double by_z = __builtin_fabs(out->by_z), *err = out->direction_err;
    const double reach = bound[out->kz] + __builtin_fabs(out->origin[out->kz]);
    out->depth_err =
        (out->origin_err[out->kz] + 5 * 0x1p-53 * reach + reach * err[out->kz] * by_z) * by_z *
        (1 + 0x1p-40);
}

/* Sets axis i (0: kx, 1: ky) of the sheared view. exact: error of the shear's effect and the
 * offset, before this function rounds. */
BVPI_INLINE void bvpi_tri_ray_set_view(bvpi_tri_ray *out, int i, double shear, double offset,
                                       double exact, double reach)
{
    const double err = (exact + 6 * 0x1p-53 * reach + 0x1p-1000) * (1 + 0x1p-40);
    const double err_f = (exact + 6 * 0x1p-24 * reach + 0x1p-120) * (1 + 0x1p-20);
    const bool finite = err < __builtin_inf(); /* if not, nothing is certain */
    const float above = finite ? (float)err_f * (1 + 0x1p-20f) : __builtin_inff();
    out->shear[i] = shear;
    out->offset[i] = offset;
    out->shear_f[i] = (float)shear;
    out->offset_f[i] = (float)offset;
    out->view_err = bvpi_larger(out->view_err, finite ? err : __builtin_inf());
    out->view_err_f = above > out->view_err_f ? above : out->view_err_f;
}

/* True if each number is zero, or neither very large nor very small. */
BVPI_INLINE bool bvpi_tri_ray_is_moderate(f64x4 v)
{
    const f64x4 size = f64x4_abs(v);
    const i64x4 small = f64x4_gt(size, f64x4_splat(0)) & ~f64x4_gt(size, f64x4_splat(0x1p-400));
    return i64x4_movemask(small | ~f64x4_lt(size, f64x4_splat(0x1p400))) == 0;
}

/* The shear is a quotient, the offset the origin minus a product. Both are computed with their
 * rounding errors, which makes them as good as double-double. */
BVPI_INLINE void bvpi_tri_ray_view_plain(bvpi_tri_ray *out, int i, double by_z,
                                         const double bound[3])
{
    const int k = i == 0 ? out->kx : out->ky, z = out->kz;
    const double ok = out->origin[k], oz = out->origin[z];
    const double dk = out->direction[k], dz = out->direction[z];
    const double shear = dk / dz, along = shear * dz;
    /* dk - along is exact: they differ by a rounding */
    const double shear_lo = ((dk - along) - bvpi_product_rest(shear, dz, along)) * by_z;
    const double product = shear * oz, product_lo = bvpi_product_rest(shear, oz, product);
    const double sum = ok - product, part = sum - ok;
    const double sum_lo = (ok - (sum - part)) - (product + part);
    const double offset = sum + (sum_lo - product_lo - shear_lo * oz);
    const double size = __builtin_fabs(shear), far = size * __builtin_fabs(oz);
    const double exact = 0x1p-98 * (__builtin_fabs(ok) + 2 * far + bound[z] * size);
    bvpi_tri_ray_set_view(out, i, shear, offset, exact,
                          bound[k] + size * bound[z] + __builtin_fabs(offset));
}

BVPI_INLINE bool bvpi_tri_ray_init_plain(bvpi_tri_ray *out, f64x4 origin, f64x4 direction,
                                         const double bound[3])
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const f64x4 along = f64x4_abs(direction), rounding = f64x4_splat(0x1p-53 * (1 + 0x1p-40));
    const int z = along[2] > bvpi_larger(along[0], along[1]) ? 2 : along[1] > along[0];
    if (along[z] == 0 || !bvpi_tri_ray_is_moderate(origin) || !bvpi_tri_ray_is_moderate(direction))
        return false;
    f64x4_store(out->world_origin, origin);
    f64x4_store(out->origin, origin);
    f64x4_store(out->origin_err, rounding * f64x4_abs(origin));
    f64x4_store(out->world_direction, direction);
    f64x4_store(out->direction, direction);
    f64x4_store(out->direction_err, rounding * along);
    out->m = identity;
    out->kz = z;
    out->kx = z == 2 ? 0 : z + 1;
    out->ky = z == 0 ? 2 : z - 1;
    out->by_z = 1 / out->direction[z];
    out->view_err = 0;
    out->view_err_f = 0;
    bvpi_tri_ray_view_plain(out, 0, out->by_z, bound);
    bvpi_tri_ray_view_plain(out, 1, out->by_z, bound);
    bvpi_tri_ray_set_depth(out, bound);
    return true;
}

/* One triangle, from its corners' coordinates on kx, ky and kz; the fourth numbers are arbitrary.
 * Returns 1: hit, *hit is set; 0: miss; -1: not certain. */
BVPI_INLINE int bvpi_tri_ray_in_double(const bvpi_tri_ray *ray, f64x4 px, f64x4 py, f64x4 pz,
                                       double t_min, double t_max, bvpi_tri_ray_hit *hit)
{
    const double e = ray->view_err;
    const f64x4 x = px - pz * f64x4_splat(ray->shear[0]) - f64x4_splat(ray->offset[0]);
    const f64x4 y = py - pz * f64x4_splat(ray->shear[1]) - f64x4_splat(ray->offset[1]);
    const f64x4 t = (pz - f64x4_splat(ray->origin[ray->kz])) * f64x4_splat(ray->by_z);
    /* side k belongs to the edge opposite to corner k */
    const f64x4 side =
        __builtin_shufflevector(x, x, 1, 2, 0, 3) * __builtin_shufflevector(y, y, 2, 0, 1, 3) -
        __builtin_shufflevector(x, x, 2, 0, 1, 3) * __builtin_shufflevector(y, y, 1, 2, 0, 3);
    const f64x4 far_x = f64x4_abs(x), far_y = f64x4_abs(y);
    const double size_x = bvpi_larger(far_x[0], bvpi_larger(far_x[1], far_x[2]));
    const double size_y = bvpi_larger(far_y[0], bvpi_larger(far_y[1], far_y[2]));
    const double side_err = 2.001 * e * (size_x + size_y + e) + 6.01 * 0x1p-53 * size_x * size_y +
                            0x1p-1000 /* underflow */;
    const unsigned plus = i64x4_movemask(f64x4_gt(side, f64x4_splat(side_err))) & 7;
    const unsigned minus = i64x4_movemask(f64x4_lt(side, f64x4_splat(-side_err))) & 7;
    if (plus != 0 && minus != 0)
        return 0;
    const double sum = side[0] + side[1] + side[2];
    const double certain = __builtin_fabs(sum) - 3 * side_err;
    if ((plus | minus) != 7 || !(certain > 0))
        return -1;
    const double by_sum = 1 / sum, t1 = t[1] - t[0], t2 = t[2] - t[0];
    const double spread = bvpi_larger(__builtin_fabs(t1), __builtin_fabs(t2)) * 2;
    const double size = __builtin_fabs(t[0]) + spread;
    const double err =
        (ray->depth_err + 3 * side_err / certain * spread + 16 * 0x1p-53 * size) * (1 + 0x1p-40);
    hit->u = side[1] * by_sum;
    hit->v = side[2] * by_sum;
    hit->t = t[0] + hit->u * t1 + hit->v * t2;
    if (hit->t < t_min - err || hit->t > t_max + err)
        return 0;
    return hit->t > t_min + err && hit->t < t_max - err ? 1 : -1;
}

/* The lanes whose triangles the ray's line certainly misses. */
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

/* A lower bound of each triangle's t, also after rounding. The t of a hit is a mean of its corners'
 * t; each of these errs by five roundings of the reach, and by the error of a double. There is no
 * bound, minus infinity, where 1 / direction is very large or small. */
BVPI_INLINE f32x8 bvpi_tri_ray_soonest(const bvpi_tri_ray *ray, const f32x8 tri[9])
{
    const float from = (float)ray->origin[ray->kz], by_z = (float)ray->by_z;
    const float steep = by_z < 0 ? -by_z : by_z, err = (float)ray->depth_err;
    f32x8 soonest = f32x8_splat(__builtin_inff()), reach = f32x8_splat(0);
    if (!(steep > 0x1p-60f && steep < 0x1p60f))
        return -soonest;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const f32x8 z = tri[3 * i + ray->kz];
        soonest = f32x8_min((z - f32x8_splat(from)) * f32x8_splat(by_z), soonest);
        reach = f32x8_max(f32x8_abs(z), reach);
    }
    reach += f32x8_splat(from < 0 ? -from : from);
    soonest -= reach * f32x8_splat(steep * 0x1p-20f) + f32x8_splat(err * 2 + 0x1p-60f);
    return f32x8_max(soonest, f32x8_splat(-__builtin_inff())); /* NaN: no bound */
}

/* Eight triangles, tri[3 * corner + axis]; lanes: mask of those to test. Returns the lanes hit with
 * t_min <= t <= t_max, and sets their hits. */
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
