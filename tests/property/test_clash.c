/* SPDX-License-Identifier: MIT
 * test_clash.c: all pairs of an assembly: none missing, in order, alike for any number of threads,
 * from any instance on; rules, coverage, ends.
 */
#include "suite.h"

#include "clash_case.h"

enum { INSTANCES = 150, PAIRS_MOST = INSTANCES * INSTANCES };

static const double home[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* Boxes, cylinders, plates and open boxes on a coarse lattice, so that many are flush; jitter: of
 * each placement. */
static case_file make(uint64_t seed, double jitter, double spread)
{
    static const double lo[3] = {0, 0, 0}, hi[3] = {2, 1, 1}, more[3] = {3, 3, 3};
    static solid s[5];
    assembly all = assembly_new(home);
    uint32_t part[5];
    uint64_t noise = seed + 1;
    for (int i = 0; i < 5; i++)
        s[i].count = 0;
    solid_box(&s[0], lo, hi, 0, -1);
    solid_cylinder(&s[1], 1, 16, 0, 2);
    solid_plate(&s[2], 2, 1, 16, 0, .5);
    solid_box(&s[3], lo, more, 0, -1);
    solid_box(&s[4], lo, more, 0, 5);
    for (int i = 0; i < 5; i++)
        part[i] = assembly_part(&all, &s[i]);
    for (int i = 0; i < INSTANCES; i++) {
        double m[12];
        memcpy(m, home, sizeof m);
        for (int k = 0; k < 3; k++)
            m[4 * k + 3] = floor(case_uniform(&seed) * spread * 2) / 2 +
                           (2 * case_uniform(&noise) - 1) * jitter;
        assembly_place(&all, part[case_random(&seed) % 5], m);
    }
    return case_finish(all.builder);
}

typedef struct list {
    bvp_clash_pair pairs[PAIRS_MOST];
    uint32_t count, stop_at;
    uint32_t done, total; /* of the last call of progress */
    bvp_clash_coverage seen;
} list;

static int add(void *user, const bvp_clash_pair *pair)
{
    list *l = user;
    l->pairs[l->count++] = *pair;
    return l->count == l->stop_at;
}

static int note(void *user, uint32_t done, uint32_t total, const bvp_clash_coverage *coverage)
{
    list *l = user;
    ck_assert_uint_gt(done, l->done);
    l->done = done;
    l->total = total;
    l->seen = *coverage;
    return 0;
}

static const bvp_clash_limits limits = {.25, 1e-4, 1e-3};

static list *run(const bvp_file *file, bvp_clash_options options, bvp_clash_coverage *sum)
{
    list *l = calloc(1, sizeof *l);
    ck_assert_ptr_nonnull(l);
    options.limits = limits;
    options.progress = note;
    options.progress_user = l;
    ck_assert_int_eq(bvp_clash(&(bvp_clash_scene){.a = file}, &options, add, l, sum, NULL), BVP_OK);
    return l;
}

START_TEST(equals_asking_every_pair)
{
    uint64_t seed = case_seed();
    case_file file = make(seed, 0, 12);
    for (int detail = 0; detail <= BVP_CLASH_FAST_CONTACTS; detail++) {
        const bvp_clash_options options = {.detail = (bvp_clash_detail)detail, .thread_count = 2};
        bvp_clash_coverage sum;
        uint64_t verdicts[BVP_VERDICT_COUNT] = {0}, counted = 0;
        uint32_t at = 0;
        list *l = run(file.file, options, &sum);
        for (uint32_t a = 0; a < INSTANCES; a++)
            for (uint32_t b = a + 1; b < INSTANCES; b++) {
                bvp_clash_pair one;
                ck_assert_int_eq(bvp_clash_one(&(bvp_clash_scene){.a = file.file}, a, b, &limits,
                                               (bvp_clash_detail)detail, &one),
                                 BVP_OK);
                if (one.verdict == BVP_VERDICT_CLEAR)
                    continue;
                verdicts[one.verdict]++;
                ck_assert_uint_lt(at, l->count);
                ck_assert_mem_eq(&one, &l->pairs[at], sizeof one);
                at++;
            }
        ck_assert_uint_eq(at, l->count);
        for (int v = 0; v < BVP_VERDICT_COUNT; v++) {
            counted += sum.verdicts[v];
            if (v != BVP_VERDICT_CLEAR)
                ck_assert_uint_eq(sum.verdicts[v], verdicts[v]);
        }
        ck_assert_uint_eq(counted + sum.excluded, sum.box_pairs);
        ck_assert_uint_eq(sum.instance_count, INSTANCES);
        ck_assert_uint_gt(sum.open_count, 0);
        for (int v = BVP_VERDICT_WITHIN; v <= BVP_VERDICT_PENETRATING; v++)
            ck_assert_msg(sum.verdicts[v] > 0, "no pair is %s", bvp_verdict_name((bvp_verdict)v));
        ck_assert_uint_eq(l->done, INSTANCES);
        ck_assert_uint_eq(l->total, INSTANCES);
        ck_assert_mem_eq(&l->seen, &sum, sizeof sum);
        free(l);
    }
    case_close(&file);
}
END_TEST

START_TEST(fast_contacts_are_all_of_what_penetrates)
{
    uint64_t seed = case_seed() + 21;
    uint32_t touching = 0, penetrating = 0;
    case_file file = make(seed, 0, 12);
    list *all = run(file.file, (bvp_clash_options){.detail = BVP_CLASH_CONTACTS}, NULL);
    list *fast = run(file.file, (bvp_clash_options){.detail = BVP_CLASH_FAST_CONTACTS}, NULL);
    ck_assert_uint_eq(all->count, fast->count);
    for (uint32_t i = 0; i < all->count; i++) {
        const bvp_clash_pair *one = &all->pairs[i], *other = &fast->pairs[i];
        ck_assert_int_eq(one->verdict, other->verdict);
        if (one->verdict == BVP_VERDICT_PENETRATING) {
            ck_assert_uint_gt(other->triangle_pairs, 0);
            ck_assert_uint_eq(one->triangle_pairs, other->triangle_pairs);
            ck_assert_mem_eq(one->lo, other->lo, sizeof one->lo);
            ck_assert_mem_eq(one->hi, other->hi, sizeof one->hi);
            penetrating++;
        } else {
            ck_assert_uint_eq(other->triangle_pairs, 0);
            touching += one->triangle_pairs > 0;
        }
    }
    ck_assert(touching > 0 && penetrating > 0);
    free(all);
    free(fast);
    case_close(&file);
}
END_TEST

/* And no pair is left out that brute force, with no hierarchy over the instances, finds. */
START_TEST(none_is_missing)
{
    uint64_t seed = case_seed() + 7;
    case_file file = make(seed, 0, 14);
    bvp_clash_coverage sum;
    list *l = run(file.file, (bvp_clash_options){.detail = BVP_CLASH_VERDICTS}, &sum);
    uint32_t at = 0;
    for (uint32_t a = 0; a < INSTANCES; a++)
        for (uint32_t b = a + 1; b < INSTANCES; b++) {
            bvp_instance_info in_a, in_b;
            int within;
            bvp_get_instance(file.file, a, &in_a);
            bvp_get_instance(file.file, b, &in_b);
            const bvp_body body_a = {
                .file = file.file, .part = in_a.part, .placement = in_a.placement};
            const bvp_body body_b = {
                .file = file.file, .part = in_b.part, .placement = in_b.placement};
            ck_assert_int_eq(bvp_within(&body_a, &body_b, limits.clearance, &within, NULL, NULL),
                             BVP_OK);
            const int is_listed = at < l->count && l->pairs[at].a == a && l->pairs[at].b == b;
            if (within)
                ck_assert(is_listed);
            if (is_listed && !within)
                ck_assert_int_ge(l->pairs[at].verdict, BVP_VERDICT_ENCLOSED);
            at += (uint32_t)is_listed;
        }
    ck_assert_uint_eq(at, l->count);
    free(l);
    case_close(&file);
}
END_TEST

START_TEST(any_number_of_threads)
{
    case_file file = make(case_seed() + 1, 0, 6);
    list *one = run(file.file, (bvp_clash_options){.thread_count = 1}, NULL);
    ck_assert_uint_gt(one->count, 1024);
    for (uint32_t threads = 2; threads <= 7; threads += 5) {
        list *more = run(file.file, (bvp_clash_options){.thread_count = threads}, NULL);
        ck_assert_uint_eq(more->count, one->count);
        ck_assert_mem_eq(more->pairs, one->pairs, one->count * sizeof *one->pairs);
        free(more);
    }
    free(one);
    case_close(&file);
}
END_TEST

START_TEST(stops_and_resumes)
{
    case_file file = make(case_seed() + 2, 0, 10);
    bvp_clash_coverage all, sum;
    list *whole = run(file.file, (bvp_clash_options){.thread_count = 2}, &all);
    list *cut = calloc(1, sizeof *cut);
    const bvp_clash_options options = {.limits = limits, .thread_count = 2};
    cut->stop_at = whole->count / 2;
    ck_assert_int_eq(bvp_clash(&(bvp_clash_scene){.a = file.file}, &options, add, cut, &sum, NULL),
                     BVP_OK);
    ck_assert_uint_eq(cut->count, cut->stop_at);
    ck_assert_mem_eq(cut->pairs, whole->pairs, cut->count * sizeof *cut->pairs);
    for (uint32_t first = 0; first <= INSTANCES; first += 25) {
        uint32_t skipped = 0;
        list *rest = run(file.file, (bvp_clash_options){.first_instance = first}, &sum);
        while (skipped < whole->count && whole->pairs[skipped].a < first)
            skipped++;
        ck_assert_uint_eq(rest->count, whole->count - skipped);
        ck_assert_mem_eq(rest->pairs, whole->pairs + skipped, rest->count * sizeof *rest->pairs);
        ck_assert_uint_eq(sum.instance_count, INSTANCES - first);
        free(rest);
    }
    free(cut);
    free(whole);
    case_close(&file);
}
END_TEST

/* Excludes pairs with an odd sum, widens the others' clearance. */
static int rule(void *user, uint32_t a, uint32_t b, bvp_clash_limits *own)
{
    (void)user;
    own->clearance = 1;
    return (a + b) % 2;
}

START_TEST(rules)
{
    case_file file = make(case_seed() + 3, 0, 14);
    bvp_clash_coverage sum;
    const bvp_clash_options options = {.rule = rule, .reach = 1};
    const bvp_clash_limits wide = {1, limits.touch_gap, limits.overlap};
    list *l = run(file.file, options, &sum);
    uint32_t at = 0;
    ck_assert_uint_gt(sum.excluded, 0);
    for (uint32_t a = 0; a < INSTANCES; a++)
        for (uint32_t b = a + 2; b < INSTANCES; b += 2) {
            bvp_clash_pair one;
            bvp_clash_one(&(bvp_clash_scene){.a = file.file}, a, b, &wide, BVP_CLASH_DISTANCE,
                          &one);
            if (one.verdict != BVP_VERDICT_CLEAR)
                ck_assert_mem_eq(&one, &l->pairs[at++], sizeof one);
        }
    ck_assert_uint_eq(at, l->count);
    free(l);
    case_close(&file);
}
END_TEST

/* Gives every pair the touch gap and the overlap `user`. */
static int same_rule(void *user, uint32_t a, uint32_t b, bvp_clash_limits *own)
{
    (void)a;
    (void)b;
    own->touch_gap = own->overlap = *(const double *)user;
    return 0;
}

START_TEST(limits_of_a_rule_are_checked)
{
    case_file file = make(case_seed() + 4, 0, 14);
    const bvp_clash_scene scene = {.a = file.file};
    double value = NAN;
    bvp_clash_coverage given, by_rule;
    bvp_clash_options options = {.limits = {.25, NAN, NAN}};
    ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, &given, NULL), BVP_OK);
    options.limits = (bvp_clash_limits){.25, 0, 0};
    options.rule = same_rule;
    options.rule_user = &value;
    ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, &by_rule, NULL), BVP_OK);
    ck_assert_mem_eq(&given, &by_rule, sizeof given);
    value = -1;
    ck_assert_int_eq(bvp_clash(&scene, &options, NULL, NULL, NULL, NULL), BVP_ERR_ARGUMENT);
    case_close(&file);
}
END_TEST

/* ---- noise ----------------------------------------------------------------------------------- */

/* From what to what a pair's distance and depth may be. */
static int is_about(double limit, double least, double most, double slack)
{
    return least - slack <= limit && limit <= most + slack;
}

static int is_distance_about(const bvp_clash_pair *pair, double limit, double slack)
{
    return is_about(limit, pair->lower, pair->distance, slack);
}

/* The box of an instance that is not turned. */
static void box_of(const bvp_file *file, uint32_t instance, double lo[3], double hi[3])
{
    bvp_instance_info at;
    bvp_part_info part;
    bvp_get_instance(file, instance, &at);
    bvp_get_part(file, at.part, &part);
    for (int i = 0; i < 3; i++) {
        lo[i] = at.placement[4 * i + 3] + (double)part.lo[i];
        hi[i] = at.placement[4 * i + 3] + (double)part.hi[i];
    }
}

/* Do two sides of their boxes lie in one plane? Then one box is in the other or not. */
static int is_flush(const bvp_file *file, const bvp_clash_pair *pair, double slack)
{
    double lo[2][3], hi[2][3];
    box_of(file, pair->a, lo[0], hi[0]);
    box_of(file, pair->b, lo[1], hi[1]);
    for (int i = 0; i < 3; i++)
        if (fabs(lo[0][i] - lo[1][i]) <= slack || fabs(hi[0][i] - hi[1][i]) <= slack)
            return 1;
    return 0;
}

/* May a shift by `slack` make one of the other? `low` has the lesser verdict, `high` is of the
 * file; a clear one has no distance. */
static int may_turn(const bvp_clash_pair *low, const bvp_clash_pair *high, const bvp_file *file,
                    double slack)
{
    /* what is in an open box, up to its opening */
    if (high->verdict == BVP_VERDICT_UNKNOWN && low->verdict <= BVP_VERDICT_WITHIN)
        return is_flush(file, high, slack);
    if (low->verdict == BVP_VERDICT_CLEAR)
        return high->verdict == BVP_VERDICT_WITHIN &&
               is_distance_about(high, limits.clearance, slack);
    if (low->verdict == BVP_VERDICT_WITHIN)
        return high->verdict == BVP_VERDICT_TOUCHING &&
               is_distance_about(low, limits.touch_gap, slack);
    if (low->verdict == BVP_VERDICT_TOUCHING && high->verdict == BVP_VERDICT_PENETRATING)
        return is_about(limits.overlap, low->depth, low->depth_upper, slack) ||
               is_about(limits.overlap, high->depth, high->depth_upper, slack);
    /* what lies inside and flush with the other's face meets it or not */
    if (high->verdict == BVP_VERDICT_ENCLOSED || high->verdict == BVP_VERDICT_UNKNOWN)
        return low->distance == 0 && is_distance_about(high, 0, slack);
    return 0;
}

enum { NODES = INSTANCES + 1, NOISY_SCENES = 4 }; /* and the root */

/* Verdicts by nodes, which come as they were added: instances are numbered by where they are. */
typedef struct table {
    bvp_clash_pair of[NODES][NODES]; /* clear when it is not listed; lesser node first */
    const bvp_file *file;
} table;

static table *tabulate(const bvp_file *file)
{
    table *t = calloc(1, sizeof *t);
    list *l = run(file, (bvp_clash_options){.detail = BVP_CLASH_DISTANCE}, NULL);
    list *fast = run(file, (bvp_clash_options){.detail = BVP_CLASH_VERDICTS}, NULL);
    ck_assert_ptr_nonnull(t);
    t->file = file;
    ck_assert_uint_eq(l->count, fast->count);
    for (uint32_t i = 0; i < l->count; i++) {
        ck_assert_int_eq(l->pairs[i].verdict, fast->pairs[i].verdict);
        bvp_instance_info a, b;
        bvp_get_instance(file, l->pairs[i].a, &a);
        bvp_get_instance(file, l->pairs[i].b, &b);
        ck_assert(a.node < NODES && b.node < NODES);
        t->of[a.node < b.node ? a.node : b.node][a.node < b.node ? b.node : a.node] = l->pairs[i];
    }
    free(l);
    free(fast);
    return t;
}

/* Counts the verdicts that stay. */
static void compare_noisy(const table *still, const table *moved, double slack,
                          uint32_t kept[BVP_VERDICT_COUNT])
{
    for (uint32_t a = 0; a < NODES; a++)
        for (uint32_t b = a + 1; b < NODES; b++) {
            const bvp_clash_pair *p = &still->of[a][b], *q = &moved->of[a][b];
            const int up = p->verdict < q->verdict;
            kept[p->verdict] += p->verdict == q->verdict;
            if (p->verdict != q->verdict)
                ck_assert_msg(
                    may_turn(up ? p : q, up ? q : p, up ? moved->file : still->file, slack),
                    "nodes %u, %u: %s, with noise %s", a, b, bvp_verdict_name(p->verdict),
                    bvp_verdict_name(q->verdict));
        }
}

/* No verdict changes but of a pair as near to its limit as the noise is large; asked pair by pair,
 * for changes there and back would not show in sums. */
START_TEST(noise_changes_no_verdict)
{
    const double jitter = limits.touch_gap / 20, slack = 2 * sqrt(3) * jitter * (1 + 1e-6);
    const uint64_t first = case_seed() + 4;
    uint32_t kept[BVP_VERDICT_COUNT] = {0};
    for (uint64_t round = 0; round < NOISY_SCENES; round++) {
        const uint64_t seed = first + 100 * round;
        case_file still = make(seed, 0, 12), moved = make(seed, jitter, 12);
        table *t = tabulate(still.file), *u = tabulate(moved.file);
        compare_noisy(t, u, slack, kept);
        free(t);
        free(u);
        case_close(&still);
        case_close(&moved);
    }
    for (int v = BVP_VERDICT_WITHIN; v <= BVP_VERDICT_PENETRATING; v++)
        ck_assert_msg(kept[v] >= 20, "%u pairs are %s", kept[v], bvp_verdict_name((bvp_verdict)v));
}
END_TEST

START_TEST(bad_arguments)
{
    case_file file = make(case_seed() + 5, 0, 20);
    const double singular[12] = {0};
    bvp_clash_pair pair;
    bvp_clash_options bad = {.limits = {-1, 0, 0}};
    ck_assert_int_eq(bvp_clash(&(bvp_clash_scene){.a = NULL}, NULL, NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_clash(&(bvp_clash_scene){.a = file.file}, &bad, NULL, NULL, NULL, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(
        bvp_clash(&(bvp_clash_scene){.a = file.file, .b = file.file, .placement_b = singular}, NULL,
                  NULL, NULL, NULL, NULL),
        BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 0, INSTANCES, NULL,
                                   BVP_CLASH_DISTANCE, &pair),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(
        bvp_clash_one(&(bvp_clash_scene){.a = file.file}, 3, 3, NULL, BVP_CLASH_DISTANCE, &pair),
        BVP_ERR_ARGUMENT);
    case_close(&file);
}
END_TEST

SUITE(test_clash)
{
    const TTest *const tests[] = {equals_asking_every_pair,
                                  fast_contacts_are_all_of_what_penetrates,
                                  none_is_missing,
                                  any_number_of_threads,
                                  stops_and_resumes,
                                  rules,
                                  limits_of_a_rule_are_checked,
                                  noise_changes_no_verdict,
                                  bad_arguments,
                                  NULL};
    return suite_run("clash", tests);
}
