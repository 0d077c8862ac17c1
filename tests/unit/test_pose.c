/* SPDX-License-Identifier: MIT
 * test_pose.c: inverses, relative placements and products against rational arithmetic: every error
 * bound must hold, and none may be idle.
 */
#include <gmp.h>

#include "prim/pose.h"
#include "climb.h"
#include "prim_suite.h"
#include "tri_cases.h"

enum { CASES = 1500 };

static double largest_use; /* of an error bound, as a share of it */

static void assert_within(const mpq_t exact, double got, double err)
{
    mpq_t d;
    mpq_init(d);
    mpq_set_d(d, got);
    mpq_sub(d, d, exact);
    double off = fabs(mpq_get_d(d));
    ck_assert_double_le(off, err);
    if (err > 0)
        largest_use = fmax(largest_use, off / err);
    mpq_clear(d);
}

/* out = m^-1 v - w, exactly, by Cramer's rule; v = p - t. */
static void solve(mpq_t out[3], const double m[12], mpq_t v[3])
{
    mpq_t a[3][3], det, term;
    mpq_inits(det, term, NULL);
    for (int i = 0; i < 9; i++)
        mpq_init(a[i / 3][i % 3]);
    for (int column = -1; column < 3; column++) {
        for (int i = 0; i < 9; i++) {
            if (i % 3 == column)
                mpq_set(a[i / 3][i % 3], v[i / 3]);
            else
                mpq_set_d(a[i / 3][i % 3], m[4 * (i / 3) + i % 3]);
        }
        mpq_ptr sum = column < 0 ? det : out[column];
        mpq_set_ui(sum, 0, 1);
        for (int i = 0; i < 6; i++) {
            int p = i % 3, step = i < 3 ? 1 : 2, q = (p + step) % 3, r = (p + 2 * step) % 3;
            mpq_mul(term, a[0][p], a[1][q]);
            mpq_mul(term, term, a[2][r]);
            if (i < 3)
                mpq_add(sum, sum, term);
            else
                mpq_sub(sum, sum, term);
        }
    }
    for (int k = 0; k < 3; k++)
        mpq_div(out[k], out[k], det);
    for (int i = 0; i < 9; i++)
        mpq_clear(a[i / 3][i % 3]);
    mpq_clears(det, term, NULL);
}

/* Column j of MA^-1 MB. */
static void relative_column(mpq_t out[3], const double ma[12], const double mb[12], int j)
{
    mpq_t v[3], t;
    mpq_init(t);
    for (int i = 0; i < 3; i++) {
        mpq_init(v[i]);
        mpq_set_d(v[i], mb[4 * i + j]);
        mpq_set_d(t, j == 3 ? ma[4 * i + 3] : 0);
        mpq_sub(v[i], v[i], t);
    }
    solve(out, ma, v);
    mpq_clears(v[0], v[1], v[2], t, NULL);
}

/* eta: transform a corner of B in double, as the filters do, and compare. */
static void check_eta(const bvpi_pose *pose, const tri_case *c, mpq_t column[4][3])
{
    mpq_t sum, t;
    mpq_inits(sum, t, NULL);
    for (int x = 0; x < 3; x++) {
        const double *row = pose->x + 4 * x;
        double got = row[0] * (double)c->b[0] + row[1] * (double)c->b[1] +
                     row[2] * (double)c->b[2] + (row[3] - (double)c->a[x]);
        mpq_set(sum, column[3][x]);
        for (int j = 0; j < 3; j++) {
            mpq_set_d(t, (double)c->b[j]);
            mpq_mul(t, t, column[j][x]);
            mpq_add(sum, sum, t);
        }
        mpq_set_d(t, (double)c->a[x]);
        mpq_sub(sum, sum, t);
        assert_within(sum, got, pose->eta);
        ck_assert_double_le(fabs(mpq_get_d(sum)), pose->reach);
    }
    mpq_clears(sum, t, NULL);
}

START_TEST(relative_placements_keep_their_bounds)
{
    mpq_t column[4][3];
    for (int i = 0; i < 12; i++)
        mpq_init(column[i / 3][i % 3]);
    case_seed(10);
    for (int i = 0; i < CASES * PLACE_COUNT; i++) {
        tri_case c;
        bvpi_pose pose;
        double bound_a[3], bound_b[3];
        case_make(&c, i % 2 ? CASE_RANDOM : CASE_WIDE, i % PLACE_COUNT);
        bounds_of(c.a, 3, bound_a);
        bounds_of(c.b, 3, bound_b);
        ck_assert_int_eq(bvpi_pose_init(&pose, c.ma, c.mb, bound_a, bound_b), BVP_OK);
        for (int j = 0; j < 4; j++) {
            relative_column(column[j], c.ma, c.mb, j);
            for (int x = 0; x < 3; x++)
                assert_within(column[j][x], pose.x[4 * x + j], pose.x_err[4 * x + j]);
        }
        check_eta(&pose, &c, column);
        ck_assert_double_ge(pose.scale * pose.reach, 0.5);
        ck_assert_double_lt(pose.scale * pose.reach, 1);
    }
    for (int i = 0; i < 12; i++)
        mpq_clear(column[i / 3][i % 3]);
    ck_assert_double_gt(largest_use, 0.2);
}
END_TEST

START_TEST(points_come_back_within_their_bounds)
{
    mpq_t v[3], exact[3], t;
    mpq_inits(v[0], v[1], v[2], exact[0], exact[1], exact[2], t, NULL);
    case_seed(11);
    for (int i = 0; i < CASES * PLACE_COUNT; i++) {
        tri_case c;
        bvpi_placement placement;
        double p[3], out[3], err[3];
        case_make(&c, CASE_RANDOM, i % PLACE_COUNT);
        place_point(c.mb, c.b, p);
        ck_assert_int_eq(bvpi_placement_init(&placement, c.ma), BVP_OK);
        bvpi_placement_point_to_part(&placement, p, out, err);
        for (int x = 0; x < 3; x++) {
            mpq_set_d(v[x], p[x]);
            mpq_set_d(t, c.ma[4 * x + 3]);
            mpq_sub(v[x], v[x], t);
        }
        solve(exact, c.ma, v);
        for (int x = 0; x < 3; x++)
            assert_within(exact[x], out[x], err[x]);
        bvpi_placement_vector_to_part(&placement, p, out, err);
        for (int x = 0; x < 3; x++)
            mpq_set_d(v[x], p[x]);
        solve(exact, c.ma, v);
        for (int x = 0; x < 3; x++)
            assert_within(exact[x], out[x], err[x]);
    }
    mpq_clears(v[0], v[1], v[2], exact[0], exact[1], exact[2], t, NULL);
}
END_TEST

/* x: a linear part and a vector; the error of the vector in part coordinates, in double-double,
 * as a share of its bound. */
static double quotient_share(const double x[12])
{
    static const double zero[3];
    bvpi_placement place;
    bvpi_dd o[3], d[3];
    double m[12] = {0}, o_err[3], d_err[3], most = 0;
    mpq_t v[3], exact[3], found, low;
    for (int i = 0; i < 9; i++)
        m[i / 3 * 4 + i % 3] = x[i];
    if (bvpi_placement_init(&place, m) != BVP_OK || x[9] == 0)
        return 0;
    bvpi_placement_ray_to_part(&place, zero, x + 9, o, o_err, d, d_err);
    mpq_inits(v[0], v[1], v[2], exact[0], exact[1], exact[2], found, low, NULL);
    for (int i = 0; i < 3; i++)
        mpq_set_d(v[i], x[9 + i]);
    solve(exact, m, v);
    for (int i = 0; i < 3; i++) {
        mpq_set_d(found, d[i].hi);
        mpq_set_d(low, d[i].lo);
        mpq_add(found, found, low);
        mpq_sub(found, found, exact[i]);
        most = fmax(most, fabs(mpq_get_d(found)) / d_err[i]);
    }
    mpq_clears(v[0], v[1], v[2], exact[0], exact[1], exact[2], found, low, NULL);
    return most;
}

/* A hundredth of the bound is all that hill climbing finds a need for: operations in double-double
 * err by far less than the bound of each, which is proven. */
START_TEST(constants_are_needed)
{
    static const double quotient[][12] = {
        {-0x1.0cfc174d98a29p-3, 0x1.9c6262bfc9e53p-1, -0x1.3acfc3ac75926p-2, -0x1.6c6399abbf03p-1,
         0x1.2131ae523ad52p-1, -0x1.47fae5fb7b5adp-1, 0x1.5090156083653p-3, -0x1.b1f69ca311a07p-3,
         -0x1.a12558f656cabp-3, 0x1.1b2233f89e43ap-1, 0x1.7caf8d0976f83p-5, -0x1.698b5de54cac5p-4}};
    CLIMB_CHECK(quotient_share, 0.01, quotient);
}
END_TEST

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

START_TEST(no_vector_stretches_more_than_said)
{
    case_seed(12);
    for (int i = 0; i < CASES; i++) {
        tri_case c;
        bvpi_placement placement;
        case_make(&c, CASE_RANDOM, i % PLACE_COUNT);
        ck_assert_int_eq(bvpi_placement_init(&placement, c.ma), BVP_OK);
        for (int k = 0; k < 50; k++) {
            double v[3] = {0}, w[3];
            for (int x = 0; x < 3; x++)
                v[x] = case_unit();
            for (int x = 0; x < 3; x++)
                w[x] = c.ma[4 * x] * v[0] + c.ma[4 * x + 1] * v[1] + c.ma[4 * x + 2] * v[2];
            double stretch = length_of(w) / length_of(v);
            ck_assert_double_ge(stretch, placement.size_min * (1 - 1e-14));
            ck_assert_double_le(stretch, placement.size_max * (1 + 1e-14));
        }
        if (i % PLACE_COUNT == PLACE_RIGID_BOTH || i % PLACE_COUNT == PLACE_FAR) {
            ck_assert_int_eq(placement.is_similar, 1);
            ck_assert_double_eq_tol(placement.size_min, 1, 1e-12);
        }
        if (i % PLACE_COUNT == PLACE_FLAT)
            ck_assert_double_eq_tol(placement.size_min, 1e-9, 1e-12);
    }
}
END_TEST

START_TEST(products_are_rounded_once)
{
    mpq_t sum, t, u;
    mpq_inits(sum, t, u, NULL);
    case_seed(13);
    for (int i = 0; i < CASES * PLACE_COUNT; i++) {
        tri_case c;
        double out[12];
        case_make(&c, CASE_RANDOM, i % PLACE_COUNT);
        ck_assert_int_eq(bvpi_compose(c.ma, c.mb, out), BVP_OK);
        for (int k = 0; k < 12; k++) {
            mpq_set_d(sum, k % 4 == 3 ? c.ma[k] : 0);
            for (int j = 0; j < 3; j++) {
                mpq_set_d(t, c.ma[k / 4 * 4 + j]);
                mpq_set_d(u, c.mb[4 * j + k % 4]);
                mpq_mul(t, t, u);
                mpq_add(sum, sum, t);
            }
            assert_within(sum, out[k], fabs(out[k]) * 0x1.000001p-53 + 0x1p-1000);
        }
    }
    mpq_clears(sum, t, u, NULL);
}
END_TEST

START_TEST(identities_change_nothing)
{
    double m[12], out[12], origin[3] = {1, 2, 3};
    bvpi_chain chain;
    case_seed(14);
    case_rotation(m);
    case_translate(m, 1);
    ck_assert_int_eq(bvpi_compose(NULL, m, out), BVP_OK);
    ck_assert_mem_eq(m, out, sizeof m);
    ck_assert_int_eq(bvpi_compose(m, NULL, out), BVP_OK);
    ck_assert_mem_eq(m, out, sizeof m);
    bvpi_chain_init(&chain, NULL);
    bvpi_chain_translate(&chain, origin);
    ck_assert_int_eq(bvpi_chain_round(&chain, out), BVP_OK);
    ck_assert_double_eq(out[3], 1);
    ck_assert_double_eq(out[11], 3);
}
END_TEST

START_TEST(bad_placements_are_refused)
{
    const double good[12] = {1, 2, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7};
    double m[12];
    bvpi_placement placement;
    ck_assert_int_eq(bvpi_placement_init(&placement, good), BVP_OK);
    for (int i = 0; i < 12; i++) {
        memcpy(m, good, sizeof m);
        m[i] = i % 2 ? NAN : INFINITY;
        ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_ERR_ARGUMENT);
    }
    memcpy(m, good, sizeof m);
    m[10] = 0; /* singular */
    ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_ERR_ARGUMENT);
    memset(m, 0, sizeof m);
    ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_ERR_ARGUMENT);
    memcpy(m, good, sizeof m);
    m[4] = 0.5; /* rows 0 and 1 are multiples of each other */
    ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_ERR_ARGUMENT);
    m[4] = 0x1.0000000000001p-1; /* not quite */
    ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_OK);
    memcpy(m, good, sizeof m);
    m[10] = 0x1p-450; /* its inverse is out of range */
    ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_ERR_ARGUMENT);
    for (int i = 0; i < 12; i++)
        m[i] = good[i] * 0x1p210;
    ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_ERR_ARGUMENT);
}
END_TEST

SUITE(test_pose)
{
    const TTest *const tests[] = {relative_placements_keep_their_bounds,
                                  points_come_back_within_their_bounds,
                                  constants_are_needed,
                                  no_vector_stretches_more_than_said,
                                  products_are_rounded_once,
                                  identities_change_nothing,
                                  bad_placements_are_refused,
                                  NULL};
    return run_suite("pose", tests);
}
