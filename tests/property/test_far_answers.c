/* SPDX-License-Identifier: MIT
 * test_far_answers.c: with some instances far from the others, what a query of all of them answers
 * is what asking each alone gives. BVP_SEED.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "far_case.h"
#include "suite.h"

/* ---- all of them against each alone ---------------------------------------------------------- */

enum { FEW = 300 };

typedef struct far_scene {
    case_file file;
    uint32_t count;
    bvp_instance_info *instances;
} far_scene;

static far_scene open_scene(uint64_t seed, const far_case *c, bool deformable)
{
    far_scene s = {.file = far_file(seed, FEW, c, deformable), .count = FEW + c->count};
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
    const far_case *c = &far_cases[_i];
    uint64_t state = case_seed();
    far_scene s = open_scene(state, c, false);
    check_scene(&s, s.file.file, &state, 20);
    close_scene(&s);
}
END_TEST

/* Two assemblies, both with far ones; b is moved, and asked the other way round, and warm. */
START_TEST(two_assemblies)
{
    const far_case *c = &far_cases[_i], *other = &far_cases[(_i + 3) % FAR_CASES];
    uint64_t state = case_seed();
    far_scene s = open_scene(state, c, false), t = open_scene(state + 1, other, false);
    bvp_warm_start warm = {0};
    const bvp_body a = far_whole(&s.file);
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

/* Ever farther, more often than there may be hierarchies. */
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

/* Boxes that do not hold what they should are found by asking near all instances. */
START_TEST(deformed_parts)
{
    const far_case *c = &far_cases[_i];
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

SUITE(test_far_answers)
{
    TCase *all = tcase_create("far answers");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, answers_are_those_of_each_alone, 0, FAR_CASES);
    tcase_add_loop_test(all, two_assemblies, 0, FAR_CASES);
    tcase_add_test(all, gaps_of_boxes_on_a_coarse_grid);
    tcase_add_test(all, no_more_hierarchies_than_the_format_has);
    tcase_add_loop_test(all, deformed_parts, 0, FAR_CASES);
    return suite_run_case("far answers", all);
}
