/* SPDX-License-Identifier: MIT
 * test_oriented_kernel.c: what is done side by side for oriented volumes is what is done one after
 * the other, with every instruction set; rectangles and codes are as small as any.
 */
#include "kinds/pack/oriented_kernel.h"

#include "base/isa.h"
#include "flat_oracle.h"
#include "suite.h"

enum { TRIANGLES = 300, VERTICES = 400, KERNELS = 2 };

static const bvpi_fit_kernel *kernel(int number)
{
    return number == 0 ? &bvpi_fit_kernel_base
                       : BVPI_ISA_CHOOSE(bvpi_fit_kernel, bvpi_isa_of_cpu());
}

typedef struct set_case {
    float positions[3 * VERTICES], xyz[9 * TRIANGLES + 3 * BVPI_FIT_ABREAST];
    uint32_t indices[3 * TRIANGLES], triangles[TRIANGLES], count, seen[64];
    bvpi_mesh mesh;
} set_case;

/* Coordinates of which many are equal, or none; in space, in a plane, far away. */
static void make_set(uint64_t *state, set_case *c)
{
    const int kind = (int)(case_random(state) % 4);
    c->count = 1 + (uint32_t)(case_random(state) % (case_random(state) % 3 ? 6 : TRIANGLES));
    for (int k = 0; k < 3 * VERTICES; k++) {
        const double x = kind == 0 ? (double)(case_random(state) % 5) : case_uniform(state);
        c->positions[k] = (float)(kind == 1 && k % 3 == 2 ? 1 : kind == 2 ? 1e5 + x : x);
    }
    for (uint32_t k = 0; k < 3 * c->count; k++)
        c->indices[k] = (uint32_t)(k / 3 + case_random(state) % 100);
    for (uint32_t k = 0; k < c->count; k++)
        c->triangles[k] = (uint32_t)(case_random(state) % c->count);
    c->mesh = (bvpi_mesh){.positions = c->positions,
                          .indices = c->indices,
                          .vertex_count = VERTICES,
                          .triangle_count = c->count};
}

static const float *corner(const set_case *c, uint32_t i, uint32_t k)
{
    return c->positions + 3 * (uint64_t)c->indices[3 * c->triangles[i] + k];
}

static void check_surface(const set_case *c, const bvpi_fit_surface *got)
{
    const float *start = corner(c, 0, 0);
    bvpi_fit_surface slow = {0};
    for (uint32_t i = 0; i < c->count; i++) {
        double at[3][3];
        for (uint32_t k = 0; k < 3; k++)
            for (int x = 0; x < 3; x++)
                at[k][x] = (double)corner(c, i, k)[x] - start[x];
        bvpi_fit_add(&slow, at[0], at[1], at[2]);
    }
    ck_assert(got->area == slow.area);
    for (int k = 0; k < 3; k++)
        ck_assert(got->first[k] == slow.first[k] && got->largest[k] == slow.largest[k]);
    for (int k = 0; k < 6; k++)
        ck_assert(got->second[k] == slow.second[k]);
}

/* Every corner is there, and what is there is one of them; some repeats are left out. */
static void check_corners(const set_case *c, const bvpi_fit_corners *got)
{
    const bvpi_corners *all = &got->all;
    ck_assert(all->count > 0 && all->count <= 3 * c->count);
    for (uint64_t i = all->count; i % BVPI_FIT_ABREAST != 0; i++)
        ck_assert_mem_eq(all->xyz + 3 * i, all->xyz + 3 * (all->count - 1), 3 * sizeof(float));
    uint64_t next = 0; /* they are in the order of the triangles */
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3 * c->count; i++) {
        const float *at = corner(c, i / 3, i % 3);
        bool is_there =
            next < all->count && memcmp(all->xyz + 3 * next, at, 3 * sizeof(float)) == 0;
        next += is_there;
        for (uint64_t k = 0; k < next && !is_there; k++)
            is_there = memcmp(all->xyz + 3 * k, at, 3 * sizeof(float)) == 0;
        ck_assert(is_there);
        for (int x = 0; x < 3; x++) {
            lo[x] = fmin(lo[x], at[x]);
            hi[x] = fmax(hi[x], at[x]);
        }
    }
    ck_assert_uint_eq(next, all->count);
    for (int x = 0; x < 3; x++)
        ck_assert(got->lo[x] == lo[x] && got->hi[x] == hi[x]);
}

static void check_range(uint64_t *state, const bvpi_fit_kernel *k, const bvpi_corners *set)
{
    bvpi_oriented frame = {.centre = {case_uniform(state), case_uniform(state), 1e5}};
    case_rotation(state, frame.axis);
    const bvpi_range got = k->range(&frame, set);
    bvpi_range slow = bvpi_range_empty();
    bvpi_range_add(&slow, &frame, set);
    for (int x = 0; x < 3; x++)
        ck_assert(got.lo[x] == slow.lo[x] && got.hi[x] == slow.hi[x]);
}

static void check_farthest(const bvpi_fit_kernel *k, const bvpi_corners *set)
{
    static const int ways[13][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {1, -1, 0},
                                    {1, 0, 1},  {1, 0, -1}, {0, 1, 1},  {0, 1, -1}, {1, 1, 1},
                                    {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};
    uint32_t at[BVPI_FIT_EXTREMES];
    k->farthest(set->xyz, set->count, at);
    for (int d = 0; d < BVPI_FIT_EXTREMES; d++) {
        const int *way = ways[d / 2], sign = d % 2 ? 1 : -1;
        uint32_t best = 0;
        double most = -INFINITY;
        for (uint32_t i = 0; i < set->count; i++) {
            const float *p = set->xyz + 3 * i;
            const double height =
                sign * ((double)way[0] * p[0] + (double)way[1] * p[1] + (double)way[2] * p[2]);
            if (height > most) {
                most = height;
                best = i;
            }
        }
        ck_assert_uint_eq(at[d], best);
    }
}

START_TEST(corners_are_what_one_after_the_other_gives)
{
    uint64_t state = case_seed();
    uint64_t left_out = 0;
    for (int round = 0; round < 2000; round++) {
        static set_case c;
        make_set(&state, &c);
        for (int number = 0; number < KERNELS; number++) {
            const bvpi_fit_kernel *k = kernel(number);
            bvpi_fit_corners got;
            k->gather(&c.mesh, c.triangles, c.count, c.xyz, c.seen, 64, &got);
            check_corners(&c, &got);
            check_surface(&c, &got.surface);
            check_range(&state, k, &got.all);
            check_farthest(k, &got.all);
            left_out += 3 * c.count - got.all.count;
        }
    }
    ck_assert_uint_gt(left_out, 1000);
}
END_TEST

/* Of the points (x, y), by all pairs of them. */
static double least_area(const double (*p)[3], uint32_t count)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++) {
            const double u = p[k][0] - p[i][0], v = p[k][1] - p[i][1], square = u * u + v * v;
            double lo = INFINITY, hi = -INFINITY, low = 0, high = 0;
            if (!(square > 1e-18))
                continue;
            for (uint32_t n = 0; n < count; n++) {
                const double along = u * p[n][0] + v * p[n][1];
                const double over = u * (p[n][1] - p[i][1]) - v * (p[n][0] - p[i][0]);
                lo = fmin(lo, along);
                hi = fmax(hi, along);
                low = fmin(low, over);
                high = fmax(high, over);
            }
            best = fmin(best, (hi - lo) * (high - low) / square);
        }
    return best == INFINITY ? 0 : best;
}

START_TEST(rectangles_are_the_least)
{
    const double u[3] = {1, 0, 0}, v[3] = {0, 1, 0};
    uint64_t state = case_seed();
    for (int round = 0; round < 4000; round++) {
        double points[BVPI_FIT_POINTS][3] = {{0}}, direction[KERNELS][2], extent[KERNELS][2];
        const uint32_t count = 1 + (uint32_t)(case_random(&state) % (round % 4 ? 9 : 64));
        const double turn = round % 3 ? 0 : case_uniform(&state);
        for (uint32_t i = 0; i < count; i++) {
            double x = case_uniform(&state), y = case_uniform(&state);
            if (round % 5 == 0) { /* many on one line; turned: nearly so */
                x = floor(4 * x);
                y = floor(3 * y);
            }
            points[i][0] = cos(turn) * x - sin(turn) * y;
            points[i][1] = sin(turn) * x + cos(turn) * y;
            for (int k = 0; k < 2 && round % 2 && i >= count / 2; k++) /* as good as there before */
                points[i][k] = points[i - count / 2][k] + case_between(&state, -1e-16, 1e-16);
            points[i][2] = case_uniform(&state);
        }
        for (int k = 0; k < KERNELS; k++) {
            kernel(k)->rectangle((const double(*)[3])points, count, u, v, direction[k], extent[k]);
            const double area = extent[k][0] * extent[k][1], *d = direction[k];
            ck_assert(fabs(d[0] * d[0] + d[1] * d[1] - 1) < 1e-12);
            for (int side = 0; side < 2; side++) {
                double lo = INFINITY, hi = -INFINITY;
                for (uint32_t i = 0; i < count; i++) {
                    const double at = side ? d[0] * points[i][1] - d[1] * points[i][0]
                                           : d[0] * points[i][0] + d[1] * points[i][1];
                    lo = fmin(lo, at);
                    hi = fmax(hi, at);
                }
                ck_assert_msg(fabs(hi - lo - extent[k][side]) < 1e-12, "%d: %u points, %g for %g",
                              round, count, extent[k][side], hi - lo);
            }
            ck_assert_msg(area <= least_area((const double(*)[3])points, count) + 1e-9, "%d: %g",
                          round, area);
        }
        ck_assert_mem_eq(direction[0], direction[1], sizeof direction[0]);
        ck_assert_mem_eq(extent[0], extent[1], sizeof extent[0]);
    }
}
END_TEST

/* Half the surface of the box along a code's axes around one along `axis`; of a code whose last
 * axis is not that one, infinity. */
static double coded_surface(uint32_t code, const double axis[9], const double extent[3], int last)
{
    double coded[9], reach[3] = {0};
    bvpi_rotation_axes(code, coded);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double *a = coded + 3 * i, *b = axis + 3 * j;
            const double share = fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
            reach[i] += extent[j] * share;
            if (i == 2 && j == last && share < 0.9)
                return INFINITY;
        }
    return reach[0] * reach[1] + reach[1] * reach[2] + reach[2] * reach[0];
}

/* The fields to the nearest, of the quaternion that is least far from turning the unit vectors into
 * the rows of `axis`. */
static uint32_t nearest_code(const double axis[9])
{
    const double trace = axis[0] + axis[4] + axis[8];
    const double square[4] = {1 + trace, 1 + 2 * axis[0] - trace, 1 + 2 * axis[4] - trace,
                              1 + 2 * axis[8] - trace};
    unsigned top = 0;
    for (unsigned k = 1; k < 4; k++)
        if (square[k] > square[top])
            top = k;
    double q[4];
    const double twice = 2 * sqrt(square[top]);
    const double w[3] = {axis[5] - axis[7], axis[6] - axis[2], axis[1] - axis[3]};
    for (unsigned k = 1; k < 4; k++) {
        const unsigned i = top - 1, j = k - 1;
        q[k] = (top == 0 ? w[k - 1] : axis[3 * i + j] + axis[3 * j + i]) / twice;
    }
    q[0] = top == 0 ? 0 : w[top - 1] / twice;
    uint32_t code = top << 30;
    for (unsigned k = 0, place = 0; k < 4; k++) {
        if (k == top)
            continue;
        code |= (uint32_t)(int)(floor(q[k] / BVPI_ROTATION_STEP + 0.5) + 512) << place;
        place += 10;
    }
    return code;
}

/* The best of all ways to name and reverse the axes. */
static double best_surface(const double axis[9], const double extent[3], int last)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    double best = INFINITY;
    for (int n = 0; n < 24; n++) {
        double named[9];
        const int minus[3] = {n & 1, n >> 1 & 1, (n & 1) ^ (n >> 1 & 1) ^ (n / 4 >= 3)};
        for (int i = 0; i < 9; i++)
            named[i] = (minus[i / 3] ? -1 : 1) * axis[3 * order[n / 4][i / 3] + i % 3];
        best = fmin(best, coded_surface(nearest_code(named), axis, extent, last));
    }
    return best;
}

START_TEST(codes_are_as_near_as_any)
{
    const double shapes[][3] = {{3, 2, 1}, {1, 1, 1}, {5, .01, .01}, {1, 1, 0}, {1, 1e-6, 0}};
    uint64_t state = case_seed();
    for (int round = 0; round < 10000; round++) {
        double axis[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, extent[3];
        const int first = (int)(case_random(&state) % 3), last = round % 4 - 1;
        for (int k = 0; k < 3; k++)
            extent[k] = shapes[round % 5][(first + k) % 3];
        if (round % 7 != 0)
            case_rotation(&state, axis);
        const uint32_t code = kernel(0)->encode(axis, extent, last);
        ck_assert_uint_eq(kernel(1)->encode(axis, extent, last), code);
        for (int field = 0; field < 3; field++)
            ck_assert((code >> 10 * field & 1023) > 0);
        const double found = coded_surface(code, axis, extent, last);
        const double best = best_surface(axis, extent, last);
        ck_assert_msg(found <= best * (1 + 2e-3), "%d: %g, not %g", round, found, best);
        if (round % 7 == 0) /* there is a code for these axes */
            ck_assert(found <= extent[0] * extent[1] + extent[1] * extent[2] +
                                   extent[2] * extent[0] + 1e-12);
    }
}
END_TEST

SUITE(test_oriented_kernel)
{
    const TTest *const tests[] = {corners_are_what_one_after_the_other_gives,
                                  rectangles_are_the_least, codes_are_as_near_as_any, NULL};
    return suite_run("oriented_kernel", tests);
}
