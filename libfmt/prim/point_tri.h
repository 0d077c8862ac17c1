/* SPDX-License-Identifier: MIT
 * point_tri.h: the point of a triangle that is nearest to a given one.
 * Spec: exactness.md, chapter 8
 */
#ifndef BVPI_PRIM_POINT_TRI_H
#define BVPI_PRIM_POINT_TRI_H

#include "base/simd.h"
#include "prim/pose.h"

/* A point made ready for the triangles of one placed part. */
typedef struct bvpi_point {
    double world[3];
    const bvpi_place *place;
    double part[3],
        err;      /* in part coordinates; error of each coordinate, the part's corners included */
    double scale; /* power of two, see bvpi_pose */
    int float_ok;
} bvpi_point;

/* place must outlive out. bound: the largest |coordinate| of each axis in the part.
 * BVP_ERR_ARGUMENT: not finite. */
bvp_status bvpi_point_init(bvpi_point *out, const bvpi_place *place, const double world[3],
                           const double bound[3]);

typedef struct bvpi_point_tri {
    double lo, hi;   /* lo <= distance <= hi, world */
    double point[3]; /* nearest point, world, rounded to double */
} bvpi_point_tri;

/* One triangle, part coordinates; degenerate ones are segments or points. */
void bvpi_point_tri1(const bvpi_point *point, const float tri[9], bvpi_point_tri *out);

/* Eight triangles in float: lower bounds of the world distance, >= 0; upper bounds. */
static inline void bvpi_point_tri8(const bvpi_point *point, const f32x8 tri[9], f32x8 *lo,
                                   f32x8 *hi)
{
    (void)point, (void)tri;
    *lo = f32x8_splat(0);
    *hi = f32x8_splat(__builtin_inff());
}

#endif
