/* SPDX-License-Identifier: MIT
 * hull_axes.c: proposes axes for a box around a set of points; the only user of qhull.
 *
 * Large sets are reduced to the points that are extreme in 26 directions. Two boxes come from a
 * surface: the least one on its largest triangle (the least rectangle stands on a side of the flat
 * hull), and the one along the eigenvectors of its covariance, which do not depend on how densely
 * triangles cover it. The surface is the set's own and, on request, its convex hull's. Where the
 * first box shows the set to be flat, it is the only one. Where no triangle has an area, the
 * dimension is found by the longest vector, the longest across it, and the height over that plane.
 *
 * Bytes must not depend on the order of qhull's facets: for a hull, points and facets are sorted
 * before they are summed.
 *
 * Held by tests/unit/test_fit.c; with qhull failing: tests/unit/test_hull_fails.c.
 * Based on: Gottschalk, Lin, Manocha, OBBTree, 1996, section 4; Freeman, Shapira, Determining the
 * minimum-area encasing rectangle, 1975; Jarvis, On the identification of the convex hull, 1973;
 * Jacobi's eigenvalue method.
 */
#include "kinds/pack/hull_axes.h"

#include <libqhull_r/qhull_ra.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"
#include "base/vec3.h"
#include "kinds/pack/oriented_kernel.h"

/* A set whose height over a plane (a line) is below this share of its length is flat (collinear):
 * finer differences are lost in the stored rotation, whose step is 2^-9. */
#define FLAT     0x1p-14
/* What is left beside the diagonal of a matrix, as a share of it: turns axes by no more than that,
 * unless these may as well be turned. */
#define DIAGONAL 0x1p-36

enum { SWEEPS = 12 /* Jacobi's method takes 4 or 5 */ };

typedef struct triangle {
    int corner[3]; /* points' numbers, ascending */
} triangle;

/* ---- vectors --------------------------------------------------------------------------------- */

static void normalise(double v[3])
{
    const double length = sqrt(bvpi_dot(v, v));
    assert(length > 0); /* the callers exclude the zero vector */
    for (int k = 0; k < 3; k++)
        v[k] /= length;
}

/* A unit vector orthogonal to unit vector v. */
static void any_normal(const double v[3], double out[3])
{
    int least = fabs(v[1]) < fabs(v[0]) ? 1 : 0;
    if (fabs(v[2]) < fabs(v[least]))
        least = 2;
    const double unit[3] = {least == 0, least == 1, least == 2};
    bvpi_cross(v, unit, out);
    normalise(out);
}

/* ---- extreme points -------------------------------------------------------------------------- */

static int compare_points(const void *a, const void *b)
{
    const double *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

/* In ascending order, each once. Returns how many are left. */
static uint32_t sort_points(double (*points)[3], uint32_t count)
{
    uint32_t kept = 1;
    assert(count > 0);
    qsort(points, count, sizeof points[0], compare_points);
    for (uint32_t i = 1; i < count; i++)
        if (compare_points(points[i], points[kept - 1]) != 0)
            memcpy(points[kept++], points[i], sizeof points[0]);
    return kept;
}

static const bvpi_fit_kernel *kernel(void)
{
    return BVPI_ISA_CHOOSE(bvpi_fit_kernel, bvpi_isa_of_cpu());
}

static uint32_t farthest_points(const float *points, uint32_t count, double (*out)[3])
{
    uint32_t at[BVPI_FIT_EXTREMES], kept = 0;
    kernel()->farthest(points, count, at);
    for (int n = 0; n < BVPI_FIT_EXTREMES; n++) {
        uint32_t same = 0;
        while (same < kept && at[same] != at[n])
            same++;
        if (same < kept)
            continue; /* a corner is the farthest one in several directions */
        for (int k = 0; k < 3; k++)
            out[kept][k] = points[3 * (uint64_t)at[n] + (unsigned)k];
        at[kept++] = at[n];
    }
    return kept;
}

uint32_t bvpi_fit_extremes(const float *points, uint32_t count, bool sorted,
                           double out[BVPI_FIT_POINTS][3])
{
    uint32_t kept = count;
    if (count > BVPI_FIT_POINTS)
        kept = farthest_points(points, count, out);
    else
        for (uint32_t i = 0; i < count; i++, points += 3)
            for (int k = 0; k < 3; k++)
                out[i][k] = points[k];
    return sorted ? sort_points(out, kept) : kept;
}

/* ---- covariance ------------------------------------------------------------------------------ */

void bvpi_fit_add(bvpi_fit_surface *surface, const double p[3], const double q[3],
                  const double r[3])
{
    double e[3], f[3], n[3];
    bvpi_subtract(q, p, e);
    bvpi_subtract(r, p, f);
    bvpi_cross(e, f, n);
    if (bvpi_dot(n, n) > bvpi_dot(surface->largest, surface->largest))
        memcpy(surface->largest, n, sizeof n);
    const double area = sqrt(bvpi_dot(n, n)) / 2;
    surface->area += area;
    for (int j = 0, jk = 0; j < 3; j++) {
        const double sum = p[j] + q[j] + r[j];
        surface->first[j] += area / 3 * sum;
        for (int k = j; k < 3; k++, jk++)
            surface->second[jk] +=
                area / 12 * (sum * (p[k] + q[k] + r[k]) + p[j] * p[k] + q[j] * q[k] + r[j] * r[k]);
    }
}

/* Turns axes p and q of the matrix m such that m[p][q] vanishes. False: it was next to nothing. */
static bool rotate(double m[3][3], double axis[9], int p, int q)
{
    const double twice = 2 * m[p][q], difference = m[q][q] - m[p][p];
    if (!(fabs(twice) > DIAGONAL * fabs(m[p][p] + m[q][q])))
        return false;
    /* the tangent of the smaller of the two angles that do it, at most 45 degrees */
    const double root = sqrt(difference * difference + twice * twice);
    const double t = twice / (difference < 0 ? difference - root : difference + root);
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    const int k = 3 - p - q; /* the third one */
    const double kp = m[k][p], kq = m[k][q];
    m[p][p] -= t * m[p][q];
    m[q][q] += t * m[p][q];
    m[p][q] = m[q][p] = 0;
    m[k][p] = m[p][k] = c * kp - s * kq;
    m[k][q] = m[q][k] = s * kp + c * kq;
    for (int i = 0; i < 3; i++) {
        const double a = axis[3 * p + i], b = axis[3 * q + i];
        axis[3 * p + i] = c * a - s * b;
        axis[3 * q + i] = s * a + c * b;
    }
    return true;
}

void bvpi_fit_eigen(const bvpi_fit_surface *surface, double axis[9])
{
    double m[3][3];
    for (int k = 0; k < 9; k++)
        axis[k] = k % 4 == 0;
    if (!(surface->area > 0))
        return;
    for (int j = 0, jk = 0; j < 3; j++)
        for (int k = j; k < 3; k++, jk++)
            m[j][k] = m[k][j] =
                surface->second[jk] / surface->area -
                surface->first[j] / surface->area * (surface->first[k] / surface->area);
    bool is_turned = true;
    for (int sweep = 0; sweep < SWEEPS && is_turned; sweep++) {
        is_turned = rotate(m, axis, 0, 1);
        is_turned |= rotate(m, axis, 0, 2);
        is_turned |= rotate(m, axis, 1, 2);
    }
}

/* ---- flat sets ------------------------------------------------------------------------------- */

/* Axes: those of the least rectangle around the points as seen along the unit vector normal, which
 * comes last. */
static void box_on_plane(const double (*points)[3], uint32_t count, const double normal[3],
                         bvpi_fit_box *out)
{
    double u[3], v[3], direction[2], least = INFINITY, most = -INFINITY;
    any_normal(normal, u);
    bvpi_cross(normal, u, v);
    kernel()->rectangle(points, count, u, v, direction, out->extent);
    for (int k = 0; k < 3; k++) {
        out->axis[k] = direction[0] * u[k] + direction[1] * v[k];
        out->axis[3 + k] = direction[0] * v[k] - direction[1] * u[k];
        out->axis[6 + k] = normal[k];
    }
    for (uint32_t i = 0; i < count; i++) {
        const double height = bvpi_dot(normal, points[i]);
        least = height < least ? height : least;
        most = height > most ? height : most;
    }
    out->extent[2] = most - least;
}

/* ---- the hull -------------------------------------------------------------------------------- */

static int compare_triangles(const void *a, const void *b)
{
    const triangle *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->corner[k] != q->corner[k])
            return p->corner[k] < q->corner[k] ? -1 : 1;
    return 0;
}

static void swap_down(int *a, int *b)
{
    if (*a > *b) {
        const int c = *a;
        *a = *b;
        *b = c;
    }
}

/* qhull's facets; 0 when they are not as they should be, or `capacity` or more. */
static uint32_t read_facets(qhT *qh, triangle *out, uint32_t capacity)
{
    facetT *facet;
    vertexT *vertex, **vertexp;
    uint32_t count = 0;
    FORALLfacets
    {
        int *corner = out[count].corner, corners = 0;
        FOREACHvertex_(facet->vertices)
        {
            if (corners < 3)
                corner[corners] = qh_pointid(qh, vertex->point);
            corners++;
        }
        if (corners != 3 || ++count == capacity)
            return 0;
        swap_down(&corner[0], &corner[1]);
        swap_down(&corner[1], &corner[2]);
        swap_down(&corner[0], &corner[1]);
    }
    return count;
}

/* The hull's triangles, sorted, so that their order does not depend on qhull's; 0 if qhull failed;
 * or BVPI_FIT_NO_MEMORY. out: room for 2 count. qhull's messages go to a stream of 16 bytes and are
 * lost. */
static uint32_t hull_triangles(double (*points)[3], uint32_t count, triangle *out)
{
    char command[] = "qhull Qt Pp", sink[16];
    FILE *silence = fmemopen(sink, sizeof sink, "w");
    qhT qh;
    uint32_t facets = 0;
    int kept_count, kept_size;
    if (silence == NULL)
        return BVPI_FIT_NO_MEMORY;
    qh_zero(&qh, silence);
    const int code = qh_new_qhull(&qh, 3, (int)count, points[0], False, command, NULL, silence);
    if (code == 0)
        facets = read_facets(&qh, out, 2 * count);
    qh_freeqhull(&qh, !qh_ALL);
    qh_memfreeshort(&qh, &kept_count, &kept_size);
    fclose(silence);
    if (code == qh_ERRmem)
        return BVPI_FIT_NO_MEMORY;
    assert(facets < 2 * count); /* a hull of n points has at most 2 n - 4 triangles */
    qsort(out, facets, sizeof out[0], compare_triangles);
    return facets;
}

static bool has_area(const bvpi_fit_surface *surface)
{
    return bvpi_dot(surface->largest, surface->largest) > 0;
}

/* The least box on its largest triangle. Is it flat, and this triangle no sliver, whose normal says
 * little? */
static bool box_on_largest(const bvpi_fit_surface *surface, const double (*points)[3],
                           uint32_t count, bvpi_fit_box *out)
{
    const double twice_area = sqrt(bvpi_dot(surface->largest, surface->largest));
    double normal[3];
    for (int k = 0; k < 3; k++)
        normal[k] = surface->largest[k] / twice_area;
    box_on_plane(points, count, normal, out);
    const double length = fmax(out->extent[0], out->extent[1]);
    return out->extent[2] <= FLAT * length && twice_area > FLAT * length * length;
}

/* The two boxes that a surface proposes; or one, if it is flat. */
static uint32_t boxes_of_surface(const bvpi_fit_surface *surface, const double (*points)[3],
                                 uint32_t count, bvpi_fit_box boxes[2])
{
    if (box_on_largest(surface, points, count, &boxes[0]))
        return 1;
    bvpi_fit_eigen(surface, boxes[1].axis);
    kernel()->extent(points, count, boxes[1].axis, boxes[1].extent);
    return 2;
}

/* Its triangles' number, as hull_triangles. */
static uint32_t surface_of_hull(double (*points)[3], uint32_t count, triangle *facets,
                                bvpi_fit_surface *surface)
{
    const uint32_t facet_count = hull_triangles(points, count, facets);
    *surface = (bvpi_fit_surface){0};
    for (uint32_t i = 0; i < facet_count && facet_count != BVPI_FIT_NO_MEMORY; i++) {
        const int *corner = facets[i].corner;
        assert(corner[0] >= 0 && (uint32_t)corner[2] < count); /* ascending numbers of points */
        bvpi_fit_add(surface, points[corner[0]], points[corner[1]], points[corner[2]]);
    }
    return facet_count;
}

static uint32_t boxes_of_hull(double (*points)[3], uint32_t count, bvpi_fit_box boxes[2])
{
    triangle facets[2 * BVPI_FIT_POINTS];
    bvpi_fit_surface surface;
    if (surface_of_hull(points, count, facets, &surface) == BVPI_FIT_NO_MEMORY)
        return BVPI_FIT_NO_MEMORY;
    if (!has_area(&surface))
        return 0;
    return boxes_of_surface(&surface, (const double(*)[3])points, count, boxes);
}

/* ---- dimensions ------------------------------------------------------------------------------ */

/* Moves the first point to the origin and scales the farthest coordinate to 1/2 .. 1. False: there
 * is one point only. */
static bool standardise(const double (*points)[3], uint32_t count, double (*out)[3])
{
    double most = 0;
    int exponent;
    for (uint32_t i = 0; i < count; i++) {
        bvpi_subtract(points[i], points[0], out[i]);
        for (int k = 0; k < 3; k++)
            most = fabs(out[i][k]) > most ? fabs(out[i][k]) : most;
    }
    frexp(most, &exponent);
    const double scale = ldexp(1, -exponent); /* of differences of floats: far from overflowing */
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] *= scale;
    return most > 0;
}

/* The longest of the vectors from the origin to the points, less their part along unit vector
 * `axis`, which may be zero. */
static double longest(const double (*points)[3], uint32_t count, const double axis[3],
                      double out[3])
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double along = bvpi_dot(axis, points[i]);
        const double v[3] = {points[i][0] - along * axis[0], points[i][1] - along * axis[1],
                             points[i][2] - along * axis[2]};
        if (bvpi_dot(v, v) > most) {
            most = bvpi_dot(v, v);
            memcpy(out, v, sizeof v);
        }
    }
    return sqrt(most);
}

/* Sets axes 1 and 2, whatever they are, to go with axis 0. */
static void complete_axes(double axis[9])
{
    any_normal(axis, axis + 3);
    bvpi_cross(axis, axis + 3, axis + 6);
}

/* A box on the longest side, for no rectangle around a triangle is smaller. False: it is a point.
 */
static bool box_of_triangle(const double (*p)[3], bvpi_fit_box *out)
{
    double side[3][3], normal[3];
    int best = 0;
    for (int k = 0; k < 3; k++)
        bvpi_subtract(p[(k + 1) % 3], p[k], side[k]);
    for (int k = 1; k < 3; k++)
        if (bvpi_dot(side[k], side[k]) > bvpi_dot(side[best], side[best]))
            best = k;
    const double length = sqrt(bvpi_dot(side[best], side[best]));
    if (!(length > 0))
        return false;
    bvpi_cross(side[0], side[1], normal);
    const double twice_area = sqrt(bvpi_dot(normal, normal));
    for (int k = 0; k < 3; k++)
        out->axis[k] = side[best][k] / length;
    out->extent[0] = length;
    out->extent[1] = twice_area / length;
    out->extent[2] = 0;
    if (out->extent[1] <= FLAT * length) {
        complete_axes(out->axis);
        kernel()->extent(p, 3, out->axis, out->extent);
        return true;
    }
    for (int k = 0; k < 3; k++)
        out->axis[6 + k] = normal[k] / twice_area;
    bvpi_cross(out->axis + 6, out->axis, out->axis + 3);
    return true;
}

/* A box for points on a line or in a plane; false: they are neither. The first one is the origin.
 */
static bool box_of_flat(const double (*set)[3], uint32_t count, bvpi_fit_box *out)
{
    const double zero[3] = {0};
    double along[3], across[3], normal[3];
    const double length = longest(set, count, zero, along);
    normalise(along);
    if (longest(set, count, along, across) <= FLAT * length) {
        memcpy(out->axis, along, sizeof along);
        complete_axes(out->axis);
        kernel()->extent(set, count, out->axis, out->extent);
        return true;
    }
    normalise(across);
    bvpi_cross(along, across, normal);
    normalise(normal);
    box_on_plane(set, count, normal, out);
    return out->extent[2] <= FLAT * length;
}

uint32_t bvpi_fit_boxes(const double (*given)[3], uint32_t count, const bvpi_fit_surface *surface,
                        bool hull, bvpi_fit_box boxes[BVPI_FIT_BOXES])
{
    double points[BVPI_FIT_POINTS][3];
    uint32_t proposed = 0, more = 0;
    assert(count > 0 && count <= BVPI_FIT_POINTS);
    if (count == 3)
        return box_of_triangle(given, boxes);
    if (has_area(surface)) {
        proposed = boxes_of_surface(surface, given, count, boxes);
        if (proposed == 1)
            return 1;
    }
    if (proposed > 0 && !hull)
        return proposed;
    if (!standardise(given, count, points))
        return 0;
    if (proposed == 0 && box_of_flat((const double(*)[3])points, count, boxes))
        more = 1;
    else if (hull)
        more = boxes_of_hull(points, count, boxes + proposed);
    if (more == BVPI_FIT_NO_MEMORY)
        return more;
    assert(proposed + more <= BVPI_FIT_BOXES);
    for (uint32_t n = proposed; n < proposed + more; n++) /* as given, not as standardised */
        kernel()->extent(given, count, boxes[n].axis, boxes[n].extent);
    return proposed + more;
}

uint32_t bvpi_fit_hull(const float *given, uint32_t count, bvpi_fit_box *box)
{
    if (count > INT32_MAX / 2) /* qhull counts in int */
        return 0;
    double(*const points)[3] = malloc(2 * sizeof *points * count);
    triangle *const facets = malloc(2 * sizeof *facets * count);
    bvpi_fit_surface surface;
    uint32_t found = BVPI_FIT_NO_MEMORY;
    if (points && facets) {
        for (uint64_t i = 0; i < 3 * (uint64_t)count; i++)
            points[i / 3][i % 3] = given[i];
        const uint32_t kept = sort_points(points, count);
        standardise((const double(*)[3])points, kept, points + count);
        found = kept > 3 ? surface_of_hull(points + count, kept, facets, &surface) : 0;
        if (found > 0 && found != BVPI_FIT_NO_MEMORY) {
            bvpi_fit_eigen(&surface, box->axis);
            kernel()->extent((const double(*)[3])points, kept, box->axis, box->extent);
        }
    }
    free(points);
    free(facets);
    if (found == BVPI_FIT_NO_MEMORY || found == 0)
        return found;
    return surface.area > 0;
}
