/* SPDX-License-Identifier: MIT
 * zone_mesh.c: triangles that show a convex zone in reports.
 *
 * An octahedron's faces are divided into a grid of directions, and each direction becomes the
 * zone's point that is farthest along it. Triangles that collapse are left out. Neighbours share
 * directions, and so points: the surface has no gaps.
 */
#include "zones/zone_mesh.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { EDGE = 8 }; /* steps along an edge of the octahedron: 8 * EDGE * EDGE triangles */

static void farthest_of_hull(const bvp_convex *zone, const double d[3], double out[3])
{
    double most = -INFINITY;
    for (uint32_t i = 0; i < zone->point_count; i++) {
        const double *p = zone->points + 3 * (size_t)i;
        const double along = d[0] * p[0] + d[1] * p[1] + d[2] * p[2];
        if (along > most) {
            most = along;
            memcpy(out, p, 3 * sizeof *out);
        }
    }
}

/* The zone's farthest point along a unit vector, moved on by `more`. */
static void farthest(const bvp_convex *zone, const double d[3], double more, float out[3])
{
    const double around = hypot(d[0], d[1]), half = d[2] < 0 ? -zone->length / 2 : zone->length / 2;
    double p[3] = {0};
    switch (zone->kind) {
    case BVP_CONVEX_BOX:
        for (int i = 0; i < 3; i++)
            p[i] = d[i] < 0 ? -zone->size[i] / 2 : zone->size[i] / 2;
        break;
    case BVP_CONVEX_SPHERE:
    case BVP_CONVEX_CAPSULE:
        for (int i = 0; i < 3; i++)
            p[i] = zone->radius * d[i];
        p[2] += zone->kind == BVP_CONVEX_CAPSULE ? half : 0;
        break;
    case BVP_CONVEX_CYLINDER:
        for (int i = 0; i < 2 && around > 0; i++)
            p[i] = zone->radius * d[i] / around;
        p[2] = half;
        break;
    case BVP_CONVEX_HULL:
        farthest_of_hull(zone, d, p);
        break;
    }
    for (int i = 0; i < 3; i++)
        out[i] = (float)(p[i] + more * d[i]);
}

static int is_same(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Of the octant with these signs, corner i, j of its face's grid. */
static void corner(const bvp_convex *zone, const double sign[3], int i, int j, double more,
                   float out[3])
{
    const double at[3] = {sign[0] * i, sign[1] * j, sign[2] * (EDGE - i - j)};
    const double length = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
    const double d[3] = {at[0] / length, at[1] / length, at[2] / length};
    farthest(zone, d, more, out);
}

static uint32_t make(const bvp_convex *zone, double more, float *soup)
{
    uint32_t count = 0;
    for (int octant = 0; octant < 8; octant++) {
        const double sign[3] = {octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1};
        const int is_mirrored = sign[0] * sign[1] * sign[2] < 0;
        for (int k = 0; k < 2 * EDGE * EDGE; k++) {
            const int i = k / 2 / EDGE, j = k / 2 % EDGE, is_second = k % 2;
            if (i + j + is_second >= EDGE)
                continue;
            float *t = soup + 9 * (size_t)count;
            corner(zone, sign, i + is_second, j, more, t);
            corner(zone, sign, i + 1, j + is_second, more, t + (is_mirrored ? 6 : 3));
            corner(zone, sign, i, j + 1, more, t + (is_mirrored ? 3 : 6));
            count += !is_same(t, t + 3) && !is_same(t, t + 6) && !is_same(t + 3, t + 6);
            assert(count <= ZONE_MESH_TRIANGLES);
        }
    }
    return count;
}

uint32_t zone_mesh_make(const bvp_convex *zone, double least, float *soup)
{
    const uint32_t count = make(zone, 0, soup);
    return count > 0 ? count : make(zone, least, soup);
}
