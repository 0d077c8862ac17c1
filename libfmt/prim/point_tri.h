/* SPDX-License-Identifier: MIT
 * point_tri.h: the point of a triangle nearest to a given point.
 * Spec: exactness.md, chapter 8
 */
#ifndef BVPI_PRIM_POINT_TRI_H
#define BVPI_PRIM_POINT_TRI_H

#include "base/simd.h"
#include "prim/nearest8.h"
#include "prim/pose.h"

/* A point prepared for the triangles of one placed part. */
typedef struct bvpi_point {
    double world[3];     /* the point, exact */
    const double *m;     /* the part's placement, exact */
    double scale, eta;   /* scale: power of two that brings m p - point below 1; eta: error of its
                            coordinates in double, scaled */
    double part[3], err; /* the point in part coordinates; bound of a coordinate's error */
    double along_err[3]; /* per unit of v: error of v . corner - v . part, corners in float */
    double per_length;   /* upper bound of the length in the part of a unit of the world */
    double part_scale;   /* the same as scale, for p - part */
    float part_hi[3],
        part_lo[3]; /* the point in part coordinates, scaled, as a sum of two floats */
    float scale_f, part_eta;
    float length_lo,
        length_hi; /* bounds of the world length of a scaled unit of part coordinates */
} bvpi_point;

/* bound: the largest |coordinate| on each axis in the part. Returns BVP_ERR_ARGUMENT if the point
 * is not finite, or overflows in part coordinates. */
bvp_status bvpi_point_init(bvpi_point *out, const bvpi_placement *placement, const double world[3],
                           const double bound[3]);

typedef struct bvpi_point_tri {
    double lo,
        hi; /* lo <= distance <= hi, world; both are 0 exactly if the point is on the triangle */
    double point[3]; /* nearest point, world, rounded to double */
} bvpi_point_tri;

/* One triangle, in part coordinates. Degenerate ones count as segments or points. The interval is
 * no wider than 2^-31 of its upper end, except for underflow. */
void bvpi_point_tri1(const bvpi_point *point, const float tri[9], bvpi_point_tri *out);
/* The same, for triangles that prim/point_tri4.h cannot answer. */
void bvpi_point_tri_general(const bvpi_point *point, const float tri[9], bvpi_point_tri *out);

/* ---- eight triangles in float ---------------------------------------------------------------- */

/* As many at once as the machine has lanes: more would not stay in registers. */
#ifdef __AVX2__
#define V       f32x8
#define MASK    i32x8
#define OP(x)   f32x8_##x
#define BITS(x) i32x8_movemask(x)
#else
#define V       bvpi_f32x4
#define MASK    bvpi_i32x4
#define OP(x)   f32x4_##x
#define BITS(x) i32x4_movemask(x)
#endif
#define NAME(x) x##_f32
#include "prim/point_bounds_of.h"

/* How far along v a triangle may begin, in part coordinates, if it is within `far` of the point in
 * the world. Infinite or not a number: that says nothing. v: any vector. */
static inline float bvpi_point_along(const bvpi_point *point, const float v[3], float far)
{
    double at = 0, err = 0x1p-120, square = 0;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const double m = (double)v[x];
        at += m * point->part[x];
        err += __builtin_fabs(m) * point->along_err[x];
        square += m * m;
    }
    const double most = at + err + (double)far * point->per_length * __builtin_sqrt(square);
    /* beyond that floats might overflow */
    return err < 0x1p80 ? (float)(most + __builtin_fabs(most) * 0x1p-22) : __builtin_inff();
}

/* Of the given lanes, those whose distance may be at most `far`, world, by how far they are along
 * the way to a box: any box is right, one around a leaf's eight triangles leaves most of them out.
 * tri[3 * corner + axis]; box: lo, hi. */
static inline unsigned bvpi_point_near8(const bvpi_point *point, const f32x8 tri[9],
                                        const float box[2][3], unsigned lanes, float far)
{
    float v[3];
    unsigned beyond = 0;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const float at = (float)point->part[x];
        const float up = at < box[0][x] ? box[0][x] : at;
        v[x] = (up > box[1][x] ? box[1][x] : up) - at;
    }
    const float most = bvpi_point_along(point, v, far);
    for (unsigned from = 0; from < 8; from += BVPI_POINT_LANES)
        beyond |= bvpi_point_beyond_f32(v, (const float *)tri + from, most) << from;
    return lanes & ~beyond;
}

/* 0 <= lo <= distance <= hi, world, of the given lanes; of others the same or infinity. The
 * interval has a width of some 2^-20 of p - point; out of float's range it is 0 to infinity. */
static inline void bvpi_point_tri8(const bvpi_point *point, const f32x8 tri[9], unsigned lanes,
                                   f32x8 *lo, f32x8 *hi)
{
    *lo = *hi = f32x8_splat(__builtin_inff());
    for (unsigned from = 0; from < 8; from += BVPI_POINT_LANES)
        if (lanes >> from & ((1u << BVPI_POINT_LANES) - 1))
            bvpi_point_bounds_f32(point, (const float *)tri + from, (float *)lo + from,
                                  (float *)hi + from);
}

#endif
