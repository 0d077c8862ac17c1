/* SPDX-License-Identifier: MIT
 * count_scene.h: the scene whose queries are counted: part 0 a bumpy sheet, part 1 a ball of six
 * sides, part 2 a long thin pipe across all axes; the same bits everywhere.
 */
#ifndef COUNT_SCENE_H
#define COUNT_SCENE_H

#include "bvpack.h"
#include "oracle.h"

#include <math.h>

enum { CELLS = 24, SHEET = 2 * CELLS * CELLS, SIDES = 8, PIPE = 2 * SIDES };

static float sheet[9 * SHEET], ball[9 * 6 * SHEET], pipe[9 * PIPE];

/* Point (i, j) of a bumpy sheet of edge 1; no function whose last bit depends on the library. */
static void sheet_point(int i, int j, float out[3])
{
    const double x = (double)i / CELLS, y = (double)j / CELLS;
    out[0] = (float)x;
    out[1] = (float)y;
    out[2] = (float)(x * (1 - x) * (0.5 - y) * (x - 0.25));
}

/* A cube's side, projected to the unit ball. */
static void ball_point(int side, int i, int j, float out[3])
{
    double p[3], length = 0;
    p[side % 3] = side < 3 ? 1 : -1;
    p[(side + 1) % 3] = 2.0 * i / CELLS - 1;
    p[(side + 2) % 3] = 2.0 * j / CELLS - 1;
    for (int k = 0; k < 3; k++)
        length += p[k] * p[k];
    for (int k = 0; k < 3; k++)
        out[k] = (float)(p[k] / sqrt(length));
}

static void point(int side, int i, int j, float out[3])
{
    if (side < 0)
        sheet_point(i, j, out);
    else
        ball_point(side, i, j, out);
}

static float *add_side(float *at, int side)
{
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    for (int k = 0; k < 6 * CELLS * CELLS; k++, at += 3)
        point(side, k / 6 % CELLS + corner[k % 6][0], k / 6 / CELLS + corner[k % 6][1], at);
    return at;
}

/* Long triangles around the line from (-10, -10, -10) to (10, 10, 10): across all axes. */
static void make_pipe(void)
{
    static const double u[3] = {2, -1, -1}, v[3] = {0, 1, -1};
    static const double c[SIDES] = {1, 0.7, 0, -0.7, -1, -0.7, 0, 0.7};
    for (int k = 0; k < 6 * SIDES; k++) {
        static const int around[6] = {0, 1, 1, 0, 1, 0}, end[6] = {0, 0, 1, 0, 1, 1};
        const int side = (k / 6 + around[k % 6]) % SIDES;
        for (int x = 0; x < 3; x++)
            pipe[3 * k + x] = (float)(0.2 * c[side] * u[x] + 0.3 * c[(side + 6) % SIDES] * v[x] +
                                      (end[k % 6] ? 10 : -10));
    }
}

static bvp_file *count_scene_open(bool baseline)
{
    oracle_soup parts[3] = {{sheet, SHEET, NULL}, {ball, 6 * SHEET, NULL}, {pipe, PIPE, NULL}};
    float *at = ball;
    add_side(sheet, -1);
    for (int side = 0; side < 6; side++)
        at = add_side(at, side);
    make_pipe();
    return oracle_open(parts, 3, NULL, NULL, 0, baseline);
}

#endif
