/* SPDX-License-Identifier: MIT
 * hull_bounds.c: what the convex hulls of two bodies say of their penetration depth.
 *
 * A move that puts a plane between the hulls takes any bodies apart. From below, the few corners
 * that decided it are two polytopes that need a move as long. Such a hull, shrunk a little, is
 * inside a solid if it meets no triangle of it and its middle is inside. For convex bodies that
 * always holds, and both bounds are the same but for the shrinking.
 *
 * Bodies of very many triangles are held by boxes: of their instances, or of all. Then the move is
 * longer, and the corners prove nothing.
 *
 * Slow twin: separating axes, tests/property/test_penetration.c.
 * Spec: exactness.md, chapter 12, "Penetration"
 * Measured: decisions.md, "Penetration of two bodies"
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "clash/hull_depth.h"
#include "clash/penetration.h"
#include "node/cluster_record.h"

enum { TRIANGLES_MOST = 1 << 18, INSTANCES_MOST = 1 << 10 };

/* ---- clouds ---------------------------------------------------------------------------------- */

/* A body's vertices, or corners of boxes, in the world. */
typedef struct cloud {
    bvpi_cloud points;
    double slack; /* of a point, at most */
} cloud;

static bool add_box(cloud *c, const bvpi_bounds *box)
{
    for (int which = 0; which < 8; which++) {
        double at[3];
        for (int i = 0; i < 3; i++)
            at[i] = which >> i & 1 ? box->hi[i] : box->lo[i];
        if (!bvpi_cloud_add(&c->points, at))
            return false;
    }
    return true;
}

static bvp_status add_vertices(cloud *c, const bvpi_clash_item *item)
{
    const double *m = item->part.at.placement.m;
    c->slack = fmax(c->slack, item->slack);
    for (uint32_t i = 0; i < item->part.part.cluster_count; i++) {
        bvpi_cluster cluster;
        if (!bvpi_meter_step(item->meter))
            return BVP_ERR_CANCELLED;
        if (!bvpi_cluster_at(&item->part.part, i, &cluster))
            return BVP_ERR_CORRUPT;
        for (uint32_t v = 0; v < cluster.vertex_count; v++) {
            const double x = (double)bvpi_cluster_coordinate(&cluster, 0, v),
                         y = (double)bvpi_cluster_coordinate(&cluster, 1, v),
                         z = (double)bvpi_cluster_coordinate(&cluster, 2, v);
            double at[3]; /* off by 6 of the 16 roundings of terms that the slack holds */
            for (int k = 0; k < 3; k++)
                at[k] = m[4 * k] * x + m[4 * k + 1] * y + m[4 * k + 2] * z + m[4 * k + 3];
            if (!bvpi_cloud_add(&c->points, at))
                return BVP_ERR_NO_MEMORY;
        }
    }
    return BVP_OK;
}

/* Of an assembly of some instances, of which `triangles` may be listed in all. */
static bvp_status add_instances(bvpi_penetration *p, bool is_of_a, cloud *c)
{
    const bvpi_moving_side *s = is_of_a ? &p->pair.a : &p->pair.b;
    const uint32_t count = bvpi_clash_count(&s->placed);
    uint64_t triangles = 0;
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < count && status == BVP_OK; i++) {
        const bvpi_clash_item *item;
        if (!bvpi_placed_body_selects(&s->placed, i))
            continue;
        status = bvpi_meter_step(p->pair.meter) ? bvpi_moving_item(&p->pair, is_of_a, i, &item)
                                                : BVP_ERR_CANCELLED;
        if (status != BVP_OK)
            break;
        triangles += item->part.part.triangle_count;
        if (triangles <= TRIANGLES_MOST)
            status = add_vertices(c, item);
        else if (!add_box(c, &item->bounds))
            status = BVP_ERR_NO_MEMORY;
    }
    return status;
}

static bvp_status fill(bvpi_penetration *p, bool is_of_a, cloud *c)
{
    const bvpi_moving_side *s = is_of_a ? &p->pair.a : &p->pair.b;
    const bvpi_clash_item *item;
    *c = (cloud){.slack = 0};
    if (s->placed.is_assembly && bvpi_clash_count(&s->placed) <= INSTANCES_MOST)
        return add_instances(p, is_of_a, c);
    if (s->placed.is_assembly || s->placed.one.part.triangle_count > TRIANGLES_MOST)
        return add_box(c, &s->bounds) ? BVP_OK : BVP_ERR_NO_MEMORY;
    const bvp_status status = bvpi_moving_item(&p->pair, is_of_a, BVP_NONE, &item);
    return status == BVP_OK ? add_vertices(c, item) : status;
}

/* ---- the polytopes --------------------------------------------------------------------------- */

/* How much a hull is shrunk about its middle, in turn: faces that are flat but for the rounding of
 * floats are not convex. */
static const double shrinks[] = {0x1p-20, 0x1p-16, 0x1p-12, 0x1p-9};
enum { SHRINKS = 4 };

/* Is the hull of the points, shrunk, inside the solid? *radius: how far a point is from their
 * middle at most. */
static bvp_status is_hull_inside(bvpi_penetration *p, bool is_of_a, double (*points)[3],
                                 unsigned count, double shrink, double *radius, bool *out)
{
    double middle[3] = {0, 0, 0}, shrunk[BVPI_HULL_POINTS][3];
    *radius = 0;
    for (unsigned k = 0; k < count; k++)
        for (int i = 0; i < 3; i++)
            middle[i] += points[k][i] / count;
    for (unsigned k = 0; k < count; k++) {
        double from[3];
        bvpi_subtract(points[k], middle, from);
        *radius = fmax(*radius, sqrt(bvpi_dot(from, from)));
        for (int i = 0; i < 3; i++)
            shrunk[k][i] = middle[i] + (1 - shrink) * from[i];
    }
    const bvp_status status = bvpi_moving_holds(&p->pair, is_of_a, middle, out);
    return status == BVP_OK && *out
               ? bvpi_moving_clears(&p->pair, is_of_a, shrunk, count, 0, out, NULL)
               : status;
}

/* What the corners that decided the hulls' depth prove. */
static bvp_status prove(bvpi_penetration *p, bvpi_hull_depth *depth)
{
    double radius[2];
    bool is_in = false;
    bvp_status status = BVP_OK;
    for (int k = 0; k < SHRINKS && status == BVP_OK && !is_in; k++) {
        const double shrink = shrinks[k];
        status = is_hull_inside(p, true, depth->a_at, depth->count, shrink, &radius[0], &is_in);
        if (status == BVP_OK && is_in)
            status =
                is_hull_inside(p, false, depth->b_at, depth->count, shrink, &radius[1], &is_in);
        if (status == BVP_OK && is_in)
            p->out->depth = fmax(p->out->depth,
                                 depth->lower - shrink * (radius[0] + radius[1]) * (1 + 0x1p-20));
    }
    return status;
}

/* ---- the bounds ------------------------------------------------------------------------------ */

static bvp_status measure(bvpi_penetration *p, const cloud *a, const cloud *b)
{
    bvp_status status = BVP_OK;
    if (a->points.count == 0 || b->points.count == 0)
        return BVP_ERR_CORRUPT; /* of a file that changes */
    bvpi_hull_depth *depth = malloc(sizeof *depth);
    if (!depth || !bvpi_hull_depth_find(&a->points, &b->points, fmax(a->slack, b->slack), depth))
        status = BVP_ERR_NO_MEMORY;
    if (status == BVP_OK) {
        bvpi_penetration_keep_move(p, depth->direction, depth->upper + 2 * p->pair.margin);
        bvpi_penetration_keep_way(p, depth->direction, 1);
        if (depth->lower > p->out->depth)
            status = prove(p, depth);
    }
    free(depth);
    return status;
}

bvp_status bvpi_penetration_hulls(bvpi_penetration *p)
{
    cloud a, b = {.slack = 0};
    bvp_status status = fill(p, true, &a);
    if (status == BVP_OK)
        status = fill(p, false, &b);
    if (status == BVP_OK)
        status = measure(p, &a, &b);
    bvpi_cloud_free(&a.points);
    bvpi_cloud_free(&b.points);
    return status;
}
