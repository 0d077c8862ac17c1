/* SPDX-License-Identifier: MIT
 * pack_shard.c: packs a share of a manifest's files: files of other shares are not read; those of
 * this share are packed, and the rest of their content (tree, names, warnings) becomes a record. Or
 * packs a share of a model's meshes: the whole model is read, and the share's meshes are packed.
 */
#include "pack/pack_shard.h"

#include <stdlib.h>
#include <string.h>
#include "pack/pack_mesh.h"
#include "store/source_record.h"
#include "text/message.h"

/* ---- files ----------------------------------------------------------------------------------- */

/* For import_hooks: those of other shares are known, and empty. */
static int skip_file(void *user, const char *path, const char *format, model_file *noted,
                     model *out)
{
    (void)path;
    (void)format;
    (void)noted;
    pack_shard *shard = user;
    if (!shard_skips_file(shard->counts))
        return 0;
    *out = (model){0};
    return 1;
}

static bvp_status record_file(pack_shard *shard, const char *path, const char *format,
                              uint64_t size, const uint8_t hash[16], const model *m)
{
    size_t text_size;
    char *text = source_record_text(m, &text_size);
    if (!text)
        return BVP_ERR_NO_MEMORY;
    jsonw_object(&shard->out, NULL);
    jsonw_text(&shard->out, "path", path);
    jsonw_text(&shard->out, "format", format);
    jsonw_count(&shard->out, "size", size);
    jsonw_hex(&shard->out, "hash", hash, 16);
    jsonw_bytes(&shard->out, "model", (bvp_string){text, text_size});
    jsonw_end(&shard->out);
    free(text);
    return BVP_OK;
}

/* In the share's own tree each part has a node. */
static bvp_status take_one_mesh(pack_shard *shard, model_mesh *mesh, const char *name,
                                bvp_error *error)
{
    uint32_t part, node;
    bvp_status status = pack_mesh(shard->builder, mesh, &part, error);
    if (status != BVP_OK || part == BVP_NONE || part < shard->part_count)
        return status;
    shard->part_count++;
    return bvp_builder_add_node(shard->builder, shard->root, name, NULL, NULL, part, &node, error);
}

/* With its strays. */
static bvp_status take_mesh(pack_shard *shard, model_mesh *mesh, bvp_error *error)
{
    const char *name = mesh->name;
    bvp_status status = BVP_OK;
    for (; mesh && status == BVP_OK; mesh = mesh->strays)
        status = take_one_mesh(shard, mesh, name, error);
    return status;
}

/* For import_hooks. */
static bvp_status take_file(void *user, const void *data, size_t size, const uint8_t hash[16],
                            const char *path, const char *dir, const import_options *options,
                            model *out, bvp_error *error)
{
    pack_shard *shard = user;
    bvp_status status = model_import_memory(data, size, path, dir, options, out, error);
    if (status != BVP_OK)
        return status;
    for (uint32_t i = 0; i < out->mesh_count && status == BVP_OK; i++)
        status = take_mesh(shard, &out->meshes[i], error);
    if (status == BVP_OK)
        status = record_file(shard, path, options->format, size, hash, out);
    if (status != BVP_OK)
        model_free(out);
    return status;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Packed, or empty when it is another share's. */
static bvp_status take_or_leave(pack_shard *shard, model_mesh *mesh, bvp_error *error)
{
    if (!shard_skips_mesh(shard->counts))
        return take_mesh(shard, mesh, error);
    char *name = mesh->name;
    mesh->name = NULL;
    model_mesh_free(mesh);
    *mesh = (model_mesh){.name = name, .is_packed = 1};
    return BVP_OK;
}

/* The model with the meshes that are packed; everything else is recorded once, in the first share.
 */
static bvp_status record_model(pack_shard *shard, const model *m)
{
    size_t size;
    model part = *m;
    if (shard->counts->number.index > 1)
        part.node_count = part.warning_count = part.file_count = 0;
    char *text = source_record_text(&part, &size);
    if (!text)
        return BVP_ERR_NO_MEMORY;
    jsonw_bytes(&shard->out, "model", (bvp_string){text, size});
    free(text);
    return BVP_OK;
}

static bvp_status take_model(pack_shard *shard, model *m, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < m->mesh_count && status == BVP_OK; i++)
        status = take_or_leave(shard, &m->meshes[i], error);
    return status == BVP_OK ? record_model(shard, m) : status;
}

/* ---- the share ------------------------------------------------------------------------------- */

static int is_manifest(const model *m)
{
    return strcmp(m->format, "manifest") == 0;
}

static bvp_status start(pack_shard *shard, const pack_source *s, bvp_error *error)
{
    const bvp_build_options options = pack_plan_build_options(shard->plan);
    bvp_status status = bvp_builder_new(&options, &shard->builder, error);
    if (status == BVP_OK)
        status = bvp_builder_add_node(shard->builder, BVP_NONE, s->name, NULL, NULL, BVP_NONE,
                                      &shard->root, error);
    if (status != BVP_OK)
        return status;
    if (!memory_text_open(&shard->record))
        return BVP_ERR_NO_MEMORY;
    jsonw_start(&shard->out, shard->record.out, 0);
    jsonw_object(&shard->out, NULL);
    jsonw_text(&shard->out, "version", bvp_version());
    jsonw_text(&shard->out, "manifest", s->name);
    jsonw_count(&shard->out, "size", s->size);
    jsonw_hex(&shard->out, "hash", s->hash, sizeof s->hash);
    pack_settings_as_json(&shard->out, "settings", shard->plan->set);
    jsonw_array(&shard->out, "files");
    return BVP_OK;
}

static bvp_status close_record(pack_shard *shard, model *m, bvp_error *error)
{
    jsonw_end(&shard->out);
    jsonw_count(&shard->out, "file_count", shard->counts->file_count);
    const int is_refused = shard->counts->file_count > 0; /* unless it is a manifest */
    const bvp_status status = is_manifest(m) || is_refused ? BVP_OK : take_model(shard, m, error);
    jsonw_end(&shard->out);
    return memory_text_close(&shard->record) != 0 ? BVP_ERR_NO_MEMORY : status;
}

/* The manifest is recorded once, in the first share. */
static bvp_status add_properties(pack_shard *shard, const char *manifest, size_t size,
                                 bvp_error *error)
{
    char number[32];
    snprintf(number, sizeof number, "%u/%u", shard->counts->number.index,
             shard->counts->number.count);
    bvp_status status =
        bvp_builder_add_property(shard->builder, shard->root, SHARD_KEY, number, error);
    if (status == BVP_OK)
        status = bvp_builder_add_property(shard->builder, shard->root, SHARD_RECORD_KEY,
                                          shard->record.data, error);
    if (status != BVP_OK || !manifest || shard->counts->number.index > 1)
        return status;
    char *text = strndup(manifest, size);
    status = text ? bvp_builder_add_property(shard->builder, shard->root, SHARD_MANIFEST_KEY, text,
                                             error)
                  : BVP_ERR_NO_MEMORY;
    free(text);
    return status;
}

bvp_status pack_shard_take(void *user, pack_source *s, const pack_bytes *from,
                           import_options *options, bvp_error *error)
{
    pack_shard *shard = user;
    const import_hooks hooks = {.user = shard, .find = skip_file, .import = take_file};
    const input *file = from->file;
    options->hooks = &hooks;
    bvp_hash(file->data, file->size, s->hash);
    bvp_status status = start(shard, s, error);
    if (status == BVP_OK)
        status = model_import_memory(file->data, file->size, from->label, from->dir, options,
                                     &s->contents, error);
    if (status == BVP_OK)
        status = close_record(shard, &s->contents, error);
    const char *manifest = status == BVP_OK && is_manifest(&s->contents) ? file->data : NULL;
    if (status == BVP_OK)
        status = add_properties(shard, manifest, file->size, error);
    return status;
}

void pack_shard_free(pack_shard *shard)
{
    memory_text_close(&shard->record);
    free(shard->record.data);
    bvp_builder_free(shard->builder);
    *shard = (pack_shard){.builder = NULL};
}
