/* SPDX-License-Identifier: MIT
 * test_ray.c: rays against brute force over all triangles; watertightness, ties, ranges, arguments.
 */
#include "body_cases.h"
#include "prim/tri_ray.h"
#include "suite.h"

enum { RAYS = 60 };

/* ---- brute force ----------------------------------------------------------------------------- */

typedef struct answer {
    bvp_ray_hit first;
    uint64_t count;
    uint64_t sum; /* over all hits, of a mix of what they are called */
} answer;

static uint64_t name_of(const bvp_hit_id *id)
{
    return (id->triangle * 1000003 + id->id) * 1000003 + id->instance + id->part;
}

static void try_triangle(const body_item *item, const bvpi_tri_ray *prepared, const bvp_ray *ray,
                         uint64_t k, answer *out)
{
    bvpi_tri_ray_hit hit;
    if (!bvpi_tri_ray1(prepared, item->tri + 9 * k, ray->t_min, ray->t_max, &hit))
        return;
    bvp_hit_id id = {item->placed.instance, item->placed.part_idx, k, item->ids[k]};
    out->count++;
    out->sum += name_of(&id);
    if (out->first.found && out->first.t <= hit.t)
        return; /* items and triangles come in the order that breaks ties */
    out->first = (bvp_ray_hit){.found = 1, .t = hit.t, .u = hit.u, .v = hit.v, .id = id};
}

static answer brute_force(const body_list *list, const bvp_ray *ray)
{
    answer out = {.count = 0};
    for (uint32_t i = 0; i < list->count; i++) {
        const body_item *item = &list->items[i];
        bvpi_tri_ray prepared;
        ck_assert_int_eq(bvpi_tri_ray_init(&prepared, &item->placed.at.placement, ray->origin,
                                           ray->direction, item->placed.at.bound),
                         BVP_OK);
        for (uint64_t k = 0; k < item->count; k++)
            try_triangle(item, &prepared, ray, k, &out);
    }
    return out;
}

static int add_hit(void *user, const bvp_ray_hit *hit)
{
    answer *out = user;
    out->count++;
    out->sum += name_of(&hit->id);
    ck_assert_int_eq(hit->found, 1);
    return 0;
}

/* ---- rays ------------------------------------------------------------------------------------ */

/* From near, inside, afar or very far, at a point or corner of the body or past it; some along an
 * axis, some with zeros, some with a narrow range. */
static bvp_ray random_ray(const body_list *list, double size)
{
    bvp_ray ray = {.t_min = 0, .t_max = INFINITY};
    double target[3], scale = exp2(case_int(21) - 10);
    const int kind = case_int(8), axis = case_int(3);
    point_of_body(list, case_int(2) == 0, target);
    if (case_int(4) == 0)
        for (int a = 0; a < 3; a++)
            target[a] += size * case_unit();
    for (int a = 0; a < 3; a++) {
        const double away = size * case_unit() * (kind == 0 ? 1e9 : kind == 1 ? 1000 : 1.5);
        ray.origin[a] = target[a] + away;
        if ((kind == 2 && a != axis) || (kind == 3 && a == axis))
            ray.origin[a] = target[a];
        ray.direction[a] = (target[a] - ray.origin[a]) * scale;
    }
    if (ray.direction[0] == 0 && ray.direction[1] == 0 && ray.direction[2] == 0)
        ray.direction[axis] = 1;
    if (case_int(4) == 0)
        ray.t_min = -INFINITY;
    if (case_int(4) == 0)
        ray.t_max = (0.5 + fabs(case_unit())) / scale;
    return ray;
}

static void check_normal(const bvp_ray_hit *hit)
{
    const double *n = hit->normal;
    ck_assert_double_eq_tol(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-9);
}

static void check_ray(const bvp_body *body, const bvp_body *baseline, const body_list *list,
                      const bvp_ray *ray)
{
    const answer expected = brute_force(list, ray);
    answer all = {.count = 0};
    bvp_ray_hit hit, hit_baseline;
    bvp_stats stats = {0}, stats_baseline = {0};
    uint64_t count;
    int any;
    ck_assert_int_eq(bvp_ray_first(body, ray, &hit, &stats), BVP_OK);
    ck_assert_int_eq(bvp_ray_first(baseline, ray, &hit_baseline, &stats_baseline), BVP_OK);
    ck_assert_mem_eq(&hit, &hit_baseline, sizeof hit);
    ck_assert_mem_eq(&stats, &stats_baseline, sizeof stats);
    ck_assert_int_eq(hit.found, expected.first.found);
    if (hit.found) {
        ck_assert_double_eq(hit.t, expected.first.t);
        ck_assert_double_eq(hit.u, expected.first.u);
        ck_assert_double_eq(hit.v, expected.first.v);
        ck_assert_mem_eq(&hit.id, &expected.first.id, sizeof hit.id);
        check_normal(&hit);
    }
    ck_assert_int_eq(bvp_ray_any(body, ray, &any, NULL), BVP_OK);
    ck_assert_int_eq(any, expected.first.found);
    ck_assert_int_eq(bvp_ray_all(body, ray, add_hit, &all, &count, NULL), BVP_OK);
    ck_assert_uint_eq(count, expected.count);
    ck_assert_uint_eq(all.count, expected.count);
    ck_assert_uint_eq(all.sum, expected.sum);
}

static void ask(const bvp_body *body, const bvp_body *baseline)
{
    body_list list = list_of(body);
    const double size = size_of_body(&list);
    for (int i = 0; i < RAYS; i++) {
        const bvp_ray ray = random_ray(&list, size);
        check_ray(body, baseline, &list, &ray);
    }
    list_free(&list);
}

START_TEST(answers_equal_brute_force)
{
    case_seed(1);
    for_all_bodies(ask);
}
END_TEST

/* Coordinates of the part are small beside what they are summed from. */
START_TEST(flat_bodies)
{
    body_mesh mesh = mesh_sphere(6);
    body_scene s = scene_of_one(mesh);
    case_seed(6);
    for (int i = 0; i < 40; i++)
        ask_scene(&s, 0, PLACED_FLAT, ask);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* ---- watertightness -------------------------------------------------------------------------- */

/* From outside, through `target` on the hull of a convex body, to a point inside it. */
static void aim_through(const bvp_body *body, const double target[3], const double inside[3],
                        double away)
{
    bvp_ray ray = {.t_max = INFINITY};
    bvp_ray_hit hit;
    double p[3], q[3];
    bvpi_placement placement;
    ck_assert_int_eq(bvpi_placement_init(&placement, body->placement), BVP_OK);
    for (int a = 0; a < 3; a++)
        p[a] = target[a] + away * (target[a] - inside[a]);
    bvpi_placement_point_to_world(&placement, p, ray.origin);
    bvpi_placement_point_to_world(&placement, inside, q);
    for (int a = 0; a < 3; a++)
        ray.direction[a] = q[a] - ray.origin[a];
    ck_assert_int_eq(bvp_ray_first(body, &ray, &hit, NULL), BVP_OK);
    ck_assert_msg(hit.found, "a ray slipped through");
    ck_assert_double_ge(1.0, hit.t);
}

static void aim_at_all(const bvp_body *body, body_mesh mesh, const double middle[3])
{
    for (uint64_t i = 0; i < 3 * mesh.count; i++) {
        const float *p = mesh.tri + 3 * i, *q = i % 3 == 2 ? p - 6 : p + 3;
        double corner[3], edge[3], inside[3];
        for (int a = 0; a < 3; a++) {
            corner[a] = p[a];
            edge[a] = ((double)p[a] + (double)q[a]) / 2;
            inside[a] = middle[a] + 0.1 * case_unit();
        }
        aim_through(body, corner, inside, exp2(case_int(12) - 3));
        aim_through(body, edge, inside, exp2(case_int(12) - 3));
        aim_through(body, corner, middle, 1e6);
    }
}

START_TEST(closed_bodies_are_watertight)
{
    const double middle[2][3] = {{1.6, 0.9, 0.5}, {0, 0, 0}};
    case_seed(2);
    for (int i = 0; i < 2; i++) {
        body_mesh mesh = i == 0 ? mesh_box(7) : mesh_sphere(14);
        body_scene s = scene_of_one(mesh);
        for (int kind = 0; kind < PLACED_KINDS; kind++) {
            double m[12];
            place_random(kind, m);
            bvp_body body = {.file = s.file[0], .part = 0, .placement = m};
            /* there, rounding moves the target out of the silhouette */
            if (kind != PLACED_FAR && kind != PLACED_FLAT)
                aim_at_all(&body, mesh, middle[i]);
        }
        scene_close(&s);
        free(mesh.tri);
    }
}
END_TEST

/* Rays along the axes, in the planes and between them, from inside and outside. */
START_TEST(grids_of_planes)
{
    body_mesh mesh = mesh_planes(6);
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0}, baseline = {.file = s.file[1], .part = 0};
    body_list list = list_of(&body);
    case_seed(3);
    for (int i = 0; i < 3000; i++) {
        const int axis = case_int(3), other = (axis + 1) % 3, third = (axis + 2) % 3;
        bvp_ray ray = {.t_max = INFINITY};
        ray.origin[axis] = case_int(2) ? -1 : 0.5 * case_int(13);
        ray.origin[other] = 0.5 * case_int(13);
        ray.origin[third] = 0.25 * case_int(25);
        ray.direction[axis] = case_int(2) ? 1 : -2;
        ray.direction[other] = case_int(3) == 0 ? 1 : 0;
        ray.direction[third] = case_int(4) == 0 ? -0.0 : 0;
        check_ray(&body, &baseline, &list, &ray);
        if (ray.origin[axis] < 0 && ray.direction[axis] > 0 && ray.direction[other] == 0) {
            bvp_ray_hit hit;
            ck_assert_int_eq(bvp_ray_first(&body, &ray, &hit, NULL), BVP_OK);
            ck_assert(hit.found && hit.t == 1 && fabs(hit.normal[axis]) == 1);
        }
    }
    list_free(&list);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* ---- what is known without brute force ------------------------------------------------------- */

START_TEST(a_ball_is_round)
{
    body_mesh mesh = mesh_sphere(64);
    body_scene s = scene_of_one(mesh);
    double m[12];
    case_seed(4);
    for (int i = 0; i < 2000; i++) {
        place_random(case_int(2) ? PLACED_RIGID : PLACED_MIRRORED, m);
        bvp_body body = {.file = s.file[0], .part = 0, .placement = m};
        bvp_ray ray = {.t_max = INFINITY};
        bvp_ray_hit hit;
        double length = 0, out = 0;
        for (int a = 0; a < 3; a++) {
            ray.direction[a] = case_unit();
            ray.origin[a] = m[4 * a + 3]; /* from the middle */
            length += ray.direction[a] * ray.direction[a];
        }
        ck_assert_int_eq(bvp_ray_first(&body, &ray, &hit, NULL), BVP_OK);
        ck_assert_int_eq(hit.found, 1);
        ck_assert_double_eq_tol(hit.t * sqrt(length), 1, 2e-3);
        for (int a = 0; a < 3; a++)
            out += hit.normal[a] * ray.direction[a] / sqrt(length);
        ck_assert_double_ge(fabs(out), 0.998);
    }
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* Duplicates and instances in the same place: the smaller instance, then triangle. */
START_TEST(ties_go_to_the_smaller_number)
{
    const float square[18] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0};
    body_mesh mesh = {(float *)square, 2};
    const uint32_t parts[3] = {0, 0, 0};
    double places[36];
    for (int i = 0; i < 3; i++)
        case_identity(places + 12 * i);
    body_scene s = scene_of(&mesh, 1, parts, places, 3);
    bvp_body body = {.file = s.file[0], .part = BVP_ASSEMBLY};
    bvp_ray ray = {{1, 1, 5}, {0, 0, -2}, 0, INFINITY};
    bvp_ray_hit hit;
    uint64_t count;
    ck_assert_int_eq(bvp_ray_first(&body, &ray, &hit, NULL), BVP_OK);
    ck_assert(hit.found && hit.t == 2.5 && hit.u == 0.25 && hit.v == 0.25);
    ck_assert_uint_eq(hit.id.instance, 0);
    ck_assert_uint_eq(hit.id.triangle, 0);
    ck_assert_double_eq(hit.normal[2], 1);
    ck_assert_int_eq(bvp_ray_all(&body, &ray, NULL, NULL, &count, NULL), BVP_OK);
    ck_assert_uint_eq(count, 6);
    scene_close(&s);
}
END_TEST

START_TEST(ranges_are_closed)
{
    body_mesh mesh = mesh_planes(4);
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0};
    const struct {
        double t_min, t_max, expected;
    } cases[] = {{0, 1, 1},    {1, 1, 1},       {1.5, 2, 2},      {1.25, 1.75, -1},
                 {5.1, 9, -1}, {-9, -1, -1},    {3, 2, -1},       {-INFINITY, INFINITY, 1},
                 {5, 5, 5},    {2.5, 1e300, 3}, {INFINITY, 9, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bvp_ray ray = {{-1, 0.6, 0.3}, {1, 0, 0}, cases[i].t_min, cases[i].t_max};
        bvp_ray_hit hit;
        ck_assert_int_eq(bvp_ray_first(&body, &ray, &hit, NULL), BVP_OK);
        ck_assert_int_eq(hit.found, cases[i].expected >= 0);
        if (hit.found)
            ck_assert_double_eq(hit.t, cases[i].expected);
    }
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

static int stop_at_two(void *user, const bvp_ray_hit *hit)
{
    (void)hit;
    return ++*(int *)user == 2;
}

START_TEST(a_callback_can_stop)
{
    body_mesh mesh = mesh_planes(9);
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0};
    bvp_ray ray = {{-1, 0.6, 0.3}, {1, 0, 0}, 0, INFINITY};
    uint64_t count;
    int calls = 0;
    ck_assert_int_eq(bvp_ray_all(&body, &ray, stop_at_two, &calls, &count, NULL), BVP_OK);
    ck_assert_int_eq(calls, 2);
    ck_assert_uint_eq(count, 2);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

START_TEST(degenerate_triangles_are_not_hit)
{
    const float tri[18] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    body_mesh mesh = {(float *)tri, 2};
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0};
    bvp_ray ray = {{-1, -1, -1}, {1, 1, 1}, 0, INFINITY};
    bvp_ray across = {{1, 1, 5}, {0, 0, -1}, 0, INFINITY};
    int hit;
    ck_assert_int_eq(bvp_ray_any(&body, &ray, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, 0);
    ck_assert_int_eq(bvp_ray_any(&body, &across, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, 0);
    scene_close(&s);
}
END_TEST

/* ---- batches, arguments ---------------------------------------------------------------------- */

START_TEST(batches_equal_single_calls)
{
    enum { COUNT = 300 };
    typedef struct padded {
        bvp_ray ray;
        char other[24];
        bvp_ray_hit hit;
        int any, rest;
    } padded;
    static padded batch[COUNT];
    body_scene s = scene_assembly(20, false);
    bvp_body body = {.file = s.file[0], .part = BVP_ASSEMBLY};
    body_list list = list_of(&body);
    bvp_stats one = {0}, many = {0};
    size_t done = 0;
    case_seed(5);
    for (int i = 0; i < COUNT; i++)
        batch[i].ray = random_ray(&list, size_of_body(&list));
    ck_assert_int_eq(
        bvp_ray_first_batch(&body, (bvp_const_array){&batch[0].ray, sizeof(padded), COUNT},
                            (bvp_array){&batch[0].hit, sizeof(padded), COUNT}, &done, &many),
        BVP_OK);
    ck_assert_uint_eq(done, COUNT);
    ck_assert_int_eq(
        bvp_ray_any_batch(&body, (bvp_const_array){&batch[0].ray, sizeof(padded), COUNT},
                          (bvp_array){&batch[0].any, sizeof(padded), COUNT}, &done, NULL),
        BVP_OK);
    for (int i = 0; i < COUNT; i++) {
        bvp_ray_hit hit;
        ck_assert_int_eq(bvp_ray_first(&body, &batch[i].ray, &hit, &one), BVP_OK);
        ck_assert_mem_eq(&hit, &batch[i].hit, sizeof hit);
        ck_assert_int_eq(batch[i].any, hit.found);
    }
    ck_assert_mem_eq(&one, &many, sizeof one);
    batch[7].ray.direction[1] = NAN;
    ck_assert_int_eq(
        bvp_ray_first_batch(&body, (bvp_const_array){&batch[0].ray, sizeof(padded), COUNT},
                            (bvp_array){&batch[0].hit, sizeof(padded), COUNT}, &done, NULL),
        BVP_ERR_ARGUMENT);
    ck_assert_uint_eq(done, 7);
    list_free(&list);
    scene_close(&s);
}
END_TEST

static bvp_status try_ray(const bvp_body *body, bvp_ray ray)
{
    bvp_ray_hit hit;
    int any;
    bvp_status first = bvp_ray_first(body, &ray, &hit, NULL);
    ck_assert_int_eq(bvp_ray_any(body, &ray, &any, NULL), first);
    ck_assert_int_eq(bvp_ray_all(body, &ray, NULL, NULL, NULL, NULL), first);
    return first;
}

START_TEST(arguments_are_checked)
{
    body_mesh mesh = mesh_box(2);
    body_scene s = scene_of_one(mesh);
    const double flat[12] = {1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0};
    const bvp_ray good = {{0, 0, 9}, {0, 0, -1}, 0, INFINITY};
    bvp_body body = {.file = s.file[0], .part = 0},
             singular = {.file = s.file[0], .part = 0, .placement = flat},
             absent = {.file = s.file[0], .part = 7};
    bvp_body nothing = {.file = NULL, .part = 0};
    bvp_ray ray = good;
    ck_assert_int_eq(try_ray(&body, good), BVP_OK);
    ck_assert_int_eq(try_ray(&singular, good), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(try_ray(&absent, good), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(try_ray(&nothing, good), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(try_ray(NULL, good), BVP_ERR_ARGUMENT);
    ray.origin[0] = NAN;
    ck_assert_int_eq(try_ray(&body, ray), BVP_ERR_ARGUMENT);
    ray = good, ray.direction[2] = 0;
    ck_assert_int_eq(try_ray(&body, ray), BVP_ERR_ARGUMENT);
    ray = good, ray.direction[1] = INFINITY;
    ck_assert_int_eq(try_ray(&body, ray), BVP_ERR_ARGUMENT);
    ray = good, ray.t_min = NAN;
    ck_assert_int_eq(try_ray(&body, ray), BVP_ERR_ARGUMENT);
    ray = good, ray.t_max = NAN;
    ck_assert_int_eq(try_ray(&body, ray), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_ray_first(&body, NULL, NULL, NULL), BVP_ERR_ARGUMENT);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

SUITE(test_ray)
{
    const TTest *const list[] = {answers_equal_brute_force,
                                 flat_bodies,
                                 closed_bodies_are_watertight,
                                 grids_of_planes,
                                 a_ball_is_round,
                                 ties_go_to_the_smaller_number,
                                 ranges_are_closed,
                                 a_callback_can_stop,
                                 degenerate_triangles_are_not_hit,
                                 batches_equal_single_calls,
                                 arguments_are_checked,
                                 NULL};
    const int plain = suite_run_within("ray", 120, list);
    oracle_has_rays = true;
    return suite_run_within("ray trees", 120, list) != 0 || plain != 0;
}
