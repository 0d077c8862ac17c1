/* SPDX-License-Identifier: MIT
 * merge_shards.c: merges all shares of a manifest or model into one file.
 *
 * The manifest is read again as for packing, but each file that it names was recorded by its share,
 * which also holds the file's parts. Of any other model, each share has recorded its meshes, and
 * the first share everything else.
 */
#include "pack/merge_shards.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "store/convert_file.h"
#include "text/message.h"
#include "pack/pack_build.h"
#include "files/packed_file.h"
#include "store/part_table.h"
#include "store/source_record.h"
#include "text/hex.h"
#include "path/whole_path.h"

typedef struct share {
    const char *path; /* NULL: it is missing */
    bvp_file *file;
    json_value *record;
    const json_value *files; /* of the record */
    shard_number number;
} share;

typedef struct merging {
    share *shares; /* by number, once they are in order */
    uint32_t count;
    part_table parts;
    uint64_t file_count; /* files that the manifest has named so far */
    const share *faulty; /* whose record does not fit the manifest */
    int is_out_of_memory;
} merging;

static int refuse_record(const share *s)
{
    complain(s->path, "its record of a share is damaged; pack it again");
    return EXIT_CORRUPT;
}

/* ---- the shares ------------------------------------------------------------------------------ */

int merge_is_shard(const char *path, int *is_shard)
{
    bvp_file *file;
    bvp_error error = {0};
    const bvp_status status = packed_open_mapped(path, NULL, &file, &error);
    *is_shard = status == BVP_OK && shard_of(file).count > 0;
    if (status != BVP_OK)
        return complain_status(path, status, &error);
    bvp_close(file);
    return 0;
}

static const char *text_in(const share *s, const char *key)
{
    const char *text = json_tree_text(json_tree_get(s->record, key));
    return text ? text : "";
}

static int read_hash(const json_value *value, uint8_t hash[16])
{
    const char *text = json_tree_text(value);
    return text && json_tree_text_size(value) == 32 ? hex_bytes(text, hash, 16) : -1;
}

/* A share that can be merged: complete, and packed by this version. */
static int open_share(share *s, const char *path, int is_trusted)
{
    json_fault fault;
    uint8_t hash[16];
    int code = convert_open(path, is_trusted, &s->file);
    if (code != 0)
        return code;
    s->path = path;
    s->number = shard_of(s->file);
    bvp_file_info info;
    bvp_get_info(s->file, &info);
    if (s->number.count == 0 || info.is_thin) { /* a share holds its parts */
        complain(path, "is no share, as the first file is; merge it with the result");
        return EXIT_USAGE;
    }
    const bvp_string text = shard_text(s->file, SHARD_RECORD_KEY);
    s->record = json_tree_open(text.data, text.size, &fault);
    if (fault.is_memory)
        return complain_memory();
    s->files = json_tree_get(s->record, "files");
    if (text_in(s, "version")[0] && strcmp(text_in(s, "version"), bvp_version()) != 0) {
        complain(path, "was packed by bvpack %s; this is %s, which would pack otherwise",
                 text_in(s, "version"), bvp_version());
        return EXIT_INPUT;
    }
    const int is_complete = json_tree_is_array(s->files) && text_in(s, "manifest")[0] &&
                            json_tree_is_object(json_tree_get(s->record, "settings")) &&
                            read_hash(json_tree_get(s->record, "hash"), hash) == 0;
    return is_complete ? 0 : refuse_record(s);
}

/* Do both members have the same JSON text? -1: no memory. */
static int is_same(const share *a, const share *b, const char *key)
{
    char *one = json_tree_dump(json_tree_get(a->record, key));
    char *other = json_tree_dump(json_tree_get(b->record, key));
    const int result = !one || !other ? -1 : strcmp(one, other) == 0;
    free(one);
    free(other);
    return result;
}

/* Puts each share at the index of its number: all are of one manifest or model, packed with the
 * same options, and none is missing or there twice. */
static int order_shares(merging *m, const share *given, int count)
{
    const share *first = &given[0];
    assert(count > 0 && first->number.count > 0); /* open_share has looked */
    m->count = first->number.count;
    m->shares = calloc(m->count, sizeof *m->shares);
    if (!m->shares)
        return complain_memory();
    for (int i = 0; i < count; i++) {
        const share *s = &given[i];
        const int manifest = is_same(s, first, "manifest"), hash = is_same(s, first, "hash");
        const int settings = is_same(s, first, "settings");
        if (manifest < 0 || hash < 0 || settings < 0)
            return complain_memory();
        if (!manifest || !hash) {
            complain(s->path, "is a share of another manifest than %s; pack all of them anew",
                     first->path);
            return EXIT_INPUT;
        }
        if (!settings) {
            complain(s->path,
                     "was packed with other options than %s; pack all shares with the same",
                     first->path);
            return EXIT_INPUT;
        }
        if (s->number.count != m->count) {
            complain(s->path, "is a share of %u, but %s one of %u; pack all of them anew",
                     s->number.count, first->path, m->count);
            return EXIT_INPUT;
        }
        assert(s->number.index >= 1 && s->number.index <= m->count); /* shard_parse has checked */
        share *place = &m->shares[s->number.index - 1];
        if (place->path) {
            complain(s->path, "is share %u of %u, as %s is", s->number.index, m->count,
                     place->path);
            return EXIT_USAGE;
        }
        *place = *s;
    }
    char list[256] = ""; /* of the first missing ones */
    uint32_t missing = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const size_t used = strlen(list);
        if (m->shares[i].path)
            continue;
        if (missing++ < 16)
            snprintf(list + used, sizeof list - used, "%s%u", used ? ", " : "", i + 1);
    }
    if (missing == 0)
        return 0;
    complain("merge", "%u of %u shares missing: %s%s", missing, m->count, list,
             missing > 16 ? " ..." : "");
    return EXIT_INPUT;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* For find_part. */
static const bvp_file *find_part(void *user, const model_mesh *mesh, uint32_t *part, int *stays)
{
    const merging *m = user;
    const part_place *found = part_table_find(&m->parts, mesh->packed.address);
    *stays = 1;
    *part = found ? found->part : 0;
    return found ? found->file : NULL;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Nothing is read from there. */
static const char folder[] = ".";

/* For import_hooks: files were dealt to the shares in turn. path: "./" and the manifest's path, or
 * an absolute path. The file is taken for known even if its record is bad: this is reported when
 * the manifest has been read. */
static int find_file(void *user, const char *path, const char *format, model_file *noted,
                     model *out)
{
    merging *m = user;
    const uint64_t number = m->file_count++;
    const share *s = &m->shares[number % m->count];
    const json_value *recorded = json_tree_at(s->files, (size_t)(number / m->count));
    const char *own = json_tree_text(json_tree_get(recorded, "path"));
    const json_value *text = json_tree_get(recorded, "model");
    int bad = -1;
    (void)format;
    *out = (model){0};
    if (own && strcmp(own, path_is_whole(path) ? path : path + sizeof folder) == 0 &&
        json_tree_text(text) && json_tree_count(json_tree_get(recorded, "size"), &noted->size) &&
        read_hash(json_tree_get(recorded, "hash"), noted->hash) == 0)
        bad = source_record_read(json_tree_text(text), json_tree_text_size(text), out);
    if (bad == 0)
        return 1;
    model_free(out);
    if (bad == SOURCE_RECORD_NO_MEMORY)
        m->is_out_of_memory = 1;
    else
        m->faulty = s;
    return 1;
}

/* ---- the meshes of a model ------------------------------------------------------------------- */

/* The model that a share recorded. */
static int read_record(const share *s, model *out)
{
    const json_value *text = json_tree_get(s->record, "model");
    *out = (model){0};
    const int bad = !json_tree_text(text)
                        ? -1
                        : source_record_read(json_tree_text(text), json_tree_text_size(text), out);
    if (bad == 0)
        return 0;
    model_free(out);
    return bad == SOURCE_RECORD_NO_MEMORY ? complain_memory() : refuse_record(s);
}

/* The first share's model, with the meshes of all: they were dealt to the shares in turn. */
static int read_model(const merging *m, pack_source *s)
{
    const share *first = &m->shares[0];
    model *whole = &s->contents;
    if (!json_tree_count(json_tree_get(first->record, "size"), &s->size) ||
        read_hash(json_tree_get(first->record, "hash"), s->hash) != 0)
        return refuse_record(first);
    int code = read_record(first, whole);
    for (uint32_t number = 1; number < m->count && code == 0; number++) {
        model own;
        code = read_record(&m->shares[number], &own);
        if (code != 0)
            return code;
        const int fits = own.mesh_count == whole->mesh_count;
        for (uint32_t i = number; fits && i < own.mesh_count; i += m->count) {
            const model_mesh mesh = whole->meshes[i];
            whole->meshes[i] = own.meshes[i];
            own.meshes[i] = mesh; /* freed with what is left of the share's model */
        }
        model_free(&own);
        code = fits ? 0 : refuse_record(&m->shares[number]);
    }
    return code;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int read_manifest(merging *m, const pack_plan *plan, pack_source *s, progress *bar)
{
    const share *first = &m->shares[0];
    const bvp_string text = shard_text(first->file, SHARD_MANIFEST_KEY);
    const import_hooks hooks = {.user = m, .find = find_file};
    import_options options = pack_import_options(plan, s, bar);
    uint8_t hash[16];
    bvp_error error = {0};
    options.hooks = &hooks;
    options.path = NULL;
    options.any_path = 1;
    options.format = "manifest"; /* a forged share must not start another importer */
    s->size = text.size;
    bvp_hash(text.data, text.size, s->hash);
    if (read_hash(json_tree_get(first->record, "hash"), hash) != 0 ||
        memcmp(hash, s->hash, sizeof hash) != 0)
        return refuse_record(first);
    const bvp_status status =
        model_import_memory(text.data, text.size, s->path, folder, &options, &s->contents, &error);
    if (m->is_out_of_memory)
        return complain_memory();
    if (m->faulty)
        return refuse_record(m->faulty);
    return status == BVP_OK ? 0 : pack_failure(s->path, status, &error, 0);
}

static int pack_again(merging *m, const char *path)
{
    pack_settings set;
    pack_plan plan = {.set = &set};
    pack_input in = {.sources = NULL};
    bvp_build_report report = {0};
    progress bar;
    const pack_finder finder = {.user = m, .find = find_part};
    const pack_output out = {.path = path, .bar = &bar};
    char *name = strdup(text_in(&m->shares[0], "manifest"));
    progress_start(&bar, 1);
    int code = name ? 0 : complain_memory();
    if (code == 0 && pack_settings_from_json(json_tree_get(m->shares[0].record, "settings"), &set))
        code = refuse_record(&m->shares[0]);
    if (code == 0)
        code = pack_input_name(&in, &name, 1);
    if (code == 0)
        code = pack_plan_read(&plan);
    if (code == 0)
        code = json_tree_get(m->shares[0].record, "model")
                   ? read_model(m, &in.sources[0])
                   : read_manifest(m, &plan, &in.sources[0], &bar);
    if (code == 0)
        code = pack_input_settle(&in, &plan);
    if (code == 0)
        code = pack_build(&in, &plan, &finder, &out, &report);
    pack_input_free(&in);
    free(name);
    return code;
}

int merge_shards(char **paths, int count, const char *path, int is_trusted)
{
    merging m = {.shares = NULL};
    share *given = calloc((size_t)count, sizeof *given);
    int code = given ? 0 : complain_memory();
    for (int i = 0; i < count && code == 0; i++)
        code = open_share(&given[i], paths[i], is_trusted);
    if (code == 0)
        code = order_shares(&m, given, count);
    if (code == 0) {
        bvp_file **files = calloc(m.count, sizeof *files);
        for (uint32_t i = 0; files && i < m.count; i++)
            files[i] = m.shares[i].file;
        if (!files || part_table_fill(&m.parts, files, m.count) != 0)
            code = complain_memory();
        free(files);
    }
    if (code == 0)
        code = pack_again(&m, path);
    for (int i = 0; given && i < count; i++) {
        json_tree_close(given[i].record);
        bvp_close(given[i].file);
    }
    free(given);
    free(m.shares);
    part_table_free(&m.parts);
    return code;
}
