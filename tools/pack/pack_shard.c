/* SPDX-License-Identifier: MIT
 * pack_shard.c: packs a share of a manifest's files: files of other shares are not read; those of
 * this share are packed, and the rest of their content (tree, names, warnings) becomes a record. Or
 * packs a share of a model's meshes: the whole model is read, and the share's meshes are packed.
 */
#include "pack/pack_shard.h"

#include <assert.h>
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
    shard_counts *c = shard->counts;
    if (!shard_skips(c->number, &c->file_count, &c->own_file_count))
        return 0;
    *out = (model){0};
    return 1;
}

/* With its strays. In the share's own tree each part has a node. */
static bvp_status take_mesh(pack_shard *shard, model_mesh *mesh, bvp_error *error)
{
    const char *name = mesh->name;
    for (; mesh; mesh = mesh->strays) {
        uint32_t part, node;
        bvp_status status = pack_mesh(shard->builder, mesh, &part, error);
        if (status == BVP_OK && part != BVP_NONE && part >= shard->part_count) {
            assert(part == shard->part_count); /* parts are numbered in the order of their first */
            shard->part_count++;
            status = bvp_builder_add_node(
                shard->builder, &(bvp_new_node){.parent = shard->root, .name = name, .part = part},
                &node, error);
        }
        if (status != BVP_OK)
            return status;
    }
    return BVP_OK;
}

/* For import_hooks: packs the file's meshes, and records the rest. */
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
    if (status == BVP_OK) {
        size_t text_size;
        char *text = source_record_text(out, &text_size);
        if (text) {
            jsonw_object(&shard->out, NULL);
            jsonw_text(&shard->out, "path", path);
            jsonw_text(&shard->out, "format", options->format);
            jsonw_count(&shard->out, "size", size);
            jsonw_hex(&shard->out, "hash", hash, 16);
            jsonw_bytes(&shard->out, "model", (bvp_string){text, text_size});
            jsonw_end(&shard->out);
        } else {
            status = BVP_ERR_NO_MEMORY;
        }
        free(text);
    }
    if (status != BVP_OK)
        model_free(out);
    return status;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Packs the share's meshes of a model, and empties the others. Records the model with what is
 * packed; everything else is recorded once, in the first share. */
static bvp_status take_model(pack_shard *shard, model *m, bvp_error *error)
{
    shard_counts *c = shard->counts;
    for (uint32_t i = 0; i < m->mesh_count; i++) {
        model_mesh *mesh = &m->meshes[i];
        if (shard_skips(c->number, &c->mesh_count, &c->own_mesh_count)) {
            char *name = mesh->name;
            mesh->name = NULL;
            model_mesh_free(mesh);
            *mesh = (model_mesh){.name = name, .is_packed = 1};
            continue;
        }
        const bvp_status status = take_mesh(shard, mesh, error);
        if (status != BVP_OK)
            return status;
    }
    size_t size;
    model part = *m;
    if (c->number.index > 1)
        part.node_count = part.warning_count = part.file_count = 0;
    char *text = source_record_text(&part, &size);
    if (!text)
        return BVP_ERR_NO_MEMORY;
    jsonw_bytes(&shard->out, "model", (bvp_string){text, size});
    free(text);
    return BVP_OK;
}

/* ---- the share ------------------------------------------------------------------------------- */

bvp_status pack_shard_take(void *user, pack_source *s, const pack_bytes *from,
                           import_options *options, bvp_error *error)
{
    pack_shard *shard = user;
    const shard_counts *c = shard->counts;
    const import_hooks hooks = {.user = shard, .find = skip_file, .import = take_file};
    const input *file = from->file;
    assert(c->number.index >= 1 && c->number.index <= c->number.count);
    options->hooks = &hooks;
    bvp_hash(file->data, file->size, s->hash);

    const bvp_build_options build_options = pack_plan_build_options(shard->plan);
    bvp_status status = bvp_builder_new(&build_options, &shard->builder, error);
    if (status == BVP_OK)
        status = bvp_builder_add_node(
            shard->builder, &(bvp_new_node){.parent = BVP_NONE, .name = s->name, .part = BVP_NONE},
            &shard->root, error);
    if (status == BVP_OK && !memory_text_open(&shard->record))
        status = BVP_ERR_NO_MEMORY;
    if (status != BVP_OK)
        return status;
    jsonw_start(&shard->out, shard->record.out, 0);
    jsonw_object(&shard->out, NULL);
    jsonw_text(&shard->out, "version", bvp_version());
    jsonw_text(&shard->out, "manifest", s->name);
    jsonw_count(&shard->out, "size", s->size);
    jsonw_hex(&shard->out, "hash", s->hash, sizeof s->hash);
    pack_settings_as_json(&shard->out, "settings", shard->plan->set);
    jsonw_array(&shard->out, "files"); /* take_file adds them */
    status = model_import_memory(file->data, file->size, from->label, from->dir, options,
                                 &s->contents, error);
    if (status != BVP_OK)
        return status;
    jsonw_end(&shard->out);
    jsonw_count(&shard->out, "file_count", c->file_count);
    const int is_manifest = strcmp(s->contents.format, "manifest") == 0;
    const int is_refused = !is_manifest && c->file_count > 0; /* by the verb, which says why */
    if (!is_manifest && !is_refused)
        status = take_model(shard, &s->contents, error);
    jsonw_end(&shard->out);
    if (memory_text_close(&shard->record) != 0)
        status = BVP_ERR_NO_MEMORY;

    char number[32];
    snprintf(number, sizeof number, "%u/%u", c->number.index, c->number.count);
    if (status == BVP_OK)
        status = bvp_builder_add_property(shard->builder, shard->root, SHARD_KEY, number, error);
    if (status == BVP_OK)
        status = bvp_builder_add_property(shard->builder, shard->root, SHARD_RECORD_KEY,
                                          shard->record.data, error);
    if (status != BVP_OK || !is_manifest || c->number.index > 1)
        return status;
    /* The manifest is recorded once, in the first share. */
    char *text = strndup(file->data, file->size);
    status = text ? bvp_builder_add_property(shard->builder, shard->root, SHARD_MANIFEST_KEY, text,
                                             error)
                  : BVP_ERR_NO_MEMORY;
    free(text);
    return status;
}

void pack_shard_free(pack_shard *shard)
{
    memory_text_close(&shard->record);
    free(shard->record.data);
    bvp_builder_free(shard->builder);
    *shard = (pack_shard){.builder = NULL};
}
