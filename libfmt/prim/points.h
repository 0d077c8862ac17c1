/* SPDX-License-Identifier: MIT
 * points.h: up to six points with exact coordinates, and the signs that decide everything.
 * Spec: exactness.md, chapter 4
 */
#ifndef BVPI_PRIM_POINTS_H
#define BVPI_PRIM_POINTS_H

#include <stdbool.h>

#include "prim/big.h"

#define BVPI_POINTS_MAX 6
#define BVPI_WIDTH_MAX  3

/* A coordinate as the exact sum of products a[i] * b[i]. */
typedef struct bvpi_terms {
    double a[4], b[4];
} bvpi_terms;

/* Coordinates relative to point 0, in power-of-two units. */
typedef struct bvpi_points {
    int count;
    int width; /* 1, 2 or 3: words[] holds them, so many of each; 0: big[] does */
    double approx[BVPI_POINTS_MAX][3]; /* of big[] scaled below 1, of words[] as they are: relative
                                          error 1.01 * 2^-53 */
    uint64_t words[BVPI_POINTS_MAX][3][BVPI_WIDTH_MAX]; /* see words.h; a unit for each axis */
    bvpi_big_sum big[BVPI_POINTS_MAX][3];               /* one unit for all */
    int unit;                                           /* of big[]: 2^unit */
} bvpi_points;

/* tri[0 .. 2] placed by m (NULL: as they are) become points `first` .. first + 2 of terms. */
void bvpi_terms_of_triangle(bvpi_terms terms[][3], int first, const float tri[9], const double *m);
/* A point given by doubles. */
void bvpi_terms_of_point(bvpi_terms terms[3], const double p[3]);
/* False: something is not finite. */
bool bvpi_points_init(bvpi_points *out, bvpi_terms terms[][3], int count);

/* The corners of two placed triangles (NULL: as they are) as points 0 .. 5 in words[]. False: they
 * need too many bits, or something is not finite. */
bool bvpi_points_of_triangles(bvpi_points *out, const float a[9], const float b[9],
                              const double *ma, const double *mb);

/* Sign of det(b - a, c - a, d - a): positive when a, b, c turn left as seen from d. */
int bvpi_orient3(const bvpi_points *p, int a, int b, int c, int d);
/* side[i] = orient3(t, t + 1, t + 2, s + i) */
void bvpi_sides(const bvpi_points *p, int t, int s, int side[3]);
/* That determinant itself, in units of the points' unit cubed; needs big[]. */
void bvpi_orient3_value(bvpi_big *out, const bvpi_points *p, int a, int b, int c, int d);
/* Sign of the turn a, b, c after dropping axis `drop`; the axes keep their cyclic order. */
int bvpi_orient2(const bvpi_points *p, int a, int b, int c, int drop);
/* Sign of a - b along an axis. */
int bvpi_compare(const bvpi_points *p, int a, int b, int axis);

/* An axis along which the triangle a, a + 1, a + 2 projects to a true triangle; -1: degenerate. */
int bvpi_projection_axis(const bvpi_points *p, int a);

#endif
