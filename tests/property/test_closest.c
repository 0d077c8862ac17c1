/* SPDX-License-Identifier: MIT
 * test_closest.c: closest points against brute force over all triangles; limits, far points,
 * arguments.
 */
#include "body_cases.h"
#include "prim/point_tri.h"
#include "suite.h"

enum { POINTS = 40 };

/* ---- brute force ----------------------------------------------------------------------------- */

static void try_triangle(const body_item *item, const bvpi_point *point, uint64_t k, double most,
                         bvp_closest_result *best)
{
    bvpi_point_tri t;
    bvpi_point_tri1(point, item->tri + 9 * k, &t);
    const double distance = fmin(t.hi, most);
    if (t.lo > most || (best->found && best->distance <= distance))
        return; /* items and triangles come in the order that breaks ties */
    best->found = 1;
    best->distance = distance;
    best->id = (bvp_hit_id){item->placed.instance, item->placed.part_idx, k, item->ids[k]};
    memcpy(best->point, t.point, sizeof t.point);
}

static bvp_closest_result brute_force(const body_list *list, const double point[3], double most)
{
    bvp_closest_result best = {.found = 0};
    for (uint32_t i = 0; i < list->count; i++) {
        const body_item *item = &list->items[i];
        bvpi_point prepared;
        ck_assert_int_eq(
            bvpi_point_init(&prepared, &item->placed.at.placement, point, item->placed.at.corner),
            BVP_OK);
        for (uint64_t k = 0; k < item->count; k++)
            try_triangle(item, &prepared, k, most, &best);
    }
    return best;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* On the body, near, afar, so far that floats can't tell its boxes apart, far beyond that. */
static void random_point(const body_list *list, double size, double out[3])
{
    static const double reach[] = {0, 0, 0.01, 0.3, 1, 3, 1000, 1e5, 1e8, 1e12};
    const double away = size * reach[case_int(sizeof reach / sizeof reach[0])];
    const int axis = case_int(4);
    point_of_body(list, case_int(2) == 0, out);
    for (int a = 0; a < 3; a++)
        out[a] += a == axis ? 0 : away * case_unit();
}

static void check_point(const bvp_body *body, const bvp_body *baseline, const body_list *list,
                        const double point[3], double most, double size)
{
    const bvp_closest_result expected = brute_force(list, point, most);
    bvp_closest_result found, again;
    bvp_stats stats = {0}, stats_baseline = {0};
    double length = 0;
    ck_assert_int_eq(bvp_closest(body, point, most, &found, &stats), BVP_OK);
    ck_assert_int_eq(bvp_closest(baseline, point, most, &again, &stats_baseline), BVP_OK);
    ck_assert_mem_eq(&found, &again, sizeof found);
    ck_assert_uint_eq(stats.nodes, stats_baseline.nodes);
    ck_assert_int_eq(found.found, expected.found);
    if (!found.found)
        return;
    ck_assert_double_eq(found.distance, expected.distance);
    ck_assert_mem_eq(&found.id, &expected.id, sizeof found.id);
    ck_assert_mem_eq(found.point, expected.point, sizeof found.point);
    for (int a = 0; a < 3; a++)
        length = hypot(length, found.point[a] - point[a]);
    const double largest = fabs(point[0]) + fabs(point[1]) + fabs(point[2]) + found.distance + size;
    ck_assert_double_eq_tol(length, found.distance, 1e-12 * largest);
}

static void ask(const bvp_body *body, const bvp_body *baseline)
{
    body_list list = list_of(body);
    const double size = size_of_body(&list);
    for (int i = 0; i < POINTS; i++) {
        double p[3];
        random_point(&list, size, p);
        check_point(body, baseline, &list, p, INFINITY, size);
        const bvp_closest_result best = brute_force(&list, p, INFINITY);
        check_point(body, baseline, &list, p, best.distance * (0.5 + case_int(3) * 0.5), size);
    }
    list_free(&list);
}

START_TEST(answers_equal_brute_force)
{
    case_seed(1);
    for_all_bodies(ask);
}
END_TEST

/* ---- what is known without brute force ------------------------------------------------------- */

START_TEST(distances_from_a_box)
{
    body_mesh mesh = mesh_box(5);
    body_scene s = scene_of_one(mesh);
    double hi[3] = {(double)3.3f, (double)1.9f, (double)1.1f};
    case_seed(2);
    for (int i = 0; i < 2000; i++) {
        double m[12], p[3], q[3], gap = 0, scale = exp2(case_int(20) - 10);
        bvpi_placement placement;
        bvp_closest_result found;
        case_rotation(m);
        case_scale(m, scale);
        case_translate(m, 100);
        bvp_body body = {.file = s.file[0], .part = 0, .placement = m};
        for (int a = 0; a < 3; a++) {
            p[a] = hi[a] * (2 * case_unit() + 0.5);
            gap = hypot(gap, fmax(fmax(-p[a], p[a] - hi[a]), 0));
        }
        ck_assert_int_eq(bvpi_placement_init(&placement, m), BVP_OK);
        bvpi_placement_point_to_world(&placement, p, q);
        ck_assert_int_eq(bvp_closest(&body, q, INFINITY, &found, NULL), BVP_OK);
        ck_assert_int_eq(found.found, 1);
        if (gap > 0)
            ck_assert_double_eq_tol(found.distance, gap * scale, 1e-12 * (gap * scale + 100));
    }
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

START_TEST(the_limit_is_closed)
{
    const float tri[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    body_mesh mesh = {(float *)tri, 1};
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0};
    const double point[3] = {1, 1, 2}, on[3] = {1, 2, 0};
    bvp_closest_result r;
    ck_assert_int_eq(bvp_closest(&body, point, 2, &r, NULL), BVP_OK);
    ck_assert(r.found && r.distance == 2 && r.point[0] == 1 && r.point[1] == 1 && r.point[2] == 0);
    ck_assert_int_eq(bvp_closest(&body, point, 1.999, &r, NULL), BVP_OK);
    ck_assert_int_eq(r.found, 0);
    ck_assert_int_eq(bvp_closest(&body, on, 0, &r, NULL), BVP_OK);
    ck_assert(r.found && r.distance == 0);
    ck_assert_int_eq(bvp_closest(&body, point, 0, &r, NULL), BVP_OK);
    ck_assert_int_eq(r.found, 0);
    scene_close(&s);
}
END_TEST

/* Most of a large body must not be looked at, as far away as doubles can tell its points apart. */
START_TEST(far_points_are_not_slow)
{
    body_mesh mesh = mesh_sphere(64);
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0};
    case_seed(3);
    for (double away = 2; away < 1e13; away *= 8) {
        bvp_stats stats = {0};
        bvp_closest_result r;
        double p[3] = {case_unit(), case_unit(), case_unit()};
        double scale = away / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        for (int a = 0; a < 3; a++)
            p[a] *= scale;
        ck_assert_int_eq(bvp_closest(&body, p, INFINITY, &r, &stats), BVP_OK);
        ck_assert_uint_le(stats.triangles, mesh.count / 8);
    }
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* From about its centre all of a sphere is as near: more nodes wait than there is room for. */
START_TEST(centres_are_as_near_to_all)
{
    body_mesh mesh = mesh_sphere(64);
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0}, baseline = {.file = s.file[1], .part = 0};
    body_list list = list_of(&body);
    case_seed(5);
    for (int i = 0; i < 20; i++) {
        double p[3] = {0, 0, 0};
        bvp_stats stats = {0};
        bvp_closest_result r;
        for (int a = 0; a < 3; a++)
            p[a] += i == 0 ? 0 : case_unit() * exp2(-case_int(30));
        check_point(&body, &baseline, &list, p, INFINITY, 1);
        ck_assert_int_eq(bvp_closest(&body, p, INFINITY, &r, &stats), BVP_OK);
        ck_assert(i != 0 || stats.nodes > 128);
    }
    list_free(&list);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* Nothing is opened that is farther away than the answer: as if that had been known. */
START_TEST(the_nearest_comes_first)
{
    body_mesh mesh = mesh_sphere(64);
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0};
    bvp_stats stats = {0}, known = {0};
    case_seed(6);
    for (int i = 0; i < 200; i++) {
        const double p[3] = {3 * case_unit(), 3 * case_unit(), 3 * case_unit()};
        bvp_closest_result r, again;
        ck_assert_int_eq(bvp_closest(&body, p, INFINITY, &r, &stats), BVP_OK);
        ck_assert_int_eq(bvp_closest(&body, p, r.distance, &again, &known), BVP_OK);
        ck_assert_double_eq(r.distance, again.distance);
    }
    ck_assert_uint_le(stats.nodes, known.nodes + known.nodes / 50);
    ck_assert_uint_le(stats.leaves, known.leaves + known.leaves / 50);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* ---- batches, arguments ---------------------------------------------------------------------- */

/* More than are sorted at a time. */
enum { BATCH = 5000 };
static double batch_points[BATCH][4];
static bvp_closest_result batch_found[BATCH];

static bvp_status ask_batch(const bvp_body *body, double most, size_t *done, bvp_stats *stats)
{
    const bvp_const_array points = {batch_points[0], sizeof batch_points[0], BATCH};
    memset(batch_found, 0xee, sizeof batch_found);
    return bvp_closest_batch(body, points, most, (bvp_array){batch_found, 0, BATCH}, done, stats);
}

static void are_of_single_calls(const bvp_body *body, double most, size_t count, bvp_stats *stats)
{
    for (size_t i = 0; i < count; i++) {
        bvp_closest_result r;
        ck_assert_int_eq(bvp_closest(body, batch_points[i], most, &r, stats), BVP_OK);
        ck_assert_mem_eq(&r, &batch_found[i], sizeof r);
    }
}

/* Answers bound those that follow. */
static void is_less_work(const bvp_stats *together, const bvp_stats *alone)
{
    ck_assert_uint_gt(together->leaves, 0);
    ck_assert_uint_lt(together->leaves, alone->leaves);
    ck_assert_uint_lt(together->nodes, alone->nodes);
    ck_assert_uint_lt(together->triangles, alone->triangles);
    ck_assert_uint_le(together->boxes, alone->boxes);
    ck_assert_uint_le(together->instance_pairs, alone->instance_pairs);
    ck_assert_uint_eq(together->steps, alone->steps);
}

START_TEST(batches_equal_single_calls)
{
    const double limits[] = {3, INFINITY};
    const size_t bad[] = {9, 4500};
    body_scene s = scene_assembly(20, false);
    bvp_body body = {.file = s.file[0], .part = BVP_ASSEMBLY};
    body_list list = list_of(&body);
    size_t done = 0;
    case_seed(4);
    for (int i = 0; i < BATCH; i++)
        random_point(&list, size_of_body(&list), batch_points[i]);
    for (int i = 0; i < 2; i++) {
        bvp_stats together = {0}, alone = {0};
        ck_assert_int_eq(ask_batch(&body, limits[i], &done, &together), BVP_OK);
        ck_assert_uint_eq(done, BATCH);
        are_of_single_calls(&body, limits[i], BATCH, &alone);
        is_less_work(&together, &alone);
    }
    for (int i = 0; i < 2; i++) {
        const double good = batch_points[bad[i]][2];
        batch_points[bad[i]][2] = i ? NAN : INFINITY;
        ck_assert_int_eq(ask_batch(&body, 3, &done, NULL), BVP_ERR_ARGUMENT);
        ck_assert_uint_eq(done, bad[i]);
        are_of_single_calls(&body, 3, done, NULL);
        batch_points[bad[i]][2] = good;
    }
    list_free(&list);
    scene_close(&s);
}
END_TEST

START_TEST(arguments_are_checked)
{
    body_mesh mesh = mesh_box(2);
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0}, absent = {.file = s.file[0], .part = 1};
    const double good[3] = {0, 0, 0}, bad[3] = {0, NAN, 0};
    bvp_closest_result r;
    ck_assert_int_eq(bvp_closest(&body, bad, 1, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_closest(&body, good, -1, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_closest(&body, good, NAN, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_closest(&body, NULL, 1, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_closest(&body, good, 1, NULL, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_closest(&absent, good, 1, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_closest(NULL, good, 1, &r, NULL), BVP_ERR_ARGUMENT);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

SUITE(test_closest)
{
    const TTest *const list[] = {
        answers_equal_brute_force,  distances_from_a_box,       the_limit_is_closed,
        far_points_are_not_slow,    centres_are_as_near_to_all, the_nearest_comes_first,
        batches_equal_single_calls, arguments_are_checked,      NULL};
    return suite_run_within("closest", 120, list);
}
