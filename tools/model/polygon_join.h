/* SPDX-License-Identifier: MIT
 * polygon_join.h: makes outlines without holes of a polygon's contours.
 */
#ifndef POLYGON_JOIN_H
#define POLYGON_JOIN_H

#include <stddef.h>
#include <stdint.h>

typedef struct polygon_contour {
    uint32_t first, count; /* vertices, one after the other */
    double area;           /* in the projection, with its sign */
    uint32_t outer;        /* of a hole: the number of the one it is in; else UINT32_MAX */
    double reach;          /* its largest x in the projection */
    uint32_t number;       /* by size, the largest first */
} polygon_contour;

/* Zero-initialise; memory that calls reuse. Free with polygon_join_free. */
typedef struct polygon_join {
    polygon_contour *contours;
    size_t contour_count, contour_capacity;
    uint32_t *corners; /* of all outlines, one after the other */
    size_t corner_count, corner_capacity;
    uint32_t *sizes; /* corners of each outline, at least 3 */
    size_t outline_count, size_capacity;
} polygon_join;

/* A polygon: begin, its contours of at least 3 corners, end. What lies in an odd number of contours
 * is inside, whichever way they run; but outlines run as the largest contour does. positions: 3 a
 * vertex, finite, each the value of a float. A hole is joined to its outline by a bridge that goes
 * to and fro and crosses nothing. 0, or -1: there is no memory.
 * Complexity: O(holes * corners) where bridges are found at once. Beyond some 2,000 holes the
 * work is cut short, and polygon_cut says that the outline crosses itself. */
void polygon_join_begin(polygon_join *j);
int polygon_join_add(polygon_join *j, uint32_t first, uint32_t count);
int polygon_join_end(polygon_join *j, const double *positions);
void polygon_join_free(polygon_join *j);

#endif
