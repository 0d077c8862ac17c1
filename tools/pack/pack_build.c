/* SPDX-License-Identifier: MIT
 * pack_build.c: adds imported models, their parts and nodes, to one file.
 */
#include "pack/pack_build.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "text/array.h"
#include "text/colour_runs.h"
#include "text/message.h"
#include "text/primitive_names.h"
#include "files/output.h"
#include "pack/pack_mesh.h"
#include "pack/pack_report.h"
#include "model/import.h"
#include "model/stray_names.h"
#include "stream/triangle_stream.h"

/* A node that is added after all others, for strays: triangles far outside a node's part get the
 * placement, names and properties of that node. */
typedef struct stray {
    uint32_t parent;
    const char *name, *source_id;
    const double *placement; /* or NULL */
    const model_mesh *mesh;  /* the node whose strays these are */
    const model_node *from;  /* or NULL: it has no properties */
} stray;

typedef struct building {
    const pack_plan *plan;
    pack_input *in;
    const pack_finder *finder;
    const pack_output *out;
    bvp_builder *builder;
    uint64_t triangle_count, built_count; /* read; of these, in the builder */
    uint64_t dropped_count;               /* triangles, of packed meshes */
    const uint32_t *streamed;             /* the one part, which the builder has; or NULL */
    stray *strays;
    size_t stray_count, stray_capacity;
} building;

/* The builder counts every triangle of a part once for each hierarchy. */
static void show_progress(void *user, const char *stage, uint64_t done, uint64_t total)
{
    building *b = user;
    if (strcmp(stage, "build") == 0) {
        const uint64_t hierarchies = b->plan->hierarchy_count > 0 ? b->plan->hierarchy_count : 1;
        done = b->built_count + done / hierarchies;
        total = b->triangle_count;
    }
    progress_update(b->out->bar, stage, done, total);
}

/* Adds a mesh of model `in` and frees its memory. *part: BVP_NONE for a packed mesh without
 * triangles. */
static bvp_status add_part(building *b, const model *in, model_mesh *from, const char *name,
                           uint32_t *part, bvp_error *error)
{
    bvp_status status = BVP_OK;
    *part = b->streamed ? *b->streamed : BVP_NONE;
    if (b->streamed)
        return BVP_OK;
    if (from->is_packed)
        b->dropped_count += from->dropped_count; /* the builder has not seen these */
    if (!from->is_packed) {
        bvp_mesh mesh = pack_mesh_view(from, name);
        mesh.buffers = in->buffers ? in->buffers + from->first_buffers : NULL;
        mesh.buffer_count = from->buffer_count;
        status = bvp_builder_add_part(b->builder, &mesh, part, error);
    } else if (from->triangle_count > 0 && b->plan->set->thin) {
        status = bvp_builder_add_reference(b->builder, &from->packed, name, NULL, part, error);
    } else if (from->triangle_count > 0) {
        uint32_t there;
        int stays;
        assert(b->finder);
        const bvp_file *file = b->finder->find(b->finder->user, from, &there, &stays);
        if (file && stays) {
            status = bvp_builder_add_packed(
                b->builder,
                &(bvp_packed_part){.file = file, .part = there, .name = name, .borrow = 1}, part,
                error);
        } else if (file) {
            status = bvp_builder_add_packed(
                b->builder, &(bvp_packed_part){.file = file, .part = there, .name = name}, part,
                error);
        } else if (b->out->store && b->out->store->store.status == BVP_ERR_NO_MEMORY) {
            status = BVP_ERR_NO_MEMORY; /* why it was not found in the store */
            snprintf(error->message, sizeof error->message, "%s", bvp_status_name(status));
        } else {
            status = BVP_ERR_SYSTEM;
            snprintf(error->message, sizeof error->message,
                     "part \"%.60s\" is no more where it was packed; pack again", name);
        }
    }
    if (status != BVP_OK)
        return status;
    b->built_count += from->triangle_count;
    assert(b->built_count <= b->triangle_count);
    progress_update(b->out->bar, "build", b->built_count, b->triangle_count);
    model_mesh_forget(from);
    return BVP_OK;
}

/* A node's mesh may have strays. */
static bvp_status note_strays(building *b, const stray *noted)
{
    if (!noted->mesh->strays)
        return BVP_OK;
    if (array_grow(&b->strays, &b->stray_capacity, b->stray_count + 1, sizeof *b->strays) != 0)
        return BVP_ERR_NO_MEMORY;
    b->strays[b->stray_count++] = *noted;
    return BVP_OK;
}

/* Is it about some triangles by their numbers, which this file does not keep? */
static int needs_ids(const char *key, const char *value)
{
    return (strcmp(key, COLOURS_KEY) == 0 && strchr(value, ' ')) ||
           (strcmp(key, PRIMITIVES_KEY) == 0 && strstr(value, "],["));
}

static bvp_status add_property(building *b, uint32_t node, const char *key, const char *value,
                               bvp_error *error)
{
    if (b->plan->set->no_ids && needs_ids(key, value))
        return BVP_OK;
    if (!b->plan->set->asset_numbers && strcmp(key, ASSET_KEY) == 0)
        return BVP_OK;
    return bvp_builder_add_property(b->builder, node, key, value, error);
}

/* Those of a model's node, or NULL, and the colours of its mesh, or NULL, unless it has its own. */
static bvp_status add_properties(building *b, const model_node *from, const model_mesh *mesh,
                                 uint32_t node, bvp_error *error)
{
    bvp_status status = BVP_OK;
    int has_colours = 0;
    for (uint32_t k = 0; from && k < from->property_count && status == BVP_OK; k++) {
        const model_property *p = &from->properties[k];
        has_colours |= strcmp(p->key, COLOURS_KEY) == 0;
        status = add_property(b, node, p->key, p->value, error);
    }
    if (status == BVP_OK && mesh && mesh->colours && !has_colours)
        status = add_property(b, node, COLOURS_KEY, mesh->colours, error);
    return status;
}

/* Nodes of strays come after all others, so that siblings with the same name keep their numbers. */
static bvp_status add_stray_nodes(building *b, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (size_t i = 0; i < b->stray_count; i++) {
        const stray *s = &b->strays[i];
        for (const model_mesh *mesh = s->mesh->strays; mesh && status == BVP_OK;
             mesh = mesh->strays) {
            uint32_t node;
            if (mesh->part == BVP_NONE)
                continue;
            status = bvp_builder_add_node(b->builder,
                                          &(bvp_new_node){.parent = s->parent,
                                                          .name = s->name,
                                                          .source_id = s->source_id,
                                                          .placement = s->placement,
                                                          .part = mesh->part},
                                          &node, error);
            if (status == BVP_OK)
                status = add_properties(b, s->from, s->mesh, node, error);
            if (status == BVP_OK)
                status = bvp_builder_add_property(b->builder, node, STRAYS_KEY, "yes", error);
        }
    }
    return status;
}

/* Adds a source's parts, then its tree; for formats without a tree, one node a mesh. Several models
 * get a root node each; a model of one mesh needs no group around it. */
static bvp_status add_source(building *b, pack_source *s, bvp_error *error)
{
    model *m = &s->contents;
    uint32_t root = BVP_NONE;
    uint32_t *parts = calloc((size_t)m->mesh_count + 1, sizeof *parts); /* of each mesh */
    uint32_t *nodes = calloc((size_t)m->node_count + 1, sizeof *nodes);
    const double k = s->scale, placement[12] = {k, 0, 0, 0, 0, k, 0, 0, 0, 0, k, 0};
    const int has_root = b->in->source_count > 1;
    const int single = m->node_count == 0 && m->mesh_count == 1;
    const double *own = k == 1 ? NULL : s->placement;
    bvp_status status = parts && nodes ? BVP_OK : BVP_ERR_NO_MEMORY;

    for (uint32_t i = 0; i < m->mesh_count && status == BVP_OK; i++) {
        model_mesh *from = &m->meshes[i];
        const char *name = from->name ? from->name : s->title;
        status = add_part(b, m, from, name, &parts[i], error);
        /* strays record their part themselves, for add_stray_nodes */
        for (from = from->strays; from && status == BVP_OK; from = from->strays)
            status = add_part(b, m, from, name, &from->part, error);
    }
    memcpy(s->placement, placement, sizeof placement);
    if (status == BVP_OK && has_root)
        status = bvp_builder_add_node(b->builder,
                                      &(bvp_new_node){.parent = BVP_NONE,
                                                      .name = s->title,
                                                      .placement = own,
                                                      .part = single ? parts[0] : BVP_NONE},
                                      &root, error);
    if (status == BVP_OK && has_root && single && parts[0] != BVP_NONE)
        status = add_properties(b, NULL, &m->meshes[0], root, error);
    if (status == BVP_OK && has_root && single)
        status = note_strays(
            b, &(stray){
                   .parent = BVP_NONE, .name = s->title, .placement = own, .mesh = &m->meshes[0]});
    for (uint32_t i = 0; i < m->node_count && status == BVP_OK; i++) {
        const model_node *from = &m->nodes[i];
        assert(from->parent == BVP_NONE || from->parent < i); /* parents come first */
        assert(from->mesh == BVP_NONE || from->mesh < m->mesh_count);
        const uint32_t parent = from->parent == BVP_NONE ? root : nodes[from->parent];
        const uint32_t part = from->mesh == BVP_NONE ? BVP_NONE : parts[from->mesh];
        status = bvp_builder_add_node(b->builder,
                                      &(bvp_new_node){.parent = parent,
                                                      .name = from->name,
                                                      .source_id = from->source_id,
                                                      .placement = from->placement,
                                                      .part = part},
                                      &nodes[i], error);
        const model_mesh *mesh = from->mesh == BVP_NONE ? NULL : &m->meshes[from->mesh];
        if (status == BVP_OK)
            status = add_properties(b, from, part == BVP_NONE ? NULL : mesh, nodes[i], error);
        if (status == BVP_OK && from->mesh != BVP_NONE)
            status = note_strays(b, &(stray){.parent = parent,
                                             .name = from->name,
                                             .source_id = from->source_id,
                                             .placement = from->placement,
                                             .mesh = mesh,
                                             .from = from});
    }
    const int is_flat = m->node_count == 0 && !(single && has_root);
    for (uint32_t i = 0; is_flat && i < m->mesh_count && status == BVP_OK; i++) {
        const model_mesh *mesh = &m->meshes[i];
        const char *name = mesh->name ? mesh->name : s->title;
        uint32_t node;
        status = bvp_builder_add_node(
            b->builder, &(bvp_new_node){.parent = root, .name = name, .part = parts[i]}, &node,
            error);
        if (status == BVP_OK && parts[i] != BVP_NONE)
            status = add_properties(b, NULL, mesh, node, error);
        if (status == BVP_OK)
            status = note_strays(b, &(stray){.parent = root, .name = name, .mesh = mesh});
    }
    free(parts);
    free(nodes);
    return status;
}

/* chain = hash of chain, name, size and hash of one more file. */
void pack_add_to_hash(uint8_t chain[16], const char *name, uint64_t size, const uint8_t hash[16])
{
    uint8_t record[16 + 16 + 16 + 8];
    memcpy(record, chain, 16);
    bvp_hash(name, strlen(name), record + 16);
    memcpy(record + 32, hash, 16);
    for (int b = 0; b < 8; b++)
        record[48 + b] = (uint8_t)(size >> (8 * b));
    bvp_hash(record, sizeof record, chain);
}

void pack_begin_hash(uint8_t hash[16], const char *assume_unit, int keep_strays, int asset_numbers)
{
    if (assume_unit)
        pack_add_to_hash(hash, assume_unit, 0, hash);
    if (keep_strays)
        pack_add_to_hash(hash, "keep strays", 0, hash);
    if (asset_numbers)
        pack_add_to_hash(hash, "asset numbers", 0, hash);
}

static int build_failure(const char *path, bvp_status status, const bvp_error *error)
{
    if (status == BVP_ERR_SYSTEM) {
        complain(path, "%s", error->message);
        return EXIT_OUTPUT;
    }
    return pack_failure(path, status, error, 0);
}

int pack_write(bvp_builder *builder, const pack_output *out, bvp_build_report *report)
{
    pack_store *store = out->store;
    output file;
    bvp_error error = {0};
    int code = output_open(&file, out->path);
    if (code != 0)
        return code;
    bvp_status status = bvp_builder_finish_fd(builder, file.fd, report, &error);
    progress_stop(out->bar);
    if (store)
        pack_store_end_sync(store);
    if (status != BVP_OK) {
        code = build_failure(out->path, status, &error);
    } else if (store && !last_output_is_as_it_was(&store->last)) {
        complain(NULL,
                 "the last output was written to while parts were copied from it; pack again");
        code = EXIT_INPUT;
    }
    if (code != 0) {
        output_discard(&file);
        return code;
    }
    code = output_commit(&file);
    if (code == 0 && store && !store->plan->set->thin && strcmp(out->path, "-") != 0)
        last_output_note(&store->store, store->output_key, out->path);
    return code;
}

/* Of everything that was read, and of options that the builder does not know. */
static void identify(const pack_input *in, const pack_plan *plan, uint8_t identity[16])
{
    memset(identity, 0, 16);
    pack_begin_hash(identity, plan->set->assume_unit, plan->set->keep_strays,
                    plan->set->asset_numbers);
    for (int i = 0; i < in->source_count; i++) {
        const pack_source *s = &in->sources[i];
        pack_add_to_hash(identity, s->name, s->size, s->hash);
        for (uint32_t k = 0; k < s->contents.file_count; k++) {
            const model_file *file = &s->contents.files[k];
            pack_add_to_hash(identity, file->name, file->size, file->hash);
        }
    }
}

static bvp_build_options options_of(building *b)
{
    bvp_build_options options = pack_plan_build_options(b->plan);
    options.progress = show_progress;
    options.progress_user = b;
    options.thin = b->plan->set->thin;
    options.digests = b->plan->set->digests;
    options.store = b->out->store ? b->out->store->hint : "";
    options.packed_is_verified = 1; /* by the finder */
    return options;
}

static void set_source(bvp_build_options *options, const pack_input *in, const uint8_t *identity,
                       const char *provenance)
{
    options->unit_in_metres = in->unit_in_metres;
    options->up = in->up;
    options->tessellation_tolerance = in->tolerance;
    options->source_hash = identity;
    options->provenance = provenance;
}

/* ---- models in memory ------------------------------------------------------------------------ */

int pack_build(pack_input *in, const pack_plan *plan, const pack_finder *finder,
               const pack_output *out, bvp_build_report *report)
{
    building b = {.plan = plan, .in = in, .finder = finder, .out = out};
    bvp_error error = {0};
    uint8_t identity[16];
    char *provenance = NULL;
    int code = pack_provenance(in, plan, &provenance);
    if (code != 0) {
        free(provenance);
        return code;
    }
    identify(in, plan, identity);
    for (int i = 0; i < in->source_count; i++)
        for (uint32_t k = 0; k < in->sources[i].contents.mesh_count; k++)
            for (const model_mesh *mesh = &in->sources[i].contents.meshes[k]; mesh;
                 mesh = mesh->strays)
                b.triangle_count += mesh->triangle_count;
    progress_update(out->bar, "build", 0, b.triangle_count);
    if (out->store && !plan->set->thin)
        last_output_open(&out->store->last, &out->store->store, out->store->output_key);

    bvp_build_options options = options_of(&b);
    set_source(&options, in, identity, provenance);
    bvp_status status = bvp_builder_new(&options, &b.builder, &error);
    if (status != BVP_OK)
        code = build_failure(out->path, status, &error);
    for (int i = 0; i < in->source_count && code == 0; i++) {
        status = add_source(&b, &in->sources[i], &error);
        if (status != BVP_OK) {
            progress_stop(out->bar);
            code = pack_failure(in->sources[i].path, status, &error,
                                out->store ? out->store->code : 0);
        }
    }
    if (code == 0) {
        status = add_stray_nodes(&b, &error);
        if (status != BVP_OK)
            code = build_failure(out->path, status, &error);
    }
    if (code == 0)
        code = pack_write(b.builder, out, report);
    report->dropped_triangle_count += b.dropped_count;
    bvp_builder_free(b.builder);
    free(b.strays);
    free(provenance);
    return code;
}

/* ---- a stream of triangles ------------------------------------------------------------------- */

typedef struct streaming {
    triangle_stream *from;
    bvp_triangle_stream to;
    const char *title; /* of a mesh without a name */
} streaming;

/* A bvp_triangle_stream.next. At the end the model is complete, and its mesh has its name. */
static bvp_status next_triangles(void *user, void *corners, uint32_t *ids, uint32_t room,
                                 uint32_t *count, bvp_error *error)
{
    streaming *s = user;
    size_t got = 0;
    const bvp_status status = triangle_stream_next(s->from, corners, ids, room, &got, error);
    const model *m = triangle_stream_model(s->from);
    *count = (uint32_t)got;
    if (status == BVP_OK && got == 0)
        s->to.name = m->mesh_count > 0 && m->meshes[0].name ? m->meshes[0].name : s->title;
    return status;
}

/* Bytes of temporary files a triangle, at the most that they take at one time, where neighbours in
 * the stream share vertices. Where they share none it is 130. */
enum { USUAL_BYTES = 30 };

/* Packs the stream's triangles; then the model, which is complete, is the source's contents. */
static int take_stream(building *b, streaming *s, pack_source *source, uint32_t *part)
{
    uint64_t stray_count = 0;
    double stray_factor = 1;
    bvp_error error = {0};
    s->to = (bvp_triangle_stream){.next = next_triangles,
                                  .user = s,
                                  .is_double = triangle_stream_is_double(s->from),
                                  .triangle_count = triangle_stream_total(s->from),
                                  .state = b->plan->set->state,
                                  .key = source->path,
                                  .deal_only = b->plan->set->deal,
                                  .stray_count = &stray_count,
                                  .stray_factor = &stray_factor,
                                  .refuse_strays =
                                      !b->plan->set->keep_strays && !b->plan->set->deformable};
    bvp_status status = bvp_builder_add_stream(b->builder, &s->to, part, &error);
    if (status == BVP_ERR_SYSTEM && error.sys_errno == ENOSPC) {
        progress_stop(b->out->bar);
        complain(source->path, "%s; name a folder with more room by --tmp", error.message);
        return EXIT_OUTPUT;
    }
    if (status == BVP_OK && b->plan->set->deal)
        return 0;
    if (status == BVP_OK)
        status = triangle_stream_hash(s->from, source->hash, &source->size, &error);
    if (status == BVP_OK) { /* it is the source's from here on */
        source->contents = *triangle_stream_model(s->from);
        *triangle_stream_model(s->from) = (model){0};
        importer im = {.out = &source->contents, .error = &error};
        if (stray_count > 0)
            status = import_warn_strays(&im, stray_count, stray_factor, 0);
    }
    if (status == BVP_OK)
        return 0;
    progress_stop(b->out->bar);
    if (status == BVP_ERR_LIMIT && strstr(error.message, "lie so far outside")) {
        complain(source->path,
                 "%s; --keep-strays packs them so; without --memory they get a part of their own",
                 error.message);
        return EXIT_LIMIT;
    }
    return pack_failure(source->path, status, &error, 0);
}

/* Builds a share of what is dealt; the model is opened, but not read. */
static int build_share(building *b, const streaming *s, const pack_source *source)
{
    bvp_error error = {0};
    const bvp_triangle_stream stream = {.next = next_triangles,
                                        .is_double = triangle_stream_is_double(s->from),
                                        .state = b->plan->set->state,
                                        .key = source->path};
    const bvp_status status = bvp_builder_build_share(b->builder, &stream, b->plan->shard.index,
                                                      b->plan->shard.count, &error);
    if (status == BVP_OK)
        return 0;
    progress_stop(b->out->bar);
    complain(b->plan->set->state, "%s%s", error.message,
             strstr(error.message, "not dealt") ? "; run the same command with --deal before" : "");
    return status == BVP_ERR_SYSTEM                                 ? EXIT_OUTPUT
           : status == BVP_ERR_NO_MEMORY || status == BVP_ERR_LIMIT ? EXIT_LIMIT
                                                                    : EXIT_INPUT;
}

/* The folder of temporary files: that of --tmp, or the output's. */
static int choose_folder(const pack_plan *plan, const pack_output *out, char folder[4096])
{
    const char *from_user = getenv("TMPDIR");
    int size;
    if (plan->set->state && !plan->set->temporary)
        size = folder_of(plan->set->state, folder, 4096) == 0 ? (int)strlen(folder) : 4096;
    else if (plan->set->temporary)
        size = snprintf(folder, 4096, "%s", plan->set->temporary);
    else if (strcmp(out->path, "-") == 0 || !*out->path)
        size = snprintf(folder, 4096, "%s", from_user && *from_user ? from_user : "/tmp");
    else
        size = folder_of(out->path, folder, 4096) == 0 ? (int)strlen(folder) : 4096;
    if (size >= 4096) {
        complain("--tmp", "the name is too long");
        return EXIT_USAGE;
    }
    if (size == 0)
        snprintf(folder, 4096, ".");
    return 0;
}

/* Says how much room temporary files will take, and whether it is there. */
static int tell_room(const building *b, const char *path, uint64_t count, const char *folder)
{
    struct statvfs disk;
    const double usual = (double)count * USUAL_BYTES, gib = 0x1p30;
    if (statvfs(folder, &disk) != 0) {
        complain(folder, "no place for temporary files: %s; name another by --tmp",
                 strerror(errno));
        return EXIT_OUTPUT;
    }
    const double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    if (!b->plan->set->quiet && count > 0 && isatty(STDERR_FILENO))
        fprintf(stderr,
                "%s: %.3g million triangles; some %.2g GiB of temporary files in %s, where %.3g "
                "GiB are free\n",
                path, (double)count / 1e6, usual / gib, folder, free_bytes / gib);
    if (usual <= free_bytes)
        return 0;
    complain(folder,
             "some %.3g GiB of temporary files are needed, and %.3g GiB are free; name a folder "
             "with more room by --tmp",
             usual / gib, free_bytes / gib);
    return EXIT_OUTPUT;
}

int pack_build_stream(pack_input *in, const pack_plan *plan, const pack_output *out,
                      bvp_build_report *report)
{
    char folder[4096];
    building b = {.plan = plan, .in = in, .out = out};
    pack_source *source = &in->sources[0];
    streaming s = {.title = source->title};
    bvp_error error = {0};
    uint8_t identity[16];
    uint32_t part = BVP_NONE;
    char *provenance = NULL;
    const import_options import = pack_import_options(plan, source, out->bar);
    assert(in->source_count == 1 && !out->store);
    int code = choose_folder(plan, out, folder);
    if (code != 0)
        return code;
    bvp_status status = triangle_stream_open(source->path, &import, folder, &s.from, &error);
    if (status != BVP_OK)
        return pack_failure(source->path, status, &error, 0);
    bvp_build_options options = options_of(&b);
    options.memory = plan->memory;
    options.temporary = folder;
    b.triangle_count = triangle_stream_total(s.from);
    code = tell_room(&b, source->path, b.triangle_count, folder);
    if (code == 0) {
        status = bvp_builder_new(&options, &b.builder, &error);
        code = status == BVP_OK ? 0 : pack_failure(source->path, status, &error, 0);
    }
    if (code == 0 && plan->shard.count > 0)
        code = build_share(&b, &s, source);
    else if (code == 0)
        code = take_stream(&b, &s, source, &part);
    if (code != 0 || plan->shard.count > 0 || plan->set->deal) {
        bvp_builder_free(b.builder);
        triangle_stream_close(s.from);
        return code;
    }
    b.streamed = &part;
    if (code == 0)
        code = pack_input_settle(in, plan);
    if (code == 0)
        code = pack_provenance(in, plan, &provenance);
    if (code == 0) {
        identify(in, plan, identity);
        set_source(&options, in, identity, provenance);
        status = bvp_builder_set_source(b.builder, &options, &error);
        if (status == BVP_OK)
            status = add_source(&b, source, &error);
        code = status == BVP_OK ? 0 : build_failure(out->path, status, &error);
    }
    if (code == 0)
        code = pack_write(b.builder, out, report);
    if (code == 0 && plan->set->state)
        bvp_builder_remove_state(plan->set->state);
    bvp_builder_free(b.builder);
    triangle_stream_close(s.from);
    free(provenance);
    return code;
}
