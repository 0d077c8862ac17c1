/* SPDX-License-Identifier: MIT
 * test_tri_tri.c: triangle overlap against rational arithmetic: the exact stage, the filters before
 * it, symmetry, and cases that are easily got wrong.
 */
#include "oracle_gmp.h"
#include "prim/tri_tri.h"
#include "prim_suite.h"
#include "tri_cases.h"

enum {
    EXACT_CASES = 250,  /* for each family and kind of placement; 16 times 12 of them */
    FLUSH_CASES = 2000, /* of each kind */
    FILTER_POSES = 760  /* as EXACT_CASES, eight pairs each */
};

static void show(const tri_case *c, unsigned got, unsigned expected)
{
    if (got == expected)
        return;
    printf("got %u, expected %u: ", got, expected);
    case_print(c);
    ck_abort_msg("answers differ");
}

START_TEST(exact_stage_equals_rationals)
{
    long meet = 0, proper = 0;
    case_seed(1);
    for (int family = 0; family < CASE_FAMILIES; family++)
        for (int i = 0; i < EXACT_CASES * PLACE_COUNT; i++) {
            tri_case c;
            case_make(&c, family, i % PLACE_COUNT);
            unsigned expected = (unsigned)oracle_tri_tri(c.a, c.b, c.ma, c.mb);
            show(&c, bvpi_tri_tri_exact(c.a, c.b, c.ma, c.mb), expected);
            show(&c, bvpi_tri_tri_exact(c.b, c.a, c.mb, c.ma), expected);
            meet += expected & BVPI_MEET;
            proper += expected >> 1;
        }
    ck_assert_int_gt(meet, 5 * EXACT_CASES * PLACE_COUNT / 2);
    ck_assert_int_gt(proper, 5 * EXACT_CASES * PLACE_COUNT / 4);
    ck_assert_int_gt(meet - proper, EXACT_CASES * PLACE_COUNT / 2);
}
END_TEST

/* Where doubles decide nothing, and zeros are exact. */
START_TEST(flush_faces_equal_rationals)
{
    long meet[FLUSH_KINDS] = {0};
    case_seed(3);
    for (int kind = 0; kind < FLUSH_KINDS; kind++)
        for (int i = 0; i < FLUSH_CASES; i++) {
            tri_case c;
            case_flush(&c, kind);
            unsigned expected = (unsigned)oracle_tri_tri(c.a, c.b, c.ma, c.mb);
            show(&c, bvpi_tri_tri_exact(c.a, c.b, c.ma, c.mb), expected);
            show(&c, bvpi_tri_tri_exact(c.b, c.a, c.mb, c.ma), expected);
            meet[kind] += expected & BVPI_MEET;
        }
    for (int kind = 0; kind < FLUSH_KINDS; kind++)
        printf("%ld%s", meet[kind], kind == FLUSH_KINDS - 1 ? " meet\n" : ", ");
    ck_assert_int_gt(meet[FLUSH_ALIGNED], FLUSH_CASES / 4);
    ck_assert_int_gt(meet[FLUSH_SLIDING], FLUSH_CASES / 4);
    ck_assert_int_lt(meet[FLUSH_ULP], meet[FLUSH_ALIGNED]);
}
END_TEST

/* Eight cases of a family under the placement of the first. */
static void make_eight(tri_case cases[8], int family, int placing, f32x8 a[9], f32x8 b[9])
{
    for (int lane = 0; lane < 8; lane++) {
        case_make(&cases[lane], family, placing);
        memcpy(cases[lane].ma, cases[0].ma, sizeof cases[0].ma);
        memcpy(cases[lane].mb, cases[0].mb, sizeof cases[0].mb);
        for (int k = 0; k < 9; k++) {
            a[k][lane] = cases[lane].a[k];
            b[k][lane] = cases[lane].b[k];
        }
    }
}

static void init_pose(bvpi_pose *pose, const tri_case cases[8], int swap)
{
    double bound_a[3] = {0}, bound_b[3] = {0};
    for (int lane = 0; lane < 8; lane++) {
        double a[3], b[3];
        bounds_of(cases[lane].a, 3, a);
        bounds_of(cases[lane].b, 3, b);
        for (int x = 0; x < 3; x++) {
            bound_a[x] = fmax(bound_a[x], a[x]);
            bound_b[x] = fmax(bound_b[x], b[x]);
        }
    }
    const double *ma = cases[0].ma, *mb = cases[0].mb;
    bvp_status status = swap ? bvpi_pose_init(pose, mb, ma, bound_b, bound_a)
                             : bvpi_pose_init(pose, ma, mb, bound_a, bound_b);
    ck_assert_int_eq(status, BVP_OK);
}

START_TEST(filters_equal_exact_stage)
{
    long exact = 0, pairs = 0;
    case_seed(2);
    for (int family = 0; family < CASE_FAMILIES; family++)
        for (int i = 0; i < FILTER_POSES * PLACE_COUNT; i++) {
            tri_case c[8];
            f32x8 a[9], b[9];
            bvpi_pose pose, swapped;
            make_eight(c, family, i % PLACE_COUNT, a, b);
            init_pose(&pose, c, 0);
            init_pose(&swapped, c, 1);
            unsigned lanes = case_int(4) ? 0xff : (unsigned)case_int(256);
            bvpi_tri_tri8_result r = bvpi_tri_tri8(&pose, a, b, lanes, false);
            bvpi_tri_tri8_result s = bvpi_tri_tri8(&swapped, b, a, lanes, false);
            bvpi_tri_tri8_result any = bvpi_tri_tri8(&pose, a, b, lanes, true);
            ck_assert_uint_eq(r.hit & ~lanes, 0);
            ck_assert(any.hit == 0 ? r.hit == 0 : (any.hit & ~r.hit) == 0);
            ck_assert_uint_eq(any.proper, r.proper & any.hit);
            ck_assert_uint_eq(any.exact & ~r.exact, 0);
            for (unsigned k = 0; k < 8; k++) {
                if (!(lanes >> k & 1))
                    continue;
                unsigned e = bvpi_tri_tri_exact(c[k].a, c[k].b, pose.ma, pose.mb);
                show(&c[k], (r.hit >> k & 1) | (r.proper >> k & 1) << 1, e);
                show(&c[k], (s.hit >> k & 1) | (s.proper >> k & 1) << 1, e);
                exact += r.exact >> k & 1;
                pairs++;
            }
        }
    printf("%ld pairs, %ld decided exactly\n", pairs, exact);
    ck_assert_int_lt(exact, pairs / 4);
}
END_TEST

/* ---- by hand --------------------------------------------------------------------------------- */

static unsigned meet(const float a[9], const float b[9])
{
    return bvpi_tri_tri_exact(a, b, NULL, NULL);
}

START_TEST(touching_is_meeting_but_not_proper)
{
    const float a[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    const float corner_on_face[9] = {1, 1, 0, 1, 1, 5, 2, 1, 5};
    const float corner_on_edge[9] = {2, 0, 0, 2, -1, 5, 3, -1, 5};
    const float corner_on_corner[9] = {0, 0, 0, -1, -1, 1, -1, -2, 1};
    const float edge_across_edge[9] = {2, -1, -1, 2, 1, 1, 9, -9, 0};
    const float coplanar[9] = {1, 1, 0, 2, 1, 0, 1, 2, 0};
    const float coplanar_at_corner[9] = {4, 0, 0, 5, 0, 0, 5, 1, 0};
    const float above[9] = {1, 1, 0x1p-149f, 1, 1, 5, 2, 1, 5};
    ck_assert_uint_eq(meet(a, corner_on_face), BVPI_MEET);
    ck_assert_uint_eq(meet(a, corner_on_edge), BVPI_MEET);
    ck_assert_uint_eq(meet(a, corner_on_corner), BVPI_MEET);
    ck_assert_uint_eq(meet(a, edge_across_edge), BVPI_MEET);
    ck_assert_uint_eq(meet(a, coplanar), BVPI_MEET);
    ck_assert_uint_eq(meet(a, coplanar_at_corner), BVPI_MEET);
    ck_assert_uint_eq(meet(a, a), BVPI_MEET);
    ck_assert_uint_eq(meet(a, above), 0);
}
END_TEST

START_TEST(crossing_is_proper)
{
    const float a[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    const float through[9] = {1, 1, -1, 1, 1, 1, 5, 5, 0.5f};
    const float corner_in_plane[9] = {1, 1, -1, 1, 1, 1, 9, 9, 0}; /* crosses inside as well */
    ck_assert_uint_eq(meet(a, through), BVPI_MEET | BVPI_PROPER);
    ck_assert_uint_eq(meet(a, corner_in_plane), BVPI_MEET | BVPI_PROPER);
}
END_TEST

START_TEST(degenerate_triangles_are_segments_and_points)
{
    const float a[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    const float segment_through[9] = {1, 1, -1, 1, 1, 1, 1, 1, 0};
    const float segment_beside[9] = {3, 3, -1, 3, 3, 1, 3, 3, 0};
    const float point_in[9] = {1, 1, 0, 1, 1, 0, 1, 1, 0};
    const float point_out[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    ck_assert_uint_eq(meet(a, segment_through), BVPI_MEET);
    ck_assert_uint_eq(meet(a, segment_beside), 0);
    ck_assert_uint_eq(meet(a, point_in), BVPI_MEET);
    ck_assert_uint_eq(meet(a, point_out), 0);
    ck_assert_uint_eq(meet(segment_through, point_in), BVPI_MEET);
    ck_assert_uint_eq(meet(point_in, point_in), BVPI_MEET);
    ck_assert_uint_eq(meet(point_in, point_out), 0);
}
END_TEST

/* What a damaged file may bring: any answer, but an end. */
START_TEST(not_a_number_ends)
{
    float a[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0}, b[9];
    memcpy(b, a, sizeof b);
    b[4] = NAN;
    ck_assert_uint_eq(meet(a, b), 0);
    b[4] = INFINITY;
    ck_assert_uint_eq(meet(b, a), 0);
}
END_TEST

SUITE(test_tri_tri)
{
    const TTest *const tests[] = {exact_stage_equals_rationals,
                                  flush_faces_equal_rationals,
                                  filters_equal_exact_stage,
                                  touching_is_meeting_but_not_proper,
                                  crossing_is_proper,
                                  degenerate_triangles_are_segments_and_points,
                                  not_a_number_ends,
                                  NULL};
    return run_suite("tri_tri", tests);
}
