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

/* Built and saved, unless the store has it. */
static bvp_status take_mesh(pack_job *j, model_mesh *mesh, bvp_error *error)
{
    asking a = {.store = &j->store};
    bvp_build_options options = pack_build_options(j);
    bvp_builder *builder = NULL;
    uint32_t part = BVP_NONE;
    options.find_packed = find_packed;
    options.find_packed_user = &a;
    bvp_status status = bvp_builder_new(&options, &builder, error);
    if (status == BVP_OK)
        status = pack_mesh(builder, mesh, &part, error);
    if (status == BVP_OK && part != BVP_NONE) {
        if (!a.found)
            status = save_part(j, builder, mesh->packed.address, &mesh->sound, error);
        j->new_part_count += !a.found;
        j->known_part_count += (uint64_t)a.found;
    }
    bvp_builder_free(builder);
    return status;
}

bvp_status pack_take_meshes(pack_job *j, model *m, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < m->mesh_count && status == BVP_OK; i++)
        if (!m->meshes[i].is_packed)
            status = take_mesh(j, &m->meshes[i], error);
    return status;
}

const bvp_file *pack_find_stored(void *user, const model_mesh *mesh, uint32_t *part, int *stays)
{
    *part = 0;
    const bvp_file *file = store_find(user, mesh->packed.address, &mesh->sound);
    *stays = store_keeps(user, file);
    return file;
}
