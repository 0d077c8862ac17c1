/* SPDX-License-Identifier: MIT
 * test_filter.c: queries of some of an assembly's instances against each of these instances asked
 * alone, as a part that stands where it stands; groups made from the product tree; warm starts.
 */
#include "body_cases.h"
#include "query/body/filter.h"
#include "suite.h"

enum { INSTANCES = 24, WORDS = 2, ROUNDS = 8 };

/* ---- filters --------------------------------------------------------------------------------- */

typedef struct group {
    uint64_t bits[WORDS];
    bvp_filter filter;
} group;

static bool is_asked(const bvp_filter *f, uint32_t i)
{
    const bool named = i / 64 < f->word_count && (f->bits[i / 64] >> (i % 64) & 1) != 0;
    return f->exclude ? !named : named;
}

/* None, few, half, most, all: by their bits or by those of the others. */
static void random_group(group *g)
{
    static const double shares[] = {0, 0.05, 0.1, 0.5, 0.9, 1};
    const double share = shares[case_int(6)];
    g->filter = (bvp_filter){g->bits, WORDS, case_int(2)};
    memset(g->bits, 0, sizeof g->bits);
    for (uint32_t i = 0; i < INSTANCES; i++)
        if ((fabs(case_unit()) < share) != (g->filter.exclude != 0))
            g->bits[i / 64] |= UINT64_C(1) << (i % 64);
    if (case_int(4) == 0) /* bits of no instance mean nothing */
        g->bits[WORDS - 1] |= UINT64_C(0xff) << 56;
    if (case_int(8) == 0)
        g->filter.word_count = 1 - (size_t)case_int(2);
    if (g->filter.word_count == 0)
        g->filter.bits = NULL;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Bodies that are one instance each. */
typedef struct assembly {
    bvp_body body;
    body_list list;
    bvp_body alone[INSTANCES];
} assembly;

static void take_apart(const bvp_file *file, const double *placement, assembly *out)
{
    out->body = (bvp_body){.file = file, .part = BVP_ASSEMBLY, .placement = placement};
    out->list = list_of(&out->body);
    ck_assert_uint_eq(out->list.count, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        const bvpi_placed_part *part = &out->list.items[i].placed;
        out->alone[i] =
            (bvp_body){.file = file, .part = part->part_idx, .placement = part->at.placement.m};
    }
}

/* ---- rays ------------------------------------------------------------------------------------ */

static int count_hit(void *user, const bvp_ray_hit *hit)
{
    const bvp_filter *filter = user;
    ck_assert(is_asked(filter, hit->id.instance));
    return 0;
}

static void check_ray(const assembly *a, const bvp_body *some, const bvp_ray *ray)
{
    bvp_ray_hit first, best = {.found = 0}, batch;
    uint64_t count, sum = 0;
    int any, any_batch;
    for (uint32_t i = 0; i < INSTANCES; i++) {
        bvp_ray_hit hit;
        uint64_t hits;
        if (!is_asked(some->filter, i))
            continue;
        ck_assert_int_eq(bvp_ray_first(&a->alone[i], ray, &hit, NULL), BVP_OK);
        ck_assert_int_eq(bvp_ray_all(&a->alone[i], ray, NULL, NULL, &hits, NULL), BVP_OK);
        sum += hits;
        if (!hit.found || (best.found && best.t <= hit.t))
            continue;
        best = hit;
        best.id.instance = i;
    }
    ck_assert_int_eq(bvp_ray_first(some, ray, &first, NULL), BVP_OK);
    ck_assert_int_eq(bvp_ray_first_batch(some, (bvp_const_array){ray, 0, 1},
                                         (bvp_array){&batch, 0, 1}, NULL, NULL),
                     BVP_OK);
    ck_assert_int_eq(bvp_ray_any(some, ray, &any, NULL), BVP_OK);
    ck_assert_int_eq(bvp_ray_any_batch(some, (bvp_const_array){ray, 0, 1},
                                       (bvp_array){&any_batch, 0, 1}, NULL, NULL),
                     BVP_OK);
    ck_assert_int_eq(bvp_ray_all(some, ray, count_hit, (void *)some->filter, &count, NULL), BVP_OK);
    ck_assert_int_eq(first.found, best.found);
    ck_assert_int_eq(any, best.found);
    ck_assert_int_eq(any_batch, best.found);
    ck_assert_uint_eq(count, sum);
    if (!best.found)
        return;
    ck_assert_mem_eq(&first, &batch, sizeof first);
    ck_assert_mem_eq(&first.id, &best.id, sizeof first.id);
    ck_assert_double_eq(first.t, best.t);
    ck_assert_double_eq(first.u, best.u);
    ck_assert_double_eq(first.v, best.v);
    ck_assert_mem_eq(first.normal, best.normal, sizeof first.normal);
}

/* ---- points ---------------------------------------------------------------------------------- */

static void check_closest(const assembly *a, const bvp_body *some, const double point[3])
{
    bvp_closest_result found, best = {.found = 0}, nearest[2];
    uint64_t count, asked = 0;
    for (uint32_t i = 0; i < INSTANCES; i++) {
        bvp_closest_result one;
        if (!is_asked(some->filter, i))
            continue;
        asked++;
        ck_assert_int_eq(bvp_closest(&a->alone[i], point, INFINITY, &one, NULL), BVP_OK);
        if (best.found && best.distance <= one.distance)
            continue;
        best = one;
        best.id.instance = i;
    }
    ck_assert_int_eq(bvp_closest(some, point, INFINITY, &found, NULL), BVP_OK);
    ck_assert_int_eq(
        bvp_nearest_instances(some, point, INFINITY, (bvp_array){nearest, 0, 2}, &count, NULL),
        BVP_OK);
    ck_assert_uint_eq(count, asked < 2 ? asked : 2);
    ck_assert_int_eq(found.found, best.found);
    if (!best.found)
        return;
    ck_assert_double_eq(found.distance, best.distance);
    ck_assert_mem_eq(&found.id, &best.id, sizeof found.id);
    ck_assert_mem_eq(found.point, best.point, sizeof found.point);
    ck_assert_mem_eq(&nearest[0].id, &best.id, sizeof found.id);
    ck_assert(count < 2 || is_asked(some->filter, nearest[1].id.instance));
}

/* ---- regions --------------------------------------------------------------------------------- */

static int only_asked(void *user, const bvp_hit_id *id)
{
    ck_assert(is_asked(user, id->instance));
    return 0;
}

typedef bvp_status (*overlap_fn)(const bvp_body *body, const double p[3], double size,
                                 bvp_hit_fn each, void *user, uint64_t *count);

static bvp_status in_box(const bvp_body *body, const double p[3], double size, bvp_hit_fn each,
                         void *user, uint64_t *count)
{
    const double lo[3] = {p[0] - size, p[1] - size, p[2] - size};
    const double hi[3] = {p[0] + size, p[1] + size, p[2] + size};
    return bvp_overlap(body, bvp_box_region(lo, hi), each, user, count, NULL);
}

/* A bvp_hit_fn as a bvp_candidate_fn. */
typedef struct of_ids {
    bvp_hit_fn each;
    void *user;
} of_ids;

static int without_corners(void *user, const bvp_hit_id *id, const double corners[9])
{
    const of_ids *ids = user;
    (void)corners;
    return ids->each != NULL && ids->each(ids->user, id);
}

static bvp_status near_box(const bvp_body *body, const double p[3], double size, bvp_hit_fn each,
                           void *user, uint64_t *count)
{
    const double lo[3] = {p[0] - size, p[1] - size, p[2] - size};
    const double hi[3] = {p[0] + size, p[1] + size, p[2] + size};
    of_ids ids = {each, user};
    return bvp_candidates_box(body, lo, hi, without_corners, &ids, count, NULL);
}

static bvp_status in_ball(const bvp_body *body, const double p[3], double size, bvp_hit_fn each,
                          void *user, uint64_t *count)
{
    return bvp_overlap(body, bvp_ball_region(p, size), each, user, count, NULL);
}

static bvp_status in_half(const bvp_body *body, const double p[3], double size, bvp_hit_fn each,
                          void *user, uint64_t *count)
{
    const double plane[4] = {0.6, 0, 0.8, size - 0.6 * p[0] - 0.8 * p[2]};
    return bvp_overlap(body, bvp_convex_region(plane, 1), each, user, count, NULL);
}

static void check_regions(const assembly *a, const bvp_body *some, const double p[3], double size)
{
    static const overlap_fn regions[] = {in_box, near_box, in_ball, in_half};
    const double lo[3] = {p[0] - size, p[1] - size, p[2] - size};
    const double hi[3] = {p[0] + size, p[1] + size, p[2] + size};
    uint32_t touched = 0, instances[INSTANCES];
    uint64_t count;
    for (int k = 0; k < 4; k++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < INSTANCES; i++) {
            if (!is_asked(some->filter, i))
                continue;
            ck_assert_int_eq(regions[k](&a->alone[i], p, size, NULL, NULL, &count), BVP_OK);
            sum += count;
            touched += k == 0 && count > 0;
        }
        ck_assert_int_eq(regions[k](some, p, size, only_asked, (void *)some->filter, &count),
                         BVP_OK);
        ck_assert_uint_eq(count, sum);
    }
    ck_assert_int_eq(bvp_instances_in(some, bvp_box_region(lo, hi), 1,
                                      (bvp_array){instances, 0, INSTANCES}, &count, NULL),
                     BVP_OK);
    ck_assert_uint_eq(count, touched);
    for (uint64_t k = 0; k < count; k++)
        ck_assert(is_asked(some->filter, instances[k]));
}

static void ask_alone(const assembly *a)
{
    const double size = size_of_body(&a->list);
    for (int round = 0; round < 4 * ROUNDS; round++) {
        group g;
        bvp_body some = a->body;
        bvp_ray ray = {.t_min = 0, .t_max = INFINITY};
        double p[3];
        random_group(&g);
        some.filter = &g.filter;
        point_of_body(&a->list, true, p);
        for (int k = 0; k < 3; k++) {
            ray.direction[k] = case_unit();
            ray.origin[k] = p[k] - size * ray.direction[k];
        }
        check_ray(a, &some, &ray);
        check_closest(a, &some, p);
        check_closest(a, &some, ray.origin);
        check_regions(a, &some, p, size * exp2(-case_int(6)));
    }
}

/* Near and at 10,000 km; the instances are scaled, stretched, sheared and mirrored. */
static void for_all_assemblies(void (*ask)(const assembly *a))
{
    static const int kinds[] = {PLACED_NOT, PLACED_MIRRORED, PLACED_SHEARED, PLACED_FAR};
    for (int k = 0; k < 4; k++) {
        double m[12];
        assembly a;
        body_scene s = scene_assembly(INSTANCES, k & 1);
        place_random(kinds[k], m);
        take_apart(s.file[k >> 1], kinds[k] == PLACED_NOT ? NULL : m, &a);
        ask(&a);
        list_free(&a.list);
        scene_close(&s);
    }
}

START_TEST(of_one_body_only_those_that_are_asked_answer)
{
    case_seed(1);
    for_all_assemblies(ask_alone);
}
END_TEST

/* ---- two bodies ------------------------------------------------------------------------------ */

/* What each pair of instances answers, as two parts. */
typedef struct matrix {
    bvp_distance_result nearest[INSTANCES][INSTANCES];
    uint64_t count[INSTANCES][INSTANCES]; /* of triangles that touch */
} matrix;

static int count_pair(void *user, const bvp_pair *pair)
{
    (void)pair;
    ++*(uint64_t *)user;
    return 0;
}

static void fill_matrix(const assembly *a, const assembly *b, matrix *out)
{
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t j = 0; j < INSTANCES; j++) {
            uint64_t count = 0;
            ck_assert_int_eq(
                bvp_distance(&a->alone[i], &b->alone[j], INFINITY, &out->nearest[i][j], NULL),
                BVP_OK);
            if (out->nearest[i][j].distance == 0)
                ck_assert_int_eq(bvp_pairs_each(&a->alone[i], &b->alone[j], count_pair, &count,
                                                &(uint64_t){0}, NULL),
                                 BVP_OK);
            out->count[i][j] = count;
        }
}

typedef struct pair_check {
    const bvp_filter *a, *b;
    uint64_t count;
} pair_check;

static int check_pair(void *user, const bvp_pair *pair)
{
    pair_check *check = user;
    ck_assert(is_asked(check->a, pair->a.instance) && is_asked(check->b, pair->b.instance));
    check->count++;
    return 0;
}

/* b NULL: a's instances against one another. */
static void check_two(const bvp_body *a, const bvp_body *b, const matrix *all)
{
    const bvp_filter *fa = a->filter, *fb = b ? b->filter : a->filter;
    double least = INFINITY;
    uint64_t pairs = 0, count;
    pair_check check = {fa, fb, 0};
    bvp_distance_result found;
    int hit, within;
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t j = b ? 0 : i + 1; j < INSTANCES; j++) {
            if (!is_asked(fa, i) || !is_asked(fb, j))
                continue;
            least = fmin(least, all->nearest[i][j].distance);
            pairs += all->count[i][j];
        }
    ck_assert_int_eq(bvp_collide(a, b, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, least == 0);
    ck_assert_int_eq(bvp_pairs_each(a, b, check_pair, &check, &count, NULL), BVP_OK);
    ck_assert_uint_eq(count, pairs);
    ck_assert_uint_eq(check.count, pairs);
    ck_assert_int_eq(bvp_distance(a, b, INFINITY, &found, NULL), BVP_OK);
    ck_assert_int_eq(found.found, least < INFINITY);
    if (!found.found)
        return;
    ck_assert(is_asked(fa, found.a.instance) && is_asked(fb, found.b.instance));
    ck_assert_double_le(fabs(found.distance - least), 1e-8 * least);
    for (int k = 0; k < 2; k++) {
        const double delta = least * (k ? 0.999 : 1.001);
        ck_assert_int_eq(bvp_within(a, b, delta, &within, NULL, NULL), BVP_OK);
        ck_assert_int_eq(within, k == 0 || least == 0);
    }
}

/* The mirror image of a query does the same arithmetic, whatever the filters. */
static void check_mirror_image(const bvp_body *a, const bvp_body *b)
{
    bvp_distance_result one, other;
    ck_assert_int_eq(bvp_distance(a, b, INFINITY, &one, NULL), BVP_OK);
    ck_assert_int_eq(bvp_distance(b, a, INFINITY, &other, NULL), BVP_OK);
    ck_assert_int_eq(one.found, other.found);
    if (!one.found)
        return;
    ck_assert_double_eq(one.distance, other.distance);
    ck_assert_mem_eq(one.point_a, other.point_b, sizeof one.point_a);
    ck_assert_mem_eq(one.point_b, other.point_a, sizeof one.point_b);
    ck_assert_mem_eq(&one.a, &other.b, sizeof one.a);
}

static void ask_two(const assembly *a)
{
    static matrix self, other;
    double m[12];
    assembly b;
    bvp_file *file = (bvp_file *)a->body.file;
    /* not turned: the second one would be far from the first where both are far away */
    case_identity(m);
    case_translate(m, 5);
    if (a->body.placement)
        bvpi_compose(m, a->body.placement, m);
    take_apart(file, m, &b);
    fill_matrix(a, a, &self);
    fill_matrix(a, &b, &other);
    for (int round = 0; round < ROUNDS; round++) {
        group one, two;
        random_group(&one);
        random_group(&two);
        bvp_body some = a->body, others = b.body, same = a->body;
        some.filter = &one.filter;
        others.filter = same.filter = &two.filter;
        check_two(&some, NULL, &self);
        check_two(&some, &others, &other);
        check_two(&some, &same, &self);
        check_mirror_image(&some, &same);
        check_mirror_image(&some, &others);
    }
    list_free(&b.list);
}

START_TEST(of_two_bodies_only_those_that_are_asked_answer)
{
    case_seed(2);
    for_all_assemblies(ask_two);
}
END_TEST

/* A sub-assembly in motion against all that does not belong to it. */
START_TEST(a_sub_assembly_meets_the_rest)
{
    case_seed(3);
    body_scene s = scene_assembly(INSTANCES, false);
    for (int round = 0; round < 40; round++) {
        group moving, rest;
        double m[12];
        assembly a, b;
        int hit, expected = 0;
        random_group(&moving);
        rest = moving;
        rest.filter.bits = moving.filter.word_count ? rest.bits : NULL;
        rest.filter.exclude = !rest.filter.exclude;
        place_random(PLACED_RIGID, m);
        take_apart(s.file[0], m, &a);
        take_apart(s.file[0], NULL, &b);
        a.body.filter = &moving.filter;
        b.body.filter = &rest.filter;
        for (uint32_t i = 0; i < INSTANCES && !expected; i++)
            for (uint32_t j = 0; j < INSTANCES && !expected; j++)
                if (is_asked(&moving.filter, i) && !is_asked(&moving.filter, j))
                    ck_assert_int_eq(bvp_collide(&a.alone[i], &b.alone[j], &expected, NULL),
                                     BVP_OK);
        ck_assert_int_eq(bvp_collide(&a.body, &b.body, &hit, NULL), BVP_OK);
        ck_assert_int_eq(hit, expected);
        list_free(&a.list);
        list_free(&b.list);
    }
    scene_close(&s);
}
END_TEST

/* ---- warm starts ----------------------------------------------------------------------------- */

static void check_warm(const bvp_body *a, const bvp_body *b, bvp_warm_start warm[3], double delta)
{
    bvp_distance_result cold_nearest, nearest;
    int cold, hit;
    ck_assert_int_eq(bvp_collide(a, b, &cold, NULL), BVP_OK);
    ck_assert_int_eq(bvp_collide_warm(a, b, &warm[0], &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, cold);
    ck_assert_int_eq(bvp_within(a, b, delta, &cold, NULL, NULL), BVP_OK);
    ck_assert_int_eq(bvp_within_warm(a, b, delta, &warm[1], &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, cold);
    ck_assert_int_eq(bvp_distance(a, b, INFINITY, &cold_nearest, NULL), BVP_OK);
    ck_assert_int_eq(bvp_distance_warm(a, b, INFINITY, &warm[2], &nearest, NULL), BVP_OK);
    ck_assert_int_eq(nearest.found, cold_nearest.found);
    if (nearest.found)
        ck_assert_double_eq(nearest.distance, cold_nearest.distance);
}

/* What was kept about other instances answers nothing, also when the caller changes the words. */
START_TEST(a_warm_start_knows_its_filter)
{
    case_seed(4);
    body_scene s = scene_assembly(INSTANCES, false);
    group one, two;
    bvp_warm_start warm[3] = {0};
    double m[12];
    case_identity(m);
    const bvp_body a = {.file = s.file[0], .part = BVP_ASSEMBLY, .filter = &one.filter};
    const bvp_body b = {
        .file = s.file[0], .part = BVP_ASSEMBLY, .placement = m, .filter = &two.filter};
    for (int round = 0; round < 300; round++) {
        if (round % 3 == 0)
            random_group(case_int(2) || round == 0 ? &one : &two);
        if (round == 0)
            random_group(&two);
        m[3] = 20 * sin(0.1 * round);
        check_warm(&a, &b, warm, 1);
    }
    scene_close(&s);
}
END_TEST

/* ---- few of many ----------------------------------------------------------------------------- */

/* One cube that is asked, among many: what is left out is not looked at pair by pair. */
START_TEST(what_is_left_out_costs_little)
{
    enum { COUNT = 4000, COUNT_WORDS = COUNT / 64 + 1 };
    static uint32_t parts[COUNT];
    static double placements[COUNT][12];
    uint64_t bits[COUNT_WORDS] = {0};
    const double lift[12] = {1, 0, 0, 0.1, 0, 1, 0, 0.1, 0, 0, 1, 0.1};
    const double away[12] = {1, 0, 0, 30, 0, 1, 0, 30, 0, 0, 1, 30}, corner[3] = {30, 30, 30};
    body_mesh mesh = mesh_box(1);
    for (int i = 0; i < COUNT; i++) {
        case_identity(placements[i]);
        placements[i][3] = i % 20;
        placements[i][7] = i / 20 % 20;
        placements[i][11] = i / 400;
    }
    body_scene s = scene_of(&mesh, 1, parts, placements[0], COUNT);
    const bvp_filter only = {bits, COUNT_WORDS, 0}, rest = {bits, COUNT_WORDS, 1};
    const bvp_body moving = {
        .file = s.file[0], .part = BVP_ASSEMBLY, .placement = lift, .filter = &only};
    const bvp_body still = {.file = s.file[0], .part = BVP_ASSEMBLY, .filter = &rest};
    bvp_stats stats = {0}, apart = {0}, none = {0};
    bvp_distance_result nearest;
    uint64_t count;
    int hit;
    bits[COUNT / 128] = 1;
    ck_assert_int_eq(bvp_pairs_each(&moving, &still, count_pair, &(uint64_t){0}, &count, &stats),
                     BVP_OK);
    ck_assert_uint_gt(count, 0);
    ck_assert_uint_lt(stats.instance_pairs, 200);
    ck_assert_uint_lt(stats.nodes, 3000);
    /* far from one another, in one assembly or in two */
    bits[0] = 1;
    ck_assert_int_eq(bvp_distance(&moving, NULL, INFINITY, &nearest, &apart), BVP_OK);
    ck_assert(nearest.found && nearest.a.instance == 0 && nearest.b.instance == COUNT / 128 * 64);
    ck_assert_uint_eq(apart.instance_pairs, 1);
    bits[COUNT / 128] = 0;
    ck_assert_int_eq(bvp_collide(&moving, NULL, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, 0);
    bvp_closest_result closest;
    bvp_stats far = {0};
    const bvp_body part = {.file = s.file[0], .part = 0, .placement = away};
    ck_assert_int_eq(bvp_closest(&moving, corner, INFINITY, &closest, &far), BVP_OK);
    ck_assert(closest.found && closest.id.instance == 0);
    ck_assert_int_eq(bvp_distance(&part, &moving, INFINITY, &nearest, &far), BVP_OK);
    ck_assert(nearest.found && nearest.b.instance == 0);
    ck_assert_uint_lt(far.nodes, 60);
    bits[0] = 0;
    ck_assert_int_eq(bvp_collide(&moving, &still, &hit, &none), BVP_OK);
    ck_assert_int_eq(hit, 0);
    ck_assert_uint_eq(none.nodes, 0);
    scene_close(&s);
    free(mesh.tri);
}
END_TEST

/* ---- groups ---------------------------------------------------------------------------------- */

START_TEST(a_subtree_is_a_group)
{
    case_seed(5);
    body_scene s = scene_assembly(INSTANCES, false);
    bvp_file_info info;
    bvp_get_info(s.file[0], &info);
    uint64_t bits[WORDS] = {0};
    ck_assert_uint_eq(info.instance_count, INSTANCES);
    for (uint32_t node = 0; node < info.node_count; node++) {
        bvp_node_info top, below;
        uint64_t one[WORDS] = {0}, expected[WORDS] = {0};
        ck_assert_int_eq(bvp_get_node(s.file[0], node, &top), BVP_OK);
        for (uint32_t n = node; n < top.end; n++) {
            ck_assert_int_eq(bvp_get_node(s.file[0], n, &below), BVP_OK);
            if (below.instance != BVP_NONE)
                expected[below.instance / 64] |= UINT64_C(1) << (below.instance % 64);
        }
        ck_assert_int_eq(bvp_filter_subtree(s.file[0], node, one, WORDS), BVP_OK);
        ck_assert_mem_eq(one, expected, sizeof one);
        if (node > 0)
            ck_assert_int_eq(bvp_filter_subtree(s.file[0], node, bits, WORDS), BVP_OK);
        else
            ck_assert_uint_eq(one[0], (UINT64_C(1) << INSTANCES) - 1);
    }
    ck_assert_uint_eq(bits[0], (UINT64_C(1) << INSTANCES) - 1); /* they are added */
    ck_assert_int_eq(bvp_filter_subtree(s.file[0], info.node_count, bits, WORDS), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_filter_subtree(s.file[0], 0, bits, 0), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_filter_subtree(s.file[0], 0, NULL, WORDS), BVP_ERR_ARGUMENT);
    scene_close(&s);
}
END_TEST

START_TEST(instances_are_counted_and_found)
{
    uint64_t bits[3];
    case_seed(6);
    for (int round = 0; round < 2000; round++) {
        const uint32_t end = (uint32_t)case_int(190);
        const bvp_filter f = {bits, (size_t)case_int(4), case_int(2)};
        uint32_t count = 0, at = 0;
        for (int k = 0; k < 3; k++)
            bits[k] = case_int(4) ? case_random() & case_random() & case_random() : 0;
        at = bvpi_filter_next(&f, 0, end);
        for (uint32_t i = 0; i < end; i++) {
            ck_assert_int_eq(bvpi_filter_selects(&f, i), is_asked(&f, i));
            if (!is_asked(&f, i))
                continue;
            ck_assert_uint_eq(at, i);
            at = bvpi_filter_next(&f, i + 1, end);
            count++;
        }
        ck_assert_uint_eq(at, end);
        ck_assert_uint_eq(bvpi_filter_count(&f, end, UINT32_MAX), count);
        ck_assert_uint_eq(bvpi_filter_count(&f, end, count / 2), count / 2);
    }
}
END_TEST

START_TEST(arguments_are_checked)
{
    body_scene s = scene_assembly(3, false);
    const uint64_t bits[1] = {2};
    const double point[3] = {0, 0, 0};
    const bvp_filter good = {bits, 1, 0}, bad = {NULL, 1, 0}, nothing = {NULL, 0, 0};
    const bvp_body some = {.file = s.file[0], .part = BVP_ASSEMBLY, .filter = &good};
    const bvp_body wrong = {.file = s.file[0], .part = BVP_ASSEMBLY, .filter = &bad};
    const bvp_body none = {.file = s.file[0], .part = BVP_ASSEMBLY, .filter = &nothing};
    const bvp_body part = {.file = s.file[0], .part = 0, .filter = &good};
    bvp_warm_start warm = {0};
    bvp_closest_result r;
    int hit;
    ck_assert_int_eq(bvp_closest(&wrong, point, 1, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_closest(&part, point, 1, &r, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_closest(&none, point, INFINITY, &r, NULL), BVP_OK);
    ck_assert_int_eq(r.found, 0);
    ck_assert_int_eq(bvp_closest(&some, point, INFINITY, &r, NULL), BVP_OK);
    ck_assert_uint_eq(r.id.instance, 1);
    ck_assert_int_eq(bvp_collide(&some, &wrong, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide(&part, &some, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide_warm(&some, &wrong, &warm, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide_warm(&some, &part, &warm, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide_warm(&some, &none, &warm, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, 0);
    scene_close(&s);
}
END_TEST

SUITE(test_filter)
{
    const TTest *const tests[] = {of_one_body_only_those_that_are_asked_answer,
                                  of_two_bodies_only_those_that_are_asked_answer,
                                  a_sub_assembly_meets_the_rest,
                                  a_warm_start_knows_its_filter,
                                  what_is_left_out_costs_little,
                                  a_subtree_is_a_group,
                                  instances_are_counted_and_found,
                                  arguments_are_checked,
                                  NULL};
    return suite_run("filter", tests);
}
