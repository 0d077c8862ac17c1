/* SPDX-License-Identifier: MIT
 * flat_surface.h: a placed surface as a plain list of triangles, and what looking at all of them
 * tells: no hierarchy, no code of the library.
 */
#ifndef FLAT_SURFACE_H
#define FLAT_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct flat_box {
    double lo[3], hi[3];
} flat_box;

/* A part: corners as in the file, 9 floats a triangle. */
typedef struct flat_part {
    float *soup;
    uint32_t count;
    uint32_t *piece_of; /* of each triangle: numbers of pieces that share no corner, from 0 */
    uint32_t piece_count;
    double size; /* of the longest side */
} flat_part;

/* soup: count * 9 floats, which the part takes and flat_part_free frees. Ends the program when
 * memory is out. */
void flat_part_make(float *soup, uint32_t count, flat_part *out);
void flat_part_free(flat_part *part);

/* A part in the world: corners rounded to double. */
typedef struct flat_surface {
    const flat_part *part;
    double at[12];
    double *corners; /* count * 9 */
    flat_box *boxes; /* of each triangle */
    flat_box box;
    double slack; /* rounding of the corners, and of distances between such */
} flat_surface;

void flat_surface_make(const flat_part *part, const double at[12], flat_surface *out);
void flat_surface_free(flat_surface *surface);

/* Are the boxes, one grown by `by`, disjoint? */
bool flat_boxes_apart(const flat_box *a, const flat_box *b, double by);

/* Called with each pair of triangles whose boxes, one grown by `by`, meet; nonzero: enough. */
typedef int (*flat_pair_fn)(void *user, const flat_surface *a, uint32_t i, const flat_surface *b,
                            uint32_t k);
void flat_near_pairs(const flat_surface *a, const flat_surface *b, double by, flat_pair_fn each,
                     void *user);

/* Distance of two triangles, within the surfaces' slacks. */
double flat_distance(const flat_surface *a, uint32_t i, const flat_surface *b, uint32_t k);
/* Of a point to the nearest triangle; +infinity when there is none. */
double flat_point_distance(const flat_surface *surface, const double point[3]);
/* How often the surface goes around a point: an integer where it is closed. Outward faces in a
 * placement that does not mirror count positive. Based on: van Oosterom, Strackee, "The solid angle
 * of a plane triangle", 1983. */
double flat_winding(const flat_surface *surface, const double point[3]);

#endif
