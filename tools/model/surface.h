/* SPDX-License-Identifier: MIT
 * surface.h: vertices and polygons that an importer collects, and the meshes made of them.
 * Coordinates read from text become floats when every one of them prints as its float does;
 * otherwise all stay doubles, which the builder moves to an origin near the part.
 */
#ifndef SURFACE_H
#define SURFACE_H

#include "files/spill.h"
#include "model/import.h"
#include "model/polygon.h"
#include "text/text_scan.h"

typedef struct surface {
    importer *im;
    double *positions; /* 3 a vertex */
    size_t vertex_count, coordinate_capacity;
    int needs_double, is_binary; /* is_binary: messages name bytes, not lines */
    uint64_t odd_vertex;         /* the first that is not finite, and where it stands */
    const void *odd_at;

    uint32_t *corners; /* vertex numbers of all polygons; UINT32_MAX: no such vertex */
    size_t corner_count, corner_capacity;
    uint32_t *sizes; /* corners of each polygon; below 3 it is left out */
    size_t polygon_count, size_capacity;

    spill spills[3];   /* with a sink: where positions, corners and sizes lie */
    int error;         /* errno, when there is no room for them */
    uint32_t *renamed; /* while meshes are made: vertex number in the mesh, or UINT32_MAX */
    polygon_work work;
    uint64_t dropped, small, fans; /* polygons, for the warnings */
} surface;

/* Polygons that become one mesh. */
typedef struct surface_range {
    size_t first_corner, first_polygon, polygon_count;
    const char *name; /* not NUL-terminated; NULL: none */
    size_t name_size;
} surface_range;

/* Room for what follows; 0, or -1, and surface_refuse says why: memory is out, or the disk full
 * where there is a sink, or there would be 2^32 - 1 or more. */
int surface_add_vertex(surface *s, const double position[3], const void *at);
static inline int surface_add_corner(surface *s, uint32_t vertex);
static inline int surface_end_polygon(surface *s, size_t corner_count);

bvp_status surface_refuse(const surface *s);
/* Room for so many in all, whose counts the caller sets; likewise. */
int surface_reserve(surface *s, size_t vertices, size_t corners, size_t polygons);

static inline int surface_add_corner(surface *s, uint32_t vertex)
{
    if (s->corner_count == s->corner_capacity &&
        surface_reserve(s, s->vertex_count, s->corner_count + 1, s->polygon_count) != 0)
        return -1;
    s->corners[s->corner_count++] = vertex;
    return 0;
}

static inline int surface_end_polygon(surface *s, size_t corner_count)
{
    if (corner_count > UINT32_MAX ||
        (s->polygon_count == s->size_capacity &&
         surface_reserve(s, s->vertex_count, s->corner_count, s->polygon_count + 1) != 0))
        return -1;
    s->sizes[s->polygon_count++] = (uint32_t)corner_count;
    return 0;
}

/* A number of a text as a coordinate of this surface. */
static inline double surface_coordinate(surface *s, const number *n)
{
    s->needs_double |= !n->prints_float;
    return (float)n->value == n->nearest ? n->value : (double)n->nearest;
}

/* Adds a mesh of the range's polygons, unless it has none. Ids are polygon numbers. */
bvp_status surface_make_mesh(importer *im, surface *s, const surface_range *range);
/* With a sink: refuses if more than one range has triangles, before the first one goes into it. */
bvp_status surface_check_single(const surface *s, const surface_range *ranges, size_t count);
/* After the last mesh. */
bvp_status surface_warn(importer *im, const surface *s);
void surface_free(surface *s);

#endif
