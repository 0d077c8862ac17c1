/* SPDX-License-Identifier: MIT
 * hull_depth.h: how far one of two clouds of points must move until their convex hulls are apart.
 * Spec: exactness.md, chapter 12, "Penetration"
 */
#ifndef BVPI_CLASH_HULL_DEPTH_H
#define BVPI_CLASH_HULL_DEPTH_H

#include <stdbool.h>
#include <stddef.h>

/* Points, of which those that follow one another are near each other. */
enum { BVPI_CLOUD_GROUP = 64 };
typedef struct bvpi_cloud {
    double (*at)[3];
    size_t count, capacity;
    double (*boxes)[6]; /* of each BVPI_CLOUD_GROUP points: lo, hi */
    size_t box_capacity;
    double size; /* the largest |coordinate| */
} bvpi_cloud;

/* *cloud is zero at first. False: no memory. */
bool bvpi_cloud_add(bvpi_cloud *cloud, const double at[3]);
void bvpi_cloud_free(bvpi_cloud *cloud);

enum { BVPI_HULL_POINTS = 256 };

/* 12 KiB: too large for a stack. */
typedef struct bvpi_hull_depth {
    double direction[3]; /* unit: the shortest move of a */
    double upper;        /* after a move by that the hulls are apart; 0: they are already */
    double lower;        /* the hulls of a_at and b_at, points of the clouds, need a move as long */
    unsigned count;
    double a_at[BVPI_HULL_POINTS][3], b_at[BVPI_HULL_POINTS][3];
} bvpi_hull_depth;

/* Bounds of rounding are included, for points that err by at most `slack` each. At most O(points)
 * for each of at most BVPI_HULL_POINTS directions. Neither cloud is empty. False: there is no
 * memory. */
bool bvpi_hull_depth_find(const bvpi_cloud *a, const bvpi_cloud *b, double slack,
                          bvpi_hull_depth *out);

/* How far a must move along a unit vector until a plane across it is between the clouds; at least
 * 0. */
double bvpi_hull_depth_along(const bvpi_cloud *a, const bvpi_cloud *b, double slack,
                             const double way[3]);

#endif
