/* SPDX-License-Identifier: MIT
 * test_range.c: whole queries at all sizes that coordinates may have, by every kind of hierarchy,
 * against exact arithmetic. BVP_SEED, BVP_RANGE_PAIRS: so many pairs of triangles at least.
 */
#define _GNU_SOURCE
#include "binary_cases.h"
#include "bvpack.h"
#include "oracle_gmp.h"
#include "range_cases.h"
#include "range_oracle.h"
#include "suite.h"

#include <float.h>

enum { PARTS = 8, ASKED = 48, ROUTES = 1 + WAYS };

/* A file of several parts, asked in several ways. */
typedef struct batch {
    range_mesh mesh[PARTS];
    uint32_t part[PARTS];
    bytes file;
    bvp_file *by[ROUTES];
} batch;

/* Two placed parts, and what is true of them. */
typedef struct scene {
    const range_mesh *a, *b;
    double ma[12], mb[12];
    int world;
    range_tri placed_a[RANGE_TRIANGLES], placed_b[RANGE_TRIANGLES];
    uint8_t meet[RANGE_TRIANGLES][RANGE_TRIANGLES];
    uint64_t meeting;
    bvp_body body_a, body_b;
    const char *how;
} scene;

static uint64_t pair_count, wrong_count, meeting_count, query_count, seed_of_batch;

/* ---- failures ---------------------------------------------------------------------------------
 */

static void complain(const scene *s, const char *what, double value)
{
    static double last = -1;
    wrong_count++;
    if (last == s->ma[0] + s->mb[1] || wrong_count > 3000)
        return;
    last = s->ma[0] + s->mb[1];
    fprintf(stderr, "batch %#llx, %s: %s (%a), world 2^%d, scales 2^%d %d %d and 2^%d %d %d\n",
            (unsigned long long)seed_of_batch, s->how, what, value, s->world, s->a->scale[0],
            s->a->scale[1], s->a->scale[2], s->b->scale[0], s->b->scale[1], s->b->scale[2]);
}

static void expect(const scene *s, bool is, const char *what, double value)
{
    if (!is)
        complain(s, what, value);
}

/* ---- batches ----------------------------------------------------------------------------------
 */

static void batch_init(batch *batch)
{
    bvp_hierarchy_spec specs[KINDS];
    const uint32_t leaf_size = 1 + (uint32_t)case_int(8);
    for (int k = 0; k < KINDS; k++)
        specs[k] = (bvp_hierarchy_spec){.kind = kinds[k], .leaf_size = leaf_size};
    const bvp_build_options options = {.thread_count = 1,
                                       .leaf_size = leaf_size,
                                       .hierarchies = specs,
                                       .hierarchy_count = KINDS,
                                       .deformable = 0};
    bvp_builder *builder;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (int k = 0; k < PARTS; k++) {
        range_mesh *mesh = &batch->mesh[k];
        range_make(mesh);
        const bvp_mesh soup = {
            .positions = mesh->tri, .vertex_count = 3 * mesh->count, .triangle_count = mesh->count};
        bvp_error error = {0};
        bvp_status status = bvp_builder_add_part(builder, &soup, &batch->part[k], &error);
        ck_assert_msg(status == BVP_OK, "%s", error.message);
    }
    batch->file = finish(builder);
    const int baseline = case_int(2);
    batch->by[0] = open_by(&batch->file, BVP_KIND_WIDE, BVP_TEST_DEFAULT, baseline);
    for (int k = 0; k < WAYS; k++)
        batch->by[1 + k] = open_by(&batch->file, ways[k].kind, ways[k].test, baseline);
}

static void batch_free(batch *batch)
{
    for (int k = 0; k < ROUTES; k++)
        bvp_close(batch->by[k]);
    free(batch->file.data);
}

/* ---- what is true -----------------------------------------------------------------------------
 */

static void scene_init(scene *s, const batch *batch)
{
    const int i = case_int(PARTS), j = case_int(PARTS);
    *s = (scene){.a = &batch->mesh[i], .b = &batch->mesh[j]};
    range_place_pair(s->a, s->b, s->ma, s->mb, &s->world);
    s->body_a = (bvp_body){.part = batch->part[i], .placement = s->ma};
    s->body_b = (bvp_body){.part = batch->part[j], .placement = s->mb};
    for (uint64_t k = 0; k < s->a->count; k++)
        range_place(&s->placed_a[k], s->a->tri + 9 * k, s->ma);
    for (uint64_t k = 0; k < s->b->count; k++)
        range_place(&s->placed_b[k], s->b->tri + 9 * k, s->mb);
    for (uint64_t k = 0; k < s->a->count; k++)
        for (uint64_t l = 0; l < s->b->count; l++) {
            s->meet[k][l] = (uint8_t)range_meet(&s->placed_a[k], &s->placed_b[l]);
            s->meeting += s->meet[k][l] != 0;
        }
    pair_count += s->a->count * s->b->count;
    meeting_count += s->meeting;
}

/* ---- pairs ------------------------------------------------------------------------------------
 */

static void check_pairs(const scene *s)
{
    static bvp_pair found[RANGE_TRIANGLES * RANGE_TRIANGLES];
    uint64_t count = 0;
    int hit = -1;
    expect(s, bvp_collide(&s->body_a, &s->body_b, &hit, NULL) == BVP_OK, "collide fails", 0);
    expect(s, hit == (s->meeting != 0), "collide", hit);
    expect(s,
           bvp_pairs(&s->body_a, &s->body_b, found, sizeof found / sizeof *found, &count, NULL) ==
               BVP_OK,
           "pairs fail", 0);
    expect(s, count == s->meeting, "number of pairs", (double)count - (double)s->meeting);
    for (uint64_t k = 0; k < count; k++) {
        const uint8_t bits = s->meet[found[k].a.id][found[k].b.id];
        expect(s, bits != 0, "pair that does not meet", (double)k);
        expect(s, found[k].proper == (bits & ORACLE_PROPER) / ORACLE_PROPER, "proper",
               found[k].proper);
    }
}

/* ---- distances --------------------------------------------------------------------------------
 */

static bool all_at_least(const scene *s, double lo)
{
    for (uint64_t k = 0; k < s->a->count; k++)
        for (uint64_t l = 0; l < s->b->count; l++)
            if (!range_at_least(&s->placed_a[k], &s->placed_b[l], lo))
                return false;
    return true;
}

/* Is the distance result true? */
static void check_result(const scene *s, const bvp_distance_result *r, const char *what)
{
    if (s->meeting != 0) {
        expect(s, r->distance == 0 && r->lower == 0, what, r->distance);
        return;
    }
    expect(s, r->distance > 0 && r->lower >= 0 && r->lower <= r->distance, what, r->distance);
    expect(s, range_at_most(&s->placed_a[r->a.id], &s->placed_b[r->b.id], r->distance),
           "distance below the truth", r->distance);
    expect(s, all_at_least(s, r->lower), "lower above the truth", r->lower);
}

static void check_distance(const scene *s)
{
    bvp_distance_result r = {0};
    expect(s, bvp_distance(&s->body_a, &s->body_b, INFINITY, &r, NULL) == BVP_OK, "distance fails",
           0);
    expect(s, r.found == 1, "no distance found", 0);
    if (!r.found)
        return;
    check_result(s, &r, "distance");
    const double factor[4] = {1, 1 + 0x1p-40, 1 - 0x1p-20, 2};
    const double delta = r.distance * factor[case_int(4)];
    bvp_distance_result w = {0};
    int within = -1;
    expect(s, bvp_within(&s->body_a, &s->body_b, delta, &within, &w, NULL) == BVP_OK,
           "within fails", delta);
    if (delta >= r.distance)
        expect(s, within == 1, "not within what it is", delta);
    else if (delta < r.lower)
        expect(s, within == 0, "within what it is not", delta);
}

static void check_scene(scene *s, const batch *batch)
{
    static const char *const names[ROUTES] = {
        "wide",     "boxtree sat", "boxtree lite", "boxtree aligned", "boxtree lookup",
        "aabb sat", "aabb lite",   "obb sat",      "obb lite",        "rss"};
    for (int k = 0; k < ROUTES; k++) {
        s->body_a.file = s->body_b.file = batch->by[k];
        s->how = names[k];
        check_pairs(s);
        check_distance(s);
        query_count += 4;
    }
}

START_TEST(queries_are_right_at_all_sizes)
{
    static batch batch;
    static scene scene;
    const char *text = getenv("BVP_RANGE_PAIRS");
    const uint64_t pairs = text ? strtoull(text, NULL, 0) : 60000;
    case_seed(1);
    while (pair_count < pairs) {
        seed_of_batch = case_state;
        batch_init(&batch);
        for (int k = 0; k < ASKED; k++) {
            scene_init(&scene, &batch);
            check_scene(&scene, &batch);
        }
        batch_free(&batch);
    }
    printf(
        "%llu pairs of triangles, %llu meet, %llu queries, %llu asked of rationals, %llu wrong\n",
        (unsigned long long)pair_count, (unsigned long long)meeting_count,
        (unsigned long long)query_count, (unsigned long long)range_exact_count,
        (unsigned long long)wrong_count);
    ck_assert_uint_eq(wrong_count, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {queries_are_right_at_all_sizes, NULL};
    return suite_run_within("range", 0, tests);
}
