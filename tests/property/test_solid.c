/* SPDX-License-Identifier: MIT
 * test_solid.c: inside and signed distances of shells whose answers are known: cavities, overlaps,
 * inward, inconsistent and open ones, inner walls; assemblies.
 */
#include "clash_case.h"
#include "suite.h"

/* ---- shells ---------------------------------------------------------------------------------- */

typedef struct answer {
    double at[3];
    bvp_where where;
    double winding;
} answer;

static void check_answers(const solid *s, const answer *answers, int count)
{
    const bvp_mesh mesh = case_mesh(s->soup, s->count);
    case_file f = case_build(&mesh, NULL);
    const bvp_body body = {.file = f.file};
    for (int i = 0; i < count; i++) {
        bvp_inside_result found;
        ck_assert_int_eq(bvp_inside(&body, answers[i].at, &found, NULL), BVP_OK);
        ck_assert_msg(found.where == answers[i].where, "point %d: %d, not %d", i, found.where,
                      answers[i].where);
        ck_assert_double_eq_tol(found.winding, answers[i].winding, 1e-9);
        ck_assert_uint_eq(found.instance, BVP_NONE);
    }
    case_close(&f);
}

static const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, two[3] = {2, 2, 2},
                    three[3] = {3, 3, 3}, four[3] = {4, 4, 4};

START_TEST(cavities_are_outside)
{
    solid s = {.count = 0};
    const answer answers[] = {{{2, 2, 2}, BVP_WHERE_OUTSIDE, 0},
                              {{0.5, 2, 2}, BVP_WHERE_INSIDE, 1},
                              {{1, 2, 2}, BVP_WHERE_SURFACE, 0},
                              {{5, 2, 2}, BVP_WHERE_OUTSIDE, 0}};
    solid_box(&s, zero, four, 0, -1);
    solid_box(&s, one, three, 1, -1);
    check_answers(&s, answers, 4);
}
END_TEST

START_TEST(solids_in_solids_are_inside)
{
    solid s = {.count = 0};
    const answer answers[] = {{{2, 2, 2.5}, BVP_WHERE_INSIDE, 2},
                              {{0.5, 2, 2}, BVP_WHERE_INSIDE, 1},
                              {{3.5, 3.5, 3.5}, BVP_WHERE_INSIDE, 1}};
    solid_box(&s, zero, four, 0, -1);
    solid_box(&s, one, three, 0, -1);
    check_answers(&s, answers, 3);
}
END_TEST

START_TEST(overlaps_and_duplicates_are_inside)
{
    solid s = {.count = 0};
    const answer answers[] = {{{1.5, 1.5, 1.5}, BVP_WHERE_INSIDE, 3},
                              {{0.5, 0.5, 0.5}, BVP_WHERE_INSIDE, 2},
                              {{2.5, 2.5, 2.5}, BVP_WHERE_INSIDE, 1},
                              {{0.5, 2.5, 0.5}, BVP_WHERE_OUTSIDE, 0}};
    solid_box(&s, zero, two, 0, -1);
    solid_box(&s, zero, two, 0, -1);
    solid_box(&s, one, three, 0, -1);
    check_answers(&s, answers, 4);
}
END_TEST

START_TEST(inverted_solids_are_inside)
{
    solid s = {.count = 0};
    const answer answers[] = {{{1, 1, 1}, BVP_WHERE_INSIDE, -1}, {{3, 1, 1}, BVP_WHERE_OUTSIDE, 0}};
    solid_box(&s, zero, two, 1, -1);
    check_answers(&s, answers, 2);
}
END_TEST

/* Of an L, so that a point beside it is in its box, and rays from there cross it. */
static void solid_l(solid *s)
{
    const double l[6][2] = {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 4}};
    solid_prism(s, l, 6, 0, 1);
}

START_TEST(faces_that_disagree_are_decided_by_parity)
{
    uint64_t state = case_seed();
    for (int i = 0; i < 200; i++) {
        solid s = {.count = 0};
        const double at[][3] = {{0.5, 0.5, 0.5}, {3, 0.5, 0.5}, {2, 3, 0.5}, {1.1, 1.1, 0.4}};
        solid_l(&s);
        for (int k = 0; k < 3; k++) { /* turns some triangles over */
            float *t = s.soup + 9 * (case_random(&state) % s.count), kept[3];
            memcpy(kept, t, sizeof kept);
            memcpy(t, t + 3, sizeof kept);
            memcpy(t + 3, kept, sizeof kept);
        }
        const bvp_mesh mesh = case_mesh(s.soup, s.count);
        case_file f = case_build(&mesh, NULL);
        const bvp_body body = {.file = f.file};
        for (int k = 0; k < 4; k++) {
            bvp_inside_result found;
            ck_assert_int_eq(bvp_inside(&body, at[k], &found, NULL), BVP_OK);
            ck_assert_int_eq(found.where, k < 2 ? BVP_WHERE_INSIDE : BVP_WHERE_OUTSIDE);
        }
        case_close(&f);
    }
}
END_TEST

START_TEST(inner_walls_leave_inside_inside)
{
    solid s = {.count = 0};
    const double p[4][3] = {{0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}}, up[3] = {2, 2, 2};
    const double low[3] = {2, 2, 1}, middle[3] = {0, 0, 1};
    const answer answers[] = {{{1, 1.1, 1}, BVP_WHERE_SURFACE, 0},
                              {{3, 1, 1}, BVP_WHERE_OUTSIDE, 0}};
    bvp_inside_result found;
    solid_box(&s, zero, low, 0, 1 + 2 * 2);
    solid_box(&s, middle, up, 0, 2 * 2);
    solid_quad(&s, p[0], p[1], p[2], p[3]);
    check_answers(&s, answers, 2);
    const bvp_mesh mesh = case_mesh(s.soup, s.count);
    case_file f = case_build(&mesh, NULL);
    bvp_part_info info;
    ck_assert_int_eq(bvp_get_part(f.file, 0, &info), BVP_OK);
    ck_assert(info.open_edge_count == 0 && info.nonmanifold_edge_count > 0);
    ck_assert_int_eq(
        bvp_inside(&(bvp_body){.file = f.file}, (double[3]){1, 0.9, 0.4}, &found, NULL), BVP_OK);
    ck_assert(found.where == BVP_WHERE_INSIDE || found.where == BVP_WHERE_OPEN);
    case_close(&f);
}
END_TEST

START_TEST(open_shells_are_told)
{
    solid s = {.count = 0};
    const answer answers[] = {{{1, 1, 1}, BVP_WHERE_OPEN, 5. / 6},
                              {{1, 1, 3}, BVP_WHERE_OUTSIDE, 0},
                              {{0, 1, 1}, BVP_WHERE_SURFACE, 0}};
    solid_box(&s, zero, two, 0, 5);
    check_answers(&s, answers, 3);
}
END_TEST

/* ---- assemblies ------------------------------------------------------------------------------ */

START_TEST(assemblies_are_unions)
{
    const double world[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    assembly a = assembly_new(world);
    solid box = {.count = 0}, open = {.count = 0};
    solid_box(&box, zero, two, 0, -1);
    solid_box(&open, zero, two, 0, 5);
    const uint32_t part = assembly_part(&a, &box);
    for (int i = 0; i < 4; i++) /* the second overlaps the first, the third shares a face */
        assembly_place(&a, part,
                       (double[12]){1, 0, 0, (double[]){0, 1, 3, 10}[i], 0, 1, 0, 0, 0, 0, 1, 0});
    assembly_put(&a, &open, 11, 0, 0);
    case_file f = case_finish(a.builder);
    const uint64_t third = 4;
    const bvp_filter others = {&third, 1, 1};
    const bvp_body all = {.file = f.file, .part = BVP_ASSEMBLY};
    const bvp_body some = {.file = f.file, .part = BVP_ASSEMBLY, .filter = &others};
    const struct {
        double x;
        bvp_where where;
        bool filtered;
    } cases[] = {
        {0.5, BVP_WHERE_INSIDE, 0},  {2, BVP_WHERE_INSIDE, 0},  {3, BVP_WHERE_SURFACE, 0},
        {4, BVP_WHERE_INSIDE, 0},    {4, BVP_WHERE_OUTSIDE, 1}, {7, BVP_WHERE_OUTSIDE, 0},
        {11.5, BVP_WHERE_INSIDE, 0}, {12.5, BVP_WHERE_OPEN, 0}, {12, BVP_WHERE_SURFACE, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bvp_inside_result found;
        const double point[3] = {cases[i].x, 1, 1.25};
        ck_assert_int_eq(bvp_inside(cases[i].filtered ? &some : &all, point, &found, NULL), BVP_OK);
        ck_assert_msg(found.where == cases[i].where, "%g: %d", cases[i].x, found.where);
        ck_assert((found.where == BVP_WHERE_OUTSIDE) == (found.instance == BVP_NONE));
    }
    case_close(&f);
}
END_TEST

/* ---- signed distances ------------------------------------------------------------------------ */

START_TEST(signed_distances_of_a_box)
{
    solid s = {.count = 0};
    const double half[3] = {1, 2, 3}, low[3] = {-1, -2, -3};
    solid_box(&s, low, half, 0, -1);
    const bvp_mesh mesh = case_mesh(s.soup, s.count);
    case_file f = case_build(&mesh, NULL);
    const bvp_body body = {.file = f.file};
    int inside = 0;
    uint64_t state = case_seed();
    for (int i = 0; i < 4000; i++) {
        double p[3], out = 0, in = -INFINITY;
        bvp_signed_result found;
        bvp_closest_result plain;
        for (int a = 0; a < 3; a++) {
            p[a] = 1.5 * half[a] * (2 * case_uniform(&state) - 1);
            out = hypot(out, fmax(fabs(p[a]) - half[a], 0));
            in = fmax(in, fabs(p[a]) - half[a]);
        }
        const double want = in < 0 ? in : out;
        ck_assert_int_eq(bvp_signed_closest(&body, p, INFINITY, &found, NULL), BVP_OK);
        ck_assert_int_eq(bvp_closest(&body, p, INFINITY, &plain, NULL), BVP_OK);
        ck_assert_int_eq(found.nearest.found, 1);
        ck_assert_double_eq_tol(found.nearest.distance, want, 1e-9);
        ck_assert_double_eq(fabs(found.nearest.distance), plain.distance);
        ck_assert_mem_eq(&found.nearest.id, &plain.id, sizeof plain.id);
        ck_assert_mem_eq(found.nearest.point, plain.point, sizeof plain.point);
        inside += want < 0;
        /* too far to be found: the side is told all the same */
        ck_assert_int_eq(bvp_signed_closest(&body, p, fabs(want) / 2, &found, NULL), BVP_OK);
        ck_assert_int_eq(found.nearest.found, 0);
        ck_assert_int_eq(found.inside.where, want < 0 ? BVP_WHERE_INSIDE : BVP_WHERE_OUTSIDE);
    }
    ck_assert_int_gt(inside, 500);
    const double on[3] = {1, 0.3, 0.4};
    bvp_signed_result found;
    ck_assert_int_eq(bvp_signed_closest(&body, on, 1, &found, NULL), BVP_OK);
    ck_assert(found.inside.where == BVP_WHERE_SURFACE && found.nearest.distance == 0);
    case_close(&f);
}
END_TEST

START_TEST(signs_of_open_shells)
{
    solid s = {.count = 0};
    solid_box(&s, zero, four, 0, 5);
    const bvp_mesh mesh = case_mesh(s.soup, s.count);
    case_file f = case_build(&mesh, NULL);
    const bvp_body body = {.file = f.file};
    bvp_signed_result deep, shallow;
    ck_assert_int_eq(bvp_signed_closest(&body, (double[3]){2, 2, 1}, 9, &deep, NULL), BVP_OK);
    ck_assert_int_eq(deep.inside.where, BVP_WHERE_OPEN);
    ck_assert_double_eq_tol(deep.nearest.distance, -1, 1e-9);
    ck_assert_int_eq(bvp_signed_closest(&body, (double[3]){2, 2, 3.99}, 9, &shallow, NULL), BVP_OK);
    ck_assert(shallow.inside.where == BVP_WHERE_OPEN);
    ck_assert((shallow.nearest.distance < 0) == (shallow.inside.winding >= 0.5));
    case_close(&f);
}
END_TEST

SUITE(test_solid)
{
    return suite_run("solid",
                     (const TTest *const[]){
                         cavities_are_outside, solids_in_solids_are_inside,
                         overlaps_and_duplicates_are_inside, inverted_solids_are_inside,
                         faces_that_disagree_are_decided_by_parity, inner_walls_leave_inside_inside,
                         open_shells_are_told, assemblies_are_unions, signed_distances_of_a_box,
                         signs_of_open_shells, NULL});
}
