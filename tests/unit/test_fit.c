/* SPDX-License-Identifier: MIT
 * test_fit.c: proposed axes are rotations, whatever the points; they find boxes, rectangles and
 * lines that were turned; the hull's moments are those of the surface, not of the points on it.
 */
#include "kinds/pack/hull_axes.h"

#include "flat_oracle.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct points {
    double at[BVPI_FIT_POINTS][3];
    uint32_t count;
} points;

static uint32_t propose(const points *set, bool hull, bvpi_fit_box boxes[BVPI_FIT_BOXES])
{
    bvpi_fit_surface surface = {0};
    for (uint32_t i = 2; i < set->count; i++)
        bvpi_fit_add(&surface, set->at[i - 2], set->at[i - 1], set->at[i]);
    return bvpi_fit_boxes((const double(*)[3])set->at, set->count, &surface, hull, boxes);
}

static double product(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void check_rotation(const double axis[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            ck_assert(fabs(product(axis + 3 * i, axis + 3 * j) - (i == j)) < 1e-12);
    const double *x = axis, *y = axis + 3, *z = axis + 6;
    const double turned[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                              x[0] * y[1] - x[1] * y[0]};
    ck_assert(fabs(product(turned, z) - 1) < 1e-12);
}

static void reach_along(const points *set, const double axis[9], double extent[3])
{
    for (int i = 0; i < 3; i++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t n = 0; n < set->count; n++) {
            lo = fmin(lo, product(axis + 3 * i, set->at[n]));
            hi = fmax(hi, product(axis + 3 * i, set->at[n]));
        }
        extent[i] = hi - lo;
    }
}

/* scale: of the coordinates. */
static void check_box(const points *set, const bvpi_fit_box *box, double scale)
{
    double extent[3];
    check_rotation(box->axis);
    reach_along(set, box->axis, extent);
    for (int k = 0; k < 3; k++)
        ck_assert_msg(fabs(box->extent[k] - extent[k]) <= 1e-12 * scale,
                      "%u points, axis %d: %g, not %g; scale %g", set->count, k, box->extent[k],
                      extent[k], scale);
}

/* Half the surface of the box along the axes. */
static double surface_along(const points *set, const double axis[9])
{
    double extent[3];
    reach_along(set, axis, extent);
    return extent[0] * extent[1] + extent[1] * extent[2] + extent[2] * extent[0];
}

static double best_surface(const points *set, bool hull)
{
    bvpi_fit_box boxes[BVPI_FIT_BOXES];
    double best = INFINITY;
    const uint32_t count = propose(set, hull, boxes);
    for (uint32_t n = 0; n < count; n++)
        best = fmin(best, surface_along(set, boxes[n].axis));
    return best;
}

/* Corners of a box, then points in it, turned and moved. */
static void turned_box(uint64_t *state, const double half[3], uint32_t count, double far,
                       points *out)
{
    double m[9];
    case_rotation(state, m);
    out->count = count;
    for (uint32_t n = 0; n < count; n++) {
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = half[k] * (n < 8 ? (n >> k & 1) * 2 - 1. : case_between(state, -1, 1));
        for (int k = 0; k < 3; k++)
            out->at[n][k] = product(m + 3 * k, p) + far;
    }
}

START_TEST(proposals_are_rotations)
{
    const double sizes[] = {1, 1, 1e-3, 1e-5, 1e-12, 0};
    uint64_t state = case_seed();
    int proposed[BVPI_FIT_BOXES + 1] = {0};
    for (int round = 0; round < 20000; round++) {
        const double scale = ldexp(1, (int)(case_random(&state) % 160) - 80);
        points set = {.count = 1 + (uint32_t)(case_random(&state) % (round % 10 ? 12 : 64))};
        bvpi_fit_box boxes[BVPI_FIT_BOXES];
        double half[3];
        for (int k = 0; k < 3; k++)
            half[k] = scale * sizes[case_random(&state) % 6];
        turned_box(&state, half, set.count, round % 3 ? 0 : scale, &set);
        const uint32_t count = propose(&set, round % 2, boxes);
        ck_assert_uint_le(count, BVPI_FIT_BOXES);
        for (uint32_t n = 0; n < count; n++)
            check_box(&set, &boxes[n], scale);
        proposed[count]++;
    }
    for (uint32_t n = 0; n <= BVPI_FIT_BOXES; n++)
        printf("%u proposals: %d times\n", n, proposed[n]);
    ck_assert(proposed[0] > 0 && proposed[1] > 0 && proposed[2] > 0 && proposed[4] > 0);
}
END_TEST

START_TEST(turned_shapes_are_found)
{
    const double shapes[][3] = {{3, 2, 1}, {1, 1, 1}, {5, 1, 1}, {4, 4, .1},
                                {3, 2, 0}, {1, 1, 0}, {7, 0, 0}};
    uint64_t state = case_seed();
    for (int round = 0; round < 2000; round++) {
        const double *half = shapes[round % 7];
        points set;
        turned_box(&state, half, 8 + (uint32_t)(case_random(&state) % 50), round % 3, &set);
        const double least = 4 * (half[0] * half[1] + half[1] * half[2] + half[2] * half[0]);
        const double found = best_surface(&set, true);
        ck_assert_msg(found <= least * (1 + 1e-9) + 1e-6, "%d: %g, not %g", round, found, least);
    }
}
END_TEST

/* Many points on a small patch of a long thin hull do not turn the hull's axes. */
START_TEST(crowded_points_do_not_count)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 200; round++) {
        const double half[3] = {10, 1, .5}, patch[3] = {.2, .2, .2};
        points set, crowd;
        turned_box(&state, half, 8, 0, &set);
        turned_box(&state, patch, 56, 0, &crowd);
        memcpy(set.at + 8, crowd.at, 56 * sizeof crowd.at[0]);
        set.count = 64;
        ck_assert(best_surface(&set, true) <= 4 * (10 + .5 + 5) * (1 + 1e-9));
    }
}
END_TEST

static void repeat_last(float *xyz, uint32_t count)
{
    for (uint32_t i = count; i % BVPI_FIT_ABREAST != 0; i++)
        memcpy(xyz + 3 * i, xyz + 3 * (count - 1), 3 * sizeof *xyz);
}

START_TEST(no_order_changes_the_axes)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 500; round++) {
        const double half[3] = {3, case_uniform(&state), case_uniform(&state)};
        const uint32_t count = 8 + (uint32_t)(case_random(&state) % 100);
        float xyz[3 * 108]; /* 107 at most, and repeats of the last one */
        double sorted[2][BVPI_FIT_POINTS][3];
        points set;
        turned_box(&state, half, count < 64 ? count : 64, 1, &set);
        for (uint32_t i = 0; i < 3 * count; i++)
            xyz[i] = (float)(i < 3 * set.count ? set.at[i / 3][i % 3] : set.at[i / 3 % 8][i % 3]);
        repeat_last(xyz, count);
        const uint32_t used = bvpi_fit_extremes(xyz, count, true, sorted[0]);
        for (uint32_t i = count - 1; i > 0; i--) {
            const uint32_t j = (uint32_t)(case_random(&state) % (i + 1));
            for (int k = 0; k < 3; k++) {
                const float x = xyz[3 * i + k];
                xyz[3 * i + k] = xyz[3 * j + k];
                xyz[3 * j + k] = x;
            }
        }
        repeat_last(xyz, count);
        ck_assert_uint_eq(bvpi_fit_extremes(xyz, count, true, sorted[1]), used);
        ck_assert_mem_eq(sorted[0], sorted[1], used * sizeof sorted[0][0]);
    }
}
END_TEST

/* Of a surface cut into other triangles, and of a box, whose moments are known. */
START_TEST(moments_are_the_surface_s)
{
    const double p[3] = {1, 2, 3}, q[3] = {4, -1, 2}, r[3] = {0, 5, 1};
    const double pq[3] = {2.5, .5, 2.5}, qr[3] = {2, 2, 1.5}, rp[3] = {.5, 3.5, 2};
    bvpi_fit_surface whole = {0}, cut = {0};
    bvpi_fit_add(&whole, p, q, r);
    bvpi_fit_add(&cut, p, pq, rp);
    bvpi_fit_add(&cut, pq, q, qr);
    bvpi_fit_add(&cut, rp, qr, r);
    bvpi_fit_add(&cut, pq, qr, rp);
    ck_assert(fabs(whole.area - cut.area) < 1e-12);
    for (int k = 0; k < 3; k++)
        ck_assert(fabs(whole.first[k] - cut.first[k]) < 1e-12);
    for (int k = 0; k < 6; k++)
        ck_assert(fabs(whole.second[k] - cut.second[k]) < 1e-12);
    /* the unit right triangle in the plane z = 0: area 1/2, moments 1/6, 1/12, 1/24 */
    const double o[3] = {0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    bvpi_fit_surface unit = {0};
    bvpi_fit_add(&unit, o, x, y);
    ck_assert(fabs(unit.area - 1. / 2) < 1e-15 && fabs(unit.first[0] - 1. / 6) < 1e-15);
    ck_assert(fabs(unit.second[0] - 1. / 12) < 1e-15 && fabs(unit.second[1] - 1. / 24) < 1e-15);
}
END_TEST

SUITE(test_fit)
{
    const TTest *const tests[] = {proposals_are_rotations,     turned_shapes_are_found,
                                  crowded_points_do_not_count, no_order_changes_the_axes,
                                  moments_are_the_surface_s,   NULL};
    return suite_run("fit", tests);
}
