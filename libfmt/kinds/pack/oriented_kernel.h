/* SPDX-License-Identifier: MIT
 * oriented_kernel.h: what oriented_fit.c does for every corner of a set, and for every code that a
 * rotation might get. Every instruction set gives the same result.
 * Spec: format.md, chapter "Oriented volumes".
 */
#ifndef BVPI_KINDS_PACK_ORIENTED_KERNEL_H
#define BVPI_KINDS_PACK_ORIENTED_KERNEL_H

#include "kinds/node/oriented_set.h"
#include "kinds/pack/hull_axes.h"
#include "pack/mesh/mesh.h"

enum { BVPI_FIT_EXTREMES = 26 };

/* Floats that gather writes for so many triangles: the last corner is repeated up to a multiple of
 * BVPI_FIT_ABREAST. */
static inline uint64_t bvpi_fit_room(uint32_t triangle_count)
{
    return (uint64_t)triangle_count * 9 + 3 * BVPI_FIT_ABREAST;
}

/* What a set of triangles is, when it has been gathered. */
typedef struct bvpi_fit_corners {
    bvpi_corners all; /* repeats mostly left out */
    double lo[3], hi[3];
    bvpi_fit_surface surface; /* relative to the first corner */
} bvpi_fit_corners;

typedef struct bvpi_fit_kernel {
    /* Gathers the corners of triangles[0 .. count - 1], count > 0. xyz: room for bvpi_fit_room.
     * seen: a cache of `slots` entries, a power of two; its contents are overwritten. */
    void (*gather)(const bvpi_mesh *mesh, const uint32_t *triangles, uint32_t count, float *xyz,
                   uint32_t *seen, uint32_t slots, bvpi_fit_corners *out);
    /* What gathered corners take up in the frame of `volume`. */
    bvpi_range (*range)(const bvpi_oriented *volume, const bvpi_corners *set);
    /* The first of `count` gathered corners that reaches farthest back, and the first one that
     * reaches farthest, in each of 13 directions: along the axes, the diagonals of faces, the
     * diagonals of the cube. */
    void (*farthest)(const float *xyz, uint64_t count, uint32_t at[BVPI_FIT_EXTREMES]);
    /* How far points reach along axes. */
    void (*extent)(const double (*points)[3], uint32_t count, const double axis[9],
                   double extent[3]);
    /* The least rectangle around points as seen in the plane of u and v, which are orthonormal: the
     * direction of its first side in their terms, and its sides. At most BVPI_FIT_POINTS. */
    void (*rectangle)(const double (*points)[3], uint32_t count, const double u[3],
                      const double v[3], double direction[2], double extent[2]);
    /* The code whose axes are nearest to the given rotation's, however named and reversed; nearest
     * in the surface of the box along them around one with these extents. last: which of the axes
     * is to be the last one, or -1. */
    uint32_t (*encode)(const double axis[9], const double extent[3], int last);
} bvpi_fit_kernel;

extern const bvpi_fit_kernel bvpi_fit_kernel_base, bvpi_fit_kernel_avx2;

#endif
