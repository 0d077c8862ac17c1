/* SPDX-License-Identifier: MIT
 * test_binary_single.c: queries of one body by every kind of binary hierarchy, leaf size and
 * placement, against the wide hierarchy.
 */
#include "binary_cases.h"
#include "suite.h"

/* ---- questions ------------------------------------------------------------------------------- */

typedef struct answers {
    bvp_ray_hit first, all[4096];
    int any;
    uint64_t all_count, box_count, ball_count, frustum_count;
    uint64_t box[4096], ball[4096], frustum[4096]; /* numbers of triangles */
    bvp_closest_result closest, limited;
} answers;

typedef struct question {
    bvp_ray ray;
    double point[3], limit, lo[3], hi[3], radius, planes[12];
} question;

static int keep_hit(void *user, const bvp_ray_hit *hit)
{
    answers *a = user;
    ck_assert_uint_lt(a->all_count, 4096);
    a->all[a->all_count++] = *hit;
    return 0;
}

static int keep_box(void *user, const bvp_hit_id *id)
{
    answers *a = user;
    a->box[a->box_count++] = id->id;
    return 0;
}

static int keep_ball(void *user, const bvp_hit_id *id)
{
    answers *a = user;
    a->ball[a->ball_count++] = id->id;
    return 0;
}

static int keep_frustum(void *user, const bvp_hit_id *id)
{
    answers *a = user;
    a->frustum[a->frustum_count++] = id->id;
    return 0;
}

static int compare_numbers(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

static int compare_hits(const void *x, const void *y)
{
    const bvp_ray_hit *a = x, *b = y;
    return compare_numbers(&a->id.id, &b->id.id);
}

static void ask(bvp_file *file, const double *m, const question *q, answers *out, bvp_stats *stats)
{
    const bvp_body body = {.file = file, .part = 0, .placement = m};
    uint64_t count;
    memset(out, 0, sizeof *out);
    ck_assert_int_eq(bvp_ray_first(&body, &q->ray, &out->first, stats), BVP_OK);
    ck_assert_int_eq(bvp_ray_any(&body, &q->ray, &out->any, stats), BVP_OK);
    ck_assert_int_eq(bvp_ray_all(&body, &q->ray, keep_hit, out, &count, stats), BVP_OK);
    ck_assert_uint_eq(count, out->all_count);
    ck_assert_int_eq(bvp_closest(&body, q->point, INFINITY, &out->closest, stats), BVP_OK);
    ck_assert_int_eq(bvp_closest(&body, q->point, q->limit, &out->limited, stats), BVP_OK);
    ck_assert_int_eq(bvp_overlap(&body, bvp_box_region(q->lo, q->hi), keep_box, out, &count, stats),
                     BVP_OK);
    ck_assert_int_eq(
        bvp_overlap(&body, bvp_ball_region(q->point, q->radius), keep_ball, out, &count, stats),
        BVP_OK);
    ck_assert_int_eq(
        bvp_overlap(&body, bvp_convex_region(q->planes, 3), keep_frustum, out, &count, stats),
        BVP_OK);
    qsort(out->all, out->all_count, sizeof *out->all, compare_hits);
    qsort(out->box, out->box_count, sizeof *out->box, compare_numbers);
    qsort(out->ball, out->ball_count, sizeof *out->ball, compare_numbers);
    qsort(out->frustum, out->frustum_count, sizeof *out->frustum, compare_numbers);
}

/* Ties go to the triangle that is stored first, and files differ in that: of these, any will do. */
static void check_answers(const answers *x, const answers *y, const char *what)
{
    ck_assert_msg(x->any == y->any, "%s: any", what);
    ck_assert_msg(x->first.found == y->first.found && x->first.t == y->first.t, "%s: first", what);
    ck_assert_msg(x->closest.distance == y->closest.distance, "%s: closest", what);
    ck_assert_msg(x->limited.found == y->limited.found &&
                      x->limited.distance == y->limited.distance,
                  "%s: closest with a limit", what);
    ck_assert_msg(x->all_count == y->all_count, "%s: all", what);
    for (uint64_t k = 0; k < x->all_count; k++)
        ck_assert_msg(x->all[k].id.id == y->all[k].id.id && x->all[k].t == y->all[k].t, "%s: all",
                      what);
    ck_assert_msg(x->box_count == y->box_count && memcmp(x->box, y->box, sizeof x->box) == 0,
                  "%s: box", what);
    ck_assert_msg(x->ball_count == y->ball_count && memcmp(x->ball, y->ball, sizeof x->ball) == 0,
                  "%s: ball", what);
    ck_assert_msg(x->frustum_count == y->frustum_count &&
                      memcmp(x->frustum, y->frustum, sizeof x->frustum) == 0,
                  "%s: frustum", what);
}

static void make_question(const body_list *list, double size, question *q)
{
    static const double reach[] = {0, 0.1, 1, 3, 1e4, 1e9};
    const double away = reach[case_int(6)] * size;
    double target[3];
    point_of_body(list, case_int(2) == 0, q->point);
    point_of_body(list, case_int(2) == 0, target);
    for (int a = 0; a < 3; a++) {
        q->point[a] += case_unit() * away;
        q->ray.origin[a] = q->point[a];
        q->ray.direction[a] = target[a] - q->point[a];
        q->lo[a] = target[a] - fabs(case_unit()) * size;
        q->hi[a] = target[a] + fabs(case_unit()) * size;
    }
    if (case_int(3) == 0 || (q->ray.direction[0] == 0 && q->ray.direction[1] == 0))
        memcpy(q->ray.direction, (double[3]){0, 0, 1}, sizeof q->ray.direction);
    q->ray.t_min = case_int(2) ? 0 : -1;
    q->ray.t_max = case_int(2) ? INFINITY : 2;
    q->limit = size * fabs(case_unit());
    q->radius = size * fabs(case_unit()) + away;
    for (int k = 0; k < 3; k++) {
        double at = 0;
        for (int a = 0; a < 3; a++) {
            q->planes[4 * k + a] = case_unit();
            at += q->planes[4 * k + a] * target[a];
        }
        q->planes[4 * k + 3] = -at + size * 0.5 * fabs(case_unit());
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void check_model(const model *m, int kind)
{
    static answers expected, found, plain;
    double placement[12];
    place_random(kind, placement);
    const bvp_body body = {.file = m->wide, .part = 0, .placement = placement};
    body_list list = list_of(&body);
    const double size = size_of_body(&list);
    for (int round = 0; round < 6; round++) {
        question q;
        make_question(&list, size, &q);
        ask(m->wide, placement, &q, &expected, NULL);
        for (int k = 0; k < WAYS; k++) {
            char what[64];
            bvp_stats stats = {0}, plain_stats = {0};
            snprintf(what, sizeof what, "kind %d", (int)ways[k].kind);
            ask(m->by[k], placement, &q, &found, &stats);
            check_answers(&found, &expected, what);
            ask(m->plain[k], placement, &q, &plain, &plain_stats);
            check_answers(&plain, &expected, what);
            ck_assert_mem_eq(&stats, &plain_stats, sizeof stats);
        }
    }
    list_free(&list);
}

START_TEST(every_kind_answers_as_the_wide_one)
{
    static const uint32_t leaf_sizes[4] = {1, 2, 4, 8};
    case_seed(31 + (uint64_t)_i);
    for (int k = 0; k < (_i < 2 ? MESHES : FEW); k++) {
        model m = make_model(make_mesh(k), leaf_sizes[_i % 4], _i < 4 ? 0 : 1 + _i % (KINDS - 1));
        for (int kind = 0; kind < PLACED_KINDS; kind++)
            check_model(&m, kind);
        free_model(&m);
    }
}
END_TEST

/* Triangles come in the order of the hierarchy that is asked; of the first one, that is as stored.
 */
static int check_order(void *user, const bvp_hit_id *id)
{
    uint64_t *next = user;
    ck_assert_uint_eq(id->triangle, *next);
    ++*next;
    return 0;
}

START_TEST(the_first_kind_answers_in_the_order_of_storage)
{
    const double lo[3] = {-1e9, -1e9, -1e9}, hi[3] = {1e9, 1e9, 1e9};
    case_seed(47);
    for (int first = 1; first < KINDS; first++) {
        model m = make_model(make_mesh(3), 4, first);
        bvp_file *file = open_by(&m.file, BVP_KIND_DEFAULT, BVP_TEST_DEFAULT, 0);
        const bvp_body body = {.file = file, .part = 0};
        uint64_t next = 0, count;
        ck_assert_int_eq(
            bvp_overlap(&body, bvp_box_region(lo, hi), check_order, &next, &count, NULL), BVP_OK);
        ck_assert_uint_eq(count, m.mesh.count);
        bvp_close(file);
        free_model(&m);
    }
}
END_TEST

SUITE(test_binary_single)
{
    TCase *cases = tcase_create("binary_single");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, every_kind_answers_as_the_wide_one, 0, 8);
    tcase_add_test(cases, the_first_kind_answers_in_the_order_of_storage);
    return suite_run_case("binary_single", cases);
}
