/* SPDX-License-Identifier: MIT
 * defects.h: counts what a mesh has that a closed surface has not.
 * Spec: format.md, chapter "Parts" (counts)
 */
#ifndef BVPI_PACK_MESH_DEFECTS_H
#define BVPI_PACK_MESH_DEFECTS_H

#include "pack/mesh/mesh.h"

typedef struct bvpi_defects {
    uint64_t duplicate_count;        /* triangles with the same three corners as an earlier one */
    uint64_t open_edge_count;        /* edges with one triangle */
    uint64_t nonmanifold_edge_count; /* edges with three triangles or more */
} bvpi_defects;

/* True if the corners are on a line or at one point. Exact. */
bool bvpi_is_degenerate(const float *a, const float *b, const float *c);

/* mesh: welded. False: out of memory. */
bool bvpi_count_defects(const bvpi_mesh *mesh, uint32_t thread_count, bvpi_defects *out);

#endif
