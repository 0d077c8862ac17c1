/* SPDX-License-Identifier: MIT
 * solid_angle.c: the generalised winding number of an open surface around a point: the sum of the
 * solid angles of its triangles over the whole sphere's.
 *
 * Half the solid angle of a triangle is the argument of a complex number (van Oosterom, Strackee).
 * So the numbers are multiplied, and how often the product turns past the negative half axis is
 * counted: an arc tangent at the end instead of one for each triangle.
 *
 * All triangles are summed, as many as the part has: an open surface has no shortcut that is
 * certain. The error is some 2^-50 for each triangle, away from the surface.
 *
 * Spec: exactness.md, chapter 10, "Inside"
 * Based on: Jacobson, Kavan, Sorkine-Hornung, Robust inside-outside segmentation using generalized
 * winding numbers, 2013; van Oosterom, Strackee, The solid angle of a plane triangle, 1983.
 */
#include <math.h>

#include "base/vec3.h"
#include "node/cluster_record.h"
#include "query/solid/solid.h"

typedef struct turning {
    double re, im; /* of length 1, nearly */
    int64_t turns;
} turning;

/* Multiplies by a number whose argument is in -pi .. pi. */
static void turn_by(turning *t, double re, double im)
{
    const double length = sqrt(re * re + im * im);
    if (!(length > 0)) /* the point is a corner, or on an edge */
        return;
    const double next_re = (t->re * re - t->im * im) / length;
    const double next_im = (t->re * im + t->im * re) / length;
    if (im > 0 && t->im >= 0 && next_im < 0)
        t->turns++;
    if (im < 0 && t->im < 0 && next_im >= 0)
        t->turns--;
    t->re = next_re;
    t->im = next_im;
}

static void add_triangle(turning *t, const double m[12], const double point[3], const float tri[9])
{
    double p[3][3], length[3], cross[3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            const double *row = m + 4 * i;
            p[k][i] = row[0] * (double)tri[3 * k] + row[1] * (double)tri[3 * k + 1] +
                      row[2] * (double)tri[3 * k + 2] + (row[3] - point[i]);
        }
        length[k] = sqrt(bvpi_dot(p[k], p[k]));
    }
    for (int i = 0; i < 3; i++)
        cross[i] = p[1][(i + 1) % 3] * p[2][(i + 2) % 3] - p[1][(i + 2) % 3] * p[2][(i + 1) % 3];
    const double volume = bvpi_dot(p[0], cross);
    const double rest = length[0] * length[1] * length[2] + bvpi_dot(p[0], p[1]) * length[2] +
                        bvpi_dot(p[1], p[2]) * length[0] + bvpi_dot(p[2], p[0]) * length[1];
    turn_by(t, rest, volume);
}

bvp_status bvpi_solid_angle(const bvpi_placed_part *part, const double point[3], bvpi_meter *meter,
                            double *out)
{
    turning t = {1, 0, 0};
    for (uint32_t i = 0; i < part->part.cluster_count; i++) {
        bvpi_cluster cluster;
        float tri[9];
        if (!bvpi_meter_step(meter))
            return BVP_ERR_CANCELLED;
        if (!bvpi_cluster_at(&part->part, i, &cluster))
            return BVP_ERR_CORRUPT;
        for (uint32_t k = 0; k < cluster.triangle_count; k++) {
            bvpi_cluster_triangle(&cluster, k, tri);
            add_triangle(&t, part->at.placement.m, point, tri);
        }
    }
    const double half = atan2(t.im, t.re) + 2 * M_PI * (double)t.turns;
    *out = half / (2 * M_PI) * bvpi_solid_turn(&part->at.placement);
    return BVP_OK;
}
