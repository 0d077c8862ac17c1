/* SPDX-License-Identifier: MIT
 * points.c: signs of determinants of exact points: in double where that is certain, then in 128-bit
 * or wide integers.
 * Spec: exactness.md, chapter 4
 */
#include "prim/points.h"

#include <limits.h>
#include <math.h>

#define U    0x1p-53
#define TINY 0x1p-900 /* swallows every underflow: approximations are below 1 */

static int sign_of(__int128 x)
{
    return (x > 0) - (x < 0);
}

void bvpi_terms_of_triangle(bvpi_terms terms[][3], int first, const float tri[9], const double *m)
{
    for (int corner = 0; corner < 3; corner++)
        for (int axis = 0; axis < 3; axis++) {
            bvpi_terms *t = &terms[first + corner][axis];
            for (int j = 0; j < 3; j++) {
                t->a[j] = m ? m[4 * axis + j] : (j == axis);
                t->b[j] = (double)tri[3 * corner + j];
            }
            t->a[3] = m ? m[4 * axis + 3] : 0;
            t->b[3] = 1;
        }
}

void bvpi_terms_of_point(bvpi_terms terms[3], const double p[3])
{
    for (int axis = 0; axis < 3; axis++)
        terms[axis] = (bvpi_terms){{p[axis], 0, 0, 0}, {1, 0, 0, 0}};
}

/* The largest unit of which every term is a multiple; false when something is not finite. */
static bool common_unit(bvpi_terms terms[][3], int count, int *unit)
{
    *unit = INT_MAX;
    for (int i = 0; i < 12 * count; i++) {
        const bvpi_terms *t = &terms[i / 12][i / 4 % 3];
        double a = t->a[i % 4], b = t->b[i % 4];
        if (!isfinite(a) || !isfinite(b))
            return false;
        if (a == 0 || b == 0)
            continue;
        int e = bvpi_lowest_exponent(a) + bvpi_lowest_exponent(b);
        *unit = e < *unit ? e : *unit;
    }
    return true;
}

bool bvpi_points_init(bvpi_points *out, bvpi_terms terms[][3], int count)
{
    int unit, bits = 0;
    if (!common_unit(terms, count, &unit))
        return false;
    out->count = count;
    out->is_small = false;
    for (int i = count - 1; i >= 0; i--)
        for (int axis = 0; axis < 3; axis++) {
            bvpi_big *x = &out->big[i][axis];
            bvpi_big_zero(x);
            for (int k = 0; k < 4; k++)
                bvpi_big_add_product(x, terms[i][axis].a[k], terms[i][axis].b[k], unit);
        }
    for (int i = count - 1; i >= 0; i--)
        for (int axis = 0; axis < 3; axis++) {
            bvpi_big *x = &out->big[i][axis];
            bvpi_big_sub(x, x, &out->big[0][axis]);
            bits = bvpi_big_bits(x) > bits ? bvpi_big_bits(x) : bits;
        }
    for (int i = 0; i < 3 * count; i++)
        out->approx[i / 3][i % 3] = bvpi_big_to_double(&out->big[i / 3][i % 3], bits);
    return true;
}

/* ---- three dimensions ------------------------------------------------------------------------ */

/* 1 or -1 when the double determinant is certain, else 0. */
static int orient3_approx(const bvpi_points *p, const int i[4])
{
    double v[3][3], w[3][3], det = 0, bound = 0;
    const double *o = p->approx[i[0]];
    for (int k = 0; k < 3; k++)
        for (int x = 0; x < 3; x++) {
            v[k][x] = p->approx[i[k + 1]][x] - o[x];
            w[k][x] = fabs(p->approx[i[k + 1]][x]) + fabs(o[x]);
        }
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        det += v[0][x] * (v[1][y] * v[2][z] - v[1][z] * v[2][y]);
        bound += w[0][x] * (w[1][y] * w[2][z] + w[1][z] * w[2][y]);
    }
    bound = 16 * U * bound + TINY;
    return det > bound ? 1 : det < -bound ? -1 : 0;
}

static int orient3_small(const bvpi_points *p, const int i[4])
{
    int64_t v[3][3];
    __int128 det = 0;
    for (int k = 0; k < 3; k++)
        for (int x = 0; x < 3; x++)
            v[k][x] = p->small[i[k + 1]][x] - p->small[i[0]][x];
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        det += ((__int128)v[1][y] * v[2][z] - (__int128)v[1][z] * v[2][y]) * v[0][x];
    }
    return sign_of(det);
}

void bvpi_orient3_value(bvpi_big *out, const bvpi_points *p, int a, int b, int c, int d)
{
    bvpi_big v[3][3], minor, term;
    const int i[3] = {b, c, d};
    for (int k = 0; k < 3; k++)
        for (int x = 0; x < 3; x++)
            bvpi_big_sub(&v[k][x], &p->big[i[k]][x], &p->big[a][x]);
    bvpi_big_zero(out);
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        bvpi_big_minor(&minor, &v[1][y], &v[2][z], &v[1][z], &v[2][y]);
        bvpi_big_mul(&term, &v[0][x], &minor);
        bvpi_big_add(out, out, &term);
    }
}

int bvpi_orient3(const bvpi_points *p, int a, int b, int c, int d)
{
    int i[4] = {a, b, c, d};
    if (p->is_small)
        return orient3_small(p, i);
    int sign = orient3_approx(p, i);
    if (sign != 0)
        return sign;
    bvpi_big det;
    bvpi_orient3_value(&det, p, a, b, c, d);
    return det.sign;
}

/* ---- two dimensions and one ------------------------------------------------------------------ */

static int orient2_approx(const double *a, const double *b, const double *c, int x, int y)
{
    double det = (b[x] - a[x]) * (c[y] - a[y]) - (b[y] - a[y]) * (c[x] - a[x]);
    double ax = fabs(a[x]), ay = fabs(a[y]);
    double bound = (fabs(b[x]) + ax) * (fabs(c[y]) + ay) + (fabs(b[y]) + ay) * (fabs(c[x]) + ax);
    bound = 10 * U * bound + TINY;
    return det > bound ? 1 : det < -bound ? -1 : 0;
}

static int orient2_small(const int64_t *a, const int64_t *b, const int64_t *c, int x, int y)
{
    return sign_of((__int128)(b[x] - a[x]) * (c[y] - a[y]) -
                   (__int128)(b[y] - a[y]) * (c[x] - a[x]));
}

static int orient2_big(const bvpi_big *a, const bvpi_big *b, const bvpi_big *c, int x, int y)
{
    bvpi_big bx, by, cx, cy, det;
    bvpi_big_sub(&bx, &b[x], &a[x]);
    bvpi_big_sub(&by, &b[y], &a[y]);
    bvpi_big_sub(&cx, &c[x], &a[x]);
    bvpi_big_sub(&cy, &c[y], &a[y]);
    bvpi_big_minor(&det, &bx, &cy, &by, &cx);
    return det.sign;
}

int bvpi_orient2(const bvpi_points *p, int a, int b, int c, int drop)
{
    int x = (drop + 1) % 3, y = (drop + 2) % 3;
    if (p->is_small)
        return orient2_small(p->small[a], p->small[b], p->small[c], x, y);
    int sign = orient2_approx(p->approx[a], p->approx[b], p->approx[c], x, y);
    return sign != 0 ? sign : orient2_big(p->big[a], p->big[b], p->big[c], x, y);
}

int bvpi_compare(const bvpi_points *p, int a, int b, int axis)
{
    if (p->is_small)
        return sign_of((__int128)p->small[a][axis] - p->small[b][axis]);
    double x = p->approx[a][axis], y = p->approx[b][axis];
    if (fabs(x - y) > 4 * U * (fabs(x) + fabs(y)) + TINY)
        return x > y ? 1 : -1;
    bvpi_big difference;
    bvpi_big_sub(&difference, &p->big[a][axis], &p->big[b][axis]);
    return difference.sign;
}

int bvpi_projection_axis(const bvpi_points *p, int a)
{
    for (int axis = 0; axis < 3; axis++)
        if (bvpi_orient2(p, a, a + 1, a + 2, axis) != 0)
            return axis;
    return -1;
}
