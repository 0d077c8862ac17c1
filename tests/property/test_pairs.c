/* SPDX-License-Identifier: MIT
 * test_pairs.c: queries between two bodies against brute force: random shapes and placements that
 * are hard on boxes and predicates, parts and assemblies, both instruction sets, both orders.
 */
#include "bvpack.h"
#include "oracle.h"
#include "prim/pose.h"
#include "prim/tri_tri_exact.h"
#include "tri_cases.h"
#include "suite.h"

#include <check.h>

/* ---- shapes ---------------------------------------------------------------------------------- */

enum { SHAPES = 8, MOST = 40 };

static float shapes[SHAPES][9 * MOST];
static oracle_soup parts[SHAPES];

static void add(oracle_soup *soup, float *at, const float tri[9])
{
    ck_assert(soup->count < MOST);
    memcpy(at + 9 * soup->count++, tri, 9 * sizeof *tri);
    soup->tri = at;
}

static void add_quad(oracle_soup *soup, float *at, const float p[3], const float q[3],
                     const float r[3], const float s[3])
{
    float one[9], two[9];
    memcpy(one, p, 12), memcpy(one + 3, q, 12), memcpy(one + 6, r, 12);
    memcpy(two, p, 12), memcpy(two + 3, r, 12), memcpy(two + 6, s, 12);
    add(soup, at, one);
    add(soup, at, two);
}

static void make_box(oracle_soup *soup, float *at, float size)
{
    for (int side = 0; side < 6; side++) {
        float c[4][3];
        for (int k = 0; k < 4; k++) {
            c[k][side % 3] = side < 3 ? 0 : size;
            c[k][(side + 1) % 3] = k == 1 || k == 2 ? size : 0;
            c[k][(side + 2) % 3] = k >= 2 ? size : 0;
        }
        add_quad(soup, at, c[0], c[1], c[2], c[3]);
    }
}

/* A flat plate of 4 x 4 squares, or a bent one. */
static void make_plate(oracle_soup *soup, float *at, bool bent)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            float c[4][3];
            for (int k = 0; k < 4; k++) {
                c[k][0] = (float)(i + (k == 1 || k == 2));
                c[k][1] = (float)(j + (k >= 2));
                c[k][2] = bent ? c[k][0] * c[k][1] * 0.25f : 0;
            }
            add_quad(soup, at, c[0], c[1], c[2], c[3]);
        }
}

static void make_cone(oracle_soup *soup, float *at)
{
    for (int k = 0; k < 16; k++) {
        double s = k * M_PI / 8, t = (k + 1) * M_PI / 8;
        float tri[9] = {0, 0, 2, (float)cos(s), (float)sin(s), 0, (float)cos(t), (float)sin(t), 0};
        add(soup, at, tri);
        tri[2] = 0;
        add(soup, at, tri);
    }
}

static void make_cases(oracle_soup *soup, float *at, int family)
{
    for (int k = 0; k < MOST / 2; k++) {
        tri_case c;
        case_make(&c, family, PLACE_IDENTITY);
        add(soup, at, c.a);
        add(soup, at, c.b);
    }
}

static void make_shapes(void)
{
    memset(parts, 0, sizeof parts);
    make_box(&parts[0], shapes[0], 1);
    make_box(&parts[1], shapes[1], 3);
    make_plate(&parts[2], shapes[2], false);
    make_plate(&parts[3], shapes[3], true);
    make_cone(&parts[4], shapes[4]);
    make_cases(&parts[5], shapes[5], CASE_RANDOM);
    make_cases(&parts[6], shapes[6], CASE_DEGENERATE);
    make_cases(&parts[7], shapes[7], CASE_NEEDLE);
}

/* Placements of one of the families, scaled so that the shapes meet about every other time. */
static void make_placements(double ma[12], double mb[12])
{
    tri_case c = {0};
    c.placing = case_int(PLACE_COUNT);
    case_placements(&c);
    if (c.placing == PLACE_RIGID || c.placing == PLACE_NEAR_A)
        case_translate(c.mb, 3);
    memcpy(ma, c.ma, sizeof c.ma);
    memcpy(mb, c.mb, sizeof c.mb);
}

/* ---- one comparison -------------------------------------------------------------------------- */

/* Two bodies, and what they are for the oracle: soups in the world, one for each instance. */
typedef struct side {
    bvp_body body, plain; /* plain: the same in a handle without CPU extensions */
    const oracle_soup *soups;
    uint32_t count;
} side;

typedef struct collected {
    const side *a, *b;
    bool self;
    bvp_pair pairs[MOST * MOST * 16];
    uint64_t count;
} collected;

static collected first, second;

static int collect(void *user, const bvp_pair *pair)
{
    collected *all = user;
    ck_assert(all->count < sizeof all->pairs / sizeof *all->pairs);
    all->pairs[all->count++] = *pair;
    return 0;
}

static int compare_ids(const bvp_hit_id *x, const bvp_hit_id *y)
{
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_pairs(const void *x, const void *y)
{
    const bvp_pair *p = x, *q = y;
    int order = compare_ids(&p->a, &q->a);
    return order != 0 ? order : compare_ids(&p->b, &q->b);
}

static uint32_t instance_of(const bvp_hit_id *id)
{
    return id->instance == BVP_NONE ? 0 : id->instance;
}

/* What the oracle says about a pair of instances must be what was reported about them. */
static uint64_t check_matrix(const collected *all, uint32_t i, uint32_t j)
{
    static uint8_t matrix[MOST * MOST];
    oracle_soup a = all->a->soups[i], b = all->b->soups[j];
    uint64_t hits = oracle_pairs(a, b, matrix), seen = 0;
    for (uint64_t k = 0; k < all->count; k++) {
        const bvp_pair *pair = &all->pairs[k];
        if (instance_of(&pair->a) != i || instance_of(&pair->b) != j)
            continue;
        unsigned bits = matrix[pair->a.id * b.count + pair->b.id];
        ck_assert_msg(bits != 0, "a pair that does not touch");
        ck_assert_msg(!pair->proper || (bits & BVPI_PROPER), "a touch that is called proper");
        seen++;
    }
    ck_assert_uint_eq(seen, hits);
    return hits;
}

static void check_each_once(collected *all)
{
    qsort(all->pairs, all->count, sizeof *all->pairs, compare_pairs);
    for (uint64_t k = 1; k < all->count; k++)
        ck_assert(compare_pairs(&all->pairs[k - 1], &all->pairs[k]) != 0);
}

/* Returns whether they touch. */
static bool check_pairs(const side *a, const side *b)
{
    const bvp_body *other = b != NULL ? &b->body : NULL, *plain = b != NULL ? &b->plain : NULL;
    uint64_t count, hits = 0;
    bvp_stats stats = {0}, stats_plain = {0};
    first = (collected){.a = a, .b = b != NULL ? b : a, .self = b == NULL};
    second = first;
    ck_assert_int_eq(bvp_pairs_each(&a->body, other, collect, &first, &count, &stats), BVP_OK);
    ck_assert_uint_eq(count, first.count);
    ck_assert_int_eq(bvp_pairs_each(&a->plain, plain, collect, &second, &count, &stats_plain),
                     BVP_OK);
    ck_assert_uint_eq(first.count, second.count);
    for (uint64_t k = 0; k < first.count; k++) {
        ck_assert(compare_pairs(&first.pairs[k], &second.pairs[k]) == 0);
        ck_assert_int_eq(first.pairs[k].proper, second.pairs[k].proper);
    }
    ck_assert_mem_eq(&stats, &stats_plain, sizeof stats);
    check_each_once(&first);
    for (uint32_t i = 0; i < first.a->count; i++)
        for (uint32_t j = first.self ? i + 1 : 0; j < first.b->count; j++)
            hits += check_matrix(&first, i, j);
    ck_assert_uint_eq(hits, first.count);
    return hits > 0;
}

static void check_collide(const side *a, const side *b, bool touches)
{
    const bvp_body *other = b != NULL ? &b->body : NULL, *plain = b != NULL ? &b->plain : NULL;
    int hit = 2;
    ck_assert_int_eq(bvp_collide(&a->body, other, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, touches);
    ck_assert_int_eq(bvp_collide(&a->plain, plain, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, touches);
    if (b != NULL)
        ck_assert_int_eq(bvp_collide(&b->body, &a->body, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, touches);
}

static void check_within(const side *a, const side *b, double delta, int expected)
{
    int within, without_witness;
    bvp_distance_result out;
    const bvp_body *body_b = b != NULL ? &b->body : NULL;
    ck_assert_int_eq(bvp_within(&a->body, body_b, delta, &within, &out, NULL), BVP_OK);
    ck_assert_int_eq(bvp_within(&a->body, body_b, delta, &without_witness, NULL, NULL), BVP_OK);
    ck_assert_int_eq(within, expected);
    ck_assert_int_eq(without_witness, expected);
    ck_assert_int_eq(out.found, expected);
    if (!within)
        return;
    ck_assert(out.lower <= delta);
    if (out.lower > out.distance * (1 - 1e-6)) /* else double-double can't tell it from delta */
        ck_assert(out.distance <= delta * (1 + 1e-9));
}

/* To within some of the exact one; 0 stays 0. */
static void check_about(const side *a, const side *b, const bvp_distance_result *exact)
{
    const bvp_body *right = b != NULL ? &b->body : NULL;
    for (double share = 0; share < 2; share += 0.25) {
        const double tolerance = share * exact->distance;
        bvp_distance_result out;
        ck_assert_int_eq(bvp_distance_about(&a->body, right, INFINITY, tolerance, &out, NULL),
                         BVP_OK);
        ck_assert(out.found && (out.distance == 0) == (exact->distance == 0));
        ck_assert(out.lower <= exact->distance && exact->lower <= out.distance);
        ck_assert(out.distance <= exact->distance + tolerance);
        ck_assert(out.lower >= exact->lower - tolerance * (1 + 1e-9));
    }
}

static void check_distance(const side *a, const side *b, bool touches)
{
    const side *right = b != NULL ? b : a;
    bvp_distance_result out, plain, mirrored;
    double lo = INFINITY, hi = INFINITY;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = b == NULL ? i + 1 : 0; j < right->count; j++) {
            double l, h;
            oracle_distance(a->soups[i], right->soups[j], &l, &h);
            lo = fmin(lo, l);
            hi = fmin(hi, h);
        }
    ck_assert_int_eq(bvp_distance(&a->body, b != NULL ? &b->body : NULL, INFINITY, &out, NULL),
                     BVP_OK);
    ck_assert_int_eq(bvp_distance(&a->plain, b != NULL ? &b->plain : NULL, INFINITY, &plain, NULL),
                     BVP_OK);
    ck_assert(out.found && plain.found);
    ck_assert(out.distance == plain.distance && out.lower == plain.lower);
    ck_assert((out.distance == 0) == touches);
    ck_assert_msg(fabs(out.distance - hi) <= 1e-6 * hi, "%.17g, not %.17g", out.distance, hi);
    ck_assert(out.lower <= hi && out.distance >= lo && out.lower <= out.distance);
    check_about(a, b, &out);
    if (b != NULL) {
        ck_assert_int_eq(bvp_distance(&b->body, &a->body, INFINITY, &mirrored, NULL), BVP_OK);
        ck_assert(mirrored.distance == out.distance);
        ck_assert(memcmp(&mirrored.a, &out.b, sizeof out.b) == 0);
        ck_assert(memcmp(mirrored.point_b, out.point_a, sizeof out.point_a) == 0);
    }
    check_within(a, b, 0, touches);
    if (touches)
        return;
    check_within(a, b, out.distance * (1 + 1e-6), 1);
    if (out.lower <= out.distance * (1 - 1e-6))
        return; /* a near touch that takes more than double-double: below, either answer would do */
    check_within(a, b, out.distance * (1 - 1e-6), 0);
    ck_assert_int_eq(
        bvp_distance(&a->body, b != NULL ? &b->body : NULL, out.distance * 0.999, &mirrored, NULL),
        BVP_OK);
    ck_assert(!mirrored.found);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static int rounds(int usual)
{
    const char *text = getenv("BVP_ROUNDS");
    return text ? atoi(text) : usual;
}

static side side_of_part(bvp_file *file, bvp_file *plain, uint32_t part, const double *placement,
                         oracle_soup *soup)
{
    *soup = parts[part];
    soup->placement = placement;
    return (side){{.file = file, .part = part, .placement = placement},
                  {.file = plain, .part = part, .placement = placement},
                  soup,
                  1};
}

START_TEST(parts_agree_with_brute_force)
{
    case_seed(2);
    make_shapes();
    bvp_file *file = oracle_open(parts, SHAPES, NULL, NULL, 0, false);
    bvp_file *plain = oracle_open(parts, SHAPES, NULL, NULL, 0, true);
    int touching = 0, count = rounds(1500);
    for (int round = 0; round < count; round++) {
        double ma[12], mb[12];
        oracle_soup soup_a, soup_b;
        make_placements(ma, mb);
        side a = side_of_part(file, plain, (uint32_t)case_int(SHAPES), ma, &soup_a);
        side b = side_of_part(file, plain, (uint32_t)case_int(SHAPES), mb, &soup_b);
        bool touches = check_pairs(&a, &b);
        check_collide(&a, &b, touches);
        if (round % 4 == 0)
            check_distance(&a, &b, touches);
        touching += touches;
    }
    printf("%d of %d placements touch\n", touching, count);
    ck_assert(touching > count / 10 && touching < count - count / 10);
    bvp_close(file);
    bvp_close(plain);
}
END_TEST

/* Moves b to a, but for a share of their distance. */
static void bring_near(const side *a, const side *b, double mb[12], double share)
{
    bvp_distance_result out;
    ck_assert_int_eq(bvp_distance(&a->body, &b->body, INFINITY, &out, NULL), BVP_OK);
    for (int i = 0; i < 3; i++)
        mb[4 * i + 3] += (out.point_a[i] - out.point_b[i]) * (1 - share);
}

/* "Nearer than" is another walk when it is about little. */
START_TEST(parts_that_nearly_touch_agree)
{
    case_seed(3);
    make_shapes();
    bvp_file *file = oracle_open(parts, SHAPES, NULL, NULL, 0, false);
    bvp_file *plain = oracle_open(parts, SHAPES, NULL, NULL, 0, true);
    int apart = 0, count = rounds(400);
    for (int round = 0; round < count; round++) {
        double ma[12], mb[12];
        oracle_soup soup_a, soup_b;
        make_placements(ma, mb);
        side a = side_of_part(file, plain, (uint32_t)case_int(SHAPES), ma, &soup_a);
        side b = side_of_part(file, plain, (uint32_t)case_int(SHAPES), mb, &soup_b);
        if (check_pairs(&a, &b))
            continue;
        bring_near(&a, &b, mb, ldexp(1, -8 - case_int(20)));
        const bool touches = check_pairs(&a, &b);
        check_distance(&a, &b, touches);
        apart += !touches;
    }
    printf("%d of %d are apart by little\n", apart, count);
    ck_assert_int_gt(apart, count / 8);
    bvp_close(file);
    bvp_close(plain);
}
END_TEST

/* ---- assemblies ------------------------------------------------------------------------------ */

enum { NODES = 12 };

typedef struct assembly {
    bvp_file *file, *plain;
    oracle_soup soups[NODES];
    double placements[NODES][12];
} assembly;

/* Small shapes on a loose grid, turned and shifted, some of them touching. */
static void make_assembly(assembly *all)
{
    uint32_t numbers[NODES];
    for (int k = 0; k < NODES; k++) {
        double unused[12];
        numbers[k] = (uint32_t)case_int(SHAPES);
        make_placements(all->placements[k], unused);
        for (int x = 0; x < 3; x++)
            all->placements[k][4 * x + 3] = 3 * case_int(4);
    }
    all->file = oracle_open(parts, SHAPES, numbers, all->placements[0], NODES, false);
    all->plain = oracle_open(parts, SHAPES, numbers, all->placements[0], NODES, true);
}

/* The instances as the file has them, in the world that `placement` (or NULL) makes of it. */
static side side_of_assembly(assembly *all, const double *placement)
{
    bvp_file_info info;
    bvp_get_info(all->file, &info);
    ck_assert_uint_eq(info.instance_count, NODES);
    for (uint32_t k = 0; k < NODES; k++) {
        bvp_instance_info instance;
        ck_assert_int_eq(bvp_get_instance(all->file, k, &instance), BVP_OK);
        ck_assert_int_eq(bvpi_compose(placement, instance.placement, all->placements[k]), BVP_OK);
        all->soups[k] = parts[instance.part];
        all->soups[k].placement = all->placements[k];
    }
    return (side){{.file = all->file, .part = BVP_ASSEMBLY, .placement = placement},
                  {.file = all->plain, .part = BVP_ASSEMBLY, .placement = placement},
                  all->soups,
                  NODES};
}

static void check_all(const side *a, const side *b)
{
    bool touches = check_pairs(a, b);
    check_collide(a, b, touches);
    check_distance(a, b, touches);
}

START_TEST(assemblies_agree_with_brute_force)
{
    static assembly one, two;
    case_seed(3);
    make_shapes();
    for (int round = 0; round < rounds(6); round++) {
        double ma[12], mb[12];
        oracle_soup soup;
        make_assembly(&one);
        make_assembly(&two);
        make_placements(ma, mb);
        side a = side_of_assembly(&one, round % 3 ? ma : NULL);
        side b = side_of_assembly(&two, round % 3 ? mb : NULL);
        side part = side_of_part(two.file, two.plain, (uint32_t)case_int(SHAPES), mb, &soup);
        check_all(&a, NULL);
        check_all(&a, &b);
        check_all(&a, &part);
        check_all(&part, &b);
        bvp_close(one.file), bvp_close(one.plain);
        bvp_close(two.file), bvp_close(two.plain);
    }
}
END_TEST

/* ---- the rest -------------------------------------------------------------------------------- */

START_TEST(batches_equal_single_queries)
{
    enum { COUNT = 40 };
    static double placements[COUNT][16];
    struct wide_hit {
        int hit, unused;
    } hits[COUNT];
    bvp_distance_result results[COUNT];
    size_t done = 0;
    case_seed(4);
    make_shapes();
    bvp_file *file = oracle_open(parts, SHAPES, NULL, NULL, 0, false);
    bvp_body a = {.file = file, .part = 4}, b = {.file = file, .part = 3};
    for (int k = 0; k < COUNT; k++) {
        case_rotation(placements[k]);
        case_translate(placements[k], 4);
    }
    ck_assert_int_eq(bvp_collide_batch(&a, &b,
                                       (bvp_const_array){placements[0], sizeof *placements, COUNT},
                                       (bvp_array){&hits[0].hit, sizeof *hits, COUNT}, &done, NULL),
                     BVP_OK);
    ck_assert_uint_eq(done, COUNT);
    ck_assert_int_eq(bvp_distance_batch(&a, &b,
                                        (bvp_const_array){placements[0], sizeof *placements, COUNT},
                                        INFINITY, (bvp_array){results, 0, COUNT}, &done, NULL),
                     BVP_OK);
    for (int k = 0; k < COUNT; k++) {
        int hit;
        bvp_distance_result result;
        bvp_body moved = {.file = file, .part = 3, .placement = placements[k]};
        ck_assert_int_eq(bvp_collide(&a, &moved, &hit, NULL), BVP_OK);
        ck_assert_int_eq(hits[k].hit, hit);
        ck_assert_int_eq(bvp_distance(&a, &moved, INFINITY, &result, NULL), BVP_OK);
        ck_assert(result.distance == results[k].distance);
    }
    placements[7][5] = NAN;
    ck_assert_int_eq(bvp_collide_batch(&a, &b,
                                       (bvp_const_array){placements[0], sizeof *placements, COUNT},
                                       (bvp_array){&hits[0].hit, sizeof *hits, COUNT}, &done, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_uint_eq(done, 7);
    bvp_close(file);
}
END_TEST

static int stop_at_once(void *user, const bvp_pair *pair)
{
    (void)pair;
    return ++*(int *)user == 1;
}

START_TEST(limits_and_arguments)
{
    bvp_pair pairs[3];
    uint64_t count = 99;
    int hit, calls = 0, within;
    bvp_distance_result out;
    double singular[12] = {1}, shift[12] = {1, 0, 0, 0.5, 0, 1, 0, 0.5, 0, 0, 1, 0.5};
    make_shapes();
    bvp_file *file = oracle_open(parts, SHAPES, NULL, NULL, 0, false);
    bvp_body a = {.file = file, .part = 0}, b = {.file = file, .part = 0, .placement = shift},
             bad = {.file = file, .part = 0, .placement = singular};
    bvp_body none = {.file = file, .part = SHAPES}, no_file = {.file = NULL, .part = 0};
    ck_assert_int_eq(bvp_pairs(&a, &b, pairs, 3, &count, NULL), BVP_ERR_LIMIT);
    ck_assert_uint_eq(count, 3);
    ck_assert_int_eq(bvp_pairs(&a, &b, NULL, 0, &count, NULL), BVP_ERR_LIMIT);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(bvp_pairs_each(&a, &b, stop_at_once, &calls, &count, NULL), BVP_OK);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(bvp_collide(&a, &bad, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide(&bad, &a, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide(&a, &none, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide(&no_file, &a, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide(NULL, &a, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_distance(&a, &b, NAN, &out, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_distance(&a, &b, -1, &out, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_distance_about(&a, &b, 1, -1, &out, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_distance_about(&a, &b, 1, NAN, &out, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_within(&a, &b, NAN, &within, &out, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide(&a, NULL, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, 0);
    bvp_close(file);
}
END_TEST

SUITE(test_pairs)
{
    const TTest *const list[] = {parts_agree_with_brute_force,
                                 parts_that_nearly_touch_agree,
                                 assemblies_agree_with_brute_force,
                                 batches_equal_single_queries,
                                 limits_and_arguments,
                                 NULL};
    return suite_run_within("pairs", 300, list);
}
