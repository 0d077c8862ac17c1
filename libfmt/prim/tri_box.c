/* SPDX-License-Identifier: MIT
 * tri_box.c: a triangle against a convex region: clipped by one half-space after the other, with
 * exact signs.
 *
 * Clipping normally computes the corners of what is left, and their rounding errors add up. Here a
 * corner is never computed. It is stored as the pair of lines that meet in it: edges of the
 * triangle, or boundaries of half-spaces in the triangle's plane. In barycentric coordinates each
 * such line is a vector of three numbers (the half-space's values at the three corners), and the
 * side of a corner is the sign of a 3 x 3 determinant. So every decision depends on the input
 * alone, and errors cannot accumulate.
 *
 * Signs are computed in double with an error bound, and in big integers if that is not certain.
 *
 * Invariants of `polygon`: it is convex, its corners are in order, and edge[i] is the line between
 * corners i and i + 1. It may shrink to a segment or a point, which still counts as a meeting:
 * regions are closed. A new corner is made only between corners on strictly different sides, so its
 * two lines are not parallel. sum_sign corrects the sign of a determinant for the corner's scale,
 * which may be negative.
 *
 * Slow twin: clipping in rationals, tests/unit/test_tri_box.c; whole queries against brute force,
 * tests/property/test_overlap.c.
 * Spec: exactness.md, chapter 9
 */
#include "prim/tri_box.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "prim/big.h"

#define U           0x1p-53
#define CORNERS_MAX (3 + BVPI_REGION_PLANES_MAX)

/* Points of the triangle are given by barycentric coordinates. A half-space is then a linear
 * function of them, given by its values at the three corners. Lines 0, 1, 2 are the edges opposite
 * to those corners, line 3 + i is the boundary of half-space i. */
typedef struct lines {
    const float *tri;
    const double *m, *planes;     /* m may be NULL */
    double value[CORNERS_MAX][3]; /* scaled below 1 by a power of two */
    double err[CORNERS_MAX];      /* of each of the three values */
} lines;

/* The point where two lines meet. sum_sign: sign of the sum of coordinates of the lines' cross
 * product. */
typedef struct corner {
    int line, other, sum_sign;
} corner;

typedef struct polygon {
    int count;
    corner at[CORNERS_MAX + 1];
    int edge[CORNERS_MAX + 1]; /* the line of the edge that follows each corner */
} polygon;

/* ---- values in double ------------------------------------------------------------------------ */

static double entry(const double *m, int row, int column)
{
    return m ? m[4 * row + column] : row == column;
}

static void init_plane(lines *l, int i)
{
    const double *n = l->planes + 4 * i;
    double value[3], terms = 0;
    assert(i >= 0 && i < BVPI_REGION_PLANES_MAX);
    for (int k = 0; k < 3; k++) {
        double sum = n[3], size = fabs(n[3]);
        for (int x = 0; x < 3; x++) {
            double p = entry(l->m, x, 3), p_size = fabs(p);
            for (int j = 0; j < 3; j++) {
                double term = entry(l->m, x, j) * (double)l->tri[3 * k + j];
                p += term;
                p_size += fabs(term);
            }
            sum += n[x] * p;
            size += fabs(n[x]) * p_size;
        }
        value[k] = sum;
        terms = fmax(terms, size);
    }
    int exponent;
    frexp(terms, &exponent);
    for (int k = 0; k < 3; k++)
        l->value[3 + i][k] = ldexp(value[k], -exponent);
    /* at most ten operations in sequence */
    l->err[3 + i] = ldexp(12 * U * terms, -exponent) + 0x1p-900;
    if (!(terms < 0x1p1000) ||
        !(terms > 0x1p-900)) { /* overflow or underflow: nothing is certain */
        memset(l->value[3 + i], 0, sizeof l->value[0]);
        l->err[3 + i] = 2;
    }
}

/* ---- values in integers ---------------------------------------------------------------------- */

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* The largest unit that divides all coordinates of the placed corners. */
static int corner_unit(const lines *l)
{
    int tri = INT_MAX, linear = INT_MAX, translation = INT_MAX;
    for (int k = 0; k < 9; k++)
        tri = min_int(tri, bvpi_lowest_exponent((double)l->tri[k]));
    for (int x = 0; x < 3; x++) {
        for (int j = 0; j < 3; j++)
            linear = min_int(linear, bvpi_lowest_exponent(entry(l->m, x, j)));
        translation = min_int(translation, bvpi_lowest_exponent(entry(l->m, x, 3)));
    }
    int product = tri == INT_MAX || linear == INT_MAX ? INT_MAX : tri + linear;
    int unit = min_int(product, translation);
    return unit == INT_MAX ? 0 : unit;
}

/* The value of half-space `i` at corner k, in a unit that depends on the half-space only. */
static void exact_value(const lines *l, int i, int k, bvpi_big *out)
{
    const double *n = l->planes + 4 * i;
    int unit = corner_unit(l), n_unit = bvpi_lowest_exponent(n[3]);
    n_unit = n_unit == INT_MAX ? INT_MAX : n_unit - unit;
    for (int x = 0; x < 3; x++)
        n_unit = min_int(n_unit, bvpi_lowest_exponent(n[x]));
    bvpi_big_zero(out);
    if (n_unit == INT_MAX)
        return;
    bvpi_big_add_product(out, n[3], 1, n_unit + unit);
    for (int x = 0; x < 3; x++) {
        bvpi_big p, factor, product;
        bvpi_big_zero(&p);
        bvpi_big_zero(&factor);
        for (int j = 0; j < 3; j++)
            bvpi_big_add_product(&p, entry(l->m, x, j), (double)l->tri[3 * k + j], unit);
        bvpi_big_add_product(&p, entry(l->m, x, 3), 1, unit);
        bvpi_big_add_product(&factor, n[x], 1, n_unit);
        bvpi_big_mul(&product, &factor, &p);
        bvpi_big_add(out, out, &product);
    }
}

/* The three values of a line, up to a common positive factor. */
static void exact_values(const lines *l, int line, bvpi_big out[3])
{
    for (int k = 0; k < 3; k++) {
        if (line >= 3) {
            exact_value(l, line - 3, k, &out[k]);
            continue;
        }
        bvpi_big_zero(&out[k]);
        if (k == line)
            bvpi_big_add_product(&out[k], 1, 1, 0);
    }
}

/* ---- signs ----------------------------------------------------------------------------------- */

/* The sign of det(line a, line b, c); c is a line, or, if negative, the sum of the coordinates. */
static int det_sign(const lines *l, int a, int b, int c)
{
    static const double ones[3] = {1, 1, 1};
    const double *u = l->value[a], *v = l->value[b], *w = c < 0 ? ones : l->value[c];
    double det = u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
                 u[2] * (v[0] * w[1] - v[1] * w[0]);
    /* six products of three factors, each below 1 + err */
    double err = l->err[a] + l->err[b] + (c < 0 ? 0 : l->err[c]);
    double bound = 6.1 * (err + 6 * U) + 0x1p-900;
    if (err < 0x1p-20 && fabs(det) > bound)
        return det > 0 ? 1 : -1;
    /* Not certain. A line's exact values are known up to a positive factor, which the sign does not
     * show. */
    bvpi_big x[3], y[3], z[3];
    exact_values(l, a, x);
    exact_values(l, b, y);
    if (c >= 0)
        exact_values(l, c, z);
    for (int k = 0; k < 3 && c < 0; k++) {
        bvpi_big_zero(&z[k]);
        bvpi_big_add_product(&z[k], 1, 1, 0);
    }
    bvpi_big minor, term, sum;
    bvpi_big_zero(&sum);
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        bvpi_big_minor(&minor, &y[k1], &z[k2], &y[k2], &z[k1]);
        bvpi_big_mul(&term, &x[k], &minor);
        bvpi_big_add(&sum, &sum, &term);
    }
    return sum.sign;
}

/* On which side of a half-space a corner of the polygon lies; 1: inside. */
static int corner_side(const lines *l, const corner *p, int line)
{
    assert(line >= 3 && p->line != p->other);
    if (p->line < 3 && p->other < 3) {
        /* a corner of the triangle: there the half-space has one of its three values */
        const int k = 3 - p->line - p->other;
        if (fabs(l->value[line][k]) > l->err[line])
            return l->value[line][k] > 0 ? 1 : -1;
        bvpi_big exact;
        exact_value(l, line - 3, k, &exact);
        return exact.sign;
    }
    return det_sign(l, p->line, p->other, line) * p->sum_sign;
}

/* ---- clipping -------------------------------------------------------------------------------- */

static void push(polygon *p, corner at, int edge)
{
    assert(p->count < (int)(sizeof p->at / sizeof p->at[0]));
    p->at[p->count] = at;
    p->edge[p->count] = edge;
    p->count++;
}

/* Keeps the closed inner side of a half-space. Of a convex polygon a line cuts at most two edges,
 * so this adds at most one corner. The edge that follows a corner is the half-space's boundary
 * where the polygon leaves the inner side. */
static void clip(const lines *l, polygon *p, int line)
{
    polygon in = *p;
    int side[CORNERS_MAX + 1];
    assert(in.count > 0);
    for (int i = 0; i < in.count; i++)
        side[i] = corner_side(l, &in.at[i], line);
    p->count = 0;
    for (int i = 0; i < in.count; i++) {
        int next = side[(i + 1) % in.count], edge = in.edge[i];
        if (side[i] >= 0)
            push(p, in.at[i], side[i] == 0 && next < 0 ? line : edge);
        if (side[i] * next < 0) {
            corner at = {edge, line, 1};
            at.sum_sign = det_sign(l, edge, line, -1);
            assert(at.sum_sign != 0); /* the line's sign changes along the edge: not parallel */
            push(p, at, side[i] > 0 ? line : edge);
        }
    }
}

/* A quick decision from the corners: 1: one is certainly inside all half-spaces; 0: all three are
 * certainly outside one of them; -1: open. */
static int by_corners(const lines *l, int plane_count)
{
    bool inside[3] = {true, true, true};
    for (int i = 3; i < 3 + plane_count; i++) {
        const double *v = l->value[i], err = l->err[i];
        if (v[0] < -err && v[1] < -err && v[2] < -err)
            return 0;
        for (int k = 0; k < 3; k++)
            inside[k] = inside[k] && v[k] > err;
    }
    return inside[0] || inside[1] || inside[2] ? 1 : -1;
}

bool bvpi_tri_meets_region(const float tri[9], const double *m, const double *planes,
                           uint32_t plane_count)
{
    lines l;
    polygon p;
    int count = plane_count < BVPI_REGION_PLANES_MAX ? (int)plane_count : BVPI_REGION_PLANES_MAX;
    for (int k = 0; k < 9; k++)
        if (!isfinite(tri[k]))
            return false;
    l = (lines){.tri = tri, .m = m, .planes = planes};
    for (int i = 0; i < 3; i++)
        l.value[i][i] = 1;
    for (int i = 0; i < count; i++)
        init_plane(&l, i);
    int certain = by_corners(&l, count);
    if (certain >= 0)
        return certain;
    /* the whole triangle: corner i is where edges i + 1 and i + 2 meet */
    p.count = 0;
    for (int i = 0; i < 3; i++)
        push(&p, (corner){(i + 1) % 3, (i + 2) % 3, 1}, (i + 2) % 3);
    for (int i = 0; i < count && p.count > 0; i++)
        clip(&l, &p, 3 + i);
    return p.count > 0;
}

bool bvpi_tri_meets_box(const float tri[9], const double *m, const double lo[3], const double hi[3])
{
    double planes[24] = {0};
    for (int x = 0; x < 3; x++) {
        planes[8 * x + x] = 1;
        planes[8 * x + 3] = -lo[x];
        planes[8 * x + 4 + x] = -1;
        planes[8 * x + 7] = hi[x];
    }
    return bvpi_tri_meets_region(tri, m, planes, 6);
}
