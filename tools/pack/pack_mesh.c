/* SPDX-License-Identifier: MIT
 * pack_mesh.c: an imported mesh, handed to the builder.
 */
#include "pack/pack_mesh.h"

bvp_mesh pack_mesh_view(const model_mesh *mesh, const char *name)
{
    return (bvp_mesh){.positions = mesh->positions,
                      .is_double = mesh->is_double,
                      .vertex_count = mesh->vertex_count,
                      .indices = mesh->indices,
                      .triangle_count = mesh->triangle_count,
                      .ids = mesh->ids,
                      .name = name};
}

bvp_status pack_mesh(bvp_builder *builder, model_mesh *mesh, uint32_t *part, bvp_error *error)
{
    const bvp_mesh from = pack_mesh_view(mesh, mesh->name);
    bvp_part_info info = {.triangle_count = 0};
    const bvp_status status = bvp_builder_add_part(builder, &from, part, error);
    if (status != BVP_OK)
        return status;
    if (*part != BVP_NONE)
        bvp_builder_get_part(builder, *part, &info);
    mesh->packed = info;
    model_mesh_forget(mesh);
    mesh->is_packed = 1;
    mesh->dropped_count = mesh->triangle_count - info.triangle_count;
    mesh->triangle_count = info.triangle_count;
    return BVP_OK;
}
