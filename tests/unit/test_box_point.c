/* SPDX-License-Identifier: MIT
 * test_box_point.c: boxes are never said to be farther from a point than they are, and the slack
 * that sees to that is needed.
 */
#include "prim/box_point.h"
#include "climb.h"
#include "suite.h"

/* x: a point, beside a face of a box that is one grid step wide. How much larger than the true gap
 * the computed one would be without slack. */
static double slack_share(const double x[2])
{
    const uint32_t extent[3] = {1 << 20, 1 << 20, 1 << 20};
    const float step[3] = {1, 1, 1};
    uint8_t bounds[3][16] = {{0}};
    double point[3] = {0x1p20 * (1 + fabs(fmod(x[0], 1))), 0.5, 0.5};
    const float lo[3] = {floorf((float)(point[0] - 8 * fabs(x[1]))), 0, 0};
    bvpi_grid_point p;
    for (int k = 0; k < 24; k++)
        bounds[k / 8][8 + k % 8] = 1;
    bvpi_grid_point_init(&p, point, 0, extent, 1);
    const double gap = sqrt((double)bvpi_box_point(&p, lo, step, bounds)[0]);
    const double slack = (double)p.slack;
    return gap > 0 ? (gap + slack - (point[0] - (double)lo[0] - 1)) / slack : 0;
}

START_TEST(slack_is_needed)
{
    static const double table[][2] = {{0x1.1936fffffffadp-8, -0x1.9e066a825f917p+0},
                                      {0x1.8716000000037p-9, -0x1.8193e903578e1p+0}};
    CLIMB_CHECK(slack_share, 0.125, table);
}
END_TEST

/* A point known to within an error, which is off by all of it. */
START_TEST(errors_are_allowed_for)
{
    const uint32_t extent[3] = {1 << 20, 1 << 20, 1 << 20};
    const double error = 1000, point[3] = {0x1p20 + 3000, 0.5, 0.5};
    const float lo[3] = {0, 0, 0}, step[3] = {0x1p12f, 1, 1};
    uint8_t bounds[3][16] = {{0}};
    bvpi_grid_point p;
    for (int k = 0; k < 24; k++)
        bounds[k / 8][8 + k % 8] = 255;
    bvpi_grid_point_init(&p, point, error, extent, 1);
    const double gap = sqrt((double)bvpi_box_point(&p, lo, step, bounds)[0]);
    const double least = point[0] - error - 255 * 0x1p12;
    ck_assert_double_le(gap, least);
    ck_assert_double_ge(gap, least - 2);
}
END_TEST

SUITE(test_box_point)
{
    const TTest *const tests[] = {slack_is_needed, errors_are_allowed_for, NULL};
    return suite_run("box_point", tests);
}
