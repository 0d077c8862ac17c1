/* SPDX-License-Identifier: MIT
 * test_query_batches.c: batches of within, distance_about, overlap and of warm queries: what single
 * calls answer, element by element; strides; where a batch stops, and what is complete then.
 */
#include "body_cases.h"
#include "suite.h"

enum { PLACES = 40, BOXES = 60, HITS = 1 << 15 };

/* ---- a path of one body past another --------------------------------------------------------- */

typedef struct path {
    body_scene scene;
    bvp_body a, b;
    double at[PLACES][12];
} path;

/* A part past a part, or past an assembly of such; into it and out again. */
static path make_path(bool of_assembly)
{
    path p = {.scene = scene_assembly(12, false)};
    p.a = (bvp_body){.file = p.scene.file[0], .part = of_assembly ? BVP_ASSEMBLY : 1};
    p.b = (bvp_body){.file = p.scene.file[0], .part = 0};
    for (int i = 0; i < PLACES; i++) {
        const double turn = 0.02 * i,
                     m[12] = {cos(turn), -sin(turn), 0, 6 - 0.4 * i, sin(turn), cos(turn),
                              0,         0.2,        0, 0,           1,         0.05 * i};
        memcpy(p.at[i], m, sizeof m);
    }
    return p;
}

static bvp_body moved(const path *p, int i)
{
    bvp_body b = p->b;
    b.placement = p->at[i];
    return b;
}

static bool same_result(const bvp_distance_result *x, const bvp_distance_result *y)
{
    return x->found == y->found &&
           (!x->found ||
            (x->distance == y->distance && x->lower == y->lower &&
             memcmp(x->point_a, y->point_a, sizeof x->point_a) == 0 &&
             memcmp(&x->a, &y->a, sizeof x->a) == 0 && memcmp(&x->b, &y->b, sizeof x->b) == 0));
}

static void check_plain(const path *p)
{
    static bvp_distance_result results[PLACES];
    struct {
        int hit, other;
    } hits[PLACES];
    size_t done = 0;
    int yes = 0;
    const bvp_const_array places = {p->at, 0, PLACES};
    ck_assert_int_eq(bvp_within_batch(&p->a, &p->b, places, 0.3,
                                      (bvp_array){hits, sizeof *hits, PLACES}, &done, NULL),
                     BVP_OK);
    ck_assert_uint_eq(done, PLACES);
    ck_assert_int_eq(bvp_distance_about_batch(&p->a, &p->b, places, 4, 0.01,
                                              (bvp_array){results, 0, PLACES}, &done, NULL),
                     BVP_OK);
    ck_assert_uint_eq(done, PLACES);
    for (int i = 0; i < PLACES; i++) {
        const bvp_body b = moved(p, i);
        bvp_distance_result about;
        int within;
        ck_assert_int_eq(bvp_within(&p->a, &b, 0.3, &within, NULL, NULL), BVP_OK);
        ck_assert_int_eq(hits[i].hit, within);
        ck_assert_int_eq(bvp_distance_about(&p->a, &b, 4, 0.01, &about, NULL), BVP_OK);
        ck_assert(same_result(&results[i], &about));
        yes += within;
    }
    ck_assert_msg(yes > 2 && yes < PLACES - 2, "%d of %d are within", yes, PLACES);
}

/* Batches of 7, all with one state, against single calls with another one. */
static void check_warm(const path *p)
{
    static uint64_t fronts[2][1 << 12];
    static bvp_distance_result results[PLACES];
    bvp_warm_start warm[2][3];
    int hits[PLACES], within[PLACES];
    memset(warm, 0, sizeof warm);
    for (int k = 0; k < 2; k++) {
        warm[k][2].front = fronts[k];
        warm[k][2].front_size = sizeof fronts[k];
    }
    for (int i = 0; i < PLACES; i += 7) {
        const size_t count = i + 7 <= PLACES ? 7 : (size_t)(PLACES - i);
        const bvp_const_array places = {p->at[i], 0, count};
        size_t done[3] = {0};
        ck_assert_int_eq(bvp_collide_warm_batch(&p->a, &p->b, places, &warm[0][0],
                                                (bvp_array){&hits[i], 0, count}, &done[0], NULL),
                         BVP_OK);
        ck_assert_int_eq(bvp_within_warm_batch(&p->a, &p->b, places, 0.3, &warm[0][1],
                                               (bvp_array){&within[i], 0, count}, &done[1], NULL),
                         BVP_OK);
        ck_assert_int_eq(bvp_distance_warm_batch(&p->a, &p->b, places, INFINITY, &warm[0][2],
                                                 (bvp_array){&results[i], 0, count}, &done[2],
                                                 NULL),
                         BVP_OK);
        for (int k = 0; k < 3; k++)
            ck_assert_uint_eq(done[k], count);
    }
    for (int i = 0; i < PLACES; i++) {
        const bvp_body b = moved(p, i);
        bvp_distance_result nearest, plain;
        int hit;
        ck_assert_int_eq(bvp_collide_warm(&p->a, &b, &warm[1][0], &hit, NULL), BVP_OK);
        ck_assert_int_eq(hits[i], hit);
        ck_assert_int_eq(bvp_within_warm(&p->a, &b, 0.3, &warm[1][1], &hit, NULL), BVP_OK);
        ck_assert_int_eq(within[i], hit);
        ck_assert_int_eq(bvp_distance_warm(&p->a, &b, INFINITY, &warm[1][2], &nearest, NULL),
                         BVP_OK);
        ck_assert(same_result(&results[i], &nearest));
        ck_assert_int_eq(bvp_distance(&p->a, &b, INFINITY, &plain, NULL), BVP_OK);
        ck_assert(results[i].distance == plain.distance);
    }
    for (int k = 0; k < 3; k++) /* what one state has learnt is what the other one has */
        ck_assert_mem_eq(warm[0][k].opaque, warm[1][k].opaque, sizeof warm[0][k].opaque);
}

START_TEST(bodies_on_a_path)
{
    case_seed(21);
    for (int of_assembly = 0; of_assembly < 2; of_assembly++) {
        path p = make_path(of_assembly != 0);
        check_plain(&p);
        check_warm(&p);
        scene_close(&p.scene);
    }
}
END_TEST

/* The element that is bad, or that the budget does not reach, and none behind it. */
START_TEST(batches_stop_at_the_first_failure)
{
    case_seed(22);
    path p = make_path(true);
    int hits[PLACES];
    bvp_distance_result results[PLACES];
    bvp_warm_start warm = {.front = NULL};
    size_t done[5];
    const bvp_control control = {.budget = 25};
    for (int is_bad = 0; is_bad < 2; is_bad++) {
        const bvp_const_array places = {p.at, 0, PLACES};
        const bvp_array out = {hits, 0, PLACES}, out_results = {results, 0, PLACES};
        const bvp_status expected = is_bad ? BVP_ERR_ARGUMENT : BVP_ERR_CANCELLED;
        if (is_bad)
            p.at[9][5] = NAN;
        p.a.control = is_bad ? NULL : &control;
        ck_assert_int_eq(bvp_within_batch(&p.a, &p.b, places, 0.3, out, &done[0], NULL), expected);
        ck_assert_int_eq(
            bvp_distance_about_batch(&p.a, &p.b, places, 9, 0.1, out_results, &done[1], NULL),
            expected);
        ck_assert_int_eq(bvp_collide_warm_batch(&p.a, &p.b, places, &warm, out, &done[2], NULL),
                         expected);
        ck_assert_int_eq(bvp_within_warm_batch(&p.a, &p.b, places, 0.3, &warm, out, &done[3], NULL),
                         expected);
        ck_assert_int_eq(bvp_distance_warm_batch(&p.a, &p.b, places, INFINITY, &warm, out_results,
                                                 &done[4], NULL),
                         expected);
        for (int k = 0; k < 5; k++)
            ck_assert(is_bad ? done[k] == 9 : done[k] < PLACES);
    }
    scene_close(&p.scene);
}
END_TEST

START_TEST(arguments_are_checked)
{
    case_seed(23);
    path p = make_path(false);
    int hits[PLACES];
    bvp_distance_result results[PLACES];
    bvp_warm_start warm = {.front = NULL};
    const bvp_const_array places = {p.at, 0, PLACES}, none = {NULL, 0, PLACES};
    const bvp_array out = {hits, 0, PLACES}, few = {hits, 0, PLACES - 1};
    const bvp_array all = {results, 0, PLACES};
    size_t done = 99;
    ck_assert_int_eq(bvp_within_batch(&p.a, NULL, places, 1, out, &done, NULL), BVP_ERR_ARGUMENT);
    ck_assert_uint_eq(done, 0);
    ck_assert_int_eq(bvp_within_batch(&p.a, &p.b, places, 1, few, NULL, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_within_batch(&p.a, &p.b, none, 1, out, NULL, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_within_batch(&p.a, &p.b, places, NAN, out, NULL, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_within_batch(NULL, &p.b, places, 1, out, NULL, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_distance_about_batch(&p.a, &p.b, places, 1, -1, all, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide_warm_batch(&p.a, &p.b, places, &warm, few, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide_warm_batch(&p.a, NULL, places, &warm, out, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_distance_warm_batch(&p.a, &p.b, places, -1, &warm, all, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_within_warm_batch(&p.a, &p.b, places, NAN, &warm, out, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_within_warm_batch(&p.a, &p.b, places, 1, NULL, out, &done, NULL), BVP_OK);
    ck_assert_uint_eq(done, PLACES);
    ck_assert_int_eq(
        bvp_within_batch(&p.a, &p.b, (bvp_const_array){0}, 1, (bvp_array){0}, &done, NULL), BVP_OK);
    ck_assert_uint_eq(done, 0);
    scene_close(&p.scene);
}
END_TEST

/* ---- boxes ----------------------------------------------------------------------------------- */

typedef struct row {
    const bvp_hit_id *expected;
    uint64_t at;
} row;

static int compare_hit(void *user, const bvp_hit_id *id)
{
    row *r = user;
    ck_assert_mem_eq(&r->expected[r->at++], id, sizeof *id);
    return 0;
}

static void make_boxes(const bvp_body *body, double boxes[BOXES][6])
{
    body_list list = list_of(body);
    const double size = size_of_body(&list);
    for (int i = 0; i < BOXES; i++) {
        double p[3];
        point_of_body(&list, true, p);
        for (int a = 0; a < 3; a++) {
            const double half = size * exp2(-2 - 6 * fabs(case_unit()));
            boxes[i][a] = p[a] - half + (i % 9 == 0 ? 9 * size : 0);
            boxes[i][3 + a] = p[a] + half + (i % 9 == 0 ? 9 * size : 0);
        }
    }
    list_free(&list);
}

static void check_boxes(const bvp_body *body)
{
    static bvp_hit_id hits[HITS];
    double boxes[BOXES][6];
    uint64_t offsets[BOXES + 1], counts[BOXES + 1], total;
    size_t done;
    make_boxes(body, boxes);
    const bvp_const_array asked = {boxes, 0, BOXES};
    const bvp_array to = {offsets, 0, BOXES + 1};
    ck_assert_int_eq(bvp_overlap_batch(body, asked, to, (bvp_array){hits, 0, HITS}, &done, NULL),
                     BVP_OK);
    ck_assert_uint_eq(done, BOXES);
    ck_assert_uint_eq(offsets[0], 0);
    for (int i = 0; i < BOXES; i++) {
        row r = {hits + offsets[i], 0};
        ck_assert_int_eq(bvp_overlap(body, bvp_box_region(boxes[i], boxes[i] + 3), compare_hit, &r,
                                     &total, NULL),
                         BVP_OK);
        ck_assert_uint_eq(offsets[i + 1] - offsets[i], total);
    }
    total = offsets[BOXES];
    ck_assert_uint_gt(total, BOXES);
    /* counted only */
    ck_assert_int_eq(bvp_overlap_batch(body, asked, (bvp_array){counts, 0, BOXES + 1},
                                       (bvp_array){0}, &done, NULL),
                     BVP_OK);
    ck_assert_mem_eq(counts, offsets, sizeof offsets);
    /* just enough room; and in portions, each box that did not fit asked again */
    ck_assert_int_eq(bvp_overlap_batch(body, asked, (bvp_array){counts, 0, BOXES + 1},
                                       (bvp_array){hits, 0, (size_t)total}, &done, NULL),
                     BVP_OK);
    bvp_hit_id portion[2000];
    int rounds = 0;
    for (size_t first = 0; first < BOXES; first += done, rounds++) {
        const bvp_status status = bvp_overlap_batch(
            body, (bvp_const_array){boxes[first], 0, BOXES - first},
            (bvp_array){counts, 0, BOXES + 1}, (bvp_array){portion, 0, 2000}, &done, NULL);
        ck_assert(status == BVP_OK ? first + done == BOXES : status == BVP_ERR_LIMIT);
        ck_assert_uint_gt(done, 0);
        for (size_t k = 0; k <= done; k++)
            ck_assert_uint_eq(counts[k], offsets[first + k] - offsets[first]);
        ck_assert_mem_eq(portion, hits + offsets[first], counts[done] * sizeof *portion);
    }
    ck_assert_int_gt(rounds, 0);
}

START_TEST(many_boxes)
{
    case_seed(24);
    body_mesh mesh = mesh_sphere(16);
    body_scene one = scene_of_one(mesh), all = scene_assembly(30, false);
    double m[12];
    place_random(PLACED_SHEARED, m);
    const bvp_body bodies[3] = {{.file = one.file[0], .part = 0},
                                {.file = one.file[1], .part = 0, .placement = m},
                                {.file = all.file[0], .part = BVP_ASSEMBLY}};
    for (int k = 0; k < 3; k++)
        check_boxes(&bodies[k]);
    scene_close(&one);
    scene_close(&all);
    free(mesh.tri);
}
END_TEST

START_TEST(boxes_that_cannot_be_asked)
{
    body_mesh mesh = mesh_box(4);
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0], .part = 0};
    double boxes[3][6] = {{0, 0, 0, 1, 1, 1}, {0, 0, 0, 4, 4, 4}, {1, 1, 1, 0, 0, 0}};
    uint64_t offsets[4];
    bvp_hit_id hits[300];
    size_t done = 99;
    const bvp_const_array asked = {boxes, 0, 3};
    const bvp_array to = {offsets, 0, 4}, room = {hits, 0, 300};
    ck_assert_int_eq(bvp_overlap_batch(&body, asked, to, room, &done, NULL), BVP_ERR_ARGUMENT);
    ck_assert_uint_eq(done, 2);
    ck_assert_uint_eq(offsets[2] - offsets[1], mesh.count);
    ck_assert_int_eq(bvp_overlap_batch(&body, asked, (bvp_array){offsets, 0, 3}, room, &done, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_uint_eq(done, 0);
    ck_assert_int_eq(bvp_overlap_batch(&body, asked, (bvp_array){0}, room, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap_batch(&body, asked, to, (bvp_array){NULL, 0, 3}, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap_batch(&body, (bvp_const_array){NULL, 0, 3}, to, room, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap_batch(NULL, asked, to, room, NULL, NULL), BVP_ERR_ARGUMENT);
    /* too little room for the second box: the first one is complete */
    ck_assert_int_eq(bvp_overlap_batch(&body, asked, to,
                                       (bvp_array){hits, 0, (size_t)offsets[1] + 1}, &done, NULL),
                     BVP_ERR_LIMIT);
    ck_assert_uint_eq(done, 1);
    ck_assert_int_eq(bvp_overlap_batch(&body, asked, to, (bvp_array){hits, 0, 0}, &done, NULL),
                     BVP_ERR_LIMIT);
    ck_assert_uint_eq(done, 0);
    ck_assert_int_eq(bvp_overlap_batch(&body, (bvp_const_array){0}, to, room, &done, NULL), BVP_OK);
    ck_assert_uint_eq(offsets[0], 0);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

SUITE(test_query_batches)
{
    const TTest *const list[] = {bodies_on_a_path,           batches_stop_at_the_first_failure,
                                 arguments_are_checked,      many_boxes,
                                 boxes_that_cannot_be_asked, NULL};
    return suite_run("query_batches", list);
}
