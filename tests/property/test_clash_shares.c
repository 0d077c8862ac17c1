/* SPDX-License-Identifier: MIT
 * test_clash_shares.c: a clash run in pieces, by its end, by ranges, by shares: each instance is in
 * one of them, and together they give what one run gives; shares cost about the same.
 */
#include "suite.h"

#include "clash_case.h"

enum { INSTANCES = 900, PAIRS_MOST = 40000, ZONES = 3 };

static const double home[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
static const bvp_clash_limits limits = {.1, 1e-4, 1e-3};

/* Boxes and cylinders in a long hall; the first `dense` of them ten times as close. */
static case_file make(uint64_t seed, int count, int dense)
{
    static const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    static solid box, tube;
    assembly all = assembly_new(home);
    box.count = tube.count = 0;
    solid_box(&box, lo, hi, 0, -1);
    solid_cylinder(&tube, .5, 32, 0, 2);
    const uint32_t parts[2] = {assembly_part(&all, &box), assembly_part(&all, &tube)};
    for (int i = 0; i < count; i++) {
        double m[12];
        memcpy(m, home, sizeof m);
        m[3] = i * (i < dense ? .02 : .2);
        m[7] = case_uniform(&seed) * 6;
        m[11] = case_uniform(&seed) * 6;
        assembly_place(&all, parts[case_random(&seed) % 2], m);
    }
    return case_finish(all.builder);
}

typedef struct list {
    bvp_clash_pair pairs[PAIRS_MOST];
    uint32_t count;
} list;

static int add(void *user, const bvp_clash_pair *pair)
{
    list *l = user;
    ck_assert_uint_lt(l->count, PAIRS_MOST);
    l->pairs[l->count++] = *pair;
    return 0;
}

static void add_coverage(bvp_clash_coverage *sum, const bvp_clash_coverage *one)
{
    sum->box_pairs += one->box_pairs;
    sum->excluded += one->excluded;
    sum->instance_count += one->instance_count;
    sum->open_count += one->open_count;
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        sum->verdicts[v] += one->verdicts[v];
}

static void run(const bvp_clash_scene *scene, const bvp_clash_options *options, list *l,
                bvp_clash_coverage *sum)
{
    bvp_clash_coverage one;
    ck_assert_int_eq(bvp_clash(scene, options, add, l, &one, NULL), BVP_OK);
    add_coverage(sum, &one);
}

static int compare(const void *x, const void *y)
{
    const bvp_clash_pair *a = x, *b = y;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

/* Is it the whole run, in parts? */
static void check_same(list *parts, const bvp_clash_coverage *sum, const list *whole,
                       const bvp_clash_coverage *all)
{
    qsort(parts->pairs, parts->count, sizeof *parts->pairs, compare);
    ck_assert_uint_eq(parts->count, whole->count);
    ck_assert_mem_eq(parts->pairs, whole->pairs, whole->count * sizeof *whole->pairs);
    ck_assert_mem_eq(sum, all, sizeof *all);
}

typedef struct kind {
    bvp_clash_scene scene;
    bvp_clash_options options;
} kind;

/* One file, two files, zones. */
static void check_each_kind(void (*check)(const kind *k, uint64_t seed), uint64_t seed)
{
    case_file a = make(seed, INSTANCES, 100), b = make(seed + 1, 100, 0);
    const double beside[12] = {1, 0, 0, 5, 0, 1, 0, .5, 0, 0, 1, 0};
    const bvp_clash_zone zones[ZONES] = {
        {.shape = {.kind = BVP_CONVEX_SPHERE, .radius = 3}},
        {.shape = {.kind = BVP_CONVEX_CAPSULE, .radius = 1, .length = 9}},
        {.shape = {.kind = BVP_CONVEX_SPHERE, .radius = 8, .placement = beside}}};
    const bvp_const_array array = {zones, 0, ZONES};
    kind k = {.scene = {.a = a.file},
              .options = {.limits = limits, .detail = BVP_CLASH_VERDICTS, .thread_count = 2}};
    check(&k, seed);
    k.options.zones = &array;
    check(&k, seed);
    k.options.zones = NULL;
    k.scene.b = b.file;
    k.scene.placement_b = beside;
    check(&k, seed);
    case_close(&a);
    case_close(&b);
}

static list *whole_run(const kind *k, bvp_clash_coverage *all)
{
    list *whole = calloc(1, sizeof *whole);
    memset(all, 0, sizeof *all);
    run(&k->scene, &k->options, whole, all);
    ck_assert_uint_gt(whole->count, 20);
    ck_assert_uint_eq(all->instance_count, INSTANCES);
    return whole;
}

static void check_ends(const kind *k, uint64_t seed)
{
    bvp_clash_coverage all, sum = {0};
    list *whole = whole_run(k, &all), *parts = calloc(1, sizeof *parts);
    bvp_clash_options options = k->options;
    while (options.first_instance < INSTANCES) {
        options.end_instance = options.first_instance + 1 + (uint32_t)(case_random(&seed) % 400);
        run(&k->scene, &options, parts, &sum);
        /* pieces follow one another, so that pairs come in order */
        ck_assert(parts->count == 0 ||
                  memcmp(&parts->pairs[parts->count - 1], &whole->pairs[parts->count - 1],
                         sizeof *whole->pairs) == 0);
        options.first_instance = options.end_instance;
    }
    check_same(parts, &sum, whole, &all);
    memset(&sum, 0, sizeof sum);
    options.first_instance = options.end_instance = 7; /* nothing */
    run(&k->scene, &options, parts, &sum);
    ck_assert_uint_eq(sum.instance_count, 0);
    free(whole);
    free(parts);
}

START_TEST(ends)
{
    check_each_kind(check_ends, case_seed());
}
END_TEST

/* Every other range of a random cut, then the rest. */
static void check_ranges(const kind *k, uint64_t seed)
{
    bvp_clash_coverage all, sum = {0};
    list *whole = whole_run(k, &all), *parts = calloc(1, sizeof *parts);
    bvp_clash_range ranges[2][INSTANCES];
    size_t counts[2] = {0, 0};
    bvp_clash_options options = k->options;
    for (uint32_t at = 0, turn = 0; at < INSTANCES; turn ^= 1) {
        const uint32_t size = (uint32_t)(case_random(&seed) % 90), left = INSTANCES - at;
        ranges[turn][counts[turn]++] =
            (bvp_clash_range){at, at + (size < left ? size : left)}; /* perhaps empty */
        at += size < left ? size : left;
    }
    for (int turn = 0; turn < 2; turn++) {
        const bvp_const_array array = {ranges[turn], 0, counts[turn]};
        options.ranges = &array;
        options.end_instance = INSTANCES / 2; /* ends cut them */
        options.first_instance = 0;
        run(&k->scene, &options, parts, &sum);
        options.first_instance = INSTANCES / 2;
        options.end_instance = 0;
        run(&k->scene, &options, parts, &sum);
    }
    check_same(parts, &sum, whole, &all);
    free(whole);
    free(parts);
}

START_TEST(ranges)
{
    check_each_kind(check_ranges, case_seed() + 1);
}
END_TEST

/* counts[i]: of shares in which instance i is. */
static uint32_t get_share(const kind *k, uint32_t index, uint32_t count, bvp_clash_range *ranges,
                          uint8_t *counts)
{
    uint32_t range_count = 99;
    ck_assert_int_eq(
        bvp_clash_share(&k->scene, &k->options, index, count, ranges, &range_count, NULL), BVP_OK);
    ck_assert_uint_le(range_count, BVP_CLASH_SHARE_RANGES);
    for (uint32_t r = 0, behind = 0; r < range_count; behind = ranges[r++].end) {
        ck_assert_uint_lt(ranges[r].first, ranges[r].end);
        ck_assert(r == 0 || ranges[r].first > behind); /* neighbours are one range */
        ck_assert_uint_le(ranges[r].end, INSTANCES);
        for (uint32_t i = ranges[r].first; i < ranges[r].end; i++)
            counts[i]++;
    }
    return range_count;
}

static void check_shares(const kind *k, uint64_t seed)
{
    static const uint32_t numbers[] = {1, 2, 7, INSTANCES, 2 * INSTANCES};
    bvp_clash_coverage all;
    list *whole = whole_run(k, &all), *parts = calloc(1, sizeof *parts);
    (void)seed;
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        const uint32_t count = numbers[n];
        uint8_t counts[INSTANCES] = {0};
        bvp_clash_coverage sum = {0};
        bvp_clash_range own[BVP_CLASH_SHARE_RANGES];
        parts->count = 0;
        for (uint32_t i = 0; i < count; i++) {
            const bvp_const_array array = {own, 0, get_share(k, i, count, own, counts)};
            bvp_clash_options options = k->options;
            options.ranges = &array;
            if (count <= 7)
                run(&k->scene, &options, parts, &sum);
        }
        for (uint32_t i = 0; i < INSTANCES; i++)
            ck_assert_msg(counts[i] == 1, "%u of %u shares have instance %u", counts[i], count, i);
        if (count <= 7)
            check_same(parts, &sum, whole, &all);
    }
    free(whole);
    free(parts);
}

START_TEST(shares)
{
    check_each_kind(check_shares, case_seed() + 2);
}
END_TEST

/* A fifth of the instances has most of the pairs: no share gets much more than its part of them. */
START_TEST(shares_are_alike)
{
    case_file a = make(case_seed() + 3, 2000, 400);
    const kind k = {.scene = {.a = a.file},
                    .options = {.limits = limits, .detail = BVP_CLASH_VERDICTS}};
    uint64_t most = 0, sum = 0, most_equal = 0;
    for (uint32_t i = 0; i < 4; i++) {
        bvp_clash_range own[BVP_CLASH_SHARE_RANGES];
        bvp_clash_coverage one;
        uint32_t count;
        bvp_clash_options options = k.options;
        ck_assert_int_eq(bvp_clash_share(&k.scene, &options, i, 4, own, &count, NULL), BVP_OK);
        const bvp_const_array array = {own, 0, count};
        options.ranges = &array;
        ck_assert_int_eq(bvp_clash(&k.scene, &options, NULL, NULL, &one, NULL), BVP_OK);
        most = one.box_pairs > most ? one.box_pairs : most;
        sum += one.box_pairs;
        options.ranges = NULL; /* what a cut by numbers gives */
        options.first_instance = 500 * i;
        options.end_instance = 500 * (i + 1);
        ck_assert_int_eq(bvp_clash(&k.scene, &options, NULL, NULL, &one, NULL), BVP_OK);
        most_equal = one.box_pairs > most_equal ? one.box_pairs : most_equal;
    }
    ck_assert_uint_gt(4 * most_equal, 2 * sum);
    ck_assert_uint_lt(4 * most * 10, 12 * sum);
    case_close(&a);
}
END_TEST

START_TEST(arguments_are_checked)
{
    case_file file = make(case_seed() + 4, 20, 0);
    const bvp_clash_scene scene = {.a = file.file}, none = {.a = NULL};
    const bvp_clash_zone flat = {.shape = {.kind = BVP_CONVEX_SPHERE, .radius = -1}};
    const bvp_const_array zones = {&flat, 0, 1};
    const bvp_clash_range bad[][2] = {{{0, 5}, {4, 6}},
                                      {{5, 6}, {0, 5}},
                                      {{3, 2}, {4, 6}},
                                      {{0, 5}, {5, 21}},
                                      {{30, 40}, {40, 40}}};
    bvp_clash_options options = {.limits = limits};
    bvp_clash_range own[BVP_CLASH_SHARE_RANGES];
    bvp_error error = {0};
    uint32_t count;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const bvp_const_array array = {bad[i], 0, 2};
        options.ranges = &array;
        ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, NULL, &error), BVP_ERR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(error.message, "ranges"));
    }
    const bvp_const_array nowhere = {NULL, 0, 2}, many = {bad, 0, 21};
    options.ranges = &nowhere;
    ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, NULL, NULL), BVP_ERR_ARGUMENT);
    options.ranges = &many;
    ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, NULL, NULL), BVP_ERR_ARGUMENT);
    options.ranges = NULL;
    options.reserved[0] = 1;
    ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, NULL, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "reserved"));
    ck_assert_int_eq(bvp_clash_share(&scene, &options, 0, 1, own, &count, NULL), BVP_ERR_ARGUMENT);
    options.reserved[0] = 0;
    ck_assert_int_eq(bvp_clash_share(&scene, NULL, 0, 1, own, &count, NULL), BVP_OK);
    ck_assert(count == 1 && own[0].first == 0 && own[0].end == 20);
    ck_assert_int_eq(bvp_clash_share(&scene, &options, 4, 4, own, &count, &error),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_clash_share(&scene, &options, 0, 0, own, &count, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(
        bvp_clash_share(&scene, &options, 0, BVP_CLASH_SHARES_MOST + 1, own, &count, NULL),
        BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_clash_share(&none, &options, 0, 1, own, &count, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_clash_share(NULL, &options, 0, 1, own, &count, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_clash_share(&scene, &options, 0, 1, NULL, &count, NULL), BVP_ERR_ARGUMENT);
    options.zones = &zones;
    ck_assert_int_eq(bvp_clash_share(&scene, &options, 0, 1, own, &count, &error),
                     BVP_ERR_ARGUMENT);
    options.zones = NULL;
    options.reach = -1;
    ck_assert_int_eq(bvp_clash_share(&scene, &options, 0, 1, own, &count, NULL), BVP_ERR_ARGUMENT);
    case_close(&file);
}
END_TEST

SUITE(test_clash_shares)
{
    const TTest *const tests[] = {ends, ranges, shares, shares_are_alike, arguments_are_checked,
                                  NULL};
    return suite_run("test_clash_shares", tests);
}
