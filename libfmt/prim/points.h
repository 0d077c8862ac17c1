/* SPDX-License-Identifier: MIT
 * points.h: up to six points with exact coordinates, and the signs that all exact decisions are
 * made of.
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
    int width; /* 1, 2 or 3: words[] is valid, with this many words each; 0: big[] is valid */
    double approx[BVPI_POINTS_MAX][3]; /* of big[], scaled below 1; of words[], unscaled: relative
                                          error 1.01 * 2^-53 */
    uint64_t words[BVPI_POINTS_MAX][3][BVPI_WIDTH_MAX]; /* see words.h; a unit for each axis */
    bvpi_big_sum big[BVPI_POINTS_MAX][3];               /* one unit for all axes */
    int unit;                                           /* the unit of big[] is 2^unit */
} bvpi_points;

/* Sets terms[first .. first + 2] to the corners of tri, placed by m (NULL: the identity). */
void bvpi_terms_of_triangle(bvpi_terms terms[][3], int first, const float tri[9], const double *m);
/* Sets the terms of a point given by doubles. */
void bvpi_terms_of_point(bvpi_terms terms[3], const double p[3]);
/* Converts terms to points in big[]. False if a number is not finite. */
bool bvpi_points_init(bvpi_points *out, bvpi_terms terms[][3], int count);

/* Sets points 0 .. 5 to the corners of two placed triangles (NULL: the identity), in words[]. False
 * if they need more bits than three words hold, or a number is not finite: then use
 * bvpi_points_init. */
bool bvpi_points_of_triangles(bvpi_points *out, const float a[9], const float b[9],
                              const double *ma, const double *mb);

/* Sign of det(b - a, c - a, d - a): positive if a, b, c turn left as seen from d. */
int bvpi_orient3(const bvpi_points *p, int a, int b, int c, int d);
/* side[i] = orient3(t, t + 1, t + 2, s + i) */
void bvpi_sides(const bvpi_points *p, int t, int s, int side[3]);
/* The determinant of bvpi_orient3 itself, in the points' unit cubed; needs big[]. */
void bvpi_orient3_value(bvpi_big *out, const bvpi_points *p, int a, int b, int c, int d);
/* Sign of the turn a, b, c after dropping axis `drop`; the other axes keep their cyclic order. */
int bvpi_orient2(const bvpi_points *p, int a, int b, int c, int drop);
/* Sign of a - b along an axis. */
int bvpi_compare(const bvpi_points *p, int a, int b, int axis);

/* An axis along which the triangle a, a + 1, a + 2 projects to a triangle with area; -1 if it is
 * degenerate. */
int bvpi_projection_axis(const bvpi_points *p, int a);

#endif
