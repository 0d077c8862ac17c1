/* SPDX-License-Identifier: MIT
 * weld.h: which vertices are equal, bit for bit.
 */
#ifndef BVPI_PACK_MESH_WELD_H
#define BVPI_PACK_MESH_WELD_H

#include "bvpack_build.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Vertices in the caller's memory, at any alignment. */
typedef struct bvpi_vertices {
    const uint8_t *data;
    size_t stride; /* bytes from one to the next */
    size_t size;   /* bytes that are compared: 12 or 24 */
    uint32_t count;
    size_t triangle_stride; /* bytes from one vertex to the third after it */
} bvpi_vertices;

/* A caller's mesh in that form, with its strides filled in. */
bvpi_vertices bvpi_vertices_of(const bvp_mesh *mesh);

static inline const uint8_t *bvpi_vertex_at(const bvpi_vertices *v, uint64_t k)
{
    return v->data + k / 3 * v->triangle_stride + k % 3 * v->stride;
}

/* Numbers the different vertices that `indices` (NULL: 0, 1, 2 ...) uses, in the order of first
 * use. indices_out[k]: the new number of corner k; may be `indices`. *positions_out: dense, in the
 * new order, to be freed. Returns the number of vertices, or UINT32_MAX: out of memory, nothing is
 * allocated. The result does not depend on thread_count. */
uint32_t bvpi_weld(const bvpi_vertices *vertices, const uint32_t *indices, uint64_t corner_count,
                   uint32_t thread_count, uint32_t *indices_out, uint8_t **positions_out);

#endif
