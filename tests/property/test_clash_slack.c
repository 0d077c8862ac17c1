/* SPDX-License-Identifier: MIT
 * test_clash_slack.c: points made of placed corners are not farther from what they stand for than
 * the slack says, in exact arithmetic, and sometimes farther than an eighth of it. Likewise
 * how far two triangles reach through one another's plane.
 * BVP_SEED: of which random numbers.
 */
#include <gmp.h>
#include <stdio.h>

#include "clash/contact.h"
#include "clash/judge.h"
#include "remesh.h"
#include "suite.h"

enum { CASES = 40, TRIANGLES = 60 };

/* Exact corners, and a sum of them with weights. */
typedef struct exact {
    mpq_t corners[3][3], sum[3], term, other;
} exact;

static void exact_init(exact *e)
{
    for (int i = 0; i < 9; i++)
        mpq_init(e->corners[i / 3][i % 3]);
    for (int i = 0; i < 3; i++)
        mpq_init(e->sum[i]);
    mpq_init(e->term);
    mpq_init(e->other);
}

static void exact_clear(exact *e)
{
    for (int i = 0; i < 9; i++)
        mpq_clear(e->corners[i / 3][i % 3]);
    for (int i = 0; i < 3; i++)
        mpq_clear(e->sum[i]);
    mpq_clear(e->term);
    mpq_clear(e->other);
}

static void exact_place(exact *e, const double m[12], const float tri[9])
{
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) {
            mpq_set_d(e->corners[c][i], m[4 * i + 3]);
            for (int k = 0; k < 3; k++) {
                mpq_set_d(e->term, m[4 * i + k]);
                mpq_set_d(e->other, (double)tri[3 * c + k]);
                mpq_mul(e->term, e->term, e->other);
                mpq_add(e->corners[c][i], e->corners[c][i], e->term);
            }
        }
}

/* How far a point is from the corners' sum: weights t of the second and 1 - t of the first; of all
 * three a third. */
static double error_of(exact *e, const double point[3], bool is_middle, double t)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        mpq_set(e->sum[i], e->corners[0][i]);
        if (is_middle) {
            mpq_add(e->sum[i], e->sum[i], e->corners[1][i]);
            mpq_add(e->sum[i], e->sum[i], e->corners[2][i]);
            mpq_set_ui(e->term, 1, 3);
            mpq_mul(e->sum[i], e->sum[i], e->term);
        } else {
            mpq_sub(e->term, e->corners[1][i], e->corners[0][i]);
            mpq_set_d(e->other, t);
            mpq_mul(e->term, e->term, e->other);
            mpq_add(e->sum[i], e->sum[i], e->term);
        }
        mpq_set_d(e->other, point[i]);
        mpq_sub(e->sum[i], e->sum[i], e->other);
        const double d = mpq_get_d(e->sum[i]);
        sum += d * d;
    }
    return sqrt(sum);
}

/* The largest errors of corners, middles and points of edges, in slacks. */
static void check_triangle(exact *e, const bvpi_clash_item *item, const float tri[9], double t,
                           double worst[3])
{
    double c[9], way[3], point[3];
    exact_place(e, item->part.at.placement.m, tri);
    for (int k = 0; k < 9; k += 3)
        bvpi_clash_place_corner(item, tri + k, c + k);
    ck_assert(bvpi_clash_is_in_box(&item->part, c, item->slack));
    worst[0] = fmax(worst[0], error_of(e, c, false, 0) / item->slack);
    bvpi_clash_middle(c, point);
    ck_assert(bvpi_clash_is_in_box(&item->part, point, item->slack));
    worst[1] = fmax(worst[1], error_of(e, point, true, 0) / item->slack);
    for (int i = 0; i < 3; i++)
        way[i] = c[3 + i] - c[i];
    bvpi_clash_on_edge(c, way, t, point);
    ck_assert(bvpi_clash_is_in_box(&item->part, point, item->slack));
    worst[2] = fmax(worst[2], error_of(e, point, false, t) / item->slack);
}

/* Coordinates a little above a power of two, of which a rounding takes most, or any. */
static void make_far_place(uint64_t *state, double m[12])
{
    random_place(state, m);
    const double far = exp2((double)(case_random(state) % 24));
    for (int i = 0; i < 3 && case_random(state) % 4; i++)
        m[4 * i + 3] = far * random_between(state, 1, 1.01) * (case_random(state) % 2 ? 1 : -1);
}

static void place_l(const double m[12], const float tri[9], long double out[9])
{
    for (int k = 0; k < 9; k++) {
        const double *row = m + k % 3 * 4;
        const float *p = tri + k / 3 * 3;
        out[k] = (long double)row[0] * p[0] + (long double)row[1] * p[1] +
                 (long double)row[2] * p[2] + row[3];
    }
}

/* The instance's box in the world holds the part's, all corners of it. */
static void check_bounds(const bvpi_clash_item *item)
{
    const double *m = item->part.at.placement.m;
    for (int corner = 0; corner < 8; corner++)
        for (int i = 0; i < 3; i++) {
            long double at = m[4 * i + 3];
            for (int k = 0; k < 3; k++)
                at += (long double)m[4 * i + k] *
                      (corner >> k & 1 ? item->part.part.hi[k] : item->part.part.lo[k]);
            ck_assert(item->bounds.lo[i] <= at && at <= item->bounds.hi[i]);
        }
}

/* How far a triangle must move to be on one side of the other's plane; true to 2^-60 of the terms.
 */
static long double reach_through(const long double tri[9], const long double other[9])
{
    long double e[3], f[3], before = 0, behind = 0;
    for (int i = 0; i < 3; i++) {
        e[i] = other[3 + i] - other[i];
        f[i] = other[6 + i] - other[i];
    }
    const long double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2],
                              e[0] * f[1] - e[1] * f[0]};
    const long double length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 9; k += 3) {
        long double height = 0;
        for (int i = 0; i < 3; i++)
            height += n[i] * (tri[k + i] - other[i]) / length;
        before = fmaxl(before, height);
        behind = fmaxl(behind, -height);
    }
    return fminl(before, behind);
}

/* The share of the contact's error that is needed. */
static double check_contact(const bvpi_clash_item *item, const float a[9], const float b[9])
{
    bvpi_world_tri tri_a, tri_b;
    long double corner_a[9], corner_b[9];
    double promise, certain;
    bvpi_world_tri_init(&tri_a, item, a);
    bvpi_world_tri_init(&tri_b, item, b);
    bvpi_contact_measure(&tri_a, &tri_b, &promise, &certain);
    place_l(item->part.at.placement.m, a, corner_a);
    place_l(item->part.at.placement.m, b, corner_b);
    const long double reach =
        fminl(reach_through(corner_a, corner_b), reach_through(corner_b, corner_a));
    ck_assert(certain <= reach && reach <= promise);
    return certain > 0 ? (double)fabsl(reach - (promise + certain) / 2) * 2 / (promise - certain)
                       : 0;
}

START_TEST(points_of_triangles)
{
    uint64_t state = case_seed();
    const bvp_clash_limits limits = {0, NAN, NAN};
    double worst[3] = {0, 0, 0}, contact = 0;
    exact e;
    exact_init(&e);
    for (int k = 0; k < CASES; k++) {
        static const double home[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        double m[12];
        float *soup = case_soup(&state, TRIANGLES, 2, random_between(&state, .1, 2));
        const bvp_mesh mesh = case_mesh(soup, TRIANGLES);
        uint32_t part;
        assembly all = assembly_new(home);
        ck_assert_int_eq(bvp_builder_add_part(all.builder, &mesh, &part, NULL), BVP_OK);
        make_far_place(&state, m);
        assembly_place(&all, part, m);
        assembly_place(&all, part, m);
        case_file file = case_finish(all.builder);
        bvpi_clash_scene scene;
        bvpi_clash_item item;
        ck_assert_int_eq(bvpi_clash_scene_init(&scene, file.file, NULL, NULL, 0, NULL), BVP_OK);
        ck_assert_int_eq(bvpi_clash_item_init(&item, &scene, false, 0, NULL, NULL), BVP_OK);
        for (uint32_t i = 0; i < TRIANGLES; i++)
            for (int turn = 0; turn < 8; turn++)
                check_triangle(&e, &item, soup + 9 * i, case_uniform(&state), worst);
        check_bounds(&item);
        for (uint32_t i = 0; i < TRIANGLES; i++)
            for (uint32_t j = 0; j < i; j++)
                contact = fmax(contact, check_contact(&item, soup + 9 * i, soup + 9 * j));
        bvpi_clash_scene_free(&scene);
        bvp_clash_pair pair; /* wherever they lie */
        ck_assert_int_eq(bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 0, 1, &limits,
                                       BVP_CLASH_VERDICTS, &pair),
                         BVP_OK);
        ck_assert_int_eq(pair.verdict, BVP_VERDICT_DUPLICATE);
        case_close(&file);
        free(soup);
    }
    exact_clear(&e);
    printf("errors, in slacks: corners %.3f, middles %.3f, points of edges %.3f\n", worst[0],
           worst[1], worst[2]);
    printf("errors of contacts, in their bounds: %.3f\n", contact);
    for (int i = 0; i < 3; i++)
        ck_assert_double_le(worst[i], 1);
    ck_assert_double_gt(fmax(worst[1], worst[2]), .125);
    ck_assert_double_gt(contact, .125);
}
END_TEST

SUITE(test_clash_slack)
{
    const TTest *const list[] = {points_of_triangles, NULL};
    return suite_run("clash_slack", list);
}
