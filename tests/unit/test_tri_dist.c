/* SPDX-License-Identifier: MIT
 * test_tri_dist.c: intervals of triangle distances against squared distances in rationals.
 */
#include "oracle_gmp.h"
#include "prim/tri_dist.h"
#include "prim/tri_dist_exact.h"
#include "prim_suite.h"
#include "tri_cases.h"

enum { CASES = 60 }; /* for each family and kind of placement */

static void refuse(const tri_case *c, const char *what, double lo, double hi, const mpq_t d_sq)
{
    printf("%s: lo %a hi %a, true %a: ", what, lo, hi, sqrt(mpq_get_d(d_sq)));
    case_print(c);
    ck_abort_msg("%s", what);
}

/* How far apart are the witness points, allowing for the rounding of their coordinates? */
static double witness_distance(const bvpi_tri_dist *d, double reach)
{
    double sum = 0, size = reach;
    for (int x = 0; x < 3; x++) {
        sum += (d->point_a[x] - d->point_b[x]) * (d->point_a[x] - d->point_b[x]);
        size = fmax(size, fabs(d->point_a[x]));
    }
    return sqrt(sum) - size * 0x1p-50;
}

static int check_one(const tri_case *c, mpq_t d_sq)
{
    bvpi_pose pose;
    bvpi_tri_dist d;
    double bound_a[3], bound_b[3];
    bounds_of(c->a, 3, bound_a);
    bounds_of(c->b, 3, bound_b);
    ck_assert_int_eq(bvpi_pose_init(&pose, c->ma, c->mb, bound_a, bound_b), BVP_OK);
    oracle_tri_tri_distance_sq(d_sq, c->a, c->b, c->ma, c->mb);
    bvpi_tri_dist1(&pose, c->a, c->b, &d);
    if (!oracle_sqrt_between(d_sq, d.lo, d.hi))
        refuse(c, "not in the interval", d.lo, d.hi, d_sq);
    if ((mpq_sgn(d_sq) == 0) != (d.hi == 0))
        refuse(c, "zero", d.lo, d.hi, d_sq);
    if (!(witness_distance(&d, pose.world_reach) <= d.hi))
        refuse(c, "witness points too far apart", d.lo, d.hi, d_sq);
    if (!(d.hi - d.lo <= 1e-9 * d.hi + 0x1p-1071))
        refuse(c, "interval too wide", d.lo, d.hi, d_sq);
    f32x8 a[9], b[9], lo, hi;
    splat_triangle(c->a, a);
    splat_triangle(c->b, b);
    bvpi_tri_dist8(&pose, a, b, &lo, &hi);
    for (int lane = 0; lane < 8; lane++)
        if (!oracle_sqrt_between(d_sq, (double)lo[lane], (double)hi[lane]))
            refuse(c, "not in the float interval", (double)lo[lane], (double)hi[lane], d_sq);
    lo = bvpi_tri_gap8(&pose, a, b);
    for (int lane = 0; lane < 8; lane++)
        if (!oracle_sqrt_between(d_sq, (double)lo[lane], (double)hi[lane]))
            refuse(c, "gap is too large", (double)lo[lane], (double)hi[lane], d_sq);
    return d.hi == 0;
}

START_TEST(intervals_hold_the_distance)
{
    long zeros = 0;
    mpq_t d_sq;
    mpq_init(d_sq);
    case_seed(3);
    for (int family = 0; family < CASE_FAMILIES; family++)
        for (int i = 0; i < CASES * PLACE_COUNT; i++) {
            tri_case c;
            case_make(&c, family, i % PLACE_COUNT);
            zeros += check_one(&c, d_sq);
        }
    ck_assert_int_gt(zeros, CASES * PLACE_COUNT);
    ck_assert_int_lt(zeros, 8 * CASES * PLACE_COUNT);
    mpq_clear(d_sq);
}
END_TEST

/* How far is a point, relative to A's first corner and scaled, from a triangle, in reaches? */
static double off_triangle(const bvpi_pose *pose, const bvpi_dd x[3], const tri_case *c, int is_b)
{
    double point[3], reach = pose->world_reach;
    bvpi_tri_dist d;
    float corner[9];
    for (int i = 0; i < 3; i++) {
        const double *row = c->ma + 4 * i;
        const double first =
            row[0] * (double)c->a[0] + row[1] * (double)c->a[1] + row[2] * (double)c->a[2] + row[3];
        point[i] = first + x[i].hi / pose->world_scale;
        reach = fmax(reach, fabs(row[3]));
    }
    for (int k = 0; k < 9; k++)
        corner[k] = 0;
    const double m[12] = {1, 0, 0, point[0], 0, 1, 0, point[1], 0, 0, 1, point[2]};
    bvpi_pose to_point;
    double bound[3], none[3] = {0};
    bounds_of(is_b ? c->b : c->a, 3, bound);
    ck_assert_int_eq(bvpi_pose_init(&to_point, is_b ? c->mb : c->ma, m, bound, none), BVP_OK);
    bvpi_tri_dist1(&to_point, is_b ? c->b : c->a, corner, &d);
    return d.lo / reach;
}

/* The integers alone, of pairs that need them and of those that do not. */
START_TEST(integers_tell_the_distance)
{
    mpq_t d_sq;
    mpq_init(d_sq);
    case_seed(6);
    for (int family = 0; family < CASE_FAMILIES; family++)
        for (int i = 0; i < 20 * PLACE_COUNT; i++) {
            tri_case c;
            bvpi_pose pose;
            bvpi_nearest_exact d;
            double bound_a[3], bound_b[3], apart = 0;
            case_make(&c, family, i % PLACE_COUNT);
            oracle_tri_tri_distance_sq(d_sq, c.a, c.b, c.ma, c.mb);
            if (mpq_sgn(d_sq) == 0)
                continue;
            bounds_of(c.a, 3, bound_a);
            bounds_of(c.b, 3, bound_b);
            ck_assert_int_eq(bvpi_pose_init(&pose, c.ma, c.mb, bound_a, bound_b), BVP_OK);
            ck_assert(bvpi_tri_dist_exact(c.a, c.b, c.ma, c.mb, pose.world_scale, &d));
            if (!oracle_sqrt_between(d_sq, d.lo, d.hi))
                refuse(&c, "not in the interval of integers", d.lo, d.hi, d_sq);
            if (!(d.hi - d.lo <= 0x1p-48 * d.hi + 0x1p-1072))
                refuse(&c, "interval of integers too wide", d.lo, d.hi, d_sq);
            for (int x = 0; x < 3; x++) {
                const double v = bvpi_dd_sub(d.y[x], d.x[x]).hi / pose.world_scale;
                apart += v * v;
            }
            if (!(sqrt(apart) <= d.hi) && d.hi > 0x1p-500)
                refuse(&c, "points too far apart", d.lo, d.hi, d_sq);
            if (!(off_triangle(&pose, d.x, &c, 0) <= 0x1p-47 &&
                  off_triangle(&pose, d.y, &c, 1) <= 0x1p-47))
                refuse(&c, "points off their triangles", d.lo, d.hi, d_sq);
        }
    mpq_clear(d_sq);
}
END_TEST

/* The float interval is good for skipping: on ordinary pairs some 1e-5 of the coordinates wide. */
START_TEST(float_intervals_are_narrow)
{
    case_seed(4);
    for (int i = 0; i < 4000; i++) {
        tri_case c;
        bvpi_pose pose;
        bvpi_tri_dist d;
        double bound_a[3], bound_b[3];
        f32x8 a[9], b[9], lo, hi;
        case_make(&c, CASE_RANDOM, i % 2 ? PLACE_RIGID_BOTH : PLACE_SHEARED);
        bounds_of(c.a, 3, bound_a);
        bounds_of(c.b, 3, bound_b);
        ck_assert_int_eq(bvpi_pose_init(&pose, c.ma, c.mb, bound_a, bound_b), BVP_OK);
        splat_triangle(c.a, a);
        splat_triangle(c.b, b);
        bvpi_tri_dist1(&pose, c.a, c.b, &d);
        bvpi_tri_dist8(&pose, a, b, &lo, &hi);
        if (d.lo > 0.01)
            ck_assert_double_lt((double)(hi[0] - lo[0]), 1e-4);
    }
}
END_TEST

/* Neighbours of two surfaces that face one another, a hair apart, bent along the common edge. */
START_TEST(facing_triangles_are_told_apart)
{
    const double bound[3] = {4, 4, 4}, gap = 1e-4;
    case_seed(5);
    for (int i = 0; i < 2000; i++) {
        const double bend = case_unit(), c = cos(bend), s = sin(bend);
        const double flat[2][3][3] = {{{0, 0, 0}, {1, 0, 0}, {case_unit(), 1, 0}},
                                      {{0, 0, gap}, {1, 0, gap}, {case_unit(), -c, gap + s}}};
        float tri[2][9];
        double m[12];
        bvpi_pose pose;
        bvpi_tri_dist d;
        f32x8 a[9], b[9];
        case_rotation(m);
        for (int k = 0; k < 18; k++) {
            const double *p = flat[k / 9][k / 3 % 3], *row = m + 4 * (k % 3);
            tri[k / 9][k % 9] = (float)(row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
        }
        ck_assert_int_eq(bvpi_pose_init(&pose, NULL, NULL, bound, bound), BVP_OK);
        splat_triangle(tri[0], a);
        splat_triangle(tri[1], b);
        bvpi_tri_dist1(&pose, tri[0], tri[1], &d);
        const f32x8 lo = bvpi_tri_gap8(&pose, a, b);
        ck_assert_double_gt((double)lo[0], 0.9 * d.lo);
        ck_assert_double_le((double)lo[0], d.hi);
    }
}
END_TEST

/* The least altitude over the longest side. */
static double slimness(const float t[9])
{
    double e[3][3], longest = 0, area = 0;
    for (int k = 0; k < 3; k++) {
        double sq = 0;
        for (int x = 0; x < 3; x++) {
            e[k][x] = (double)t[3 * ((k + 1) % 3) + x] - (double)t[3 * k + x];
            sq += e[k][x] * e[k][x];
        }
        longest = fmax(longest, sq);
    }
    for (int x = 0; x < 3; x++) {
        const int y = (x + 1) % 3, z = (x + 2) % 3;
        const double n = e[0][y] * e[1][z] - e[0][z] * e[1][y];
        area += n * n;
    }
    return longest > 0 ? sqrt(area) / longest : 0;
}

/* Triangles of one plane, or of two that an ulp parts, and one triangle a step aside in its plane:
 * edges run parallel there. */
START_TEST(intervals_of_flush_triangles_are_narrow)
{
    static const int kinds[5] = {FLUSH_ALIGNED, FLUSH_ULP, FLUSH_TURNED, FLUSH_FAR,
                                 FLUSH_SUBNORMAL};
    int apart = 0;
    case_seed(7);
    for (int i = 0; i < 40000; i++) {
        tri_case c;
        bvpi_pose pose;
        bvpi_tri_dist d;
        double bound_a[3], bound_b[3];
        case_flush(&c, kinds[i % 5]);
        if (i % 3 != 0) {
            const int axis = case_int(2), shift = case_int(60);
            const double step = ldexp(case_int(2) ? 1 : -1, -shift);
            memcpy(c.b, c.a, sizeof c.a);
            memcpy(c.mb, c.ma, sizeof c.ma);
            for (int x = 0; x < 12; x += 4)
                c.mb[x + 3] += c.ma[x + axis] * step;
        }
        if (fmin(slimness(c.a), slimness(c.b)) < 0x1p-15)
            continue;
        bounds_of(c.a, 3, bound_a);
        bounds_of(c.b, 3, bound_b);
        ck_assert_int_eq(bvpi_pose_init(&pose, c.ma, c.mb, bound_a, bound_b), BVP_OK);
        bvpi_tri_dist1(&pose, c.a, c.b, &d);
        if (!(d.hi - d.lo <= 1e-9 * d.hi + 0x1p-1071)) {
            case_print(&c);
            ck_abort_msg("case %d: %a .. %a", i, d.lo, d.hi);
        }
        apart += d.hi > 0;
    }
    ck_assert_int_gt(apart, 5000);
}
END_TEST

START_TEST(known_distances)
{
    const double bound[3] = {9, 9, 9};
    const float a[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, face[9] = {0.25f, 0.25f, 3, 1, 0, 4, 0, 1, 5};
    const float point[9] = {4, 4, 0, 4, 4, 0, 4, 4, 0};
    double scaled[12] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0};
    bvpi_pose pose;
    bvpi_tri_dist d;
    ck_assert_int_eq(bvpi_pose_init(&pose, NULL, NULL, bound, bound), BVP_OK);
    bvpi_tri_dist1(&pose, a, face, &d);
    ck_assert_double_eq_tol(d.hi, 3, 1e-12);
    ck_assert_double_eq_tol(d.point_a[0], 0.25, 1e-12);
    ck_assert_double_eq_tol(d.point_b[2], 3, 1e-12);
    bvpi_tri_dist1(&pose, point, point, &d);
    ck_assert_double_eq(d.hi, 0);
    ck_assert_int_eq(bvpi_pose_init(&pose, scaled, scaled, bound, bound), BVP_OK);
    bvpi_tri_dist1(&pose, a, face, &d);
    ck_assert_double_eq_tol(d.lo, 6, 1e-8);
}
END_TEST

/* The foot is inside an edge by less than a double tells from its end. */
START_TEST(feet_are_told_from_corners)
{
    const double hair = 0x1p-60, bound[3] = {2, 1, 1};
    const double ma[12] = {1, 0, 0, hair, 0, 1, 0, 0, 0, 0, 1, 0};
    const double mb[12] = {1, 0, 0, 0, 0, 1, 0, hair, 0, 0, 1, 0};
    const float a[9] = {0, 0, 0, 1, 0, 0, 0, -1, 0}, b[9] = {1, 0, 0, 2, 1, 0, 0, 1, 0};
    bvpi_pose pose;
    bvpi_tri_dist d;
    ck_assert_int_eq(bvpi_pose_init(&pose, ma, mb, bound, bound), BVP_OK);
    bvpi_tri_dist1(&pose, a, b, &d);
    ck_assert_double_ge(d.lo, hair * (1 - 1e-9));
    ck_assert_double_le(d.hi, hair * (1 + 1e-9));
}
END_TEST

/* A small triangle far out in its part, and the same with its axes in another order, which is
 * summed in another order: 2^-60 apart, so that what double-double rounds counts. */
START_TEST(small_triangles_of_large_parts)
{
    mpq_t d_sq;
    mpq_init(d_sq);
    case_seed(8);
    for (int i = 0; i < 2000; i++) {
        tri_case c = {.family = -1, .placing = -1};
        double n[3];
        for (int k = 0; k < 9; k++) {
            const float out = k < 3 ? 0.5f + (float)case_int(1 << 22) * 0x1p-23f : c.a[k % 3];
            c.a[k] = out + (float)case_int(65) * 0x1p-24f;
        }
        case_rotation(c.ma);
        for (int k = 0; k < 9; k++) {
            c.b[k] = c.a[k / 3 * 3 + (k + 1) % 3];
            c.mb[k / 3 * 4 + k % 3] = c.ma[k / 3 * 4 + (k + 1) % 3];
        }
        for (int x = 0; x < 3; x++)
            n[x] = case_unit();
        for (int x = 0; x < 3; x++)
            c.mb[4 * x + 3] = n[x] * ldexp(1, -52 - i % 12);
        check_one(&c, d_sq);
    }
    mpq_clear(d_sq);
}
END_TEST

SUITE(test_tri_dist)
{
    const TTest *const tests[] = {intervals_hold_the_distance,
                                  integers_tell_the_distance,
                                  float_intervals_are_narrow,
                                  facing_triangles_are_told_apart,
                                  intervals_of_flush_triangles_are_narrow,
                                  known_distances,
                                  feet_are_told_from_corners,
                                  small_triangles_of_large_parts,
                                  NULL};
    return run_suite("tri_dist", tests);
}
