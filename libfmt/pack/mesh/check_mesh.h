/* SPDX-License-Identifier: MIT
 * check_mesh.h: refuses a caller's mesh that cannot be read.
 */
#ifndef BVPI_PACK_MESH_CHECK_MESH_H
#define BVPI_PACK_MESH_CHECK_MESH_H

#include "bvpack_build.h"

/* The counts, the positions and the strides, without reading an array. BVP_ERR_LIMIT: too many
 * triangles or vertices; else BVP_ERR_ARGUMENT. */
bvp_status bvpi_check_mesh(const bvp_mesh *mesh, bvp_error *error);

/* Every index, of a mesh that bvpi_check_mesh() accepts. */
bvp_status bvpi_check_indices(const bvp_mesh *mesh, uint32_t thread_count, bvp_error *error);

#endif
