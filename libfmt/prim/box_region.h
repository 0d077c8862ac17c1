/* SPDX-License-Identifier: MIT
 * box_region.h: which of the eight boxes of a node may meet a box, a ball or a convex region, in
 * floats that never lose one.
 * Spec: exactness.md, chapter 10, "Boxes and regions"
 */
#ifndef BVPI_PRIM_BOX_REGION_H
#define BVPI_PRIM_BOX_REGION_H

#include "base/simd.h"
#include "prim/box_point.h"

enum { BVPI_REGION_PLANES = 16 };

/* A region prepared for boxes on a grid. Its maker widens everything by the floats' error: with R
 * >= |corner| and u = 2^-24, lo and hi by 2 u R, and a plane's d by 16 u (3 R + |d|), where the
 * largest component of n is 1. */
typedef struct bvpi_grid_region {
    float lo[3], hi[3]; /* bounds */
    unsigned plane_count;
    float plane[BVPI_REGION_PLANES][4]; /* n, d; a point x is inside if n . x + d >= 0 */
    int is_ball;
    bvpi_grid_point centre; /* of a ball */
    float key_limit;
} bvpi_grid_region;

/* lo, step, bounds: as in bvpi_box_ray. NaN counts as "may". */
BVPI_INLINE_LONG unsigned bvpi_box_region(const bvpi_grid_region *region, const float lo[3],
                                          const float step[3], const uint8_t (*bounds)[16])
{
    f32x8 from[3], to[3];
    i32x8 apart = {0};
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        from[a] = f32x8_from_u8(bounds[a]) * step[a] + lo[a];
        to[a] = f32x8_from_u8(bounds[a] + 8) * step[a] + lo[a];
        apart |= f32x8_gt(from[a], f32x8_splat(region->hi[a]));
        apart |= f32x8_gt(f32x8_splat(region->lo[a]), to[a]);
    }
    for (unsigned i = 0; i < region->plane_count; i++) {
        const float *plane = region->plane[i];
        f32x8 most = f32x8_splat(plane[3]);
        BVPI_UNROLL
        for (int a = 0; a < 3; a++)
            most += (plane[a] > 0 ? to[a] : from[a]) * plane[a];
        apart |= f32x8_gt((f32x8){0}, most);
    }
    if (region->is_ball)
        apart |= f32x8_gt(bvpi_box_point(&region->centre, lo, step, bounds),
                          f32x8_splat(region->key_limit));
    return ~i32x8_movemask(apart) & 0xff;
}

#endif
