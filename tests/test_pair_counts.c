/* SPDX-License-Identifier: MIT
 * test_pair_counts.c: what queries between two bodies cost, counted, not timed: on fixed scenes no
 * query may open more nodes or test more than is written here, and both instruction sets do the
 * same.
 */
#include "bvpack.h"
#include "oracle.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

enum { CELLS = 24, SHEET = 2 * CELLS * CELLS, SIDES = 8, PIPE = 2 * SIDES };

static float sheet[9 * SHEET], ball[9 * 6 * SHEET], pipe[9 * PIPE];

/* Point (i, j) of a bumpy sheet of edge 1; no function whose last bit depends on the library. */
static void sheet_point(int i, int j, float out[3])
{
    const double x = (double)i / CELLS, y = (double)j / CELLS;
    out[0] = (float)x;
    out[1] = (float)y;
    out[2] = (float)(x * (1 - x) * (0.5 - y) * (x - 0.25));
}

/* A cube's side, projected to the unit ball. */
static void ball_point(int side, int i, int j, float out[3])
{
    double p[3], length = 0;
    p[side % 3] = side < 3 ? 1 : -1;
    p[(side + 1) % 3] = 2.0 * i / CELLS - 1;
    p[(side + 2) % 3] = 2.0 * j / CELLS - 1;
    for (int k = 0; k < 3; k++)
        length += p[k] * p[k];
    for (int k = 0; k < 3; k++)
        out[k] = (float)(p[k] / sqrt(length));
}

static void point(int side, int i, int j, float out[3])
{
    if (side < 0)
        sheet_point(i, j, out);
    else
        ball_point(side, i, j, out);
}

static float *add_side(float *at, int side)
{
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    for (int k = 0; k < 6 * CELLS * CELLS; k++, at += 3)
        point(side, k / 6 % CELLS + corner[k % 6][0], k / 6 / CELLS + corner[k % 6][1], at);
    return at;
}

/* Long triangles around the line from (-10, -10, -10) to (10, 10, 10): across all axes. */
static void make_pipe(void)
{
    static const double u[3] = {2, -1, -1}, v[3] = {0, 1, -1};
    static const double c[SIDES] = {1, 0.7, 0, -0.7, -1, -0.7, 0, 0.7};
    for (int k = 0; k < 6 * SIDES; k++) {
        static const int around[6] = {0, 1, 1, 0, 1, 0}, end[6] = {0, 0, 1, 0, 1, 1};
        const int side = (k / 6 + around[k % 6]) % SIDES;
        for (int x = 0; x < 3; x++)
            pipe[3 * k + x] = (float)(0.2 * c[side] * u[x] + 0.3 * c[(side + 6) % SIDES] * v[x] +
                                      (end[k % 6] ? 10 : -10));
    }
}

static bvp_file *open_scene(bool baseline)
{
    oracle_soup parts[3] = {{sheet, SHEET, NULL}, {ball, 6 * SHEET, NULL}, {pipe, PIPE, NULL}};
    float *at = ball;
    add_side(sheet, -1);
    for (int side = 0; side < 6; side++)
        at = add_side(at, side);
    make_pipe();
    return oracle_open(parts, 3, NULL, NULL, 0, baseline);
}

typedef enum question { COLLIDE, PAIRS, DISTANCE, WITHIN } question;

static int go_on(void *user, const bvp_pair *pair)
{
    (void)user;
    (void)pair;
    return 0;
}

static bvp_stats ask(const bvp_body *a, const bvp_body *b, question what)
{
    bvp_stats stats = {0};
    bvp_distance_result nearest;
    uint64_t count;
    int answer;
    bvp_status status = what == COLLIDE    ? bvp_collide(a, b, &answer, &stats)
                        : what == PAIRS    ? bvp_pairs_each(a, b, go_on, NULL, &count, &stats)
                        : what == DISTANCE ? bvp_distance(a, b, INFINITY, &nearest, &stats)
                                           : bvp_within(a, b, 0.05, &answer, NULL, &stats);
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
           (const char *[]){"COLLIDE", "PAIRS", "DISTANCE", "WITHIN"}[l->what],
           (unsigned long long)s->nodes, (unsigned long long)s->leaves,
           (unsigned long long)s->triangles, (unsigned long long)s->exact);
    ck_assert_uint_le(s->nodes, l->nodes);
    ck_assert_uint_le(s->leaves, l->leaves);
    ck_assert_uint_le(s->triangles, l->triangles);
    ck_assert_uint_le(s->exact, l->exact);
}

START_TEST(queries_cost_no_more_than_before)
{
    bvp_file *file = open_scene(false), *plain = open_scene(true);
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        const limit *l = &limits[k];
        /* turned by the rational rotation (2, -1, 2; 2, 2, -1; -1, 2, 2) / 3 */
        const double at[12] = {2 / 3.,  -1 / 3.,     2 / 3.,  l->shift[0], 2 / 3., 2 / 3.,
                               -1 / 3., l->shift[1], -1 / 3., 2 / 3.,      2 / 3., l->shift[2]};
        const double moved[12] = {1, 0, 0, l->shift[0], 0, 1, 0, l->shift[1], 0, 0, 1, l->shift[2]};
        const double *placement = l->part_b == 0 ? moved : at;
        bvp_stats stats = ask(&(bvp_body){file, l->part_a, NULL},
                              &(bvp_body){file, l->part_b, placement}, l->what);
        bvp_stats base = ask(&(bvp_body){plain, l->part_a, NULL},
                             &(bvp_body){plain, l->part_b, placement}, l->what);
        check(l, &stats);
        ck_assert(memcmp(&stats, &base, sizeof stats) == 0);
    }
    bvp_close(file);
    bvp_close(plain);
}
END_TEST

int main(void)
{
    const TTest *const list[] = {queries_cost_no_more_than_before, NULL};
    return suite_run_within("pair_counts", 60, list);
}
