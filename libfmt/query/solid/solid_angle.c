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

/* A vertex relative to the point, and its distance. */
typedef struct spoke {
    double at[3], length;
} spoke;

static void add_triangle(turning *t, const spoke *p, const spoke *q, const spoke *r)
{
    double cross[3];
    bvpi_cross(q->at, r->at, cross);
    turn_by(t,
            p->length * q->length * r->length + bvpi_dot(p->at, q->at) * r->length +
                bvpi_dot(q->at, r->at) * p->length + bvpi_dot(r->at, p->at) * q->length,
            bvpi_dot(p->at, cross));
}

enum { VERTICES_MOST = 3 * 256 }; /* of a cluster */

static void place_vertex(const bvpi_cluster *cluster, uint32_t vertex, const double m[12],
                         const double point[3], spoke *out)
{
    const double x = (double)bvpi_cluster_coordinate(cluster, 0, vertex);
    const double y = (double)bvpi_cluster_coordinate(cluster, 1, vertex);
    const double z = (double)bvpi_cluster_coordinate(cluster, 2, vertex);
    for (int i = 0; i < 3; i++) {
        const double *row = m + 4 * i;
        out->at[i] = row[0] * x + row[1] * y + row[2] * z + (row[3] - point[i]);
    }
    out->length = sqrt(bvpi_dot(out->at, out->at));
}

static bvp_status add_cluster(turning *t, const bvpi_cluster *cluster, const double m[12],
                              const double point[3])
{
    spoke spokes[VERTICES_MOST];
    if (cluster->vertex_count > VERTICES_MOST)
        return BVP_ERR_CORRUPT;
    for (uint32_t v = 0; v < cluster->vertex_count; v++)
        place_vertex(cluster, v, m, point, &spokes[v]);
    for (uint32_t i = 0; i < cluster->triangle_count; i++) {
        uint32_t corner[3];
        for (uint32_t k = 0; k < 3; k++) {
            corner[k] = bvpi_cluster_corner(cluster, i, k);
            if (corner[k] >= cluster->vertex_count)
                return BVP_ERR_CORRUPT;
        }
        add_triangle(t, &spokes[corner[0]], &spokes[corner[1]], &spokes[corner[2]]);
    }
    return BVP_OK;
}

bvp_status bvpi_solid_angle(const bvpi_placed_part *part, const double point[3], bvpi_meter *meter,
                            double *out)
{
    turning t = {1, 0, 0};
    for (uint32_t i = 0; i < part->part.cluster_count; i++) {
        bvpi_cluster cluster;
        if (!bvpi_meter_step(meter))
            return BVP_ERR_CANCELLED;
        if (!bvpi_cluster_at(&part->part, i, &cluster))
            return BVP_ERR_CORRUPT;
        const bvp_status status = add_cluster(&t, &cluster, part->at.placement.m, point);
        if (status != BVP_OK)
            return status;
    }
    const double half = atan2(t.im, t.re) + 2 * M_PI * (double)t.turns;
    *out = half / (2 * M_PI) * bvpi_solid_turn(&part->at.placement);
    return BVP_OK;
}
