/* SPDX-License-Identifier: MIT
 * oracle_gmp.h: geometric answers in exact rational arithmetic, for tests; slow, independent of the
 * library's code. Not thread-safe. Arguments: corners in part coordinates, 3x4 placements (NULL:
 * the identity), all taken as exact reals; everything finite.
 */
#ifndef ORACLE_GMP_H
#define ORACLE_GMP_H

#include <gmp.h>

enum { ORACLE_MEET = 1, ORACLE_PROPER = 2 };

/* 0, ORACLE_MEET, or both bits: the planes differ and the relative interiors meet. */
int oracle_tri_tri(const float a[9], const float b[9], const double *ma, const double *mb);

/* Squared distance of two closed triangles; out is initialised. */
void oracle_tri_tri_distance_sq(mpq_t out, const float a[9], const float b[9], const double *ma,
                                const double *mb);
void oracle_point_tri_distance_sq(mpq_t out, const double point[3], const float tri[9],
                                  const double *m);

/* Nonzero when the line origin + t direction meets the triangle in one point; t is then set. */
int oracle_ray_tri(mpq_t t, const double origin[3], const double direction[3], const float tri[9],
                   const double *m);

int oracle_tri_box(const float tri[9], const double *m, const double lo[3], const double hi[3]);
int oracle_tri_ball(const float tri[9], const double *m, const double centre[3], double radius);
/* planes: n, d; inside is n . x + d >= 0. */
int oracle_tri_region(const float tri[9], const double *m, const double *planes, int plane_count);

/* Is lo <= sqrt(d_sq) <= hi? For finite lo >= 0; hi may be infinite. */
int oracle_sqrt_between(const mpq_t d_sq, double lo, double hi);

#endif
