/* SPDX-License-Identifier: MIT
 * test_candidates.c: the triangles that may meet a box: none that touches it is missing, by exact
 * arithmetic on all triangles and by bvp_overlap; corners are the placed ones; those that are far
 * from the box are left out. Files from sources and over buffers: questions.c; thin files:
 * test_packed.c; filters: test_filter.c.
 */
#include "binary_cases.h"
#include "prim/tri_box.h"
#include "suite.h"

enum { BOXES = 9, MOST = 1 << 16 };

/* ---- asking ---------------------------------------------------------------------------------- */

typedef struct candidate {
    bvp_hit_id id;
    double corners[9];
} candidate;

typedef struct found {
    candidate *at;
    uint64_t count, stop_at;
} found;

static int keep(void *user, const bvp_hit_id *id, const double corners[9])
{
    found *f = user;
    ck_assert_uint_lt(f->count, MOST);
    f->at[f->count].id = *id;
    memcpy(f->at[f->count++].corners, corners, sizeof f->at->corners);
    return f->count == f->stop_at;
}

static found ask_box(const bvp_body *body, const double lo[3], const double hi[3], candidate *room,
                     bvp_stats *stats)
{
    found f = {.at = room};
    uint64_t count;
    ck_assert_int_eq(bvp_candidates_box(body, lo, hi, keep, &f, &count, stats), BVP_OK);
    ck_assert_uint_eq(count, f.count);
    return f;
}

/* ---- what must hold -------------------------------------------------------------------------- */

/* A placed corner in real numbers, but for some 2^-64 of the terms, and the terms' sum. */
static long double place_corner(const double *m, const float *p, int axis, long double *terms)
{
    const double *row = m + 4 * axis;
    long double sum = (long double)row[3];
    *terms = fabsl(sum);
    for (int k = 0; k < 3; k++) {
        sum += (long double)row[k] * (long double)p[k];
        *terms += fabsl((long double)row[k] * (long double)p[k]);
    }
    return sum;
}

static void check_corners(const body_item *item, const candidate *c, const double lo[3],
                          const double hi[3])
{
    const float *tri = item->tri + 9 * c->id.triangle;
    const bvpi_placed_tree *at = &item->placed.at;
    for (int axis = 0; axis < 3; axis++) {
        long double terms, least = INFINITY, most = -INFINITY;
        for (int k = 0; k < 3; k++) {
            const double given = c->corners[3 * k + axis];
            const long double true_one = place_corner(at->placement.m, tri + 3 * k, axis, &terms);
            ck_assert(fabsl(given - true_one) <= 0x1p-50L * terms);
            if (at->placement.is_identity)
                ck_assert(given == (double)tri[3 * k + axis]);
            least = fminl(least, true_one);
            most = fmaxl(most, true_one);
        }
        /* what bounds the part bounds the rounding of its corners */
        const float corner[3] = {(float)at->corner[0], (float)at->corner[1], (float)at->corner[2]};
        place_corner(at->placement.m, corner, axis, &terms);
        const long double slack = 0x1p-48L * terms;
        ck_assert_msg(least <= hi[axis] + slack && most >= lo[axis] - slack,
                      "a triangle far from the box was handed over");
    }
}

static int by_place(const void *a, const void *b)
{
    const bvp_hit_id *x = &((const candidate *)a)->id, *y = &((const candidate *)b)->id;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/* Each triangle once at most; all that touch the box. `all` is put in order. */
static void check_against_brute_force(const body_list *list, found *all, const double lo[3],
                                      const double hi[3])
{
    uint64_t at = 0;
    qsort(all->at, all->count, sizeof *all->at, by_place);
    for (uint32_t i = 0; i < list->count; i++) {
        const body_item *item = &list->items[i];
        for (uint64_t k = 0; k < item->count; k++) {
            const bvp_hit_id id = {item->placed.instance, item->placed.part_idx, k, item->ids[k]};
            if (at < all->count && memcmp(&all->at[at].id, &id, sizeof id) == 0)
                check_corners(item, &all->at[at++], lo, hi);
            else
                ck_assert_msg(
                    !bvpi_tri_meets_box(item->tri + 9 * k, item->placed.at.placement.m, lo, hi),
                    "a triangle that touches the box is missing");
        }
    }
    ck_assert_msg(at == all->count, "a triangle was handed over that is not there, or twice");
}

typedef struct merge {
    const found *all;
    uint64_t next;
} merge;

static int look_up(void *user, const bvp_hit_id *id)
{
    merge *m = user;
    while (m->next < m->all->count && memcmp(&m->all->at[m->next].id, id, sizeof *id) != 0)
        m->next++;
    ck_assert_msg(m->next < m->all->count, "bvp_overlap has another triangle, or another order");
    m->next++;
    return 0;
}

static void check_box(const bvp_body *body, const bvp_body *baseline, const body_list *list,
                      const double lo[3], const double hi[3])
{
    static candidate room[MOST], again[MOST];
    bvp_stats stats = {0}, baseline_stats = {0};
    found all = ask_box(body, lo, hi, room, &stats);
    const found plain = ask_box(baseline, lo, hi, again, &baseline_stats);
    merge m = {&all, 0};
    ck_assert_uint_eq(plain.count, all.count);
    ck_assert_mem_eq(again, room, all.count * sizeof *room);
    ck_assert_mem_eq(&stats, &baseline_stats, sizeof stats);
    ck_assert_uint_eq(stats.exact, 0);
    ck_assert_int_eq(bvp_overlap(body, bvp_box_region(lo, hi), look_up, &m, NULL, NULL), BVP_OK);
    check_against_brute_force(list, &all, lo, hi);
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/* Around a point of the body, from that point to half of it; or one that touches a triangle, or
 * misses it by an ulp, with a face. */
static void make_box(const body_list *list, double size, double lo[3], double hi[3])
{
    double p[3];
    point_of_body(list, case_int(2) == 0, p);
    const int touching = case_int(3);
    for (int a = 0; a < 3; a++) {
        lo[a] = p[a] - size * exp2(-12 * fabs(case_unit())) * (case_int(6) != 0);
        hi[a] = p[a] + size * exp2(-12 * fabs(case_unit())) * (case_int(6) != 0);
    }
    if (touching == 0)
        return;
    const body_item *item = &list->items[case_int((int)list->count)];
    const float *tri = item->tri + 9 * (size_t)case_int((int)item->count);
    const int axis = case_int(3), side = case_int(2);
    double end = side ? INFINITY : -INFINITY;
    for (int k = 0; k < 3; k++) {
        const double part[3] = {(double)tri[3 * k], (double)tri[3 * k + 1], (double)tri[3 * k + 2]};
        double q[3];
        bvpi_placement_point_to_world(&item->placed.at.placement, part, q);
        end = side ? fmin(end, q[axis]) : fmax(end, q[axis]);
        for (int a = 0; a < 3; a++) {
            lo[a] = fmin(lo[a], q[a]);
            hi[a] = fmax(hi[a], q[a]);
        }
    }
    for (int k = case_int(3); touching == 2 && k > 0; k--)
        end = nextafter(end, side ? -INFINITY : INFINITY);
    if (side) {
        hi[axis] = end;
        lo[axis] = fmin(lo[axis], end) - size / 8;
    } else {
        lo[axis] = end;
        hi[axis] = fmax(hi[axis], end) + size / 8;
    }
}

static void ask(const bvp_body *body, const bvp_body *baseline)
{
    body_list list = list_of(body);
    const double size = size_of_body(&list);
    for (int i = 0; i < BOXES; i++) {
        double lo[3], hi[3];
        make_box(&list, size, lo, hi);
        check_box(body, baseline, &list, lo, hi);
    }
    list_free(&list);
}

START_TEST(nothing_that_touches_is_missing)
{
    case_seed(11);
    for_all_bodies(ask);
}
END_TEST

/* Meshes from FEW on have turned hierarchies. */
START_TEST(every_kind_of_hierarchy_is_as_good)
{
    static const uint32_t leaf_sizes[] = {1, 2, 4, 8};
    static const int placed[] = {PLACED_NOT, PLACED_SHEARED, PLACED_MIRRORED};
    case_seed(12);
    for (int mesh = 0; mesh < MESHES; mesh++) {
        model m = make_model(make_mesh(mesh), leaf_sizes[mesh % 4], mesh % KINDS);
        for (int k = -1; k < WAYS; k++) {
            double placement[12];
            if (k >= 0 && ways[k].test != BVP_TEST_SAT && ways[k].test != BVP_TEST_DEFAULT)
                continue; /* only queries of two bodies test boxes in several ways */
            place_random(placed[mesh % 3], placement);
            const bvp_body body = {
                .file = k < 0 ? m.wide : m.by[k], .part = 0, .placement = placement};
            const bvp_body baseline = {
                .file = k < 0 ? m.wide : m.plain[k], .part = 0, .placement = placement};
            ask(&body, &baseline);
        }
        free_model(&m);
    }
}
END_TEST

/* ---- what is known without brute force ------------------------------------------------------- */

static uint64_t count_in(const bvp_body *body, double x0, double x1, double y0, double y1,
                         double z0, double z1)
{
    const double lo[3] = {x0, y0, z0}, hi[3] = {x1, y1, z1};
    uint64_t count = 99;
    ck_assert_int_eq(bvp_candidates_box(body, lo, hi, NULL, NULL, &count, NULL), BVP_OK);
    return count;
}

START_TEST(a_triangle_counts_by_its_own_box)
{
    const float tri[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    body_mesh mesh = {(float *)tri, 1};
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0], .part = 0};
    ck_assert_uint_eq(count_in(&body, 4, 5, 0, 1, 0, 0), 1); /* a corner */
    ck_assert_uint_eq(count_in(&body, 1, 1, 1, 1, 0, 0), 1); /* a point in it */
    ck_assert_uint_eq(count_in(&body, 3, 4, 3, 4, 0, 0), 1); /* in its box, past the long edge */
    ck_assert_uint_eq(count_in(&body, 4.001, 5, 0, 1, 0, 0), 0);
    ck_assert_uint_eq(count_in(&body, 1, 2, 1, 2, .001, 1), 0);
    scene_close(&s);
}
END_TEST

START_TEST(order_is_that_of_storage_and_a_callback_stops)
{
    static candidate room[MOST];
    body_mesh mesh = mesh_sphere(40);
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0], .part = 0};
    const double lo[3] = {-2, -2, -2}, hi[3] = {2, 2, 2};
    found all = ask_box(&body, lo, hi, room, NULL);
    ck_assert_uint_eq(all.count, mesh.count);
    for (uint64_t i = 0; i < all.count; i++)
        ck_assert_uint_eq(room[i].id.triangle, i);
    all = (found){.at = room, .stop_at = 17};
    uint64_t count;
    ck_assert_int_eq(bvp_candidates_box(&body, lo, hi, keep, &all, &count, NULL), BVP_OK);
    ck_assert_uint_eq(all.count, 17);
    ck_assert_uint_eq(count, 17);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

START_TEST(arguments_are_checked)
{
    body_mesh mesh = mesh_box(2);
    body_scene s = scene_of_one(mesh);
    const bvp_body body = {.file = s.file[0], .part = 0}, absent = {.file = s.file[0], .part = 1};
    const double singular[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
    const bvp_body flat = {.file = s.file[0], .part = 0, .placement = singular};
    const double a[3] = {0, 0, 0}, b[3] = {1, 1, 1}, bad[3] = {0, NAN, 0},
                 inf[3] = {1, 1, INFINITY};
    const double most[3] = {1.7e308, 1.7e308, 1.7e308}, least[3] = {-1.7e308, -1.7e308, -1.7e308};
    const struct {
        const bvp_body *body;
        const double *lo, *hi;
    } refused[] = {{NULL, a, b},     {&absent, a, b},  {&flat, a, b},
                   {&body, NULL, b}, {&body, a, NULL}, {&body, b, a},
                   {&body, bad, b},  {&body, a, bad},  {&body, a, inf}};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        uint64_t count = 99;
        ck_assert_int_eq(bvp_candidates_box(refused[k].body, refused[k].lo, refused[k].hi, NULL,
                                            NULL, &count, NULL),
                         BVP_ERR_ARGUMENT);
        ck_assert_uint_eq(count, 0);
    }
    uint64_t count;
    ck_assert_int_eq(bvp_candidates_box(&body, least, most, NULL, NULL, &count, NULL), BVP_OK);
    ck_assert_uint_eq(count, mesh.count);
    ck_assert_int_eq(bvp_candidates_box(&body, most, most, NULL, NULL, &count, NULL), BVP_OK);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(bvp_candidates_box(&body, a, b, NULL, NULL, NULL, NULL), BVP_OK);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

SUITE(test_candidates)
{
    const TTest *const list[] = {nothing_that_touches_is_missing,
                                 every_kind_of_hierarchy_is_as_good,
                                 a_triangle_counts_by_its_own_box,
                                 order_is_that_of_storage_and_a_callback_stops,
                                 arguments_are_checked,
                                 NULL};
    return suite_run_within("candidates", 120, list);
}
