/* SPDX-License-Identifier: MIT
 * mesh.h: a mesh in the form that the builder works on.
 */
#ifndef BVPI_PACK_MESH_MESH_H
#define BVPI_PACK_MESH_MESH_H

#include <stdbool.h>
#include <stdint.h>

/* Welded, finite, relative to its origin. */
typedef struct bvpi_mesh {
    const float *positions; /* 3 each */
    const uint32_t *indices;
    const uint32_t *ids; /* source numbers; NULL: 0, 1, 2 ... */
    bool has_ids;        /* source numbers are stored */
    bool is_deformable;  /* coordinates are stored in 32 bits each */
    bool is_outside;     /* coordinates and corners are not stored: source numbers tell them */
    uint32_t vertex_count, triangle_count;
} bvpi_mesh;

#endif
