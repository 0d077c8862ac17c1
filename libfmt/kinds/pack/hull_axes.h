/* SPDX-License-Identifier: MIT
 * hull_axes.h: axes along which a box around a set of points is small.
 * Based on: Gottschalk, Lin, Manocha, OBBTree, 1996, section 4 (covariance of the convex hull's
 * surface); Freeman, Shapira, Determining the minimum-area encasing rectangle, 1975 (flat sets).
 */
#ifndef BVPI_KINDS_PACK_HULL_AXES_H
#define BVPI_KINDS_PACK_HULL_AXES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BVPI_FIT_ABREAST = 4, /* points that are looked at side by side */
    BVPI_FIT_POINTS = 64, /* most points whose hull is computed */
    BVPI_FIT_BOXES = 4    /* most boxes that are proposed */
};
#define BVPI_FIT_NO_MEMORY UINT32_MAX

/* What is summed up of a surface, whose triangles are handed in one by one. */
typedef struct bvpi_fit_surface {
    double area, first[3], second[6]; /* second moments: xx xy xz yy yz zz */
    double largest[3]; /* normal of the largest triangle, as long as twice its area */
} bvpi_fit_surface;

void bvpi_fit_add(bvpi_fit_surface *surface, const double p[3], const double q[3],
                  const double r[3]);

/* The eigenvectors of its covariance; identity when the surface has no area. */
void bvpi_fit_eigen(const bvpi_fit_surface *surface, double axis[9]);

/* The points that reach farthest in 26 directions, or all, when they are not more than
 * BVPI_FIT_POINTS. sorted: in ascending order, each position once. points: 3 * count, followed by
 * copies of the last one up to a multiple of BVPI_FIT_ABREAST. Returns how many. */
uint32_t bvpi_fit_extremes(const float *points, uint32_t count, bool sorted,
                           double out[BVPI_FIT_POINTS][3]);

/* A box around points: its axes, rows of a right-handed rotation, and how far they reach along
 * them. */
typedef struct bvpi_fit_box {
    double axis[9], extent[3];
} bvpi_fit_box;

/* Proposes boxes around the points. Returns how many:
 * - points in space: two of the given surface, the least box on its largest triangle and the one
 *   along its covariance's axes; with `hull` the same two of the convex hull's surface. Where qhull
 *   fails, or its facets are not triangles, only the first two are given, which is not an error;
 * - three points, or flat: one, of the least rectangle;
 * - collinear: one, along the line;
 * - a single point: none.
 * BVPI_FIT_NO_MEMORY: there was no memory for the hull; another run may have it. points: at most
 * BVPI_FIT_POINTS; with `hull` sorted and distinct. */
uint32_t bvpi_fit_boxes(const double (*points)[3], uint32_t count, const bvpi_fit_surface *surface,
                        bool hull, bvpi_fit_box boxes[BVPI_FIT_BOXES]);

/* One box: along the eigenvectors of the covariance of the convex hull's surface. points: 3 *
 * count; repeats do no harm. Returns 1; or 0 where qhull fails, as it does for flat sets, or its
 * facets are not triangles; or BVPI_FIT_NO_MEMORY. n log n. */
uint32_t bvpi_fit_hull(const float *points, uint32_t count, bvpi_fit_box *box);

#endif
