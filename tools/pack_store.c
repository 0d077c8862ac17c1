/* SPDX-License-Identifier: MIT
 * pack_store.c: packing by way of a store: a source file that is known is not read in, and a part
 * that is known is not built.
 */
#include <stdlib.h>
#include <string.h>
#include "message.h"
#include "pack.h"
#include "source_record.h"

/* ---- sources --------------------------------------------------------------------------------- */

/* What the record of a source follows from: its bytes, and all that reading and packing them asks
 * of the options and of the name. */
static void key_of(const pack_job *j, uint64_t size, const uint8_t hash[16], const char *name,
                   const import_options *options, uint8_t key[16])
{
    char text[512];
    const char *dot = strrchr(name, '.');
    int used =
        snprintf(text, sizeof text, "%s %.8s.%.16s.%d.%d.%d.%u.%llu.%a.%a", bvp_version(),
                 dot ? dot : "", options->format ? options->format : "", j->set->drop_invalid,
                 j->set->no_ids, j->set->deformable, (unsigned)j->set->leaf,
                 (unsigned long long)size, options->chord, options->angle);
    for (uint32_t i = 0; i < j->hierarchy_count; i++) {
        const bvp_hierarchy_spec *s = &j->hierarchies[i];
        used += snprintf(text + used, sizeof text - (size_t)used, " %d.%u.%d.%u.%u", s->kind,
                         s->leaf_size, s->split, s->plane_max, s->offset_size);
    }
    const char *const words[] = {j->set->urdf, j->set->package_path};
    for (int i = 0; i < 2; i++) { /* a robot's */
        uint8_t word[16];
        bvp_hash(words[i] ? words[i] : "", words[i] ? strlen(words[i]) : 0, word);
        used +=
            snprintf(text + used, sizeof text - (size_t)used, " %02x%02x%02x%02x%02x%02x%02x%02x",
                     word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7]);
    }
    memset(text + used, 0, sizeof text - (size_t)used);
    memcpy(text + sizeof text - 16, hash, 16);
    bvp_hash(text, sizeof text, key);
}

/* The model that the file gives, if all of its parts are in the store. */
static int find_source(pack_job *j, const uint8_t key[16], model *out)
{
    size_t size;
    char *text = store_get_record(&j->store, key, &size);
    int found = text && source_record_read(text, size, out) == 0;
    for (uint32_t i = 0; found && i < out->mesh_count; i++)
        found = out->meshes[i].triangle_count == 0 ||
                store_find(&j->store, out->meshes[i].address) != NULL;
    if (text && !found)
        model_free(out);
    free(text);
    return found;
}

static bvp_status keep_source(const pack_job *j, const uint8_t key[16], const model *m)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    int failed = !stream || source_record_write(stream, m) != 0;
    if (stream)
        failed |= fclose(stream) != 0;
    failed = failed || store_put_record(&j->store, key, text, size) != 0;
    free(text);
    return failed ? BVP_ERR_SYSTEM : BVP_OK;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* The store, and whether it had what was asked for. */
typedef struct asking {
    store *store;
    int found;
} asking;

static const bvp_file *find_packed(void *user, const uint8_t address[16])
{
    asking *a = user;
    const bvp_file *file = store_find(a->store, address);
    a->found = file != NULL;
    return file;
}

static bvp_status save_part(pack_job *j, bvp_builder *builder, const uint8_t address[16],
                            bvp_error *error)
{
    if (store_put_part(&j->store, builder, address) == 0)
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
            status = save_part(j, builder, info.address, error);
        j->new_part_count += !a.found;
        j->known_part_count += (uint64_t)a.found;
    }
    bvp_builder_free(builder);
    if (status != BVP_OK)
        return status;
    memcpy(mesh->address, info.address, sizeof mesh->address);
    forget_triangles(mesh, info.triangle_count);
    return BVP_OK;
}

bvp_status pack_into_store(void *user, const void *data, size_t size, const uint8_t hash[16],
                           const char *name, const char *dir, const import_options *options,
                           model *out, bvp_error *error)
{
    pack_job *j = user;
    uint8_t key[16];
    key_of(j, size, hash, name, options, key);
    const int is_own = options->is_nested || !options->joints; /* joints may stand in a file */
    if (is_own && find_source(j, key, out)) {
        j->file_count++;
        j->unchanged_file_count++;
        j->known_part_count += out->mesh_count;
        return BVP_OK;
    }
    bvp_status status = model_import_memory(data, size, name, dir, options, out, error);
    if (status != BVP_OK)
        return status;
    for (uint32_t i = 0; i < out->mesh_count && status == BVP_OK; i++)
        if (!out->meshes[i].is_packed)
            status = take_mesh(j, &out->meshes[i], error);
    /* What depends on other files, too, is read each time; each of those is known by itself. */
    if (status == BVP_OK && is_own && out->file_count == 0)
        status = keep_source(j, key, out);
    j->file_count += out->file_count == 0;
    if (status != BVP_OK)
        model_free(out);
    return status;
}

bvp_status pack_from_store(pack_job *j, bvp_builder *builder, const model_mesh *mesh,
                           const char *name, uint32_t *part, bvp_error *error)
{
    j->dropped_count += mesh->dropped_count;
    *part = BVP_NONE;
    if (mesh->triangle_count == 0)
        return BVP_OK;
    const bvp_file *file = store_find(&j->store, mesh->address);
    if (file)
        return bvp_builder_add_packed(builder, file, 0, name, NULL, part, error);
    snprintf(error->message, sizeof error->message,
             "part \"%.60s\" was taken out of the store meanwhile; pack again", name);
    return BVP_ERR_SYSTEM;
}
