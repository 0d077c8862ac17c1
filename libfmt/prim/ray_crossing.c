/* SPDX-License-Identifier: MIT
 * ray_crossing.c: the crossings of a ray that add up to a winding number.
 *
 * A ray through an edge meets both triangles there, and must cross one of them, or none or both if
 * they fold back. So the ray is thought to be moved in parallel by (e, e^2, e^3), for an e smaller
 * than any number. The side of an edge is a determinant that is linear in the shift: where it is 0
 * for the ray itself, the sign of its first derivative that is not 0 decides, axis by axis. All
 * three are 0 only for an edge along the ray, which a triangle has that is seen edge-on; a ray that
 * is moved in parallel does not cross it.
 *
 * Two triangles that share an edge see opposite signs there. So on a surface without a border the
 * sum of all crossings is its winding number around the ray's origin, whatever the ray passes
 * through, as long as the origin is not on the surface.
 *
 * In double first, with a bound of the error; three sides of one sign are certain.
 *
 * Slow twin: winding numbers of sums of angles, tests/property/test_inside.c.
 * Spec: exactness.md, chapter 7, "Crossings"
 * Based on: Edelsbrunner, Muecke, Simulation of Simplicity, 1990.
 */
#include "prim/ray_crossing.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "base/simd.h"
#include "prim/points.h"

/* Corners relative to the origin err by `error` at most: three products, three sums. A side is six
 * products of a direction and two corners. 0: not certain. */
static int crossing_in_double(const double origin[3], const double d[3], const float tri[9],
                              const double m[12])
{
    double p[3][3], reach = 0, size = 0, terms = 0;
    int plus = 0, minus = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            const double *row = m + 4 * i;
            const double x = row[0] * (double)tri[3 * k], y = row[1] * (double)tri[3 * k + 1],
                         z = row[2] * (double)tri[3 * k + 2];
            p[k][i] = x + y + z + row[3] - origin[i];
            reach = bvpi_larger(reach, fabs(p[k][i]));
            terms =
                bvpi_larger(terms, fabs(x) + fabs(y) + fabs(z) + fabs(row[3]) + fabs(origin[i]));
        }
    for (int i = 0; i < 3; i++)
        size = bvpi_larger(size, fabs(d[i]));
    const double error = terms * 0x1p-50 + 0x1p-1000;
    const double bound = size * (reach + error) * (13 * error + (reach + error) * 0x1p-47);
    for (int k = 0; k < 3; k++) {
        const double *b = p[(k + 1) % 3], *c = p[(k + 2) % 3];
        const double side = d[0] * (b[1] * c[2] - b[2] * c[1]) +
                            d[1] * (b[2] * c[0] - b[0] * c[2]) + d[2] * (b[0] * c[1] - b[1] * c[0]);
        plus += side > bound + 0x1p-900;
        minus += side < -bound - 0x1p-900;
    }
    return plus == 3 ? 1 : minus == 3 ? -1 : 0;
}

/* Points 0, 1, 2 are the corners; 3 and 4 on the ray, moved by 1 along an axis or not at all. */
typedef struct sides {
    bvpi_terms terms[5][3];
    const double *origin, *direction;
} sides;

static bool points_of(sides *s, int axis, bvpi_points *out)
{
    for (int x = 0; x < 3; x++) {
        const double moved = x == axis;
        s->terms[3][x] = (bvpi_terms){{s->origin[x], moved, 0, 0}, {1, 1, 0, 0}};
        s->terms[4][x] = (bvpi_terms){{s->origin[x], moved, s->direction[x], 0}, {1, 1, 1, 0}};
    }
    return bvpi_points_init(out, s->terms, 5);
}

int bvpi_ray_crossing_exactly(const double origin[3], const double direction[3], const float tri[9],
                              const double m[12])
{
    sides s = {.origin = origin, .direction = direction};
    bvpi_points points;
    int side[3] = {0, 0, 0};
    bvpi_terms_of_triangle(s.terms, 0, tri, m);
    for (int axis = -1; axis < 3 && (side[0] == 0 || side[1] == 0 || side[2] == 0); axis++) {
        if (!points_of(&s, axis, &points))
            return 0;
        for (int k = 0; k < 3; k++)
            if (side[k] == 0) /* linear in the shift: where it was 0, this is its derivative */
                side[k] = bvpi_orient3(&points, 3, 4, (k + 1) % 3, (k + 2) % 3);
    }
    return side[0] == side[1] && side[1] == side[2] ? side[0] : 0;
}

int bvpi_ray_crossing(const double origin[3], const double direction[3], const float tri[9],
                      const double m[12])
{
    const int sure = crossing_in_double(origin, direction, tri, m);
    return sure != 0 ? sure : bvpi_ray_crossing_exactly(origin, direction, tri, m);
}
