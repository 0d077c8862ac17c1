/* SPDX-License-Identifier: MIT
 * test_pair_counts.c: what queries between two bodies and closest points cost, counted, not timed:
 * on fixed scenes no query may open more nodes or test more than is written here, and both
 * instruction sets do the same. Among them the benchmark's D (deep contact) and F (facing sheets).
 */
#include "count_scene.h"
#include "suite.h"

#include <stdio.h>

typedef enum question { COLLIDE, PAIRS, DISTANCE, ABOUT, WITHIN, CLOSEST } question;

static int go_on(void *user, const bvp_pair *pair)
{
    (void)user;
    (void)pair;
    return 0;
}

/* closest: of a, to where b stands. */
static bvp_stats ask(const bvp_body *a, const bvp_body *b, question what)
{
    const double *m = b->placement, point[3] = {m[3], m[7], m[11]};
    bvp_stats stats = {0};
    bvp_distance_result nearest;
    bvp_closest_result closest;
    uint64_t count;
    int answer;
    bvp_status status = what == COLLIDE    ? bvp_collide(a, b, &answer, &stats)
                        : what == PAIRS    ? bvp_pairs_each(a, b, go_on, NULL, &count, &stats)
                        : what == DISTANCE ? bvp_distance(a, b, INFINITY, &nearest, &stats)
                        : what == ABOUT ? bvp_distance_about(a, b, INFINITY, 1e-5, &nearest, &stats)
                        : what == WITHIN ? bvp_within(a, b, 0.05, &answer, NULL, &stats)
                                         : bvp_closest(a, point, INFINITY, &closest, &stats);
    ck_assert_int_eq(status, BVP_OK);
    return stats;
}

/* A query and what it may cost at most. */
typedef struct limit {
    uint32_t part_a, part_b;
    double shift[3];
    question what;
    uint64_t nodes, leaves, triangles, exact;
} limit;

static const limit limits[] = {
#include "pair_counts.h"
};

static void check(const limit *l, const bvp_stats *s)
{
    printf("    {%u, %u, {%g, %g, %g}, %s, %llu, %llu, %llu, %llu},\n", l->part_a, l->part_b,
           l->shift[0], l->shift[1], l->shift[2],
           (const char *[]){"COLLIDE", "PAIRS", "DISTANCE", "ABOUT", "WITHIN", "CLOSEST"}[l->what],
           (unsigned long long)s->nodes, (unsigned long long)s->leaves,
           (unsigned long long)s->triangles, (unsigned long long)s->exact);
    ck_assert_uint_le(s->nodes, l->nodes);
    ck_assert_uint_le(s->leaves, l->leaves);
    ck_assert_uint_le(s->triangles, l->triangles);
    ck_assert_uint_le(s->exact, l->exact);
}

START_TEST(queries_cost_no_more_than_before)
{
    bvp_file *file = count_scene_open(false), *plain = count_scene_open(true);
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        const limit *l = &limits[k];
        /* turned by the rational rotation (2, -1, 2; 2, 2, -1; -1, 2, 2) / 3 */
        const double at[12] = {2 / 3.,  -1 / 3.,     2 / 3.,  l->shift[0], 2 / 3., 2 / 3.,
                               -1 / 3., l->shift[1], -1 / 3., 2 / 3.,      2 / 3., l->shift[2]};
        const double moved[12] = {1, 0, 0, l->shift[0], 0, 1, 0, l->shift[1], 0, 0, 1, l->shift[2]};
        const double *placement = l->part_b == 0 ? moved : at;
        bvp_stats stats =
            ask(&(bvp_body){.file = file, .part = l->part_a},
                &(bvp_body){.file = file, .part = l->part_b, .placement = placement}, l->what);
        bvp_stats base =
            ask(&(bvp_body){.file = plain, .part = l->part_a},
                &(bvp_body){.file = plain, .part = l->part_b, .placement = placement}, l->what);
        check(l, &stats);
        ck_assert(memcmp(&stats, &base, sizeof stats) == 0);
    }
    bvp_close(file);
    bvp_close(plain);
}
END_TEST

/* "Nearer than" a length that is little beside the one and much beside the other's triangles. */
START_TEST(a_small_part_near_a_large_one)
{
    bvp_file *file = count_scene_open(false);
    const double size = 1 / 64., within = 4e-4;
    bvp_stats sum = {0};
    uint32_t near = 0;
    for (int k = 0; k < 64; k++) {
        const double x = (k % 8) / 8., y = k / 8 / 8.;
        const double z = x * (1 - x) * (0.5 - y) * (x - 0.25) + size + 1e-5 * k;
        const double at[12] = {size, 0, 0, x, 0, size, 0, y, 0, 0, size, z};
        const bvp_body large = {.file = file, .part = 0};
        const bvp_body small = {.file = file, .part = 1, .placement = at};
        int answer;
        ck_assert_int_eq(bvp_within(&large, &small, within, &answer, NULL, &sum), BVP_OK);
        near += (uint32_t)answer;
    }
    printf("    %u of 64 near: %llu, %llu, %llu, %llu\n", near, (unsigned long long)sum.nodes,
           (unsigned long long)sum.leaves, (unsigned long long)sum.triangles,
           (unsigned long long)sum.exact);
    ck_assert_uint_gt(near, 8);
    ck_assert_uint_lt(near, 56);
    ck_assert_uint_le(sum.nodes, 629);
    ck_assert_uint_le(sum.leaves, 221);
    ck_assert_uint_le(sum.triangles, 262);
    bvp_close(file);
}
END_TEST

SUITE(test_pair_counts)
{
    const TTest *const list[] = {queries_cost_no_more_than_before, a_small_part_near_a_large_one,
                                 NULL};
    return suite_run_within("pair_counts", 60, list);
}
