/* SPDX-License-Identifier: MIT
 * pack_store.c: packing by way of a store: a part that is known is not built.
 */
#include <stdlib.h>
#include <string.h>
#include "text/message.h"
#include "pack/pack_job.h"
#include "cli/start_thread.h"

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
    const int code = store_put_part(&j->store, builder, address, sound);
    if (code == 0)
        return BVP_OK;
    j->store_code = code;
    snprintf(error->message, sizeof error->message, "its part cannot be stored");
    return BVP_ERR_SYSTEM;
}

/* Built and saved, unless the store has it. */
static bvp_status take_one_mesh(pack_job *j, model_mesh *mesh, bvp_error *error)
{
    asking a = {.store = &j->store};
    bvp_build_options options = pack_build_options(j);
    bvp_builder *builder = NULL;
    uint32_t part = BVP_NONE;
    options.find_packed = find_packed;
    options.find_packed_user = &a;
    options.packed_is_verified = 1; /* the store has */
    bvp_status status = bvp_builder_new(&options, &builder, error);
    if (status == BVP_OK)
        status = pack_mesh(builder, mesh, &part, error);
    if (status == BVP_OK && part != BVP_NONE) {
        mesh->is_new = !a.found;
        if (!a.found)
            status = save_part(j, builder, mesh->packed.address, &mesh->sound, error);
        j->new_part_count += !a.found;
        j->known_part_count += (uint64_t)a.found;
    }
    bvp_builder_free(builder);
    return status;
}

/* With its strays. */
static bvp_status take_mesh(pack_job *j, model_mesh *mesh, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (; mesh && status == BVP_OK; mesh = mesh->strays)
        status = take_one_mesh(j, mesh, error);
    return status;
}

bvp_status pack_take_meshes(pack_job *j, model *m, int is_nested, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < m->mesh_count && status == BVP_OK; i++)
        if (!m->meshes[i].is_packed && (is_nested || !pack_skip_mesh(j)))
            status = take_mesh(j, &m->meshes[i], error);
    return status;
}

/* ---- the output ------------------------------------------------------------------------------ */

static int is_fat(const pack_job *j)
{
    return j->set->store && !j->set->thin;
}

void pack_open_last(pack_job *j)
{
    if (is_fat(j))
        last_output_open(&j->last, &j->store, j->output_key);
}

void pack_note_output(const pack_job *j, const char *path)
{
    if (is_fat(j) && strcmp(path, "-") != 0)
        last_output_note(&j->store, j->output_key, path);
}

int pack_check_last(const pack_job *j)
{
    if (last_output_is_as_it_was(&j->last))
        return 0;
    complain(NULL, "the last output was written to while parts were copied from it; pack again");
    return EXIT_INPUT;
}

/* Is the part undamaged, and of that mesh? An address alone says whatever its file says. */
static int is_of(const bvp_file *file, uint32_t part, const model_mesh *mesh)
{
    bvp_part_info info;
    return bvp_check_part(file, part, NULL) == BVP_OK &&
           bvp_get_part(file, part, &info) == BVP_OK &&
           info.triangle_count == mesh->packed.triangle_count &&
           memcmp(info.content_hash, mesh->packed.content_hash, sizeof info.content_hash) == 0;
}

/* The last output is whatever file a record in the store names. */
static int keeps_rules(const pack_job *j, const part_place *last)
{
    return j->store.is_trusted ||
           bvp_verify_part(last->file, last->part, NULL, NULL, NULL) == BVP_OK;
}

const bvp_file *pack_find_stored(void *user, const model_mesh *mesh, uint32_t *part, int *stays)
{
    pack_job *j = user;
    const part_place *last = part_table_find(&j->last.parts, mesh->packed.address);
    *stays = 1;
    *part = 0;
    if (last && is_of(last->file, last->part, mesh) && keeps_rules(j, last)) {
        j->copied_part_count++;
        *part = last->part;
        return last->file;
    }
    const bvp_file *file =
        store_find(&j->store, mesh->packed.address, mesh->is_new ? &mesh->sound : NULL);
    *stays = file && store_keeps(&j->store, file);
    if (file && is_of(file, 0, mesh))
        return file;
    if (file) /* what can't be looked at now is not dropped */
        j->store.status = bvp_check_part(file, 0, NULL);
    store_drop(&j->store, mesh->packed.address); /* its stamp said that it was sound */
    return NULL;
}

/* ---- durability ------------------------------------------------------------------------------ */

static void *sync_store(void *argument)
{
    store_sync(argument);
    return NULL;
}

void pack_start_sync(pack_job *j)
{
    j->is_syncing = j->set->jobs != 1 && start_thread(&j->syncing, sync_store, &j->store);
    if (!j->is_syncing)
        store_sync(&j->store);
}

void pack_end_sync(pack_job *j)
{
    if (j->is_syncing)
        pthread_join(j->syncing, NULL);
    j->is_syncing = 0;
}
