/* SPDX-License-Identifier: MIT
 * find_strays.h: triangles so far from the others that one grid cannot resolve both.
 * Spec: format.md, chapter "Hierarchies" (grid)
 */
#ifndef BVPI_PACK_MESH_FIND_STRAYS_H
#define BVPI_PACK_MESH_FIND_STRAYS_H

#include "bvpack.h"
#include "pack/mesh/mesh.h"

/* The number of triangles of the welded mesh that bvp_find_strays puts in groups other than 0. */
bvp_status bvpi_count_strays(const bvpi_mesh *mesh, uint64_t *count, bvp_error *error);

#endif
