/* SPDX-License-Identifier: MIT
 * hull_points.c: which of many points are at the corners of their convex hull.
 *
 * qhull drops what lies below all facets by more than its rounding errors. What is on a facet or
 * too near to tell (its option Qc) is kept, unless it is as good as on a triangle of corners: so
 * nothing that the points reach is lost. Where qhull fails, as it does for flat sets, all are kept.
 * Slow twin: brute force in tests/unit/test_hull_points.c.
 */
#include <libqhull_r/qhull_ra.h>

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec3.h"
#include "bvpack_build.h"

#define COORDINATE_MAX 0x1p300
/* An eighth of what queries round, as a share of the largest coordinate. */
#define NEAR           0x1p-45

/* ---- different points ------------------------------------------------------------------------ */

/* A point and its number. */
typedef struct site {
    double at[3];
    uint32_t number;
} site;

static int in_order(const void *a, const void *b)
{
    const site *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->at[k] != q->at[k])
            return p->at[k] < q->at[k] ? -1 : 1;
    return p->number < q->number ? -1 : 1;
}

/* Sorted, the first of equal ones each. Returns how many. */
static uint32_t sort_sites(const double *points, uint32_t count, site *out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            out[i].at[k] = points[3 * (size_t)i + (size_t)k] + 0.0; /* -0 is 0 */
        out[i].number = i;
    }
    qsort(out, count, sizeof *out, in_order);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || memcmp(out[i].at, out[kept - 1].at, sizeof out[i].at) != 0)
            out[kept++] = out[i];
    return kept;
}

/* ---- points on faces ------------------------------------------------------------------------- */

/* The square of the distance of p from triangle a b c, or a little more: the nearest of its plane's
 * foot, if that is inside, and the feet on its sides. */
static double side_distance_sq(const double p[3], const double a[3], const double b[3])
{
    double ab[3], ap[3], gap[3];
    bvpi_subtract(b, a, ab);
    bvpi_subtract(p, a, ap);
    const double length_sq = bvpi_dot(ab, ab);
    const double share = length_sq > 0 ? fmin(1, fmax(0, bvpi_dot(ap, ab) / length_sq)) : 0;
    for (int k = 0; k < 3; k++)
        gap[k] = ap[k] - share * ab[k];
    return bvpi_dot(gap, gap);
}

static double triangle_distance_sq(const double p[3], const double a[3], const double b[3],
                                   const double c[3])
{
    double ab[3], ac[3], ap[3], bp[3], bc[3], ca[3], cp[3], normal[3], side[3];
    double least =
        fmin(side_distance_sq(p, a, b), fmin(side_distance_sq(p, b, c), side_distance_sq(p, c, a)));
    bvpi_subtract(b, a, ab);
    bvpi_subtract(c, a, ac);
    bvpi_subtract(p, a, ap);
    bvpi_subtract(p, b, bp);
    bvpi_subtract(p, c, cp);
    bvpi_subtract(c, b, bc);
    bvpi_subtract(a, c, ca);
    bvpi_cross(ab, ac, normal);
    const double area_sq = bvpi_dot(normal, normal), height = bvpi_dot(ap, normal);
    bvpi_cross(ab, ap, side);
    bool is_inside = area_sq > 0 && bvpi_dot(side, normal) >= 0;
    bvpi_cross(bc, bp, side);
    is_inside = is_inside && bvpi_dot(side, normal) >= 0;
    bvpi_cross(ca, cp, side);
    is_inside = is_inside && bvpi_dot(side, normal) >= 0;
    return is_inside ? fmin(least, height * height / area_sq) : least;
}

/* ---- qhull's hull ---------------------------------------------------------------------------- */

typedef struct corner {
    const double *at;
    double turn; /* around the facet, 0 .. 4 */
} corner;

/* The work on one set of points. */
typedef struct hull {
    double *points; /* of different points */
    uint32_t count;
    double near;     /* distances that do not matter */
    uint8_t *marks;  /* of the points that are kept */
    corner *corners; /* of the facet that is looked at: room for all points */
} hull;

static int by_turn(const void *a, const void *b)
{
    const corner *p = a, *q = b;
    return (p->turn > q->turn) - (p->turn < q->turn);
}

static void mark(qhT *qh, pointT *point, const hull *h)
{
    const int number = qh_pointid(qh, point);
    if (number >= 0 && (uint32_t)number < h->count)
        h->marks[number] = 1;
}

/* A facet's corners in their order around it. They are sorted here, because qhull's own function
 * ends the process when memory is out. Returns how many. */
static int order_corners(const facetT *facet, corner *corners)
{
    vertexT *vertex, **vertexp;
    double middle[3] = {0}, x[3], y[3];
    int count = 0;
    FOREACHvertex_(facet->vertices)
    {
        corners[count++].at = vertex->point;
        for (int k = 0; k < 3; k++)
            middle[k] += vertex->point[k];
    }
    for (int k = 0; k < 3; k++)
        middle[k] /= count > 0 ? count : 1;
    if (count > 0)
        bvpi_subtract(corners[0].at, middle, x);
    bvpi_cross(facet->normal, x, y);
    for (int i = 0; i < count; i++) {
        double from_middle[3];
        bvpi_subtract(corners[i].at, middle, from_middle);
        const double u = bvpi_dot(from_middle, x), v = bvpi_dot(from_middle, y);
        const double size = fabs(u) + fabs(v);
        const double share = size > 0 ? u / size : 1; /* falls from 1 to -1 on the half above x */
        corners[i].turn = v >= 0 ? 1 - share : 3 + share;
    }
    qsort(corners, (size_t)count, sizeof *corners, by_turn);
    return count;
}

/* What qhull could not tell from the facet's plane. A point that is as near one of the triangles
 * into which its corners cut the facet as queries round is not needed: these triangles are in the
 * hull of the corners, whatever qhull believes of the rest. */
static void mark_coplanar(qhT *qh, const facetT *facet, const hull *h)
{
    const int corner_count = order_corners(facet, h->corners);
    pointT *point, **pointp;
    FOREACHpoint_(facet->coplanarset)
    {
        bool is_near = false;
        for (int i = 2; i < corner_count && !is_near; i++)
            is_near = triangle_distance_sq(point, h->corners[0].at, h->corners[i - 1].at,
                                           h->corners[i].at) <= h->near * h->near;
        if (!is_near)
            mark(qh, point, h);
    }
}

static void mark_corners(qhT *qh, const hull *h)
{
    facetT *facet;
    vertexT *vertex;
    FORALLvertices
    {
        mark(qh, vertex->point, h);
    }
    FORALLfacets
    {
        if (facet->coplanarset)
            mark_coplanar(qh, facet, h);
    }
}

/* 0, or qhull's code. */
static int mark_hull(const hull *h)
{
    char command[] = "qhull Qc Pp", sink[16];
    FILE *silence = fmemopen(sink, sizeof sink, "w");
    qhT qh;
    int kept_count, kept_size;
    if (silence == NULL)
        return qh_ERRmem;
    qh_zero(&qh, silence);
    const int code = qh_new_qhull(&qh, 3, (int)h->count, h->points, False, command, NULL, silence);
    if (code == 0)
        mark_corners(&qh, h);
    qh_freeqhull(&qh, !qh_ALL);
    qh_memfreeshort(&qh, &kept_count, &kept_size);
    fclose(silence);
    return code;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bvp_status check_points(const double *points, uint64_t count, bvp_error *error)
{
    if (!points || count == 0)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "a hull needs at least one point");
    if (count > INT32_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "%" PRIu64 " points, of at most 2,147,483,647", count);
    for (uint64_t i = 0; i < 3 * count; i++)
        if (!(fabs(points[i]) <= COORDINATE_MAX))
            return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                  "point %" PRIu64 " is not finite, or above 2^300", i / 3);
    return BVP_OK;
}

bvp_status bvp_hull_points(const double *points, uint64_t count, uint32_t *kept,
                           uint64_t *kept_count, bvp_error *error)
{
    enum { FEW = 4 };
    *kept_count = 0;
    const bvp_status status = check_points(points, count, error);
    if (status != BVP_OK)
        return status;
    site *sites = malloc((size_t)count * sizeof *sites);
    hull h = {.points = malloc(3 * (size_t)count * sizeof *h.points),
              .marks = calloc((size_t)count, 1),
              .corners = malloc((size_t)count * sizeof *h.corners)};
    int code = sites && h.points && h.marks && h.corners ? 0 : qh_ERRmem;
    if (code == 0) {
        double reach = 0;
        h.count = sort_sites(points, (uint32_t)count, sites);
        for (uint32_t i = 0; i < h.count; i++) {
            memcpy(h.points + 3 * (size_t)i, sites[i].at, sizeof sites[i].at);
            for (int k = 0; k < 3; k++)
                reach = fmax(reach, fabs(sites[i].at[k]));
        }
        h.near = NEAR * reach;
        code = h.count > FEW ? mark_hull(&h) : qh_ERRinput;
        for (uint32_t i = 0; i < h.count; i++)
            if (code != 0 || h.marks[i])
                kept[(*kept_count)++] = sites[i].number;
        qsort(kept, (size_t)*kept_count, sizeof *kept, ascending);
    }
    free(sites);
    free(h.points);
    free(h.marks);
    free(h.corners);
    if (code != qh_ERRmem)
        return BVP_OK;
    *kept_count = 0;
    return bvpi_error_memory(
        error, count * (sizeof *sites + 3 * sizeof *h.points + 1 + sizeof *h.corners));
}
