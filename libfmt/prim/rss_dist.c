/* SPDX-License-Identifier: MIT
 * rss_dist.c: lower bounds of distances between rectangles and triangles, the cores of swept
 * volumes.
 *
 * Any direction proves a lower bound: the gap between the two faces' projections on it. The search
 * only has to find a good direction. Connections of two edges come first, because they narrow both
 * ends of the interval: the shortest one is also an upper bound. Then both normals are tried, for a
 * corner above a face. The search stops as soon as `enough` is proved or the two ends meet.
 *
 * So an answer is never too large, however rounding steers the search, and it is the exact
 * distance, except for rounding, once the right connection was tried. Rounding of the projections
 * themselves is covered by bvpi_rss_slack().
 *
 * bvpi_rss_place() maps a rectangle; under a map that is not rigid the image is a parallelogram,
 * which is enclosed in a rectangle.
 *
 * Held by tests/unit/test_rss_dist.c: distances are never overstated, and exact but for rounding.
 * Spec: exactness.md, chapter 10, "Oriented boxes and swept rectangles"
 * Based on: Larsen, Gottschalk, Lin, Manocha, Fast distance queries with rectangular swept sphere
 * volumes, 2000; Shellshear, Li, Carlson, ME-BVH.
 */
#include "prim/rss_dist.h"

#include <assert.h>

#include "base/vec3.h"

/* Bounds this close together count as equal. */
#define CLOSE (1 + 0x1p-40)

/* ---- placing --------------------------------------------------------------------------------- */

/* Scales v to length 1, or leaves it if it is 0. Returns its old length. */
static double normalise(double v[3])
{
    const double length = sqrt(bvpi_dot(v, v));
    for (int k = 0; k < 3 && length > 0; k++)
        v[k] /= length;
    return length;
}

/* The rectangle around a parallelogram with half sides u and v; u is the longer one. */
static void enclose(const double u[3], const double v[3], bvpi_rss *out)
{
    for (int k = 0; k < 3; k++)
        out->axis[0][k] = u[k];
    const double length = normalise(out->axis[0]), along = bvpi_dot(out->axis[0], v);
    for (int k = 0; k < 3; k++)
        out->axis[1][k] = v[k] - along * out->axis[0][k];
    out->half[0] = length + fabs(along);
    out->half[1] = normalise(out->axis[1]);
}

void bvpi_rss_place(const double map[12], double stretch, bool rigid, const double centre[3],
                    const double axis[9], const double size[3], bvpi_rss *out)
{
    double side[2][3];
    for (int i = 0; i < 3; i++) {
        const double *row = map + 4 * i;
        out->centre[i] = bvpi_dot(row, centre) + row[3];
        for (int j = 0; j < 2; j++)
            side[j][i] = out->axis[j][i] = bvpi_dot(row, axis + 3 * j);
    }
    out->radius = size[2] * stretch;
    for (int j = 0; j < 2; j++) {
        out->half[j] = size[j] * normalise(out->axis[j]);
        for (int k = 0; k < 3; k++)
            side[j][k] *= size[j];
    }
    if (!rigid && out->half[0] >= out->half[1])
        enclose(side[0], side[1], out);
    else if (!rigid)
        enclose(side[1], side[0], out);
}

/* ---- distance -------------------------------------------------------------------------------- */

typedef struct search {
    const bvpi_face *a, *b;
    double lower, nearest_sq; /* lower bound of the distance, upper bound of its square */
} search;

BVPI_INLINE double least_of(f64x4 v)
{
    const double low = v[0] < v[1] ? v[0] : v[1], high = v[2] < v[3] ? v[2] : v[3];
    return low < high ? low : high;
}

/* Improves the lower bound by the gap along v. */
static void try_direction(search *s, const double v[3], double length_sq)
{
    assert(length_sq > 0);
    const f64x4 splat[3] = {f64x4_splat(v[0]), f64x4_splat(v[1]), f64x4_splat(v[2])};
    const f64x4 a = dot_f64(splat, s->a->corner), b = dot_f64(splat, s->b->corner);
    const double gap = (least_of(b) + least_of(-a)) / sqrt(length_sq);
    if (gap > s->lower)
        s->lower = gap;
}

/* For a corner above a face, or an edge parallel to it. */
static void try_normal(search *s, const double normal[3])
{
    const double length_sq = bvpi_dot(normal, normal),
                 back[3] = {-normal[0], -normal[1], -normal[2]};
    if (!(length_sq > 0))
        return;
    try_direction(s, normal, length_sq);
    try_direction(s, back, length_sq);
}

BVPI_INLINE f64x4 clamp(f64x4 x)
{
    return f64x4_min(f64x4_max(x, f64x4_splat(0)), f64x4_splat(1));
}

/* x / y clamped to 0 .. 1; 0 where y is not positive */
BVPI_INLINE f64x4 ratio(f64x4 x, f64x4 y)
{
    const f64x4 zero = {0};
    const i64x4 good = f64x4_gt(y, zero);
    return f64x4_select(good, clamp(x / f64x4_select(good, y, f64x4_splat(1))), zero);
}

/* The shortest connections of edge i of a with each edge of b, side by side; the shortest of these
 * is tried as a direction. Two lines p + s e and q + t f with w = q - p come nearest where the
 * connection is orthogonal to both. s and t are clamped to the edges one after the other, each for
 * the other's clamped value, as in offer_edges (nearest_of.h). */
static void try_edge(search *s, int i)
{
    const bvpi_face *a = s->a, *b = s->b;
    assert(i >= 0 && i < a->edges && b->edges >= 3 && b->edges <= 4);
    f64x4 e[3], w[3], v[3];
    for (int k = 0; k < 3; k++) {
        e[k] = f64x4_splat(a->edge[k][i]);
        w[k] = b->corner[k] - f64x4_splat(a->corner[k][i]);
    }
    const f64x4 ee = f64x4_splat(a->edge_sq[i]), ff = b->edge_sq, ef = dot_f64(e, b->edge);
    const f64x4 ew = dot_f64(e, w), fw = dot_f64(b->edge, w);
    f64x4 at_e = ratio(ew * ff - fw * ef, ee * ff - ef * ef);
    const f64x4 at_f = ratio(at_e * ef - fw, ff);
    at_e = ratio(ew + at_f * ef, ee);
    for (int k = 0; k < 3; k++)
        v[k] = w[k] + at_f * b->edge[k] - at_e * e[k];

    const f64x4 length_sq = dot_f64(v, v);
    int best = 0;
    for (int k = 1; k < b->edges; k++)
        if (length_sq[k] < length_sq[best])
            best = k;
    if (!(length_sq[best] < s->nearest_sq))
        return;
    s->nearest_sq = length_sq[best];
    const double direction[3] = {v[0][best], v[1][best], v[2][best]};
    if (s->nearest_sq > 0)
        try_direction(s, direction, s->nearest_sq);
}

/* Edges first, because they narrow both ends of the interval. decide: the caller only asks whether
 * the distance is above `enough`. */
static double run(search *s, double enough, bool decide)
{
    for (int i = 0; i < s->a->edges; i++) {
        try_edge(s, i);
        if (s->lower >= enough || s->nearest_sq <= s->lower * s->lower * CLOSE ||
            (decide && s->nearest_sq < enough * enough))
            return s->lower;
    }
    try_normal(s, s->a->normal);
    if (s->lower < enough)
        try_normal(s, s->b->normal);
    return s->lower;
}

double bvpi_face_distance(const bvpi_face *a, const bvpi_face *b, double enough)
{
    search s = {a, b, 0, INFINITY};
    return run(&s, enough, false);
}

bool bvpi_face_apart(const bvpi_face *a, const bvpi_face *b, double enough)
{
    search s = {a, b, 0, INFINITY};
    return run(&s, enough, true) > enough;
}
