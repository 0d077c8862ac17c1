/* SPDX-License-Identifier: MIT
 * test_polygon.c: triangulations cover their polygon exactly once, whatever its shape and position.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/polygon.h"
#include "suite.h"

enum { MOST = 4096 };

static const double pi = 3.14159265358979323846;
static uint64_t state;

static double next_random(void) /* splitmix64, to 0 .. 1 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void seed(void)
{
    const char *text = getenv("BVP_SEED");
    state = text ? strtoull(text, NULL, 0) : 11;
    printf("BVP_SEED=%" PRIu64 "\n", state);
}

/* A polygon in the plane, counterclockwise, and where it is put in space. */
typedef struct shape {
    double flat[2 * MOST], space[3 * MOST];
    uint32_t corners[MOST], triangles[3 * MOST];
    uint32_t count;
} shape;

static shape s; /* too large for the stack */

static void add(double x, double y)
{
    ck_assert_uint_lt(s.count, MOST);
    s.flat[2 * s.count] = x;
    s.flat[2 * s.count + 1] = y;
    s.corners[s.count] = s.count;
    s.count++;
}

/* Turned about x and z, then moved. */
static void put_into_space(double turn_x, double turn_z, double far)
{
    for (uint32_t i = 0; i < s.count; i++) {
        double x = s.flat[2 * i], y = s.flat[2 * i + 1];
        double v = y * cos(turn_x), w = y * sin(turn_x);
        s.space[3 * i] = x * cos(turn_z) - v * sin(turn_z) + far;
        s.space[3 * i + 1] = x * sin(turn_z) + v * cos(turn_z) - far;
        s.space[3 * i + 2] = w + far;
    }
}

static double area_of(const double *a, const double *b, const double *c)
{
    return ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
}

static double area(void)
{
    double sum = 0;
    for (uint32_t i = 1; i + 1 < s.count; i++)
        sum += area_of(s.flat, s.flat + 2 * i, s.flat + 2 * i + 2);
    return sum;
}

/* Every triangle turns as the polygon does, every edge of the polygon is an edge of a triangle, and
 * the areas add up. */
static void check_cover(void)
{
    double sum = 0, whole = area();
    static uint8_t seen[MOST];
    memset(seen, 0, sizeof seen);
    for (uint32_t t = 0; t < s.count - 2; t++) {
        const uint32_t *v = s.triangles + 3 * t;
        double part = area_of(s.flat + 2 * v[0], s.flat + 2 * v[1], s.flat + 2 * v[2]);
        ck_assert_msg(part >= -1e-12 * whole, "triangle %u has area %g", t, part);
        sum += fabs(part);
        for (int k = 0; k < 3; k++)
            seen[v[k]] |= v[(k + 1) % 3] == (v[k] + 1) % s.count;
    }
    ck_assert_msg(fabs(sum - whole) <= 1e-9 * whole, "%.17g of %.17g", sum, whole);
    for (uint32_t i = 0; i < s.count; i++)
        ck_assert_msg(seen[i], "edge %u of %u is lost", i, s.count);
}

static void expect_cut(void)
{
    polygon_work work = {0};
    ck_assert_int_eq(polygon_cut(&work, s.space, s.corners, s.count, s.triangles), POLYGON_CUT);
    polygon_free(&work);
    check_cover();
}

static void everywhere(void)
{
    put_into_space(0, 0, 0);
    expect_cut();
    put_into_space(2.5, 0.3, 0);
    expect_cut();
    put_into_space(pi / 2, 1, 1000);
    expect_cut();
}

START_TEST(random_stars)
{
    seed();
    for (int round = 0; round < 400; round++) {
        uint32_t count = 4 + (uint32_t)(next_random() * 60);
        s.count = 0;
        for (uint32_t i = 0; i < count; i++) {
            double angle = 2 * pi * (i + 0.8 * next_random()) / count;
            double radius = 0.05 + next_random();
            add(radius * cos(angle), radius * sin(angle));
        }
        everywhere();
    }
}
END_TEST

/* Not star-shaped: a band that winds inward. */
START_TEST(spiral)
{
    s.count = 0;
    for (int i = 0; i < 300; i++)
        add((10 - 0.03 * i) * cos(0.1 * i), (10 - 0.03 * i) * sin(0.1 * i));
    for (int i = 299; i >= 0; i--)
        add((9.5 - 0.03 * i) * cos(0.1 * i), (9.5 - 0.03 * i) * sin(0.1 * i));
    everywhere();
}
END_TEST

START_TEST(comb)
{
    s.count = 0;
    for (int i = 0; i < 900; i++) {
        add(i, 0);
        add(i + 0.5, 0);
        add(i + 0.5, 900);
        add(i + 1, 900);
    }
    add(900, -1);
    add(0, -1);
    for (uint32_t i = 0; i < s.count / 2; i++) { /* it was clockwise */
        for (int k = 0; k < 2; k++) {
            double *a = &s.flat[2 * i + k], *b = &s.flat[2 * (s.count - 1 - i) + k], kept = *a;
            *a = *b;
            *b = kept;
        }
    }
    if (area() < 0)
        for (uint32_t i = 0; i < s.count; i++)
            s.flat[2 * i] = -s.flat[2 * i];
    everywhere();
}
END_TEST

/* Corners in the middle of straight edges, and equal corners. */
START_TEST(straight_and_equal)
{
    s.count = 0;
    for (int side = 0; side < 4; side++)
        for (int i = 0; i < 6; i++) {
            static const double corner[5][2] = {{0, 0}, {6, 0}, {6, 6}, {0, 6}, {0, 0}};
            const double *a = corner[side], *b = corner[side + 1];
            add(a[0] + (b[0] - a[0]) * i / 6, a[1] + (b[1] - a[1]) * i / 6);
        }
    add(0, 0);
    put_into_space(0, 0, 0);
    expect_cut();
    s.count = 0;
    add(0, 0);
    add(1, 0);
    add(1, 0);
    add(1, 1);
    put_into_space(0, 0, 0);
    expect_cut();
}
END_TEST

/* A square with square holes, each cut open to the left. */
START_TEST(holes)
{
    s.count = 0;
    add(0, 0);
    add(10, 0);
    add(10, 10);
    add(0, 10);
    for (int i = 8; i > 0; i--) {
        add(0, i);
        add(2, i);
        add(2, i + 0.5);
        add(4, i + 0.5);
        add(4, i);
        add(2, i);
        add(0, i);
    }
    put_into_space(0, 0, 0);
    expect_cut();
    put_into_space(pi / 2, 0, 0); /* exact as well: no rounding of the 0 */
    ck_assert(fabs(area() - (100 - 8 * 1.0)) < 1e-12);
}
END_TEST

/* Nearly flat: heights that no plane fits. */
START_TEST(not_flat)
{
    seed();
    for (int round = 0; round < 200; round++) {
        uint32_t count = 5 + (uint32_t)(next_random() * 20);
        s.count = 0;
        for (uint32_t i = 0; i < count; i++) {
            double angle = 2 * pi * i / count, radius = i & 1 ? 0.4 + 0.1 * next_random() : 1;
            add(radius * cos(angle), radius * sin(angle));
        }
        put_into_space(0, 0, 0);
        for (uint32_t i = 0; i < count; i++)
            s.space[3 * i + 2] = 0.3 * next_random();
        expect_cut();
    }
}
END_TEST

static void quad(double x, double y, const uint32_t expected[6])
{
    s.count = 0;
    add(0, 0);
    add(2, 0);
    add(x, y);
    add(0, 2);
    put_into_space(0, 0, 0);
    expect_cut();
    for (int i = 0; i < 6; i++)
        ck_assert_uint_eq(s.triangles[i], expected[i]);
}

START_TEST(quads)
{
    quad(2, 2, (const uint32_t[6]){0, 1, 2, 0, 2, 3});
    quad(0.5, 0.5, (const uint32_t[6]){0, 1, 2, 0, 2, 3});
    s.count = 0; /* a dart, its notch at corner 1 */
    add(0, 0);
    add(1, 1);
    add(2, 0);
    add(1, 3);
    put_into_space(0, 0, 0);
    expect_cut();
    ck_assert(s.triangles[0] == 1 && s.triangles[3] == 1);
}
END_TEST

static void expect_fan(void)
{
    polygon_work work = {0};
    put_into_space(0, 0, 0);
    ck_assert_int_eq(polygon_cut(&work, s.space, s.corners, s.count, s.triangles), POLYGON_FAN);
    polygon_free(&work);
    for (uint32_t i = 0; i < s.count - 2; i++) {
        const uint32_t *t = s.triangles + 3 * i;
        ck_assert(t[0] == 0 && t[1] == i + 1 && t[2] == i + 2);
    }
}

START_TEST(crossing_or_empty)
{
    s.count = 0; /* a bow tie of unequal wings */
    add(0, 0);
    add(4, 4);
    add(4, 0);
    add(0, 3);
    expect_fan();
    s.count = 0; /* everything on a line */
    for (int i = 0; i < 6; i++)
        add(i, 2 * i);
    expect_fan();
    s.count = 0; /* a point */
    for (int i = 0; i < 5; i++)
        add(1, 1);
    expect_fan();
}
END_TEST

START_TEST(extreme_numbers)
{
    static const double scales[] = {1e-300, 1e-40, 1e38, 1e300};
    for (int k = 0; k < 4; k++) {
        s.count = 0;
        add(0, 0);
        add(1, 0);
        add(1, 1);
        add(0.5, 0.1);
        add(0, 1);
        put_into_space(0, 0, 0);
        for (uint32_t i = 0; i < 3 * s.count; i++)
            s.space[i] *= scales[k];
        expect_cut();
    }
    s.space[4] = NAN; /* no crash; the caller leaves such polygons out */
    polygon_work work = {0};
    ck_assert_int_eq(polygon_cut(&work, s.space, s.corners, s.count, s.triangles), POLYGON_FAN);
    polygon_free(&work);
}
END_TEST

/* A spike so thin that doubles mistake its sense. With its tip corner turning the other way the
 * polygon crosses itself; integers tell. */
START_TEST(exact_orientations)
{
    seed();
    int cuts = 0, fans = 0;
    for (int round = 0; round < 2000; round++) {
        int64_t x = (int64_t)(64 * next_random()), y = (int64_t)(64 * next_random());
        s.count = 0;
        add(12, 12);
        add(24, 24);
        add(0.5 + ldexp((double)x, -53), 0.5 + ldexp((double)y, -53));
        add(-1, 30);
        add(5, 35);
        put_into_space(0, 0, 0);
        memcpy(s.space, (double[3]){12, 12, 0}, sizeof(double[3]));
        polygon_work work = {0};
        polygon_result result = polygon_cut(&work, s.space, s.corners, s.count, s.triangles);
        polygon_free(&work);
        ck_assert_int_eq(result, y > x ? POLYGON_FAN : POLYGON_CUT);
        cuts += result == POLYGON_CUT;
        fans += result == POLYGON_FAN;
    }
    ck_assert(cuts > 100 && fans > 100);
}
END_TEST

START_TEST(large_circle)
{
    enum { COUNT = 200000 };
    double *positions = malloc(COUNT * 3 * sizeof *positions);
    uint32_t *corners = malloc(COUNT * sizeof *corners);
    uint32_t *triangles = malloc(COUNT * 3 * sizeof *triangles);
    polygon_work work = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        double angle = 2 * pi * i / COUNT, radius = i % 2 ? 1 : 1.001;
        positions[3 * i] = radius * cos(angle);
        positions[3 * i + 1] = radius * sin(angle);
        positions[3 * i + 2] = 5;
        corners[i] = i;
    }
    ck_assert_int_eq(polygon_cut(&work, positions, corners, COUNT, triangles), POLYGON_CUT);
    polygon_free(&work);
    free(positions);
    free(corners);
    free(triangles);
}
END_TEST

SUITE(test_polygon)
{
    const TTest *const tests[] = {random_stars,
                                  spiral,
                                  comb,
                                  straight_and_equal,
                                  holes,
                                  not_flat,
                                  quads,
                                  crossing_or_empty,
                                  extreme_numbers,
                                  exact_orientations,
                                  large_circle,
                                  NULL};
    return suite_run("polygon", tests);
}
