/* SPDX-License-Identifier: MIT
 * ray_frame.h: one ray as a walk of kind rays sees it, in floats, and against the eight boxes of a
 * node: no box is lost.
 *
 * A node's planes are lo + q step, in the part's coordinates. The origin is subtracted from lo
 * first, then the difference is divided by the direction. So the error of a plane's time is
 * relative to the ray's distance from it, except for what the planes' pads allow for.
 *
 * Why no box is lost: let u = 2^-24, o the ray's true origin, d its direction, B the part's largest
 * |coordinate|, and d > 0 (else mirrored). The time of plane c = lo + q step is computed as
 * T = q K + (lo - o') i, K = step i, with five roundings in a row at most, one of them the
 * origin's: |T d - (c - o)| <= 5 u (|lo - o| + 255 step) + u |o| + e + w, where e is the origin's
 * error and w how far the direction's error and its least size move the ray up to the part. As |lo
 * - o| <= |c - o| + 255 step and |o| <= |c - o| + |c|, this is at most 7 u |c - o| + 2^-12 step +
 * 2^-23 B + e + w, for |c| <= 2 B. bvpi_frame_ray_init takes only rays with e <= 2^-23 B, |o| <=
 * 2^16 B, and a direction's error of 2^-45 of its largest component, which, like the least
 * component 2^-42, moves the ray by less than 2^-25 B in the time it takes to leave the part: so
 * all but the first term is below 2^-12 step + 2^-21 B, by which planes stand off
 * (node/ray_meshlet.h). What is left is 7 u of the time, and times are not negative: entry and exit
 * times are compared with a factor of 1 + 2^-20.
 *
 * Spec: exactness.md, chapter 10, "Ray trees"
 * Based on: Kay and Kajiya, Ray Tracing Complex Scenes, 1986; the error bound is our own.
 */
#ifndef BVPI_QUERY_RAY_RAY_FRAME_H
#define BVPI_QUERY_RAY_RAY_FRAME_H

#include "node/ray_meshlet.h"
#include "prim/box_ray.h"
#include "query/body/ray_walk.h"
#include "query/ray/ray_query.h"

/* One ray. The eight lanes of a box test are spread from it. */
typedef struct bvpi_frame_ray {
    float origin[4], inverse[4], direction[4];
    float t_min;           /* rounded down */
    float t_first, t_last; /* the range, rounded inward */
    float err;             /* of the origin */
    uint32_t near_at[3];   /* of the near planes, from the node's start */
} bvpi_frame_ray;

/* The same, spread. */
typedef struct bvpi_frame_lanes {
    f32x8 origin[3], inverse[3];
    f32x8 t_min;
    unsigned near_at[3], far_at[3];
} bvpi_frame_lanes;

BVPI_INLINE float bvpi_larger_float(float a, float b)
{
    return a > b ? a : b;
}

/* The largest float that an entry time may have for a hit at t. */
BVPI_INLINE float bvpi_frame_limit(double t)
{
    const double limit = t * (1 + 0x1p-20) + 0x1p-120;
    return limit < 0x1p120 ? (float)limit : __builtin_inff();
}

BVPI_INLINE void bvpi_frame_ray_sides(bvpi_frame_ray *out)
{
    uint32_t bits[4];
    memcpy(bits, out->inverse, sizeof bits);
    BVPI_UNROLL
    for (unsigned a = 0; a < 3; a++)
        out->near_at[a] = 16 * a + (bits[a] >> 31) * 8;
}

/* bound: of the part's |coordinates|. False: the ray is not of the kind that the bound above is
 * for; another walk takes it. */
BVPI_INLINE bool bvpi_frame_ray_init(bvpi_frame_ray *out, const bvpi_local_ray *ray,
                                     const double bound[3], double t_min, double t_max)
{
    const f64x4 o = f64x4_load(ray->origin), d = f64x4_load(ray->direction);
    const f64x4 o_err = f64x4_load(ray->origin_err);
    const f64x4 far = f64x4_abs(o), steep = f64x4_abs(d);
    const double largest = bvpi_larger(bound[0], bvpi_larger(bound[1], bound[2]));
    const double speed = bvpi_larger(steep[0], bvpi_larger(steep[1], steep[2]));
    const i64x4 bad = f64x4_gt(far, f64x4_splat(largest * 0x1p16)) |
                      f64x4_gt(o_err, f64x4_splat(largest * 0x1p-23)) |
                      f64x4_gt(f64x4_load(ray->direction_err), f64x4_splat(speed * 0x1p-45));
    if (!(speed > 0x1p-30 && speed < 0x1p30 && t_min >= 0 && t_min < 0x1p120) ||
        i64x4_movemask(bad) != 0)
        return false;
    const i64x4 sign = (i64x4)d & INT64_MIN;
    const f64x4 least = f64x4_splat(speed * 0x1p-42);
    const f64x4 size = f64x4_select(f64x4_lt(steep, least), least, steep);
    const f64x4 inverse = (f64x4)((i64x4)(f64x4_splat(1) / size) | sign);
    const bvpi_f32x4 of = bvpi_f32x4_from_f64x4(o), vf = bvpi_f32x4_from_f64x4(inverse);
    const bvpi_f32x4 df = bvpi_f32x4_from_f64x4(d);
    const f64x4 err = f64x4_abs(o - bvpi_f64x4_from_f32x4(of)) + o_err;
    memcpy(out->origin, &of, sizeof of);
    memcpy(out->inverse, &vf, sizeof vf);
    memcpy(out->direction, &df, sizeof df);
    bvpi_frame_ray_sides(out);
    out->err = (float)(bvpi_larger(err[0], bvpi_larger(err[1], err[2])) * (1 + 0x1p-20));
    out->t_min = (float)(t_min * (1 - 0x1p-20)) + 0.0f /* not -0 */;
    out->t_first = (float)(t_min * (1 + 0x1p-20));
    out->t_last = t_max < 0x1p120 ? (float)(t_max * (1 - 0x1p-20)) : 0x1p120f;
    return true;
}

/* The same for a ray of floats in the part's coordinates, whose numbers may be any. */
BVPI_INLINE bool bvpi_frame_ray_from_floats(bvpi_frame_ray *out, const bvp_float_ray *ray,
                                            const double bound[3])
{
    bvpi_f32x4 o, d;
    memcpy(&o, ray->origin, sizeof o);    /* and t_min */
    memcpy(&d, ray->direction, sizeof d); /* and t_max */
    const double reach = bvpi_larger(bound[0], bvpi_larger(bound[1], bound[2])) * 0x1p15;
    const bvpi_i32x4 bits = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    const bvpi_f32x4 far = (bvpi_f32x4)((bvpi_i32x4)o & bits);
    const bvpi_f32x4 steep = (bvpi_f32x4)((bvpi_i32x4)d & bits);
    const float away = bvpi_larger_float(far[0], bvpi_larger_float(far[1], far[2]));
    const float speed = bvpi_larger_float(steep[0], bvpi_larger_float(steep[1], steep[2]));
    /* What is no number is less than nothing. */
    if (!(far[0] <= away && far[1] <= away && far[2] <= away && away < (float)reach) ||
        !(steep[0] <= speed && steep[1] <= speed && steep[2] <= speed) ||
        !(speed > 0x1p-30f && speed < 0x1p30f) || !(ray->t_min >= 0 && ray->t_min < 0x1p120f) ||
        ray->t_max != ray->t_max)
        return false;
    const float least = speed * 0x1p-42f;
    const bvpi_f32x4 lowest = {least, least, least, least}, one = {1, 1, 1, 1};
    const bvpi_i32x4 low = steep < lowest;
    const bvpi_f32x4 size = (bvpi_f32x4)(((bvpi_i32x4)lowest & low) | ((bvpi_i32x4)steep & ~low));
    const bvpi_f32x4 inverse = (bvpi_f32x4)((bvpi_i32x4)(one / size) | ((bvpi_i32x4)d & ~bits));
    memcpy(out->origin, &o, sizeof o);
    memcpy(out->direction, &d, sizeof d);
    memcpy(out->inverse, &inverse, sizeof inverse);
    bvpi_frame_ray_sides(out);
    out->err = 0;
    out->t_min = ray->t_min * (1 - 0x1p-20f) + 0.0f /* not -0 */;
    out->t_first = ray->t_min;
    out->t_last = ray->t_max;
    return true;
}

BVPI_INLINE bvpi_frame_lanes bvpi_frame_spread(const bvpi_frame_ray *ray)
{
    bvpi_frame_lanes out;
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        out.origin[a] = bvpi_splat_load(&ray->origin[a]);
        out.inverse[a] = bvpi_splat_load(&ray->inverse[a]);
        out.near_at[a] = ray->near_at[a];
        out.far_at[a] = 8 ^ ray->near_at[a];
    }
    out.t_min = bvpi_splat_load(&ray->t_min);
    return out;
}

/* When the boxes are entered, and the mask of those that the ray may be in before the limit, which
 * is of bvpi_frame_limit. Empty lanes have boxes from 255 to 0. */
BVPI_INLINE unsigned bvpi_frame_boxes(const bvpi_frame_lanes *ray, float limit,
                                      const bvpd_ray_node *node, f32x8 *enter)
{
    const uint8_t *bounds = node->bounds[0];
    f32x8 in[3], out[3];
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const f32x8 k = bvpi_splat_load(&node->step[a]) * ray->inverse[a];
        const f32x8 b = (bvpi_splat_load(&node->lo[a]) - ray->origin[a]) * ray->inverse[a];
        in[a] = bvpi_mul_add(f32x8_from_u8(bounds + ray->near_at[a]), k, b);
        out[a] = bvpi_mul_add(f32x8_from_u8(bounds + ray->far_at[a]), k, b);
    }
    *enter = f32x8_max(f32x8_max(in[0], in[1]), f32x8_max(in[2], ray->t_min));
    const f32x8 leave = f32x8_min(f32x8_min(out[0], out[1]), f32x8_min(out[2], f32x8_splat(limit)));
    return i32x8_movemask(f32x8_le(*enter, leave * f32x8_splat(1 + 0x1p-20f)));
}

#endif
