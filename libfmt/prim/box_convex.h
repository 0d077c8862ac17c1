/* SPDX-License-Identifier: MIT
 * box_convex.h: how near the eight boxes of a node may be to a convex body, in floats that never
 * overstate the distance.
 * Spec: exactness.md, chapter 13
 */
#ifndef BVPI_PRIM_BOX_CONVEX_H
#define BVPI_PRIM_BOX_CONVEX_H

#include <stdbool.h>

#include "base/simd.h"
#include "prim/box_point.h"

/* A convex body prepared for boxes on a grid. The key of a box is the larger of two squared gaps:
 * to the body's bounds along the grid, in grid steps, and to its bounds along its own axes, in the
 * length that a step has in the world at least. Its maker widens both by the floats' error: with R
 * >= |corner| and |bound| and u = 2^-24, the former by 8 u R, the latter by 16 u times the sum of
 * the magnitudes. Squares and sums err by a factor of 1 + 8 u.
 * Far: so far away that floats do not tell the boxes apart, the body is a point (box_point.h) whose
 * base is less by how far it reaches towards the boxes. */
typedef struct bvpi_grid_convex {
    float lo[3], hi[3];
    unsigned axis_count;  /* 3, or 0: no own axes */
    float n[3][4];        /* n . x + n[3] is the position of point x along an own axis */
    float from[3], to[3]; /* the body's bounds along it */
    bool is_far;
    bvpi_grid_point point;
    double radius; /* of a ball around it that holds the body, unless the point is far, too */
    double length; /* lower bound of a grid step's length in the world */
} bvpi_grid_convex;

/* The largest key of a box that may hold something within a world distance of `limit`. */
static inline float bvpi_grid_convex_limit(const bvpi_grid_convex *c, double limit)
{
    if (c->is_far)
        return bvpi_grid_point_limit(&c->point, (limit + c->radius) * (1 + 0x1p-50));
    const double steps = limit / c->length;
    return (float)(steps * steps * (1 + 0x1p-15));
}

/* Squared gap along the body's own axes. */
BVPI_INLINE_LONG f32x8 bvpi_own_gaps(const bvpi_grid_convex *c, const f32x8 from[3],
                                     const f32x8 to[3])
{
    f32x8 key = {0};
    for (unsigned i = 0; i < c->axis_count; i++) {
        const float *n = c->n[i];
        f32x8 low = f32x8_splat(n[3]), high = low;
        BVPI_UNROLL
        for (int a = 0; a < 3; a++) {
            low += (n[a] > 0 ? from[a] : to[a]) * n[a];
            high += (n[a] > 0 ? to[a] : from[a]) * n[a];
        }
        f32x8 gap = f32x8_max(low - c->to[i], c->from[i] - high);
        gap = f32x8_max(gap, (f32x8){0});
        key += gap * gap;
    }
    return key;
}

/* Keys of the boxes of a node in this frame: its lower corner and one step, in grid steps. */
BVPI_INLINE_LONG f32x8 bvpi_box_convex(const bvpi_grid_convex *c, const float lo[3],
                                       const float step[3], const uint8_t (*bounds)[16])
{
    f32x8 key = {0}, from[3], to[3];
    if (c->is_far)
        return bvpi_box_point(&c->point, lo, step, bounds);
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        from[a] = f32x8_from_u8(bounds[a]) * step[a] + lo[a];
        to[a] = f32x8_from_u8(bounds[a] + 8) * step[a] + lo[a];
        f32x8 gap = f32x8_max(from[a] - c->hi[a], c->lo[a] - to[a]);
        gap = f32x8_max(gap, (f32x8){0});
        key += gap * gap;
    }
    return f32x8_max(key, bvpi_own_gaps(c, from, to));
}

#endif
