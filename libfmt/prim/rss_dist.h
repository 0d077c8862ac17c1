/* SPDX-License-Identifier: MIT
 * rss_dist.h: lower bounds of distances between swept rectangles, or one and a triangle, in double.
 * Spec: exactness.md, chapter 10, "Oriented boxes and swept rectangles"
 * Based on: Larsen, Gottschalk, Lin, Manocha, Fast distance queries with rectangular swept sphere
 * volumes, 2000; Shellshear, Li, Carlson, ME-BVH (rectangle and triangle).
 */
#ifndef BVPI_PRIM_RSS_DIST_H
#define BVPI_PRIM_RSS_DIST_H

#include <math.h>
#include <stdbool.h>

#include "base/simd.h"
#include "prim/vec.h"

/* All points within `radius` of the rectangle centre + t_0 axis[0] + t_1 axis[1], |t_j| <= half[j].
 * The axes are orthogonal unit vectors, or 0 where half is 0. */
typedef struct bvpi_rss {
    double centre[3], axis[2][3], half[2], radius;
} bvpi_rss;

/* A rectangle or a triangle, possibly degenerate to a segment or a point. Lane k holds corner k and
 * the edge from there to the next corner; lane 3 of a triangle repeats lane 0. */
typedef struct bvpi_face {
    f64x4 corner[3], edge[3], edge_sq;
    double normal[3]; /* of any length; 0 if degenerate */
    int edges;        /* 4 or 3 */
} bvpi_face;

/* The image of a swept rectangle under an affine map, row-major 3x4. If the map is rigid (stretches
 * all directions alike) the image is exact, else it is enclosed. stretch: upper bound of how
 * lengths grow. size: half the sides, and the radius; axis: rows. */
void bvpi_rss_place(const double map[12], double stretch, bool rigid, const double centre[3],
                    const double axis[9], const double size[3], bvpi_rss *out);

/* What must be subtracted from all distances for rounding, in the unit of reach. reach, error: as
 * in bvpi_obb_slack. A corner's coordinates err by error + 26 u reach; a gap along a unit vector by
 * sqrt(3) times that for both faces together, and by its own 16 u reach: 7/4 error + 61 u reach. */
static inline double bvpi_rss_slack(double reach, double error)
{
    return 2 * error + 0x1p-46 * reach;
}

BVPI_INLINE_LONG void bvpi_face_finish(bvpi_face *face)
{
    const i64x4 next = face->edges == 4 ? (i64x4){1, 2, 3, 0} : (i64x4){1, 2, 0, 1};
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const f64x4 c = face->corner[x];
        face->edge[x] = (f64x4){c[next[0]], c[next[1]], c[next[2]], c[next[3]]} - c;
    }
    face->edge_sq = dot_f64(face->edge, face->edge);
}

BVPI_INLINE_LONG void bvpi_face_of_rss(const bvpi_rss *rss, bvpi_face *out)
{
    const f64x4 s = {1, -1, -1, 1}, t = {1, 1, -1, -1};
    const double *u = rss->axis[0], *v = rss->axis[1];
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const double along = u[x] * rss->half[0], across = v[x] * rss->half[1];
        out->corner[x] = s * along + t * across + rss->centre[x];
        out->normal[x] = u[(x + 1) % 3] * v[(x + 2) % 3] - u[(x + 2) % 3] * v[(x + 1) % 3];
    }
    out->edges = 4;
    bvpi_face_finish(out);
}

/* corners: three points in sequence */
BVPI_INLINE_LONG void bvpi_face_of_triangle(const double corners[9], bvpi_face *out)
{
    const double *p = corners, *q = corners + 3, *r = corners + 6;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const int y = (x + 1) % 3, z = (x + 2) % 3;
        out->corner[x] = (f64x4){p[x], q[x], r[x], p[x]};
        out->normal[x] = (q[y] - p[y]) * (r[z] - p[z]) - (q[z] - p[z]) * (r[y] - p[y]);
    }
    out->edges = 3;
    bvpi_face_finish(out);
}

/* A lower bound of the distance of two faces: the largest gap found between their projections on a
 * line. For the line through the nearest points it is the distance itself, except for rounding. 0:
 * they may meet. Stops at `enough`. */
double bvpi_face_distance(const bvpi_face *a, const bvpi_face *b, double enough);

/* True if the distance is certainly above `enough`. Often faster than bvpi_face_distance if it is
 * not. */
bool bvpi_face_apart(const bvpi_face *a, const bvpi_face *b, double enough);

/* A lower bound: the gap of the rectangles along the line through their centres. Most pairs that
 * are apart need no more. */
BVPI_INLINE_LONG double bvpi_rss_gap(const bvpi_rss *a, const bvpi_rss *b)
{
    const double v[3] = {b->centre[0] - a->centre[0], b->centre[1] - a->centre[1],
                         b->centre[2] - a->centre[2]};
    const double length_sq = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double reach = 0;
    BVPI_UNROLL
    for (int j = 0; j < 2; j++) {
        const double *p = a->axis[j], *q = b->axis[j];
        reach += a->half[j] * fabs(p[0] * v[0] + p[1] * v[1] + p[2] * v[2]) +
                 b->half[j] * fabs(q[0] * v[0] + q[1] * v[1] + q[2] * v[2]);
    }
    return length_sq > 0 ? (length_sq - reach) / sqrt(length_sq) : 0;
}

/* bvpi_face_distance and bvpi_face_apart for swept rectangles. slack: from bvpi_rss_slack, plus
 * what the volumes themselves lack. */
static inline double bvpi_rss_distance(const bvpi_rss *a, const bvpi_rss *b, double slack,
                                       double enough)
{
    const double swept = a->radius + b->radius + slack, sought = (enough + swept) * (1 + 0x1p-50);
    bvpi_face face_a, face_b;
    double distance = bvpi_rss_gap(a, b);
    if (!(distance >= sought)) {
        bvpi_face_of_rss(a, &face_a);
        bvpi_face_of_rss(b, &face_b);
        distance = bvpi_face_distance(&face_a, &face_b, sought);
    }
    return distance > swept ? distance - swept : 0;
}

static inline bool bvpi_rss_apart(const bvpi_rss *a, const bvpi_rss *b, double slack, double enough)
{
    const double sought = (a->radius + b->radius + slack + enough) * (1 + 0x1p-50);
    bvpi_face face_a, face_b;
    if (bvpi_rss_gap(a, b) > sought)
        return true;
    bvpi_face_of_rss(a, &face_a);
    bvpi_face_of_rss(b, &face_b);
    return bvpi_face_apart(&face_a, &face_b, sought);
}

#endif
