/* SPDX-License-Identifier: MIT
 * test_far_instances.c: instances far from thousands of others, at one scale and at several: same
 * answers about the others as without them, for at most twice the work. BVP_SEED.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bvpack_clash.h"
#include "far_case.h"
#include "suite.h"

/* ---- with and without ------------------------------------------------------------------------ */

/* What a query did. */
static uint64_t work_of(const bvp_stats *s)
{
    return s->nodes + s->leaves + s->instance_pairs;
}

/* Nodes and leaves of two parts, where a distance looks for facing plates. It does so once it has
 * measured some pairs, and far instances may bring those of one pair of parts more. */
enum { LOOK = 64 };

/* far: of the file with far instances; each hierarchy may add a little, and a distance a look. */
static void check_work(const far_case *c, const char *what, bvp_stats *near, bvp_stats *far)
{
    const uint64_t look = strcmp(what, "distance") == 0 ? LOOK : 0;
    const uint64_t most = 2 * work_of(near) + 4 * c->trees + look;
    ck_assert_msg(work_of(far) <= most, "%s, %s: work %llu, without the far ones %llu", c->name,
                  what, (unsigned long long)work_of(far), (unsigned long long)work_of(near));
    *near = *far = (bvp_stats){0};
}

static void random_point(uint64_t *state, double out[3])
{
    for (int axis = 0; axis < 3; axis++)
        out[axis] = SPACING * SIDE * (1.2 * case_uniform(state) - .1);
}

static void check_same_pair(const bvp_distance_result *a, const bvp_distance_result *b)
{
    ck_assert_int_eq(a->found, b->found);
    if (!a->found)
        return;
    ck_assert(a->distance == b->distance && a->lower == b->lower);
    ck_assert(a->a.instance == b->a.instance && a->a.triangle == b->a.triangle);
    ck_assert(a->b.instance == b->b.instance && a->b.triangle == b->b.triangle);
}

typedef struct pair_sum {
    uint64_t count, hash;
} pair_sum;

static int add_pair(void *user, const bvp_pair *pair)
{
    pair_sum *sum = user;
    sum->count++;
    sum->hash += (pair->a.instance * UINT64_C(1000003) + pair->b.instance) * UINT64_C(1000003) +
                 pair->a.triangle * 64 + pair->b.triangle;
    return 0;
}

static void compare_pairs(const far_case *c, const bvp_body *near, const bvp_body *far,
                          const bvp_body *b)
{
    bvp_stats s[2] = {{0}, {0}};
    bvp_distance_result nearest[2];
    pair_sum sum[2] = {{0, 0}, {0, 0}};
    uint64_t count;
    int hit[2];
    ck_assert_int_eq(bvp_collide(near, b, &hit[0], &s[0]), BVP_OK);
    ck_assert_int_eq(bvp_collide(far, b, &hit[1], &s[1]), BVP_OK);
    ck_assert_int_eq(hit[0], hit[1]);
    check_work(c, "collide", &s[0], &s[1]);
    ck_assert_int_eq(bvp_collide(b, far, &hit[1], NULL), BVP_OK);
    ck_assert_int_eq(hit[0], hit[1]);
    ck_assert_int_eq(bvp_pairs_each(near, b, add_pair, &sum[0], &count, &s[0]), BVP_OK);
    ck_assert_int_eq(bvp_pairs_each(far, b, add_pair, &sum[1], &count, &s[1]), BVP_OK);
    ck_assert(sum[0].count == sum[1].count && sum[0].hash == sum[1].hash);
    check_work(c, "pairs", &s[0], &s[1]);
    ck_assert_int_eq(bvp_distance(near, b, INFINITY, &nearest[0], &s[0]), BVP_OK);
    ck_assert_int_eq(bvp_distance(far, b, INFINITY, &nearest[1], &s[1]), BVP_OK);
    check_same_pair(&nearest[0], &nearest[1]);
    check_work(c, "distance", &s[0], &s[1]);
    ck_assert_int_eq(bvp_within(near, b, .05, &hit[0], &nearest[0], &s[0]), BVP_OK);
    ck_assert_int_eq(bvp_within(far, b, .05, &hit[1], &nearest[1], &s[1]), BVP_OK);
    ck_assert_int_eq(hit[0], hit[1]);
    check_work(c, "within", &s[0], &s[1]);
}

static void check_same_hit(const bvp_ray_hit *a, const bvp_ray_hit *b)
{
    ck_assert_int_eq(a->found, b->found);
    if (a->found)
        ck_assert(a->t == b->t && a->id.instance == b->id.instance &&
                  a->id.triangle == b->id.triangle);
}

/* direction: of the far ones, or away from them: a ray that leaves the others may not meet them. */
static void compare_rays(const far_case *c, const bvp_body *near, const bvp_body *far,
                         uint64_t *state)
{
    bvp_ray ray = {.t_max = INFINITY};
    bvp_ray_hit first[2];
    bvp_stats s[2] = {{0}, {0}};
    int any[2];
    uint64_t count[2];
    random_point(state, ray.origin);
    for (int axis = 0; axis < 3; axis++)
        ray.direction[axis] = case_uniform(state) - .5;
    ray.direction[2] = fabs(ray.direction[2]) + .01; /* the far ones lie below, or go backward */
    ray.direction[1] = -ray.direction[1] * copysign(1, ray.direction[0] * ray.direction[1]);
    ck_assert_int_eq(bvp_ray_first(near, &ray, &first[0], &s[0]), BVP_OK);
    ck_assert_int_eq(bvp_ray_first(far, &ray, &first[1], &s[1]), BVP_OK);
    check_same_hit(&first[0], &first[1]);
    check_work(c, "ray", &s[0], &s[1]);
    ck_assert_int_eq(bvp_ray_any(near, &ray, &any[0], &s[0]), BVP_OK);
    ck_assert_int_eq(bvp_ray_any(far, &ray, &any[1], &s[1]), BVP_OK);
    ck_assert_int_eq(any[0], any[1]);
    check_work(c, "any", &s[0], &s[1]);
    ck_assert_int_eq(bvp_ray_all(near, &ray, NULL, NULL, &count[0], &s[0]), BVP_OK);
    ck_assert_int_eq(bvp_ray_all(far, &ray, NULL, NULL, &count[1], &s[1]), BVP_OK);
    ck_assert_uint_eq(count[0], count[1]);
    check_work(c, "all", &s[0], &s[1]);
}

static int note_hit(void *user, const bvp_hit_id *id)
{
    uint64_t *hash = user; /* of a sequence */
    *hash = *hash * UINT64_C(1000003) + id->instance * UINT64_C(64) + id->triangle + 1;
    return 0;
}

static void compare_points(const far_case *c, const bvp_body *near, const bvp_body *far,
                           uint64_t *state)
{
    enum { MOST = 64 };
    double point[3], hi[3];
    bvp_stats s[2] = {{0}, {0}};
    bvp_closest_result closest[2], nearest[2][5];
    uint64_t count[2], hash[2] = {0, 0};
    uint32_t instances[2][MOST];
    random_point(state, point);
    for (int axis = 0; axis < 3; axis++)
        hi[axis] = point[axis] + 1;
    ck_assert_int_eq(bvp_closest(near, point, INFINITY, &closest[0], &s[0]), BVP_OK);
    ck_assert_int_eq(bvp_closest(far, point, INFINITY, &closest[1], &s[1]), BVP_OK);
    ck_assert(closest[0].distance == closest[1].distance &&
              closest[0].id.instance == closest[1].id.instance);
    check_work(c, "closest", &s[0], &s[1]);
    ck_assert_int_eq(bvp_nearest_instances(near, point, INFINITY, (bvp_array){nearest[0], 0, 5},
                                           &count[0], &s[0]),
                     BVP_OK);
    ck_assert_int_eq(bvp_nearest_instances(far, point, INFINITY, (bvp_array){nearest[1], 0, 5},
                                           &count[1], &s[1]),
                     BVP_OK);
    for (int i = 0; i < 5; i++)
        ck_assert(nearest[0][i].id.instance == nearest[1][i].id.instance &&
                  nearest[0][i].distance == nearest[1][i].distance);
    check_work(c, "nearest instances", &s[0], &s[1]);
    ck_assert_int_eq(
        bvp_overlap(near, bvp_box_region(point, hi), note_hit, &hash[0], &count[0], &s[0]), BVP_OK);
    ck_assert_int_eq(
        bvp_overlap(far, bvp_box_region(point, hi), note_hit, &hash[1], &count[1], &s[1]), BVP_OK);
    ck_assert(count[0] == count[1] && hash[0] == hash[1]);
    check_work(c, "box", &s[0], &s[1]);
    for (int by_triangles = 0; by_triangles < 2; by_triangles++) {
        ck_assert_int_eq(bvp_instances_in(near, bvp_box_region(point, hi), by_triangles,
                                          (bvp_array){instances[0], 0, MOST}, &count[0], &s[0]),
                         BVP_OK);
        ck_assert_int_eq(bvp_instances_in(far, bvp_box_region(point, hi), by_triangles,
                                          (bvp_array){instances[1], 0, MOST}, &count[1], &s[1]),
                         BVP_OK);
        ck_assert_uint_eq(count[0], count[1]);
        ck_assert_int_eq(memcmp(instances[0], instances[1], count[0] * sizeof **instances), 0);
        check_work(c, "instances in a box", &s[0], &s[1]);
    }
    ck_assert_int_eq(
        bvp_overlap(near, bvp_ball_region(point, .7), note_hit, &hash[0], &count[0], &s[0]),
        BVP_OK);
    ck_assert_int_eq(
        bvp_overlap(far, bvp_ball_region(point, .7), note_hit, &hash[1], &count[1], &s[1]), BVP_OK);
    ck_assert(count[0] == count[1] && hash[0] == hash[1]);
    check_work(c, "ball", &s[0], &s[1]);
}

/* Near instances have the numbers that they have without the far ones. */
static void check_instances(const case_file *near, const case_file *far)
{
    for (uint32_t i = 0; i < NEAR; i++) {
        bvp_instance_info a, b;
        ck_assert_int_eq(bvp_get_instance(near->file, i, &a), BVP_OK);
        ck_assert_int_eq(bvp_get_instance(far->file, i, &b), BVP_OK);
        ck_assert_int_eq(memcmp(a.placement, b.placement, sizeof a.placement), 0);
    }
}

START_TEST(far_ones_change_neither_answers_nor_work)
{
    const far_case *c = &far_cases[_i];
    uint64_t state = case_seed();
    case_file near = far_file(state, NEAR, NULL, false), far = far_file(state, NEAR, c, false);
    const bvp_body a = far_whole(&near), b = far_whole(&far);
    bvp_file_info info;
    bvp_get_info(near.file, &info);
    ck_assert_uint_eq(info.instance_hierarchy_count, 1);
    bvp_get_info(far.file, &info);
    ck_assert_uint_eq(info.instance_hierarchy_count, c->trees);
    check_instances(&near, &far);
    for (int round = 0; round < ROUNDS; round++) {
        double m[12] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}, point[3];
        random_point(&state, point);
        for (int i = 0; i < 3; i++)
            m[4 * i + 3] = point[i];
        const bvp_body part = {.file = near.file, .part = 2, .placement = m};
        compare_pairs(c, &a, &b, &part);
        compare_rays(c, &a, &b, &state);
        compare_points(c, &a, &b, &state);
    }
    case_close(&near);
    case_close(&far);
}
END_TEST

/* ---- an assembly's own pairs ----------------------------------------------------------------- */

static int count_clash(void *user, const bvp_clash_pair *pair)
{
    pair_sum *sum = user;
    sum->count++;
    sum->hash += (pair->a * UINT64_C(1000003) + pair->b) * UINT64_C(31) + (uint64_t)pair->verdict;
    return 0;
}

static bool has_meeting_far_ones(const far_case *c)
{
    return c->trees == 3;
}

START_TEST(own_pairs)
{
    const far_case *c = &far_cases[_i];
    const uint64_t seed = case_seed();
    case_file near = far_file(seed, NEAR, NULL, false), far = far_file(seed, NEAR, c, false);
    const bvp_body a = far_whole(&near), b = far_whole(&far);
    const bvp_clash_options options = {.limits = {0, 1e-6, 1e-6}, .thread_count = 1};
    bvp_stats s[2] = {{0}, {0}};
    pair_sum sum[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    uint64_t count;
    ck_assert_int_eq(bvp_pairs_each(&a, NULL, add_pair, &sum[0], &count, &s[0]), BVP_OK);
    ck_assert_int_eq(bvp_pairs_each(&b, NULL, add_pair, &sum[1], &count, &s[1]), BVP_OK);
    ck_assert_uint_gt(sum[0].count, NEAR / 4);
    if (!has_meeting_far_ones(c))
        ck_assert(sum[0].count == sum[1].count && sum[0].hash == sum[1].hash);
    else
        ck_assert_uint_gt(sum[1].count, sum[0].count);
    check_work(c, "own pairs", &s[0], &s[1]);
    ck_assert_int_eq(
        bvp_clash(&(bvp_clash_scene){.a = near.file}, &options, count_clash, &sum[2], NULL, NULL),
        BVP_OK);
    ck_assert_int_eq(
        bvp_clash(&(bvp_clash_scene){.a = far.file}, &options, count_clash, &sum[3], NULL, NULL),
        BVP_OK);
    if (!has_meeting_far_ones(c))
        ck_assert(sum[2].count == sum[3].count && sum[2].hash == sum[3].hash);
    else
        ck_assert_uint_eq(sum[3].count, sum[2].count + 3);
    /* by default, too, the far ones do not make neighbours touch */
    const double gap[2] = {bvp_clash_touch_gap(near.file, NULL),
                           bvp_clash_touch_gap(far.file, NULL)};
    ck_assert_msg(gap[1] >= gap[0] * .99 && gap[1] < gap[0] * 1.01, "%g, %g", gap[0], gap[1]);
    case_close(&near);
    case_close(&far);
}
END_TEST

SUITE(test_far_instances)
{
    TCase *all = tcase_create("far instances");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, far_ones_change_neither_answers_nor_work, 0, FAR_CASES);
    tcase_add_loop_test(all, own_pairs, 0, FAR_CASES);
    return suite_run_case("far instances", all);
}
