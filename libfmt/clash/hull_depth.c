/* SPDX-License-Identifier: MIT
 * hull_depth.c: the penetration depth of two convex hulls, by a polytope that grows.
 *
 * a moved by t meets b if t is a difference of a point of b and one of a. For hulls, these
 * differences are a convex body, and the shortest move that takes them apart goes to the point of
 * its surface that is nearest to the origin. A polytope inside that body grows: the face nearest to
 * the origin gets the body's farthest point in its direction, until that is no farther. Then the
 * face is one of the body's.
 *
 * Two bounds come out of it. Whatever the face, a plane across its normal is between the hulls
 * after a move by the support in that direction: an upper bound. The polytope is the hull of
 * differences of the points that were met, so the hulls of these alone need a move as long as the
 * least distance of its faces. That is read off the final faces after a check that no corner is
 * beyond any of them, so a polytope spoiled by rounding gives a smaller bound, not a wrong one.
 *
 * Invariant: faces are a closed surface: each edge is in two of them. Faces without area stay for
 * that, and are never looked at.
 *
 * Slow twin: all planes and pairs of edges of two boxes, tests/property/test_penetration.c.
 * Spec: exactness.md, chapter 12, "Penetration"
 * Based on: van den Bergen, Proximity queries and penetration depth computation on 3D game objects,
 * 2001.
 */
#include "clash/hull_depth.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_array.h"
#include "base/simd_f64.h"
#include "base/vec3.h"

enum { FACES = 4 * BVPI_HULL_POINTS };

typedef struct face {
    int corner[3];
    double normal[3], height; /* of the plane; INFINITY: no area */
} face;

/* 100 KiB. */
typedef struct growth {
    const bvpi_cloud *a, *b;
    bvpi_hull_depth *out;
    double at[BVPI_HULL_POINTS][3]; /* differences */
    double size;                    /* the largest |coordinate| of one */
    face faces[FACES];
    unsigned face_count;
    int edges[3 * FACES][2]; /* of faces that go */
} growth;

/* ---- support --------------------------------------------------------------------------------- */

bool bvpi_cloud_add(bvpi_cloud *cloud, const double at[3])
{
    const size_t group = cloud->count / BVPI_CLOUD_GROUP;
    uint64_t capacity = cloud->capacity, box_capacity = cloud->box_capacity;
    if (!bvpi_grow(&cloud->at, &capacity, cloud->count + 1, sizeof *cloud->at))
        return false;
    cloud->capacity = (size_t)capacity;
    if (!bvpi_grow(&cloud->boxes, &box_capacity, group + 1, sizeof *cloud->boxes))
        return false;
    cloud->box_capacity = (size_t)box_capacity;
    double *box = cloud->boxes[group];
    const bool is_first = cloud->count % BVPI_CLOUD_GROUP == 0;
    for (int i = 0; i < 3; i++) {
        cloud->at[cloud->count][i] = at[i];
        cloud->size = bvpi_larger(cloud->size, fabs(at[i]));
        box[i] = is_first ? at[i] : bvpi_smaller(box[i], at[i]);
        box[3 + i] = is_first ? at[i] : bvpi_larger(box[3 + i], at[i]);
    }
    cloud->count++;
    return true;
}

void bvpi_cloud_free(bvpi_cloud *cloud)
{
    free(cloud->at);
    free(cloud->boxes);
}

/* How far a box reaches along a vector, and more than that by rounding at most. */
static double reach_of(const double box[6], const double way[3])
{
    double reach = 0;
    for (int i = 0; i < 3; i++)
        reach += bvpi_larger(box[i] * way[i], box[3 + i] * way[i]);
    return reach;
}

static double farthest(const bvpi_cloud *cloud, const double way[3], double sign, double out[3])
{
    const double towards[3] = {sign * way[0], sign * way[1], sign * way[2]};
    const double rounding = cloud->size * 0x1p-48;
    double most = -INFINITY;
    size_t which = 0;
    for (size_t from = 0; from < cloud->count; from += BVPI_CLOUD_GROUP) {
        const size_t left = cloud->count - from;
        const size_t to = from + (left < BVPI_CLOUD_GROUP ? left : BVPI_CLOUD_GROUP);
        if (reach_of(cloud->boxes[from / BVPI_CLOUD_GROUP], towards) + rounding < most)
            continue;
        for (size_t i = from; i < to; i++) {
            const double along = bvpi_dot(cloud->at[i], towards);
            if (along > most) {
                most = along;
                which = i;
            }
        }
    }
    memcpy(out, cloud->at[which], 3 * sizeof *out);
    return most;
}

/* Three products and two sums in each of two dot products, of a vector that is one long except for
 * its own rounding. */
double bvpi_hull_depth_along(const bvpi_cloud *a, const bvpi_cloud *b, double slack,
                             const double way[3])
{
    double point[3];
    const double along = farthest(a, way, -1, point) + farthest(b, way, 1, point);
    const double error = (a->size + b->size) * 0x1p-46 + 4 * slack;
    return fmax(along + error, 0);
}

/* Adds the difference that is farthest along `way`. False: there is no room, or it is known. */
static bool add_point(growth *g, const double way[3])
{
    const unsigned at = g->out->count;
    if (at == BVPI_HULL_POINTS)
        return false;
    farthest(g->a, way, -1, g->out->a_at[at]);
    farthest(g->b, way, 1, g->out->b_at[at]);
    bvpi_subtract(g->out->b_at[at], g->out->a_at[at], g->at[at]);
    for (unsigned i = 0; i < at; i++)
        if (memcmp(g->at[i], g->at[at], sizeof g->at[at]) == 0)
            return false;
    for (int k = 0; k < 3; k++)
        g->size = fmax(g->size, fabs(g->at[at][k]));
    g->out->count++;
    return true;
}

/* ---- faces ----------------------------------------------------------------------------------- */

static void set_face(growth *g, unsigned which, int p, int q, int r)
{
    face *f = &g->faces[which];
    double u[3], v[3];
    *f = (face){.corner = {p, q, r}, .height = INFINITY};
    bvpi_subtract(g->at[q], g->at[p], u);
    bvpi_subtract(g->at[r], g->at[p], v);
    bvpi_cross(u, v, f->normal);
    const double length = sqrt(bvpi_dot(f->normal, f->normal));
    if (!(length > g->size * g->size * 0x1p-44))
        return;
    for (int k = 0; k < 3; k++)
        f->normal[k] /= length;
    f->height = bvpi_dot(f->normal, g->at[p]);
}

static bool is_beyond(const growth *g, const face *f, int point)
{
    return isfinite(f->height) && bvpi_dot(f->normal, g->at[point]) > f->height + g->size * 0x1p-44;
}

/* Faces that the point is beyond go; one from each edge of the hole to the point comes. False: no
 * room. */
static bool take_in(growth *g, int point)
{
    unsigned edge_count = 0, kept = 0;
    for (unsigned i = 0; i < g->face_count; i++) {
        const face f = g->faces[i];
        if (!is_beyond(g, &f, point)) {
            g->faces[kept++] = f;
            continue;
        }
        for (int k = 0; k < 3; k++) { /* an edge of two faces that go is not of the hole */
            const int from = f.corner[k], to = f.corner[(k + 1) % 3];
            unsigned e = 0;
            while (e < edge_count && (g->edges[e][0] != to || g->edges[e][1] != from))
                e++;
            if (e < edge_count) {
                edge_count--;
                memcpy(g->edges[e], g->edges[edge_count], sizeof g->edges[e]);
            } else {
                g->edges[edge_count][0] = from;
                g->edges[edge_count++][1] = to;
            }
        }
    }
    g->face_count = kept;
    if (kept + edge_count > FACES)
        return false;
    for (unsigned e = 0; e < edge_count; e++)
        set_face(g, g->face_count++, g->edges[e][0], g->edges[e][1], point);
    return true;
}

/* The first four points that are not in a plane. False: all are, nearly. */
static bool begin(growth *g)
{
    static const double ways[14][3] = {
        {1, 0, 0},  {-1, 0, 0}, {0, 1, 0},  {0, -1, 0},  {0, 0, 1},   {0, 0, -1},  {1, 1, 1},
        {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}};
    int from[4] = {0, 0, 0, 0};
    double most[3] = {0, 0, 0}, u[3], v[3], normal[3] = {0, 0, 0};
    for (int k = 0; k < 14; k++)
        add_point(g, ways[k]);
    const int count = (int)g->out->count;
    for (int which = 1; which < 4; which++)
        for (int i = 1; i < count; i++) {
            double far, cross[3];
            bvpi_subtract(g->at[i], g->at[0], u);
            bvpi_subtract(g->at[from[1]], g->at[0], v);
            bvpi_cross(v, u, cross);
            far = which == 1   ? sqrt(bvpi_dot(u, u))
                  : which == 2 ? sqrt(bvpi_dot(cross, cross))
                               : fabs(bvpi_dot(normal, u));
            if (!(far > most[which - 1]))
                continue;
            most[which - 1] = far;
            from[which] = i;
            if (which == 2)
                memcpy(normal, cross, sizeof normal);
        }
    if (!(most[2] > g->size * g->size * g->size * 0x1p-30))
        return false;
    bvpi_subtract(g->at[from[3]], g->at[0], u);
    const bool is_front = bvpi_dot(normal, u) > 0;
    const int p = 0, q = from[is_front ? 2 : 1], r = from[is_front ? 1 : 2], s = from[3];
    set_face(g, 0, p, q, r);
    set_face(g, 1, q, p, s);
    set_face(g, 2, r, q, s);
    set_face(g, 3, p, r, s);
    g->face_count = 4;
    for (int i = 1; i < count; i++)
        if (i != q && i != r && i != s && !take_in(g, i))
            return false;
    return true;
}

static const face *nearest_face(const growth *g)
{
    const face *best = NULL;
    for (unsigned i = 0; i < g->face_count; i++)
        if (isfinite(g->faces[i].height) && (!best || g->faces[i].height < best->height))
            best = &g->faces[i];
    return best;
}

/* The least distance of a face's plane, if no corner is beyond one. */
static double inner_radius(const growth *g)
{
    const face *best = nearest_face(g);
    double beyond = 0;
    for (unsigned i = 0; i < g->face_count; i++)
        for (int k = 0; k < (int)g->out->count && isfinite(g->faces[i].height); k++)
            beyond = fmax(beyond, bvpi_dot(g->faces[i].normal, g->at[k]) - g->faces[i].height);
    const bool is_convex = beyond <= g->size * 0x1p-40;
    return best && is_convex ? fmax(best->height - g->size * 0x1p-38, 0) : 0;
}

/* ---- the search ------------------------------------------------------------------------------ */

static void note(growth *g, const double way[3], double slack)
{
    const double upper = bvpi_hull_depth_along(g->a, g->b, slack, way);
    if (!(upper < g->out->upper))
        return;
    g->out->upper = upper;
    memcpy(g->out->direction, way, sizeof g->out->direction);
}

static void grow(growth *g, double slack)
{
    bvpi_hull_depth *out = g->out;
    for (int k = 0; k < 6; k++) {
        double way[3] = {0, 0, 0};
        way[k / 2] = k % 2 ? -1 : 1;
        note(g, way, slack);
    }
    if (!begin(g))
        return;
    for (const face *f; (f = nearest_face(g)) != NULL && out->upper > 0;) {
        const double height = f->height;
        double way[3];
        memcpy(way, f->normal, sizeof way);
        note(g, way, slack);
        if (!(out->upper > height + g->size * 1e-9) || !add_point(g, way))
            break;
        if (!take_in(g, (int)out->count - 1))
            return;
    }
    out->lower = fmax(inner_radius(g) - 4 * slack, 0);
}

bool bvpi_hull_depth_find(const bvpi_cloud *a, const bvpi_cloud *b, double slack,
                          bvpi_hull_depth *out)
{
    growth *g = malloc(sizeof *g);
    assert(slack >= 0 && a->count > 0 && b->count > 0);
    out->count = 0;
    out->lower = 0;
    out->upper = INFINITY;
    if (!g)
        return false;
    g->a = a;
    g->b = b;
    g->out = out;
    g->size = 0;
    g->face_count = 0;
    grow(g, slack);
    free(g);
    return true;
}
