/* SPDX-License-Identifier: MIT
 * test_inside.c: inside against exact crossings of all triangles with another ray, and against
 * sums of their solid angles; cost, batches, arguments. Shells whose answers are known:
 * test_solid.c.
 */
#include "body_cases.h"
#include "prim/ray_crossing.h"
#include "prim/tri_box.h"
#include "prim/tri_ray.h"
#include "query/solid/solid.h"
#include "suite.h"

enum { POINTS = 60 };

/* ---- brute force ----------------------------------------------------------------------------- */

static double turn_of(const double m[12])
{
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

/* The sum of solid angles over the whole sphere's, of triangles at p relative to a point. */
static double winding_of(const float *tri, uint64_t count, const double m[12], const double at[3])
{
    long double sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        long double p[3][3], l[3];
        for (int k = 0; k < 3; k++) {
            for (int a = 0; a < 3; a++)
                p[k][a] = (long double)m[4 * a] * tri[9 * i + 3 * k] +
                          (long double)m[4 * a + 1] * tri[9 * i + 3 * k + 1] +
                          (long double)m[4 * a + 2] * tri[9 * i + 3 * k + 2] +
                          ((long double)m[4 * a + 3] - at[a]);
            l[k] = sqrtl(p[k][0] * p[k][0] + p[k][1] * p[k][1] + p[k][2] * p[k][2]);
        }
        long double det = 0, dot[3] = {0, 0, 0};
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            det += p[0][a] * (p[1][b] * p[2][c] - p[1][c] * p[2][b]);
            for (int k = 0; k < 3; k++)
                dot[k] += p[k][a] * p[(k + 1) % 3][a];
        }
        sum += 2 * atan2l(det, l[0] * l[1] * l[2] + dot[0] * l[2] + dot[1] * l[0] + dot[2] * l[1]);
    }
    return (double)(sum / (4 * M_PI));
}

/* Exits minus entries of a ray in any direction, over all triangles; exact. */
static double crossings_of(const body_item *item, const double from[3])
{
    const bvpi_placement *placement = &item->placed.at.placement;
    const double way[3] = {case_unit(), case_unit(), 1 + fabs(case_unit())}, *m = placement->m;
    bvpi_tri_ray ray;
    bvpi_tri_ray_hit hit;
    int sum = 0;
    ck_assert_int_eq(bvpi_tri_ray_init(&ray, placement, from, way, item->placed.at.bound), BVP_OK);
    for (uint64_t i = 0; i < item->count; i++)
        if (bvpi_tri_ray1(&ray, item->tri + 9 * i, 0, INFINITY, &hit))
            sum += bvpi_ray_crossing_exactly(from, way, item->tri + 9 * i, m);
    return sum * (turn_of(m) < 0 ? -1 : 1);
}

static double distance_to(const body_item *item, const bvp_file *file, const double point[3])
{
    const bvp_body body = {
        .file = file, .part = item->placed.part_idx, .placement = item->placed.at.placement.m};
    bvp_closest_result found;
    ck_assert_int_eq(bvp_closest(&body, point, INFINITY, &found, NULL), BVP_OK);
    return found.distance;
}

typedef struct expected {
    bvp_where where;
    double winding;
    bool is_known;
} expected;

static expected expect_item(const body_item *item, const bvp_file *file, const double point[3])
{
    static const double none[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const bvpi_placement *placement = &item->placed.at.placement;
    expected out = {.where = BVP_WHERE_OUTSIDE, .is_known = true};
    double local[3], err[3];
    bvp_part_info info;
    for (uint64_t k = 0; k < item->count; k++)
        if (bvpi_tri_meets_box(item->tri + 9 * k, placement->m, point, point)) {
            out.where = BVP_WHERE_SURFACE;
            return out;
        }
    bvpi_placement_point_to_part(placement, point, local, err);
    for (int a = 0; a < 3; a++) {
        const double lo = (double)item->placed.part.lo[a], hi = (double)item->placed.part.hi[a];
        if (local[a] < lo - err[a] || local[a] > hi + err[a])
            return out;
        out.is_known = out.is_known && !(local[a] < lo + err[a]) && !(local[a] > hi - err[a]);
    }
    ck_assert_int_eq(bvp_get_part(file, item->placed.part_idx, &info), BVP_OK);
    if (info.open_edge_count > 0) { /* angles as the world sees them */
        out.where = BVP_WHERE_OPEN;
        out.winding = winding_of(item->tri, item->count, placement->m, point);
        out.winding *= turn_of(placement->m) < 0 ? -1 : 1;
        return out;
    }
    /* around a closed surface the number is the same before the placement */
    out.winding = crossings_of(item, point);
    out.where = out.winding != 0 ? BVP_WHERE_INSIDE : BVP_WHERE_OUTSIDE;
    if (distance_to(item, file, point) > 1e-9 && !(fmax(err[0], fmax(err[1], err[2])) > 1e-8))
        ck_assert_double_eq_tol(out.winding, winding_of(item->tri, item->count, none, local), 1e-6);
    return out;
}

static int rank(bvp_where where)
{
    return where == BVP_WHERE_OPEN ? 1 : where == BVP_WHERE_SURFACE ? 2 : 3 * (where != 0);
}

/* counted: how often each answer was right. */
static uint64_t counted[4];

static void check_point(const bvp_body *body, const bvp_body *baseline, const body_list *list,
                        const double point[3])
{
    bvp_inside_result found, again;
    bvp_where best = BVP_WHERE_OUTSIDE;
    bool is_known = true;
    ck_assert_int_eq(bvp_inside(body, point, &found, NULL), BVP_OK);
    ck_assert_int_eq(bvp_inside(baseline, point, &again, NULL), BVP_OK);
    ck_assert_mem_eq(&found, &again, sizeof found);
    ck_assert_int_eq(bvpi_solid_where(&list->placed, point, false, NULL, &again, NULL), BVP_OK);
    ck_assert_int_eq(found.where, again.where);
    ck_assert_double_eq(again.winding, found.where == BVP_WHERE_OPEN ? 0 : found.winding);
    for (uint32_t i = 0; i < list->count; i++) {
        const body_item *item = &list->items[i];
        const expected one = expect_item(item, body->file, point);
        is_known = is_known && one.is_known;
        if (rank(one.where) > rank(best))
            best = one.where;
        if (found.where == BVP_WHERE_OUTSIDE || found.instance != item->placed.instance)
            continue;
        ck_assert(!one.is_known || one.where == found.where);
        const bvpi_placement *at = &item->placed.at.placement;
        const bool is_sure = at->size_min > 1e-6 * at->size_max && /* else angles are rounding */
                             distance_to(item, body->file, point) > 1e-9 * at->size_max;
        if (one.where != BVP_WHERE_OPEN || is_sure)
            ck_assert_double_eq_tol(found.winding, one.winding, 1e-7);
    }
    if (is_known) {
        ck_assert_int_eq(found.where, best);
        counted[best]++;
    }
    ck_assert(found.where != BVP_WHERE_OUTSIDE || found.instance == BVP_NONE);
}

static void ask(const bvp_body *body, const bvp_body *baseline)
{
    body_list list = list_of(body);
    const double size = size_of_body(&list);
    for (int i = 0; i < POINTS; i++) {
        double p[3], q[3];
        point_of_body(&list, case_int(2) == 0, p);
        point_of_body(&list, false, q);
        for (int a = 0; a < 3; a++) /* on the body, or between two of its points, or near it */
            p[a] = i % 4 == 0   ? p[a]
                   : i % 4 == 1 ? p[a] + 0.3 * size * case_unit()
                                : p[a] / 2 + q[a] / 2;
        check_point(body, baseline, &list, p);
    }
    list_free(&list);
}

START_TEST(answers_equal_brute_force)
{
    case_seed(21);
    for_all_bodies(ask);
    for (int k = 0; k < 4; k++)
        ck_assert_uint_gt(counted[k], 100);
}
END_TEST

enum { BOX_TRIANGLES = 12 };

/* Two boxes on one another with one wall between them: no edge is open, but a ray through the wall
 * counts it. */
START_TEST(inner_walls_are_not_trusted)
{
    const float levels[3] = {0, 0.3F, 1.1F};
    body_mesh mesh = mesh_new(2 * BOX_TRIANGLES);
    mesh.count = 0;
    for (int k = 0; k < 2; k++) {
        body_mesh box = mesh_box(1);
        for (uint64_t t = 0; t < box.count; t++) {
            float *tri = box.tri + 9 * t;
            const bool is_wall = k == 1 && tri[2] + tri[5] + tri[8] == 0;
            for (int v = 0; v < 3; v++)
                tri[3 * v + 2] = levels[k + (tri[3 * v + 2] > 0)];
            if (!is_wall)
                memcpy(mesh.tri + 9 * mesh.count++, tri, 9 * sizeof(float));
        }
        free(box.tri);
    }
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0]};
    bvp_part_info info;
    int inside = 0;
    case_seed(26);
    ck_assert_int_eq(bvp_get_part(s.file[0], 0, &info), BVP_OK);
    ck_assert(info.open_edge_count == 0 && info.nonmanifold_edge_count == 4);
    for (int i = 0; i < 1000; i++) {
        bvp_inside_result found;
        double p[3];
        for (int axis = 0; axis < 3; axis++)
            p[axis] = fabs(case_unit()) * (double)info.hi[axis];
        ck_assert_int_eq(bvp_inside(&body, p, &found, NULL), BVP_OK);
        ck_assert_int_ne(found.where, BVP_WHERE_OUTSIDE);
        inside += found.where == BVP_WHERE_INSIDE;
    }
    ck_assert_int_gt(inside, 100);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* Two slabs, one with a face that is turned the wrong way: from between them a ray through that
 * slab does not add up to 0. */
START_TEST(turned_faces_are_told_from_solids)
{
    const float from[2] = {0, 3}, size[2] = {1, 0.5F};
    body_mesh mesh = mesh_new(2 * BOX_TRIANGLES);
    mesh.count = 0;
    for (int k = 0; k < 2; k++) {
        body_mesh box = mesh_box(1);
        for (uint64_t t = 0; t < box.count; t++) {
            float *tri = box.tri + 9 * t, corner[3];
            const bool is_turned = k == 1 && tri[0] > 0 && tri[3] > 0 && tri[6] > 0;
            for (int v = 0; v < 3; v++) {
                tri[3 * v] = from[k] + (tri[3 * v] > 0 ? size[k] : 0);
                tri[3 * v + 1] *= 5;
                tri[3 * v + 2] *= 9;
            }
            if (is_turned) {
                memcpy(corner, tri, sizeof corner);
                memcpy(tri, tri + 3, sizeof corner);
                memcpy(tri + 3, corner, sizeof corner);
            }
            memcpy(mesh.tri + 9 * mesh.count++, tri, 9 * sizeof(float));
        }
        free(box.tri);
    }
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0]};
    case_seed(27);
    for (int i = 0; i < 200; i++) {
        bvp_inside_result found;
        const double p[3] = {2.5 + 0.4 * case_unit(), 4.5 + case_unit(), 4.5 + case_unit()};
        ck_assert_int_eq(bvp_inside(&body, p, &found, NULL), BVP_OK);
        ck_assert_int_eq(found.where, BVP_WHERE_OUTSIDE);
    }
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* ---- cost, batches, arguments ---------------------------------------------------------------- */

START_TEST(a_ray_is_enough)
{
    body_mesh mesh = mesh_sphere(128);
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0]};
    bvp_stats stats = {0};
    case_seed(24);
    for (int i = 0; i < 100; i++) {
        bvp_inside_result found;
        const double p[3] = {case_unit(), case_unit(), case_unit()};
        ck_assert_int_eq(bvp_inside(&body, p, &found, &stats), BVP_OK);
    }
    ck_assert_uint_lt(stats.triangles, 100 * mesh.count / 500);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

START_TEST(batches_equal_single_calls)
{
    enum { MANY = 300 };
    static struct {
        double point[3], more;
    } asked[MANY];
    static struct {
        bvp_signed_result result;
        char more[24];
    } results[MANY];
    static bvp_inside_result inside[MANY];
    body_scene s = scene_assembly(20, false);
    const bvp_body body = {.file = s.file[0], .part = BVP_ASSEMBLY};
    size_t done;
    case_seed(25);
    for (int i = 0; i < MANY; i++)
        for (int a = 0; a < 3; a++)
            asked[i].point[a] = 8 * case_unit();
    const bvp_const_array points = {asked, sizeof asked[0], MANY};
    ck_assert_int_eq(bvp_signed_closest_batch(&body, points, 2,
                                              (bvp_array){results, sizeof results[0], MANY}, &done,
                                              NULL),
                     BVP_OK);
    ck_assert_uint_eq(done, MANY);
    ck_assert_int_eq(bvp_inside_batch(&body, points, (bvp_array){inside, 0, MANY}, &done, NULL),
                     BVP_OK);
    ck_assert_uint_eq(done, MANY);
    for (int i = 0; i < MANY; i++) {
        bvp_signed_result one_signed;
        bvp_inside_result one_inside;
        ck_assert_int_eq(bvp_signed_closest(&body, asked[i].point, 2, &one_signed, NULL), BVP_OK);
        ck_assert_int_eq(bvp_inside(&body, asked[i].point, &one_inside, NULL), BVP_OK);
        ck_assert_mem_eq(&one_signed, &results[i].result, sizeof one_signed);
        ck_assert_mem_eq(&one_inside, &inside[i], sizeof one_inside);
        ck_assert_mem_eq(&one_inside, &one_signed.inside, sizeof one_inside);
    }
    asked[7].point[1] = NAN;
    ck_assert_int_eq(bvp_inside_batch(&body, points, (bvp_array){inside, 0, MANY}, &done, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_uint_eq(done, 7);
    scene_close(&s);
}
END_TEST

START_TEST(bad_arguments)
{
    body_mesh mesh = mesh_box(2);
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0]}, none = {.file = NULL},
                   beyond = {.file = s.file[0], .part = 5};
    const double point[3] = {0, 0, 0}, infinite[3] = {0, INFINITY, 0};
    const int stop = 1;
    const bvp_control control = {.cancel = &stop};
    const bvp_body ended = {.file = s.file[0], .control = &control};
    bvp_inside_result inside;
    bvp_signed_result result;
    size_t done = 9;
    ck_assert_int_eq(bvp_inside(NULL, point, &inside, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_inside(&none, point, &inside, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_inside(&beyond, point, &inside, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_inside(&body, NULL, &inside, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_inside(&body, point, NULL, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_inside(&body, infinite, &inside, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_signed_closest(&body, point, -1, &result, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_signed_closest(&body, point, NAN, &result, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_inside(&ended, point, &inside, NULL), BVP_ERR_CANCELLED);
    ck_assert_int_eq(inside.where, BVP_WHERE_OUTSIDE);
    ck_assert_int_eq(bvp_signed_closest(&ended, point, 1, &result, NULL), BVP_ERR_CANCELLED);
    ck_assert_int_eq(result.nearest.found, 0);
    ck_assert_int_eq(bvp_inside_batch(&body, (bvp_const_array){NULL, 0, 0}, (bvp_array){NULL, 0, 0},
                                      &done, NULL),
                     BVP_OK);
    ck_assert_uint_eq(done, 0);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

SUITE(test_inside)
{
    return suite_run("inside",
                     (const TTest *const[]){answers_equal_brute_force, inner_walls_are_not_trusted,
                                            turned_faces_are_told_from_solids, a_ray_is_enough,
                                            batches_equal_single_calls, bad_arguments, NULL});
}
