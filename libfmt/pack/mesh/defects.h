/* SPDX-License-Identifier: MIT
 * defects.h: counting what a mesh has and a closed surface has not.
 * Spec: format.md, chapter "Parts" (counts).
 */
#ifndef BVPI_PACK_MESH_DEFECTS_H
#define BVPI_PACK_MESH_DEFECTS_H

#include "pack/mesh/mesh.h"

typedef struct bvpi_defects {
    uint64_t duplicate_count;        /* triangles with the three corners of an earlier one */
    uint64_t open_edge_count;        /* edges of one triangle */
    uint64_t nonmanifold_edge_count; /* edges of three and more */
} bvpi_defects;

/* Do the corners lie on a line, or in a point? Exact. */
bool bvpi_is_degenerate(const float *a, const float *b, const float *c);

/* mesh: welded. False: out of memory. */
bool bvpi_count_defects(const bvpi_mesh *mesh, uint32_t thread_count, bvpi_defects *out);

#endif
