/* SPDX-License-Identifier: MIT
 * ray_tree.h: from a mesh to its hierarchy for rays: wide nodes of float frames, leaves of exact
 * vertices.
 * Spec: format.md, chapter "Ray trees"
 */
#ifndef BVPI_PACK_TREE_RAY_TREE_H
#define BVPI_PACK_TREE_RAY_TREE_H

#include "bvpack_build.h"
#include "format/layout.h"
#include "node/grid.h"
#include "pack/mesh/mesh.h"
#include "pack/work.h"

/* mesh: not empty. references: for each of its triangles where it is stored (bvpd_node.geom).
 * Writes the hierarchy's bytes and record; *bytes == NULL: the mesh has coordinates that are too
 * large or small for a ray tree. The caller sets record->part and data_off, and frees *bytes.
 * watch: counts the mesh's triangles. */
bvp_status bvpi_ray_tree_make(const bvpi_mesh *mesh, const bvpi_grid *grid,
                              const uint32_t *references, uint32_t thread_count, bvpi_watch *watch,
                              bvpd_hierarchy *record, uint8_t **bytes, bvp_error *error);

#endif
