/* SPDX-License-Identifier: MIT
 * box_ray.h: the eight boxes of a node against one ray, in floats that never lose a box.
 * Spec: exactness.md, chapter 10, "Boxes and rays"
 * Based on: Kay and Kajiya, Ray Tracing Complex Scenes, 1986; the error bound is our own.
 */
#ifndef BVPI_PRIM_BOX_RAY_H
#define BVPI_PRIM_BOX_RAY_H

#include <math.h>

#include "base/simd.h"

BVPI_INLINE void f32x4_store(float *p, bvpi_f32x4 v)
{
    memcpy(p, &v, sizeof v);
}

/* A ray o + t d in the form that the slab test needs: in grid steps, with the largest component of
 * d in [1, 2), so that t is in grid steps as well, up to a factor of 2.
 *
 * Why no box is lost: let R bound every |o|, |corner| and |corner - o|, and u = 2^-24. The time of
 * the plane c = lo + q step, which is exact, is computed as q K + B with K = step inverse, B = (lo
 * - edge) inverse and edge = o moved by `slack` away from the box. Times d, it errs by at most u R
 * for each rounding: edge, difference, inverse, B, q K, sum. A direction below 2^-30 is replaced by
 * 2^-30, which moves the ray by R / 2^28. Together that is below R / 2^21.
 * slack = R / 2^20 + error, where `error` bounds how far the given ray is from the true one. So a
 * box that the true ray meets passes, and its entry time is at most R / 2^21 before the true
 * one. */
typedef struct bvpi_slab_ray {
    float inverse[4];
    float edge_near[4], edge_far[4]; /* the fourth number is unused */
    unsigned near_at[3]; /* byte offset of the near planes in bounds[axis]: 0, or 8 when d < 0 */
    double slack;
} bvpi_slab_ray;

/* inverse: of the direction, signed; infinite where the direction is 0. Axes 0 .. 2. */
BVPI_INLINE void bvpi_slab_ray_init(bvpi_slab_ray *out, f64x4 o, f64x4 inverse, double radius,
                                    double error)
{
    out->slack = radius * 0x1p-20 + error;
    const i64x4 backward = f64x4_lt(inverse, f64x4_splat(0));
    const i64x4 sign = backward & INT64_MIN;
    const f64x4 steep = f64x4_min(f64x4_abs(inverse), f64x4_splat(0x1p30));
    const f64x4 away = (f64x4)((i64x4)f64x4_splat(out->slack) ^ sign);
    f32x4_store(out->inverse, bvpi_f32x4_from_f64x4((f64x4)((i64x4)steep ^ sign)));
    f32x4_store(out->edge_near, bvpi_f32x4_from_f64x4(o + away));
    f32x4_store(out->edge_far, bvpi_f32x4_from_f64x4(o - away));
    const unsigned mask = i64x4_movemask(backward);
    BVPI_UNROLL
    for (int a = 0; a < 3; a++)
        out->near_at[a] = (mask >> a & 1) * 8;
}

/* A ray that may be in every box at any time. */
static inline void bvpi_slab_ray_everywhere(bvpi_slab_ray *out)
{
    *out = (bvpi_slab_ray){.slack = 0};
}

/* lo, step: the node's frame in grid steps: its lower corner, and the step of its children's
 * planes. bounds: of the node, any bytes. Returns the mask of boxes that the ray may be in between
 * t_min and t_max; enter: the times of entry. NaN counts as "may". */
BVPI_INLINE unsigned bvpi_box_ray(const bvpi_slab_ray *ray, const float lo[3], const float step[3],
                                  const uint8_t (*bounds)[16], float t_min, float t_max,
                                  f32x8 *enter)
{
    f32x8 in = f32x8_splat(t_min), out = f32x8_splat(t_max);
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const float inverse = ray->inverse[a], k = step[a] * inverse;
        const float near_b = (lo[a] - ray->edge_near[a]) * inverse;
        const float far_b = (lo[a] - ray->edge_far[a]) * inverse;
        const uint8_t *near = bounds[a] + ray->near_at[a], *far = bounds[a] + (8 ^ ray->near_at[a]);
        in = f32x8_max(f32x8_from_u8(near) * k + near_b, in);
        out = f32x8_min(f32x8_from_u8(far) * k + far_b, out);
    }
    *enter = in;
    return ~i32x8_movemask(f32x8_gt(in, out)) & 0xff;
}

#endif
