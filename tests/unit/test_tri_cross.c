/* SPDX-License-Identifier: MIT
 * test_tri_cross.c: what is said to cross for certain meets by exact arithmetic, and most pairs
 * that cross are said to.
 */
#include <gmp.h>

#include "prim/tri_cross.h"
#include "prim/tri_tri_exact.h"
#include "tri_cases.h"
#include "suite.h"

/* Corners in double, each coordinate off by at most `error`. */
static void load(const float from[9], double error, double to[9])
{
    for (int i = 0; i < 9; i++)
        to[i] = (double)from[i] + error * (case_int(3) - 1);
}

START_TEST(certain_crossings_meet)
{
    uint64_t proper = 0, sure = 0;
    case_seed(7);
    for (int i = 0; i < 40000; i++) {
        tri_case c;
        double a[9], b[9];
        const double error = i % 2 ? 0 : 1e-9;
        case_make(&c, i % CASE_FAMILIES, PLACE_IDENTITY);
        load(c.a, error, a);
        load(c.b, error, b);
        const unsigned exact = bvpi_tri_tri_exact(c.a, c.b, NULL, NULL);
        const bool crosses = exact & BVPI_PROPER;
        const bool certain = bvpi_tri_cross_sure(a, b, error);
        ck_assert_msg(exact != 0 || !certain, "case %d of family %d", i, i % CASE_FAMILIES);
        ck_assert(certain == bvpi_tri_cross_sure(b, a, error));
        proper += crosses && i % CASE_FAMILIES == CASE_RANDOM;
        sure += certain && i % CASE_FAMILIES == CASE_RANDOM;
    }
    ck_assert_uint_gt(proper, 0);
    ck_assert_uint_ge(10 * sure, 9 * proper);
}
END_TEST

/* The sign of the volume of four corners. */
static int exact_side(const double *p, const double *q, const double *r, const double *s)
{
    const double *corner[3] = {q, r, s};
    mpq_t e[3][3], origin, term, out;
    mpq_inits(origin, term, out, NULL);
    for (int k = 0; k < 9; k++) {
        mpq_init(e[k / 3][k % 3]);
        mpq_set_d(e[k / 3][k % 3], corner[k / 3][k % 3]);
        mpq_set_d(origin, p[k % 3]);
        mpq_sub(e[k / 3][k % 3], e[k / 3][k % 3], origin);
    }
    for (int k = 0; k < 6; k++) {
        const int i = k % 3, step = k < 3 ? 1 : 2;
        mpq_mul(term, e[0][i], e[1][(i + step) % 3]);
        mpq_mul(term, term, e[2][(i + 2 * step) % 3]);
        if (k < 3)
            mpq_add(out, out, term);
        else
            mpq_sub(out, out, term);
    }
    for (int k = 0; k < 9; k++)
        mpq_clear(e[k / 3][k % 3]);
    const int sign = mpq_sgn(out);
    mpq_clears(origin, term, out, NULL);
    return sign;
}

/* B has a corner in A's plane but for rounding, and the others beyond: it crosses A only if that
 * corner is exactly on the other side. */
START_TEST(rounding_does_not_cross)
{
    int crossing = 0;
    case_seed(8);
    for (int i = 0; i < 20000; i++) {
        double a[9], b[9], from[3];
        for (int k = 0; k < 9; k++)
            a[k] = case_unit();
        const double s = 0.2 + 0.1 * case_unit(), t = 0.4 + 0.1 * case_unit();
        for (int x = 0; x < 3; x++) {
            from[x] = case_unit();
            b[x] = a[x] + s * (a[3 + x] - a[x]) + t * (a[6 + x] - a[x]);
            b[3 + x] = b[x] + from[x];
            b[6 + x] = b[x] + from[x] + 0.01 * case_unit();
        }
        const int side = exact_side(a, a + 3, a + 6, b), other = exact_side(a, a + 3, a + 6, b + 3);
        const bool sure = bvpi_tri_cross_sure(a, b, 0);
        ck_assert_msg(!sure || side * other < 0 || exact_side(a, a + 3, a + 6, b + 6) != other,
                      "case %d", i);
        crossing += side * other < 0;
    }
    ck_assert(crossing > 5000 && crossing < 15000);
}
END_TEST

/* Corners that are all off by the error, those of A up and that of B down, so that B, which ends
 * short of A, goes through it: this needs a fifth of what is allowed for. */
START_TEST(errors_do_not_cross)
{
    const double error = 0x1p-30, height = error / 16;
    double a[9] = {0, 0, 0, 1, -1, 1, 1, 1, -1};
    double b[9] = {0.625, height, height, 0.75, 0.5, 0.5, 0.5, 0.5, 0.5};
    ck_assert_int_eq(exact_side(a, a + 3, a + 6, b), exact_side(a, a + 3, a + 6, b + 3));
    ck_assert(!bvpi_tri_cross_sure(a, b, 0));
    for (int k = 0; k < 9; k++)
        a[k] += k % 3 == 0 ? 0 : error;
    for (int k = 1; k < 3; k++)
        b[k] -= error;
    ck_assert(!bvpi_tri_cross_sure(a, b, error));
    ck_assert(bvpi_tri_cross_sure(a, b, error / 8));
}
END_TEST

SUITE(test_tri_cross)
{
    const TTest *tests[] = {certain_crossings_meet, rounding_does_not_cross, errors_do_not_cross,
                            NULL};
    return suite_run("tri_cross", tests);
}
