/* SPDX-License-Identifier: MIT
 * volume_lines.c: the outline of a hierarchy's volume: the edges of a box, or of a rectangle swept
 * by a ball, whose edges are round.
 */
#include "view/volume_lines.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A point by its coordinates along the volume's axes. */
static void point_at(const bvp_volume *v, double x, double y, double z, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = v->centre[k] + x * v->axis[k] + y * v->axis[3 + k] + z * v->axis[6 + k];
}

void volume_corner(const bvp_volume *v, int i, double out[3])
{
    double along[3];
    assert(i >= 0 && i < 8);
    for (int k = 0; k < 3; k++)
        along[k] = (i >> k & 1 ? 1 : -1) * (v->half[k] + v->radius);
    point_at(v, along[0], along[1], along[2], out);
}

/* From angle 0 (along `from`) by `turns` quarters of a circle towards `to`, around a point of the
 * rectangle; all along the volume's axes. */
static int arc(const bvp_volume *v, const double around[3], const double from[3],
               const double to[3], int turns, double (*lines)[6])
{
    const int count = turns * VOLUME_QUARTER;
    double last[3];
    for (int i = 0; i <= count; i++) {
        const double angle = M_PI / 2 * i / VOLUME_QUARTER;
        const double c = v->radius * cos(angle), s = v->radius * sin(angle);
        double p[3];
        point_at(v, around[0] + c * from[0] + s * to[0], around[1] + c * from[1] + s * to[1],
                 around[2] + c * from[2] + s * to[2], p);
        if (i > 0) {
            memcpy(lines[i - 1], last, sizeof last);
            memcpy(lines[i - 1] + 3, p, sizeof p);
        }
        memcpy(last, p, sizeof last);
    }
    return count;
}

/* The rectangle lifted by `height`, its sides pushed out by `push`. */
static int side_lines(const bvp_volume *v, double height, double push, double (*lines)[6])
{
    for (int i = 0; i < 4; i++) {
        const int axis = i / 2; /* the side runs along it */
        const double sign = i % 2 ? 1 : -1, out = sign * (v->half[1 - axis] + push);
        const double half = v->half[axis];
        point_at(v, axis == 0 ? -half : out, axis == 0 ? out : -half, height, lines[i]);
        point_at(v, axis == 0 ? half : out, axis == 0 ? out : half, height, lines[i] + 3);
    }
    return 4;
}

/* The lines where the surface's flat, cylindrical and spherical parts meet, and its equator. */
static int swept_lines(const bvp_volume *v, double (*lines)[6])
{
    static const double up[3] = {0, 0, 1};
    int count = side_lines(v, v->radius, 0, lines);
    count += side_lines(v, -v->radius, 0, lines + count);
    count += side_lines(v, 0, v->radius, lines + count);
    for (int i = 0; i < 4; i++) {
        const double x[3] = {i & 1 ? 1 : -1, 0, 0}, y[3] = {0, i & 2 ? 1 : -1, 0};
        const double corner[3] = {x[0] * v->half[0], y[1] * v->half[1], 0};
        count += arc(v, corner, x, y, 1, lines + count);
        count += arc(v, corner, up, x, 2, lines + count);
        count += arc(v, corner, up, y, 2, lines + count);
    }
    return count;
}

int volume_lines(const bvp_volume *v, double lines[VOLUME_LINES][6])
{
    int count = 0;
    if (v->radius > 0) {
        count = swept_lines(v, lines);
        assert(count == VOLUME_LINES);
        return count;
    }
    for (int i = 0; i < 8; i++) /* a box's edges: from each corner upward along the three axes */
        for (int axis = 1; axis < 8; axis *= 2) {
            if (i & axis)
                continue;
            volume_corner(v, i, lines[count]);
            volume_corner(v, i | axis, lines[count] + 3);
            count++;
        }
    assert(count == 12);
    return count;
}
