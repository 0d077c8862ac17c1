/* SPDX-License-Identifier: MIT
 * test_refit_top.c: after a refit all queries, of a part and of the assembly, answer as the same
 * geometry packed anew does in the wide hierarchy, and as brute force says.
 */
#include "refit_case.h"
#include "suite.h"

/* An assertion is a system call: callbacks make none. */
enum { HITS_MOST = 400000, QUESTIONS = 12 };

/* One of the two files that must agree: `place` tells instances apart that stand in another order.
 */
typedef struct side {
    bvp_file *file;
    const double *placement;
    uint64_t *hits;
    uint64_t count;
} side;

static bvp_body body_of(const side *s, uint32_t part)
{
    return (bvp_body){.file = s->file, .part = part, .placement = s->placement};
}

/* The instance's node and the triangle's number in the source. */
static uint64_t name_of(const bvp_file *file, const bvp_hit_id *id)
{
    bvp_instance_info info = {.node = UINT32_MAX};
    if (id->instance != BVP_NONE && bvp_get_instance(file, id->instance, &info) != BVP_OK)
        ck_abort_msg("instance %u does not exist", id->instance);
    return (uint64_t)info.node << 32 | id->id;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int by_pair(const void *a, const void *b)
{
    const int first = by_value(a, b);
    return first != 0 ? first : by_value((const uint64_t *)a + 1, (const uint64_t *)b + 1);
}

/* ---- two bodies ----------------------------------------------------------------------------- */

static int add_pair(void *user, const bvp_pair *pair)
{
    side *s = user;
    if (s->count == HITS_MOST)
        ck_abort_msg("more than %d hits", HITS_MOST);
    s->hits[2 * s->count] = name_of(s->file, &pair->a);
    s->hits[2 * s->count++ + 1] = pair->b.id;
    return 0;
}

/* Of the two instances of a pair, either may come first. */
static int add_self_pair(void *user, const bvp_pair *pair)
{
    side *s = user;
    if (s->count == HITS_MOST)
        ck_abort_msg("more than %d hits", HITS_MOST);
    const uint64_t a = name_of(s->file, &pair->a), b = name_of(s->file, &pair->b);
    s->hits[2 * s->count] = a < b ? a : b;
    s->hits[2 * s->count++ + 1] = a < b ? b : a;
    return 0;
}

/* Returns how many pairs there are. */
static uint64_t check_pairs(side sides[2], uint32_t part, const bvp_body *other)
{
    int hit[2];
    uint64_t count;
    for (int k = 0; k < 2; k++) {
        const bvp_body body = body_of(&sides[k], part);
        sides[k].count = 0;
        ck_assert_int_eq(
            bvp_pairs_each(&body, other, other ? add_pair : add_self_pair, &sides[k], &count, NULL),
            BVP_OK);
        ck_assert_int_eq(bvp_collide(&body, other, &hit[k], NULL), BVP_OK);
        ck_assert_int_eq(hit[k], sides[k].count > 0);
        qsort(sides[k].hits, sides[k].count, 2 * sizeof(uint64_t), by_pair);
    }
    ck_assert_uint_eq(sides[0].count, sides[1].count);
    ck_assert_int_eq(memcmp(sides[0].hits, sides[1].hits, 16 * sides[0].count), 0);
    return sides[0].count;
}

static double check_distance(const side sides[2], uint32_t part, const bvp_body *other)
{
    bvp_distance_result r[2];
    for (int k = 0; k < 2; k++) {
        const bvp_body body = body_of(&sides[k], part);
        ck_assert_int_eq(bvp_distance(&body, other, INFINITY, &r[k], NULL), BVP_OK);
        ck_assert_int_eq(r[k].found, 1);
    }
    ck_assert(r[0].lower <= r[1].distance && r[1].lower <= r[0].distance);
    return r[0].distance;
}

/* ---- one body ------------------------------------------------------------------------------- */

static int add_hit(void *user, const bvp_hit_id *id)
{
    side *s = user;
    if (s->count == HITS_MOST)
        ck_abort_msg("more than %d hits", HITS_MOST);
    s->hits[s->count++] = name_of(s->file, id);
    return 0;
}

static void check_regions(side sides[2], uint32_t part, const double p[3], double size)
{
    const double reach = size * exp2(-6 * fabs(case_unit()));
    double lo[3], hi[3];
    const double planes[8] = {1, 2, 3, -p[0] - 2 * p[1] - 3 * p[2], -1, 0, 0, p[0] + reach};
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = p[axis] - reach;
        hi[axis] = p[axis] + reach / 3;
    }
    for (int kind = 0; kind < 3; kind++) {
        for (int k = 0; k < 2; k++) {
            side *s = &sides[k];
            const bvp_body body = body_of(s, part);
            s->count = 0;
            bvp_status status = BVP_OK;
            if (kind == 0)
                status = bvp_overlap(&body, bvp_box_region(lo, hi), add_hit, s, NULL, NULL);
            else if (kind == 1)
                status = bvp_overlap(&body, bvp_ball_region(p, reach), add_hit, s, NULL, NULL);
            else
                status = bvp_overlap(&body, bvp_convex_region(planes, 2), add_hit, s, NULL, NULL);
            ck_assert_int_eq(status, BVP_OK);
            qsort(s->hits, s->count, sizeof *s->hits, by_value);
        }
        ck_assert_uint_eq(sides[0].count, sides[1].count);
        ck_assert_int_eq(memcmp(sides[0].hits, sides[1].hits, 8 * sides[0].count), 0);
    }
}

static void check_ray(const side sides[2], uint32_t part, const double from[3], const double to[3])
{
    bvp_ray_hit r[2];
    bvp_ray ray = {.t_min = 0, .t_max = INFINITY};
    double length = 0;
    for (int axis = 0; axis < 3; axis++) {
        ray.origin[axis] = from[axis];
        ray.direction[axis] = to[axis] - from[axis];
        length += fabs(ray.direction[axis]);
    }
    for (int k = 0; k < 2 && length > 0; k++) {
        int any;
        const bvp_body body = body_of(&sides[k], part);
        ck_assert_int_eq(bvp_ray_first(&body, &ray, &r[k], NULL), BVP_OK);
        ck_assert_int_eq(bvp_ray_any(&body, &ray, &any, NULL), BVP_OK);
        ck_assert_int_eq(any, r[k].found);
    }
    if (length == 0)
        return;
    ck_assert_int_eq(r[0].found, r[1].found);
    if (r[0].found)
        ck_assert_double_eq(r[0].t, r[1].t);
}

static void check_closest(const side sides[2], uint32_t part, const double p[3])
{
    bvp_closest_result r[2];
    for (int k = 0; k < 2; k++) {
        const bvp_body body = body_of(&sides[k], part);
        ck_assert_int_eq(bvp_closest(&body, p, INFINITY, &r[k], NULL), BVP_OK);
        ck_assert_int_eq(r[k].found, 1);
    }
    const double size = fabs(p[0]) + fabs(p[1]) + fabs(p[2]) + r[1].distance;
    ck_assert_double_eq_tol(r[0].distance, r[1].distance, 1e-12 * size + 1e-300);
}

static void check_one_body(side sides[2], uint32_t part)
{
    const bvp_body body = body_of(&sides[1], part);
    body_list list = list_of(&body);
    const double size = size_of_body(&list);
    for (int i = 0; i < QUESTIONS; i++) {
        double p[3], q[3], away[3];
        point_of_body(&list, case_int(3) == 0, p);
        point_of_body(&list, false, q);
        for (int axis = 0; axis < 3; axis++)
            away[axis] = q[axis] + size * case_unit();
        check_regions(sides, part, p, size);
        check_ray(sides, part, p, q);
        check_ray(sides, part, away, p);
        check_closest(sides, part, p);
        check_closest(sides, part, away);
    }
    list_free(&list);
}

/* ---- scenes --------------------------------------------------------------------------------- */

static void check_oracle(const side *s, uint32_t part, body_mesh mesh, body_mesh other,
                         const bvp_body *other_body, uint64_t pair_count, double distance)
{
    const oracle_soup a = {mesh.tri, mesh.count, s->placement};
    const oracle_soup b = {other.tri, other.count, other_body->placement};
    double lo, hi;
    uint8_t *matrix = calloc(mesh.count, other.count);
    ck_assert_msg(oracle_pairs(a, b, matrix) == pair_count, "part %u", part);
    oracle_distance(a, b, &lo, &hi);
    ck_assert(distance >= lo && distance <= hi * (1 + 1e-9));
    free(matrix);
}

/* sides[0] shows by refit what sides[1] was packed from: `bent`. */
static void check_all(side sides[2], const refit_scene *bent)
{
    const refit_scene probe = {.meshes = {mesh_box(3)}, .mesh_count = 1};
    const int fd = refit_pack_form(&probe, &refit_forms[REFIT_ALL], 0);
    bvp_file *probes = refit_open(fd, NULL);
    double placement[12], m[12];
    for (int i = 0; i < 3; i++) {
        place_random(case_int(PLACED_FAR), placement);
        place_random(i % 2 ? PLACED_RIGID : PLACED_NOT, m);
        sides[0].placement = sides[1].placement = i % 2 ? m : NULL;
        const bvp_body other = {.file = probes, .part = 0, .placement = placement};
        for (uint32_t part = 0; part < 2; part++) {
            const uint64_t count = check_pairs(sides, part, &other);
            const double distance = check_distance(sides, part, &other);
            check_oracle(&sides[0], part, bent->meshes[part], probe.meshes[0], &other, count,
                         distance);
        }
        check_pairs(sides, BVP_ASSEMBLY, &other);
        check_distance(sides, BVP_ASSEMBLY, &other);
        check_pairs(sides, BVP_ASSEMBLY, NULL);
        for (uint32_t part = 0; part < 2; part++)
            check_one_body(sides, part);
        check_one_body(sides, BVP_ASSEMBLY);
    }
    bvp_close(probes);
    close(fd);
    free(probe.meshes[0].tri);
}

/* The part is packed in `form`; asked is its hierarchy of kind `asked`. */
static void ask(const refit_form *form, bvp_kind asked, int baseline, int kind, double strength)
{
    const bvp_open_options overlay = {.overlay = 1, .baseline_simd = baseline, .kind = asked};
    refit_scene s = refit_scene_make(5, 8), bent = s;
    const int fd = refit_pack_form(&s, form, 1);
    bvp_file *original = refit_open(fd, NULL), *file = refit_open(fd, &overlay);
    for (uint32_t part = 0; part < 2; part++) {
        /* the box in another way: not all at once */
        const int own = part == 0 ? kind : NOISY;
        refit_bend(file, original, part, own, strength);
        bent.meshes[part] = bend_mesh(own, strength, s.meshes[part]);
    }
    const int fd_anew = refit_pack(&bent, BVP_KIND_WIDE, 0);
    bvp_file *anew = refit_open(fd_anew, NULL);
    side sides[2] = {{.file = file}, {.file = anew}};
    for (int k = 0; k < 2; k++)
        sides[k].hits = malloc(2 * HITS_MOST * sizeof(uint64_t));
    check_all(sides, &bent);
    for (int k = 0; k < 2; k++)
        free(sides[k].hits);
    bvp_close(anew);
    bvp_close(file);
    bvp_close(original);
    close(fd_anew);
    close(fd);
    refit_scene_free(&bent);
    refit_scene_free(&s);
}

static const refit_form *const aabb = &refit_forms[2];

START_TEST(bent)
{
    static const struct {
        int kind;
        double gentle, strong;
    } cases[] = {{BENT, 0.5, 4}, {STRETCHED, 0.3, 6}, {NOISY, 0.2, 8}};
    case_seed((uint64_t)_i + 1);
    ask(aabb, BVP_KIND_DEFAULT, 0, cases[_i].kind, cases[_i].gentle);
    ask(aabb, BVP_KIND_DEFAULT, 1, cases[_i].kind, cases[_i].strong);
}
END_TEST

/* Far larger and elsewhere; flat; shrunk to a point. */
START_TEST(extreme)
{
    case_seed(4);
    ask(aabb, BVP_KIND_DEFAULT, 0, HUGE_BEND, 1);
    ask(aabb, BVP_KIND_DEFAULT, 0, FLAT, 1);
    ask(aabb, BVP_KIND_DEFAULT, 0, POINT, 0.25);
}
END_TEST

START_TEST(in_every_form)
{
    const refit_form *form = &refit_forms[_i];
    case_seed((uint64_t)_i + 10);
    for (uint32_t k = 0; k < form->count; k++) {
        ask(form, form->specs[k].kind, _i % 2, BENT, 2);
        ask(form, form->specs[k].kind, 0, NOISY, 0.5);
        ask(form, form->specs[k].kind, 0, FLAT, 1);
    }
}
END_TEST

SUITE(test_refit_top)
{
    TCase *cases = tcase_create("refit_top");
    tcase_set_timeout(cases, SUITE_TIMEOUT);
    tcase_add_loop_test(cases, bent, 0, 3);
    tcase_add_test(cases, extreme);
    tcase_add_loop_test(cases, in_every_form, 0, REFIT_FORMS);
    return suite_run_case("refit_top", cases);
}
