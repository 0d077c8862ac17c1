/* SPDX-License-Identifier: MIT
 * box_ray.h: eight boxes of a node against one ray, in floats that never lose a box.
 * Based on: Kay and Kajiya, Ray Tracing Complex Scenes, 1986; the bound is our own (below).
 */
#ifndef BVPI_PRIM_BOX_RAY_H
#define BVPI_PRIM_BOX_RAY_H

#include <math.h>

#include "base/simd.h"
#include "format/layout.h"

/* A ray o + t d in grid steps, as the slab test wants it. The larger part of d lies in [1, 2), so
 * that t is in grid steps, too, up to a factor of 2, and nothing overflows.
 *
 * Why no box is lost. Let R >= every |o|, |corner| and |corner - o|, and u = 2^-24. The time of
 * a plane c is computed as q K + B with K = step inverse and B = (lo - edge) inverse, where edge =
 * o moved by `slack` against the plane, and c = lo + q step exactly. Multiplied by d it is off by
 * at most u R for each of: rounding edge, the difference, inverse, B, q K, the sum: 6 u R < R /
 * 2^21. A direction component below 2^-30 is replaced by 2^-30, which moves the ray by less than R
 * / 2^28 inside the box. slack = R / 2^20 is twice that: so a triangle may also be off by R / 2^21,
 * as it is after the triangle test's own rounding, and still meets its box, and the time at which
 * a box is entered is below that of every hit in it. */
typedef struct bvpi_slab_ray {
    float inverse[3];
    float edge[3]; /* near planes: origin + slack, seen along the ray */
    float edge_far[3];
    unsigned near_at[3]; /* byte offset of the near planes in bounds[axis]: 0, or 8 when d < 0 */
} bvpi_slab_ray;

/* o and d in grid steps; the larger part of d in [1, 2); radius: R above. */
static inline void bvpi_slab_ray_set(const double o[3], const double d[3], double radius,
                                     bvpi_slab_ray *out)
{
    double slack = radius * 0x1p-20;
    for (int a = 0; a < 3; a++) {
        int backward = d[a] < 0;
        double along = fabs(d[a]) < 0x1p-30 ? 0x1p-30 : fabs(d[a]);
        out->inverse[a] = (float)(backward ? -1 / along : 1 / along);
        out->edge[a] = (float)(backward ? o[a] - slack : o[a] + slack);
        out->edge_far[a] = (float)(backward ? o[a] + slack : o[a] - slack);
        out->near_at[a] = backward ? 8 : 0;
    }
}

/* The node's frame: its lower corner and the step of its children's planes, per axis. */
typedef struct bvpi_frame {
    float lo[4], step[4]; /* lanes 3 are the caller's */
} bvpi_frame;

/* Times at which the ray enters eight boxes, and whether it is in one of them between t_min
 * and t_max. bounds: any bytes. */
BVPI_INLINE i32x8 bvpi_box_ray(const bvpi_slab_ray *ray, const bvpi_frame *frame,
                               const uint8_t (*bounds)[16], float t_min, float t_max, f32x8 *enter)
{
    f32x8 in = f32x8_splat(t_min), out = f32x8_splat(t_max);
    for (int a = 0; a < 3; a++) {
        float inverse = ray->inverse[a];
        f32x8 k = f32x8_splat(frame->step[a] * inverse);
        f32x8 near_b = f32x8_splat((frame->lo[a] - ray->edge[a]) * inverse);
        f32x8 far_b = f32x8_splat((frame->lo[a] - ray->edge_far[a]) * inverse);
        f32x8 near_q = f32x8_from_u8(bounds[a] + ray->near_at[a]);
        f32x8 far_q = f32x8_from_u8(bounds[a] + (ray->near_at[a] ^ 8));
        in = f32x8_max(near_q * k + near_b, in);
        out = f32x8_min(far_q * k + far_b, out);
    }
    *enter = in;
    return f32x8_le(in, out);
}

#endif
