/* SPDX-License-Identifier: MIT
 * test_tri_box.c: boxes and convex regions against triangles clipped in rationals.
 */
#include "oracle_gmp.h"
#include "prim/tri_box.h"
#include "prim_suite.h"
#include "tri_cases.h"

enum { CASES = 60 }; /* for each family and kind of placement */

static void refuse(const tri_case *c, const char *what)
{
    printf("%s: ", what);
    case_print(c);
    ck_abort_msg("%s", what);
}

/* The box of two corners of B, sometimes flat: it often touches A in a coordinate. */
static int check_box(const tri_case *c)
{
    double p[3], q[3], lo[3], hi[3];
    place_point(c->mb, c->b, p);
    place_point(c->mb, c->b + 3, q);
    for (int x = 0; x < 3; x++) {
        lo[x] = fmin(p[x], q[x]);
        hi[x] = case_int(4) ? fmax(p[x], q[x]) : lo[x];
    }
    int expected = oracle_tri_box(c->a, c->ma, lo, hi);
    if (bvpi_tri_meets_box(c->a, c->ma, lo, hi) != expected)
        refuse(c, "box");
    return expected;
}

/* Half-spaces whose planes run through corners of A or B, as nearly as doubles allow. */
static int check_region(const tri_case *c)
{
    double planes[4 * BVPI_REGION_PLANES_MAX];
    int count = 1 + case_int(case_int(8) ? 5 : BVPI_REGION_PLANES_MAX);
    for (int i = 0; i < count; i++) {
        double p[3], *n = planes + 4 * i;
        int corner = 3 * case_int(3), whole = case_int(3);
        if (case_int(2))
            place_point(c->ma, c->a + corner, p);
        else
            place_point(c->mb, c->b + corner, p);
        for (int x = 0; x < 3; x++)
            n[x] = whole ? case_int(5) - 2 : case_unit();
        n[3] = -(n[0] * p[0] + n[1] * p[1] + n[2] * p[2]);
    }
    int expected = oracle_tri_region(c->a, c->ma, planes, count);
    if (bvpi_tri_meets_region(c->a, c->ma, planes, (uint32_t)count) != expected)
        refuse(c, "region");
    return expected;
}

START_TEST(answers_equal_rationals)
{
    long boxes = 0, regions = 0, all = 0;
    case_seed(8);
    for (int family = 0; family < CASE_FAMILIES; family++)
        for (int i = 0; i < CASES * PLACE_COUNT; i++) {
            tri_case c;
            case_make(&c, family, i % PLACE_COUNT);
            boxes += check_box(&c);
            regions += check_region(&c);
            all++;
        }
    ck_assert_int_gt(boxes, all / 30);
    ck_assert_int_gt(regions, all / 10);
    ck_assert_int_lt(regions, all * 9 / 10);
}
END_TEST

START_TEST(touching_counts)
{
    const float tri[9] = {1, 0, 0, 2, 0, 0, 1, 1, 0};
    const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, below[3] = {0x1.fffffffffffffp-1, 1, 1};
    const double corner[4] = {1, 1, 0, -2}, past[4] = {1, 1, 0, -0x1.0000000000001p1};
    ck_assert(bvpi_tri_meets_box(tri, NULL, lo, hi));
    ck_assert(!bvpi_tri_meets_box(tri, NULL, lo, below));
    ck_assert(bvpi_tri_meets_region(tri, NULL, corner, 1));
    ck_assert(!bvpi_tri_meets_region(tri, NULL, past, 1));
}
END_TEST

/* Corners are outside of different planes, the inside is met or passed by a hair. */
START_TEST(edges_of_a_region)
{
    const float tri[9] = {2, -1, 0, -1, 2, 0, 5, 5, 0}; /* its edge runs along x + y = 1 */
    const double meets[12] = {-1, 0, 0, 0.5, 0, -1, 0, 0.5, 0, 0, 1, 1};
    const double misses[12] = {-1, 0, 0, 0.5, 0, -1, 0, 0x1.fffffffffffffp-2, 0, 0, 1, 1};
    ck_assert(bvpi_tri_meets_region(tri, NULL, meets, 3));
    ck_assert(!bvpi_tri_meets_region(tri, NULL, misses, 3));
}
END_TEST

START_TEST(not_a_number_ends)
{
    const float tri[9] = {NAN, 0, 0, 2, 0, 0, 1, 1, 0};
    const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    ck_assert(!bvpi_tri_meets_box(tri, NULL, lo, hi));
}
END_TEST

SUITE(test_tri_box)
{
    const TTest *const tests[] = {answers_equal_rationals, touching_counts, edges_of_a_region,
                                  not_a_number_ends, NULL};
    return run_suite("tri_box", tests);
}
