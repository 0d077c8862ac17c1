/* SPDX-License-Identifier: MIT
 * test_control.c: what ends a call early: each query of each kind under each budget, flags and
 * callbacks, on sound files and on one whose hierarchy is a maze; how long it takes to notice.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "build_case.h"
#include "bvpack_clash.h"
#include "format/layout.h"
#include "suite.h"

/* ---- files ----------------------------------------------------------------------------------- */

/* A part in all kinds, and four instances of it, near one another. */
static case_file make_scene(uint64_t *state, uint32_t triangles, double size)
{
    static const bvp_hierarchy_spec specs[] = {{.kind = BVP_KIND_WIDE},
                                               {.kind = BVP_KIND_BOXTREE},
                                               {.kind = BVP_KIND_AABB},
                                               {.kind = BVP_KIND_OBB},
                                               {.kind = BVP_KIND_RSS}};
    const bvp_build_options options = {.hierarchies = specs, .hierarchy_count = 5};
    float *soup = case_soup(state, triangles, size, size / 10);
    const bvp_mesh mesh = case_mesh(soup, triangles);
    bvp_builder *builder;
    uint32_t part, node;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    for (int i = 0; i < 4; i++) {
        const double at[12] = {1, 0, 0, 0.3 * i * size, 0, 1, 0, 0.1 * i * size, 0, 0, 1, 0};
        ck_assert_int_eq(bvp_builder_add_node(builder, BVP_NONE, NULL, NULL, at, part, &node, NULL),
                         BVP_OK);
    }
    free(soup);
    return case_finish(builder);
}

/* ---- every query ------------------------------------------------------------------------------
 */

/* An answer as numbers, for comparison. */
typedef struct answer {
    bvp_status status;
    double number[8];
    uint64_t count, sum; /* of what was given to a callback or an array */
} answer;

static int take_pair(void *user, const bvp_pair *pair)
{
    answer *a = user;
    a->count++;
    a->sum += (pair->a.triangle + 1) * 31 + pair->b.triangle;
    return 0;
}

static int take_hit(void *user, const bvp_hit_id *id)
{
    answer *a = user;
    a->count++;
    a->sum += id->triangle + 1;
    return 0;
}

static int take_ray_hit(void *user, const bvp_ray_hit *hit)
{
    answer *a = user;
    a->count++;
    a->sum += hit->id.triangle + 1;
    return 0;
}

static void take_distance(answer *a, const bvp_distance_result *d)
{
    a->number[0] = d->found;
    a->number[1] = d->found ? d->distance : 0;
    a->number[2] = d->found ? d->lower : 0;
}

enum {
    COLLIDE,
    PAIRS,
    PAIRS_ARRAY,
    DISTANCE,
    WITHIN,
    COLLIDE_WARM,
    DISTANCE_WARM,
    WITHIN_WARM,
    COLLIDE_BATCH,
    DISTANCE_BATCH,
    RAY_FIRST,
    RAY_ANY,
    RAY_ALL,
    RAY_BATCH,
    CLOSEST,
    CLOSEST_BATCH,
    OVERLAP,
    IN_BOX,
    IN_BOX_BY_TRIANGLES,
    NEAREST,
    QUESTIONS
};

enum { RAYS = 40 };

static void ask_pair(int which, const bvp_body *a, const bvp_body *b, answer *out, bvp_stats *stats)
{
    static bvp_pair pairs[1 << 14];
    bvp_warm_start warm = {.front = NULL};
    uint64_t memory[4096];
    double at[3][12];
    int hit = 0, hits[3] = {0, 0, 0};
    size_t done = 0;
    bvp_distance_result d = {.found = 7}, all[3] = {{.found = 0}};
    uint64_t count = 0;
    for (int k = 0; k < 3; k++) {
        memcpy(at[k], b->placement, sizeof at[k]);
        at[k][3] += 0.01 * k;
    }
    memset(memory, 0, sizeof memory);
    warm.front = memory;
    warm.front_size = sizeof memory;
    switch (which) {
    case COLLIDE:
        out->status = bvp_collide(a, b, &hit, stats);
        break;
    case PAIRS:
        out->status = bvp_pairs_each(a, b, take_pair, out, &count, stats);
        ck_assert_uint_eq(count, out->count);
        break;
    case PAIRS_ARRAY:
        out->status = bvp_pairs(a, b, pairs, 1 << 14, &count, stats);
        for (uint64_t k = 0; k < count; k++)
            take_pair(out, &pairs[k]);
        break;
    case DISTANCE:
        out->status = bvp_distance(a, b, INFINITY, &d, stats);
        take_distance(out, &d);
        break;
    case WITHIN:
        out->status = bvp_within(a, b, 0.2, &hit, &d, stats);
        take_distance(out, &d);
        break;
    case COLLIDE_WARM:
        out->status = bvp_collide_warm(a, b, &warm, &hit, stats);
        break;
    case DISTANCE_WARM:
        out->status = bvp_distance_warm(a, b, INFINITY, &warm, &d, stats);
        take_distance(out, &d);
        break;
    case WITHIN_WARM:
        out->status = bvp_within_warm(a, b, 0.2, &warm, &hit, NULL, stats);
        break;
    case COLLIDE_BATCH:
        out->status = bvp_collide_batch(a, b, at[0], 0, 3, hits, 0, &done, stats);
        break;
    case DISTANCE_BATCH:
        out->status = bvp_distance_batch(a, b, at[0], 0, 3, INFINITY, all, 0, &done, stats);
        for (size_t k = 0; k < done; k++)
            out->number[4 + k] = all[k].distance;
        break;
    }
    out->number[3] = hit + 2 * hits[0] + 4 * hits[1] + 8 * hits[2] + 16 * (double)done;
}

static void take_ray(answer *out, const bvp_ray_hit *hit)
{
    out->number[0] += hit->found;
    out->number[1] += hit->found ? hit->t : 0;
}

static void ask_one(int which, const bvp_body *a, answer *out, bvp_stats *stats)
{
    const bvp_ray ray = {{-1, 0.15, 0.25}, {1, 0.01, -0.02}, 0, INFINITY};
    const double point[3] = {0.3, 0.6, 1.7}, lo[3] = {0.1, 0.1, 0.1}, hi[3] = {0.4, 0.5, 0.6};
    bvp_ray rays[RAYS];
    bvp_ray_hit hit = {.found = 7}, hits[RAYS];
    bvp_closest_result near = {.found = 7}, nearest[4];
    uint32_t instances[4];
    uint64_t count = 0;
    size_t done = 0;
    int any = 7;
    for (int k = 0; k < RAYS; k++) {
        rays[k] = ray;
        rays[k].origin[1] += 0.001 * k;
    }
    switch (which) {
    case RAY_FIRST:
        out->status = bvp_ray_first(a, &ray, &hit, stats);
        take_ray(out, &hit);
        break;
    case RAY_ANY:
        out->status = bvp_ray_any(a, &ray, &any, stats);
        out->number[0] = any;
        break;
    case RAY_ALL:
        out->status = bvp_ray_all(a, &ray, take_ray_hit, out, &count, stats);
        break;
    case RAY_BATCH:
        out->status = bvp_ray_first_batch(a, rays, 0, RAYS, hits, 0, &done, stats);
        for (size_t k = 0; k < done; k++)
            take_ray(out, &hits[k]);
        break;
    case CLOSEST:
        out->status = bvp_closest(a, point, INFINITY, &near, stats);
        out->number[0] = near.found;
        out->number[1] = near.found ? near.distance : 0;
        break;
    case CLOSEST_BATCH:
        out->status = bvp_closest_batch(a, point, 0, 1, INFINITY, &near, 0, &done, stats);
        out->number[0] = near.found;
        out->number[1] = near.found ? near.distance : 0;
        break;
    case OVERLAP:
        out->status = bvp_overlap_sphere(a, point, 1.3, take_hit, out, &count, stats);
        break;
    case IN_BOX:
    case IN_BOX_BY_TRIANGLES:
        out->status = bvp_instances_in_box(a, lo, hi, which == IN_BOX_BY_TRIANGLES, instances, 4,
                                           &out->count, stats);
        for (uint64_t k = 0; k < out->count; k++)
            out->sum += instances[k] + 1;
        break;
    case NEAREST:
        out->status = bvp_nearest_instances(a, point, INFINITY, nearest, 4, &out->count, stats);
        for (uint64_t k = 0; k < out->count; k++)
            out->number[k] = nearest[k].distance;
        break;
    }
    out->number[7] = (double)done;
}

/* b: NULL: the instances of a against one another. */
static answer ask(int which, const bvp_file *file, uint32_t part, bool self,
                  const bvp_control *control, bvp_stats *stats)
{
    const double turned[12] = {cos(0.5), -sin(0.5), 0, 0.6, sin(0.5), cos(0.5),
                               0,        0.2,       0, 0,   1,        1.2};
    const bvp_body a = {.file = file, .part = part, .control = control};
    const bvp_body b = {.file = file, .part = part, .placement = turned};
    answer out;
    memset(&out, 0, sizeof out);
    if (which >= RAY_FIRST)
        ask_one(which, &a, &out, stats);
    else if (!self)
        ask_pair(which, &a, &b, &out, stats);
    else
        out.status = bvp_pairs_each(&a, NULL, take_pair, &out, &(uint64_t){0}, stats);
    return out;
}

static bool is_asked(int which, uint32_t part, bool self)
{
    const bool of_assembly = which == IN_BOX || which == IN_BOX_BY_TRIANGLES || which == NEAREST;
    return (part == BVP_ASSEMBLY || !of_assembly) && (!self || (which == PAIRS && part != 0));
}

/* ---- budgets ----------------------------------------------------------------------------------
 */

/* What is given until the end is part of the whole; other answers are none. */
static void check_cancelled(int which, const answer *got, const answer *whole)
{
    ck_assert_int_eq(got->status, BVP_ERR_CANCELLED);
    ck_assert_uint_le(got->count, whole->count);
    ck_assert_uint_le(got->sum, whole->sum);
    if (which == NEAREST)
        ck_assert_uint_eq(got->count, 0);
    if (which == COLLIDE_BATCH || which == DISTANCE_BATCH || which == RAY_BATCH)
        return;
    for (int k = 0; k < 4; k++)
        ck_assert_msg(got->number[k] == 0, "question %d answers %d: %g", which, k, got->number[k]);
}

static void check_budgets(int which, const bvp_file *file, uint32_t part, bool self)
{
    bvp_stats plain = {.steps = 0}, stats = plain;
    bvp_control control = {.budget = UINT64_MAX};
    const answer free_of_it = ask(which, file, part, self, NULL, &plain);
    const answer whole = ask(which, file, part, self, &control, &stats);
    const uint64_t steps = stats.steps;
    ck_assert_int_eq(free_of_it.status, BVP_OK);
    ck_assert_uint_eq(plain.steps, 0);
    ck_assert_mem_eq(&whole, &free_of_it, sizeof whole);
    stats.steps = 0;
    ck_assert_mem_eq(&stats, &plain, sizeof stats);
    ck_assert_uint_gt(steps, 0);
    for (uint64_t budget = 1; budget < steps; budget += 1 + budget / 7) {
        control.budget = budget;
        stats.steps = 0;
        const answer got = ask(which, file, part, self, &control, &stats);
        check_cancelled(which, &got, &whole);
        ck_assert_uint_eq(stats.steps, budget);
        const answer again = ask(which, file, part, self, &control, NULL);
        ck_assert_mem_eq(&again, &got, sizeof got);
    }
    control.budget = steps;
    const answer enough = ask(which, file, part, self, &control, NULL);
    ck_assert_mem_eq(&enough, &whole, sizeof whole);
    control.budget = steps > 1 ? steps - 1 : 1;
    if (steps > 1)
        ck_assert_int_eq(ask(which, file, part, self, &control, NULL).status, BVP_ERR_CANCELLED);
}

START_TEST(every_budget_ends_every_query_at_the_same_step)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 600, 1);
    for (int kind = BVP_KIND_WIDE; kind <= BVP_KIND_RSS; kind++)
        for (int baseline = 0; baseline < 2; baseline++) {
            const bvp_open_options options = {.kind = (bvp_kind)kind, .baseline_simd = baseline};
            bvp_file *file;
            ck_assert_int_eq(bvp_open_memory(scene.bytes, scene.size, &options, &file, NULL),
                             BVP_OK);
            for (int which = 0; which < QUESTIONS; which++)
                for (int self = 0; self < 2; self++)
                    for (int part = 0; part < 2; part++)
                        if (is_asked(which, part ? BVP_ASSEMBLY : 0, self))
                            check_budgets(which, file, part ? BVP_ASSEMBLY : 0, self);
            bvp_close(file);
        }
    case_close(&scene);
}
END_TEST

/* ---- flags and callbacks ----------------------------------------------------------------------
 */

static int count_look(void *user)
{
    uint64_t *looks = user;
    ++*looks;
    return 0;
}

START_TEST(a_flag_that_is_set_ends_every_query_at_once)
{
    uint64_t state = case_seed(), looks = 0;
    volatile int flag = 1;
    case_file scene = make_scene(&state, 600, 1);
    const bvp_control set = {.cancel = &flag};
    const bvp_control counted = {.callback = count_look, .user = &looks};
    for (int which = 0; which < QUESTIONS; which++) {
        bvp_stats stats = {.steps = 0}, free_of_it = {.steps = 0};
        flag = 1;
        answer got = ask(which, scene.file, BVP_ASSEMBLY, false, &set, &stats);
        ck_assert_int_eq(got.status, BVP_ERR_CANCELLED);
        ck_assert_uint_eq(stats.nodes + stats.steps, 0);
        flag = 0;
        ck_assert_int_eq(ask(which, scene.file, BVP_ASSEMBLY, false, &set, NULL).status, BVP_OK);
        looks = 0;
        ask(which, scene.file, BVP_ASSEMBLY, false, &counted, &free_of_it);
        ck_assert_uint_ge(looks, (free_of_it.steps + 31) / 32);
        ck_assert_uint_le(looks, free_of_it.steps / 32 + 2);
    }
    case_close(&scene);
}
END_TEST

START_TEST(a_handles_control_counts_where_a_body_has_none)
{
    uint64_t state = case_seed();
    volatile int flag = 1, other = 0;
    case_file scene = make_scene(&state, 100, 1);
    const bvp_control set = {.cancel = &flag}, not_set = {.cancel = &other};
    const bvp_open_options options = {.control = &set, .verify_lazily = 1};
    const bvp_open_options isolated = {.control = &set, .mode = BVP_OPEN_ISOLATED};
    bvp_error error;
    bvp_file *file;
    ck_assert_int_eq(bvp_open_memory(scene.bytes, scene.size, &isolated, &file, &error),
                     BVP_ERR_CANCELLED);
    ck_assert_ptr_nonnull(strstr(error.message, "ended before it was done"));
    ck_assert_int_eq(bvp_open_memory(scene.bytes, scene.size, &options, &file, NULL), BVP_OK);
    ck_assert_int_eq(ask(RAY_FIRST, file, 0, false, NULL, NULL).status, BVP_ERR_CANCELLED);
    ck_assert_int_eq(ask(COLLIDE, file, 0, false, NULL, NULL).status, BVP_ERR_CANCELLED);
    ck_assert_int_eq(bvp_check_part(file, 0, &error), BVP_ERR_CANCELLED);
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, &error), BVP_ERR_CANCELLED);
    ck_assert_int_eq(bvp_clash(file, NULL, NULL, NULL, NULL, NULL, NULL, &error),
                     BVP_ERR_CANCELLED);
    ck_assert_int_eq(ask(RAY_FIRST, file, 0, false, &not_set, NULL).status, BVP_OK);
    flag = 0;
    ck_assert_int_eq(bvp_check_part(file, 0, &error), BVP_OK);
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, &error), BVP_OK);
    bvp_close(file);
    ck_assert_str_eq(bvp_status_name(BVP_ERR_CANCELLED), "cancelled");
    case_close(&scene);
}
END_TEST

/* ---- coherent queries -------------------------------------------------------------------------
 */

static void place(double at[12], double x)
{
    const double turned[12] = {cos(x), -sin(x), 0, 0.9 + x, sin(x), cos(x), 0, 0.2, 0, 0, 1, 0.7};
    memcpy(at, turned, sizeof turned);
}

/* What a cancelled query leaves in the memory of the next ones must not change their answers. */
START_TEST(cancelled_queries_leave_coherent_ones_right)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 600, 1);
    static bvp_warm_start warm;
    static uint64_t memory[1 << 14];
    memset(&warm, 0, sizeof warm);
    warm.front = memory;
    warm.front_size = sizeof memory;
    uint64_t cancelled = 0;
    for (int round = 0; round < 3000; round++) {
        bvp_control control = {.budget = 1 + case_random(&state) % 80};
        double at[12];
        place(at, 0.8 * sin(0.37 * round) + 0.0001 * round);
        bvp_body a = {.file = scene.file, .part = 0}, b = a;
        b.placement = at;
        bvp_distance_result got, expected;
        int hit, within;
        a.control = round % 3 ? &control : NULL;
        const bvp_status status = bvp_distance_warm(&a, &b, INFINITY, &warm, &got, NULL);
        const bvp_status second = bvp_within_warm(&a, &b, 0.1, &warm, &within, NULL, NULL);
        const bvp_status third = bvp_collide_warm(&a, &b, &warm, &hit, NULL);
        a.control = NULL;
        ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &expected, NULL), BVP_OK);
        cancelled += (status != BVP_OK) + (second != BVP_OK) + (third != BVP_OK);
        if (status == BVP_OK)
            ck_assert(got.distance == expected.distance);
        if (second == BVP_OK)
            ck_assert_int_eq(within, expected.distance <= 0.1);
        if (third == BVP_OK)
            ck_assert_int_eq(hit, expected.distance == 0);
    }
    printf("%" PRIu64 " of 9,000 were cancelled\n", cancelled);
    ck_assert_uint_gt(cancelled, 200);
    ck_assert_uint_lt(cancelled, 8000);
    case_close(&scene);
}
END_TEST

/* ---- how soon it is noticed -------------------------------------------------------------------
 */

/* Processor time of this thread, which other programs on the machine do not lengthen. */
static double seconds_used(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef struct watch {
    double begin, last, longest, most; /* seconds */
    uint64_t looks;
} watch;

static int look(void *user)
{
    watch *w = user;
    const double now = seconds_used();
    w->longest = fmax(w->longest, now - w->last);
    w->last = now;
    w->looks++;
    return now - w->begin > w->most;
}

static watch watch_begin(double most)
{
    watch w = {.begin = seconds_used(), .most = most};
    w.last = w.begin;
    return w;
}

/* 10 ms are promised; a sanitized program on a busy machine gets more. */
static void watch_end(watch *w, const char *what, bvp_status status)
{
    look(w);
    printf("%-30s %-10s %7" PRIu64 " looks in %.3f s, the longest time between two %.3f ms\n", what,
           bvp_status_name(status), w->looks, w->last - w->begin, w->longest * 1e3);
    ck_assert_double_le(w->longest, 0.1);
}

/* Triangles in one plane, all of which touch many others: exact arithmetic decides each pair. */
static case_file make_flat(uint32_t count, double turn)
{
    float *soup = malloc(36 * (size_t)count);
    ck_assert_ptr_nonnull(soup);
    const uint32_t side = (uint32_t)sqrt(count);
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const double x = i % side + 9.5 * (k == 1), y = i / side + 9.5 * (k == 2); /* NOLINT */
            soup[9 * i + 3 * (uint32_t)k] = (float)(x * cos(turn) - y * sin(turn));
            soup[9 * i + 3 * (uint32_t)k + 1] = (float)(x * sin(turn) + y * cos(turn));
            soup[9 * i + 3 * (uint32_t)k + 2] = 0.25f;
        }
    const bvp_mesh mesh = case_mesh(soup, count);
    case_file file = case_build(&mesh, NULL);
    free(soup);
    return file;
}

/* Layers of eight nodes, each of which leads to all eight of the next layer, in boxes that cover
 * all: 8^LAYERS paths, which no walk follows to its end. */
enum { LAYERS = 24 };
static void make_maze(const case_file *file)
{
    bvpd_header header;
    bvpd_hierarchy record;
    memcpy(&header, file->bytes, sizeof header);
    uint8_t *bytes = file->bytes;
    memcpy(&record, bytes + header.sections[BVPD_HIER].offset, sizeof record);
    uint8_t *units = bytes + header.sections[BVPD_DATA].offset;
    ck_assert_uint_eq(record.root, 0);
    ck_assert_uint_gt(record.upper_count, 8 * LAYERS + 9);
    for (uint32_t unit = 0; unit < 8 * LAYERS + 1; unit++) {
        bvpd_node *node = (bvpd_node *)(void *)(units + (size_t)unit * BVPD_UNIT);
        memset(node->meta, BVPD_META_INNER, sizeof node->meta);
        memset(node->bounds, 0, sizeof node->bounds);
        for (int axis = 0; axis < 3; axis++)
            memset(node->bounds[axis] + 8, 0xff, 8);
        node->child = (unit + 7) / 8 * 8 + 1;
    }
}

static void time_query(const char *what, int which, const bvp_file *file)
{
    watch w = watch_begin(0.15);
    const bvp_control control = {.callback = look, .user = &w};
    const answer got = ask(which, file, 0, false, &control, NULL);
    watch_end(&w, what, got.status);
}

START_TEST(it_is_noticed_soon_where_every_pair_is_exact)
{
    case_file flat = make_flat(40000, 0.1), turned = make_flat(40000, 0.7);
    watch w = watch_begin(0.5);
    const bvp_control control = {.callback = look, .user = &w};
    const bvp_body a = {.file = flat.file, .control = &control}, b = {.file = turned.file};
    answer got = {.count = 0};
    uint64_t count;
    got.status = bvp_pairs_each(&a, &b, take_pair, &got, &count, NULL);
    watch_end(&w, "all pairs, in one plane", got.status);
    ck_assert_int_eq(got.status, BVP_ERR_CANCELLED);
    ck_assert_uint_gt(count, 0);
    const double above[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1};
    const bvp_body c = {.file = flat.file, .placement = above};
    bvp_distance_result d;
    w = watch_begin(0.5);
    const bvp_status status = bvp_distance(&a, &c, INFINITY, &d, NULL);
    watch_end(&w, "distance, all pairs as near", status);
    case_close(&flat);
    case_close(&turned);
}
END_TEST

START_TEST(it_is_noticed_soon_in_a_maze)
{
    static const struct {
        const char *name;
        int which;
    } questions[] = {{"a maze: collide", COLLIDE},    {"a maze: pairs", PAIRS},
                     {"a maze: distance", DISTANCE},  {"a maze: within", WITHIN},
                     {"a maze: warm", DISTANCE_WARM}, {"a maze: ray", RAY_FIRST},
                     {"a maze: all hits", RAY_ALL},   {"a maze: closest", CLOSEST},
                     {"a maze: overlap", OVERLAP}};
    uint64_t state = case_seed();
    float *soup = case_soup(&state, 200000, 1, 0.01);
    const bvp_mesh mesh = case_mesh(soup, 200000);
    case_file file = case_build(&mesh, NULL);
    make_maze(&file);
    watch w = watch_begin(0.15);
    const bvp_control control = {.callback = look, .user = &w};
    bvp_status status = bvp_verify_controlled(file.bytes, file.size, &control, NULL, NULL, NULL);
    ck_assert_int_eq(status, BVP_ERR_CORRUPT);
    bool was_cancelled = false;
    for (size_t k = 0; k < sizeof questions / sizeof *questions; k++) {
        w = watch_begin(0.15);
        const answer got = ask(questions[k].which, file.file, 0, false, &control, NULL);
        was_cancelled = was_cancelled || got.status == BVP_ERR_CANCELLED;
        watch_end(&w, questions[k].name, got.status);
    }
    ck_assert(was_cancelled);
    free(soup);
    case_close(&file);
}
END_TEST

START_TEST(it_is_noticed_soon_by_all_other_queries)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 20000, 1);
    for (int which = 0; which < QUESTIONS; which++)
        if (is_asked(which, 0, false))
            time_query("a soup", which, scene.file);
    case_close(&scene);
}
END_TEST

/* ---- verification -----------------------------------------------------------------------------
 */

static int one_more(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

static int count_finding(void *user, const bvp_finding *finding)
{
    (void)finding;
    ++*(int *)user;
    return 0;
}

START_TEST(verification_ends_at_any_look)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 3000, 1);
    uint8_t *bytes = scene.bytes;
    uint64_t looks = 0;
    int findings = 0;
    bvp_error error;
    const bvp_control counted = {.callback = count_look, .user = &looks};
    ck_assert_int_eq(bvp_verify_controlled(bytes, scene.size, &counted, NULL, NULL, &error),
                     BVP_OK);
    ck_assert_uint_gt(looks, 100);
    for (uint64_t k = 0; k < looks; k += 1 + looks / 200) {
        int left = (int)k;
        const bvp_control control = {.callback = one_more, .user = &left};
        ck_assert_int_eq(
            bvp_verify_controlled(bytes, scene.size, &control, count_finding, &findings, &error),
            BVP_ERR_CANCELLED);
        ck_assert_int_eq(error.status, BVP_ERR_CANCELLED);
        ck_assert_int_eq(findings, 0);
    }
    const bvp_control budget = {.budget = 100}, more = {.budget = 32 * looks + 32};
    ck_assert_int_eq(bvp_verify_controlled(bytes, scene.size, &budget, NULL, NULL, NULL),
                     BVP_ERR_CANCELLED);
    ck_assert_int_eq(bvp_verify_controlled(bytes, scene.size, &more, NULL, NULL, NULL), BVP_OK);
    watch w = watch_begin(5);
    const bvp_control timed = {.callback = look, .user = &w};
    watch_end(&w, "verify", bvp_verify_controlled(bytes, scene.size, &timed, NULL, NULL, NULL));
    case_close(&scene);
}
END_TEST

/* A cancelled check of hashes is begun once more, and neither good nor bad is forgotten. */
START_TEST(lazy_verification_goes_on_after_it_was_cancelled)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 8000, 1);
    uint8_t *bytes = scene.bytes;
    const bvp_open_options lazily = {.verify_lazily = 1};
    bvp_file *file;
    for (int damaged = 0; damaged < 2; damaged++) {
        bvpd_header header;
        memcpy(&header, bytes, sizeof header);
        bytes[header.sections[BVPD_DATA].offset + header.sections[BVPD_DATA].size / 2] ^= 0xff;
        bytes[header.sections[BVPD_DATA].offset + header.sections[BVPD_DATA].size / 2] ^=
            damaged ? 0 : 0xff;
        ck_assert_int_eq(bvp_open_memory(bytes, scene.size, &lazily, &file, NULL), BVP_OK);
        bvp_status status = BVP_ERR_CANCELLED;
        int tries = 0;
        for (; status == BVP_ERR_CANCELLED; tries++) {
            int left = tries;
            const bvp_control control = {.callback = one_more, .user = &left};
            status = ask(CLOSEST, file, 0, false, &control, NULL).status;
        }
        printf("answered at try %d\n", tries);
        ck_assert_int_gt(tries, 3);
        ck_assert_int_eq(status, damaged ? BVP_ERR_CORRUPT : BVP_OK);
        bvp_close(file);
    }
    case_close(&scene);
}
END_TEST

/* ---- clash ------------------------------------------------------------------------------------
 */

static int take_clash(void *user, const bvp_clash_pair *pair)
{
    answer *a = user;
    a->count++;
    a->sum = a->sum * 31 + pair->a * 7 + pair->b * 3 + (uint64_t)pair->verdict;
    return 0;
}

static answer run_clash(const bvp_file *file, uint32_t threads, const bvp_control *control,
                        bvp_clash_coverage *coverage)
{
    const bvp_clash_options options = {.limits = {0.05, NAN, NAN},
                                       .detail = BVP_CLASH_CONTACTS,
                                       .thread_count = threads,
                                       .control = control};
    answer out;
    memset(&out, 0, sizeof out);
    out.status = bvp_clash(file, NULL, NULL, &options, take_clash, &out, coverage, NULL);
    return out;
}

START_TEST(a_clash_run_ends_at_the_same_pair_on_any_number_of_threads)
{
    uint64_t state = case_seed();
    case_file scene = make_scene(&state, 200, 1);
    bvp_clash_coverage whole, part;
    const answer all = run_clash(scene.file, 1, NULL, &whole);
    uint64_t cancelled = 0;
    ck_assert_int_eq(all.status, BVP_OK);
    ck_assert_uint_gt(all.count, 0);
    for (uint64_t budget = 1; budget < UINT64_C(1) << 20; budget *= 2) {
        const bvp_control control = {.budget = budget};
        const answer one = run_clash(scene.file, 1, &control, &part);
        const answer four = run_clash(scene.file, 4, &control, &part);
        ck_assert_mem_eq(&one, &four, sizeof one);
        ck_assert_uint_le(part.instance_count, whole.instance_count);
        cancelled += one.status == BVP_ERR_CANCELLED;
        if (one.status == BVP_OK)
            ck_assert_mem_eq(&one, &all, sizeof one);
        else
            ck_assert_int_eq(one.status, BVP_ERR_CANCELLED);
    }
    ck_assert_uint_gt(cancelled, 3);
    ck_assert_uint_lt(cancelled, 20);
    watch w = watch_begin(5);
    const bvp_control timed = {.callback = look, .user = &w};
    const answer last = run_clash(scene.file, 1, &timed, &part);
    watch_end(&w, "clash", last.status);
    ck_assert_mem_eq(&last, &all, sizeof last);
    volatile int flag = 1;
    const bvp_control set = {.cancel = &flag};
    ck_assert_int_eq(run_clash(scene.file, 2, &set, &part).status, BVP_ERR_CANCELLED);
    ck_assert_uint_eq(part.instance_count, 0);
    case_close(&scene);
}
END_TEST

/* ---- the builder ------------------------------------------------------------------------------
 */

START_TEST(a_builder_goes_on_after_a_part_was_cancelled)
{
    enum { COUNT = 60000 };
    uint64_t state = case_seed();
    float *soup = case_soup(&state, COUNT, 1, 0.01);
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    case_file expected = case_build(&mesh, NULL);
    int left = 0, tries = 0;
    const bvp_control control = {.callback = one_more, .user = &left};
    const bvp_build_options options = {.control = &control};
    bvp_builder *builder;
    bvp_error error;
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    bvp_status status = BVP_ERR_CANCELLED;
    for (; status == BVP_ERR_CANCELLED; tries++) {
        left = tries;
        status = bvp_builder_add_part(builder, &mesh, &part, &error);
        if (status == BVP_ERR_CANCELLED)
            ck_assert_int_eq(error.status, BVP_ERR_CANCELLED);
    }
    printf("the part was built at try %d\n", tries);
    ck_assert_int_gt(tries, 2);
    ck_assert_int_eq(status, BVP_OK);
    left = 1 << 30;
    case_file file = case_finish(builder);
    ck_assert_uint_eq(file.size, expected.size);
    ck_assert_mem_eq(file.bytes, expected.bytes, file.size);
    case_close(&file);
    case_close(&expected);
    free(soup);
}
END_TEST

START_TEST(a_file_that_is_being_written_is_cancelled)
{
    uint64_t state = case_seed();
    float *soup = case_soup(&state, 1000, 1, 0.01);
    const bvp_mesh mesh = case_mesh(soup, 1000);
    volatile int flag = 0;
    const bvp_control control = {.cancel = &flag};
    const bvp_build_options options = {.control = &control};
    bvp_builder *builder;
    bvp_error error;
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    flag = 1;
    ck_assert_int_eq(bvp_builder_finish_fd(builder, 1, NULL, &error), BVP_ERR_CANCELLED);
    bvp_builder_free(builder);
    free(soup);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_budget_ends_every_query_at_the_same_step,
                                  a_flag_that_is_set_ends_every_query_at_once,
                                  a_handles_control_counts_where_a_body_has_none,
                                  cancelled_queries_leave_coherent_ones_right,
                                  it_is_noticed_soon_where_every_pair_is_exact,
                                  it_is_noticed_soon_in_a_maze,
                                  it_is_noticed_soon_by_all_other_queries,
                                  verification_ends_at_any_look,
                                  lazy_verification_goes_on_after_it_was_cancelled,
                                  a_clash_run_ends_at_the_same_pair_on_any_number_of_threads,
                                  a_builder_goes_on_after_a_part_was_cancelled,
                                  a_file_that_is_being_written_is_cancelled,
                                  NULL};
    return suite_run("control", tests);
}
