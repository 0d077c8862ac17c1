/* SPDX-License-Identifier: MIT
 * refit_model.h: the positions that a moved model gives to the vertices of a packed part.
 */
#ifndef REFIT_MODEL_H
#define REFIT_MODEL_H

#include "model/model.h"

/* Fills `positions` (as bvp_get_vertices counts them, vertex_count * 3 floats) from the mesh that
 * has the part's triangles under the part's numbers. where: names the model in messages.
 * *rounding_error: largest difference to the mesh's coordinates. Returns 0, or says why they do not
 * fit and returns the exit code. */
int refit_positions(const bvp_file *file, uint32_t part, const model_mesh *mesh, const char *where,
                    float *positions, uint64_t vertex_count, double *rounding_error);

#endif
