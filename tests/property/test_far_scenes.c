/* SPDX-License-Identifier: MIT
 * test_far_scenes.c: assemblies, filters of them and turned parts that their boxes show to be apart
 * before a query is set up, also warm: the answers are those of the query, which a control makes
 * run in any case, and at the least distance at which they are told apart nothing touches.
 * Spec: exactness.md, chapter 10, "Boxes of bodies that are far apart"
 */
#include "binary_cases.h"
#include "query/pair/far_bodies.h"
#include "suite.h"

#include <stdio.h>

enum { SCENES = 4, PLACES = 300, INSTANCES = 20 };

static const bvp_control run_it = {0};
static const uint64_t some_bits = 0x5a5a5;
static const bvp_filter some[2] = {{&some_bits, 1, 0}, {&some_bits, 1, 1}};

static body_scene make_scene(int number)
{
    body_mesh mesh;
    if (number == 0)
        return scene_assembly(INSTANCES, false);
    mesh = number == 1 ? mesh_strips(100) : number == 2 ? mesh_tube(100, 0.3) : mesh_sphere(6);
    body_scene s = scene_of_one(mesh);
    free(mesh.tri);
    return s;
}

static bvp_body random_body(const body_scene *scenes, double m[12])
{
    const int number = case_int(SCENES);
    bvp_body body = {.file = scenes[number].file[0], .placement = m};
    place_random(case_int(PLACED_FLAT), m);
    if (number == 0) {
        body.part = BVP_ASSEMBLY;
        body.filter = case_int(2) ? &some[case_int(2)] : NULL;
        body.placement = case_int(4) ? m : NULL;
    }
    return body;
}

/* What is wrong with the answers about two bodies within a limit, or NULL. */
static const char *compare(const bvp_body *a, const bvp_body *b, double limit, bvp_warm_start *warm)
{
    bvp_body slow = *a;
    slow.control = &run_it;
    int hit, within, slow_hit, slow_within, warm_hit, warm_within;
    bvp_distance_result d, slow_d, warm_d;
    if (bvp_collide(a, b, &hit, NULL) != BVP_OK ||
        bvp_collide(&slow, b, &slow_hit, NULL) != BVP_OK ||
        bvp_collide_warm(a, b, warm, &warm_hit, NULL) != BVP_OK)
        return "collide";
    if (bvp_within(a, b, limit, &within, NULL, NULL) != BVP_OK ||
        bvp_within(&slow, b, limit, &slow_within, NULL, NULL) != BVP_OK ||
        bvp_within_warm(a, b, limit, warm, &warm_within, NULL) != BVP_OK)
        return "within";
    if (bvp_distance(a, b, limit, &d, NULL) != BVP_OK ||
        bvp_distance(&slow, b, limit, &slow_d, NULL) != BVP_OK ||
        bvp_distance_warm(a, b, limit, warm, &warm_d, NULL) != BVP_OK)
        return "distance";
    if (bvpi_bodies_are_far(&slow, b, limit))
        return "a control is passed over";
    if (hit != slow_hit || within != slow_within || hit != warm_hit || within != warm_within)
        return "another answer";
    if (d.found != slow_d.found || d.found != warm_d.found ||
        (d.found && (d.distance != slow_d.distance || d.distance != warm_d.distance)))
        return "another distance";
    return bvpi_bodies_are_far(a, b, limit) && (slow_within || slow_d.found) ? "not far" : NULL;
}

/* Moves b's placement to the least distance along a random line at which they are far: do they
 * touch there? */
static bool touch_at_the_verge(const bvp_body *a, const bvp_body *b, double m[12])
{
    const double way[3] = {case_unit(), case_unit(), case_unit()};
    double near_by = 0, far_by = 1e12, from[3] = {m[3], m[7], m[11]};
    int hit;
    bvp_body slow = *a;
    slow.control = &run_it;
    for (int k = 0; k < 100; k++) {
        const double by = near_by + (far_by - near_by) / 2;
        for (int i = 0; i < 3; i++)
            m[4 * i + 3] = from[i] + by * way[i];
        *(bvpi_bodies_are_far(a, b, 0) ? &far_by : &near_by) = by;
    }
    for (int i = 0; i < 3; i++)
        m[4 * i + 3] = from[i] + far_by * way[i];
    ck_assert(bvpi_bodies_are_far(a, b, 0));
    ck_assert_int_eq(bvp_collide(&slow, b, &hit, NULL), BVP_OK);
    return hit;
}

START_TEST(answers_are_those_of_the_query)
{
    body_scene scenes[SCENES];
    uint32_t far = 0, apart = 0;
    case_seed(91);
    for (int k = 0; k < SCENES; k++)
        scenes[k] = make_scene(k);
    for (int k = 0; k < PLACES; k++) {
        double ma[12], mb[12];
        bvp_warm_start warm = {0};
        bvp_distance_result d;
        const bvp_body a = random_body(scenes, ma), b = random_body(scenes, mb);
        for (int i = 0; i < 3; i++) /* mostly near one another */
            mb[4 * i + 3] = (a.placement ? ma[4 * i + 3] : 0) + 4 * case_unit();
        const double limit = pow(10, 3 * case_unit() - 2);
        const char *wrong = compare(&a, &b, limit, &warm);
        ck_assert_msg(wrong == NULL, "%s", wrong);
        ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &d, NULL), BVP_OK);
        apart += d.distance > limit;
        far += bvpi_bodies_are_far(&a, &b, limit);
        if (b.placement)
            ck_assert(!touch_at_the_verge(&a, &b, mb));
    }
    printf("%u of %u apart are far\n", (unsigned)far, (unsigned)apart);
    ck_assert_uint_gt(far, apart / 3);
    for (int k = 0; k < SCENES; k++)
        scene_close(&scenes[k]);
}
END_TEST

/* A filter of a part and an unsound one are refused however far away the body is. */
START_TEST(refuses_what_a_query_refuses)
{
    body_scene s = make_scene(0);
    const double away[12] = {1, 0, 0, 1e6, 0, 1, 0, 1e6, 0, 0, 1, 1e6};
    const bvp_filter unsound = {NULL, 1, 0};
    const bvp_body a = {.file = s.file[0], .part = BVP_ASSEMBLY},
                   far = {.file = s.file[0], .part = BVP_ASSEMBLY, .placement = away},
                   of_part = {.file = s.file[0], .placement = away, .filter = &some[0]},
                   wrong = {.file = s.file[0],
                            .part = BVP_ASSEMBLY,
                            .placement = away,
                            .filter = &unsound};
    int hit;
    ck_assert(bvpi_bodies_are_far(&a, &far, 0));
    ck_assert_int_eq(bvp_collide(&a, &of_part, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide(&a, &wrong, &hit, NULL), BVP_ERR_ARGUMENT);
    scene_close(&s);
}
END_TEST

/* A part on itself meets itself, whatever its triangles are like. */
START_TEST(a_part_on_itself_is_not_walked)
{
    case_seed(92);
    for (int k = 0; k < FEW; k++) {
        body_mesh mesh = make_mesh(k);
        body_scene s = scene_of_one(mesh);
        double m[12];
        place_random(case_int(PLACED_KINDS), m);
        const bvp_body a = {.file = s.file[0], .placement = m};
        bvp_stats stats = {0};
        bvp_distance_result d;
        int hit;
        ck_assert_int_eq(bvp_collide(&a, &a, &hit, &stats), BVP_OK);
        ck_assert_int_eq(hit, 1);
        ck_assert_uint_eq(stats.nodes, 0);
        ck_assert_int_eq(bvp_distance(&a, &a, INFINITY, &d, NULL), BVP_OK);
        ck_assert(d.found && d.distance == 0);
        scene_close(&s);
        free(mesh.tri);
    }
}
END_TEST

SUITE(test_far_scenes)
{
    const TTest *const tests[] = {answers_are_those_of_the_query, refuses_what_a_query_refuses,
                                  a_part_on_itself_is_not_walked, NULL};
    return suite_run("far_scenes", tests);
}
