/* SPDX-License-Identifier: MIT
 * test_polygon_join.c: polygons with many holes, islands in them, and what polygon_cut makes of it.
 */
#include <math.h>
#include <stdlib.h>

#include "model/polygon.h"
#include "model/polygon_join.h"
#include "suite.h"

enum { CELLS = 7, VERTEX_MOST = 4 * (CELLS * CELLS + 2) };

static uint64_t state;

static double dice(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / 16777216.;
}

static double positions[3 * VERTEX_MOST];
static uint32_t vertex_count;
static polygon_join join;
static double wanted; /* the area */

/* A rectangle about (x, y), turned, on the plane z = x + 2 y, or seen from behind. */
static void add_rectangle(double x, double y, double length, double width, double angle,
                          int is_hole, int is_back)
{
    static const int corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const uint32_t first = vertex_count;
    for (int i = 0; i < 4; i++) {
        const int *c = corners[is_back ? 3 - i : i];
        const double u = c[0] * length, v = c[1] * width;
        double *p = positions + 3 * (size_t)vertex_count++;
        p[0] = (float)(x + u * cos(angle) - v * sin(angle));
        p[1] = (float)(y + u * sin(angle) + v * cos(angle));
        p[2] = (float)(p[0] + 2 * p[1]);
    }
    ck_assert_int_eq(polygon_join_add(&join, first, 4), 0);
    wanted += (is_hole ? -4 : 4) * length * width;
}

static double cut_area(void)
{
    polygon_work work = {0};
    double area = 0;
    for (size_t i = 0, at = 0; i < join.outline_count; at += join.sizes[i++]) {
        uint32_t triangles[3 * 3 * VERTEX_MOST];
        const uint32_t count = join.sizes[i];
        ck_assert_uint_lt(count, 3 * VERTEX_MOST);
        ck_assert_int_eq(polygon_cut(&work, positions, join.corners + at, count, triangles),
                         POLYGON_CUT);
        for (uint32_t k = 0; k < count - 2; k++) {
            const double *a = positions + 3 * (size_t)triangles[3 * k],
                         *b = positions + 3 * (size_t)triangles[3 * k + 1],
                         *c = positions + 3 * (size_t)triangles[3 * k + 2];
            area += fabs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
        }
    }
    polygon_free(&work);
    return area;
}

/* Walls in all directions hide the nearest corners from each other. */
START_TEST(walls)
{
    const uint64_t seed = getenv("BVP_SEED") ? strtoull(getenv("BVP_SEED"), NULL, 0) : 1;
    for (uint64_t round = 0; round < 200; round++) {
        const int is_back = (int)(round & 1);
        state = seed + round;
        vertex_count = 0;
        wanted = 0;
        polygon_join_begin(&join);
        for (int i = 0; i < CELLS * CELLS; i++)
            add_rectangle(i % CELLS + .5, i / CELLS + .5, .1 + .39 * dice(), .01 + .05 * dice(),
                          M_PI * dice(), 1, (int)(2 * dice()));
        add_rectangle(CELLS / 2., CELLS / 2., CELLS / 2., CELLS / 2., 0, 0, is_back);
        ck_assert_int_eq(polygon_join_end(&join, positions), 0);
        ck_assert_uint_eq(join.outline_count, 1);
        ck_assert_uint_eq(join.sizes[0], 4 + 6 * CELLS * CELLS);
        const double area = cut_area();
        ck_assert_msg(fabs(area - wanted) < 1e-4, "seed %llu: %g, not %g",
                      (unsigned long long)(seed + round), area, wanted);
    }
    polygon_join_free(&join);
}
END_TEST

/* What lies in a hole is an outline again, and runs as the largest one does. */
START_TEST(islands)
{
    vertex_count = 0;
    wanted = 0;
    polygon_join_begin(&join);
    add_rectangle(3, 3, .5, .5, .1, 0, 1);
    add_rectangle(3, 3, 1, 1, 0, 1, 0);
    add_rectangle(3, 3, 3, 3, 0, 0, 0);
    add_rectangle(9, 3, 1, 1, 0, 0, 1);
    ck_assert_int_eq(polygon_join_end(&join, positions), 0);
    ck_assert_uint_eq(join.outline_count, 3);
    const double area = cut_area();
    ck_assert_msg(fabs(area - wanted) < 1e-4, "%g, not %g", area, wanted);
    for (size_t i = 0, at = 0; i < join.outline_count; at += join.sizes[i++]) {
        double sum = 0;
        for (uint32_t k = 0; k < join.sizes[i]; k++) {
            const double *a = positions + 3 * (size_t)join.corners[at + k],
                         *b = positions + 3 * (size_t)join.corners[at + (k + 1) % join.sizes[i]];
            sum += a[0] * b[1] - a[1] * b[0];
        }
        ck_assert(sum > 0);
    }
    polygon_join_free(&join);
}
END_TEST

SUITE(test_polygon_join)
{
    return suite_run("polygon_join", (const TTest *[]){walls, islands, NULL});
}
