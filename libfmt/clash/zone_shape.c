/* SPDX-License-Identifier: MIT
 * zone_shape.c: a solid convex zone in the world.
 *
 * "Deeper than d in the zone" is asked of a smaller body: the points that are at least d deep in a
 * ball, a capsule, a box or a cylinder are one of the same kind. Those of a hull are bounded by
 * faces that nobody has computed, so a hull is scaled about the centre of a ball inside it: if the
 * ball has radius r, all points of the hull scaled by 1 - d / r are d deep, because for each of
 * them the hull contains the ball scaled by d / r around it.
 *
 * Held by tests/property/test_clash_zone_verdict.c.
 * Spec: exactness.md, chapter 12, "Zones"
 */
#include "clash/zone_shape.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "clash/apart.h"

#define LESS  (1 - 0x1p-18) /* placements of round bodies stretch by up to 2^-20 */
#define MORE  (1 + 0x1p-18)
#define NOISE 0x1p-48 /* of the largest sum of terms */

static void to_world(const bvpi_zone *zone, const double local[3], double out[3])
{
    const double *m = zone->shape.placement.m;
    for (int i = 0; i < 3; i++)
        out[i] =
            m[4 * i + 3] + m[4 * i] * local[0] + m[4 * i + 1] * local[1] + m[4 * i + 2] * local[2];
}

/* ---- a ball inside --------------------------------------------------------------------------- */

/* How much of the body's own axis j one unit of depth takes: faces are perpendicular to row j of
 * the inverse. */
static double depth_on_axis(const bvpi_zone *zone, int j)
{
    const double *row = zone->shape.placement.inverse + 3 * j;
    const double *err = zone->shape.placement.inverse_err + 3 * j;
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (fabs(row[i]) + err[i]) * (fabs(row[i]) + err[i]);
    return sqrt(sum) * (1 + 0x1p-40);
}

/* The point of the hull that is farthest off the first `count` corners' point, line or plane. */
static double farthest(const bvpi_zone *zone, const double corner[4][3], int count, double out[3])
{
    double most = -1, u[3] = {0}, v[3] = {0}, normal[3] = {0};
    if (count >= 2)
        bvpi_subtract(corner[1], corner[0], u);
    if (count >= 3) {
        bvpi_subtract(corner[2], corner[0], v);
        bvpi_cross(u, v, normal);
    }
    for (uint32_t i = 0; i < zone->given.point_count; i++) {
        double at[3], d[3], c[3], far = 0;
        to_world(zone, zone->given.points + 3 * (size_t)i, at);
        if (count == 0)
            far = at[0];
        else {
            bvpi_subtract(at, corner[0], d);
            bvpi_cross(u, d, c);
            far = count == 1   ? bvpi_dot(d, d)
                  : count == 2 ? bvpi_dot(c, c)
                               : fabs(bvpi_dot(normal, d));
        }
        if (i == 0 || far > most) {
            most = far;
            memcpy(out, at, sizeof at);
        }
    }
    return most;
}

/* The ball in a large tetrahedron of the hull's points: centre, the corners' mean weighted by the
 * areas of the faces opposite; radius, three times the volume over their sum. */
static void ball_of_hull(bvpi_zone *zone)
{
    double corner[4][3], u[3], v[3], w[3], c[3], area[4], sum = 0;
    for (int k = 0; k < 4; k++)
        farthest(zone, (const double(*)[3])corner, k, corner[k]);
    for (int k = 0; k < 4; k++) {
        const double *p = corner[(k + 1) % 4];
        bvpi_subtract(corner[(k + 2) % 4], p, u);
        bvpi_subtract(corner[(k + 3) % 4], p, v);
        bvpi_cross(u, v, c);
        area[k] = sqrt(bvpi_dot(c, c));
        sum += area[k];
    }
    memcpy(zone->inner, corner[0], sizeof zone->inner);
    bvpi_subtract(corner[1], corner[0], u);
    bvpi_subtract(corner[2], corner[0], v);
    bvpi_subtract(corner[3], corner[0], w);
    bvpi_cross(u, v, c);
    const double volume = fabs(bvpi_dot(c, w));
    if (!(sum > 0) || !isfinite(sum) || !isfinite(volume))
        return;
    for (int i = 0; i < 3; i++) {
        zone->inner[i] = 0;
        for (int k = 0; k < 4; k++)
            zone->inner[i] += area[k] / sum * corner[k][i];
    }
    /* In a flat one rounding could have made the volume. */
    const double radius = volume / sum * LESS - 1024 * zone->slack;
    zone->radius = radius > 0 ? radius : 0;
}

static void set_ball(bvpi_zone *zone)
{
    const double *half = zone->shape.half;
    double least = INFINITY;
    memcpy(zone->inner, zone->shape.centre, sizeof zone->inner);
    switch (zone->given.kind) {
    case BVP_CONVEX_BOX:
        for (int j = 0; j < 3; j++)
            least = fmin(least, half[j] / depth_on_axis(zone, j));
        break;
    case BVP_CONVEX_CYLINDER:
        least = fmin(half[0], half[2]);
        break;
    case BVP_CONVEX_SPHERE:
    case BVP_CONVEX_CAPSULE:
        least = zone->shape.radius;
        break;
    case BVP_CONVEX_HULL:
        ball_of_hull(zone);
        return;
    }
    zone->radius = least * LESS;
}

bvp_status bvpi_zone_init(bvpi_zone *zone, const bvp_convex *given)
{
    memset(zone, 0, sizeof *zone);
    const bvp_status status = bvpi_convex_init(&zone->shape, given);
    if (status != BVP_OK)
        return status;
    zone->given = *given;
    for (int i = 0; i < 3; i++) {
        const double axis[3] = {i == 0, i == 1, i == 2}, exact[3] = {0};
        const double terms = fabs(zone->shape.centre[i]) + zone->shape.size[i];
        double span[2];
        bvpi_convex_extent(&zone->shape, axis, exact, span);
        zone->bounds.lo[i] = zone->shape.centre[i] + span[0] - terms * 0x1p-50;
        zone->bounds.hi[i] = zone->shape.centre[i] + span[1] + terms * 0x1p-50;
        zone->slack = fmax(zone->slack, terms * NOISE);
    }
    set_ball(zone);
    return BVP_OK;
}

/* ---- what is deep inside --------------------------------------------------------------------- */

bool bvpi_zone_shrink(const bvpi_zone *zone, double by, bvpi_convex *out)
{
    bvp_convex smaller = zone->given;
    double m[12];
    assert(by > 0);
    switch (zone->given.kind) {
    case BVP_CONVEX_BOX:
        for (int j = 0; j < 3; j++)
            smaller.size[j] -= 2 * by * depth_on_axis(zone, j);
        break;
    case BVP_CONVEX_CYLINDER:
        smaller.radius -= by * MORE;
        smaller.length -= 2 * by * MORE;
        break;
    case BVP_CONVEX_SPHERE:
    case BVP_CONVEX_CAPSULE:
        smaller.radius -= by;
        break;
    case BVP_CONVEX_HULL: {
        const double part = by / zone->radius * (1 + 0x1p-40);
        if (!(part < 1)) /* also without a ball */
            return false;
        for (int i = 0; i < 12; i++)
            m[i] = (1 - part) * zone->shape.placement.m[i] +
                   (i % 4 == 3 ? part * zone->inner[i / 4] : 0);
        smaller.placement = m;
        break;
    }
    }
    /* what has become negative is refused, and so is a hull that is too small to be placed */
    return bvpi_convex_init(out, &smaller) == BVP_OK;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The core's half extents and the radius around it, a little less. */
static void reach_on_axes(const bvpi_zone *zone, double out[3])
{
    for (int j = 0; j < 3; j++)
        out[j] = (zone->shape.half[j] + zone->shape.radius) * LESS;
}

static bool line_of_hull(const bvpi_zone *zone, uint32_t which, double from[3], double to[3])
{
    const uint32_t count = zone->given.point_count;
    const uint32_t most = count < BVPI_ZONE_LINES ? count : BVPI_ZONE_LINES;
    if (which >= most)
        return false;
    const size_t at = (size_t)((uint64_t)which * count / most);
    memcpy(from, zone->inner, 3 * sizeof *from);
    to_world(zone, zone->given.points + 3 * at, to);
    return true;
}

bool bvpi_zone_line(const bvpi_zone *zone, uint32_t which, double from[3], double to[3])
{
    double reach[3], a[3] = {0}, b[3] = {0};
    const bool is_box = zone->given.kind == BVP_CONVEX_BOX;
    if (zone->given.kind == BVP_CONVEX_HULL)
        return line_of_hull(zone, which, from, to);
    if (which >= (is_box ? 7u : 3u))
        return false;
    reach_on_axes(zone, reach);
    for (uint32_t j = 0; j < 3; j++) {
        /* axes, then a box's diagonals */
        const double at = which < 3 ? (which == j) : which - 3 == j ? -1 : 1;
        a[j] = -at * reach[j];
        b[j] = at * reach[j];
    }
    to_world(zone, a, from);
    to_world(zone, b, to);
    return true;
}

/* ---- how to leave it ------------------------------------------------------------------------- */

/* Lowers *least to the shortest move along `d` that takes the two apart. */
static void try_way(const bvpi_zone *zone, const bvpi_placement *at, const float lo[3],
                    const float hi[3], const double d[3], double *least)
{
    static const double exact[3] = {0};
    const double length = sqrt(bvpi_dot(d, d)) * (1 - 0x1p-40);
    double span[2], from = 0, to = 0, terms = 0;
    if (!(length > 0) || !isfinite(length))
        return;
    bvpi_convex_extent(&zone->shape, d, exact, span);
    for (int i = 0; i < 3; i++) { /* of the part, relative to the zone's centre */
        const double *row = at->m + 4 * i;
        const double moved = d[i] * (row[3] - zone->shape.centre[i]);
        from += moved;
        terms += fabs(d[i]) * (fabs(row[3]) + fabs(zone->shape.centre[i]));
    }
    to = from;
    for (int k = 0; k < 3; k++) {
        double along = 0, all = 0;
        for (int i = 0; i < 3; i++) {
            along += d[i] * at->m[4 * i + k];
            all += fabs(d[i] * at->m[4 * i + k]);
        }
        const double p = along * (double)lo[k], q = along * (double)hi[k];
        from += fmin(p, q);
        to += fmax(p, q);
        terms += all * fmax(fabs((double)lo[k]), fabs((double)hi[k]));
    }
    const double move = fmin(span[1] - from, to - span[0]) + terms * 0x1p-46;
    *least = fmin(*least, fmax(move, 0) / length * (1 + 0x1p-40));
}

double bvpi_zone_apart(const bvpi_zone *zone, const bvpi_placement *at, const float lo[3],
                       const float hi[3], const bvpi_bounds *bounds)
{
    double least = bvpi_apart_by_boxes(bounds, &zone->bounds), between[3];
    for (int j = 0; j < 3; j++) {
        try_way(zone, at, lo, hi, zone->shape.placement.inverse + 3 * j, &least);
        try_way(zone, at, lo, hi, at->inverse + 3 * j, &least);
        between[j] = 0.5 * bounds->lo[j] + 0.5 * bounds->hi[j] - zone->shape.centre[j];
    }
    try_way(zone, at, lo, hi, between, &least);
    return least;
}
