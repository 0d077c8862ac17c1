/* SPDX-License-Identifier: MIT
 * inner_box.c: balls and boxes inside a body.
 *
 * A ball through a surface point, its centre on the normal, shrinks: while a surface point is
 * inside it, it becomes the ball through both, which is smaller. It ends as the largest ball that
 * touches the surface there. A box about its centre, along the face and an edge, reaches as far as
 * six rays do. Each triangle in it cuts it, on that side where the most is left.
 *
 * The point, the normal and the order of triangles decide only what is found. That it is inside is
 * certain: the centre is, exactly, and no triangle is in it.
 *
 * Slow twin: sampled points, tests/property/test_penetration.c.
 * Spec: exactness.md, chapter 12, "Penetration"
 * Based on: Ma, Bae, Choi, 3D medial axis point approximation using nearest neighbors and the
 * normal field, 2012.
 */
#include "clash/inner_box.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

/* Distances may exceed the least one by a factor of 1 + 1e-9: exactness.md, chapter 8. */
#define LESS (1 - 0x1p-29)

enum { SHRINKINGS = 12 };
#define NEARLY 0.95 /* of the radius: the next ball is as large */

#define STRIDE 4      /* by how much a box grows at a time */
#define GAP    0x1p-9 /* of the ball's radius: a box keeps as far from the surface */
#define LEAST  0.3    /* the same: no side of it is nearer to the centre */

/* ---- the ball -------------------------------------------------------------------------------- */

/* The radius of the ball through the seed and another point of the surface. INFINITY: it is not in
 * the half space of the ball. */
static double radius_through(const bvpi_inner_seed *seed, const double point[3])
{
    double to[3];
    bvpi_subtract(point, seed->point, to);
    const double along = bvpi_dot(to, seed->inward);
    return along > 0 ? bvpi_dot(to, to) / (2 * along) : INFINITY;
}

bvp_status bvpi_inner_ball(bvpi_moving_pair *pair, const bvpi_inner_seed *seed, bvpi_inner_box *out)
{
    double radius = seed->most, empty = 0;
    bool is_in = false;
    *out = (bvpi_inner_box){.radius = 0};
    for (int k = 0; k < SHRINKINGS && radius > 0; k++) {
        bvp_closest_result nearest;
        for (int i = 0; i < 3; i++)
            out->centre[i] = seed->point[i] + radius * seed->inward[i];
        const bvp_status status =
            bvpi_moving_nearest(pair, seed->is_of_a, out->centre, radius, &nearest);
        if (status != BVP_OK)
            return status;
        empty = nearest.found ? nearest.distance : radius;
        if (!nearest.found || nearest.distance >= radius * (1 - 0x1p-20))
            break;
        const double next = radius_through(seed, nearest.point);
        if (next > NEARLY * radius && isfinite(next))
            break;
        radius = isfinite(next) ? next : 0.5 * radius;
    }
    if (!(empty > 0 && isfinite(empty)))
        return BVP_OK;
    const bvp_status status = bvpi_moving_holds(pair, seed->is_of_a, out->centre, &is_in);
    if (status == BVP_OK && is_in)
        out->radius = empty * LESS;
    return status;
}

/* ---- the box --------------------------------------------------------------------------------- */

/* A box about a ball's centre, its sides at different distances. */
typedef struct growing_box {
    bvpi_moving_pair *pair;
    bool is_of_a;
    const double *centre;
    double axis[3][3];
    double from[3], to[3];           /* from < 0 < to */
    double most_from[3], most_to[3]; /* where rays meet the surface */
    bool is_cut[3][2];               /* by a triangle: that side stays where it is */
    bool is_empty;
    double radius, least; /* the ball's; how near a side may come to the centre */
    double gap;           /* to a triangle that cuts it, more than rounding */
    double noise;         /* more than what a coordinate of a corner errs by */
    uint32_t instance;    /* that the noise holds for */
    bool has_instance;
    bvp_status status;
} growing_box;

/* The part of a convex polygon on which sign * coordinate `axis` is at most `most`. */
static int clip(const double (*from)[3], int count, int axis, double sign, double most,
                double (*to)[3])
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        const double *p = from[k], *q = from[(k + 1) % count];
        const double over_p = sign * p[axis] - most, over_q = sign * q[axis] - most;
        if (over_p <= 0)
            memcpy(to[kept++], p, sizeof to[0]);
        if ((over_p <= 0) == (over_q <= 0))
            continue;
        const double t = over_p / (over_p - over_q);
        for (int i = 0; i < 3; i++)
            to[kept][i] = p[i] + t * (q[i] - p[i]);
        kept++;
    }
    return kept;
}

/* What of a triangle is in the box, a little grown, in its coordinates. Returns how many corners
 * that has: each of six sides may add one. */
static int clip_to_box(const growing_box *g, const double corners[9], double (*out)[3])
{
    double other[9][3];
    int count = 3;
    for (int c = 0; c < 3; c++) {
        double from[3];
        bvpi_subtract(corners + 3 * c, g->centre, from);
        for (int k = 0; k < 3; k++)
            out[c][k] = bvpi_dot(from, g->axis[k]);
    }
    for (int k = 0; k < 3; k++)
        if (fmin(out[0][k], fmin(out[1][k], out[2][k])) > g->to[k] + g->noise ||
            fmax(out[0][k], fmax(out[1][k], out[2][k])) < g->from[k] - g->noise)
            return 0;
    for (int k = 0; k < 3 && count > 0; k++) {
        count = clip((const double(*)[3])out, count, k, 1, g->to[k] + g->noise, other);
        if (count > 0)
            count = clip((const double(*)[3])other, count, k, -1, g->noise - g->from[k], out);
    }
    return count;
}

/* Puts the box on one side of the triangle, where that leaves most of it. */
static void cut(growing_box *g, const double corners[9])
{
    double polygon[9][3], best = 0, where = 0;
    int axis = -1, side = 0;
    const int count = clip_to_box(g, corners, polygon);
    if (count == 0)
        return;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int c = 0; c < count; c++) {
            lo = fmin(lo, polygon[c][k]);
            hi = fmax(hi, polygon[c][k]);
        }
        const double size = g->to[k] - g->from[k], gap = g->gap + g->noise;
        const double left[2] = {(g->to[k] - hi - gap) / size, (lo - gap - g->from[k]) / size};
        const bool may[2] = {-hi - gap >= g->least, lo - gap >= g->least};
        for (int s = 0; s < 2; s++)
            if (may[s] && left[s] > best) {
                best = left[s];
                axis = k;
                side = s;
                where = s ? lo - gap : hi + gap;
            }
    }
    g->is_empty = axis < 0;
    if (g->is_empty)
        return;
    *(side ? &g->to[axis] : &g->from[axis]) = where;
    g->is_cut[axis][side] = true;
}

/* A corner is a sum of terms that may be larger than the box's coordinates. */
static bvp_status set_noise(growing_box *g, uint32_t instance)
{
    const bvpi_clash_item *item;
    const bvp_status status = bvpi_moving_item(g->pair, g->is_of_a, instance, &item);
    if (status == BVP_OK)
        g->noise = fmax(g->noise, 4 * item->slack);
    g->instance = instance;
    g->has_instance = true;
    return status;
}

static int on_triangle(void *user, const bvp_hit_id *hit, const double corners[9])
{
    growing_box *g = user;
    if (!g->has_instance || g->instance != hit->instance)
        g->status = set_noise(g, hit->instance);
    if (g->status == BVP_OK)
        cut(g, corners);
    return g->status != BVP_OK || g->is_empty;
}

static bvp_status cast_rays(growing_box *g)
{
    for (int k = 0; k < 3; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double way[3], free;
            for (int i = 0; i < 3; i++)
                way[i] = sign * g->axis[k][i];
            const bvp_status status = bvpi_moving_ray(g->pair, g->is_of_a, g->centre, way, &free);
            if (status != BVP_OK)
                return status;
            free = isfinite(free) ? fmax(free - g->gap, g->least) : g->least;
            *(sign < 0 ? &g->most_from[k] : &g->most_to[k]) = sign * free;
            g->noise = fmax(g->noise, free * 0x1p-40);
        }
    return BVP_OK;
}

static void box_of(const growing_box *g, double centre[3], double half[3])
{
    memcpy(centre, g->centre, 3 * sizeof *centre);
    for (int k = 0; k < 3; k++) {
        half[k] = 0.5 * (g->to[k] - g->from[k]);
        for (int i = 0; i < 3; i++)
            centre[i] += 0.5 * (g->to[k] + g->from[k]) * g->axis[k][i];
    }
}

/* Moves the sides that no triangle has cut. False: none moves. */
static bool grow_to(growing_box *g, double reach)
{
    bool grows = false;
    for (int k = 0; k < 3; k++)
        for (int s = 0; s < 2; s++) {
            double *side = s ? &g->to[k] : &g->from[k];
            const double most = s ? g->most_to[k] : g->most_from[k];
            if (g->is_cut[k][s] || fabs(*side) >= fabs(most))
                continue;
            *side = copysign(fmin(fabs(most), reach), most);
            grows = true;
        }
    return grows;
}

/* Small boxes first: a cut by what is near leaves little for what is far. */
static bvp_status grow(growing_box *g)
{
    bvp_status status = BVP_OK;
    for (double reach = STRIDE * g->radius; !g->is_empty && grow_to(g, reach); reach *= STRIDE) {
        double centre[3], half[3];
        box_of(g, centre, half);
        for (int k = 0; k < 3; k++)
            half[k] += 2 * g->noise;
        status = bvpi_moving_in_box(g->pair, g->is_of_a, centre, g->axis, half, on_triangle, g);
        if (status == BVP_OK)
            status = g->status;
        if (status != BVP_OK)
            break;
    }
    return status;
}

static bool set_axes(growing_box *g, const bvpi_inner_seed *seed)
{
    const double across = bvpi_dot(seed->along, seed->inward);
    for (int i = 0; i < 3; i++) {
        g->axis[0][i] = seed->inward[i];
        g->axis[1][i] = seed->along[i] - across * seed->inward[i];
        g->noise = fmax(g->noise, fabs(g->centre[i]) * 0x1p-40);
    }
    const double length = sqrt(bvpi_dot(g->axis[1], g->axis[1]));
    if (!(length > 0))
        return false;
    for (int i = 0; i < 3; i++)
        g->axis[1][i] /= length;
    bvpi_cross(g->axis[0], g->axis[1], g->axis[2]);
    return true;
}

bvp_status bvpi_inner_box_about(bvpi_moving_pair *pair, const bvpi_inner_seed *seed,
                                const bvpi_inner_box *ball, bvpi_inner_box *out)
{
    growing_box g = {.pair = pair,
                     .is_of_a = seed->is_of_a,
                     .centre = ball->centre,
                     .radius = ball->radius,
                     .gap = GAP * ball->radius,
                     .least = LEAST * ball->radius};
    *out = (bvpi_inner_box){.radius = 0};
    if (!set_axes(&g, seed))
        return BVP_OK;
    bvp_status status = cast_rays(&g);
    if (status == BVP_OK)
        status = grow(&g);
    if (status != BVP_OK || g.is_empty)
        return status;
    box_of(&g, out->centre, out->half);
    memcpy(out->axis, g.axis, sizeof out->axis);
    for (int k = 0; k < 3; k++) {
        out->half[k] -= 2 * g.noise;
        if (!(out->half[k] > 0))
            *out = (bvpi_inner_box){.radius = 0};
    }
    return BVP_OK;
}
