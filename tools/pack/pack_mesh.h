/* SPDX-License-Identifier: MIT
 * pack_mesh.h: an imported mesh, handed to the builder.
 */
#ifndef PACK_MESH_H
#define PACK_MESH_H

#include "bvpack_build.h"
#include "model/model.h"

/* The mesh under another name; its arrays stay the model's. */
bvp_mesh pack_mesh_view(const model_mesh *mesh, const char *name);
/* Adds a mesh, whose triangles its address then stands for. *part: as of bvp_builder_add_part. */
bvp_status pack_mesh(bvp_builder *builder, model_mesh *mesh, uint32_t *part, bvp_error *error);

#endif
