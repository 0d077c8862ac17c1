/* SPDX-License-Identifier: MIT
 * test_obb_tri8.c: a triangle that shares a point with an oriented box is never called apart; the
 * bound of rounding holds, and is used up by more than an eighth.
 */
#include "flat_oracle.h"
#include "prim/obb_tri8.h"
#include "suite.h"

#include <stdio.h>

typedef struct setting {
    f32x8 corner[9];
    bvpi_obb box;
    double scale;
    bool is_aligned; /* the box has the frame's axes, and is given as such */
} setting;

static bool init(const setting *s, bvpi_obb_tri8 *out)
{
    double centre[3], half[3];
    if (!s->is_aligned)
        return bvpi_obb_tri8_init(&s->box, s->scale, s->corner, 0, out);
    for (int i = 0; i < 3; i++) {
        centre[i] = s->box.centre[i] * s->scale;
        half[i] = s->box.half[i] * s->scale;
    }
    return bvpi_obb_tri8_init_aligned(centre, half, s->corner, 0, out);
}

static void random_setting(uint64_t *state, setting *s)
{
    const double size = ldexp(1, (int)(case_random(state) % 14) - 9),
                 near = ldexp(1, (int)(case_random(state) % 12) - 10);
    double axis[9];
    case_rotation(state, axis);
    s->is_aligned = case_random(state) % 3 == 0;
    for (int k = 0; k < 9 && s->is_aligned; k++)
        axis[k] = k % 4 == 0;
    memset(s->box.axis, 0, sizeof s->box.axis);
    for (int k = 0; k < 9; k++)
        s->box.axis[k % 3][k / 3] = axis[k];
    s->scale = ldexp(case_between(state, 1, 2), (int)(case_random(state) % 20) - 10);
    for (int k = 0; k < 3; k++) {
        s->box.half[k] = case_random(state) % 4 ? size * case_uniform(state) / s->scale : 0;
        s->box.centre[k] = case_between(state, -1, 1) * near / s->scale;
    }
    for (int i = 0; i < 9; i++)
        for (int lane = 0; lane < 8; lane++)
            s->corner[i][lane] = (float)case_between(state, -1, 1);
}

typedef long double triple[3];

static long double dot(const triple x, const triple y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* The gap on an axis in the box's frame, as exact as a long double is. */
static long double gap_of(const setting *s, const triple axis, int lane)
{
    long double lo = INFINITY, hi = -INFINITY, radius = 0;
    for (int c = 0; c < 3; c++) {
        triple from, at;
        for (int i = 0; i < 3; i++)
            from[i] = (long double)s->corner[3 * c + i][lane] -
                      (long double)s->box.centre[i] * (long double)s->scale;
        for (int k = 0; k < 3; k++)
            at[k] = dot((triple){s->box.axis[0][k], s->box.axis[1][k], s->box.axis[2][k]}, from);
        lo = fminl(lo, dot(axis, at));
        hi = fmaxl(hi, dot(axis, at));
    }
    for (int k = 0; k < 3; k++)
        radius += fabsl(axis[k]) * (long double)s->box.half[k] * (long double)s->scale;
    return fmaxl(lo, -hi) - radius;
}

static double reach_of(const setting *s)
{
    double most = 0;
    for (int i = 0; i < 3; i++) {
        double size = fabs(s->box.centre[i]);
        for (int k = 0; k < 3; k++)
            size += fabs(s->box.axis[i][k] * s->box.half[k]);
        most = fmax(most, size * s->scale);
    }
    return most;
}

enum { FACES = 0, PLANE = 3, EDGES = 4, AXES = 13 };

/* Axis n of a lane, and the gap on it as the header has it. */
static float measure(const bvpi_obb_tri8 *t, int n, int lane, triple axis)
{
    f32x8 edge[9], normal[3];
    bvpi_obb_tri8_edges(t, edge);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        axis[k] = n < PLANE ? n == k
                            : edge[i][lane] * edge[3 + j][lane] - edge[j][lane] * edge[3 + i][lane];
    }
    if (n < PLANE)
        return bvpi_obb_tri8_gap(t, n)[lane];
    if (n == PLANE)
        return bvpi_obb_tri8_plane(t, edge, normal)[lane];
    const int e = (n - EDGES) / 3, k = (n - EDGES) % 3;
    axis[k] = 0;
    axis[(k + 1) % 3] = -edge[3 * e + (k + 2) % 3][lane];
    axis[(k + 2) % 3] = edge[3 * e + (k + 1) % 3][lane];
    return bvpi_obb_tri8_edge(t, edge, e, k)[lane];
}

/* How much of the margin the gap on axis n needs, at most of the lanes. */
static double share_of(const setting *s, int n)
{
    bvpi_obb_tri8 test;
    double most = 0;
    const double margin = (1 + reach_of(s)) * BVPI_OBB_TRI8_MARGIN;
    if (!init(s, &test))
        return 0;
    for (int lane = 0; lane < 8; lane++) {
        triple axis;
        const long double found = (long double)measure(&test, n, lane, axis);
        const long double length = fabsl(axis[0]) + fabsl(axis[1]) + fabsl(axis[2]);
        if (length > 0x1p-80L)
            most = fmax(most, 1 + (double)((found - gap_of(s, axis, lane)) / length) / margin);
    }
    return most;
}

static void change(uint64_t *state, setting *s)
{
    const double size = ldexp(1, -(int)(case_random(state) % 24));
    const int k = (int)(case_random(state) % 3), lane = (int)(case_random(state) % 8);
    const double by = case_between(state, -1, 1) * size;
    switch (case_random(state) % 3) {
    case 0:
        s->box.centre[k] += by / s->scale;
        break;
    case 1:
        s->box.half[k] = fabs(s->box.half[k] + by / s->scale);
        break;
    default: {
        float *at = (float *)&s->corner[case_random(state) % 9] + lane;
        *at = (float)fmax(-1, fmin(1, (double)*at + by));
    }
    }
}

START_TEST(the_bound_holds_and_an_eighth_does_not)
{
    uint64_t state = case_seed();
    double worst[2] = {0, 0}; /* of turned boxes, of aligned ones */
    for (int start = 0; start < 300; start++) {
        setting best;
        random_setting(&state, &best);
        const int n = (int)(case_random(&state) % AXES);
        double share = share_of(&best, n);
        for (int step = 0; step < 1500; step++) {
            setting next = best;
            change(&state, &next);
            const double found = share_of(&next, n);
            if (found >= share) {
                share = found;
                best = next;
            }
        }
        double *most = &worst[best.is_aligned];
        *most = fmax(*most, share);
    }
    printf("used of the margin: %.3f, aligned %.3f\n", worst[0], worst[1]);
    ck_assert(worst[0] <= 1 && worst[1] <= 1);
    ck_assert(worst[0] > .125);
}
END_TEST

/* Moves the box so that a point of it, perhaps of its faces, edges or corners, is one of the
 * triangle's, plus `off`. */
static void touch(uint64_t *state, setting *s, int lane, const double off[3])
{
    double weight[3], sum = 0, place[3];
    for (int c = 0; c < 3; c++)
        sum += weight[c] = case_random(state) % 3 ? case_uniform(state) : 0;
    weight[0] += sum == 0;
    sum += sum == 0;
    for (int k = 0; k < 3; k++) {
        place[k] = case_between(state, -1, 1);
        place[k] = case_random(state) % 2 ? place[k] : copysign(1, place[k]);
    }
    for (int i = 0; i < 3; i++) {
        double at = off[i];
        for (int c = 0; c < 3; c++)
            at += weight[c] / sum * (double)s->corner[3 * c + i][lane];
        s->box.centre[i] = at / s->scale;
        for (int k = 0; k < 3; k++)
            s->box.centre[i] -= place[k] * s->box.half[k] * s->box.axis[i][k];
    }
}

START_TEST(triangles_with_a_common_point_meet)
{
    uint64_t state = case_seed();
    int bad = 0, apart = 0;
    for (int round = 0; round < 200000; round++) {
        setting s;
        bvpi_obb_tri8 test;
        random_setting(&state, &s);
        const int lane = (int)(case_random(&state) % 8);
        touch(&state, &s, lane, (double[]){0, 0, 0});
        if (round % 8 == 0)
            s.scale = ldexp(s.scale, 300); /* too large to say */
        if (!init(&s, &test))
            continue;
        const unsigned meet = bvpi_obb_tri8_meet(&test, round % 2, 0xff);
        bad += (meet >> lane & 1) == 0 || bvpi_obb_tri8_gap_sq(&test)[lane] > 0;
        apart += meet != 0xff;
    }
    ck_assert_int_eq(bad, 0);
    ck_assert_int_gt(apart, 10000);
}
END_TEST

/* Two points that far apart, one of each: nearer than a limit just beyond that. */
START_TEST(triangles_within_the_limit_are_near)
{
    uint64_t state = case_seed();
    int bad = 0, apart = 0, by_plane = 0;
    for (int round = 0; round < 200000; round++) {
        setting s;
        bvpi_obb_tri8 test;
        f32x8 gaps;
        double off[3], length_sq = 0;
        random_setting(&state, &s);
        const int lane = (int)(case_random(&state) % 8);
        const double size = ldexp(1, -(int)(case_random(&state) % 16));
        for (int i = 0; i < 3; i++) {
            off[i] = case_random(&state) % 3 ? size * case_between(&state, -1, 1) : 0;
            length_sq += off[i] * off[i];
        }
        touch(&state, &s, lane, off);
        const float limit_sq = (float)(length_sq * (1 + 0x1p-20)) + 0x1p-100f;
        if (!init(&s, &test))
            continue;
        const unsigned near = bvpi_obb_tri8_near(&test, limit_sq, 0xff, &gaps);
        bad += (near >> lane & 1) == 0 || (double)gaps[lane] > length_sq;
        for (int other = 0; other < 8; other++)
            by_plane += (near >> other & 1) == 0 && gaps[other] < limit_sq;
        apart += near != 0xff;
    }
    ck_assert_int_eq(bad, 0);
    ck_assert_int_gt(apart, 10000);
    ck_assert_int_gt(by_plane, 1000);
}
END_TEST

SUITE(test_obb_tri8)
{
    const TTest *const tests[] = {the_bound_holds_and_an_eighth_does_not,
                                  triangles_with_a_common_point_meet,
                                  triangles_within_the_limit_are_near, NULL};
    return suite_run("obb_tri8", tests);
}
