/* SPDX-License-Identifier: MIT
 * test_point_tri.c: nearest points of triangles against squared distances in rationals.
 */
#include "oracle_gmp.h"
#include "prim/point_tri4.h"
#include "prim_suite.h"
#include "tri_cases.h"

enum { CASES = 120 }; /* for each family and kind of placement */

static void refuse(const tri_case *c, const char *what, double lo, double hi, const mpq_t d_sq)
{
    printf("%s: lo %a hi %a, true %a: ", what, lo, hi, sqrt(mpq_get_d(d_sq)));
    case_print(c);
    ck_abort_msg("%s", what);
}

/* What is within d is never left out, and much of what is farther is. */
static long left_out;
static void check_far(const tri_case *c, const bvpi_point *point, const f32x8 t[9], double d,
                      const mpq_t d_sq)
{
    const float far = nextafterf((float)d, INFINITY);
    float box[2][3];
    for (int x = 0; x < 3; x++) {
        box[0][x] = fminf(c->a[x], fminf(c->a[3 + x], c->a[6 + x]));
        box[1][x] = fmaxf(c->a[x], fmaxf(c->a[3 + x], c->a[6 + x]));
    }
    if (bvpi_point_near8(point, t, box, 0xff, far) != 0xff)
        refuse(c, "left out", d, (double)far, d_sq);
    const unsigned lanes = bvpi_point_near8(point, t, box, 0x5a, far / 2);
    if (lanes != 0x5a && lanes != 0)
        refuse(c, "not all lanes alike", d, (double)far, d_sq);
    left_out += lanes == 0;
}

/* The case's triangle A and the first corner of B. */
static int check_one(const tri_case *c, mpq_t d_sq)
{
    bvpi_placement placement;
    bvpi_point point;
    bvpi_point_tri d;
    double p[3], bound[3], apart = 0, size = 0;
    f32x8 t[9], lo, hi;
    bounds_of(c->a, 3, bound);
    place_point(c->mb, c->b, p);
    ck_assert_int_eq(bvpi_placement_init(&placement, c->ma), BVP_OK);
    ck_assert_int_eq(bvpi_point_init(&point, &placement, p, bound), BVP_OK);
    oracle_point_tri_distance_sq(d_sq, p, c->a, c->ma);
    bvpi_point_tri1(&point, c->a, &d);
    splat_triangle(c->a, t);
    bvpi_point_tri8(&point, t, 0xff, &lo, &hi);
    if (!oracle_sqrt_between(d_sq, d.lo, d.hi))
        refuse(c, "not in the interval", d.lo, d.hi, d_sq);
    if (!oracle_sqrt_between(d_sq, (double)lo[5], (double)hi[5]))
        refuse(c, "not in the float interval", (double)lo[5], (double)hi[5], d_sq);
    check_far(c, &point, t, d.hi, d_sq);
    if ((mpq_sgn(d_sq) == 0) != (d.hi == 0))
        refuse(c, "zero", d.lo, d.hi, d_sq);
    if (!(d.hi - d.lo <= 1e-9 * d.hi + 0x1p-1071))
        refuse(c, "interval too wide", d.lo, d.hi, d_sq);
    for (int x = 0; x < 3; x++) {
        apart += (d.point[x] - p[x]) * (d.point[x] - p[x]);
        size = fmax(size, fabs(p[x]));
    }
    if (!(sqrt(apart) - size * 0x1p-50 <= d.hi * (1 + 1e-15)))
        refuse(c, "nearest point too far away", d.lo, d.hi, d_sq);
    return d.hi == 0;
}

START_TEST(intervals_hold_the_distance)
{
    long zeros = 0;
    mpq_t d_sq;
    mpq_init(d_sq);
    case_seed(5);
    for (int family = 0; family < CASE_FAMILIES; family++)
        for (int i = 0; i < CASES * PLACE_COUNT; i++) {
            tri_case c;
            case_make(&c, family, i % PLACE_COUNT);
            zeros += check_one(&c, d_sq);
        }
    ck_assert_int_gt(zeros, CASES);
    ck_assert_int_gt(left_out, CASES * CASE_FAMILIES * PLACE_COUNT / 4);
    mpq_clear(d_sq);
}
END_TEST

/* Each of four is answered as if it were alone. */
START_TEST(four_are_answered_as_one_is)
{
    int good = 0;
    case_seed(6);
    for (int i = 0; i < 4 * CASES; i++) {
        tri_case c[4];
        bvpi_placement placement;
        bvpi_point point;
        bvpi_point_tri4 four;
        f64x4 corners[9];
        double p[3], bound[3] = {0}, of_one[3];
        for (int lane = 0; lane < 4; lane++) {
            case_make(&c[lane], (i + lane) % CASE_FAMILIES, 0);
            bounds_of(c[lane].a, 3, of_one);
            for (int x = 0; x < 3; x++)
                bound[x] = fmax(bound[x], of_one[x]);
            for (int k = 0; k < 9; k++)
                corners[k][lane] = (double)c[lane].a[k];
        }
        place_point(c[0].mb, c[0].b, p);
        ck_assert_int_eq(bvpi_placement_init(&placement, c[0].ma), BVP_OK);
        ck_assert_int_eq(bvpi_point_init(&point, &placement, p, bound), BVP_OK);
        bvpi_point_tri4_init(&four, &point, corners);
        for (unsigned lane = 0; lane < 4; lane++) {
            bvpi_point_tri one, of_four;
            bvpi_point_tri1(&point, c[lane].a, &one);
            bvpi_point_tri4_lane(&four, &point, c[lane].a, lane, &of_four);
            ck_assert_mem_eq(&one, &of_four, sizeof one);
            good += four.good[lane] != 0;
        }
    }
    ck_assert_int_gt(good, 8 * CASES);
}
END_TEST

/* A small triangle far out in its part, which the placement takes to the origin, and a point 2^-60
 * beside it: what double-double rounds counts. */
START_TEST(small_triangles_of_large_parts)
{
    mpq_t d_sq;
    mpq_init(d_sq);
    case_seed(9);
    for (int i = 0; i < 4000; i++) {
        tri_case c = {.family = -1, .placing = -1};
        bvpi_placement placement;
        double corner[3], at[3];
        for (int k = 0; k < 9; k++) {
            const float out = k < 3 ? 0.5f + (float)case_int(1 << 22) * 0x1p-23f : c.a[k % 3];
            c.a[k] = out + (float)case_int(65) * 0x1p-24f;
            corner[k % 3] = (double)c.a[k];
        }
        case_rotation(c.ma);
        for (int k = 0; k < 9; k++) /* their bits reach below what double-double keeps */
            c.ma[k / 3 * 4 + k % 3] *= ldexp(1, -18 * (2 - k % 3));
        place_point(c.ma, c.a, at);
        for (int x = 0; x < 3; x++)
            c.ma[4 * x + 3] = -at[x];
        ck_assert_int_eq(bvpi_placement_init(&placement, c.ma), BVP_OK);
        bvpi_placement_point_to_world(&placement, corner, at);
        case_identity(c.mb);
        for (int x = 0; x < 3; x++)
            c.mb[4 * x + 3] = at[x] + case_unit() * ldexp(1, -54 - i % 12);
        check_one(&c, d_sq);
    }
    mpq_clear(d_sq);
}
END_TEST

START_TEST(degenerate_triangles_are_segments_and_points)
{
    const float segment[9] = {0, 0, 0, 2, 0, 0, 4, 0, 0}, dot[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const double p[3] = {3, 4, 0}, bound[3] = {4, 4, 4};
    bvpi_placement placement;
    bvpi_point point;
    bvpi_point_tri d;
    ck_assert_int_eq(bvpi_placement_init(&placement, NULL), BVP_OK);
    ck_assert_int_eq(bvpi_point_init(&point, &placement, p, bound), BVP_OK);
    bvpi_point_tri1(&point, segment, &d);
    ck_assert_double_eq_tol(d.hi, 4, 1e-12);
    ck_assert_double_eq_tol(d.point[0], 3, 1e-12);
    bvpi_point_tri1(&point, dot, &d);
    ck_assert_double_eq_tol(d.lo, sqrt(14), 1e-8);
}
END_TEST

/* The foot is inside an edge by less than a double tells from its end. */
START_TEST(feet_are_told_from_corners)
{
    const double hair = 0x1p-60, m[12] = {1, 0, 0, hair, 0, 1, 0, 0, 0, 0, 1, 0};
    const double p[3] = {1, hair, 0}, bound[3] = {1, 1, 1};
    const float tri[9] = {0, 0, 0, 1, 0, 0, 0, -1, 0};
    bvpi_placement placement;
    bvpi_point point;
    bvpi_point_tri d;
    ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_OK);
    ck_assert_int_eq(bvpi_point_init(&point, &placement, p, bound), BVP_OK);
    bvpi_point_tri1(&point, tri, &d);
    ck_assert_double_ge(d.lo, hair * (1 - 1e-9));
    ck_assert_double_le(d.hi, hair * (1 + 1e-9));
}
END_TEST

/* A triangle in the plane n . x = height n^2, around that plane's nearest point: all integers, so
 * that the foot is exact; but the products with it are not, and cancel. */
static void make_flat(int height, float tri[9], double *distance, float foot[3])
{
    int n[3], in_plane[2][3];
    for (int x = 0; x < 3; x++)
        n[x] = case_int(31) - 15;
    n[0] += n[0] == 0;
    for (int i = 0; i < 2; i++) {
        int r[3];
        for (int x = 0; x < 3; x++)
            r[x] = case_int(1 << 16) - (1 << 15);
        for (int x = 0; x < 3; x++)
            in_plane[i][x] = n[(x + 1) % 3] * r[(x + 2) % 3] - n[(x + 2) % 3] * r[(x + 1) % 3];
    }
    for (int x = 0; x < 3; x++) {
        foot[x] = (float)(height * n[x]);
        tri[x] = (float)(height * n[x] + in_plane[0][x]);
        tri[3 + x] = (float)(height * n[x] + in_plane[1][x]);
        tri[6 + x] = (float)(height * n[x] - in_plane[0][x] - in_plane[1][x]);
    }
    *distance = height * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/* Lanes that are beyond `far` along v. */
static unsigned beyond_along(const bvpi_point *point, const float v[3], const f32x8 t[9], float far)
{
    return bvpi_point_beyond_f32(v, (const float *)t, bvpi_point_along(point, v, far));
}

START_TEST(what_is_within_reach_is_not_left_out)
{
    enum { MANY = 100000 };
    const double p[3] = {0, 0, 0};
    bvpi_placement placement;
    long kept = 0;
    case_seed(7);
    ck_assert_int_eq(bvpi_placement_init(&placement, NULL), BVP_OK);
    for (int i = 0; i < MANY; i++) {
        float tri[9], foot[3];
        double distance, bound[3];
        f32x8 t[9];
        bvpi_point point;
        make_flat(1 + case_int(64), tri, &distance, foot);
        bounds_of(tri, 3, bound);
        splat_triangle(tri, t);
        ck_assert_int_eq(bvpi_point_init(&point, &placement, p, bound), BVP_OK);
        const float far = nextafterf((float)distance, INFINITY);
        ck_assert_uint_eq(beyond_along(&point, foot, t, far), 0);
        kept += beyond_along(&point, foot, t, far / 4) == 0;
    }
    ck_assert_int_lt(kept, MANY * 3L / 4); /* the bound is not empty there */
}
END_TEST

START_TEST(arguments_are_checked)
{
    const double p[3] = {0, NAN, 0}, bound[3] = {1, 1, 1};
    bvpi_placement placement;
    bvpi_point point;
    ck_assert_int_eq(bvpi_placement_init(&placement, NULL), BVP_OK);
    ck_assert_int_eq(bvpi_point_init(&point, &placement, p, bound), BVP_ERR_ARGUMENT);
}
END_TEST

SUITE(test_point_tri)
{
    const TTest *const tests[] = {
        intervals_hold_the_distance,    four_are_answered_as_one_is,
        small_triangles_of_large_parts, degenerate_triangles_are_segments_and_points,
        feet_are_told_from_corners,     what_is_within_reach_is_not_left_out,
        arguments_are_checked,          NULL};
    return run_suite("point_tri", tests);
}
