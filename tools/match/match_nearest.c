/* SPDX-License-Identifier: MIT
 * match_nearest.c: greedy matching of two small sets of points, by reciprocal nearest neighbours.
 *
 * A pair is taken when each is the free point nearest to the other. In every round the nearest free
 * pair of all is such a pair, so each round makes progress. The number of rounds is limited,
 * because points in a row may give one pair a round.
 */
#include "match/match_nearest.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 16 };

static double distance_sq(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/* The nearest of those that are free, or UINT32_MAX. */
static uint32_t nearest(const double p[3], const double (*others)[3], const uint8_t *taken,
                        uint32_t count)
{
    double least = INFINITY;
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const double d = taken[i] ? INFINITY : distance_sq(p, others[i]);
        if (d < least) {
            least = d;
            found = i;
        }
    }
    return found;
}

void match_nearest(const double (*a)[3], uint32_t a_count, const double (*b)[3], uint32_t b_count,
                   uint32_t *partner)
{
    uint8_t a_taken[MATCH_NEAREST_MAX] = {0}, b_taken[MATCH_NEAREST_MAX] = {0};
    uint32_t left = a_count < b_count ? a_count : b_count; /* pairs that are still to be found */
    assert(a_count <= MATCH_NEAREST_MAX && b_count <= MATCH_NEAREST_MAX);
    memset(partner, 0xff, a_count * sizeof *partner);
    for (int round = 0; round < ROUNDS && left > 0; round++)
        for (uint32_t i = 0; i < a_count; i++) {
            const uint32_t k = a_taken[i] ? UINT32_MAX : nearest(a[i], b, b_taken, b_count);
            if (k == UINT32_MAX || nearest(b[k], a, a_taken, a_count) != i)
                continue;
            partner[i] = k;
            a_taken[i] = b_taken[k] = 1;
            assert(left > 0);
            left--;
        }
}
