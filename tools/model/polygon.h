/* SPDX-License-Identifier: MIT
 * polygon.h: cuts a polygon in space, also a concave or not quite flat one, into triangles.
 */
#ifndef POLYGON_H
#define POLYGON_H

#include <stddef.h>
#include <stdint.h>

/* Memory that calls reuse; zero-initialise, free with polygon_free. */
typedef struct polygon_work {
    struct polygon_corner *corners;
    struct polygon_key *sorted;
    size_t capacity;
} polygon_work;

typedef enum polygon_result {
    POLYGON_CUT,      /* every point of the polygon is in exactly one triangle */
    POLYGON_FAN,      /* it crosses itself, has no area or is far from flat: cut as a fan */
    POLYGON_NO_MEMORY /* nothing was written */
} polygon_result;

/* corners: `count` >= 3 vertex numbers; vertex v is at positions + 3 v. triangles: receives
 * 3 (count - 2) vertex numbers, oriented as the polygon is. */
polygon_result polygon_cut(polygon_work *work, const double *positions, const uint32_t *corners,
                           uint32_t count, uint32_t *triangles);
/* 1 when a, b, c turn left, -1 right, 0 when they are on a line; exact where products of
 * coordinates are neither below nor beyond the range of doubles. */
int polygon_turn(const double a[2], const double b[2], const double c[2]);
void polygon_free(polygon_work *work);

#endif
