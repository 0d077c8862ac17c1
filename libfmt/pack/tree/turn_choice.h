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

/* The same in steps, for a mesh that is not in memory. Triangles 0, step, 2 * step ... decide. */
uint32_t bvpi_turn_step(uint32_t triangle_count);
/* sample: a mesh of these triangles alone. False: the grid stays as it is. */
bool bvpi_turn_choose(const bvpi_mesh *sample, uint32_t step, const bvpi_grid *grid,
                      int16_t turn[4]);
/* Extends lo .. hi, which begins as INFINITY .. -INFINITY, by the turned vertices. */
void bvpi_turn_bounds(const int16_t turn[4], const float *positions, uint64_t vertex_count,
                      double lo[3], double hi[3]);
/* The turned grid around these bounds. */
void bvpi_turn_grid_make(const int16_t turn[4], const double lo[3], const double hi[3],
                         bvpi_grid *grid);

#endif
