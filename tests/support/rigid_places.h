/* SPDX-License-Identifier: MIT
 * rigid_places.h: random rigid placements, near and far, and meshes in frames of their own.
 */
#ifndef RIGID_PLACES_H
#define RIGID_PLACES_H

#include <math.h>
#include <string.h>

#include "build_case.h"

static inline double random_between(uint64_t *state, double lo, double hi)
{
    return lo + (hi - lo) * case_uniform(state);
}

static inline void random_rotation(uint64_t *state, double out[9])
{
    double q[4], size = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = sqrt(-2 * log(1 - case_uniform(state))) * cos(2 * M_PI * case_uniform(state));
        size += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(size);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                         2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                         2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(out, m, sizeof m);
}

/* A rigid placement, up to 10^6 away. */
static inline void random_place(uint64_t *state, double m[12])
{
    double turn[9];
    const double far = case_random(state) % 8 == 0 ? 0 : pow(10, random_between(state, -2, 6));
    random_rotation(state, turn);
    for (int i = 0; i < 3; i++) {
        memcpy(m + 4 * i, turn + 3 * i, 3 * sizeof *m);
        m[4 * i + 3] = far * random_between(state, -1, 1);
    }
}

/* Turns the corners of a soup by a random rotation, and the placement back: together they say what
 * was said before, but for rounding. */
static inline void random_own_frame(uint64_t *state, float *soup, uint32_t triangle_count,
                                    double placement[12])
{
    double own[9], back[9];
    random_rotation(state, own);
    for (uint32_t i = 0; i < 3 * triangle_count; i++) {
        float *c = soup + 3 * (size_t)i;
        const double p[3] = {(double)c[0], (double)c[1], (double)c[2]};
        for (int k = 0; k < 3; k++) /* the inverse is the transpose */
            c[k] = (float)(own[k] * p[0] + own[3 + k] * p[1] + own[6 + k] * p[2]);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            back[3 * i + k] = placement[4 * i] * own[k] + placement[4 * i + 1] * own[3 + k] +
                              placement[4 * i + 2] * own[6 + k];
    for (int i = 0; i < 3; i++)
        memcpy(placement + 4 * i, back + 3 * i, 3 * sizeof *back);
}

#endif
