/* SPDX-License-Identifier: MIT
 * test_broad.c: a broad phase's pairs, and what begins and ends, against all boxes by brute force:
 * bodies that come, go, move a little, jump, stand flush, or go on, few or all at once, on both
 * instruction sets; one against all; bad arguments; forgotten names; limits.
 */
#include "broad/broad.h"
#include "build_case.h"
#include "bvpack_broad.h"
#include "rigid_places.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 500, STEPS = 120, PARTS = 4, INSTANCES = 70, TRIANGLES = 12, PAIRS = 1 << 17 };

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* ---- files ----------------------------------------------------------------------------------- */

/* Parts of sizes .5, 1, 2 and 40, the first one a unit cube's corners; instances in a row. */
static case_file make_file(uint64_t *state)
{
    bvp_builder *builder;
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    for (uint32_t k = 0; k < PARTS; k++) {
        static const double sizes[PARTS] = {1, 0.5, 2, 40};
        static const float cube[18] = {0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1};
        float *soup = case_soup(state, TRIANGLES, sizes[k], 0.1 * sizes[k]);
        if (k == 0)
            memcpy(soup, cube, sizeof cube);
        const bvp_mesh mesh = case_mesh(soup, k == 0 ? 2 : TRIANGLES);
        uint32_t part;
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
        free(soup);
    }
    for (uint32_t k = 0; k < INSTANCES; k++) {
        double m[12];
        memcpy(m, identity, sizeof m);
        m[3] = k / 7.0;
        const bvp_new_node node = {
            .parent = BVP_NONE, .name = "node", .placement = m, .part = k % (PARTS - 1)};
        ck_assert_int_eq(bvp_builder_add_node(builder, &node, NULL, NULL), BVP_OK);
    }
    return case_finish(builder);
}

/* ---- two broad phases with the same bodies, and a list of these ------------------------------ */

typedef struct known_body {
    bvp_broad_id id; /* 0: no body */
    uint32_t layers, ignores;
    double lo[3], hi[3];
    double placement[12];
} known_body;

typedef struct world {
    case_file file;
    double margin, size; /* of the space */
    bvp_broad *broad, *baseline;
    known_body bodies[BODIES];
    bvp_broad_pair pairs[PAIRS], old[PAIRS], lost[PAIRS], got[PAIRS];
    uint64_t pair_count, old_count, begun, ended;
    uint64_t bits[2]; /* of the filter */
    bvp_filter filter, none;
} world;

static world *make_world(uint64_t *state, double margin, double size)
{
    world *w = calloc(1, sizeof *w);
    const bvp_broad_options options = {.margin = margin};
    const bvp_broad_options baseline = {.margin = margin, .baseline_simd = 1};
    ck_assert_ptr_nonnull(w);
    w->file = make_file(state);
    w->margin = margin;
    w->size = size;
    w->bits[0] = 5;
    w->filter = (bvp_filter){w->bits, 2, 0};
    ck_assert_int_eq(bvp_broad_new(&options, &w->broad), BVP_OK);
    ck_assert_int_eq(bvp_broad_new(&baseline, &w->baseline), BVP_OK);
    return w;
}

static void free_world(world *w)
{
    bvp_broad_free(w->broad);
    bvp_broad_free(w->baseline);
    case_close(&w->file);
    free(w);
}

static void random_spot(const world *w, uint64_t *state, double m[12])
{
    random_place(state, m);
    for (int i = 0; i < 3; i++)
        m[4 * i + 3] = w->size * case_uniform(state);
}

static void note_body(world *w, known_body *at)
{
    ck_assert_int_eq(bvp_broad_box(w->broad, at->id, at->lo, at->hi), BVP_OK);
}

/* Any sort of body; of one in ten of the assembly. */
static bvp_broad_body random_body(world *w, uint64_t *state, const double *placement)
{
    bvp_broad_body body = {.body = {.file = w->file.file,
                                    .part = (uint32_t)(case_random(state) % (PARTS - 1)),
                                    .placement = placement}};
    const uint64_t choice = case_random(state) % 60;
    if (choice < 2)
        body.body.part = PARTS - 1;
    else if (choice < 7)
        body.body.part = BVP_ASSEMBLY;
    if (body.body.part == BVP_ASSEMBLY && choice != 2)
        body.body.filter = choice == 3 ? &w->none : &w->filter;
    if (case_random(state) % 3 == 0) {
        body.layers = (uint32_t)(case_random(state) % 8);
        body.ignores = (uint32_t)(case_random(state) % 8 & case_random(state));
    }
    body.user = w;
    return body;
}

static void put_body(world *w, uint64_t *state, known_body *at, bool is_new)
{
    random_spot(w, state, at->placement);
    const bvp_broad_body body = random_body(w, state, at->placement);
    at->layers = body.layers;
    at->ignores = body.ignores;
    if (is_new) {
        bvp_broad_id other;
        ck_assert_int_eq(bvp_broad_add(w->broad, &body, &at->id), BVP_OK);
        ck_assert_int_eq(bvp_broad_add(w->baseline, &body, &other), BVP_OK);
        ck_assert_uint_eq(other, at->id);
    } else {
        ck_assert_int_eq(bvp_broad_replace(w->broad, at->id, &body), BVP_OK);
        ck_assert_int_eq(bvp_broad_replace(w->baseline, at->id, &body), BVP_OK);
    }
    note_body(w, at);
}

static void remove_body(world *w, known_body *at)
{
    ck_assert_int_eq(bvp_broad_remove(w->broad, at->id), BVP_OK);
    ck_assert_int_eq(bvp_broad_remove(w->baseline, at->id), BVP_OK);
    ck_assert_int_eq(bvp_broad_move(w->broad, at->id, NULL), BVP_ERR_ARGUMENT);
    at->id = 0;
}

static void move_body(world *w, known_body *at)
{
    ck_assert_int_eq(bvp_broad_move(w->broad, at->id, at->placement), BVP_OK);
    ck_assert_int_eq(bvp_broad_move(w->baseline, at->id, at->placement), BVP_OK);
    note_body(w, at);
}

/* ---- by brute force -------------------------------------------------------------------------- */

static bool boxes_meet(const double a_lo[3], const double a_hi[3], const double b_lo[3],
                       const double b_hi[3])
{
    bool meet = true;
    for (int i = 0; i < 3; i++)
        meet = meet && a_lo[i] <= b_hi[i] && b_lo[i] <= a_hi[i];
    return meet;
}

static int compare_pairs(const void *a, const void *b)
{
    const bvp_broad_pair *x = a, *y = b;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static void find_all(world *w)
{
    memcpy(w->old, w->pairs, w->pair_count * sizeof *w->old);
    w->old_count = w->pair_count;
    w->pair_count = 0;
    for (int i = 0; i < BODIES; i++)
        for (int k = i + 1; k < BODIES; k++) {
            const known_body *a = &w->bodies[i], *b = &w->bodies[k];
            if (a->id == 0 || b->id == 0 || (a->layers & b->ignores) != 0 ||
                (b->layers & a->ignores) != 0 || !boxes_meet(a->lo, a->hi, b->lo, b->hi))
                continue;
            ck_assert_uint_lt(w->pair_count, PAIRS);
            w->pairs[w->pair_count++] =
                a->id < b->id ? (bvp_broad_pair){a->id, b->id} : (bvp_broad_pair){b->id, a->id};
        }
    qsort(w->pairs, w->pair_count, sizeof *w->pairs, compare_pairs);
}

/* Those of x that are not in y; both ascend. */
static uint64_t difference(const bvp_broad_pair *x, uint64_t x_count, const bvp_broad_pair *y,
                           uint64_t y_count, bvp_broad_pair *out)
{
    uint64_t count = 0, k = 0;
    for (uint64_t i = 0; i < x_count; i++) {
        while (k < y_count && compare_pairs(&y[k], &x[i]) < 0)
            k++;
        if (k == y_count || compare_pairs(&y[k], &x[i]) != 0)
            out[count++] = x[i];
    }
    return count;
}

static void check_equal(const bvp_broad_pair *given, uint64_t count, const bvp_broad_pair *expected,
                        uint64_t expected_count)
{
    ck_assert_uint_eq(count, expected_count);
    ck_assert(count == 0 || memcmp(given, expected, count * sizeof *given) == 0);
}

/* Updates both and compares what they say with brute force. */
static void check_update(world *w)
{
    bvp_broad *both[2] = {w->broad, w->baseline};
    find_all(w);
    const uint64_t begun = difference(w->pairs, w->pair_count, w->old, w->old_count, w->got);
    const uint64_t ended = difference(w->old, w->old_count, w->pairs, w->pair_count, w->lost);
    for (int k = 0; k < 2; k++) {
        bvp_broad_changes changes;
        const bvp_broad_pair *pairs;
        uint64_t count;
        ck_assert_int_eq(bvp_broad_update(both[k], &changes), BVP_OK);
        ck_assert_int_eq(bvp_broad_pairs(both[k], &pairs, &count), BVP_OK);
        check_equal(pairs, count, w->pairs, w->pair_count);
        check_equal(changes.begun, changes.begun_count, w->got, begun);
        check_equal(changes.ended, changes.ended_count, w->lost, ended);
    }
    w->begun += begun;
    w->ended += ended;
}

/* ---- one against all ------------------------------------------------------------------------- */

static void check_found(const world *w, const double lo[3], const double hi[3],
                        const bvp_broad_id *found, uint64_t count)
{
    uint64_t expected = 0, missing = 0;
    for (int i = 0; i < BODIES; i++) {
        const known_body *at = &w->bodies[i];
        if (at->id == 0 || !(at->lo[0] <= at->hi[0]) || !boxes_meet(at->lo, at->hi, lo, hi))
            continue;
        expected++;
        uint64_t k = 0;
        while (k < count && found[k] != at->id)
            k++;
        missing += k == count;
    }
    ck_assert_uint_eq(missing, 0);
    ck_assert_uint_eq(count, expected);
}

static void check_asked(world *w, uint64_t *state)
{
    static bvp_broad_id found[BODIES], again[BODIES];
    uint64_t count, again_count;
    double lo[3], hi[3], m[12];
    for (int i = 0; i < 3; i++) {
        const double x = w->size * case_uniform(state), y = w->size * case_uniform(state);
        lo[i] = case_random(state) % 8 == 0 ? -INFINITY : fmin(x, y);
        hi[i] = case_random(state) % 8 == 0 ? INFINITY : fmax(x, y);
    }
    ck_assert_int_eq(bvp_broad_in_box(w->broad, lo, hi, found, BODIES, &count), BVP_OK);
    ck_assert_int_eq(bvp_broad_in_box(w->baseline, lo, hi, again, BODIES, &again_count), BVP_OK);
    check_found(w, lo, hi, found, count);
    ck_assert_uint_eq(count, again_count);
    ck_assert(count == 0 || memcmp(found, again, count * sizeof *found) == 0);
    if (count > 0) {
        ck_assert_int_eq(bvp_broad_in_box(w->broad, lo, hi, again, count - 1, &again_count),
                         BVP_ERR_LIMIT);
        ck_assert_uint_eq(again_count, count - 1);
    }
    random_spot(w, state, m);
    const bvp_body body = {.file = w->file.file, .part = 2, .placement = m};
    const bvp_broad_body added = {.body = body};
    bvp_broad_id id;
    ck_assert_int_eq(bvp_broad_near(w->broad, &body, found, BODIES, &count), BVP_OK);
    ck_assert_int_eq(bvp_broad_add(w->broad, &added, &id), BVP_OK);
    ck_assert_int_eq(bvp_broad_box(w->broad, id, lo, hi), BVP_OK);
    check_found(w, lo, hi, found, count);
    /* and out again, with the same numbers used in both */
    ck_assert_int_eq(bvp_broad_add(w->baseline, &added, &id), BVP_OK);
    ck_assert_int_eq(bvp_broad_remove(w->broad, id), BVP_OK);
    ck_assert_int_eq(bvp_broad_remove(w->baseline, id), BVP_OK);
}

/* ---- steps ----------------------------------------------------------------------------------- */

typedef enum step { COME, GO, REPLACE, CREEP, JUMP, FLUSH, STEPS_OF } step;

/* On a grid of steps of the unit cube, shifted by an ulp up or down at times: faces touch, or just
 * do not. */
static void stand_flush(world *w, uint64_t *state, known_body *at)
{
    memcpy(at->placement, identity, sizeof identity);
    for (int i = 0; i < 3; i++) {
        double *x = &at->placement[4 * i + 3];
        *x = floor(w->size * case_uniform(state)) * (1 + w->margin);
        if (case_random(state) % 2 == 0)
            *x = nextafter(*x, case_random(state) % 2 == 0 ? INFINITY : -INFINITY);
    }
}

static void change_body(world *w, uint64_t *state, known_body *at, step what)
{
    if (at->id == 0) {
        if (what == COME)
            put_body(w, state, at, true);
        return;
    }
    switch (what) {
    case GO:
        remove_body(w, at);
        return;
    case REPLACE:
        put_body(w, state, at, false);
        return;
    case CREEP:
        for (int i = 0; i < 3; i++)
            at->placement[4 * i + 3] += 0.02 * (case_uniform(state) - 0.5);
        break;
    case JUMP:
        random_spot(w, state, at->placement);
        break;
    case FLUSH:
        stand_flush(w, state, at);
        break;
    default:
        return;
    }
    move_body(w, at);
}

static void run_steps(double margin, double size)
{
    uint64_t state = case_seed();
    world *w = make_world(&state, margin, size);
    for (int k = 0; k < BODIES / 2; k++)
        put_body(w, &state, &w->bodies[k], true);
    check_update(w);
    for (int k = 0; k < STEPS; k++) {
        /* one body, some or all, and of several sorts of change one or all */
        static const double shares[4] = {0.003, 0.03, 0.3, 1};
        const double share = shares[case_random(&state) % 4];
        const uint64_t what = case_random(&state) % (STEPS_OF + 1);
        for (int i = 0; i < BODIES; i++)
            if (case_uniform(&state) < share)
                change_body(w, &state, &w->bodies[i],
                            what == STEPS_OF ? (step)(case_random(&state) % STEPS_OF) : (step)what);
        check_update(w);
        check_asked(w, &state);
        if (k % 3 == 0)
            check_update(w);
    }
    printf("%u pairs began, %u ended\n", (unsigned)w->begun, (unsigned)w->ended);
    ck_assert_uint_gt(w->begun, 100);
    ck_assert_uint_gt(w->ended, 100);
    free_world(w);
}

START_TEST(sparse)
{
    run_steps(0, 40);
}
END_TEST

START_TEST(sparse_with_margin)
{
    run_steps(0.25, 60);
}
END_TEST

START_TEST(dense)
{
    run_steps(0, 6);
}
END_TEST

/* All moved by one call, each at its own pace; one in four stands still. Most steps do without a
 * pass over all bodies. */
START_TEST(steady_motion)
{
    static double velocity[BODIES][3], places[BODIES][12];
    static bvp_broad_id ids[BODIES];
    uint64_t state = case_seed(), moved;
    world *w = make_world(&state, 0.1, 30);
    int passes = 0;
    enum { ROUNDS = 150 };
    for (int k = 0; k < BODIES; k++) {
        put_body(w, &state, &w->bodies[k], true);
        ids[k] = w->bodies[k].id;
        for (int i = 0; i < 3; i++)
            velocity[k][i] = k % 4 == 0 ? 0 : 0.08 * (case_uniform(&state) - 0.5);
    }
    check_update(w);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < BODIES; k++) {
            for (int i = 0; i < 3; i++)
                w->bodies[k].placement[4 * i + 3] += velocity[k][i];
            memcpy(places[k], w->bodies[k].placement, sizeof places[k]);
        }
        const double(*at)[12] = (const double(*)[12])places;
        ck_assert_int_eq(bvp_broad_move_all(w->broad, ids, at, BODIES, &moved), BVP_OK);
        ck_assert_uint_eq(moved, BODIES);
        ck_assert_int_eq(bvp_broad_move_all(w->baseline, ids, at, BODIES, &moved), BVP_OK);
        for (int k = 0; k < BODIES; k++)
            note_body(w, &w->bodies[k]);
        check_update(w);
        passes += w->broad->fattening.all_at + 1 == w->broad->fattening.step;
        if (round % 10 == 0)
            check_asked(w, &state);
        if (round % 10 == 0)
            check_update(w);
    }
    ck_assert_uint_gt(w->begun, 300);
    ck_assert_int_lt(passes, ROUNDS / 3);
    free_world(w);
}
END_TEST

/* Many at once and one by one: the same boxes, also by placements that are not plain. */
START_TEST(moved_together_or_alone)
{
    enum { COUNT = 64 };
    uint64_t state = case_seed(), moved;
    case_file f = make_file(&state);
    static double places[COUNT][12];
    bvp_broad_id ids[COUNT], others[COUNT];
    double lo[3], hi[3], other_lo[3], other_hi[3];
    bvp_broad *broad, *other;
    ck_assert_int_eq(bvp_broad_new(&(bvp_broad_options){.margin = 0.5}, &broad), BVP_OK);
    ck_assert_int_eq(bvp_broad_new(&(bvp_broad_options){.margin = 0.5, .baseline_simd = 1}, &other),
                     BVP_OK);
    for (uint32_t k = 0; k < COUNT; k++) {
        const bvp_broad_body body = {
            .body = {.file = f.file, .part = k % 5 == 4 ? BVP_ASSEMBLY : k % PARTS}};
        ck_assert_int_eq(bvp_broad_add(broad, &body, &ids[k]), BVP_OK);
        ck_assert_int_eq(bvp_broad_add(other, &body, &others[k]), BVP_OK);
        random_place(&state, places[k]);
        if (k % 3 == 0) /* far from plain, and still no singular one */
            for (int i = 0; i < 3; i++)
                places[k][4 * i] *= 0x1p-40;
    }
    const double(*at)[12] = (const double(*)[12])places;
    ck_assert_int_eq(bvp_broad_move_all(broad, ids, at, COUNT, &moved), BVP_OK);
    ck_assert_uint_eq(moved, COUNT);
    for (uint32_t k = 0; k < COUNT; k++) {
        ck_assert_int_eq(bvp_broad_move(other, others[k], places[k]), BVP_OK);
        ck_assert_int_eq(bvp_broad_box(broad, ids[k], lo, hi), BVP_OK);
        ck_assert_int_eq(bvp_broad_box(other, others[k], other_lo, other_hi), BVP_OK);
        ck_assert_mem_eq(lo, other_lo, sizeof lo);
        ck_assert_mem_eq(hi, other_hi, sizeof hi);
    }
    /* the first that cannot be moved, and those after it, stay */
    memset(places[40], 0, sizeof places[40]);
    places[39][3] += 1;
    places[41][3] += 1;
    ck_assert_int_eq(bvp_broad_move_all(broad, ids, at, COUNT, &moved), BVP_ERR_ARGUMENT);
    ck_assert_uint_eq(moved, 40);
    bvp_broad_box(broad, ids[39], lo, hi);
    bvp_broad_box(other, others[39], other_lo, other_hi);
    ck_assert_double_gt(lo[0], other_lo[0]);
    bvp_broad_box(broad, ids[41], lo, hi);
    bvp_broad_box(other, others[41], other_lo, other_hi);
    ck_assert_mem_eq(lo, other_lo, sizeof lo);
    ck_assert_int_eq(bvp_broad_move_all(broad, NULL, at, 1, &moved), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_move_all(broad, ids, NULL, 1, &moved), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_move_all(broad, ids, at, 1, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_move_all(NULL, ids, at, 0, &moved), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_move_all(broad, NULL, NULL, 0, &moved), BVP_OK);
    bvp_broad_free(broad);
    bvp_broad_free(other);
    case_close(&f);
}
END_TEST

/* Two broad phases of the same bodies: the same pairs. */
static void expect_same_pairs(bvp_broad *broad, bvp_broad *other)
{
    const bvp_broad_pair *pairs, *expected;
    uint64_t count, expected_count;
    ck_assert_int_eq(bvp_broad_update(broad, NULL), BVP_OK);
    ck_assert_int_eq(bvp_broad_update(other, NULL), BVP_OK);
    ck_assert_int_eq(bvp_broad_pairs(broad, &pairs, &count), BVP_OK);
    ck_assert_int_eq(bvp_broad_pairs(other, &expected, &expected_count), BVP_OK);
    check_equal(pairs, count, expected, expected_count);
}

/* The same boxes, places and notes. */
static void expect_same_bodies(const bvp_broad *broad, const bvp_broad *other,
                               const bvp_broad_id *ids, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        double box[6], expected[6];
        bvp_broad_body body, twin;
        ck_assert_int_eq(bvp_broad_box(broad, ids[k], box, box + 3), BVP_OK);
        ck_assert_int_eq(bvp_broad_box(other, ids[k], expected, expected + 3), BVP_OK);
        ck_assert_mem_eq(box, expected, sizeof box);
        ck_assert_int_eq(bvp_broad_get(broad, ids[k], &body), BVP_OK);
        ck_assert_int_eq(bvp_broad_get(other, ids[k], &twin), BVP_OK);
        ck_assert_mem_eq(body.body.placement, twin.body.placement, sizeof(double[12]));
    }
    ck_assert_uint_eq(broad->left_count, other->left_count);
    ck_assert_uint_eq(broad->moved_count, other->moved_count);
}

/* Many that move little, four of them at once where they are neighbours, and the same one by one.
 * In most rounds one is in the way of its neighbours: it leaves its fat box, is not plain, is named
 * twice, or is none. */
static void run_fours(case_file *f, uint64_t *state, int is_baseline)
{
    enum { COUNT = 203, ROUNDS = 60 };
    static double places[COUNT][12];
    static bvp_broad_id ids[COUNT], named[COUNT];
    const bvp_broad_options options = {.margin = 0.1 * is_baseline, .baseline_simd = is_baseline};
    bvp_broad *broad, *other;
    uint64_t moved, at_once = 0;
    ck_assert_int_eq(bvp_broad_new(&options, &broad), BVP_OK);
    ck_assert_int_eq(bvp_broad_new(&options, &other), BVP_OK);
    for (uint32_t k = 0; k < COUNT; k++) {
        const uint32_t part = k % 50 == 49 ? BVP_ASSEMBLY : k % (PARTS - 1);
        random_place(state, places[k]);
        const bvp_broad_body body = {
            .body = {.file = f->file, .part = part, .placement = places[k]}};
        ck_assert_int_eq(bvp_broad_add(broad, &body, &ids[k]), BVP_OK);
        ck_assert_int_eq(bvp_broad_add(other, &body, &named[k]), BVP_OK);
        ck_assert_uint_eq(named[k], ids[k]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t odd = (uint32_t)(case_random(state) % COUNT);
        expect_same_pairs(broad, other);
        memcpy(named, ids, sizeof named);
        for (uint32_t k = 0; k < COUNT; k++)
            places[k][4 * (k % 3) + 3] += 0.001 * (1 + k % 7);
        switch (round % 6) {
        case 1:
            places[odd][3] += 3;
            break;
        case 2:
            places[odd][0] *= 0x1p-40;
            break;
        case 3:
            named[odd] = named[odd / 2];
            break;
        case 4:
            named[odd] += 1;
            break;
        case 5:
            named[odd] &= ~(uint64_t)UINT32_MAX;
            break;
        default:
            break;
        }
        const bool is_bad = round % 6 >= 4;
        const double(*at)[12] = (const double(*)[12])places;
        ck_assert_int_eq(bvp_broad_move_all(broad, named, at, COUNT, &moved),
                         is_bad ? BVP_ERR_ARGUMENT : BVP_OK);
        ck_assert_uint_eq(moved, is_bad ? odd : COUNT);
        for (uint32_t k = 0; k < moved; k++)
            ck_assert_int_eq(bvp_broad_move(other, named[k], places[k]), BVP_OK);
        expect_same_bodies(broad, other, ids, COUNT);
        at_once += broad->left_count == 0;
    }
    ck_assert_uint_gt(at_once, ROUNDS / 6);
    bvp_broad_free(broad);
    bvp_broad_free(other);
}

START_TEST(four_at_once_or_alone)
{
    uint64_t state = case_seed();
    case_file f = make_file(&state);
    run_fours(&f, &state, 0);
    run_fours(&f, &state, 1);
    case_close(&f);
}
END_TEST

/* All in a row, and one of them far away from all. */
START_TEST(flat_and_far)
{
    uint64_t state = case_seed();
    world *w = make_world(&state, 0, 300);
    for (int k = 0; k < BODIES; k++)
        put_body(w, &state, &w->bodies[k], true);
    for (int round = 0; round < 20; round++) {
        for (int k = 0; k < BODIES; k++) {
            known_body *at = &w->bodies[k];
            for (int i = 0; i < 3; i++)
                at->placement[4 * i + 3] = i == round % 3 ? 300 * case_uniform(&state) : 1;
            if (k == round)
                at->placement[4 * (round % 3) + 3] = round % 2 == 0 ? 1e9 : -1e25;
            move_body(w, at);
        }
        check_update(w);
        check_asked(w, &state);
        check_update(w);
    }
    free_world(w);
}
END_TEST

/* ---- names, arguments, limits ---------------------------------------------------------------- */

START_TEST(names_are_not_used_again)
{
    uint64_t state = case_seed();
    case_file f = make_file(&state);
    const bvp_broad_body body = {.body = {.file = f.file, .part = 0}, .user = &f};
    bvp_broad *broad;
    bvp_broad_body got;
    bvp_broad_id id, seen[100];
    double lo[3], hi[3];
    ck_assert_int_eq(bvp_broad_new(NULL, &broad), BVP_OK);
    for (int k = 0; k < 100; k++) {
        ck_assert_int_eq(bvp_broad_add(broad, &body, &id), BVP_OK);
        for (int i = 0; i < k; i++) {
            ck_assert_uint_ne(seen[i], id);
            ck_assert_int_eq(bvp_broad_get(broad, seen[i], &got), BVP_ERR_ARGUMENT);
        }
        seen[k] = id;
        ck_assert_int_eq(bvp_broad_get(broad, id, &got), BVP_OK);
        ck_assert_ptr_eq(got.user, &f);
        ck_assert_ptr_null(got.body.placement);
        ck_assert_int_eq(bvp_broad_remove(broad, id), BVP_OK);
        ck_assert_int_eq(bvp_broad_remove(broad, id), BVP_ERR_ARGUMENT);
        ck_assert_int_eq(bvp_broad_replace(broad, id, &body), BVP_ERR_ARGUMENT);
        ck_assert_int_eq(bvp_broad_box(broad, id, lo, hi), BVP_ERR_ARGUMENT);
        if (k % 3 == 0)
            ck_assert_int_eq(bvp_broad_update(broad, NULL), BVP_OK);
    }
    const bvp_broad_id never[] = {0, 1, UINT64_MAX, (uint64_t)BVP_NONE << 32 | 1};
    for (size_t k = 0; k < sizeof never / sizeof never[0]; k++)
        ck_assert_int_eq(bvp_broad_move(broad, never[k], NULL), BVP_ERR_ARGUMENT);
    bvp_broad_free(broad);
    case_close(&f);
}
END_TEST

/* What is refused changes nothing. */
START_TEST(bad_arguments)
{
    uint64_t state = case_seed();
    case_file f = make_file(&state);
    const double nan_at[12] = {1, 0, 0, NAN, 0, 1, 0, 0, 0, 0, 1, 0};
    const double singular[12] = {1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0};
    const double far[12] = {1, 0, 0, 0x1p101, 0, 1, 0, 0, 0, 0, 1, 0};
    const bvp_filter unsound = {NULL, 1, 0};
    const bvp_broad_body good = {.body = {.file = f.file, .part = 0}};
    const bvp_broad_body bad[] = {
        {.body = {.file = NULL, .part = 0}},
        {.body = {.file = f.file, .part = PARTS}},
        {.body = {.file = f.file, .part = 0, .placement = nan_at}},
        {.body = {.file = f.file, .part = 0, .placement = singular}},
        {.body = {.file = f.file, .part = 0, .filter = &unsound}},
        {.body = {.file = f.file, .part = BVP_ASSEMBLY, .filter = &unsound}},
    };
    bvp_broad *broad;
    bvp_broad_id id, other;
    uint64_t count;
    double lo[3], hi[3], lo_after[3], hi_after[3];
    const double margins[] = {-1, NAN, INFINITY, 0x1p101};
    for (size_t k = 0; k < sizeof margins / sizeof margins[0]; k++)
        ck_assert_int_eq(bvp_broad_new(&(bvp_broad_options){.margin = margins[k]}, &broad),
                         BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_new(&(bvp_broad_options){.reserved = {0, 1}}, &broad),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_new(NULL, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_new(NULL, &broad), BVP_OK);
    ck_assert_int_eq(bvp_broad_add(broad, &good, &id), BVP_OK);
    ck_assert_int_eq(bvp_broad_box(broad, id, lo, hi), BVP_OK);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        ck_assert_int_eq(bvp_broad_add(broad, &bad[k], &other), BVP_ERR_ARGUMENT);
        ck_assert_uint_eq(other, 0);
        ck_assert_int_eq(bvp_broad_replace(broad, id, &bad[k]), BVP_ERR_ARGUMENT);
    }
    ck_assert_int_eq(bvp_broad_move(broad, id, nan_at), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_move(broad, id, singular), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_move(broad, id, far), BVP_ERR_LIMIT);
    ck_assert_int_eq(bvp_broad_box(broad, id, lo_after, hi_after), BVP_OK);
    ck_assert_mem_eq(lo, lo_after, sizeof lo);
    ck_assert_mem_eq(hi, hi_after, sizeof hi);
    /* before an update nothing can be asked */
    ck_assert_int_eq(bvp_broad_in_box(broad, lo, hi, &other, 1, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_near(broad, &good.body, &other, 1, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_update(broad, NULL), BVP_OK);
    ck_assert_int_eq(bvp_broad_in_box(broad, lo, hi, &other, 1, &count), BVP_OK);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(other, id);
    lo[1] = NAN;
    ck_assert_int_eq(bvp_broad_in_box(broad, lo, hi, &other, 1, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_near(broad, &bad[2].body, &other, 1, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_broad_update(NULL, NULL), BVP_ERR_ARGUMENT);
    bvp_broad_free(broad);
    bvp_broad_free(NULL);
    case_close(&f);
}
END_TEST

/* A body given by what bvp_broad_get points to, whose memory the call may move. */
START_TEST(a_body_may_be_copied)
{
    uint64_t state = case_seed();
    case_file f = make_file(&state);
    double m[12], lo[3], hi[3], other_lo[3], other_hi[3];
    random_place(&state, m);
    bvp_broad_body body = {.body = {.file = f.file, .part = 1, .placement = m}};
    bvp_broad *broad;
    bvp_broad_id first, id;
    ck_assert_int_eq(bvp_broad_new(NULL, &broad), BVP_OK);
    ck_assert_int_eq(bvp_broad_add(broad, &body, &first), BVP_OK);
    ck_assert_int_eq(bvp_broad_box(broad, first, lo, hi), BVP_OK);
    for (int k = 0; k < 200; k++) {
        ck_assert_int_eq(bvp_broad_get(broad, first, &body), BVP_OK);
        ck_assert_int_eq(bvp_broad_add(broad, &body, &id), BVP_OK);
        ck_assert_int_eq(bvp_broad_get(broad, id, &body), BVP_OK);
        ck_assert_mem_eq(body.body.placement, m, sizeof m);
        ck_assert_int_eq(bvp_broad_box(broad, id, other_lo, other_hi), BVP_OK);
        ck_assert_mem_eq(lo, other_lo, sizeof lo);
        ck_assert_mem_eq(hi, other_hi, sizeof hi);
    }
    bvp_broad_free(broad);
    case_close(&f);
}
END_TEST

/* All in one place: more pairs than are allowed; fewer bodies, and it goes on. */
START_TEST(too_many_pairs)
{
    uint64_t state = case_seed();
    case_file f = make_file(&state);
    const bvp_broad_body body = {.body = {.file = f.file, .part = 0}};
    const bvp_broad_options options = {.pair_limit = 45};
    bvp_broad_id ids[40];
    bvp_broad_changes changes;
    bvp_broad *broad;
    ck_assert_int_eq(bvp_broad_new(&options, &broad), BVP_OK);
    for (int k = 0; k < 40; k++)
        ck_assert_int_eq(bvp_broad_add(broad, &body, &ids[k]), BVP_OK);
    for (int k = 39; k >= 10; k--) {
        ck_assert_int_eq(bvp_broad_update(broad, &changes), BVP_ERR_LIMIT);
        ck_assert_uint_eq(changes.begun_count, 0);
        ck_assert_int_eq(bvp_broad_remove(broad, ids[k]), BVP_OK);
    }
    ck_assert_int_eq(bvp_broad_update(broad, &changes), BVP_OK);
    ck_assert_uint_eq(changes.begun_count, 45);
    ck_assert_uint_eq(changes.ended_count, 0);
    bvp_broad_free(broad);
    case_close(&f);
}
END_TEST

/* Bodies that touch are pairs: queries of the bodies that bvp_broad_get gives find nothing else. */
START_TEST(touching_bodies_are_pairs)
{
    uint64_t state = case_seed();
    world *w = make_world(&state, 0, 7);
    uint64_t touching = 0, missed = 0;
    for (int k = 0; k < 150; k++)
        put_body(w, &state, &w->bodies[k], true);
    check_update(w);
    for (int i = 0; i < 150; i++)
        for (int k = i + 1; k < 150; k++) {
            bvp_broad_body a, b;
            int hit;
            ck_assert_int_eq(bvp_broad_get(w->broad, w->bodies[i].id, &a), BVP_OK);
            ck_assert_int_eq(bvp_broad_get(w->broad, w->bodies[k].id, &b), BVP_OK);
            ck_assert_int_eq(bvp_collide(&a.body, &b.body, &hit, NULL), BVP_OK);
            touching += hit != 0;
            missed += hit != 0 && !boxes_meet(w->bodies[i].lo, w->bodies[i].hi, w->bodies[k].lo,
                                              w->bodies[k].hi);
        }
    ck_assert_uint_gt(touching, 10);
    ck_assert_uint_eq(missed, 0);
    free_world(w);
}
END_TEST

SUITE(test_broad)
{
    const TTest *const tests[] = {sparse,
                                  sparse_with_margin,
                                  dense,
                                  steady_motion,
                                  moved_together_or_alone,
                                  four_at_once_or_alone,
                                  flat_and_far,
                                  names_are_not_used_again,
                                  bad_arguments,
                                  a_body_may_be_copied,
                                  too_many_pairs,
                                  touching_bodies_are_pairs,
                                  NULL};
    return suite_run("broad", tests);
}
