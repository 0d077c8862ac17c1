/* SPDX-License-Identifier: MIT
 * test_far_instances.c: instances far from thousands of others, at one scale and at several: same
 * answers about the others as without them, for at most twice the work. BVP_SEED.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_case.h"
#include "bvpack_clash.h"
#include "exercise.h"
#include "format/record.h"
#include "repair.h"
#include "suite.h"

enum { SIDE = 14, NEAR = SIDE * SIDE * SIDE, FAR_MOST = 40, TRIANGLES = 12, ROUNDS = 60 };
#define SPACING 1.0

/* Where the others are, and how many hierarchies that makes. */
typedef struct far_case {
    const char *name;
    uint32_t count, trees;
    double x[FAR_MOST];
} far_case;

static const far_case cases[] = {{"1e7", 1, 2, {1e7}},
                                 {"1e15", 1, 2, {1e15}},
                                 {"1e30", 1, 2, {1e30}},
                                 {"either side", 2, 2, {-1e7, 1e7}},
                                 {"five scales", 5, 6, {1e6, 1e9, -3e14, 1e22, 1e30}},
                                 {"a group each", 6, 3, {1e8, 1e8 + 3, 1e8 + 6, 1e20, 1e20, 1e20}}};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- scenes ---------------------------------------------------------------------------------- */

static void add_part(bvp_builder *builder, uint64_t *state)
{
    uint32_t part;
    float *soup = case_soup(state, TRIANGLES, 1, .9);
    const bvp_mesh mesh = case_mesh(soup, TRIANGLES);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    free(soup);
}

static void add_node(bvp_builder *builder, uint32_t part, double x, double y, double z)
{
    const double m[12] = {.6, -.8, 0, x, .8, .6, 0, y, 0, 0, 1, z};
    ck_assert_int_eq(
        bvp_builder_add_node(
            builder, &(bvp_new_node){.parent = BVP_NONE, .placement = m, .part = part}, NULL, NULL),
        BVP_OK);
}

/* `near` instances in a heap; two of three parts, the third one is for asking. */
static case_file make(uint64_t seed, uint32_t near, const far_case *far, bool deformable)
{
    const bvp_hierarchy_spec aabb = {.kind = BVP_KIND_AABB};
    const bvp_build_options options = {
        .hierarchies = &aabb, .hierarchy_count = deformable, .deformable = deformable};
    bvp_builder *builder;
    uint64_t state = seed;
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (int i = 0; i < 3; i++)
        add_part(builder, &state);
    for (uint32_t i = 0; i < near; i++) {
        const double x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        add_node(builder, i & 1, SPACING * x + .2 * case_uniform(&state),
                 SPACING * y + .2 * case_uniform(&state), SPACING * z + .2 * case_uniform(&state));
    }
    for (uint32_t i = 0; far && i < far->count; i++)
        add_node(builder, i & 1, far->x[i], far->x[i] / 3, -far->x[i] / 7);
    return case_finish(builder);
}

static bvp_body whole(const case_file *file)
{
    return (bvp_body){.file = file->file, .part = BVP_ASSEMBLY};
}

/* ---- with and without ------------------------------------------------------------------------ */

/* What a query did. */
static uint64_t work_of(const bvp_stats *s)
{
    return s->nodes + s->leaves + s->instance_pairs;
}

/* far: of the file with far instances; extra: what each hierarchy may add. */
static void check_work(const far_case *c, const char *what, bvp_stats *near, bvp_stats *far)
{
    const uint64_t most = 2 * work_of(near) + 4 * c->trees;
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
    const far_case *c = &cases[_i];
    uint64_t state = case_seed();
    case_file near = make(state, NEAR, NULL, false), far = make(state, NEAR, c, false);
    const bvp_body a = whole(&near), b = whole(&far);
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
    const far_case *c = &cases[_i];
    const uint64_t seed = case_seed();
    case_file near = make(seed, NEAR, NULL, false), far = make(seed, NEAR, c, false);
    const bvp_body a = whole(&near), b = whole(&far);
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

/* ---- all of them against each alone ---------------------------------------------------------- */

enum { FEW = 300 };

typedef struct far_scene {
    case_file file;
    uint32_t count;
    bvp_instance_info *instances;
} far_scene;

static far_scene open_scene(uint64_t seed, const far_case *c, bool deformable)
{
    far_scene s = {.file = make(seed, FEW, c, deformable), .count = FEW + c->count};
    s.instances = calloc(s.count, sizeof *s.instances);
    ck_assert_ptr_nonnull(s.instances);
    for (uint32_t i = 0; i < s.count; i++)
        ck_assert_int_eq(bvp_get_instance(s.file.file, i, &s.instances[i]), BVP_OK);
    return s;
}

static void close_scene(far_scene *s)
{
    free(s->instances);
    case_close(&s->file);
}

static bvp_body one_of(const bvp_file *file, const bvp_instance_info *instance)
{
    return (bvp_body){.file = file, .part = instance->part, .placement = instance->placement};
}

static bool is_about(double a, double b)
{
    return fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b));
}

static void check_distance(const far_scene *s, const bvp_file *file, const bvp_body *b)
{
    const bvp_body all = {.file = file, .part = BVP_ASSEMBLY};
    double least = INFINITY;
    int touches = 0, hit;
    bvp_distance_result r;
    for (uint32_t i = 0; i < s->count; i++) {
        const bvp_body one = one_of(file, &s->instances[i]);
        ck_assert_int_eq(bvp_collide(&one, b, &hit, NULL), BVP_OK);
        touches |= hit;
        ck_assert_int_eq(bvp_distance(&one, b, INFINITY, &r, NULL), BVP_OK);
        least = r.distance < least ? r.distance : least;
    }
    ck_assert_int_eq(bvp_collide(&all, b, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, touches);
    ck_assert_int_eq(bvp_distance(&all, b, INFINITY, &r, NULL), BVP_OK);
    ck_assert_msg(is_about(r.distance, least), "%g, each alone %g", r.distance, least);
    ck_assert_int_eq(bvp_within(b, &all, 2 * least + 1, &hit, &r, NULL), BVP_OK);
    ck_assert_int_eq(hit, 1);
    ck_assert_int_eq(bvp_within(&all, b, least / 2, &hit, NULL, NULL), BVP_OK);
    ck_assert_int_eq(hit, least == 0);
}

static void check_point(const far_scene *s, const bvp_file *file, const double point[3])
{
    const bvp_body all = {.file = file, .part = BVP_ASSEMBLY};
    bvp_closest_result r, best = {.distance = INFINITY}, two[2];
    uint64_t count;
    for (uint32_t i = 0; i < s->count; i++) {
        const bvp_body one = one_of(file, &s->instances[i]);
        ck_assert_int_eq(bvp_closest(&one, point, INFINITY, &r, NULL), BVP_OK);
        if (r.distance < best.distance) {
            best = r;
            best.id.instance = i;
        }
    }
    ck_assert_int_eq(bvp_closest(&all, point, INFINITY, &r, NULL), BVP_OK);
    ck_assert_int_eq(r.found, 1);
    ck_assert(is_about(r.distance, best.distance));
    ck_assert_int_eq(
        bvp_nearest_instances(&all, point, INFINITY, (bvp_array){two, 0, 2}, &count, NULL), BVP_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert(is_about(two[0].distance, best.distance));
}

static void check_ray(const far_scene *s, const bvp_file *file, const bvp_ray *ray)
{
    const bvp_body all = {.file = file, .part = BVP_ASSEMBLY};
    bvp_ray_hit r;
    double t = INFINITY;
    uint64_t sum = 0, count;
    int any;
    for (uint32_t i = 0; i < s->count; i++) {
        const bvp_body one = one_of(file, &s->instances[i]);
        ck_assert_int_eq(bvp_ray_first(&one, ray, &r, NULL), BVP_OK);
        t = r.found && r.t < t ? r.t : t;
        ck_assert_int_eq(bvp_ray_all(&one, ray, NULL, NULL, &count, NULL), BVP_OK);
        sum += count;
    }
    ck_assert_int_eq(bvp_ray_first(&all, ray, &r, NULL), BVP_OK);
    ck_assert_int_eq(r.found, t < INFINITY);
    ck_assert(!r.found || is_about(r.t, t));
    ck_assert_int_eq(bvp_ray_any(&all, ray, &any, NULL), BVP_OK);
    ck_assert_int_eq(any, t < INFINITY);
    ck_assert_int_eq(bvp_ray_all(&all, ray, NULL, NULL, &count, NULL), BVP_OK);
    ck_assert_uint_eq(count, sum);
}

static void check_region(const far_scene *s, const bvp_file *file, const double middle[3],
                         double radius)
{
    const bvp_body all = {.file = file, .part = BVP_ASSEMBLY};
    uint64_t sum = 0, count;
    for (uint32_t i = 0; i < s->count; i++) {
        const bvp_body one = one_of(file, &s->instances[i]);
        ck_assert_int_eq(
            bvp_overlap(&one, bvp_ball_region(middle, radius), NULL, NULL, &count, NULL), BVP_OK);
        sum += count;
    }
    ck_assert_int_eq(bvp_overlap(&all, bvp_ball_region(middle, radius), NULL, NULL, &count, NULL),
                     BVP_OK);
    ck_assert_uint_eq(count, sum);
}

/* Near an instance: a far one every other time. */
static void check_scene(const far_scene *s, const bvp_file *file, uint64_t *state, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        const uint32_t far = FEW + (uint32_t)(case_random(state) % (s->count - FEW));
        const uint32_t i = round & 1 ? far : (uint32_t)(case_random(state) % FEW);
        double m[12] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}, middle[3];
        bvp_ray ray = {.t_max = INFINITY};
        for (int axis = 0; axis < 3; axis++) {
            middle[axis] = s->instances[i].placement[4 * axis + 3] + case_uniform(state) - .5;
            m[4 * axis + 3] = middle[axis];
            ray.origin[axis] = SPACING * SIDE * case_uniform(state);
            ray.direction[axis] = middle[axis] - ray.origin[axis];
        }
        const bvp_body b = {.file = s->file.file, .part = 2, .placement = m};
        check_distance(s, file, &b);
        check_point(s, file, middle);
        check_ray(s, file, &ray);
        check_region(s, file, middle, .8);
    }
}

START_TEST(answers_are_those_of_each_alone)
{
    const far_case *c = &cases[_i];
    uint64_t state = case_seed();
    far_scene s = open_scene(state, c, false);
    check_scene(&s, s.file.file, &state, 20);
    close_scene(&s);
}
END_TEST

/* Two assemblies, both with far ones; b is moved, and asked the other way round, and warm. */
START_TEST(two_assemblies)
{
    const far_case *c = &cases[_i], *other = &cases[(_i + 3) % CASES];
    uint64_t state = case_seed();
    far_scene s = open_scene(state, c, false), t = open_scene(state + 1, other, false);
    bvp_warm_start warm = {0};
    const bvp_body a = whole(&s.file);
    for (int round = 0; round < 12; round++) {
        double m[12] = {1, 0, 0, 20 - round, 0, 1, 0, 1, 0, 0, 1, 2}, least = INFINITY;
        const bvp_body b = {.file = t.file.file, .part = BVP_ASSEMBLY, .placement = m};
        bvp_distance_result r[3];
        int hit, hit_warm, touches = 0;
        for (uint32_t i = 0; i < s.count; i++) {
            const bvp_body one = one_of(s.file.file, &s.instances[i]);
            ck_assert_int_eq(bvp_distance(&one, &b, least, &r[0], NULL), BVP_OK);
            least = r[0].found && r[0].distance < least ? r[0].distance : least;
            touches |= r[0].found && r[0].distance == 0;
            if (touches)
                break;
        }
        ck_assert_int_eq(bvp_collide(&a, &b, &hit, NULL), BVP_OK);
        ck_assert_int_eq(bvp_collide_warm(&a, &b, &warm, &hit_warm, NULL), BVP_OK);
        ck_assert(hit == touches && hit_warm == touches);
        ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &r[0], NULL), BVP_OK);
        ck_assert_int_eq(bvp_distance(&b, &a, INFINITY, &r[1], NULL), BVP_OK);
        ck_assert_int_eq(bvp_distance_warm(&a, &b, INFINITY, &warm, &r[2], NULL), BVP_OK);
        ck_assert(r[0].distance == r[1].distance && is_about(r[0].distance, least) &&
                  is_about(r[0].distance, r[2].distance));
    }
    close_scene(&s);
    close_scene(&t);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

START_TEST(one_grid_where_one_does)
{
    static const far_case outside[] = {{"near", 2, 0, {100, -100}},
                                       {"a few hundred times as far", 1, 0, {3000}}};
    bvp_file_info info;
    for (int k = 0; k < 2; k++) {
        case_file file = make(case_seed(), NEAR, &outside[k], false);
        bvp_get_info(file.file, &info);
        ck_assert_uint_eq(info.instance_hierarchy_count, 1);
        ck_assert_uint_eq(file.file->header.feature_incompatible, 0);
        case_close(&file);
    }
    case_file few = make(case_seed(), 7, &cases[2], false);
    bvp_get_info(few.file, &info);
    ck_assert_uint_eq(info.instance_hierarchy_count, 1); /* a node holds eight */
    case_close(&few);
}
END_TEST

/* Ever farther, more often than there may be hierarchies. */
/* A triangle across x before one of those in a row, as far off as their boxes are: on a grid as
 * coarse as theirs nothing but the boxes in the world tells. */
START_TEST(gaps_of_boxes_on_a_coarse_grid)
{
    enum { ROW = 100 };
    static const float across[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1};
    const bvp_mesh mesh = case_mesh(across, 1);
    double m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    bvp_builder *builder;
    uint32_t part, node;
    int yes;
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    for (int i = 0; i < ROW; i++) {
        m[3] = 1e5 * i;
        ck_assert_int_eq(
            bvp_builder_add_node(
                builder,
                &(bvp_new_node){.parent = BVP_NONE, .name = "", .placement = m, .part = part},
                &node, NULL),
            BVP_OK);
    }
    case_file f = case_finish(builder);
    const bvp_body row = {.file = f.file, .part = BVP_ASSEMBLY},
                   one = {.file = f.file, .part = 0, .placement = m};
    for (int i = 0; i < ROW; i++) {
        m[3] = 1e5 * i + 1;
        ck_assert_int_eq(bvp_within(&row, &one, 1 + 1e-6, &yes, NULL, NULL), BVP_OK);
        ck_assert_int_eq(yes, 1);
        ck_assert_int_eq(bvp_within(&row, &one, 1 - 1e-6, &yes, NULL, NULL), BVP_OK);
        ck_assert_int_eq(yes, 0);
    }
    case_close(&f);
}
END_TEST

START_TEST(no_more_hierarchies_than_the_format_has)
{
    far_case chain = {"chain", FAR_MOST, 16, {0}};
    uint64_t state = case_seed();
    bvp_file_info info;
    for (int i = 0; i < FAR_MOST; i++)
        chain.x[i] = ldexp(1e4, 6 * i);
    far_scene s = open_scene(state, &chain, false);
    bvp_get_info(s.file.file, &info);
    ck_assert_uint_eq(info.instance_hierarchy_count, 16);
    check_scene(&s, s.file.file, &state, 40);
    close_scene(&s);
}
END_TEST

static int count_box(void *user, const bvp_box *box)
{
    *(uint64_t *)user += box->leaf_count;
    return 0;
}

START_TEST(files_are_copied_and_shown_whole)
{
    case_file file = make(case_seed(), NEAR, &cases[4], false);
    FILE *copy = tmpfile();
    bvp_file *again;
    uint64_t shown = 0;
    bvp_error error = {0};
    ck_assert_ptr_nonnull(copy);
    ck_assert_int_eq(bvp_boxes(file.file, BVP_ASSEMBLY, UINT32_MAX, count_box, &shown), BVP_OK);
    ck_assert_uint_eq(shown, NEAR + cases[4].count);
    ck_assert_int_eq(bvp_convert_fd(file.file, 0, NULL, fileno(copy), &error), BVP_OK);
    const off_t size = lseek(fileno(copy), 0, SEEK_END);
    ck_assert_int_eq(size, (off_t)file.size);
    void *bytes = aligned_alloc(4096, file.size);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_int_eq(pread(fileno(copy), bytes, file.size, 0), size);
    ck_assert_int_eq(memcmp(bytes, file.bytes, file.size), 0);
    ck_assert_int_eq(bvp_open_memory(bytes, file.size, NULL, &again, &error), BVP_OK);
    bvp_close(again);
    free(bytes);
    fclose(copy);
    case_close(&file);
}
END_TEST

/* Boxes that do not hold what they should are found by asking near all instances. */
START_TEST(deformed_parts)
{
    const far_case *c = &cases[_i];
    uint64_t state = case_seed(), count;
    far_scene s = open_scene(state, c, true);
    const bvp_open_options options = {.overlay = 1};
    float positions[9 * TRIANGLES];
    bvp_file *file;
    bvp_error error = {0};
    FILE *copy = tmpfile();
    ck_assert_ptr_nonnull(copy);
    ck_assert_uint_eq(fwrite(s.file.bytes, 1, s.file.size, copy), s.file.size);
    fflush(copy);
    ck_assert_int_eq(bvp_open_fd(fileno(copy), &options, &file, &error), BVP_OK);
    ck_assert_int_eq(bvp_get_vertices(file, 0, 0, 3 * TRIANGLES, positions, &count), BVP_OK);
    for (uint64_t i = 0; i < 3 * count; i++)
        positions[i] = positions[i] * 1.5f + (float)(i % 3);
    ck_assert_int_eq(bvp_refit(file, 0, positions, count, &error), BVP_OK);
    check_scene(&s, file, &state, 12);
    bvp_close(file);
    fclose(copy);
    close_scene(&s);
}
END_TEST

/* ---- hostile files --------------------------------------------------------------------------- */

typedef struct forgery {
    case_file good;
    uint8_t *bytes;
    bvpd_header *header;
    bvpd_hierarchy *tops;
    uint32_t top_count;
} forgery;

static void reset(forgery *f)
{
    memcpy(f->bytes, f->good.bytes, f->good.size);
    f->header = (bvpd_header *)f->bytes;
    f->top_count = bvpi_top_count(f->good.file);
    const bvpd_section *records = &f->header->sections[bvpi_find_section(f->header, BVPD_HIER)];
    f->tops = (bvpd_hierarchy *)(f->bytes + records->offset) + f->header->top_hierarchy;
}

static int find_rule(void *user, const bvp_finding *finding)
{
    const char **wanted = user;
    if (*wanted && strcmp(finding->rule, *wanted) == 0)
        *wanted = NULL;
    return 0;
}

/* The rule is among those that verify names; queries end. */
static void check_refused(forgery *f, const char *rule)
{
    const char *wanted = rule;
    bvp_file *file;
    repair_file(f->bytes, f->good.size);
    ck_assert_int_ne(bvp_verify(f->bytes, f->good.size, find_rule, &wanted, NULL), BVP_OK);
    ck_assert_msg(wanted == NULL, "verify does not name %s", rule);
    if (bvp_open_memory(f->bytes, f->good.size, NULL, &file, NULL) == BVP_OK) {
        exercise(file);
        exercise_annotations(file);
        bvp_close(file);
    }
    reset(f);
}

static void swap_tops(forgery *f, uint32_t a, uint32_t b)
{
    const bvpd_hierarchy kept = f->tops[a];
    f->tops[a] = f->tops[b];
    f->tops[b] = kept;
}

START_TEST(forged_hierarchies_are_refused)
{
    forgery f = {.good = make(case_seed(), 60, &cases[4], false)};
    f.bytes = aligned_alloc(4096, f.good.size);
    ck_assert_ptr_nonnull(f.bytes);
    reset(&f);
    ck_assert_uint_eq(f.top_count, 6);
    f.header->feature_incompatible = 0;
    check_refused(&f, "TOP-1");
    f.header->feature_incompatible = 6;
    check_refused(&f, "HDR-6");
    f.header->top_hierarchy++;
    check_refused(&f, "TOP-1");
    f.header->top_hierarchy--;
    check_refused(&f, "TOP-1");
    f.header->top_hierarchy += f.top_count;
    check_refused(&f, "HDR-16");
    for (uint32_t k = 0; k < f.top_count; k++) {
        f.tops[k].part = 0;
        check_refused(&f, "HIE-2");
        f.tops[k].data_off += 64;
        check_refused(&f, "HIE-3");
        f.tops[k].data_off += 1;
        check_refused(&f, "HIE-3");
        f.tops[k].data_off = UINT64_MAX - 63;
        check_refused(&f, "HIE-3");
        f.tops[k].data_size = UINT64_MAX - 63;
        check_refused(&f, "HIE-3");
        f.tops[k].data_size += 64;
        check_refused(&f, "HIE-3");
        f.tops[k].node_count = UINT32_MAX;
        check_refused(&f, "HIE-3");
        f.tops[k].kind = 0;
        check_refused(&f, "HIE-1");
        f.tops[k].root = 1;
        check_refused(&f, "HIE-4");
        f.tops[k].leaf_count++;
        check_refused(&f, "HIE-6");
    }
    f.tops[1] = f.tops[0]; /* two over the same nodes */
    check_refused(&f, "HIE-3");
    for (uint32_t k = 1; k < f.top_count; k++)
        f.tops[k] = f.tops[0];
    check_refused(&f, "HIE-3");
    swap_tops(&f, 0, 2);
    check_refused(&f, "HIE-3");
    free(f.bytes);
    case_close(&f.good);
}
END_TEST

/* Leaves of the second hierarchy and on hold one instance each: they take others'. */
START_TEST(forged_leaves_are_refused)
{
    forgery f = {.good = make(case_seed(), 60, &cases[4], false)};
    f.bytes = aligned_alloc(4096, f.good.size);
    ck_assert_ptr_nonnull(f.bytes);
    reset(&f);
    const bvpd_section *nodes = &f.header->sections[bvpi_find_section(f.header, BVPD_TOPN)];
    for (uint32_t k = 1; k < f.top_count; k++) {
        bvpd_node *node = (bvpd_node *)(f.bytes + nodes->offset + f.tops[k].data_off);
        const uint32_t own = node->geom;
        node->geom = 3;
        check_refused(&f, "TOP-2");
        node->geom = UINT32_MAX;
        check_refused(&f, "TOP-2");
        if (k + 1 == f.top_count)
            break;
        bvpd_node *next = (bvpd_node *)(f.bytes + nodes->offset + f.tops[k + 1].data_off);
        node->geom = next->geom;
        next->geom = own;
        check_refused(&f, "TOP-4");
    }
    free(f.bytes);
    case_close(&f.good);
}
END_TEST

SUITE(test_far_instances)
{
    TCase *all = tcase_create("far instances");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, far_ones_change_neither_answers_nor_work, 0, CASES);
    tcase_add_loop_test(all, own_pairs, 0, CASES);
    tcase_add_loop_test(all, answers_are_those_of_each_alone, 0, CASES);
    tcase_add_loop_test(all, two_assemblies, 0, CASES);
    tcase_add_test(all, one_grid_where_one_does);
    tcase_add_test(all, gaps_of_boxes_on_a_coarse_grid);
    tcase_add_test(all, no_more_hierarchies_than_the_format_has);
    tcase_add_test(all, files_are_copied_and_shown_whole);
    tcase_add_loop_test(all, deformed_parts, 0, CASES);
    tcase_add_test(all, forged_hierarchies_are_refused);
    tcase_add_test(all, forged_leaves_are_refused);
    return suite_run_case("far instances", all);
}
