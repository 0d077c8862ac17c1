/* SPDX-License-Identifier: MIT
 * test_match_nearest.c: reciprocal nearest neighbours against all pairs, sorted.
 */
#include "match/match_nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "build_case.h"
#include "suite.h"

enum { MOST = 40 };

typedef struct pair {
    double distance_sq;
    uint32_t a, b;
} pair;

static int by_distance(const void *a, const void *b)
{
    const pair *one = a, *other = b;
    if (one->distance_sq != other->distance_sq)
        return one->distance_sq < other->distance_sq ? -1 : 1;
    return (int)(one->a + one->b) - (int)(other->a + other->b);
}

/* The slow way: the nearest pair, then the nearest of the rest, and so on. */
static void match_slowly(const double (*a)[3], uint32_t a_count, const double (*b)[3],
                         uint32_t b_count, uint32_t *partner)
{
    pair *pairs = malloc((size_t)a_count * b_count * sizeof *pairs + 1);
    uint8_t taken[MOST] = {0};
    uint32_t count = 0;
    memset(partner, 0xff, a_count * sizeof *partner);
    for (uint32_t i = 0; i < a_count; i++)
        for (uint32_t k = 0; k < b_count; k++) {
            const double x = a[i][0] - b[k][0], y = a[i][1] - b[k][1], z = a[i][2] - b[k][2];
            pairs[count++] = (pair){x * x + y * y + z * z, i, k};
        }
    qsort(pairs, count, sizeof *pairs, by_distance);
    for (uint32_t i = 0; i < count; i++)
        if (partner[pairs[i].a] == UINT32_MAX && !taken[pairs[i].b]) {
            partner[pairs[i].a] = pairs[i].b;
            taken[pairs[i].b] = 1;
        }
    free(pairs);
}

/* On a grid many distances are equal. */
START_TEST(as_all_pairs_sorted)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 2000; round++) {
        double a[MOST][3], b[MOST][3];
        uint32_t partner[MOST], expected[MOST];
        const uint32_t a_count = (uint32_t)(case_random(&state) % MOST);
        const uint32_t b_count = (uint32_t)(case_random(&state) % MOST);
        const uint64_t cells = 2 + case_random(&state) % 30;
        for (int i = 0; i < MOST; i++)
            for (int axis = 0; axis < 3; axis++) {
                a[i][axis] = (double)(case_random(&state) % cells);
                b[i][axis] = (double)(case_random(&state) % cells);
            }
        match_nearest((const double(*)[3])a, a_count, (const double(*)[3])b, b_count, partner);
        match_slowly((const double(*)[3])a, a_count, (const double(*)[3])b, b_count, expected);
        for (uint32_t i = 0; i < a_count; i++)
            ck_assert_uint_eq(partner[i], expected[i]);
    }
}
END_TEST

/* Each is nearest to the one before: a pair a round, and then no more rounds. */
START_TEST(ends)
{
    double a[30][3] = {{0}}, b[30][3] = {{0}};
    uint32_t partner[30], count = 0;
    for (int i = 0; i < 30; i++) {
        a[i][0] = -pow(1.5, 2 * i);
        b[i][0] = -pow(1.5, 2 * i + 1);
    }
    match_nearest((const double(*)[3])a, 30, (const double(*)[3])b, 30, partner);
    for (int i = 0; i < 30; i++)
        count += partner[i] != UINT32_MAX;
    ck_assert_uint_gt(count, 0);
    a[0][0] = b[0][0] = NAN;
    match_nearest((const double(*)[3])a, 1, (const double(*)[3])b, 30, partner);
    ck_assert_uint_eq(partner[0], UINT32_MAX);
}
END_TEST

SUITE(test_match_nearest)
{
    return suite_run("match_nearest", (const TTest *[]){as_all_pairs_sorted, ends, NULL});
}
