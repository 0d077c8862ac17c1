/* SPDX-License-Identifier: MIT
 * test_convex.c: queries of bodies and convex bodies, against brute force over all triangles and
 * against meshes of the same shapes; limits, filters, arguments. tests/unit/test_convex_tri.c
 * holds what a single triangle's answer promises.
 */
#include "body_cases.h"
#include "prim/convex_tri.h"
#include "suite.h"

enum { SHAPES = 15 };

typedef struct convex_case {
    bvp_convex given;
    double points[24], m[12];
} convex_case;

/* A convex body of about this size: near a point of the body, or some sizes away. */
static void random_convex(convex_case *c, bvp_convex_kind kind, const body_list *list, double size)
{
    static const double reach[] = {0, 0.01, 0.3, 3, 1e4, 1e8, 1e12};
    const double away = size * reach[case_int(sizeof reach / sizeof reach[0])];
    const double own = size * exp2(-8 * fabs(case_unit()));
    double at[3];
    memset(c, 0, sizeof *c);
    c->given.kind = kind;
    c->given.radius = own * fabs(case_unit());
    c->given.length = case_int(4) == 0 ? 0 : own * fabs(case_unit());
    for (int a = 0; a < 3; a++)
        c->given.size[a] = case_int(4) == 0 ? 0 : own * fabs(case_unit());
    for (int k = 0; k < 24; k++)
        c->points[k] = own * case_unit();
    c->given.points = c->points;
    c->given.point_count = 1 + (uint32_t)case_int(8);
    case_rotation(c->m);
    if (case_int(4) == 0)
        case_identity(c->m);
    if ((kind == BVP_CONVEX_BOX || kind == BVP_CONVEX_HULL) && case_int(3) == 0)
        for (int i = 0; i < 12; i++)
            c->m[i] *= i % 4 == 1 ? 0.3 : 2;
    point_of_body(list, case_int(2) == 0, at);
    for (int a = 0; a < 3; a++)
        c->m[4 * a + 3] = at[a] + away * case_unit();
    c->given.placement = c->m;
}

/* ---- brute force ----------------------------------------------------------------------------- */

typedef struct all_answers {
    bvp_distance_result best;
    uint64_t touching;
} all_answers;

static void try_triangle(const body_item *item, const bvpi_convex_pose *pose, uint64_t k,
                         all_answers *out)
{
    bvpi_convex_tri t;
    bvp_distance_result *best = &out->best;
    bvpi_convex_tri1(pose, item->tri + 9 * k, INFINITY, -1, &t);
    out->touching += t.lo == 0;
    const double lower = best->found ? fmin(best->lower, t.lo) : t.lo;
    if (!best->found || t.hi < best->distance) { /* items and triangles break ties in order */
        *best = (bvp_distance_result){.found = 1, .distance = t.hi};
        best->a = (bvp_hit_id){item->placed.instance, item->placed.part_idx, k, item->ids[k]};
        memcpy(best->point_a, t.point_tri, sizeof best->point_a);
        memcpy(best->point_b, t.point_convex, sizeof best->point_b);
    }
    best->lower = lower;
}

static all_answers brute_force(const body_list *list, const bvpi_convex *convex)
{
    all_answers all = {.touching = 0};
    for (uint32_t i = 0; i < list->count; i++) {
        const body_item *item = &list->items[i];
        bvpi_convex_pose pose;
        bvpi_convex_pose_init(&pose, convex, item->placed.at.placement.m, item->placed.at.corner);
        for (uint64_t k = 0; k < item->count; k++)
            try_triangle(item, &pose, k, &all);
    }
    return all;
}

static bool is_same(const bvp_distance_result *found, const bvp_distance_result *expected)
{
    if (found->distance != expected->distance || found->lower > found->distance)
        return false;
    if (found->distance == 0) /* any triangle that touches */
        return true;
    return memcmp(&found->a, &expected->a, sizeof found->a) == 0 &&
           memcmp(found->point_a, expected->point_a, sizeof found->point_a) == 0 &&
           memcmp(found->point_b, expected->point_b, sizeof found->point_b) == 0 &&
           found->b.instance == BVP_NONE && found->b.triangle == BVP_NO_TRIANGLE;
}

static int stop_at_second(void *user, const bvp_hit_id *id)
{
    (void)id;
    return ++*(int *)user == 2;
}

/* Counts answers that are wrong. */
static int check_convex(const bvp_body *body, const bvp_body *baseline, const body_list *list,
                        const bvp_convex *given)
{
    bvpi_convex convex;
    bvp_distance_result found, again;
    bvp_stats stats = {0}, stats_baseline = {0};
    uint64_t count = 0, stopped = 0;
    int hit, wrong = 0, calls = 0;
    ck_assert_int_eq(bvpi_convex_init(&convex, given), BVP_OK);
    const all_answers all = brute_force(list, &convex);
    const double d = all.best.distance;
    ck_assert_int_eq(bvp_convex_distance(body, given, INFINITY, &found, &stats), BVP_OK);
    ck_assert_int_eq(bvp_convex_distance(baseline, given, INFINITY, &again, &stats_baseline),
                     BVP_OK);
    wrong += memcmp(&found, &again, sizeof found) != 0 || stats.nodes != stats_baseline.nodes;
    wrong += !found.found || !is_same(&found, &all.best);
    ck_assert_int_eq(bvp_convex_each(body, given, NULL, NULL, &count, NULL), BVP_OK);
    wrong += count != all.touching;
    ck_assert_int_eq(bvp_convex_each(body, given, stop_at_second, &calls, &stopped, NULL), BVP_OK);
    wrong += stopped != (all.touching < 2 ? all.touching : 2);
    ck_assert_int_eq(bvp_convex_collide(body, given, &hit, NULL), BVP_OK);
    wrong += hit != (all.touching > 0);
    ck_assert_int_eq(bvp_convex_distance(body, given, d, &found, NULL), BVP_OK);
    wrong += !found.found || found.distance != d; /* others whose interval has d may come first */
    if (d == 0)
        return wrong;
    ck_assert_int_eq(bvp_convex_distance(body, given, all.best.lower * (1 - 1e-9), &found, NULL),
                     BVP_OK);
    wrong += found.found;
    ck_assert_int_eq(bvp_convex_within(body, given, d, &hit, &found, NULL), BVP_OK);
    wrong += !hit || found.distance > d * (1 + 1e-9);
    ck_assert_int_eq(bvp_convex_within(body, given, d * 1.5, &hit, &found, NULL), BVP_OK);
    wrong += !hit || found.distance > d * 1.5 * (1 + 1e-9) || found.distance < all.best.lower;
    ck_assert_int_eq(bvp_convex_within(body, given, all.best.lower * (1 - 1e-9), &hit, NULL, NULL),
                     BVP_OK);
    wrong += hit;
    return wrong;
}

static void ask(const bvp_body *body, const bvp_body *baseline)
{
    body_list list = list_of(body);
    const double size = size_of_body(&list);
    int wrong = 0;
    for (int i = 0; i < SHAPES; i++) {
        convex_case c;
        random_convex(&c, (bvp_convex_kind)(1 + i % 5), &list, size);
        wrong += check_convex(body, baseline, &list, &c.given);
    }
    list_free(&list);
    ck_assert_int_eq(wrong, 0);
}

START_TEST(answers_equal_brute_force)
{
    case_seed(1);
    for_all_bodies(ask);
}
END_TEST

/* ---- meshes of the same shapes --------------------------------------------------------------- */

/* A box beside the mesh of its surface, a ball beside its centre, a capsule beside its axis. */
START_TEST(answers_equal_those_of_meshes)
{
    const float half[3] = {.75f, .25f, .5f};
    body_mesh ball = mesh_sphere(16), box = mesh_new(12), axis = mesh_new(1);
    uint64_t next = 0;
    for (int face = 0; face < 6; face++) {
        const int z = face / 2, x = (z + 1) % 3, y = (z + 2) % 3;
        float p[4][3];
        for (int k = 0; k < 4; k++) {
            p[k][x] = k == 1 || k == 2 ? half[x] : -half[x];
            p[k][y] = k >= 2 ? half[y] : -half[y];
            p[k][z] = face & 1 ? half[z] : -half[z];
        }
        mesh_quad(&box, &next, (const float(*)[3])p);
    }
    axis.tri[2] = -half[2];
    axis.tri[5] = axis.tri[8] = half[2];
    body_scene s = scene_of_one(ball), of_box = scene_of_one(box), of_axis = scene_of_one(axis);
    bvp_body body = {.file = s.file[0], .part = 0};
    int wrong = 0, touching = 0;
    case_seed(2);
    for (int i = 0; i < 3000; i++) {
        double m[12];
        bvp_distance_result expected, found;
        bvp_closest_result centre;
        case_rotation(m);
        case_translate(m, 2);
        const bvp_body surface = {.file = of_box.file[0], .part = 0, .placement = m};
        const bvp_body segment = {.file = of_axis.file[0], .part = 0, .placement = m};
        bvp_convex c = {.kind = BVP_CONVEX_BOX,
                        .size = {1.5, .5, 1},
                        .radius = fabs(case_unit()) / 2,
                        .length = 1,
                        .placement = m};
        ck_assert_int_eq(bvp_distance(&body, &surface, INFINITY, &expected, NULL), BVP_OK);
        ck_assert_int_eq(bvp_convex_distance(&body, &c, INFINITY, &found, NULL), BVP_OK);
        touching += found.distance == 0; /* no box holds the ball, nor a triangle of it */
        wrong += (found.distance == 0) != (expected.distance == 0) ||
                 fabs(found.distance - expected.distance) > 1e-8 * found.distance + 1e-12;
        c.kind = BVP_CONVEX_CAPSULE;
        ck_assert_int_eq(bvp_distance(&body, &segment, INFINITY, &expected, NULL), BVP_OK);
        ck_assert_int_eq(bvp_convex_distance(&body, &c, INFINITY, &found, NULL), BVP_OK);
        const double gap = fmax(expected.distance - c.radius, 0);
        touching += gap == 0;
        wrong += fabs(found.distance - gap) > 1e-8;
        c.kind = BVP_CONVEX_SPHERE;
        ck_assert_int_eq(bvp_closest(&body, (double[]){m[3], m[7], m[11]}, INFINITY, &centre, NULL),
                         BVP_OK);
        ck_assert_int_eq(bvp_convex_distance(&body, &c, INFINITY, &found, NULL), BVP_OK);
        wrong += fabs(found.distance - fmax(centre.distance - c.radius, 0)) > 1e-8;
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(touching, 300);
    scene_close(&s);
    scene_close(&of_box);
    scene_close(&of_axis);
    free(ball.tri);
    free(box.tri);
    free(axis.tri);
}
END_TEST

/* Most of a large body is not looked at, whether the convex body is small, long or far away. */
START_TEST(most_boxes_are_left_out)
{
    body_mesh mesh = mesh_sphere(64);
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0], .part = 0};
    bvp_stats stats = {0};
    case_seed(3);
    for (int i = 0; i < 300; i++) {
        double m[12];
        bvp_distance_result found;
        case_rotation(m);
        case_translate(m, i % 3 == 0 ? 1e6 : 3);
        const bvp_convex c = {.kind = (bvp_convex_kind)(1 + i % 4),
                              .size = {.01, .02, 4},
                              .radius = .01,
                              .length = 4,
                              .placement = m};
        ck_assert_int_eq(bvp_convex_distance(&body, &c, INFINITY, &found, &stats), BVP_OK);
    }
    ck_assert_uint_le(stats.triangles, 300 * mesh.count / 16);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

START_TEST(filters_leave_instances_out)
{
    body_scene s = scene_assembly(20, false);
    bvp_body all = {.file = s.file[0], .part = BVP_ASSEMBLY};
    body_list list = list_of(&all);
    int wrong = 0;
    case_seed(4);
    for (int i = 0; i < 200; i++) {
        const uint64_t bits = case_random();
        const bvp_filter filter = {&bits, 1, i % 2};
        bvp_body some = all;
        convex_case c;
        bvp_distance_result found, one, best = {.found = 0};
        some.filter = &filter;
        random_convex(&c, (bvp_convex_kind)(1 + i % 5), &list, 8);
        for (uint32_t k = 0; k < list.count; k++) {
            const uint64_t only = UINT64_C(1) << k;
            const bvp_filter single = {&only, 1, 0};
            if ((bits >> k & 1) == (uint64_t)(i % 2))
                continue;
            bvp_body alone = all;
            alone.filter = &single;
            ck_assert_int_eq(bvp_convex_distance(&alone, &c.given, INFINITY, &one, NULL), BVP_OK);
            if (!best.found || one.distance < best.distance)
                best = one;
        }
        ck_assert_int_eq(bvp_convex_distance(&some, &c.given, INFINITY, &found, NULL), BVP_OK);
        wrong += found.found != best.found || (found.found && !is_same(&found, &best));
    }
    ck_assert_int_eq(wrong, 0);
    list_free(&list);
    scene_close(&s);
}
END_TEST

/* ---- arguments ------------------------------------------------------------------------------- */

static bvp_status try_convex(const bvp_body *body, bvp_convex c)
{
    bvp_distance_result r;
    return bvp_convex_distance(body, &c, INFINITY, &r, NULL);
}

START_TEST(arguments_are_checked)
{
    body_mesh mesh = mesh_box(2);
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0], .part = 0}, absent = {.file = s.file[0], .part = 1};
    const bvp_convex good = {.kind = BVP_CONVEX_CAPSULE, .radius = 1, .length = 1};
    const double bad[] = {-1, NAN, INFINITY, 0x1p301}, m[12] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0},
                 flat[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
    double points[6] = {0};
    bvp_distance_result r;
    uint64_t count;
    int hit;
    bvp_convex c = good;
    ck_assert_int_eq(try_convex(&body, good), BVP_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        c = (bvp_convex){.kind = BVP_CONVEX_SPHERE, .radius = bad[i]};
        ck_assert_int_eq(try_convex(&body, c), BVP_ERR_ARGUMENT);
        c = (bvp_convex){.kind = BVP_CONVEX_CYLINDER, .radius = 1, .length = bad[i]};
        ck_assert_int_eq(try_convex(&body, c), BVP_ERR_ARGUMENT);
        c = (bvp_convex){.kind = BVP_CONVEX_BOX, .size = {1, bad[i], 1}};
        ck_assert_int_eq(try_convex(&body, c), BVP_ERR_ARGUMENT);
        points[4] = bad[i];
        c = (bvp_convex){.kind = BVP_CONVEX_HULL, .points = points, .point_count = 2};
        ck_assert_int_eq(try_convex(&body, c), i == 0 ? BVP_OK : BVP_ERR_ARGUMENT);
    }
    points[4] = 0;
    c = (bvp_convex){.kind = BVP_CONVEX_HULL, .points = points, .point_count = 0};
    ck_assert_int_eq(try_convex(&body, c), BVP_ERR_ARGUMENT);
    c.point_count = BVP_CONVEX_POINTS + 1;
    ck_assert_int_eq(try_convex(&body, c), BVP_ERR_ARGUMENT);
    c = (bvp_convex){.kind = BVP_CONVEX_HULL, .point_count = 2};
    ck_assert_int_eq(try_convex(&body, c), BVP_ERR_ARGUMENT);
    c = (bvp_convex){.kind = 0, .radius = 1};
    ck_assert_int_eq(try_convex(&body, c), BVP_ERR_ARGUMENT);
    c = (bvp_convex){.kind = (bvp_convex_kind)(BVP_CONVEX_HULL + 1), .radius = 1};
    ck_assert_int_eq(try_convex(&body, c), BVP_ERR_ARGUMENT);
    c = good;
    c.reserved[3] = 1;
    ck_assert_int_eq(try_convex(&body, c), BVP_ERR_ARGUMENT);
    c = good;
    c.placement = m; /* a radius is measured in the world */
    ck_assert_int_eq(try_convex(&body, c), BVP_ERR_ARGUMENT);
    c = (bvp_convex){.kind = BVP_CONVEX_BOX, .placement = flat};
    ck_assert_int_eq(try_convex(&body, c), BVP_ERR_ARGUMENT);
    c.placement = m;
    ck_assert_int_eq(try_convex(&body, c), BVP_OK);
    ck_assert_int_eq(try_convex(&absent, good), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_convex_distance(&body, NULL, 1, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_convex_distance(NULL, &good, 1, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_convex_distance(&body, &good, -1, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_convex_distance(&body, &good, NAN, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_convex_distance(&body, &good, 1, NULL, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_convex_within(&body, &good, NAN, &hit, NULL, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_convex_within(&body, &good, 1, NULL, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_convex_collide(&body, &good, NULL, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_convex_each(&body, NULL, NULL, NULL, &count, NULL), BVP_ERR_ARGUMENT);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

SUITE(test_convex)
{
    const TTest *const list[] = {answers_equal_brute_force, answers_equal_those_of_meshes,
                                 most_boxes_are_left_out,   filters_leave_instances_out,
                                 arguments_are_checked,     NULL};
    return suite_run_within("convex", 120, list);
}
