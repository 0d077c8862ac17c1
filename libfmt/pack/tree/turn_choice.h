/* SPDX-License-Identifier: MIT
 * turn_choice.h: the frame in which a part's triangles have small boxes.
 * Spec: format.md, chapter "Hierarchies" (turn)
 */
#ifndef BVPI_PACK_TREE_TURN_CHOICE_H
#define BVPI_PACK_TREE_TURN_CHOICE_H

#include "node/grid.h"
#include "pack/mesh/mesh.h"

/* grid: of the mesh's bounds. Replaces it by a turned one where that pays. */
void bvpi_turn_grid(const bvpi_mesh *mesh, bvpi_grid *grid);

#endif
