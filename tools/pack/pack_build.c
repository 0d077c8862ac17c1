/* SPDX-License-Identifier: MIT
 * pack_build.c: adds imported models, their parts and nodes, to one file.
 */
#include "pack/pack_build.h"

#include <stdlib.h>
#include <string.h>
#include "text/array.h"
#include "text/message.h"
#include "files/output.h"
#include "pack/pack_mesh.h"
#include "pack/pack_report.h"
#include "model/stray_names.h"

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

static void count_triangles(building *b)
{
    for (int i = 0; i < b->in->source_count; i++)
        for (uint32_t k = 0; k < b->in->sources[i].contents.mesh_count; k++)
            for (const model_mesh *mesh = &b->in->sources[i].contents.meshes[k]; mesh;
                 mesh = mesh->strays)
                b->triangle_count += mesh->triangle_count;
    progress_update(b->out->bar, "build", 0, b->triangle_count);
}

/* Adds a mesh that is packed. */
static bvp_status add_packed(building *b, const model_mesh *mesh, const char *name, uint32_t *part,
                             bvp_error *error)
{
    uint32_t there;
    int stays;
    b->dropped_count += mesh->dropped_count;
    *part = BVP_NONE;
    if (mesh->triangle_count == 0)
        return BVP_OK;
    if (b->plan->set->thin)
        return bvp_builder_add_reference(b->builder, &mesh->packed, name, NULL, part, error);
    const bvp_file *file = b->finder->find(b->finder->user, mesh, &there, &stays);
    if (file && stays)
        return bvp_builder_borrow_packed(b->builder, file, there, name, NULL, part, error);
    if (file)
        return bvp_builder_add_packed(b->builder, file, there, name, NULL, part, error);
    if (b->out->store &&
        b->out->store->store.status == BVP_ERR_NO_MEMORY) { /* why it was not found in the store */
        snprintf(error->message, sizeof error->message, "%s", bvp_status_name(BVP_ERR_NO_MEMORY));
        return BVP_ERR_NO_MEMORY;
    }
    snprintf(error->message, sizeof error->message,
             "part \"%.60s\" is no more where it was packed; pack again", name);
    return BVP_ERR_SYSTEM;
}

/* Adds a mesh and frees its memory. */
static bvp_status add_part(building *b, model_mesh *from, const char *name, uint32_t *part,
                           bvp_error *error)
{
    const bvp_mesh mesh = pack_mesh_view(from, name);
    const bvp_status status = from->is_packed
                                  ? add_packed(b, from, name, part, error)
                                  : bvp_builder_add_part(b->builder, &mesh, part, error);
    if (status != BVP_OK)
        return status;
    b->built_count += from->triangle_count;
    progress_update(b->out->bar, "build", b->built_count, b->triangle_count);
    pack_mesh_forget(from);
    return BVP_OK;
}

/* Adds the source's meshes; parts[i] is the part of mesh i. Strays record their part themselves. */
static bvp_status add_parts(building *b, pack_source *s, uint32_t *parts, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < s->contents.mesh_count && status == BVP_OK; i++) {
        model_mesh *from = &s->contents.meshes[i];
        const char *name = from->name ? from->name : s->title;
        status = add_part(b, from, name, &parts[i], error);
        for (from = from->strays; from && status == BVP_OK; from = from->strays)
            status = add_part(b, from, name, &from->part, error);
    }
    return status;
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

static bvp_status add_properties(bvp_builder *builder, const model_node *from, uint32_t node,
                                 bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < from->property_count && status == BVP_OK; k++)
        status = bvp_builder_add_property(builder, node, from->properties[k].key,
                                          from->properties[k].value, error);
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
            status = bvp_builder_add_node(b->builder, s->parent, s->name, s->source_id,
                                          s->placement, mesh->part, &node, error);
            if (status == BVP_OK && s->from)
                status = add_properties(b->builder, s->from, node, error);
            if (status == BVP_OK)
                status = bvp_builder_add_property(b->builder, node, STRAYS_KEY, "yes", error);
        }
    }
    return status;
}

/* The source's own tree, under `root`. */
static bvp_status add_tree(building *b, const pack_source *s, uint32_t root, const uint32_t *parts,
                           uint32_t *nodes, bvp_error *error)
{
    for (uint32_t i = 0; i < s->contents.node_count; i++) {
        const model_node *from = &s->contents.nodes[i];
        uint32_t parent = from->parent == BVP_NONE ? root : nodes[from->parent];
        uint32_t part = from->mesh == BVP_NONE ? BVP_NONE : parts[from->mesh];
        bvp_status status = bvp_builder_add_node(b->builder, parent, from->name, from->source_id,
                                                 from->placement, part, &nodes[i], error);
        if (status == BVP_OK)
            status = add_properties(b->builder, from, nodes[i], error);
        if (status == BVP_OK && from->mesh != BVP_NONE)
            status = note_strays(b, &(stray){.parent = parent,
                                             .name = from->name,
                                             .source_id = from->source_id,
                                             .placement = from->placement,
                                             .mesh = &s->contents.meshes[from->mesh],
                                             .from = from});
        if (status != BVP_OK)
            return status;
    }
    return BVP_OK;
}

/* One node a mesh, for formats without a tree. */
static bvp_status add_flat(building *b, const pack_source *s, uint32_t root, const uint32_t *parts,
                           bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < s->contents.mesh_count && status == BVP_OK; i++) {
        const model_mesh *mesh = &s->contents.meshes[i];
        const char *name = mesh->name ? mesh->name : s->title;
        uint32_t node;
        status = bvp_builder_add_node(b->builder, root, name, NULL, NULL, parts[i], &node, error);
        if (status == BVP_OK)
            status = note_strays(b, &(stray){.parent = root, .name = name, .mesh = mesh});
    }
    return status;
}

/* Several models get a root node each; a model of one mesh needs no group around it. */
static bvp_status add_source(building *b, pack_source *s, bvp_error *error)
{
    model *m = &s->contents;
    uint32_t root = BVP_NONE;
    uint32_t *parts = calloc((size_t)m->mesh_count + 1, sizeof *parts);
    uint32_t *nodes = calloc((size_t)m->node_count + 1, sizeof *nodes);
    const double k = s->scale, placement[12] = {k, 0, 0, 0, 0, k, 0, 0, 0, 0, k, 0};
    bvp_status status = parts && nodes ? add_parts(b, s, parts, error) : BVP_ERR_NO_MEMORY;
    int single = m->node_count == 0 && m->mesh_count == 1;
    const double *own = k == 1 ? NULL : s->placement;

    memcpy(s->placement, placement, sizeof placement);
    if (status == BVP_OK && b->in->source_count > 1)
        status = bvp_builder_add_node(b->builder, BVP_NONE, s->title, NULL, own,
                                      single ? parts[0] : BVP_NONE, &root, error);
    if (status == BVP_OK && b->in->source_count > 1 && single)
        status = note_strays(
            b, &(stray){
                   .parent = BVP_NONE, .name = s->title, .placement = own, .mesh = &m->meshes[0]});
    if (status == BVP_OK && m->node_count > 0)
        status = add_tree(b, s, root, parts, nodes, error);
    else if (status == BVP_OK && !(single && b->in->source_count > 1))
        status = add_flat(b, s, root, parts, error);
    free(parts);
    free(nodes);
    return status;
}

/* chain = hash of chain, name, size and hash of one more file. */
static void add_to_hash(uint8_t chain[16], const char *name, uint64_t size, const uint8_t hash[16])
{
    uint8_t record[16 + 16 + 16 + 8];
    memcpy(record, chain, 16);
    bvp_hash(name, strlen(name), record + 16);
    memcpy(record + 32, hash, 16);
    for (int b = 0; b < 8; b++)
        record[48 + b] = (uint8_t)(size >> (8 * b));
    bvp_hash(record, sizeof record, chain);
}

/* Identity of everything that was read. */
static void hash_sources(const building *b, uint8_t chain[16])
{
    memset(chain, 0, 16);
    if (b->plan->set->assume_unit)
        add_to_hash(chain, b->plan->set->assume_unit, 0, chain);
    if (b->plan->set->keep_strays)
        add_to_hash(chain, "keep strays", 0, chain);
    for (int i = 0; i < b->in->source_count; i++) {
        const pack_source *s = &b->in->sources[i];
        add_to_hash(chain, s->name, s->size, s->hash);
        for (uint32_t k = 0; k < s->contents.file_count; k++) {
            const model_file *file = &s->contents.files[k];
            add_to_hash(chain, file->name, file->size, file->hash);
        }
    }
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
    output file;
    bvp_error error = {0};
    int code = output_open(&file, out->path);
    if (code != 0)
        return code;
    bvp_status status = bvp_builder_finish_fd(builder, file.fd, report, &error);
    progress_stop(out->bar);
    if (out->store)
        pack_store_end_sync(out->store);
    if (status != BVP_OK)
        code = build_failure(out->path, status, &error);
    else if (out->store)
        code = pack_store_check_last(out->store);
    if (code != 0) {
        output_discard(&file);
        return code;
    }
    code = output_commit(&file);
    if (code == 0 && out->store)
        pack_store_note_output(out->store, out->path);
    return code;
}

static bvp_status new_builder(building *b, const uint8_t hash[16], const char *provenance,
                              bvp_error *error)
{
    bvp_build_options options = pack_plan_build_options(b->plan);
    options.unit_in_metres = b->in->unit_in_metres;
    options.up = b->in->up;
    options.tessellation_tolerance = b->in->tolerance;
    options.source_hash = hash;
    options.provenance = provenance;
    options.progress = show_progress;
    options.progress_user = b;
    options.thin = b->plan->set->thin;
    options.digests = b->plan->set->digests;
    options.store = b->out->store ? b->out->store->hint : "";
    options.packed_is_verified = 1; /* by the finder */
    return bvp_builder_new(&options, &b->builder, error);
}

static int build(building *b, const char *provenance, bvp_build_report *report)
{
    uint8_t hash[16];
    bvp_error error = {0};
    const int store_code = b->out->store ? b->out->store->code : 0;
    int code = 0;

    hash_sources(b, hash);
    count_triangles(b);
    if (b->out->store)
        pack_store_open_last(b->out->store);
    bvp_status status = new_builder(b, hash, provenance, &error);
    if (status != BVP_OK)
        return build_failure(b->out->path, status, &error);
    for (int i = 0; i < b->in->source_count && code == 0; i++) {
        status = add_source(b, &b->in->sources[i], &error);
        if (status != BVP_OK) {
            progress_stop(b->out->bar);
            code = pack_failure(b->in->sources[i].path, status, &error, store_code);
        }
    }
    status = code == 0 ? add_stray_nodes(b, &error) : BVP_OK;
    if (status != BVP_OK)
        code = build_failure(b->out->path, status, &error);
    if (code == 0)
        code = pack_write(b->builder, b->out, report);
    report->dropped_triangle_count += b->dropped_count;
    return code;
}

int pack_build(pack_input *in, const pack_plan *plan, const pack_finder *finder,
               const pack_output *out, bvp_build_report *report)
{
    building b = {.plan = plan, .in = in, .finder = finder, .out = out};
    char *provenance = NULL;
    int code = pack_provenance(in, plan, &provenance);
    if (code == 0)
        code = build(&b, provenance, report);
    bvp_builder_free(b.builder);
    free(b.strays);
    free(provenance);
    return code;
}
