/* SPDX-License-Identifier: MIT
 * climb.h: inputs that need much of an error bound. They stand in the tests as tables, and were
 * found by hill climbing on error over bound; BVP_CLIMB=rounds in the environment looks for others
 * and prints them, from the seed in BVP_SEED.
 */
#ifndef CLIMB_H
#define CLIMB_H

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The error that the numbers, in -1 .. 1 or near, lead to, as a share of its bound; at most 0: they
 * lead to none. */
typedef double climb_share(const double *x);

enum { CLIMB_MOST = 48, CLIMB_STARTS = 4 };

static inline uint64_t climb_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In -1 .. 1. */
static inline double climb_unit(uint64_t *state)
{
    return (double)(int64_t)climb_random(state) * 0x1p-63;
}

/* One number changes, a little or altogether. */
static inline void climb_step(uint64_t *state, double *x, int count)
{
    const int k = (int)(climb_random(state) % (unsigned)count);
    switch (climb_random(state) % 4) {
    case 0:
        x[k] = climb_unit(state);
        break;
    case 1:
        x[k] = nextafter(x[k], climb_unit(state));
        break;
    case 2:
        x[k] = -x[k];
        break;
    default:
        x[k] += ldexp(climb_unit(state), -(int)(climb_random(state) % 50));
    }
}

/* From the best of random numbers upward; best becomes where that ends. Returns the share there. */
static inline double climb_once(uint64_t *state, climb_share *share, int count, int rounds,
                                double *best)
{
    double most = -INFINITY, x[CLIMB_MOST];
    for (int i = 0; i < rounds; i++) {
        memcpy(x, best, (size_t)count * sizeof *x);
        for (int k = 0; i < rounds / 8 && k < count; k++)
            x[k] = climb_unit(state);
        for (int k = (int)(climb_random(state) % 3); i >= rounds / 8 && k >= 0; k--)
            climb_step(state, x, count);
        const double found = share(x);
        if (found >= most) {
            most = found;
            memcpy(best, x, (size_t)count * sizeof *x);
        }
    }
    return most;
}

static inline void climb_search(const char *name, climb_share *share, int count, int rounds)
{
    const char *seed = getenv("BVP_SEED");
    uint64_t state = seed ? strtoull(seed, NULL, 0) : 1;
    for (int start = 0; start < CLIMB_STARTS; start++) {
        double best[CLIMB_MOST] = {0};
        const double found = climb_once(&state, share, count, rounds, best);
        printf("%s: %.4f of the bound\n{", name, found);
        for (int k = 0; k < count; k++)
            printf("%a%s", best[k], k + 1 < count ? ", " : "},\n");
        fflush(stdout);
    }
}

/* Each row of `count` numbers needs more than `least` of the bound, and none needs more than all.
 */
static inline void climb_check(const char *name, climb_share *share, double least,
                               const double *table, int rows, int count)
{
    const char *rounds = getenv("BVP_CLIMB");
    if (rounds != NULL)
        climb_search(name, share, count, atoi(rounds));
    for (int row = 0; row < rows && rounds == NULL; row++) {
        const double needed = share(table + row * count);
        ck_assert_msg(needed > least && needed <= 1, "%s, row %d: %g of the bound", name, row,
                      needed);
    }
}

#define CLIMB_CHECK(share, least, table)                                                           \
    climb_check(#share, share, least, (table)[0], (int)(sizeof(table) / sizeof *(table)),          \
                (int)(sizeof *(table) / sizeof **(table)))

#endif
