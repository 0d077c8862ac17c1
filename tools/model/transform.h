/* SPDX-License-Identifier: MIT
 * transform.h: placements as files write them, as row-major 3x4 matrices.
 */
#ifndef TRANSFORM_H
#define TRANSFORM_H

/* Of 16 numbers by columns, the last row being 0 0 0 1: 0; -1 when that row is another one. */
int transform_from_columns(const double columns[16], double out[12]);
/* Of 12 numbers by rows, or 16 of which the last four are 0 0 0 1. */
int transform_from_rows(const double *rows, int count, double out[12]);
/* a * b, and a * scaled by s: what b, or s, does comes first. */
void transform_multiply(const double a[12], const double b[12], double out[12]);
void transform_scale(double a[12], const double s[3]);
/* What b is as seen from a, which is usable: the inverse of a, times b. */
void transform_relative(const double a[12], const double b[12], double out[12]);
/* Moved, turned by a quaternion x, y, z, w of any length but 0, scaled: T * R * S. */
void transform_from_trs(const double move[3], const double turn[4], const double scale[3],
                        double out[12]);
/* Turned about the fixed axes x, y and z in this order, by the angles of these sines and cosines,
 * then moved. */
void transform_from_turns(const double sine[3], const double cosine[3], const double move[3],
                          double out[12]);
/* Are all numbers finite and is the linear part's determinant neither 0 nor beyond doubles? */
int transform_is_usable(const double m[12]);

#endif
