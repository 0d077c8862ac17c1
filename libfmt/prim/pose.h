/* SPDX-License-Identifier: MIT
 * pose.h: placements prepared for the primitive tests: inverses, relative placements, stretches.
 *
 * A placement is 12 doubles, row-major 3x4, taken as exact real numbers; NULL is the identity.
 * Everything computed from it comes with a rigorous error bound.
 * Spec: exactness.md, chapters 2 and 3
 */
#ifndef BVPI_PRIM_POSE_H
#define BVPI_PRIM_POSE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/dd.h"
#include "bvpack.h"

/* ---- one body in the world ------------------------------------------------------------------- */

/* The inverse of a linear part as cofactors over the determinant. Cofactors are differences of
 * exact products, with a relative error of 3 * 2^-106. */
typedef struct bvpi_adjugate {
    bvpi_dd c[9]; /* the inverse's entry (i, k) is c[3 * i + k] / det */
    bvpi_dd det, inverse_det;
    double det_terms; /* sum of the magnitudes of the terms of det */
    bool is_ready;
} bvpi_adjugate;

typedef struct bvpi_placement {
    double m[12];      /* as given, from part coordinates to the world; exact by definition */
    double inverse[9]; /* of the linear part; each entry errs by at most inverse_err */
    double inverse_err[9];
    double size_min, size_max; /* bounds of the singular values, rounded outward: a map of the part
                                  stretches every length by a factor in this range */
    int is_identity;           /* bitwise the identity, or NULL was given */
    int is_tame;    /* inverse_err is small: double arithmetic is good enough wherever it does not
                       decide an answer */
    int is_similar; /* size_max <= size_min (1 + 2^-40): a rotation times a uniform scale, possibly
                       mirrored */
    bvpi_adjugate *adjugate; /* where rays keep it from the first one on; or NULL */
} bvpi_placement;

/* Bit by bit; the numbers that mostly differ come first. */
static inline bool bvpi_is_identity(const double m[12])
{
    static const uint8_t order[12] = {3, 7, 11, 0, 5, 10, 1, 2, 4, 6, 8, 9};
    for (int k = 0; k < 12; k++) {
        uint64_t bits;
        memcpy(&bits, &m[order[k]], sizeof bits);
        if (bits != (order[k] % 5 == 0 ? UINT64_C(0x3ff0000000000000) : 0))
            return false;
    }
    return true;
}

/* Returns BVP_ERR_ARGUMENT if an entry is not finite or out of range (exactness.md, chapter 1), or
 * if double-double arithmetic cannot tell the linear part from a singular one. */
bvp_status bvpi_placement_init(bvpi_placement *placement, const double *m);

/* Is the placement so clearly one that bvpi_placement_init() accepts that doubles decide it? Of
 * singular or extreme ones nothing is said. Its entries are below 2^100, its translation below
 * 2^300. */
bool bvpi_placement_is_plain(const double m[12]);

/* out = M^-1 world; coordinate i errs by at most err[i]. */
void bvpi_placement_point_to_part(const bvpi_placement *placement, const double world[3],
                                  double out[3], double err[3]);
/* The same for a direction: L^-1 world, without the translation. */
void bvpi_placement_vector_to_part(const bvpi_placement *placement, const double world[3],
                                   double out[3], double err[3]);
/* Origin and direction of a ray in double-double. The inverse is computed for this call. */
void bvpi_placement_ray_to_part(const bvpi_placement *placement, const double origin[3],
                                const double direction[3], bvpi_dd o[3], double o_err[3],
                                bvpi_dd d[3], double d_err[3]);
/* out = M part, computed in double-double and rounded once. */
void bvpi_placement_point_to_world(const bvpi_placement *placement, const double part[3],
                                   double out[3]);

/* ---- two bodies ------------------------------------------------------------------------------ */

typedef struct bvpi_pose {
    double ma[12], mb[12]; /* as given, exact by definition */
    int same;     /* the placements are bitwise equal: part coordinates are comparable directly */
    int is_flush; /* same, or both placements only permute axes, mirror and translate. Faces are
                     then often flush, and the exact test is cheap */

    /* Frame of A: x = MA^-1 MB, each entry errs by at most x_err. */
    double x[12], x_err[12];
    double reach; /* at least |a|, |x b| and |x b - a| in each coordinate, for all points in the
                     bounds */
    double eta; /* at least the error of a coordinate of x b - a computed in double, in any order */
    double scale; /* power of two: scale * reach is in [1/2, 1), unless reach is out of range (see
                     float_ok) */
    int float_ok; /* scale is a normal float; if not, the float filters decide nothing */

    /* Frame parallel to the world with its origin at A's translation. Points of A are world_a a
     * (3x3), points of B are world_b b (3x4). reach, eta and scale have the same meaning as
     * above. */
    double world_a[9], world_b[12];
    double world_reach, world_eta, world_scale;
    int world_float_ok;

    /* Float distances are computed in A's frame if its placement stretches all directions alike
     * (own_frame), else in the frame parallel to the world. A scaled length found there, times
     * these bounds, bounds the world length. 0 and infinity if out of float's range. */
    int own_frame;
    float length_lo, length_hi;
    double a_size_min, a_size_max, b_size_min, b_size_max; /* see bvpi_placement */
} bvpi_pose;

/* ma, mb: placements of A and B, or NULL. bound_a, bound_b: the largest |coordinate| on each axis
 * in either part, including its boxes where eta shall cover them. Returns the statuses of
 * bvpi_placement_init. */
bvp_status bvpi_pose_init(bvpi_pose *pose, const double *ma, const double *mb,
                          const double bound_a[3], const double bound_b[3]);

/* Computes the frame parallel to the world, from bounds of the corners alone: no boxes are placed
 * in that frame. */
void bvpi_pose_bound_corners(bvpi_pose *pose, const double bound_a[3], const double bound_b[3]);

/* As bvpi_pose_init, from prepared placements, but without the frame parallel to the world. */
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
/* chain = chain * (translation by origin) */
void bvpi_chain_translate(bvpi_chain *chain, const double origin[3]);
/* Rounds each entry once. Returns BVP_ERR_ARGUMENT if one is not finite. */
bvp_status bvpi_chain_round(const bvpi_chain *chain, double out[12]);
/* out = a * b, rounded once. If one of them is bitwise the identity (or NULL), out is the other,
 * unchanged. */
bvp_status bvpi_compose(const double *a, const double *b, double out[12]);

#endif
