/* SPDX-License-Identifier: MIT
 * tri_ray.h: where a ray meets closed triangles, eight at a time; exact in the real numbers, hence
 * watertight.
 * Spec: exactness.md, chapter 7
 */
#ifndef BVPI_PRIM_TRI_RAY_H
#define BVPI_PRIM_TRI_RAY_H

#include "base/simd.h"
#include "prim/pose.h"

/* A ray made ready for the triangles of one placed part. */
typedef struct bvpi_tri_ray {
    double world_origin[3], world_direction[3]; /* as given, exact */
    double m[12];                               /* the part's placement, exact */
    int is_identity;
    double origin[3], direction[3]; /* in part coordinates */
    double origin_err[3], direction_err[3];
    int kx, ky, kz; /* kz: the axis of the largest |direction| */
    double shear_x, shear_y, shear_z;
    double err; /* see exactness.md */
    float origin_f[3], shear_f[2], err_f;
} bvpi_tri_ray;

/* bound: the largest |coordinate| of each axis in the part. BVP_ERR_ARGUMENT: not finite, or a
 * direction of length zero. */
bvp_status bvpi_tri_ray_init(bvpi_tri_ray *out, const bvpi_place *place, const double origin[3],
                             const double direction[3], const double bound[3]);

typedef struct bvpi_tri_ray_hit {
    double t, u, v; /* parameter; barycentric coordinates of corners 1 and 2 */
} bvpi_tri_ray_hit;

/* One triangle, part coordinates: nonzero when the line through the ray meets it; hit->t may have
 * any sign. A triangle whose plane holds the ray's direction, and a degenerate one, is never hit.
 */
int bvpi_tri_ray1(const bvpi_tri_ray *ray, const float tri[9], bvpi_tri_ray_hit *hit);

/* Eight triangles, tri[3 * corner + axis]; lanes: those in play. Returns the mask of the lanes hit
 * with t_min <= t <= t_max and fills their hits. */
static inline unsigned bvpi_tri_ray8(const bvpi_tri_ray *ray, const f32x8 tri[9], unsigned lanes,
                                     double t_min, double t_max, bvpi_tri_ray_hit hits[8])
{
    unsigned out = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        unsigned lane = bvpi_lowest_bit(lanes);
        float corners[9];
        for (int k = 0; k < 9; k++)
            corners[k] = tri[k][lane];
        if (bvpi_tri_ray1(ray, corners, &hits[lane]) && hits[lane].t >= t_min &&
            hits[lane].t <= t_max)
            out |= 1u << lane;
    }
    return out;
}

#endif
