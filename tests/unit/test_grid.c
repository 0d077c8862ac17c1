/* SPDX-License-Identifier: MIT
 * test_grid.c: the grid holds its box, rounds outward, and satisfies the rules of the spec.
 */
#include "build_case.h"
#include "node/grid.h"
#include "format/layout.h"
#include "node/frame.h"
#include "suite.h"

#include <math.h>

static void check_grid(const double lo[3], const double hi[3], uint64_t *state)
{
    bvpi_grid grid;
    int exponent;
    bvpi_grid_choose(lo, hi, &grid);
    ck_assert(frexp(grid.unit, &exponent) == 0.5);
    ck_assert_double_eq(grid.unit * grid.inverse, 1);
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t extent = grid.extent[axis];
        ck_assert_uint_lt(extent, 1u << BVPD_GRID_BITS);
        ck_assert_uint_eq(extent % (1u << bvpi_frame_shift(extent)), 0);
        ck_assert(fabs(grid.start[axis]) <= 0x1p52);
        ck_assert_double_eq(grid.start[axis] * grid.unit, grid.origin[axis]);
        ck_assert_double_le(grid.origin[axis], lo[axis]);
        ck_assert_double_ge(grid.origin[axis] + extent * grid.unit, hi[axis]);
        for (int k = 0; k < 10; k++) {
            double x = lo[axis] + case_uniform(state) * (hi[axis] - lo[axis]);
            x = fmin(fmax(x, lo[axis]), hi[axis]);
            const double below = bvpi_grid_below(&grid, axis, x);
            const double above = bvpi_grid_above(&grid, axis, x);
            ck_assert(below >= 0 && above <= extent && above - below <= 1);
            ck_assert_double_le(grid.origin[axis] + below * grid.unit, x);
            ck_assert_double_ge(grid.origin[axis] + above * grid.unit, x);
        }
    }
}

START_TEST(test_random_boxes)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 3000; round++) {
        double lo[3], hi[3];
        const int scale = (int)(case_random(&state) % 276) - 149;
        for (int axis = 0; axis < 3; axis++) {
            const int spread = (int)(case_random(&state) % 60);
            const float at = (float)ldexp(case_uniform(&state) - 0.5, scale);
            const float size = (float)ldexp(case_uniform(&state), scale - spread);
            lo[axis] = at;
            hi[axis] = (float)(at + (round % 5 == axis ? 0 : size));
        }
        check_grid(lo, hi, &state);
    }
}
END_TEST

START_TEST(test_edges)
{
    static const double boxes[][6] = {
        {0, 0, 0, 0, 0, 0},
        {-0x1p-149, 0, 0, 0, 0x1p-149, 0},
        {-0x1.fffffep127, -0x1.fffffep127, 0, 0x1.fffffep127, 0x1.fffffep127, 0},
        {1e30, 0, 0, 1e30, 1e-40, 0},
        {-0x1p250, 0, 1, 0x1p250, 0, 1},
        {0, 0, 0, 4194303, 4194304, 255},
        {0, 0, 0, 256, 255, 257},
    };
    uint64_t state = case_seed();
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        check_grid(boxes[i], boxes[i] + 3, &state);
}
END_TEST

/* As fine as possible: half the unit does not hold the box. */
START_TEST(test_fine)
{
    const double lo[3] = {0, 0, 0}, hi[3] = {100, 1, 1};
    bvpi_grid grid;
    bvpi_grid_choose(lo, hi, &grid);
    ck_assert_double_gt(100 / (grid.unit / 2), (double)(1 << BVPD_GRID_BITS) - (1 << 15));
}
END_TEST

/* A damaged file may state bounds the wrong way round: the grid has no extent there. */
START_TEST(test_inverted)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 3000; round++) {
        double lo[3], hi[3];
        bvpi_grid grid;
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = ldexp(case_uniform(&state) - 0.5, (int)(case_random(&state) % 250) - 125);
            hi[axis] = lo[axis] + 1;
            if (round >> axis & 1)
                hi[axis] = lo[axis] - ldexp(1 + case_uniform(&state), round % 200 - 100);
        }
        bvpi_grid_choose(lo, hi, &grid);
        for (int axis = 0; axis < 3; axis++) {
            ck_assert(isfinite(grid.unit) && grid.unit > 0);
            ck_assert_uint_lt(grid.extent[axis], 1u << BVPD_GRID_BITS);
            ck_assert(hi[axis] >= lo[axis] || grid.extent[axis] <= 1);
        }
    }
}
END_TEST

SUITE(test_grid)
{
    const TTest *const tests[] = {test_random_boxes, test_edges, test_fine, test_inverted, NULL};
    return suite_run("grid", tests);
}
