/* SPDX-License-Identifier: MIT
 * pack_store.c: packs through a store: a part that the store has is not built.
 */
#include "pack/pack_store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "cli/start_thread.h"
#include "pack/pack_mesh.h"
#include "store/convert_file.h"

int pack_store_open(pack_store *out, const pack_plan *plan, shard_counts *share, const char *path)
{
    *out = (pack_store){.plan = plan, .share = share};
    int code = store_open(&out->store, plan->set->store);
    out->store.is_trusted = plan->set->trust_store;
    if (code == 0 && plan->set->thin)
        code = convert_hint(path, plan->set->store, out->hint);
    return code;
}

void pack_store_close(pack_store *s)
{
    last_output_close(&s->last);
    store_close(&s->store);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* The store, and whether it had the part. */
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

bvp_status pack_store_take_meshes(pack_store *s, model *m, int is_nested, bvp_error *error)
{
    shard_counts *c = s->share;
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < m->mesh_count && status == BVP_OK; i++) {
        model_mesh *mesh = &m->meshes[i];
        if (mesh->is_packed ||
            (!is_nested && shard_skips(c->number, &c->mesh_count, &c->own_mesh_count)))
            continue;
        /* Builds and saves the mesh and its strays, except for parts that the store has. */
        for (; mesh && status == BVP_OK; mesh = mesh->strays) {
            asking a = {.store = &s->store};
            bvp_build_options options = pack_plan_build_options(s->plan);
            bvp_builder *builder = NULL;
            uint32_t part = BVP_NONE;
            options.find_packed = find_packed;
            options.find_packed_user = &a;
            options.packed_is_verified = 1; /* the store has */
            status = bvp_builder_new(&options, &builder, error);
            if (status == BVP_OK)
                status = pack_mesh(builder, mesh, &part, error);
            if (status == BVP_OK && part != BVP_NONE) {
                mesh->is_new = !a.found;
                const int code = a.found ? 0
                                         : store_put_part(&s->store, builder, mesh->packed.address,
                                                          &mesh->sound);
                if (code != 0) {
                    s->code = code;
                    snprintf(error->message, sizeof error->message, "its part cannot be stored");
                    status = BVP_ERR_SYSTEM;
                }
                s->counts.new_part_count += !a.found;
                s->counts.known_part_count += (uint64_t)a.found;
            }
            bvp_builder_free(builder);
        }
    }
    return status;
}

/* ---- the output ------------------------------------------------------------------------------ */

/* Is the part undamaged, and does it hold that mesh? An address alone proves nothing: the file
 * itself states it. */
static int is_of(const bvp_file *file, uint32_t part, const model_mesh *mesh)
{
    bvp_part_info info;
    return bvp_check_part(file, part, NULL) == BVP_OK &&
           bvp_get_part(file, part, &info) == BVP_OK &&
           info.triangle_count == mesh->packed.triangle_count &&
           memcmp(info.content_hash, mesh->packed.content_hash, sizeof info.content_hash) == 0;
}

const bvp_file *pack_store_find(void *user, const model_mesh *mesh, uint32_t *part, int *stays)
{
    pack_store *s = user;
    const part_place *last = part_table_find(&s->last.parts, mesh->packed.address);
    *stays = 1;
    *part = 0;
    /* The last output can be any file, because a record in the store names it: so its part must
     * keep the rules, too. */
    if (last && is_of(last->file, last->part, mesh) &&
        (s->store.is_trusted ||
         bvp_verify_part(last->file, last->part, NULL, NULL, NULL) == BVP_OK)) {
        s->counts.copied_part_count++;
        *part = last->part;
        return last->file;
    }
    const bvp_file *file =
        store_find(&s->store, mesh->packed.address, mesh->is_new ? &mesh->sound : NULL);
    *stays = file && file != s->store.passing;
    if (file && is_of(file, 0, mesh))
        return file;
    if (file) /* keeps a part that can't be examined now */
        s->store.status = bvp_check_part(file, 0, NULL);
    store_drop(&s->store, mesh->packed.address); /* its stamp had said that it was valid */
    return NULL;
}

/* ---- durability ------------------------------------------------------------------------------ */

static void *sync_store(void *argument)
{
    store_sync(argument);
    return NULL;
}

void pack_store_start_sync(pack_store *s)
{
    assert(!s->is_syncing);
    s->is_syncing = s->plan->set->jobs != 1 && start_thread(&s->syncing, sync_store, &s->store);
    if (!s->is_syncing)
        store_sync(&s->store);
}

void pack_store_end_sync(pack_store *s)
{
    if (s->is_syncing)
        pthread_join(s->syncing, NULL);
    s->is_syncing = 0;
}
