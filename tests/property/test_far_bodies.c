/* SPDX-License-Identifier: MIT
 * test_far_bodies.c: parts that their boxes show to be apart before a query is set up: the answers
 * are those of the query, which a control makes run in any case; what a query refuses is refused.
 * Spec: exactness.md, chapter 10, "Boxes of bodies that are far apart"
 */
#include "build_case.h"
#include "hard_models.h"
#include "query/pair/far_bodies.h"
#include "rigid_places.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRIANGLES = 40, PLACES = 4000, POINTS = 200000 };

static const bvp_control run_it = {0};

/* Two parts of another size and place. */
static case_file make_parts(uint64_t *state)
{
    bvp_builder *builder;
    bvp_error error = {0};
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, &error), BVP_OK);
    for (uint32_t k = 0; k < 2; k++) {
        float *soup = case_soup(state, TRIANGLES, k + 1, 0.3);
        const bvp_mesh mesh = case_mesh(soup, TRIANGLES);
        uint32_t part;
        for (int i = 0; i < 9 * TRIANGLES; i++)
            soup[i] += (float)(k * (i % 3));
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, &error), BVP_OK);
        free(soup);
    }
    return case_finish(builder);
}

/* Rigid, or stretched by up to 2^20 along axes of its own, and mostly near the origin. */
static void random_map(uint64_t *state, double m[12])
{
    random_place(state, m);
    for (int i = 0; i < 3; i++)
        m[4 * i + 3] = random_between(state, -3, 3);
    if (case_random(state) % 4 != 0)
        return;
    for (int k = 0; k < 3; k++) {
        const double stretch = pow(2, random_between(state, -20, 20));
        for (int i = 0; i < 3; i++)
            m[4 * i + k] *= stretch;
    }
}

/* What is wrong with the answers about two bodies within a limit, or NULL. */
static const char *compare(const bvp_body *a, const bvp_body *b, double limit)
{
    const bvp_body slow = {
        .file = a->file, .part = a->part, .placement = a->placement, .control = &run_it};
    int hit, within, slow_hit, slow_within;
    bvp_distance_result d, slow_d;
    if (bvp_collide(a, b, &hit, NULL) != BVP_OK || bvp_collide(&slow, b, &slow_hit, NULL) != BVP_OK)
        return "collide";
    if (bvp_within(a, b, limit, &within, NULL, NULL) != BVP_OK ||
        bvp_within(&slow, b, limit, &slow_within, NULL, NULL) != BVP_OK)
        return "within";
    if (bvp_distance(a, b, limit, &d, NULL) != BVP_OK ||
        bvp_distance(&slow, b, limit, &slow_d, NULL) != BVP_OK)
        return "distance";
    if (bvpi_bodies_are_far(&slow, b, limit))
        return "a control is passed over";
    if (hit != slow_hit || within != slow_within)
        return "another answer";
    if (d.found != slow_d.found || (d.found && memcmp(&d, &slow_d, sizeof d) != 0))
        return "another distance";
    return bvpi_bodies_are_far(a, b, limit) && (slow_within || slow_d.found) ? "not far" : NULL;
}

START_TEST(answers_are_those_of_the_query)
{
    uint64_t state = case_seed();
    case_file f = make_parts(&state);
    uint32_t far = 0, apart = 0;
    const char *wrong = NULL;
    for (int k = 0; k < PLACES && wrong == NULL; k++) {
        double ma[12], mb[12];
        random_map(&state, ma);
        random_map(&state, mb);
        const double limit =
            case_random(&state) % 2 == 0 ? 0 : pow(10, random_between(&state, -4, 1));
        const bvp_body a = {.file = f.file, .part = case_random(&state) % 2, .placement = ma};
        const bvp_body b = {.file = f.file,
                            .part = case_random(&state) % 2,
                            .placement = case_random(&state) % 4 == 0 ? NULL : mb};
        bvp_distance_result d;
        wrong = compare(&a, &b, limit);
        bvp_distance(&a, &b, INFINITY, &d, NULL);
        apart += d.distance > limit;
        far += bvpi_bodies_are_far(&a, &b, limit);
    }
    printf("%u of %u apart are far\n", (unsigned)far, (unsigned)apart);
    ck_assert_msg(wrong == NULL, "%s", wrong);
    ck_assert_uint_gt(far, apart / 2);
    case_close(&f);
}
END_TEST

/* Plates that lie across the axes, one above the other: nothing but their normal tells, at whatever
 * placement, and what is nearer than the limit is not far. */
START_TEST(flat_parts_are_far_across_their_faces)
{
    enum { TIMES = 2000 };
    const double axis[3] = {1, 2, 3}, nowhere[3] = {0};
    uint64_t state = case_seed();
    uint32_t far = 0, near_ones = 0;
    double turned[12];
    const char *wrong = NULL;
    hard_model plate = hard_plate(20);
    hard_turn(&plate, axis, 0.7);
    hard_place(axis, 0.7, nowhere, turned);
    const bvp_mesh mesh = case_mesh(plate.soup, plate.count);
    case_file f = case_build(&mesh, NULL);
    for (int k = 0; k < TIMES && wrong == NULL; k++) {
        double ma[12], mb[12];
        const double gap = pow(10, random_between(&state, -6, -1));
        const double limit = case_random(&state) % 2 ? 0 : gap * random_between(&state, 0.5, 1.5);
        random_place(&state, ma);
        memcpy(mb, ma, sizeof mb);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                mb[4 * i + 3] +=
                    ma[4 * i + j] *
                    (gap * turned[4 * j + 2] + 0.1 * random_between(&state, -1, 1) * turned[4 * j]);
        const bvp_body a = {.file = f.file, .placement = ma}, b = {.file = f.file, .placement = mb};
        wrong = compare(&a, &b, limit);
        if (limit < 0.99 * gap)
            far += bvpi_bodies_are_far(&a, &b, limit);
        near_ones += limit > 0.99 * gap;
    }
    ck_assert_msg(wrong == NULL, "%s", wrong);
    ck_assert_uint_gt(near_ones, TIMES / 8);
    ck_assert_uint_gt(far, (TIMES - near_ones) * 9 / 10);
    case_close(&f);
    free(plate.soup);
}
END_TEST

/* A part that is a point far from its origin. */
static case_file make_point(uint64_t *state, float p[3])
{
    float corners[9];
    for (int i = 0; i < 3; i++)
        p[i] = (float)random_between(state, -4, 4);
    for (int k = 0; k < 9; k++)
        corners[k] = p[k % 3];
    const bvp_mesh mesh = case_mesh(corners, 1);
    return case_build(&mesh, NULL);
}

static double place_one(const double m[12], const float p[3], int i)
{
    return m[4 * i] * (double)p[0] + m[4 * i + 1] * (double)p[1] + m[4 * i + 2] * (double)p[2] +
           m[4 * i + 3];
}

/* Points placed on each other but for rounding: they are never far, whichever way it went (without
 * the margin a third of them are); moved apart by 2^-40 of their coordinates they are. */
START_TEST(the_bound_covers_rounding)
{
    uint64_t state = case_seed();
    float p[3], q[3];
    case_file f = make_point(&state, p), g = make_point(&state, q);
    uint32_t near_ones = 0, far_ones = 0;
    for (int k = 0; k < POINTS; k++) {
        double ma[12], mb[12];
        random_place(&state, ma);
        random_place(&state, mb);
        double size = 0;
        for (int i = 0; i < 3; i++) {
            mb[4 * i + 3] = 0;
            mb[4 * i + 3] = place_one(ma, p, i) - place_one(mb, q, i);
            size += fabs(ma[4 * i + 3]) + fabs(mb[4 * i + 3]) + 12;
        }
        const bvp_body a = {.file = f.file, .placement = ma}, b = {.file = g.file, .placement = mb};
        near_ones += bvpi_bodies_are_far(&a, &b, 0);
        mb[3 + 4 * (k % 3)] += size * 0x1p-40;
        far_ones += bvpi_bodies_are_far(&a, &b, 0);
    }
    ck_assert_uint_eq(near_ones, 0);
    ck_assert_uint_eq(far_ones, POINTS);
    case_close(&f);
    case_close(&g);
}
END_TEST

/* ---- the margin, used up --------------------------------------------------------------------- */

/* A triangle with the box lo .. hi, or its mirror image. */
static case_file make_box(const float lo[3], const float hi[3], float sign)
{
    float corners[9];
    for (int i = 0; i < 3; i++) {
        corners[i] = sign * lo[i];
        corners[3 + i] = sign * hi[i];
        corners[6 + i] = sign * (i == 1 ? hi[i] : lo[i]);
    }
    const bvp_mesh mesh = case_mesh(corners, 1);
    return case_build(&mesh, NULL);
}

/* A factor whose product with `mid` is rounded up, that with `half` down, by nearly half a unit. */
static double find_factor(uint64_t *state, double mid, double half)
{
    for (;;) {
        const double r = 1 + 0x1p-8 * case_uniform(state);
        if (fma(-r, mid, r * mid) > 0.9 * 0x1p-53 && fma(r, half, -(r * half)) > 0.9 * 0x1p-53)
            return r;
    }
}

/* Boxes that meet in a plane, where every rounding makes them seem apart: b is as a, mirrored and
 * an eighth as large. Middles, products and sums of the centres are rounded away from the other
 * box, those of the half edges down, each by nearly half a unit: up to 5.3 * 2^-53 of all terms,
 * where the bound allows 32. An eighth of it is less. */
START_TEST(the_bound_is_used_up_to_a_sixth)
{
    enum { TIMES = 200 };
    const float hi = 2 * (1 + 0x1.35p-9f), lo = 0x1.04p-52f, part = 0.125f;
    const double mid = ((double)lo + (double)hi) * 0.5, half = ((double)hi - (double)lo) * 0.5;
    const double tiny = 0x1p-53, small = tiny * (double)part, wide_mid = 1 + 0x1p-6,
                 wide_half = 1 - 0x1p-6, shift = 1.016 * tiny;
    const float wide[2] = {(float)(wide_mid - wide_half), (float)(wide_mid + wide_half)};
    const float lo_a[3] = {lo, wide[0], wide[0]}, hi_a[3] = {hi, wide[1], wide[1]};
    const float lo_b[3] = {lo * part, wide[0], wide[0]}, hi_b[3] = {hi * part, wide[1], wide[1]};
    uint64_t state = case_seed();
    case_file f = make_box(lo_a, hi_a, -1), g = make_box(lo_b, hi_b, 1);
    uint32_t near_ones = 0, far_ones = 0;
    for (int k = 0; k < TIMES; k++) {
        const double r = find_factor(&state, mid, half), s = find_factor(&state, mid, half);
        /* as far as they are apart, and 2^-50 of that more, for what rounding loses here */
        const double gap = (r + s * (double)part) * (double)lo +
                           2 * (tiny + small) * (wide_mid - wide_half) + shift;
        const double ma[12] = {r, tiny, tiny, -shift, 0, 1, 0, wide_mid, 0, 0, 1, wide_mid};
        double mb[12] = {s, small, small,    -gap * (1 + 0x1p-50), 0, 1, 0, -wide_mid, 0,
                         0, 1,     -wide_mid};
        const bvp_body a = {.file = f.file, .placement = ma}, b = {.file = g.file, .placement = mb};
        near_ones += !bvpi_bodies_are_far(&a, &b, 0) && !bvpi_bodies_are_far(&b, &a, 0);
        mb[3] += 0x1p-44;
        far_ones += bvpi_bodies_are_far(&a, &b, 0);
    }
    ck_assert_uint_eq(near_ones, TIMES);
    ck_assert_uint_eq(far_ones, TIMES);
    case_close(&f);
    case_close(&g);
}
END_TEST

/* What a query refuses is refused however far away it is. */
START_TEST(refuses_what_a_query_refuses)
{
    uint64_t state = case_seed();
    case_file f = make_parts(&state);
    const double flat[12] = {1, 0, 0, 1e6, 0, 1, 0, 1e6, 0, 0, 0, 1e6};
    const double far[12] = {1, 0, 0, 1e6, 0, 1, 0, 1e6, 0, 0, 1, 1e6};
    const double wide[12] = {0x1p250, 0, 0, 0x1p299, 0, 1, 0, 0, 0, 0, 1, 0};
    const double nan[12] = {1, 0, 0, NAN, 0, 1, 0, 1e6, 0, 0, 1, 1e6};
    const double *bad[] = {flat, wide, nan};
    const bvp_body a = {.file = f.file};
    const bvp_body here = {.file = f.file, .placement = far};
    const bvp_body none = {.file = f.file, .part = 2, .placement = far};
    const int cancelled = 1;
    const bvp_control stop = {.cancel = &cancelled};
    const bvp_body stopped = {.file = f.file, .placement = far, .control = &stop};
    const bvp_open_options rss = {.kind = BVP_KIND_RSS};
    bvp_file *by_rss;
    int hit;
    for (int k = 0; k < 3; k++) {
        const bvp_body b = {.file = f.file, .placement = bad[k]};
        ck_assert_int_eq(bvp_collide(&a, &b, &hit, NULL), BVP_ERR_ARGUMENT);
    }
    ck_assert(bvpi_bodies_are_far(&a, &here, 0));
    ck_assert(!bvpi_bodies_are_far(&a, &here, INFINITY));
    ck_assert(!bvpi_bodies_are_far(&a, &here, 1e7));
    ck_assert(!bvpi_bodies_are_far(&a, NULL, 0));
    ck_assert_int_eq(bvp_collide(&a, &none, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide(&a, &stopped, &hit, NULL), BVP_ERR_CANCELLED);
    ck_assert_int_eq(bvp_open_memory(f.bytes, f.size, &rss, &by_rss, NULL), BVP_OK);
    const bvp_body other = {.file = by_rss, .placement = far};
    ck_assert_int_eq(bvp_collide(&a, &other, &hit, NULL), BVP_ERR_ARGUMENT);
    bvp_close(by_rss);
    case_close(&f);
}
END_TEST

/* The boxes of two parts are looked at whatever hierarchy is to be walked: that is one test. */
START_TEST(a_chosen_kind_changes_nothing)
{
    const bvp_hierarchy_spec specs[] = {{.kind = BVP_KIND_WIDE}, {.kind = BVP_KIND_OBB}};
    const bvp_build_options build = {.hierarchies = specs, .hierarchy_count = 2};
    const double far[12] = {1, 0, 0, 9, 0, 1, 0, 0, 0, 0, 1, 0};
    uint64_t state = case_seed();
    float *soup = case_soup(&state, TRIANGLES, 1, 0.3);
    const bvp_mesh mesh = case_mesh(soup, TRIANGLES);
    case_file f = case_build(&mesh, &build);
    for (int kind = BVP_KIND_DEFAULT; kind <= BVP_KIND_OBB; kind++) {
        const bvp_open_options options = {.kind = (bvp_kind)kind};
        bvp_stats stats = {0};
        bvp_file *chosen;
        int hit;
        if (kind != BVP_KIND_DEFAULT && kind != BVP_KIND_WIDE && kind != BVP_KIND_OBB)
            continue;
        ck_assert_int_eq(bvp_open_memory(f.bytes, f.size, &options, &chosen, NULL), BVP_OK);
        const bvp_body a = {.file = chosen}, b = {.file = chosen, .placement = far};
        ck_assert(bvpi_bodies_are_far(&a, &b, 0));
        ck_assert_int_eq(bvp_collide(&a, &b, &hit, &stats), BVP_OK);
        ck_assert(!hit && stats.boxes == 1 && stats.nodes == 0);
        bvp_close(chosen);
    }
    free(soup);
    case_close(&f);
}
END_TEST

SUITE(test_far_bodies)
{
    const TTest *const tests[] = {answers_are_those_of_the_query,
                                  flat_parts_are_far_across_their_faces,
                                  the_bound_covers_rounding,
                                  the_bound_is_used_up_to_a_sixth,
                                  refuses_what_a_query_refuses,
                                  a_chosen_kind_changes_nothing,
                                  NULL};
    return suite_run("far_bodies", tests);
}
