/* SPDX-License-Identifier: MIT
 * find_strays.h: triangles so far from the others that one grid cannot resolve both.
 * Spec: format.md, chapter "Hierarchies" (grid)
 */
#ifndef BVPI_PACK_MESH_FIND_STRAYS_H
#define BVPI_PACK_MESH_FIND_STRAYS_H

#include "bvpack.h"
#include "pack/mesh/mesh.h"

/* The number of triangles of the welded mesh that bvp_find_strays puts in groups other than 0, and
 * its factor. */
bvp_status bvpi_count_strays(const bvpi_mesh *mesh, uint64_t *count, double *factor,
                             bvp_error *error);

/* The same in steps, for a mesh that is not in memory. First corners of the triangles
 * bvpi_stray_sample(triangle_count, 0 .. BVPI_STRAY_SAMPLES - 1) decide whether there may be any.
 */
enum { BVPI_STRAY_FEW = 16, BVPI_STRAY_SAMPLES = 256 + BVPI_STRAY_FEW };
uint64_t bvpi_stray_sample(uint64_t triangle_count, uint32_t k);
typedef struct bvpi_stray_search bvpi_stray_search;
/* size: of the mesh's box. *out: NULL where there are none; else to be freed with free(). */
bvp_status bvpi_stray_search_start(uint64_t triangle_count, const double size[3],
                                   float samples[BVPI_STRAY_SAMPLES][3], bvpi_stray_search **out,
                                   bvp_error *error);
/* Looks at a part of the mesh. */
void bvpi_stray_search_add(bvpi_stray_search *search, const bvpi_mesh *mesh);
/* After all of it: how many, and how far out. */
uint64_t bvpi_stray_search_end(bvpi_stray_search *search, double *factor);

#endif
