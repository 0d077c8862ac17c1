/* SPDX-License-Identifier: MIT
 * points.c: exact signs of determinants of up to six points.
 *
 * Every exact decision about triangles is reduced to such signs: orient3 (which side of a plane),
 * orient2 (which side of a line in a projection) and compare (order along an axis). Each is a
 * ladder:
 * 1. In double, with an error bound made from the permanent: the same determinant with all terms
 *    positive.
 * 2. In two's complement integers of one to three words (words.h), if the points were made by
 *    bvpi_points_of_triangles(). Flush faces get this far: their determinants are often exactly
 *    zero, which no filter can tell.
 * 3. In big integers (big.h), which always suffice.
 *
 * Invariants of bvpi_points:
 * - all coordinates are relative to point 0, and that subtraction was exact;
 * - each axis may have a unit of its own in words[], but all units are powers of two, so that signs
 *   of determinants are preserved;
 * - approx[] is within 1.01 * 2^-53 of the exact coordinate, relatively.
 *
 * Words and big integers evaluate the same polynomial, so wherever two steps give a sign it is the
 * same one.
 *
 * Slow twin: GMP, and for the words the big integers: tests/unit/test_points.c.
 * Spec: exactness.md, chapter 4, which derives the bounds 16 u, 10 u and 4 u
 * Measured: decisions.md, "The exact stage where faces are flush"
 */
#include "prim/points.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

#include "prim/words.h"

#define U    0x1p-53
#define TINY 0x1p-900 /* added to every bound: more than underflow can lose */

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

static void sum_of_terms(bvpi_big *out, const bvpi_terms *terms, int unit)
{
    bvpi_big_zero(out);
    for (int k = 0; k < 4; k++)
        bvpi_big_add_product(out, terms->a[k], terms->b[k], unit);
}

bool bvpi_points_init(bvpi_points *out, bvpi_terms terms[][3], int count)
{
    bvpi_big x, origin;
    int unit = INT_MAX, bits = 0;
    assert(count >= 1 && count <= BVPI_POINTS_MAX);
    /* the largest power of two that divides every term: in this unit coordinates are integers, so
     * nothing is rounded */
    for (int i = 0; i < 12 * count; i++) {
        const bvpi_terms *t = &terms[i / 12][i / 4 % 3];
        const double a = t->a[i % 4], b = t->b[i % 4];
        if (!isfinite(a) || !isfinite(b))
            return false;
        if (a == 0 || b == 0)
            continue;
        const int e = bvpi_lowest_exponent(a) + bvpi_lowest_exponent(b);
        unit = e < unit ? e : unit;
    }
    out->count = count;
    out->width = 0;
    out->unit = unit;
    for (int axis = 0; axis < 3; axis++) {
        /* the origin is subtracted while numbers are still integers: far from the world's origin
         * the approximations, made below, then keep all their digits */
        sum_of_terms(&origin, &terms[0][axis], unit);
        for (int i = 0; i < count; i++) {
            sum_of_terms(&x, &terms[i][axis], unit);
            bvpi_big_sub(&x, &x, &origin);
            bvpi_big_to_sum(&out->big[i][axis], &x);
            bits = bvpi_big_bits(&x) > bits ? bvpi_big_bits(&x) : bits;
        }
    }
    for (int i = 0; i < 3 * count; i++) {
        bvpi_big_of_sum(&x, &out->big[i / 3][i % 3]);
        out->approx[i / 3][i % 3] = bvpi_big_to_double(&x, bits);
    }
    return true;
}

/* ---- three dimensions ------------------------------------------------------------------------ */

/* The plane through three points: its normal, and the same with all signs positive, from which the
 * error bound is made. */
typedef struct plane {
    int a, b, c;
    double normal[3], size[3];
} plane;

BVPI_INLINE void plane_through(const bvpi_points *p, int a, int b, int c, plane *out)
{
    const double *o = p->approx[a], *q = p->approx[b], *r = p->approx[c];
    double u[3], v[3], su[3], sv[3];
    assert(a < p->count && b < p->count && c < p->count);
    out->a = a;
    out->b = b;
    out->c = c;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        u[x] = q[x] - o[x];
        v[x] = r[x] - o[x];
        su[x] = fabs(q[x]) + fabs(o[x]);
        sv[x] = fabs(r[x]) + fabs(o[x]);
    }
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        out->normal[x] = u[y] * v[z] - u[z] * v[y];
        out->size[x] = su[y] * sv[z] + su[z] * sv[y];
    }
}

/* 1 or -1 if the double determinant is certain, else 0. */
BVPI_INLINE int side_approx(const bvpi_points *p, const plane *plane, int d)
{
    const double *o = p->approx[plane->a], *q = p->approx[d];
    double det = 0, bound = 0;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        det += (q[x] - o[x]) * plane->normal[x];
        bound += (fabs(q[x]) + fabs(o[x])) * plane->size[x];
    }
    bound = 16 * U * bound + TINY;
    return det > bound ? 1 : det < -bound ? -1 : 0;
}

/* out = a b - c d, of 2 n words. Returns its sign. Products with 0 are left out, because faces that
 * are parallel to an axis have many zeros. */
BVPI_INLINE int minor_words(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                            const uint64_t *d, int n)
{
    uint64_t right[2 * BVPI_WIDTH_MAX];
    int sign = bvpi_words_sign(a, n) * bvpi_words_sign(b, n);
    if (sign != 0)
        bvpi_words_mul(out, a, n, b, n);
    else
        memset(out, 0, 2 * (size_t)n * sizeof *out);
    if (bvpi_words_sign(c, n) * bvpi_words_sign(d, n) == 0)
        return sign;
    bvpi_words_mul(right, c, n, d, n);
    bvpi_words_sub(out, out, right, 2 * n);
    return bvpi_words_sign(out, 2 * n);
}

typedef struct normal {
    uint64_t value[3][2 * BVPI_WIDTH_MAX];
    int sign[3];
} normal;

BVPI_INLINE void normal_words(const bvpi_points *p, const plane *plane, normal *out, int n)
{
    uint64_t u[3][BVPI_WIDTH_MAX], v[3][BVPI_WIDTH_MAX];
    for (int x = 0; x < 3; x++) {
        bvpi_words_sub(u[x], p->words[plane->b][x], p->words[plane->a][x], n);
        bvpi_words_sub(v[x], p->words[plane->c][x], p->words[plane->a][x], n);
    }
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        out->sign[x] = minor_words(out->value[x], u[y], v[z], u[z], v[y], n);
    }
}

BVPI_INLINE int side_words(const bvpi_points *p, const plane *plane, const normal *normal, int d,
                           int n)
{
    uint64_t w[3][BVPI_WIDTH_MAX], term[3 * BVPI_WIDTH_MAX], det[3 * BVPI_WIDTH_MAX] = {0};
    int sign[3];
    for (int x = 0; x < 3; x++) {
        bvpi_words_sub(w[x], p->words[d][x], p->words[plane->a][x], n);
        sign[x] = normal->sign[x] * bvpi_words_sign(w[x], n);
    }
    /* unless terms have both signs, these decide, which saves the products */
    const bool plus = sign[0] > 0 || sign[1] > 0 || sign[2] > 0;
    const bool minus = sign[0] < 0 || sign[1] < 0 || sign[2] < 0;
    if (!plus || !minus)
        return plus - minus;
    for (int x = 0; x < 3; x++)
        if (sign[x] != 0) {
            bvpi_words_mul(term, w[x], n, normal->value[x], 2 * n);
            bvpi_words_add(det, det, term, 3 * n);
        }
    return bvpi_words_sign(det, 3 * n);
}

/* Decides the sides among `count` points from d on that are still 0. The normal is computed once
 * for all of them. */
BVPI_INLINE void sides_words(const bvpi_points *p, const plane *plane, int d, int count, int *side,
                             int n)
{
    normal exact;
    normal_words(p, plane, &exact, n);
    for (int i = 0; i < count; i++)
        if (side[i] == 0)
            side[i] = side_words(p, plane, &exact, d + i, n);
}

/* The turn of a, b, c in the plane of the axes x and y, in units squared. */
__attribute__((noinline)) static void turn_value(bvpi_big *out, const bvpi_points *p, int a, int b,
                                                 int c, int x, int y)
{
    assert(p->width == 0); /* big[] holds the points */
    bvpi_big to_b, to_c, right;
    bvpi_big_sub_sums(&to_b, &p->big[b][x], &p->big[a][x]);
    bvpi_big_sub_sums(&to_c, &p->big[c][y], &p->big[a][y]);
    bvpi_big_mul(out, &to_b, &to_c);
    bvpi_big_sub_sums(&to_b, &p->big[b][y], &p->big[a][y]);
    bvpi_big_sub_sums(&to_c, &p->big[c][x], &p->big[a][x]);
    bvpi_big_mul(&right, &to_b, &to_c);
    bvpi_big_sub(out, out, &right);
}

/* Differences are recomputed for each axis. Stored, they would take most of a query's stack. */
void bvpi_orient3_value(bvpi_big *out, const bvpi_points *p, int a, int b, int c, int d)
{
    bvpi_big height, turn, term;
    bvpi_big_zero(out);
    for (int x = 0; x < 3; x++) {
        turn_value(&turn, p, a, c, d, (x + 1) % 3, (x + 2) % 3);
        bvpi_big_sub_sums(&height, &p->big[b][x], &p->big[a][x]);
        bvpi_big_mul(&term, &height, &turn);
        bvpi_big_add(out, out, &term);
    }
}

/* Decides the sides that doubles leave open. The width is a constant in each branch, so loops over
 * words are unrolled. */
static void sides_exactly(const bvpi_points *p, const plane *plane, int d, int count, int *side)
{
    assert(d + count <= p->count);
    if (p->width == 1) {
        sides_words(p, plane, d, count, side, 1);
    } else if (p->width == 2) {
        sides_words(p, plane, d, count, side, 2);
    } else if (p->width == 3) {
        sides_words(p, plane, d, count, side, 3);
    } else {
        bvpi_big det;
        for (int i = 0; i < count; i++)
            if (side[i] == 0) {
                bvpi_orient3_value(&det, p, plane->a, plane->b, plane->c, d + i);
                side[i] = det.sign;
            }
    }
}

int bvpi_orient3(const bvpi_points *p, int a, int b, int c, int d)
{
    plane plane;
    plane_through(p, a, b, c, &plane);
    int side = side_approx(p, &plane, d);
    if (side == 0)
        sides_exactly(p, &plane, d, 1, &side);
    return side;
}

void bvpi_sides(const bvpi_points *p, int t, int s, int side[3])
{
    plane plane;
    assert(t % 3 == 0 && s % 3 == 0);
    plane_through(p, t, t + 1, t + 2, &plane);
    for (int i = 0; i < 3; i++)
        side[i] = side_approx(p, &plane, s + i);
    if (side[0] == 0 || side[1] == 0 || side[2] == 0)
        sides_exactly(p, &plane, s, 3, side);
}

/* ---- two dimensions and one ------------------------------------------------------------------ */

BVPI_INLINE int orient2_words(const bvpi_points *p, int a, int b, int c, int x, int y, int n)
{
    uint64_t bx[BVPI_WIDTH_MAX], by[BVPI_WIDTH_MAX], cx[BVPI_WIDTH_MAX], cy[BVPI_WIDTH_MAX];
    uint64_t det[2 * BVPI_WIDTH_MAX];
    bvpi_words_sub(bx, p->words[b][x], p->words[a][x], n);
    bvpi_words_sub(by, p->words[b][y], p->words[a][y], n);
    bvpi_words_sub(cx, p->words[c][x], p->words[a][x], n);
    bvpi_words_sub(cy, p->words[c][y], p->words[a][y], n);
    return minor_words(det, bx, cy, by, cx, n);
}

/* Not inlined, so that the common case stays small. */
__attribute__((noinline)) static int orient2_exactly(const bvpi_points *p, int a, int b, int c,
                                                     int x, int y)
{
    bvpi_big turn;
    if (p->width == 1)
        return orient2_words(p, a, b, c, x, y, 1);
    if (p->width == 2)
        return orient2_words(p, a, b, c, x, y, 2);
    if (p->width == 3)
        return orient2_words(p, a, b, c, x, y, 3);
    turn_value(&turn, p, a, b, c, x, y);
    return turn.sign;
}

int bvpi_orient2(const bvpi_points *p, int a, int b, int c, int drop)
{
    assert(a < p->count && b < p->count && c < p->count && drop >= 0 && drop < 3);
    const int x = drop == 2 ? 0 : drop + 1, y = drop == 0 ? 2 : drop - 1;
    const double ax = p->approx[a][x], ay = p->approx[a][y];
    const double bx = p->approx[b][x], by = p->approx[b][y];
    const double cx = p->approx[c][x], cy = p->approx[c][y];
    const double det = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    const double size = (fabs(bx) + fabs(ax)) * (fabs(cy) + fabs(ay)) +
                        (fabs(by) + fabs(ay)) * (fabs(cx) + fabs(ax));
    const double bound = 10 * U * size + TINY;
    if (det > bound || det < -bound)
        return det > 0 ? 1 : -1;
    return orient2_exactly(p, a, b, c, x, y);
}

int bvpi_compare(const bvpi_points *p, int a, int b, int axis)
{
    assert(a < p->count && b < p->count);
    /* The bound also holds for approximations from words[], because both have the same unit on this
     * axis. */
    double x = p->approx[a][axis], y = p->approx[b][axis];
    if (fabs(x - y) > 4 * U * (fabs(x) + fabs(y)) + TINY)
        return x > y ? 1 : -1;
    if (p->width != 0) {
        uint64_t off[BVPI_WIDTH_MAX];
        bvpi_words_sub(off, p->words[a][axis], p->words[b][axis], p->width);
        return bvpi_words_sign(off, p->width);
    }
    bvpi_big difference;
    bvpi_big_sub_sums(&difference, &p->big[a][axis], &p->big[b][axis]);
    return difference.sign;
}

int bvpi_projection_axis(const bvpi_points *p, int a)
{
    plane plane;
    plane_through(p, a, a + 1, a + 2, &plane);
    for (int axis = 0; axis < 3; axis++)
        /* A component of the normal that is certainly not zero, in double if possible. */
        if (fabs(plane.normal[axis]) > 10 * U * plane.size[axis] + TINY)
            return axis;
    for (int axis = 0; axis < 3; axis++)
        if (bvpi_orient2(p, a, a + 1, a + 2, axis) != 0)
            return axis;
    return -1;
}
