/* SPDX-License-Identifier: MIT
 * test_overlap.c: the triangles in boxes, balls and convex regions against brute force over all
 * triangles; touching, order, arguments.
 */
#include "body_cases.h"
#include "prim/tri_ball.h"
#include "prim/tri_box.h"
#include "query/near/overlap.h"
#include "suite.h"

enum { REGIONS = 30, HITS_MOST = 1 << 16 };

/* ---- asking ---------------------------------------------------------------------------------- */

typedef struct hits {
    bvp_hit_id *ids;
    uint64_t count;
    uint64_t stop_at;
} hits;

static int add_hit(void *user, const bvp_hit_id *id)
{
    hits *h = user;
    ck_assert_uint_lt(h->count, HITS_MOST);
    h->ids[h->count++] = *id;
    return h->count == h->stop_at;
}

static bvp_status ask_region(const bvp_body *body, const bvpi_region *r, bvp_hit_fn callback,
                             void *user, uint64_t *count, bvp_stats *stats)
{
    switch (r->kind) {
    case BVP_REGION_BOX:
        return bvp_overlap(body, bvp_box_region(r->lo, r->hi), callback, user, count, stats);
    case BVP_REGION_BALL:
        return bvp_overlap(body, bvp_ball_region(r->centre, r->radius), callback, user, count,
                           stats);
    default:
        return bvp_overlap(body, bvp_convex_region(r->planes, r->plane_count), callback, user,
                           count, stats);
    }
}

static bool holds(const bvpi_region *r, const double *m, const float tri[9])
{
    switch (r->kind) {
    case BVP_REGION_BOX:
        return bvpi_tri_meets_box(tri, m, r->lo, r->hi);
    case BVP_REGION_BALL:
        return bvpi_tri_meets_ball(tri, m, r->centre, r->radius);
    default:
        return bvpi_tri_meets_region(tri, m, r->planes, r->plane_count);
    }
}

static int by_place(const void *a, const void *b)
{
    const bvp_hit_id *x = a, *y = b;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static void check_region(const bvp_body *body, const bvp_body *baseline, const body_list *list,
                         const bvpi_region *region)
{
    static bvp_hit_id found[HITS_MOST], again[HITS_MOST];
    hits h = {.ids = found}, h_baseline = {.ids = again};
    uint64_t count, at = 0;
    bvp_stats stats = {0}, stats_baseline = {0};
    ck_assert_int_eq(ask_region(body, region, add_hit, &h, &count, &stats), BVP_OK);
    ck_assert_uint_eq(count, h.count);
    ck_assert_int_eq(ask_region(baseline, region, add_hit, &h_baseline, NULL, &stats_baseline),
                     BVP_OK);
    ck_assert_uint_eq(h_baseline.count, count);
    ck_assert_int_eq(memcmp(found, again, count * sizeof *found), 0);
    ck_assert_mem_eq(&stats, &stats_baseline, sizeof stats);
    qsort(found, count, sizeof *found, by_place);
    for (uint32_t i = 0; i < list->count; i++) {
        const body_item *item = &list->items[i];
        for (uint64_t k = 0; k < item->count; k++) {
            if (!holds(region, item->placed.at.placement.m, item->tri + 9 * k))
                continue;
            ck_assert_msg(at < count, "a triangle was missed");
            bvp_hit_id id = {item->placed.instance, item->placed.part_idx, k, item->ids[k]};
            ck_assert_mem_eq(&found[at], &id, sizeof id);
            at++;
        }
    }
    ck_assert_msg(at == count, "a triangle was reported that is not there, or twice");
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Around a point of the body: from a point to half of it. */
static void random_box(const double p[3], double size, bvpi_region *r)
{
    r->kind = BVP_REGION_BOX;
    for (int a = 0; a < 3; a++) {
        const double low = size * exp2(-12 * fabs(case_unit())) * (case_int(6) != 0);
        const double high = size * exp2(-12 * fabs(case_unit())) * (case_int(6) != 0);
        r->lo[a] = p[a] - low;
        r->hi[a] = p[a] + high;
    }
}

static void random_ball(const double p[3], double size, bvpi_region *r)
{
    r->kind = BVP_REGION_BALL;
    r->radius = size * exp2(-12 * fabs(case_unit())) * (case_int(6) != 0);
    for (int a = 0; a < 3; a++)
        r->centre[a] = p[a] + (case_int(2) ? r->radius * case_unit() : 0);
}

/* Planes near the point, most of which have it inside. */
static void random_convex(const double p[3], double size, bvpi_region *r, double *planes)
{
    r->kind = BVP_REGION_CONVEX;
    r->planes = planes;
    r->plane_count = 1 + (uint32_t)case_int(BVPI_REGION_PLANES);
    for (uint32_t i = 0; i < r->plane_count; i++) {
        double *n = planes + 4 * i, length = 0;
        for (int a = 0; a < 3; a++) {
            n[a] = case_unit() * (case_int(4) != 0);
            length = hypot(length, n[a]);
        }
        if (length == 0)
            length = n[case_int(3)] = 1;
        n[3] = -(n[0] * p[0] + n[1] * p[1] + n[2] * p[2]) +
               length * size * (fabs(case_unit()) - 0.03) * 0.7;
    }
}

static void ask(const bvp_body *body, const bvp_body *baseline)
{
    body_list list = list_of(body);
    const double size = size_of_body(&list);
    for (int i = 0; i < REGIONS; i++) {
        double p[3], planes[4 * BVPI_REGION_PLANES];
        bvpi_region r = {.planes = planes};
        point_of_body(&list, case_int(2) == 0, p);
        if (i % 3 == 0)
            random_box(p, size, &r);
        else if (i % 3 == 1)
            random_ball(p, size, &r);
        else
            random_convex(p, size, &r, planes);
        check_region(body, baseline, &list, &r);
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

static uint64_t count_in_box(const bvp_body *body, double x0, double x1, double y0, double y1,
                             double z0, double z1)
{
    const double lo[3] = {x0, y0, z0}, hi[3] = {x1, y1, z1};
    uint64_t count = 99;
    ck_assert_int_eq(bvp_overlap(body, bvp_box_region(lo, hi), NULL, NULL, &count, NULL), BVP_OK);
    return count;
}

/* One triangle: (0,0,0) (4,0,0) (0,4,0). */
/* Spaces behind a plane along a flat body, which touches it, but for rounding, in one corner: what
 * the plane is in part coordinates is far less than what it is summed from. */
START_TEST(planes_along_flat_bodies)
{
    body_mesh mesh = mesh_sphere(6);
    body_scene s = scene_of_one(mesh);
    case_seed(2);
    for (int i = 0; i < 200; i++) {
        double m[12], plane[4];
        long double most = -INFINITY;
        place_random(PLACED_FLAT, m);
        for (int k = 0; k < 3; k++) {
            const int x = (k + 1) % 3, y = (k + 2) % 3;
            plane[k] = m[4 * x] * m[4 * y + 1] - m[4 * y] * m[4 * x + 1];
        }
        for (uint64_t corner = 0; corner < 3 * mesh.count; corner++) {
            const float *p = mesh.tri + 3 * corner;
            long double at = 0;
            for (int k = 0; k < 12; k++)
                at += (long double)plane[k / 4] * m[k] * (k % 4 < 3 ? (double)p[k % 4] : 1);
            most = fmaxl(most, at);
        }
        plane[3] = -(double)most;
        const bvp_body body = {.file = s.file[0], .part = 0, .placement = m};
        const bvp_body baseline = {.file = s.file[1], .part = 0, .placement = m};
        const bvpi_region r = {.kind = BVP_REGION_CONVEX, .planes = plane, .plane_count = 1};
        body_list list = list_of(&body);
        check_region(&body, &baseline, &list, &r);
        list_free(&list);
    }
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

START_TEST(touching_counts)
{
    const float tri[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    const double tiny = 0x1p-1040;
    body_mesh mesh = {(float *)tri, 1};
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0};
    ck_assert_uint_eq(count_in_box(&body, 4, 5, -1, 1, -1, 1), 1);    /* a corner */
    ck_assert_uint_eq(count_in_box(&body, 2, 3, 2, 3, -1, 0), 1);     /* an edge, by a corner */
    ck_assert_uint_eq(count_in_box(&body, 2.001, 3, 2, 3, -1, 1), 0); /* past it */
    ck_assert_uint_eq(count_in_box(&body, 1, 1, 1, 1, 0, 0), 1);      /* a point in it */
    ck_assert_uint_eq(count_in_box(&body, 1, 1, 1, 1, tiny, 1), 0);   /* just above it */
    ck_assert_uint_eq(count_in_box(&body, -9, 9, -9, 9, -9, 9), 1);   /* around it */
    const double centre[3] = {1, 1, 3}, above[3] = {4, 0, 2};
    uint64_t count;
    ck_assert_int_eq(bvp_overlap(&body, bvp_ball_region(centre, 3), NULL, NULL, &count, NULL),
                     BVP_OK);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(
        bvp_overlap(&body, bvp_ball_region(centre, 2.9999999999999996), NULL, NULL, &count, NULL),
        BVP_OK);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(bvp_overlap(&body, bvp_ball_region(above, 2), NULL, NULL, &count, NULL),
                     BVP_OK);
    ck_assert_uint_eq(count, 1);
    const double corner[4] = {1, 0, 0, -4}, beyond[4] = {1, 0, 0, -4.000000000000001};
    ck_assert_int_eq(bvp_overlap(&body, bvp_convex_region(corner, 1), NULL, NULL, &count, NULL),
                     BVP_OK);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(bvp_overlap(&body, bvp_convex_region(beyond, 1), NULL, NULL, &count, NULL),
                     BVP_OK);
    ck_assert_uint_eq(count, 0);
    scene_close(&s);
}
END_TEST

START_TEST(hits_come_in_the_order_of_storage)
{
    static bvp_hit_id found[HITS_MOST];
    body_mesh mesh = mesh_sphere(40);
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0};
    const double lo[3] = {-2, -2, -2}, hi[3] = {2, 2, 2};
    hits h = {.ids = found};
    ck_assert_int_eq(bvp_overlap(&body, bvp_box_region(lo, hi), add_hit, &h, NULL, NULL), BVP_OK);
    ck_assert_uint_eq(h.count, mesh.count);
    for (uint64_t i = 0; i < h.count; i++)
        ck_assert_uint_eq(found[i].triangle, i);
    h = (hits){.ids = found, .stop_at = 17};
    ck_assert_int_eq(bvp_overlap(&body, bvp_box_region(lo, hi), add_hit, &h, NULL, NULL), BVP_OK);
    ck_assert_uint_eq(h.count, 17);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* ---- arguments ------------------------------------------------------------------------------- */

START_TEST(arguments_are_checked)
{
    body_mesh mesh = mesh_box(2);
    body_scene s = scene_of_one(mesh);
    bvp_body body = {.file = s.file[0], .part = 0}, absent = {.file = s.file[0], .part = 1};
    const double a[3] = {0, 0, 0}, b[3] = {1, 1, 1}, bad[3] = {0, NAN, 0},
                 inf[3] = {1, 1, INFINITY};
    double planes[17 * 4] = {1, 0, 0, 0};
    for (int axis = 0; axis < 3; axis++) {
        double below[3] = {1, 1, 1};
        below[axis] = -1;
        ck_assert_int_eq(bvp_overlap(&body, bvp_box_region(a, below), NULL, NULL, NULL, NULL),
                         BVP_ERR_ARGUMENT);
    }
    ck_assert_int_eq(bvp_overlap(&body, bvp_box_region(bad, b), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap(&body, bvp_box_region(a, inf), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap(&body, bvp_box_region(NULL, b), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap(&absent, bvp_box_region(a, b), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap(NULL, bvp_box_region(a, b), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap(&body, bvp_ball_region(a, -1), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap(&body, bvp_ball_region(a, NAN), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap(&body, bvp_ball_region(bad, 1), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap(&body, bvp_convex_region(planes, 1), NULL, NULL, NULL, NULL),
                     BVP_OK);
    ck_assert_int_eq(bvp_overlap(&body, bvp_convex_region(planes, 0), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap(&body, bvp_convex_region(planes, 17), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_overlap(&body, bvp_convex_region(planes, 2), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT); /* the second one has no normal */
    ck_assert_int_eq(bvp_overlap(&body, bvp_convex_region(NULL, 1), NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

SUITE(test_overlap)
{
    const TTest *const list[] = {answers_equal_brute_force, planes_along_flat_bodies,
                                 touching_counts,           hits_come_in_the_order_of_storage,
                                 arguments_are_checked,     NULL};
    return suite_run_within("overlap", 120, list);
}
