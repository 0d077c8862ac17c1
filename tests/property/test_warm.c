/* SPDX-License-Identifier: MIT
 * test_warm.c: warm queries answer what plain ones do, bit for bit: along paths, after jumps, with
 * hostile bytes, exchanged and refitted bodies, in threads; and they do spare work.
 */
#include "bvpack.h"
#include "query/warm/warm.h"
#include "oracle.h"
#include "tri_cases.h"
#include "refit_case.h"
#include "suite.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 12, SHEET = 2 * CELLS * CELLS, STEPS = 2000, QUESTIONS = 3, MOST_PAIRS = 4096 };

static float sheet[9 * SHEET];
static bvp_file *file, *other;
static uint64_t front[1 << 15];

static const bvp_warm_start with_front = {.front = front, .front_size = sizeof front};

/* A bumpy sheet of edge 1. */
static void make_sheet(double height)
{
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    for (int i = 0; i < 3 * SHEET; i++) {
        const double x = (double)(i / 6 % CELLS + corner[i % 6][0]) / CELLS;
        const double y = (double)(i / 6 / CELLS + corner[i % 6][1]) / CELLS;
        sheet[3 * i] = (float)x;
        sheet[3 * i + 1] = (float)y;
        sheet[3 * i + 2] = (float)(height * sin(7 * x) * cos(5 * y));
    }
}

static bvp_file *open_sheet(double height, bool baseline)
{
    static const double places[24] = {1, 0,  0, 0, 0, 1, 0, 0,   0, 0, 1, 0,
                                      0, -1, 0, 3, 1, 0, 0, 0.5, 0, 0, 1, 0.25};
    const uint32_t parts[2] = {0, 0};
    make_sheet(height);
    const oracle_soup soup = {sheet, SHEET, NULL};
    return oracle_open(&soup, 1, parts, places, 2, baseline);
}

static void setup(void)
{
    case_seed(20261121);
    file = open_sheet(0.1, false);
    other = open_sheet(0.2, false);
}

static void teardown(void)
{
    bvp_close(file);
    bvp_close(other);
}

/* t: 0 .. 1 along a smooth path that comes near, through and away. */
static void place(double t, double m[12])
{
    const double angle = 2 * M_PI * t, c = cos(angle), s = sin(angle);
    const double at[12] = {c, -s, 0, 0.2 * s, s, c, 0, 0.1, 0, 0, 1, 0.45 + 0.5 * cos(3 * angle)};
    memcpy(m, at, sizeof at);
}

static bool is_id(const bvp_hit_id *a, const bvp_hit_id *b)
{
    return a->instance == b->instance && a->part == b->part && a->triangle == b->triangle &&
           a->id == b->id;
}

/* Any two triangles that touch, where they do. */
static void check_touching(const bvp_body *a, const bvp_body *b, const bvp_distance_result *out)
{
    static bvp_pair pairs[MOST_PAIRS];
    uint64_t count, k = 0;
    ck_assert_int_eq(out->found, 1);
    ck_assert(out->distance == 0 && out->lower == 0);
    for (int i = 0; i < 3; i++)
        ck_assert(fabs(out->point_a[i] - out->point_b[i]) <= 1e-12 * (1 + fabs(out->point_a[i])));
    ck_assert_int_eq(bvp_pairs(a, b, pairs, MOST_PAIRS, &count, NULL), BVP_OK);
    while (k < count && !(is_id(&pairs[k].a, &out->a) && is_id(&pairs[k].b, &out->b)))
        k++;
    ck_assert_uint_lt(k, count);
}

/* Asks one question both ways. Returns the answer: 0 or 1; adds up what the warm one cost. */
static int same_answer(const bvp_body *a, const bvp_body *b, int question, bvp_warm_start *warm,
                       bvp_stats *stats)
{
    int cold = 0, hot = 0;
    bvp_distance_result expected, out;
    const double delta = 0.05;
    memset(&out, 0, sizeof out);
    switch (question) {
    case 0:
        ck_assert_int_eq(bvp_collide(a, b, &cold, NULL), BVP_OK);
        ck_assert_int_eq(bvp_collide_warm(a, b, warm, &hot, stats), BVP_OK);
        break;
    case 1:
        ck_assert_int_eq(bvp_within(a, b, delta, &cold, NULL, NULL), BVP_OK);
        ck_assert_int_eq(bvp_within_warm(a, b, delta, warm, &hot, stats), BVP_OK);
        break;
    default:
        ck_assert_int_eq(bvp_distance(a, b, INFINITY, &expected, NULL), BVP_OK);
        ck_assert_int_eq(bvp_distance_warm(a, b, INFINITY, warm, &out, stats), BVP_OK);
        cold = expected.distance == 0;
        hot = out.distance == 0;
        if (cold) {
            check_touching(a, b, &out);
            break;
        }
        /* lower may be another bound where several pairs are equally near */
        ck_assert_double_le(fabs(out.lower - expected.lower), 1e-9 * expected.distance);
        out.lower = expected.lower;
        ck_assert_mem_eq(&out, &expected, sizeof out);
    }
    ck_assert_int_eq(hot, cold);
    return cold;
}

static void walk_path(uint32_t part, bool both_move, bool mixed)
{
    for (int question = 0; question < QUESTIONS; question++) {
        bvp_warm_start warm = with_front;
        bvp_stats hot = {0}, cold = {0};
        double ma[12], mb[12];
        int yes = 0;
        bvp_body a = {.file = file, .part = part, .placement = both_move ? ma : NULL},
                 b = {.file = other, .part = part, .placement = mb};
        for (int i = 0; i < STEPS; i++) {
            int unused;
            place((double)i / STEPS, mb);
            place(0.3 + 0.1 * i / STEPS, ma);
            yes += same_answer(&a, &b, mixed ? case_int(QUESTIONS) : question, &warm, &hot);
            bvp_distance_result nearest;
            if (question == 0)
                bvp_collide(&a, &b, &unused, &cold);
            else if (question == 1)
                bvp_within(&a, &b, 0.05, &unused, NULL, &cold);
            else
                bvp_distance(&a, &b, INFINITY, &nearest, &cold);
        }
        ck_assert(yes > 0 && yes < STEPS);
        if (!mixed && question < 2)
            ck_assert_uint_lt(2 * hot.nodes, cold.nodes); /* or some of what is kept is not used */
        if (!mixed && question == 2) {
            ck_assert_uint_lt((part == 0 ? 8 : 1) * hot.nodes, cold.nodes);
            ck_assert_uint_lt(4 * hot.triangles, 3 * cold.triangles);
        }
    }
}

START_TEST(paths_are_answered_alike_with_less_work)
{
    walk_path(0, false, false);
    walk_path(0, true, false);
    walk_path(BVP_ASSEMBLY, false, false);
}
END_TEST

START_TEST(questions_may_change)
{
    walk_path(0, true, true);
    walk_path(BVP_ASSEMBLY, true, true);
}
END_TEST

static void jump(double m[12])
{
    tri_case c = {0};
    c.placing = case_int(PLACE_COUNT);
    case_placements(&c);
    memcpy(m, c.mb, sizeof c.mb);
}

START_TEST(jumps_and_stretches_are_answered_alike)
{
    bvp_warm_start warm = with_front;
    for (int i = 0; i < 2000; i++) {
        double m[12];
        const bvp_body a = {.file = file, .part = 0},
                       b = {.file = other, .part = 0, .placement = m};
        if (case_int(3) == 0)
            jump(m);
        else
            place(case_int(1000) * 0.001, m);
        same_answer(&a, &b, case_int(QUESTIONS), &warm, NULL);
    }
}
END_TEST

/* A kept clearance must not outlive a placement that a query refuses. */
START_TEST(bad_arguments_are_refused_alike)
{
    bvp_warm_start warm = {0};
    double m[12];
    int hit;
    const bvp_body a = {.file = file, .part = 0}, b = {.file = other, .part = 0, .placement = m},
                   none = {.file = NULL, .part = 0};
    bvp_distance_result out;
    for (int i = 0; i < 3; i++) {
        place(0.001 * i, m);
        ck_assert_int_eq(bvp_collide_warm(&a, &b, &warm, &hit, NULL), BVP_OK);
    }
    m[0] = NAN;
    ck_assert_int_eq(bvp_collide_warm(&a, &b, &warm, &hit, NULL), BVP_ERR_ARGUMENT);
    memset(m, 0, sizeof m);
    ck_assert_int_eq(bvp_collide_warm(&a, &b, &warm, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide_warm(&a, &none, &warm, &hit, NULL), BVP_ERR_ARGUMENT);
    place(0, m);
    ck_assert_int_eq(bvp_within_warm(&a, &b, -1, &warm, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_distance_warm(&a, &b, NAN, &warm, &out, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide_warm(&a, &b, &warm, NULL, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide_warm(&a, &b, NULL, &hit, NULL), BVP_OK);
    ck_assert_int_eq(bvp_collide_warm(&a, NULL, &warm, &hit, NULL), BVP_OK);
}
END_TEST

START_TEST(damaged_bytes_are_found_out)
{
    for (int round = 0; round < 300; round++) {
        bvp_warm_start warm = with_front;
        double m[12];
        const bvp_body a = {.file = file, .part = 0},
                       b = {.file = other, .part = 0, .placement = m};
        const double from = case_int(1000) * 0.001;
        for (int i = 0; i < 8; i++) {
            place(from + i * 0.002, m);
            same_answer(&a, &b, case_int(QUESTIONS), &warm, NULL);
            uint8_t *bytes = (uint8_t *)&warm;
            if (round % 2 == 0)
                bytes[case_int(sizeof warm.opaque)] ^= (uint8_t)(1 << case_int(8));
            for (unsigned k = 0; round % 8 == 1 && k < sizeof warm.opaque; k++)
                bytes[k] = (uint8_t)case_int(256);
            for (unsigned k = 0; round % 8 == 3 && k < 64; k++)
                front[k] = (uint64_t)case_int(1 << 30) << 32 | (uint64_t)case_int(1 << 30);
        }
    }
}
END_TEST

/* A body with a control is not told apart by its box alone, so that the certificate counts. */
static const bvp_control by_certificate = {0};

/* What a caller keeps, and what is in it. */
typedef union warm_memory {
    bvp_warm_start start;
    bvpi_warm kept;
} warm_memory;

static void shift(double height, double m[12])
{
    case_identity(m);
    m[11] = height;
}

/* Certificates about the right bodies whose figures are not those that were sealed. */
START_TEST(forged_clearances_are_found_out)
{
    for (int field = 0; field < 4; field++) {
        warm_memory warm = {0};
        bvpi_clearance *clear = &warm.kept.clear;
        double m[12];
        const bvp_body a = {.file = file, .part = 0, .control = &by_certificate},
                       b = {.file = other, .part = 0, .placement = m};
        shift(1, m);
        for (int i = 0; i < 2; i++)
            ck_assert_int_eq(same_answer(&a, &b, 0, &warm.start, NULL), 0);
        ck_assert_double_gt(clear->nearest, 0);
        if (field == 0)
            clear->nearest = 9;
        if (field == 1) {
            clear->nearest = 0;
            clear->upper = 0.01; /* within .05 */
        }
        if (field == 2)
            shift(0, clear->at_b);
        if (field == 3)
            memset(&clear->b, 0, sizeof clear->b);
        if (field != 1)
            shift(field == 3 ? clear->nearest / 2 : 0, m);
        if (field == 3)
            clear->at_b[11] = m[11];
        same_answer(&a, &b, field == 1, &warm.start, NULL);
    }
}
END_TEST

/* Pairs said to have crossed that do so while the bodies are 5 apart. `asked_between`: a query that
 * seals what crosses anew must not take the forged ones over. */
static void forge_crossings(bool asked_between)
{
    static const double pair[18] = {0,   0,   0,      1,   0,   0,     0,   1,   0,
                                    0.2, 0.2, -1 - 5, 0.3, 0.2, 1 - 5, 0.2, 0.3, 1 - 5};
    warm_memory warm = {0};
    bvpi_warm *kept = &warm.kept;
    double m[12];
    const bvp_body a = {.file = file, .part = 0, .control = &by_certificate},
                   b = {.file = other, .part = 0, .placement = m};
    place(0.17, m);
    ck_assert_int_eq(same_answer(&a, &b, 0, &warm.start, NULL), 1);
    ck_assert_uint_gt(kept->cross.count, 0);
    kept->cross.count = BVPI_CROSSINGS;
    for (int k = 0; k < BVPI_CROSSINGS; k++)
        memcpy(kept->cross.corner[k], pair, sizeof pair);
    if (asked_between)
        ck_assert_int_eq(same_answer(&a, &b, 0, &warm.start, NULL), 1);
    kept->habits.tested = BVPI_CROSSINGS;
    shift(5, m);
    ck_assert_int_eq(same_answer(&a, &b, 0, &warm.start, NULL), 0);
}

START_TEST(forged_crossings_are_found_out)
{
    forge_crossings(false);
    forge_crossings(true);
}
END_TEST

/* Two flat sheets, just farther apart than a clearance is searched for, touch after a move by just
 * more than that. */
START_TEST(clearances_end_before_contact)
{
    bvp_file *flat = open_sheet(0, false);
    int certified = 0;
    for (int k = 20; k < 40; k++) {
        warm_memory warm = {0};
        const bvpi_clearance *clear = &warm.kept.clear;
        double m[12];
        const bvp_body a = {.file = flat, .part = 0, .control = &by_certificate},
                       b = {.file = flat, .part = 0, .placement = m};
        shift(1, m);
        ck_assert_int_eq(same_answer(&a, &b, 0, &warm.start, NULL), 0);
        const double *half = clear->b.half;
        shift((half[0] + half[1] + half[2]) * 0x1p-14 * (1 + ldexp(1, -k)), m);
        memset(&warm, 0, sizeof warm);
        for (int i = 0; i < 2; i++)
            ck_assert_int_eq(same_answer(&a, &b, 0, &warm.start, NULL), 0);
        certified += clear->nearest > 0;
        ck_assert_double_le(clear->nearest, m[11]);
        shift(0, m);
        ck_assert_int_eq(same_answer(&a, &b, 0, &warm.start, NULL), 1);
    }
    ck_assert_int_gt(certified, 10); /* of those that the search tells from the limit */
    bvp_close(flat);
}
END_TEST

/* A sheet on its edge on another one, so far from the origin that rounding takes the edge through.
 */
START_TEST(rounded_corners_do_not_cross)
{
    static const double upright[12] = {1, 0, 0, 0.01, 0, 0, -1, 0.3, 0, 1, 0, 0};
    bvp_file *flat = open_sheet(0, false);
    int hits = 0;
    for (int i = 0; i < 300; i++) {
        bvp_warm_start warm = {0};
        double turn[12], ma[12], mb[12];
        const bvp_body a = {.file = flat, .part = 0, .placement = ma},
                       b = {.file = flat, .part = 0, .placement = mb};
        case_rotation(turn);
        case_identity(ma);
        case_turn_placement(ma, turn, 0);
        memcpy(mb, upright, sizeof mb);
        case_turn_placement(mb, turn, -0.05);
        const double far[3] = {case_unit() * 1e7, case_unit() * 1e7, case_unit() * 1e7};
        for (int k = 0; k < 3; k++) {
            ma[4 * k + 3] += far[k];
            mb[4 * k + 3] += far[k];
        }
        ck_assert_int_eq(same_answer(&a, &b, 0, &warm, NULL), 1);
        memcpy(mb, upright, sizeof mb);
        case_turn_placement(mb, turn, 0);
        for (int k = 0; k < 3; k++)
            mb[4 * k + 3] += far[k];
        hits += same_answer(&a, &b, 0, &warm, NULL);
    }
    ck_assert(hits > 50 && hits < 250);
    bvp_close(flat);
}
END_TEST

START_TEST(other_bodies_are_told_apart)
{
    bvp_warm_start warm = with_front;
    bvp_file *plain = open_sheet(0.1, true);
    for (int i = 0; i < STEPS; i++) {
        const bvp_file *const files[3] = {file, other, plain};
        double ma[12], mb[12];
        place(0.001 * i, mb);
        place(0.5 + 0.001 * i, ma);
        const bvp_body a = {
            .file = files[case_int(3)], .part = case_int(2) ? 0 : BVP_ASSEMBLY, .placement = ma};
        const bvp_body b = {
            .file = files[case_int(3)], .part = case_int(2) ? 0 : BVP_ASSEMBLY, .placement = mb};
        same_answer(&a, &b, case_int(QUESTIONS), &warm, NULL);
    }
    bvp_close(plain);
}
END_TEST

/* Vertices of part 0, each `by` higher. */
static void raise(bvp_file *deformed, double by)
{
    static float positions[9 * SHEET];
    uint64_t count;
    ck_assert_int_eq(bvp_get_vertices(deformed, 0, 0, 3 * SHEET, positions, &count), BVP_OK);
    for (uint64_t i = 0; i < count; i++)
        positions[3 * i + 2] += (float)by;
    ck_assert_int_eq(bvp_refit(deformed, 0, positions, count, NULL), BVP_OK);
}

START_TEST(refitted_bodies_are_other_bodies)
{
    refit_scene scene = {.mesh_count = 1};
    const bvp_open_options how = {.overlay = 1};
    bvp_warm_start warm = with_front;
    bvp_file *deformed, *still;
    make_sheet(0.1);
    scene.meshes[0] = mesh_new(SHEET);
    memcpy(scene.meshes[0].tri, sheet, sizeof sheet);
    const int fd = refit_pack(&scene, BVP_KIND_AABB, 1);
    ck_assert_int_eq(bvp_open_fd(fd, &how, &deformed, NULL), BVP_OK);
    ck_assert_int_eq(bvp_open_fd(fd, &how, &still, NULL), BVP_OK);
    int yes = 0;
    for (int i = 0; i < 60; i++) {
        double m[12];
        const bvp_body a = {.file = deformed, .part = 0},
                       b = {.file = still, .part = 0, .placement = m};
        place(0.001 * (i % 20), m);
        yes += same_answer(&a, &b, i / 20, &warm, NULL);
        if (i % 5 == 4)
            raise(deformed, i % 10 == 4 ? 0.9 : -0.9);
    }
    ck_assert(yes > 0 && yes < 60);
    bvp_close(deformed);
    bvp_close(still);
    close(fd);
    free(scene.meshes[0].tri);
}
END_TEST

/* A body asked in turn with another one, by starts of their own that have one front. */
START_TEST(fronts_of_others_are_told_apart)
{
    bvp_warm_start warm[2] = {with_front, with_front};
    for (int i = 0; i < STEPS / 2; i++) {
        double m[12];
        const bvp_body a = {.file = file, .part = 0},
                       b[2] = {{.file = other, .part = 0, .placement = m},
                               {.file = file, .part = 0, .placement = m}};
        const int k = i / 7 % 2;
        place(0.0005 * i, m);
        same_answer(&a, &b[k], 2, &warm[k], NULL);
    }
}
END_TEST

/* Both bodies sheared and scaled along a smooth path. */
START_TEST(stretched_bodies_are_answered_alike)
{
    static const double shear[9] = {1.5, 0.3, 0, 0, 0.7, 0.2, 0.1, 0, 1.2};
    bvp_warm_start warm = with_front;
    for (int i = 0; i < STEPS / 2; i++) {
        double m[12], ma[12] = {0}, mb[12];
        const bvp_body a = {.file = file, .part = 0, .placement = ma},
                       b = {.file = other, .part = 0, .placement = mb};
        place(0.001 * i, m);
        for (int k = 0; k < 12; k++) {
            const double *row = shear + k / 4 * 3;
            ma[k] = k % 4 < 3 ? row[k % 4] * (1 + 0.0001 * i) : 0;
            mb[k] = row[0] * m[k % 4] + row[1] * m[4 + k % 4] + row[2] * m[8 + k % 4];
        }
        same_answer(&a, &b, 2, &warm, NULL);
    }
}
END_TEST

START_TEST(small_fronts_do_no_harm)
{
    for (uint64_t size = 0; size < 20000; size = 2 * size + 300) {
        bvp_warm_start warm = {.front = front, .front_size = size};
        for (int i = 0; i < 200; i++) {
            double m[12];
            const bvp_body a = {.file = file, .part = 0},
                           b = {.file = other, .part = 0, .placement = m};
            place(0.1 + 0.0005 * i, m);
            same_answer(&a, &b, 2, &warm, NULL);
        }
    }
}
END_TEST

static void *walk_alone(void *user)
{
    bvp_warm_start warm = {0};
    bool *good = user;
    *good = true;
    for (int i = 0; i < STEPS; i++) {
        double m[12];
        const bvp_body a = {.file = file, .part = 0},
                       b = {.file = other, .part = 0, .placement = m};
        int cold, hot;
        place((double)i / STEPS, m);
        *good = *good && bvp_collide(&a, &b, &cold, NULL) == BVP_OK &&
                bvp_collide_warm(&a, &b, &warm, &hot, NULL) == BVP_OK && cold == hot;
    }
    return NULL;
}

START_TEST(threads_keep_their_own)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    bool good[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, walk_alone, &good[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert(good[i]);
    }
}
END_TEST

SUITE(test_warm)
{
    TCase *cases = tcase_create("warm");
    tcase_set_timeout(cases, SUITE_TIMEOUT);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, paths_are_answered_alike_with_less_work);
    tcase_add_test(cases, questions_may_change);
    tcase_add_test(cases, jumps_and_stretches_are_answered_alike);
    tcase_add_test(cases, bad_arguments_are_refused_alike);
    tcase_add_test(cases, damaged_bytes_are_found_out);
    tcase_add_test(cases, forged_clearances_are_found_out);
    tcase_add_test(cases, forged_crossings_are_found_out);
    tcase_add_test(cases, clearances_end_before_contact);
    tcase_add_test(cases, rounded_corners_do_not_cross);
    tcase_add_test(cases, other_bodies_are_told_apart);
    tcase_add_test(cases, refitted_bodies_are_other_bodies);
    tcase_add_test(cases, fronts_of_others_are_told_apart);
    tcase_add_test(cases, stretched_bodies_are_answered_alike);
    tcase_add_test(cases, small_fronts_do_no_harm);
    tcase_add_test(cases, threads_keep_their_own);
    return suite_run_case("warm", cases);
}
