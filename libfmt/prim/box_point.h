/* SPDX-License-Identifier: MIT
 * box_point.h: how near the eight boxes of a node may be to a point, in floats that never overstate
 * the distance.
 * Spec: exactness.md, chapter 10, "Boxes and points"
 */
#ifndef BVPI_PRIM_BOX_POINT_H
#define BVPI_PRIM_BOX_POINT_H

#include <math.h>

#include "base/simd.h"

/* A point prepared for boxes on a grid. Boxes are compared by a key that grows with their distance.
 *
 * Near: the key is the squared gap between point and box, in grid steps. With R >= |point| and
 * |corner|, and u = 2^-24, the gap along an axis errs by at most u R for rounding the point and 2 u
 * R for the difference; slack is 4 u R plus the point's own error. Squares and sums err by a factor
 * of 1 + 4 u.
 * Far, where u R exceeds the size of the boxes: with c the point of the root box nearest to the
 * point and n the direction from the point to c, every x has |x - point| >= |c - point| + n . (x -
 * c). The key is the least n . (x - c) in the box; it errs by less than margin = 16 u R, R >=
 * |corner - c|. */
typedef struct bvpi_grid_point {
    int is_far;
    float point[3], slack;    /* near */
    float n[3], c[3], margin; /* far */
    double base;              /* far: |c - point|, rounded down, in grid steps */
    double length;            /* lower bound of a grid step's length in the world */
} bvpi_grid_point;

/* point: in grid steps, with the given error; extent: of the root box; length: see above. */
static inline void bvpi_grid_point_init(bvpi_grid_point *out, const double point[3], double error,
                                        const uint32_t extent[3], double length)
{
    double c[3], gap[3], sum = 0, radius = 0, size = 0;
    for (int a = 0; a < 3; a++) {
        c[a] = bvpi_smaller(bvpi_larger(point[a], 0), extent[a]);
        gap[a] = c[a] - point[a];
        sum += gap[a] * gap[a];
        size = bvpi_larger(size, extent[a]);
        radius = bvpi_larger(radius, bvpi_larger(fabs(point[a]), extent[a]));
    }
    const double distance = sqrt(sum);
    out->is_far = distance > 0x1p34;
    out->slack = (float)((radius * 0x1p-22 + error) * 1.0001);
    out->margin = (float)(size * 0x1p-20);
    out->base = distance * (1 - 0x1p-50) - 2 * error;
    out->length = length;
    for (int a = 0; a < 3; a++) {
        out->point[a] = (float)point[a];
        out->c[a] = (float)c[a];
        out->n[a] = out->is_far ? (float)(gap[a] / distance) : 0;
    }
}

/* The largest key of a box that may hold something within a world distance of `limit`. */
static inline float bvpi_grid_point_limit(const bvpi_grid_point *p, double limit)
{
    const double steps = limit / p->length * (1 + 0x1p-50);
    const double beyond = steps - p->base;
    if (p->is_far)
        return (float)(beyond + fabs(beyond) * 0x1p-22 + p->margin);
    return (float)(steps * steps * (1 + 0x1p-20));
}

/* Keys of the boxes of a node in this frame: its lower corner and one step, in grid steps. */
BVPI_INLINE f32x8 bvpi_box_point(const bvpi_grid_point *p, const float lo[3], const float step[3],
                                 const uint8_t (*bounds)[16])
{
    f32x8 key = {0};
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const f32x8 from = f32x8_from_u8(bounds[a]) * step[a] + lo[a];
        const f32x8 to = f32x8_from_u8(bounds[a] + 8) * step[a] + lo[a];
        if (p->is_far) {
            key += ((p->n[a] > 0 ? from : to) - p->c[a]) * p->n[a];
        } else {
            f32x8 gap = f32x8_max(from - p->point[a], p->point[a] - to) - p->slack;
            gap = f32x8_max(gap, (f32x8){0});
            key += gap * gap;
        }
    }
    return key;
}

#endif
