/* SPDX-License-Identifier: MIT
 * tri_ball.c: a triangle against a closed ball: by the distance in double, and where that is not
 * certain by comparing squares in integers.
 *
 * The exact stage asks, in turn, for a corner in the ball, an edge whose foot lies inside it and is
 * near enough, and the face likewise. Each is an inequality between polynomials of the coordinates:
 * no root, no quotient. Radius 0 is allowed: then the question is whether a point is on a triangle,
 * which point_tri.c asks.
 *
 * The centre is point 0 of bvpi_points and corners are relative to it. The radius joins them as the
 * coordinate of a fifth point, so that it is in the same unit.
 *
 * Degree six at most: 14,400 bits, the largest that big.h has to hold.
 *
 * Slow twin: squared distances in rationals, tests/unit/test_tri_ball.c.
 * Spec: exactness.md, chapter 9
 */
#include "prim/tri_ball.h"

#include <assert.h>
#include <math.h>

#include "prim/nearest.h"
#include "prim/points.h"

/* ---- in integers: point 0 is the centre, points 1 to 3 are the corners relative to it -------- */

static void dot(bvpi_big *out, const bvpi_big a[3], const bvpi_big b[3])
{
    bvpi_big term;
    bvpi_big_mul(out, &a[0], &b[0]);
    for (int x = 1; x < 3; x++) {
        bvpi_big_mul(&term, &a[x], &b[x]);
        bvpi_big_add(out, out, &term);
    }
}

static void cross(bvpi_big out[3], const bvpi_big a[3], const bvpi_big b[3])
{
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        bvpi_big_minor(&out[x], &a[y], &b[z], &a[z], &b[y]);
    }
}

static void difference(bvpi_big out[3], const bvpi_big a[3], const bvpi_big b[3])
{
    for (int x = 0; x < 3; x++)
        bvpi_big_sub(&out[x], &a[x], &b[x]);
}

/* a >= b */
static bool at_least(const bvpi_big *a, const bvpi_big *b)
{
    bvpi_big d;
    bvpi_big_sub(&d, a, b);
    return d.sign >= 0;
}

/* The inside of segment a b: (|a|^2 - r^2) |e|^2 <= (a . e)^2, if the foot is inside: 0 <= -a . e
 * <= |e|^2. */
static bool edge_meets_ball(const bvpi_big a[3], const bvpi_big b[3], const bvpi_big *radius_sq)
{
    bvpi_big e[3], along, ee, left, right;
    difference(e, b, a);
    dot(&along, a, e);
    dot(&ee, e, e);
    along.sign = -along.sign;
    if (ee.sign == 0 || along.sign < 0 || !at_least(&ee, &along))
        return false;
    dot(&left, a, a);
    bvpi_big_sub(&left, &left, radius_sq);
    bvpi_big_mul(&right, &left, &ee);
    bvpi_big_mul(&left, &along, &along);
    return at_least(&left, &right);
}

/* The face, if the centre's foot is inside it: (n . a)^2 <= r^2 |n|^2. */
static bool face_meets_ball(bvpi_big p[3][3], const bvpi_big *radius_sq)
{
    bvpi_big e[3], f[3], n[3], height, left, right;
    difference(e, p[1], p[0]);
    difference(f, p[2], p[0]);
    cross(n, e, f);
    if (n[0].sign == 0 && n[1].sign == 0 && n[2].sign == 0)
        return false;
    for (int i = 0; i < 3; i++) {
        cross(e, p[i], p[(i + 1) % 3]);
        dot(&left, e, n);
        if (left.sign < 0)
            return false;
    }
    /* the foot is inside, so the distance of the plane is that of the face */
    dot(&height, n, p[0]);
    bvpi_big_mul(&left, &height, &height);
    dot(&height, n, n);
    assert(height.sign > 0);
    bvpi_big_mul(&right, &height, radius_sq);
    return at_least(&right, &left);
}

static bool meets_exactly(const float tri[9], const double *m, const double centre[3],
                          double radius)
{
    bvpi_points p;
    bvpi_terms terms[5][3];
    bvpi_big radius_sq, reach, corner[3][3];
    assert(radius >= 0); /* only its square is used below */
    bvpi_terms_of_point(terms[0], centre);
    bvpi_terms_of_triangle(terms, 1, tri, m);
    /* point 4 is at distance `radius` from the centre: this converts the radius to the common
     * unit */
    bvpi_terms_of_point(terms[4], centre);
    terms[4][0].a[1] = radius;
    terms[4][0].b[1] = 1;
    if (!bvpi_points_init(&p, terms, 5))
        return false;
    assert(p.width == 0 && p.big[4][0].sign == (radius > 0));
    bvpi_big_of_sum(&reach, &p.big[4][0]);
    bvpi_big_mul(&radius_sq, &reach, &reach);
    for (int i = 0; i < 9; i++)
        bvpi_big_of_sum(&corner[i / 3][i % 3], &p.big[1 + i / 3][i % 3]);
    for (int i = 0; i < 3; i++) {
        bvpi_big distance_sq;
        dot(&distance_sq, corner[i], corner[i]);
        if (at_least(&radius_sq, &distance_sq))
            return true;
    }
    for (int i = 0; i < 3; i++)
        if (edge_meets_ball(corner[i], corner[(i + 1) % 3], &radius_sq))
            return true;
    return face_meets_ball(corner, &radius_sq);
}

/* ---- in double ------------------------------------------------------------------------------- */

#define U 0x1p-53

/* 1: meets; 0: does not; -1: not certain */
static int meets_in_double(const float tri[9], const double *m, const double centre[3],
                           double radius)
{
    bvpi_vec_f64 zero[3] = {0}, corners[3];
    bvpi_nearest_f64 best;
    double reach = radius, lo, hi;
    for (int x = 0; x < 3; x++)
        for (int k = 0; k < 3; k++) {
            double shift = (m ? m[4 * x + 3] : 0) - centre[x], sum = shift, size = fabs(shift);
            for (int j = 0; j < 3; j++) {
                double term = (m ? m[4 * x + j] : j == x) * (double)tri[3 * k + j];
                sum += term;
                size += fabs(term);
            }
            corners[k].c[x] = sum;
            reach = fmax(reach, size);
        }
    if (!(reach > 0x1p-900 && reach < 0x1p900))
        return -1;
    int exponent;
    frexp(reach, &exponent);
    double scale = ldexp(1, -exponent);
    for (int k = 0; k < 9; k++)
        corners[k / 3].c[k % 3] *= scale;
    nearest_to_origin_f64(corners, &best);
    distance_bounds_f64(zero, corners, &best, 8 * U, &lo, &hi);
    return lo > radius * scale ? 0 : hi <= radius * scale ? 1 : -1;
}

bool bvpi_tri_meets_ball(const float tri[9], const double *m, const double centre[3], double radius)
{
    int answer = meets_in_double(tri, m, centre, radius);
    return answer >= 0 ? answer : meets_exactly(tri, m, centre, radius);
}
