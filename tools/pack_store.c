/* SPDX-License-Identifier: MIT
 * pack_store.c: packing by way of a store: a part that is known is not built.
 */
#include <stdlib.h>
#include <string.h>
#include "message.h"
#include "pack.h"

/* The store, and whether it had what was asked for. */
typedef struct asking {
    store *store;
    int found;
} asking;

static const bvp_file *find_packed(void *user, const uint8_t address[16])
{
    asking *a = user;
    const bvp_file *file = store_find(a->store, address, NULL);
    a->found = file != NULL;
    return file;
}

static bvp_status save_part(pack_job *j, bvp_builder *builder, const uint8_t address[16],
                            stamp *sound, bvp_error *error)
{
    if (store_put_part(&j->store, builder, address, sound) == 0)
        return BVP_OK;
    snprintf(error->message, sizeof error->message, "its part cannot be stored");
    return BVP_ERR_SYSTEM;
}

static void forget_triangles(model_mesh *mesh, uint64_t left)
{
    free(mesh->positions);
    free(mesh->indices);
    free(mesh->ids);
    mesh->positions = NULL;
    mesh->indices = mesh->ids = NULL;
    mesh->is_packed = 1;
    mesh->dropped_count = mesh->triangle_count - left;
    mesh->triangle_count = left;
}

/* Built and saved, unless the store has it. */
static bvp_status take_mesh(pack_job *j, model_mesh *mesh, bvp_error *error)
{
    const bvp_mesh from = {.positions = mesh->positions,
                           .is_double = mesh->is_double,
                           .vertex_count = mesh->vertex_count,
                           .indices = mesh->indices,
                           .triangle_count = mesh->triangle_count,
                           .ids = mesh->ids};
    asking a = {.store = &j->store};
    bvp_build_options options = pack_build_options(j);
    bvp_builder *builder = NULL;
    bvp_part_info info = {.triangle_count = 0};
    uint32_t part = BVP_NONE;
    options.find_packed = find_packed;
    options.find_packed_user = &a;
    bvp_status status = bvp_builder_new(&options, &builder, error);
    if (status == BVP_OK)
        status = bvp_builder_add_part(builder, &from, &part, error);
    if (status == BVP_OK && part != BVP_NONE) {
        bvp_builder_get_part(builder, part, &info);
        if (!a.found)
            status = save_part(j, builder, info.address, &mesh->sound, error);
        j->new_part_count += !a.found;
        j->known_part_count += (uint64_t)a.found;
    }
    bvp_builder_free(builder);
    if (status != BVP_OK)
        return status;
    mesh->packed = info;
    forget_triangles(mesh, info.triangle_count);
    return BVP_OK;
}

bvp_status pack_take_meshes(pack_job *j, model *m, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < m->mesh_count && status == BVP_OK; i++)
        if (!m->meshes[i].is_packed)
            status = take_mesh(j, &m->meshes[i], error);
    return status;
}

bvp_status pack_from_store(pack_job *j, bvp_builder *builder, const model_mesh *mesh,
                           const char *name, uint32_t *part, bvp_error *error)
{
    j->dropped_count += mesh->dropped_count;
    *part = BVP_NONE;
    if (mesh->triangle_count == 0)
        return BVP_OK;
    if (j->set->thin)
        return bvp_builder_add_reference(builder, &mesh->packed, name, NULL, part, error);
    const bvp_file *file = store_find(&j->store, mesh->packed.address, &mesh->sound);
    if (file)
        return bvp_builder_add_packed(builder, file, 0, name, NULL, part, error);
    snprintf(error->message, sizeof error->message,
             "part \"%.60s\" was taken out of the store meanwhile; pack again", name);
    return BVP_ERR_SYSTEM;
}
