/* SPDX-License-Identifier: MIT
 * test_tri_ball.c: balls against squared distances in rationals.
 */
#include "oracle_gmp.h"
#include "prim/tri_ball.h"
#include "prim_suite.h"
#include "tri_cases.h"

enum { CASES = 120 }; /* for each family and kind of placement */

/* A ball around a corner of B that reaches another one, or is a point. */
START_TEST(answers_equal_rationals)
{
    long meet = 0, all = 0;
    case_seed(9);
    for (int family = 0; family < CASE_FAMILIES; family++)
        for (int i = 0; i < CASES * PLACE_COUNT; i++) {
            tri_case c;
            double centre[3], q[3], r = 0;
            case_make(&c, family, i % PLACE_COUNT);
            place_point(c.mb, c.b, centre);
            place_point(c.mb, c.b + 3, q);
            for (int x = 0; x < 3; x++)
                r += (q[x] - centre[x]) * (q[x] - centre[x]);
            r = case_int(4) ? sqrt(r) : 0;
            int expected = oracle_tri_ball(c.a, c.ma, centre, r);
            if (bvpi_tri_meets_ball(c.a, c.ma, centre, r) != expected) {
                case_print(&c);
                ck_abort_msg("radius %a: expected %d", r, expected);
            }
            meet += expected;
            all++;
        }
    ck_assert_int_gt(meet, all / 5);
    ck_assert_int_lt(meet, all * 4 / 5);
}
END_TEST

START_TEST(touching_counts)
{
    const float tri[9] = {3, 4, 0, 9, 4, 0, 3, 9, 0}, edge[9] = {-1, 5, 0, 1, 5, 0, 0, 9, 0};
    const float face[9] = {-9, -9, 5, 9, -9, 5, 0, 9, 5}, dot[9] = {3, 4, 0, 3, 4, 0, 3, 4, 0};
    const double centre[3] = {0, 0, 0}, less = 0x1.3ffffffffffffp2;
    const float *all[4] = {tri, edge, face, dot};
    for (int i = 0; i < 4; i++) {
        ck_assert(bvpi_tri_meets_ball(all[i], NULL, centre, 5));
        ck_assert(!bvpi_tri_meets_ball(all[i], NULL, centre, less));
    }
}
END_TEST

START_TEST(not_a_number_ends)
{
    const float tri[9] = {NAN, 0, 0, 2, 0, 0, 1, 1, 0};
    const double centre[3] = {0, 0, 0};
    ck_assert(!bvpi_tri_meets_ball(tri, NULL, centre, 1));
}
END_TEST

SUITE(test_tri_ball)
{
    const TTest *const tests[] = {answers_equal_rationals, touching_counts, not_a_number_ends,
                                  NULL};
    return run_suite("tri_ball", tests);
}
