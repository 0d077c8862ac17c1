/* SPDX-License-Identifier: MIT
 * test_tri_cross.c: what is said to cross for certain meets by exact arithmetic, and most pairs
 * that cross are said to.
 */
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

int main(void)
{
    const TTest *tests[] = {certain_crossings_meet, NULL};
    return suite_run("tri_cross", tests);
}
