/* SPDX-License-Identifier: MIT
 * convex_tri.c: the distance of a placed triangle and a convex body, first in double, then in
 * double-double where that stalls: where faces lie side by side, very near.
 *
 * Slow twin: tests/unit/test_convex_tri.c.
 * Spec: exactness.md, chapter 13
 */
#include "prim/convex_tri.h"

#include <assert.h>
#include <math.h>

#include "base/simd.h"
#include "base/vec3.h"
#include "prim/gjk.h"

void bvpi_convex_pose_init(bvpi_convex_pose *out, const bvpi_convex *convex, const double m[12],
                           const double bound[3])
{
    double reach = 0;
    int exponent;
    out->convex = convex;
    out->m = m;
    for (int i = 0; i < 3; i++) {
        double sum = fabs(m[4 * i + 3] - convex->centre[i]) + convex->size[i];
        for (int j = 0; j < 3; j++)
            sum += fabs(m[4 * i + j]) * bound[j];
        reach = bvpi_larger(reach, sum);
    }
    reach = reach * BVPI_ROUND_UP + 0x1p-900; /* a point beside itself has none */
    frexp(reach, &exponent);
    out->scale = ldexp(1, -exponent);
    out->band = ldexp(BVPI_CONVEX_BAND, exponent) * BVPI_ROUND_UP;
}

/* What both searches hand over, in doubles, scaled. */
typedef struct found {
    double lo, hi, x[3], y[3], between[3];
    bool is_tight;
} found;

#define FOUND_BY(NAME)                                                                             \
    static void NAME(search)(const bvpi_convex_pose *pose, const float tri[9],                     \
                             const bvpi_gjk_goal *goal, found *out)                                \
    {                                                                                              \
        NAME(gjk_pair) pair;                                                                       \
        NAME(gjk) g;                                                                               \
        NAME(gjk_pair_init)(&pair, pose, tri);                                                     \
        NAME(gjk_run)(&g, &pair, goal);                                                            \
        out->lo = g.lo;                                                                            \
        out->hi = g.hi;                                                                            \
        out->is_tight = NAME(gjk_is_tight)(&g);                                                    \
        for (int i = 0; i < 3; i++) {                                                              \
            out->x[i] = NAME(bvpi_num_value)(g.x.c[i]);                                            \
            out->y[i] = NAME(bvpi_num_value)(g.y.c[i]);                                            \
            out->between[i] = NAME(bvpi_num_value)(g.between.c[i]);                                \
        }                                                                                          \
    }
FOUND_BY(BVPI_DOUBLE)
FOUND_BY(BVPI_DOUBLE_DOUBLE)

/* The witness points: y, and x moved towards it by the radius; of bodies that touch, y twice. */
static void finish(const bvpi_convex_pose *pose, const found *at, bvpi_convex_tri *out)
{
    const double *centre = pose->convex->centre;
    const double length = sqrt(bvpi_dot(at->between, at->between));
    const double radius = pose->convex->radius * pose->scale;
    const bool touches = at->hi <= BVPI_CONVEX_BAND || (!out->is_tight && !(at->lo > 0));
    for (int i = 0; i < 3; i++) {
        const double towards = length > 0 ? at->between[i] * (radius / length) : 0;
        const double x = touches ? at->y[i] : at->x[i] - towards;
        out->point_tri[i] = centre[i] + at->y[i] / pose->scale;
        out->point_convex[i] = centre[i] + x / pose->scale;
    }
    out->lo = touches ? 0 : bvpi_larger(at->lo / pose->scale, 0);
    out->hi = touches ? 0 : at->hi / pose->scale;
}

void bvpi_convex_tri1(const bvpi_convex_pose *pose, const float tri[9], double limit, double enough,
                      bvpi_convex_tri *out)
{
    found at;
    assert(limit >= 0);
    /* what is not above the band is never too far: so limits do not change what touches */
    const bvpi_gjk_goal goal = {
        .limit = bvpi_larger(limit * pose->scale * (1 + 0x1p-50), BVPI_CONVEX_BAND),
        .enough = enough * pose->scale * (1 - 0x1p-50)};
    out->effort = 1;
    search_f64(pose, tri, &goal, &at);
    bool is_done = at.lo > goal.limit || at.hi <= goal.enough || at.hi <= BVPI_CONVEX_BAND;
    if (!is_done && !at.is_tight) {
        out->effort = 8;
        search_dd(pose, tri, &goal, &at);
        is_done = at.lo > goal.limit || at.hi <= goal.enough || at.hi <= BVPI_CONVEX_BAND;
    }
    out->is_tight = is_done || at.is_tight;
    if (at.lo > goal.limit) {
        out->lo = at.lo / pose->scale;
        out->hi = INFINITY;
        return;
    }
    finish(pose, &at, out);
}
