/* SPDX-License-Identifier: MIT
 * test_instances.c: the instances in a box against rational arithmetic on every instance, the
 * nearest ones against the closest point of each alone.
 */
#include <gmp.h>

#include "body_cases.h"
#include "prim/place_bounds.h"
#include "prim/tri_box.h"
#include "suite.h"

enum { INSTANCES = 40, ROUNDS = 12, MOST = 4096 };

/* ---- by brute force, boxes ------------------------------------------------------------------- */

static void set_row_times_corner(mpq_t out, const double row[4], const double corner[3])
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    mpq_set_d(out, row[3]);
    for (int k = 0; k < 3; k++) {
        mpq_set_d(a, row[k]);
        mpq_set_d(b, corner[k]);
        mpq_mul(a, a, b);
        mpq_add(out, out, a);
    }
    mpq_clears(a, b, NULL);
}

/* All eight corners of a part's box, placed: the smallest and the largest on an axis. */
static void extent_of(const body_item *item, int axis, mpq_t lo, mpq_t hi)
{
    const float *side[2] = {item->placed.part.lo, item->placed.part.hi};
    mpq_t x;
    mpq_init(x);
    for (int k = 0; k < 8; k++) {
        const double corner[3] = {(double)side[k & 1][0], (double)side[k >> 1 & 1][1],
                                  (double)side[k >> 2][2]};
        set_row_times_corner(x, item->placed.at.placement.m + 4 * axis, corner);
        if (k == 0 || mpq_cmp(x, lo) < 0)
            mpq_set(lo, x);
        if (k == 0 || mpq_cmp(x, hi) > 0)
            mpq_set(hi, x);
    }
    mpq_clear(x);
}

static bool box_meets(const body_item *item, const double lo[3], const double hi[3])
{
    bool meets = true;
    mpq_t own_lo, own_hi, x;
    mpq_inits(own_lo, own_hi, x, NULL);
    for (int axis = 0; axis < 3; axis++) {
        extent_of(item, axis, own_lo, own_hi);
        mpq_set_d(x, hi[axis]);
        meets = meets && mpq_cmp(own_lo, x) <= 0;
        mpq_set_d(x, lo[axis]);
        meets = meets && mpq_cmp(own_hi, x) >= 0;
    }
    mpq_clears(own_lo, own_hi, x, NULL);
    return meets;
}

static bool triangle_meets(const body_item *item, const double lo[3], const double hi[3])
{
    for (uint64_t k = 0; k < item->count; k++)
        if (bvpi_tri_meets_box(item->tri + 9 * k, item->placed.at.placement.m, lo, hi))
            return true;
    return false;
}

static void check_box(const bvp_body *body, const bvp_body *baseline, const body_list *list,
                      const double lo[3], const double hi[3])
{
    for (int by_triangles = 0; by_triangles < 2; by_triangles++) {
        uint32_t found[INSTANCES], again[INSTANCES], expected[INSTANCES];
        uint64_t count, count_again, wanted = 0;
        bool seen[INSTANCES] = {false};
        ck_assert_int_eq(bvp_instances_in(body, bvp_box_region(lo, hi), by_triangles,
                                          (bvp_array){found, 0, INSTANCES}, &count, NULL),
                         BVP_OK);
        ck_assert_int_eq(bvp_instances_in(baseline, bvp_box_region(lo, hi), by_triangles,
                                          (bvp_array){again, 0, INSTANCES}, &count_again, NULL),
                         BVP_OK);
        ck_assert_uint_eq(count, count_again);
        ck_assert_int_eq(memcmp(found, again, count * sizeof *found), 0);
        for (uint32_t i = 0; i < list->count; i++)
            if (by_triangles ? triangle_meets(&list->items[i], lo, hi)
                             : box_meets(&list->items[i], lo, hi))
                expected[wanted++] = i;
        ck_assert_uint_eq(count, wanted);
        for (uint64_t k = 0; k < count; k++)
            seen[found[k]] = true;
        for (uint64_t k = 0; k < wanted; k++)
            ck_assert(seen[expected[k]]);
        if (count == 0)
            continue;
        ck_assert_int_eq(bvp_instances_in(body, bvp_box_region(lo, hi), by_triangles,
                                          (bvp_array){again, 0, count - 1}, &count_again, NULL),
                         BVP_ERR_LIMIT);
        ck_assert_uint_eq(count_again, count - 1);
        ck_assert_int_eq(memcmp(found, again, count_again * sizeof *found), 0);
    }
}

/* Around a point of the body, or with a side on, or one double beyond, a side of an instance. */
static void random_box(const body_list *list, double size, double lo[3], double hi[3])
{
    double p[3];
    point_of_body(list, case_int(2) == 0, p);
    for (int a = 0; a < 3; a++) {
        lo[a] = p[a] - size * exp2(-8 * fabs(case_unit())) * (case_int(6) != 0);
        hi[a] = p[a] + size * exp2(-8 * fabs(case_unit())) * (case_int(6) != 0);
    }
    if (case_int(2) == 0)
        return;
    const bvpi_placed_part *part = &list->items[case_int((int)list->count)].placed;
    const int axis = case_int(3), off = case_int(3) - 1;
    bvpi_bounds own;
    bvpi_place_bounds(part->at.placement.m, part->part.lo, part->part.hi, &own);
    for (int a = 0; a < 3; a++) {
        lo[a] = own.lo[a] - size;
        hi[a] = own.hi[a] + size;
    }
    const double side = case_int(2) ? own.lo[axis] : own.hi[axis];
    const double at = off == 0 ? side : nextafter(side, off * INFINITY);
    *(case_int(2) ? &lo[axis] : &hi[axis]) = at;
    if (lo[axis] > hi[axis])
        lo[axis] = hi[axis] = at;
}

static void ask_boxes(const bvp_body *body, const bvp_body *baseline, const body_list *list)
{
    const double size = size_of_body(list);
    for (int i = 0; i < 2 * ROUNDS; i++) {
        double lo[3], hi[3];
        random_box(list, size, lo, hi);
        check_box(body, baseline, list, lo, hi);
    }
}

/* ---- by brute force, nearest ----------------------------------------------------------------- */

static int by_distance(const void *a, const void *b)
{
    const bvp_closest_result *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->id.instance > y->id.instance) - (x->id.instance < y->id.instance);
}

/* Each instance on its own, as a part that stands there. */
static uint64_t nearest_of_each(const bvp_file *file, const body_list *list, const double point[3],
                                double most, bvp_closest_result *out)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const bvpi_placed_part *part = &list->items[i].placed;
        const bvp_body alone = {
            .file = file, .part = part->part_idx, .placement = part->at.placement.m};
        ck_assert_int_eq(bvp_closest(&alone, point, most, &out[count], NULL), BVP_OK);
        if (!out[count].found)
            continue;
        out[count++].id.instance = i;
    }
    qsort(out, count, sizeof *out, by_distance);
    return count;
}

static void check_nearest(const bvp_body *body, const bvp_body *baseline, const body_list *list,
                          const double point[3], double most, uint64_t capacity)
{
    static bvp_closest_result expected[MOST], found[MOST], again[MOST];
    uint64_t count, count_again;
    const uint64_t all = nearest_of_each(body->file, list, point, most, expected);
    ck_assert_int_eq(
        bvp_nearest_instances(body, point, most, (bvp_array){found, 0, capacity}, &count, NULL),
        BVP_OK);
    ck_assert_int_eq(bvp_nearest_instances(baseline, point, most, (bvp_array){again, 0, capacity},
                                           &count_again, NULL),
                     BVP_OK);
    ck_assert_uint_eq(count, all < capacity ? all : capacity);
    ck_assert_uint_eq(count, count_again);
    for (uint64_t k = 0; k < count; k++) {
        ck_assert_mem_eq(&found[k], &again[k], sizeof *found);
        ck_assert_double_eq(found[k].distance, expected[k].distance);
        ck_assert_mem_eq(found[k].point, expected[k].point, sizeof found[k].point);
        ck_assert_mem_eq(&found[k].id, &expected[k].id, sizeof found[k].id);
        ck_assert_int_eq(found[k].found, 1);
    }
}

static void ask_nearest(const bvp_body *body, const bvp_body *baseline, const body_list *list)
{
    static bvp_closest_result all[MOST];
    static const uint64_t capacities[] = {0, 1, 2, 5, INSTANCES - 1, INSTANCES, MOST};
    const double size = size_of_body(list);
    for (int i = 0; i < ROUNDS; i++) {
        double p[3], away = size * exp2(10 - case_int(24));
        point_of_body(list, case_int(2) == 0, p);
        for (int a = 0; a < 3; a++)
            p[a] += case_int(4) ? away * case_unit() : 0;
        const uint64_t capacity = capacities[case_int(7)];
        check_nearest(body, baseline, list, p, INFINITY, capacity);
        const uint64_t count = nearest_of_each(body->file, list, p, INFINITY, all);
        const double middle = all[case_int((int)count)].distance;
        check_nearest(body, baseline, list, p, case_int(2) ? middle : 0.9 * middle, capacity);
    }
}

START_TEST(answers_equal_brute_force)
{
    case_seed(1);
    for (int kind = 0; kind < 2 * PLACED_KINDS; kind++) {
        double m[12];
        body_scene s = scene_assembly(INSTANCES, kind >= PLACED_KINDS);
        place_random(kind % PLACED_KINDS, m);
        const double *at = kind % PLACED_KINDS == PLACED_NOT ? NULL : m;
        const bvp_body body = {.file = s.file[0], .part = BVP_ASSEMBLY, .placement = at};
        const bvp_body baseline = {.file = s.file[1], .part = BVP_ASSEMBLY, .placement = at};
        body_list list = list_of(&body);
        ask_boxes(&body, &baseline, &list);
        ask_nearest(&body, &baseline, &list);
        list_free(&list);
        scene_close(&s);
    }
}
END_TEST

/* ---- what is known --------------------------------------------------------------------------- */

/* Unit right triangles in the planes z = 0, 1, 2 ..., `n` of them. */
static body_scene scene_of_a_stack(uint32_t n)
{
    const float tri[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const body_mesh mesh = {(float *)tri, 1};
    uint32_t *parts = calloc(n, sizeof *parts);
    double *placements = calloc(n, 12 * sizeof *placements);
    for (uint32_t i = 0; i < n; i++) {
        case_identity(placements + 12 * i);
        placements[12 * i + 11] = i;
    }
    body_scene s = scene_of(&mesh, 1, parts, placements, n);
    free(parts);
    free(placements);
    return s;
}

START_TEST(a_box_is_closed)
{
    body_scene s = scene_of_a_stack(50);
    const bvp_body body = {.file = s.file[0], .part = BVP_ASSEMBLY};
    const double corner[3] = {1, 1, 10}, lo[3] = {-1, -1, -9}, hi[3] = {0, 0, 20};
    const double beyond[3] = {1, nextafter(1, 2), 10};
    uint32_t found[50];
    uint64_t count;
    ck_assert_int_eq(bvp_instances_in(&body, bvp_box_region(corner, corner), 0,
                                      (bvp_array){found, 0, 50}, &count, NULL),
                     BVP_OK);
    ck_assert(count == 1 && found[0] < 50); /* the box's corner, where no triangle is */
    ck_assert_int_eq(bvp_instances_in(&body, bvp_box_region(corner, corner), 1,
                                      (bvp_array){found, 0, 50}, &count, NULL),
                     BVP_OK);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(bvp_instances_in(&body, bvp_box_region(beyond, beyond), 0,
                                      (bvp_array){found, 0, 50}, &count, NULL),
                     BVP_OK);
    ck_assert_uint_eq(count, 0);
    for (int by_triangles = 0; by_triangles < 2; by_triangles++) {
        ck_assert_int_eq(bvp_instances_in(&body, bvp_box_region(lo, hi), by_triangles,
                                          (bvp_array){found, 0, 50}, &count, NULL),
                         BVP_OK);
        ck_assert_uint_eq(count, 21);
    }
    scene_close(&s);
}
END_TEST

/* Only what is in the box, or about as near as what is asked for, is entered. */
START_TEST(far_instances_are_not_entered)
{
    enum { COUNT = 1000 };
    body_scene s = scene_of_a_stack(COUNT);
    const bvp_body body = {.file = s.file[0], .part = BVP_ASSEMBLY};
    const double lo[3] = {0, 0, 500}, hi[3] = {1, 1, 509}, point[3] = {0.1, 0.1, 700.25};
    static const double expected[] = {0.25, 0.75, 1.25, 1.75};
    uint32_t found[COUNT];
    bvp_closest_result nearest[4];
    bvp_stats stats = {0};
    uint64_t count;
    ck_assert_int_eq(bvp_instances_in(&body, bvp_box_region(lo, hi), 0,
                                      (bvp_array){found, 0, COUNT}, &count, &stats),
                     BVP_OK);
    ck_assert_uint_eq(count, 10);
    ck_assert_uint_le(stats.instance_pairs, 20);
    stats.instance_pairs = 0;
    ck_assert_int_eq(
        bvp_nearest_instances(&body, point, INFINITY, (bvp_array){nearest, 0, 4}, &count, &stats),
        BVP_OK);
    ck_assert_uint_eq(count, 4);
    for (int k = 0; k < 4; k++)
        ck_assert_double_eq_tol(nearest[k].distance, expected[k], 1e-9);
    ck_assert_uint_le(stats.instance_pairs, 12);
    scene_close(&s);
}
END_TEST

/* From the centre of a ball all but a few are as near: more nodes wait than there is room for, and
 * the walk begins anew, comes by those few again. */
START_TEST(all_may_be_as_near)
{
    enum { COUNT = 3000 };
    const float tri[9] = {0, 0, 0, 0.01f, 0, 0, 0, 0.01f, 0};
    const body_mesh mesh = {(float *)tri, 1};
    static uint32_t parts[COUNT];
    static double placements[COUNT][12];
    const double centre[3] = {0, 0, 0};
    case_seed(2);
    for (int i = 0; i < COUNT; i++) {
        double *m = placements[i], length = 0;
        case_identity(m);
        for (int a = 0; a < 3; a++) {
            m[4 * a + 3] = case_unit();
            length = hypot(length, m[4 * a + 3]);
        }
        for (int a = 0; a < 3; a++)
            m[4 * a + 3] /= i % 100 == 0 ? 20 * length : length;
    }
    body_scene s = scene_of(&mesh, 1, parts, placements[0], COUNT);
    const bvp_body body = {.file = s.file[0], .part = BVP_ASSEMBLY};
    const bvp_body baseline = {.file = s.file[1], .part = BVP_ASSEMBLY};
    body_list list = list_of(&body);
    for (uint64_t capacity = 1; capacity <= COUNT; capacity *= 10)
        check_nearest(&body, &baseline, &list, centre, INFINITY, capacity);
    check_nearest(&body, &baseline, &list, centre, INFINITY, MOST);
    list_free(&list);
    scene_close(&s);
}
END_TEST

/* Turned about the point: distances differ by roundings, which their intervals hold. */
START_TEST(almost_as_near_is_told_apart)
{
    enum { COUNT = 300 };
    const float tri[9] = {0.3f, 0.4f, 1.1f, 1.7f, -0.2f, 0.9f, -0.6f, 2.3f, 1.3f};
    const body_mesh mesh = {(float *)tri, 1};
    static uint32_t parts[COUNT];
    static double placements[COUNT][12];
    const double centre[3] = {0, 0, 0};
    case_seed(3);
    for (int i = 0; i < COUNT; i++) {
        case_rotation(placements[i]);
        case_scale(placements[i], i % 2 ? 1 : -1);
    }
    body_scene s = scene_of(&mesh, 1, parts, placements[0], COUNT);
    const bvp_body body = {.file = s.file[0], .part = BVP_ASSEMBLY};
    const bvp_body baseline = {.file = s.file[1], .part = BVP_ASSEMBLY};
    body_list list = list_of(&body);
    for (uint64_t capacity = 1; capacity < COUNT; capacity += 7)
        check_nearest(&body, &baseline, &list, centre, INFINITY, capacity);
    list_free(&list);
    scene_close(&s);
}
END_TEST

START_TEST(arguments_are_checked)
{
    body_scene s = scene_of_a_stack(3);
    const bvp_body body = {.file = s.file[0], .part = BVP_ASSEMBLY}, part = {.file = s.file[0]};
    const double a[3] = {0, 0, 0}, b[3] = {1, 1, 1}, bad[3] = {0, NAN, 0};
    bvp_closest_result near[3];
    uint32_t found[3];
    uint64_t count;
#define IN_BOX(body, lo, hi, base, room, count)                                                    \
    bvp_instances_in(body, bvp_box_region(lo, hi), 0, (bvp_array){base, 0, room}, count, NULL)
    ck_assert_int_eq(IN_BOX(&body, b, a, found, 3, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(IN_BOX(&body, a, bad, found, 3, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(IN_BOX(&body, NULL, b, found, 3, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(IN_BOX(&part, a, b, found, 3, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(IN_BOX(&body, a, b, NULL, 3, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(IN_BOX(&body, a, b, found, 3, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(IN_BOX(&body, a, b, NULL, 0, &count), BVP_ERR_LIMIT);
    ck_assert_int_eq(
        bvp_instances_in(&body, bvp_ball_region(a, 1), 0, (bvp_array){found, 0, 3}, &count, NULL),
        BVP_ERR_ARGUMENT);
#define NEAREST(body, point, most, base, room, count)                                              \
    bvp_nearest_instances(body, point, most, (bvp_array){base, 0, room}, count, NULL)
    ck_assert_int_eq(NEAREST(&body, bad, 1, near, 3, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(NEAREST(&body, a, NAN, near, 3, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(NEAREST(&body, a, -1, near, 3, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(NEAREST(&part, a, 1, near, 3, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(NEAREST(&body, a, 1, NULL, 3, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(NEAREST(&body, a, 1, near, 3, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(NEAREST(NULL, a, 1, near, 3, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(NEAREST(&body, a, 1, NULL, 0, &count), BVP_OK);
    ck_assert_uint_eq(count, 0);
    scene_close(&s);
}
END_TEST

SUITE(test_instances)
{
    const TTest *const tests[] = {answers_equal_brute_force,
                                  a_box_is_closed,
                                  far_instances_are_not_entered,
                                  all_may_be_as_near,
                                  almost_as_near_is_told_apart,
                                  arguments_are_checked,
                                  NULL};
    return suite_run("instances", tests);
}
