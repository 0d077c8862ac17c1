/* SPDX-License-Identifier: MIT
 * test_hull_points.c: the points that are kept of many reach as far as all do.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "build_case.h"
#include "suite.h"

/* How far the points `kept` of `points` reach in a direction. */
static double reach(const double *points, const uint32_t *kept, uint64_t count, const double d[3])
{
    double most = -INFINITY;
    for (uint64_t i = 0; i < count; i++) {
        const double *p = points + 3 * (size_t)(kept ? kept[i] : i);
        most = fmax(most, p[0] * d[0] + p[1] * d[1] + p[2] * d[2]);
    }
    return most;
}

/* Returns how many are kept. In directions at random, along the axes, and across all triples of a
 * few points, which are where a missing corner shows most. */
static uint64_t check(const double *points, uint32_t count, uint64_t *state)
{
    uint32_t *kept = malloc(count * sizeof *kept);
    uint64_t kept_count;
    double largest = 0;
    ck_assert_ptr_nonnull(kept);
    ck_assert_int_eq(bvp_hull_points(points, count, kept, &kept_count, NULL), BVP_OK);
    ck_assert(kept_count >= 1 && kept_count <= count);
    for (uint64_t i = 1; i < kept_count; i++)
        ck_assert_uint_lt(kept[i - 1], kept[i]);
    for (uint32_t i = 0; i < 3 * count; i++)
        largest = fmax(largest, fabs(points[i]));
    for (int round = 0; round < 300; round++) {
        double d[3];
        if (round < 6) {
            for (int k = 0; k < 3; k++)
                d[k] = k == round / 2 ? round % 2 ? 1 : -1 : 0;
        } else if (round % 2) {
            for (int k = 0; k < 3; k++)
                d[k] = case_uniform(state) - 0.5;
        } else {
            const double *p[3];
            double u[3], v[3];
            for (int i = 0; i < 3; i++)
                p[i] = points + 3 * (size_t)(case_random(state) % count);
            for (int k = 0; k < 3; k++) {
                u[k] = p[1][k] - p[0][k];
                v[k] = p[2][k] - p[0][k];
            }
            for (int k = 0; k < 3; k++)
                d[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        }
        const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (!(length > 0))
            continue;
        for (int k = 0; k < 3; k++)
            d[k] /= length;
        ck_assert_msg(reach(points, kept, kept_count, d) >=
                          reach(points, NULL, count, d) - 0x1p-42 * largest,
                      "%u points, %g %g %g", count, d[0], d[1], d[2]);
    }
    free(kept);
    return kept_count;
}

START_TEST(random_clouds)
{
    enum { MOST = 3000 };
    uint64_t state = case_seed();
    double *points = malloc(3 * MOST * sizeof *points);
    for (int round = 0; round < 60; round++) {
        const uint32_t count = 1 + (uint32_t)(case_random(&state) % (round % 3 ? 60 : MOST));
        const double far = round % 5 == 4 ? 1e6 : 0, flat = round % 7 == 6 ? 1e-9 : 1;
        const int steps = round % 4 == 3 ? 4 : 0; /* on a grid: many in a plane, many equal */
        for (uint32_t i = 0; i < 3 * count; i++) {
            const double x = case_uniform(&state);
            points[i] = (steps ? floor(steps * x) : x) * (i % 3 == 2 ? flat : 1) + far;
        }
        check(points, count, &state);
    }
    free(points);
}
END_TEST

/* A box whose faces are meshed finely keeps its corners; inner points are dropped. */
START_TEST(meshed_box)
{
    enum { SIDE = 21, COUNT = SIDE * SIDE * SIDE };
    uint64_t state = case_seed();
    double *points = malloc(3 * COUNT * sizeof *points);
    for (uint32_t i = 0; i < COUNT; i++) {
        const double x = i % SIDE, y = 0.1 * (i / SIDE % SIDE), z = 0.3 * (i / SIDE / SIDE);
        points[3 * i] = 0.6 * x - 0.8 * y + 5; /* turned */
        points[3 * i + 1] = 0.8 * x + 0.6 * y;
        points[3 * i + 2] = z;
    }
    ck_assert_uint_le(check(points, COUNT, &state), 16);
    free(points);
}
END_TEST

START_TEST(all_are_corners)
{
    enum { COUNT = 2000 };
    uint64_t state = case_seed(), count;
    double *points = malloc(3 * COUNT * sizeof *points);
    uint32_t *kept = malloc(COUNT * sizeof *kept);
    for (uint32_t i = 0; i < COUNT; i++) {
        const double z = 2 * (i + 0.5) / COUNT - 1, r = sqrt(1 - z * z), a = 2.399963 * i;
        points[3 * i] = r * cos(a);
        points[3 * i + 1] = r * sin(a);
        points[3 * i + 2] = z;
    }
    ck_assert_uint_eq(check(points, COUNT, &state), COUNT);
    /* one inside, one twice */
    memset(points, 0, 3 * sizeof *points);
    memcpy(points + 3, points + 6, 3 * sizeof *points);
    ck_assert_int_eq(bvp_hull_points(points, COUNT, kept, &count, NULL), BVP_OK);
    ck_assert(count == COUNT - 2 && kept[0] == 1 && kept[1] == 3);
    free(points);
    free(kept);
}
END_TEST

START_TEST(few_and_flat)
{
    static const double points[] = {0, 0, 0, 1, 0, 0, 0, 0,   0,   2, 0,
                                    0, 0, 1, 0, 1, 1, 0, 0.5, 0.5, 0};
    uint32_t kept[7];
    uint64_t count;
    ck_assert_int_eq(bvp_hull_points(points, 1, kept, &count, NULL), BVP_OK);
    ck_assert(count == 1 && kept[0] == 0);
    ck_assert_int_eq(bvp_hull_points(points, 4, kept, &count, NULL), BVP_OK);
    ck_assert(count == 3 && kept[2] == 3); /* on a line; one is there twice */
    ck_assert_int_eq(bvp_hull_points(points, 7, kept, &count, NULL), BVP_OK);
    ck_assert_uint_eq(count, 6); /* in a plane */
}
END_TEST

START_TEST(refused)
{
    double points[6] = {0, 1, 2, 3, 4, NAN};
    uint32_t kept[2];
    uint64_t count = 7;
    bvp_error error;
    ck_assert_int_eq(bvp_hull_points(points, 2, kept, &count, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "point 1"));
    ck_assert_uint_eq(count, 0);
    points[5] = 1e200;
    ck_assert_int_eq(bvp_hull_points(points, 2, kept, &count, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_hull_points(points, 0, kept, &count, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_hull_points(points, UINT64_C(1) << 31, kept, &count, NULL), BVP_ERR_LIMIT);
}
END_TEST

SUITE(test_hull_points)
{
    const TTest *const tests[] = {random_clouds, meshed_box, all_are_corners,
                                  few_and_flat,  refused,    NULL};
    return suite_run("hull_points", tests);
}
