/* SPDX-License-Identifier: MIT
 * range_oracle.h: exact answers about many placed triangles, at any size that coordinates may have:
 * extended precision with an error bound decides most, rational arithmetic (oracle_gmp.h) what is
 * left. Shares no code with the library.
 */
#ifndef RANGE_ORACLE_H
#define RANGE_ORACLE_H

#include <gmp.h>
#include <stdint.h>

/* A triangle in the world. */
typedef struct range_tri {
    const float *stored;      /* 9 */
    const double *placement;  /* 12 */
    long double p[3][3];      /* corners, each coordinate within err */
    long double lo[3], hi[3]; /* err included */
    long double err;
    long double size; /* at least the largest |coordinate| */
} range_tri;

void range_place(range_tri *out, const float stored[9], const double placement[12]);

/* As oracle_tri_tri. */
int range_meet(const range_tri *a, const range_tri *b);

/* lo <= distance <= hi; lo is 0 when the triangles meet or nothing better is known. */
void range_distance(const range_tri *a, const range_tri *b, long double *lo, long double *hi);
/* A lower bound from the boxes alone. */
long double range_box_gap(const range_tri *a, const range_tri *b);

/* Is the distance at least lo, is it at most hi? Exactly. */
int range_at_least(const range_tri *a, const range_tri *b, double lo);
int range_at_most(const range_tri *a, const range_tri *b, double hi);

/* The same of a point, and whether a point is within `reach` of a triangle. */
void range_point_distance(const range_tri *a, const double point[3], long double *lo,
                          long double *hi);
int range_point_at_least(const range_tri *a, const double point[3], double lo);
int range_point_at_most(const range_tri *a, const double point[3], double hi);

/* As oracle_ray_tri, oracle_tri_box and oracle_tri_region. */
int range_ray(mpq_t t, const range_tri *a, const double origin[3], const double direction[3]);
int range_box(const range_tri *a, const double lo[3], const double hi[3]);
int range_region(const range_tri *a, const double *planes, int plane_count);

/* The least altitude of a triangle and its longest edge, roughly. */
void range_shape(const range_tri *a, long double *altitude, long double *longest);

/* How many questions went to rational arithmetic. */
extern uint64_t range_exact_count;

#endif
