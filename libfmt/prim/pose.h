/* SPDX-License-Identifier: MIT
 * pose.h: placements made ready for the primitive tests: inverses, relative placements, metrics.
 *
 * A placement is 12 doubles, row-major 3x4, taken as exact reals; NULL is the identity. What is
 * computed from it comes with a rigorous error bound.
 * Spec: exactness.md, chapters 2 and 3
 */
#ifndef BVPI_PRIM_POSE_H
#define BVPI_PRIM_POSE_H

#include "base/dd.h"
#include "bvpack.h"

/* ---- one body in the world ------------------------------------------------------------------- */

typedef struct bvpi_placement {
    double m[12];      /* as given: part coordinates to world, exact by definition */
    double inverse[9]; /* of the linear part; each entry within inverse_err */
    double inverse_err[9];
    double size_min, size_max; /* lengths grow by factors in [size_min, size_max]: bounds of the
                                  singular values, rounded outward */
    int is_identity;           /* bitwise the identity, or NULL was given */
    int is_tame;    /* inverse_err is small, and computing with the inverse in double is good enough
                       where answers do not depend on it */
    int is_similar; /* size_max <= size_min (1 + 2^-40): rotation times uniform scale, maybe
                       mirrored */
} bvpi_placement;

/* BVP_ERR_ARGUMENT: an entry is not finite, the linear part is singular (or not told apart from a
 * singular one by double-double arithmetic), or an entry is out of range: exactness.md, chapter 1.
 */
bvp_status bvpi_placement_init(bvpi_placement *placement, const double *m);

/* out = M^-1 world, each coordinate within err[i] of the exact one. */
void bvpi_placement_point_to_part(const bvpi_placement *placement, const double world[3],
                                  double out[3], double err[3]);
/* The same for a direction: L^-1 world. */
void bvpi_placement_vector_to_part(const bvpi_placement *placement, const double world[3],
                                   double out[3], double err[3]);
/* Both at once in double-double, whose inverse is computed for it. */
void bvpi_placement_ray_to_part(const bvpi_placement *placement, const double origin[3],
                                const double direction[3], bvpi_dd o[3], double o_err[3],
                                bvpi_dd d[3], double d_err[3]);
/* out = M part, rounded in double (relative error some 2^-52 of the terms). */
void bvpi_placement_point_to_world(const bvpi_placement *placement, const double part[3],
                                   double out[3]);

/* ---- two bodies ------------------------------------------------------------------------------ */

typedef struct bvpi_pose {
    double ma[12], mb[12]; /* as given, exact by definition */
    int same;     /* bitwise equal placements: part coordinates are comparable as they are */
    int is_flush; /* same, or both only permute, mirror and translate: faces may well be flush, and
                     the exact test is cheap */

    /* Frame of A: x = MA^-1 MB, each entry within x_err of the exact one. */
    double x[12], x_err[12];
    double reach; /* >= |a|, |x b| and |x b - a| in each coordinate, for all points in the bounds */
    double eta;   /* >= error of a coordinate of x b - a computed in double, in any order */
    double scale; /* power of two; scale * reach is in [1/2, 1), or reach is out of range (see
                     float_ok) */
    int float_ok; /* scale is a normal float; else the float filters decide nothing */

    /* Frame parallel to the world, its origin at A's translation: points of A are world_a a (3x3),
     * points of B world_b b (3x4); the same bounds. */
    double world_a[9], world_b[12];
    double world_reach, world_eta, world_scale;
    int world_float_ok;

    /* Float distances are computed in A's frame when its placement stretches all directions alike
     * (own_frame), else parallel to the world. What is found there, in scaled units, times these
     * bounds is a world length; 0 and infinity when out of float's range. */
    int own_frame;
    float length_lo, length_hi;
    double a_size_min, a_size_max, b_size_min, b_size_max; /* see bvpi_placement */
} bvpi_pose;

/* ma, mb: placements of A and B, or NULL; bound_a, bound_b: the largest |coordinate| of each axis
 * in either part (of its boxes too, where eta is to cover them). Statuses as bvpi_placement_init.
 */
bvp_status bvpi_pose_init(bvpi_pose *pose, const double *ma, const double *mb,
                          const double bound_a[3], const double bound_b[3]);

/* The frame parallel to the world, where nothing but corners is placed, for smaller bounds: those
 * of the corners alone. */
void bvpi_pose_bound_corners(bvpi_pose *pose, const double bound_a[3], const double bound_b[3]);

/* The same from placements that are ready. */
void bvpi_pose_init_placed(bvpi_pose *pose, const bvpi_placement *a, const bvpi_placement *b,
                           const double bound_a[3], const double bound_b[3]);

/* ---- products -------------------------------------------------------------------------------- */

/* A product of placements in double-double. */
typedef struct bvpi_chain {
    bvpi_dd m[12];
} bvpi_chain;

/* chain = m, or the identity for NULL. */
void bvpi_chain_init(bvpi_chain *chain, const double *m);
/* chain = chain * m: m acts on points first. */
void bvpi_chain_mul(bvpi_chain *chain, const double m[12]);
/* chain = chain * translation by origin. */
void bvpi_chain_translate(bvpi_chain *chain, const double origin[3]);
/* Each entry rounded once. BVP_ERR_ARGUMENT when one is not finite. */
bvp_status bvpi_chain_round(const bvpi_chain *chain, double out[12]);
/* out = a * b, rounded once; where one of them is bitwise the identity (or NULL), the other itself.
 */
bvp_status bvpi_compose(const double *a, const double *b, double out[12]);

#endif
