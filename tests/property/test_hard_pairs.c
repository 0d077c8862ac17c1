/* SPDX-License-Identifier: MIT
 * test_hard_pairs.c: two bodies that are hard for hierarchies of boxes, small, against brute force:
 * slivers in all directions, surfaces side by side, copies that nearly coincide, strays; both
 * instruction sets. The same generators serve tests/bench/bench_hard.c.
 */
#include "hard_models.h"
#include "oracle.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double across[3] = {1, 2, 3}, up[3] = {0, 0, 1}, nowhere[3] = {0, 0, 0};

enum { POSES = 6 };

typedef struct answer {
    int hit, near, far;
    uint64_t count;
    bvp_distance_result nearest;
} answer;

static int go_on(void *user, const bvp_pair *pair)
{
    (void)user, (void)pair;
    return 0;
}

/* near, far: within a little more and a little less than `distance`. */
static bool ask(bvp_file *const files[2], const double *placement, double distance, answer *out)
{
    const bvp_body a = {.file = files[0], .part = 0},
                   b = {.file = files[1], .part = 0, .placement = placement};
    return bvp_collide(&a, &b, &out->hit, NULL) == BVP_OK &&
           bvp_pairs_each(&a, &b, go_on, NULL, &out->count, NULL) == BVP_OK &&
           bvp_distance(&a, &b, INFINITY, &out->nearest, NULL) == BVP_OK &&
           bvp_within(&a, &b, distance * (1 + 1e-6), &out->near, NULL, NULL) == BVP_OK &&
           bvp_within(&a, &b, distance * (1 - 1e-6), &out->far, NULL, NULL) == BVP_OK;
}

/* Placements of b; both models are freed. */
static void check(const char *what, hard_model a, hard_model b, double placements[POSES][12])
{
    const oracle_soup soups[2] = {{a.soup, a.count, NULL}, {b.soup, b.count, NULL}};
    bvp_file *files[2][2]; /* two, for in one a copy is the same part */
    uint8_t *matrix = malloc((size_t)a.count * b.count);
    ck_assert_ptr_nonnull(matrix);
    for (int k = 0; k < 4; k++)
        files[k / 2][k % 2] = oracle_open(&soups[k % 2], 1, NULL, NULL, 0, k / 2 != 0);
    for (int i = 0; i < POSES; i++) {
        const oracle_soup moved = {b.soup, b.count, placements[i]};
        const uint64_t count = oracle_pairs(soups[0], moved, matrix);
        double lo, hi;
        answer got[2] = {{0}};
        oracle_distance(soups[0], moved, &lo, &hi);
        for (int plain = 0; plain < 2; plain++) {
            const answer *g = &got[plain];
            ck_assert(ask(files[plain], placements[i], hi, &got[plain]));
            ck_assert_msg(g->hit == (count > 0) && g->count == count,
                          "%s %d: %d, %llu pairs, not %llu", what, i, g->hit,
                          (unsigned long long)g->count, (unsigned long long)count);
            ck_assert_msg(g->nearest.lower <= hi && g->nearest.distance >= lo &&
                              fabs(g->nearest.distance - hi) <= 1e-6 * hi,
                          "%s %d: distance %.17g, not %.17g", what, i, g->nearest.distance, hi);
            ck_assert_msg(g->near == 1 && g->far == (count > 0), "%s %d: within %d, %d", what, i,
                          g->near, g->far);
        }
        ck_assert_msg(got[0].nearest.distance == got[1].nearest.distance &&
                          got[0].nearest.a.id == got[1].nearest.a.id &&
                          got[0].nearest.b.id == got[1].nearest.b.id,
                      "%s %d: the instruction sets differ", what, i);
    }
    for (int k = 0; k < 4; k++)
        bvp_close(files[k / 2][k % 2]);
    free(matrix);
    free(a.soup);
    free(b.soup);
}

static hard_model turned(hard_model model, double angle)
{
    hard_turn(&model, across, angle);
    return model;
}

/* Over one another, oblique, along their normal: from through one another to far apart. */
START_TEST(sheets_and_plates)
{
    double placements[POSES][12], turn[12];
    hard_place(across, 0.7, nowhere, turn);
    for (int i = 0; i < POSES; i++) {
        static const double gaps[POSES] = {0, 1e-5, 1e-3, 0.1, 3, 400};
        const double at[3] = {gaps[i] * turn[2], gaps[i] * turn[6], gaps[i] * turn[10]};
        const double normal[3] = {turn[2], turn[6], turn[10]};
        hard_place(normal, 0.3 * i, at, placements[i]);
    }
    check("strips", turned(hard_strips(60), 0.7), turned(hard_strips(60), 0.7), placements);
    check("oblique plates", turned(hard_plate(8), 0.7), turned(hard_plate(8), 0.7), placements);
    for (int i = 0; i < POSES; i++)
        hard_place(i % 2 ? up : across, i % 2 ? 0.3 * i : 1e-5, (double[3]){0.1, 0, 0.02 * i},
                   placements[i]);
    check("plates", hard_plate(8), hard_plate(8), placements);
}
END_TEST

START_TEST(pipes_and_needles)
{
    const double axis[3] = {-2, 1, 0}, angle = acos(3 / sqrt(14));
    hard_model tube = hard_pipe(24, 10, 12, 200), rod = hard_pipe(24, 0, 9.8, 220);
    double placements[POSES][12];
    hard_turn(&tube, axis, angle);
    hard_turn(&rod, axis, angle);
    for (int i = 0; i < POSES; i++)
        hard_place(across, 0.13 * i, (double[3]){0.1 * i, 0.2 * i, 0.3 * i}, placements[i]);
    check("pipe", tube, rod, placements);
    for (int i = 0; i < POSES; i++)
        hard_place(across, 0.5 * i, (double[3]){0.3 * i, 0.02, 0.01}, placements[i]);
    check("needles", hard_needles(60, 12, 7), hard_needles(60, 12, 11), placements);
}
END_TEST

START_TEST(near_copies_and_strays)
{
    hard_model with = hard_sphere(4, 1);
    double placements[POSES][12];
    for (int i = 0; i < POSES; i++)
        hard_place(across, i < 3 ? i * 1e-9 : 0, i < 3 ? nowhere : (double[3]){1e-4 * i, 0, 1e-6},
                   placements[i]);
    check("copies", hard_scan(4, 1), hard_scan(4, 1), placements);
    for (int i = 0; i < POSES; i++)
        hard_place(across, 0.3 * i, nowhere, placements[i]);
    check("sphere in sphere", hard_sphere(4, 1), hard_sphere(4, 0.9), placements);
    hard_add_stray(&with, 1e6);
    for (int i = 0; i < POSES; i++)
        hard_place(across, 0.4 * i, (double[3]){1.7 + 0.2 * i, 0.1, 0.1}, placements[i]);
    check("stray", with, hard_sphere(4, 1), placements);
}
END_TEST

SUITE(test_hard_pairs)
{
    const TTest *const tests[] = {sheets_and_plates, pipes_and_needles, near_copies_and_strays,
                                  NULL};
    return suite_run("hard_pairs", tests);
}
