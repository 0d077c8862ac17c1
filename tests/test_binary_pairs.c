/* SPDX-License-Identifier: MIT
 * test_binary_pairs.c: queries between two bodies by every kind of binary hierarchy, box test, leaf
 * size and placement, against the wide hierarchy and brute force; and on forged bytes.
 */
#include "binary_cases.h"

/* ---- comparisons -------------------------------------------------------------------------------
 */

typedef struct found {
    bvp_pair *pairs;
    uint64_t count, capacity;
} found;

static int keep(void *user, const bvp_pair *pair)
{
    found *all = user;
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 64;
        all->pairs = realloc(all->pairs, all->capacity * sizeof *all->pairs);
        ck_assert_ptr_nonnull(all->pairs);
    }
    all->pairs[all->count++] = *pair;
    return 0;
}

static int compare(const void *x, const void *y)
{
    const bvp_pair *p = x, *q = y;
    if (p->a.id != q->a.id)
        return p->a.id < q->a.id ? -1 : 1;
    return p->b.id < q->b.id ? -1 : p->b.id > q->b.id;
}

static found find(bvp_body a, bvp_body b, bvp_stats *stats)
{
    found all = {0};
    uint64_t count;
    ck_assert_int_eq(bvp_pairs_each(&a, &b, keep, &all, &count, stats), BVP_OK);
    ck_assert_uint_eq(count, all.count);
    if (count > 0)
        qsort(all.pairs, count, sizeof *all.pairs, compare);
    return all;
}

static void check_same_pairs(const found *x, const found *y, const char *what)
{
    ck_assert_msg(x->count == y->count, "%s: %lu pairs, not %lu", what, (unsigned long)x->count,
                  (unsigned long)y->count);
    for (uint64_t k = 0; k < x->count; k++)
        ck_assert_msg(compare(&x->pairs[k], &y->pairs[k]) == 0, "%s: another pair", what);
}

/* What one handle says about two placed bodies must be what the other one says. */
static void check_way(bvp_file *by_a, bvp_file *by_b, bvp_file *plain_a, bvp_file *plain_b,
                      const double *ma, const double *mb, const found *expected,
                      const bvp_distance_result *nearest, const char *what)
{
    const bvp_body a = {by_a, 0, ma}, b = {by_b, 0, mb}, c = {plain_a, 0, ma}, d = {plain_b, 0, mb};
    bvp_stats stats = {0}, plain_stats = {0};
    bvp_distance_result out;
    int hit;
    found all = find(a, b, &stats), plain = find(c, d, &plain_stats);
    check_same_pairs(&all, expected, what);
    check_same_pairs(&plain, expected, what);
    ck_assert_mem_eq(&stats, &plain_stats, sizeof stats);
    free(all.pairs);
    free(plain.pairs);
    ck_assert_int_eq(bvp_collide(&a, &b, &hit, NULL), BVP_OK);
    ck_assert_msg(hit == (expected->count > 0), "%s: collide", what);
    ck_assert_int_eq(bvp_collide(&b, &a, &hit, NULL), BVP_OK);
    ck_assert_msg(hit == (expected->count > 0), "%s: collide, mirrored", what);
    ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &out, NULL), BVP_OK);
    ck_assert(out.found);
    ck_assert_msg(fabs(out.distance - nearest->distance) <= 1e-9 * nearest->distance,
                  "%s: distance %.17g, not %.17g", what, out.distance, nearest->distance);
    if (nearest->distance == 0)
        return;
    for (int more = 0; more < 2; more++) {
        const double delta = nearest->distance * (more ? 1 + 1e-6 : 1 - 1e-6);
        ck_assert_int_eq(bvp_within(&a, &b, delta, &hit, NULL, NULL), BVP_OK);
        if (nearest->lower > nearest->distance * (1 - 1e-7))
            ck_assert_msg(hit == more, "%s: within", what);
        ck_assert_int_eq(bvp_distance(&a, &b, delta, &out, NULL), BVP_OK);
        if (nearest->lower > nearest->distance * (1 - 1e-7))
            ck_assert_msg(out.found == more, "%s: distance with a limit", what);
    }
}

/* Exactly the pairs that brute force finds? */
static void check_oracle(const model *x, const model *y, const double *ma, const double *mb,
                         const found *expected)
{
    const oracle_soup a = {x->mesh.tri, x->mesh.count, ma}, b = {y->mesh.tri, y->mesh.count, mb};
    uint8_t *matrix = malloc(a.count * b.count);
    ck_assert_uint_eq(oracle_pairs(a, b, matrix), expected->count);
    for (uint64_t k = 0; k < expected->count; k++)
        ck_assert(matrix[expected->pairs[k].a.id * b.count + expected->pairs[k].b.id] != 0);
    free(matrix);
}

static void check_models(const model *x, const model *y, const double *ma, const double *mb,
                         bool brute_force, int *touching)
{
    const bvp_body a = {x->wide, 0, ma}, b = {y->wide, 0, mb};
    bvp_distance_result nearest;
    found expected = find(a, b, NULL);
    ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &nearest, NULL), BVP_OK);
    *touching += expected.count > 0;
    if (brute_force)
        check_oracle(x, y, ma, mb, &expected);
    for (int k = 0; k < WAYS; k++) {
        char what[64];
        snprintf(what, sizeof what, "kind %d, test %d", (int)ways[k].kind, (int)ways[k].test);
        check_way(x->by[k], y->by[k], x->plain[k], y->plain[k], ma, mb, &expected, &nearest, what);
    }
    free(expected.pairs);
}

/* ---- tests -------------------------------------------------------------------------------------
 */

/* Of the placements that are hard on boxes and predicates; `b` may lie anywhere about `a`. */
static void make_placements(int round, double ma[12], double mb[12])
{
    place_random(round % PLACED_KINDS, ma);
    place_random(case_int(3) == 0 ? case_int(PLACED_KINDS) : round % PLACED_KINDS, mb);
    if (round % 3 == 0)
        memcpy(mb, ma, 12 * sizeof *mb); /* identical, coplanar, touching */
    const double away = round % 3 == 1 ? 1.5 : 4;
    double size = 0;
    for (int k = 0; k < 9; k++)
        size = fmax(size, fabs(ma[4 * (k / 3) + k % 3]));
    for (int axis = 0; axis < 3; axis++) {
        mb[4 * axis + 3] = ma[4 * axis + 3];
        if (round % 6 != 0)
            mb[4 * axis + 3] += round % 2 ? size * away * case_unit() : size * case_int(4);
    }
}

static int rounds(int usual)
{
    const char *text = getenv("BVP_ROUNDS");
    return text ? atoi(text) : usual;
}

START_TEST(every_kind_answers_as_the_wide_one)
{
    static const uint32_t leaf_sizes[4] = {1, 2, 4, 8};
    int touching = 0, asked = 0;
    case_seed(11 + (uint64_t)_i);
    const int size = _i % 4, first = _i < 4 ? 0 : 1 + _i % (KINDS - 1);
    model models[MESHES];
    for (int k = 0; k < MESHES; k++)
        models[k] = make_model(make_mesh(k), leaf_sizes[size], first);
    for (int round = 0; round < rounds(30); round++, asked++) {
        double ma[12], mb[12];
        make_placements(round, ma, mb);
        check_models(&models[case_int(MESHES)], &models[case_int(MESHES)], ma, mb, round % 20 == 0,
                     &touching);
    }
    for (int k = 0; k < MESHES; k++)
        free_model(&models[k]);
    printf("%d of %d placements touch\n", touching, asked);
    ck_assert(rounds(30) < 30 || (touching > 5 && touching < asked - 5));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("binary_pairs");
    TCase *cases = tcase_create("binary_pairs");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, every_kind_answers_as_the_wide_one, 0, 8);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
