/* SPDX-License-Identifier: MIT
 * pack_build.c: imported models to parts and nodes of one file.
 */
#include <stdlib.h>
#include <string.h>
#include "text/message.h"
#include "files/output.h"
#include "pack/pack_job.h"
#include "model/stray_names.h"

/* Of a part, the builder counts every triangle once for each hierarchy. */
static void show_progress(void *user, const char *stage, uint64_t done, uint64_t total)
{
    pack_job *j = user;
    if (strcmp(stage, "build") == 0) {
        const uint64_t hierarchies = j->hierarchy_count > 0 ? j->hierarchy_count : 1;
        done = j->built_count + done / hierarchies;
        total = j->triangle_count;
    }
    progress_update(&j->bar, stage, done, total);
}

static void count_triangles(pack_job *j)
{
    for (int i = 0; i < j->source_count; i++)
        for (uint32_t k = 0; k < j->sources[i].contents.mesh_count; k++)
            for (const model_mesh *mesh = &j->sources[i].contents.meshes[k]; mesh;
                 mesh = mesh->strays)
                j->triangle_count += mesh->triangle_count;
    progress_update(&j->bar, "build", 0, j->triangle_count);
}

static void forget_triangles(model_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->indices);
    free(mesh->ids);
    mesh->positions = NULL;
    mesh->indices = mesh->ids = NULL;
}

static bvp_mesh mesh_of(const model_mesh *mesh, const char *name)
{
    return (bvp_mesh){.positions = mesh->positions,
                      .is_double = mesh->is_double,
                      .vertex_count = mesh->vertex_count,
                      .indices = mesh->indices,
                      .triangle_count = mesh->triangle_count,
                      .ids = mesh->ids,
                      .name = name};
}

bvp_status pack_mesh(bvp_builder *builder, model_mesh *mesh, uint32_t *part, bvp_error *error)
{
    const bvp_mesh from = mesh_of(mesh, mesh->name);
    bvp_part_info info = {.triangle_count = 0};
    const bvp_status status = bvp_builder_add_part(builder, &from, part, error);
    if (status != BVP_OK)
        return status;
    if (*part != BVP_NONE)
        bvp_builder_get_part(builder, *part, &info);
    mesh->packed = info;
    forget_triangles(mesh);
    mesh->is_packed = 1;
    mesh->dropped_count = mesh->triangle_count - info.triangle_count;
    mesh->triangle_count = info.triangle_count;
    return BVP_OK;
}

/* Adds a mesh that is packed. */
static bvp_status add_packed(pack_job *j, bvp_builder *builder, const model_mesh *mesh,
                             const char *name, uint32_t *part, bvp_error *error)
{
    uint32_t there;
    int stays;
    j->dropped_count += mesh->dropped_count;
    *part = BVP_NONE;
    if (mesh->triangle_count == 0)
        return BVP_OK;
    if (j->set->thin)
        return bvp_builder_add_reference(builder, &mesh->packed, name, NULL, part, error);
    const bvp_file *file = j->find_part(j->find_part_user, mesh, &there, &stays);
    if (file && stays)
        return bvp_builder_borrow_packed(builder, file, there, name, NULL, part, error);
    if (file)
        return bvp_builder_add_packed(builder, file, there, name, NULL, part, error);
    if (j->store.status == BVP_ERR_NO_MEMORY) { /* why it was not found in the store */
        snprintf(error->message, sizeof error->message, "%s", bvp_status_name(BVP_ERR_NO_MEMORY));
        return BVP_ERR_NO_MEMORY;
    }
    snprintf(error->message, sizeof error->message,
             "part \"%.60s\" is no more where it was packed; pack again", name);
    return BVP_ERR_SYSTEM;
}

/* Adds a mesh and gives back its memory. */
static bvp_status add_part(bvp_builder *builder, pack_job *j, model_mesh *from, const char *name,
                           uint32_t *part, bvp_error *error)
{
    const bvp_mesh mesh = mesh_of(from, name);
    const bvp_status status = from->is_packed ? add_packed(j, builder, from, name, part, error)
                                              : bvp_builder_add_part(builder, &mesh, part, error);
    if (status != BVP_OK)
        return status;
    j->built_count += from->triangle_count;
    progress_update(&j->bar, "build", j->built_count, j->triangle_count);
    forget_triangles(from);
    return BVP_OK;
}

/* Adds the source's meshes; parts[i] is the part of mesh i. Strays know theirs themselves. */
static bvp_status add_parts(bvp_builder *builder, pack_job *j, pack_source *s, uint32_t *parts,
                            bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < s->contents.mesh_count && status == BVP_OK; i++) {
        model_mesh *from = &s->contents.meshes[i];
        const char *name = from->name ? from->name : s->title;
        status = add_part(builder, j, from, name, &parts[i], error);
        for (from = from->strays; from && status == BVP_OK; from = from->strays)
            status = add_part(builder, j, from, name, &from->part, error);
    }
    return status;
}

/* A node's mesh may have strays. */
static bvp_status note_strays(pack_job *j, const pack_stray *noted)
{
    if (!noted->mesh->strays)
        return BVP_OK;
    if (j->stray_count == j->stray_capacity) {
        const size_t capacity = 2 * j->stray_capacity + 16;
        pack_stray *larger = realloc(j->strays, capacity * sizeof *larger);
        if (!larger)
            return BVP_ERR_NO_MEMORY;
        j->strays = larger;
        j->stray_capacity = capacity;
    }
    j->strays[j->stray_count++] = *noted;
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

/* Nodes of strays, behind all others: so their siblings of the same name keep their numbers. */
static bvp_status add_stray_nodes(bvp_builder *builder, const pack_job *j, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (size_t i = 0; i < j->stray_count; i++) {
        const pack_stray *s = &j->strays[i];
        for (const model_mesh *mesh = s->mesh->strays; mesh && status == BVP_OK;
             mesh = mesh->strays) {
            uint32_t node;
            if (mesh->part == BVP_NONE)
                continue;
            status = bvp_builder_add_node(builder, s->parent, s->name, s->source_id, s->placement,
                                          mesh->part, &node, error);
            if (status == BVP_OK && s->from)
                status = add_properties(builder, s->from, node, error);
            if (status == BVP_OK)
                status = bvp_builder_add_property(builder, node, STRAYS_KEY, "yes", error);
        }
    }
    return status;
}

/* The source's own tree, under `root`. */
static bvp_status add_tree(bvp_builder *builder, pack_job *j, const pack_source *s, uint32_t root,
                           const uint32_t *parts, uint32_t *nodes, bvp_error *error)
{
    for (uint32_t i = 0; i < s->contents.node_count; i++) {
        const model_node *from = &s->contents.nodes[i];
        uint32_t parent = from->parent == BVP_NONE ? root : nodes[from->parent];
        uint32_t part = from->mesh == BVP_NONE ? BVP_NONE : parts[from->mesh];
        bvp_status status = bvp_builder_add_node(builder, parent, from->name, from->source_id,
                                                 from->placement, part, &nodes[i], error);
        if (status == BVP_OK)
            status = add_properties(builder, from, nodes[i], error);
        if (status == BVP_OK && from->mesh != BVP_NONE)
            status = note_strays(j, &(pack_stray){.parent = parent,
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
static bvp_status add_flat(bvp_builder *builder, pack_job *j, const pack_source *s, uint32_t root,
                           const uint32_t *parts, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < s->contents.mesh_count && status == BVP_OK; i++) {
        const model_mesh *mesh = &s->contents.meshes[i];
        const char *name = mesh->name ? mesh->name : s->title;
        uint32_t node;
        status = bvp_builder_add_node(builder, root, name, NULL, NULL, parts[i], &node, error);
        if (status == BVP_OK)
            status = note_strays(j, &(pack_stray){.parent = root, .name = name, .mesh = mesh});
    }
    return status;
}

/* Several models get a root node each; a model of one mesh needs no group around it. */
static bvp_status add_source(bvp_builder *builder, pack_job *j, pack_source *s, bvp_error *error)
{
    model *m = &s->contents;
    uint32_t root = BVP_NONE;
    uint32_t *parts = calloc((size_t)m->mesh_count + 1, sizeof *parts);
    uint32_t *nodes = calloc((size_t)m->node_count + 1, sizeof *nodes);
    const double k = s->scale, placement[12] = {k, 0, 0, 0, 0, k, 0, 0, 0, 0, k, 0};
    bvp_status status = parts && nodes ? add_parts(builder, j, s, parts, error) : BVP_ERR_NO_MEMORY;
    int single = m->node_count == 0 && m->mesh_count == 1;
    const double *own = k == 1 ? NULL : s->placement;

    memcpy(s->placement, placement, sizeof placement);
    if (status == BVP_OK && j->source_count > 1)
        status = bvp_builder_add_node(builder, BVP_NONE, s->title, NULL, own,
                                      single ? parts[0] : BVP_NONE, &root, error);
    if (status == BVP_OK && j->source_count > 1 && single)
        status = note_strays(
            j, &(pack_stray){
                   .parent = BVP_NONE, .name = s->title, .placement = own, .mesh = &m->meshes[0]});
    if (status == BVP_OK && m->node_count > 0)
        status = add_tree(builder, j, s, root, parts, nodes, error);
    else if (status == BVP_OK && !(single && j->source_count > 1))
        status = add_flat(builder, j, s, root, parts, error);
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
static void hash_sources(const pack_job *j, uint8_t chain[16])
{
    memset(chain, 0, 16);
    if (j->set->assume_unit)
        add_to_hash(chain, j->set->assume_unit, 0, chain);
    if (j->set->keep_strays)
        add_to_hash(chain, "keep strays", 0, chain);
    for (int i = 0; i < j->source_count; i++) {
        const pack_source *s = &j->sources[i];
        add_to_hash(chain, s->name, s->size, s->hash);
        for (uint32_t k = 0; k < s->contents.file_count; k++) {
            const model_file *file = &s->contents.files[k];
            add_to_hash(chain, file->name, file->size, file->hash);
        }
    }
}

static int build_failure(const pack_job *j, const char *path, bvp_status status,
                         const bvp_error *error)
{
    if (status == BVP_ERR_SYSTEM) {
        complain(path, "%s", error->message);
        return EXIT_OUTPUT;
    }
    return pack_failure(j, path, status, error);
}

int pack_write(pack_job *j, bvp_builder *builder, const char *path)
{
    output out;
    bvp_error error = {0};
    int code = output_open(&out, path);
    if (code != 0)
        return code;
    bvp_status status = bvp_builder_finish_fd(builder, out.fd, &j->report, &error);
    j->report.dropped_triangle_count += j->dropped_count;
    progress_stop(&j->bar);
    pack_end_sync(j);
    code = status == BVP_OK ? pack_check_last(j) : build_failure(j, path, status, &error);
    if (code != 0) {
        output_discard(&out);
        return code;
    }
    code = output_commit(&out);
    if (code == 0)
        pack_note_output(j, path);
    return code;
}

bvp_build_options pack_build_options(pack_job *j)
{
    return (bvp_build_options){.thread_count = (uint32_t)j->set->jobs,
                               .leaf_size = (uint32_t)j->set->leaf,
                               .no_ids = j->set->no_ids,
                               .drop_invalid = j->set->drop_invalid,
                               .hierarchies = j->hierarchies,
                               .hierarchy_count = j->hierarchy_count,
                               .deformable = j->set->deformable};
}

int pack_build(pack_job *j, const char *path)
{
    uint8_t hash[16];
    bvp_build_options options = pack_build_options(j);
    bvp_builder *builder = NULL;
    bvp_error error = {0};
    int code = 0;

    hash_sources(j, hash);
    options.unit_in_metres = j->unit_in_metres;
    options.up = j->up;
    options.tessellation_tolerance = j->tolerance;
    options.source_hash = hash;
    options.provenance = j->provenance;
    options.progress = show_progress;
    options.progress_user = j;
    options.thin = j->set->thin;
    options.digests = j->set->digests;
    options.store = j->store_hint;
    options.packed_is_verified = 1; /* by find_part */
    count_triangles(j);
    pack_open_last(j);
    bvp_status status = bvp_builder_new(&options, &builder, &error);
    if (status != BVP_OK)
        return build_failure(j, path, status, &error);
    for (int i = 0; i < j->source_count && code == 0; i++) {
        status = add_source(builder, j, &j->sources[i], &error);
        if (status != BVP_OK) {
            progress_stop(&j->bar);
            code = pack_failure(j, j->sources[i].path, status, &error);
        }
    }
    status = code == 0 ? add_stray_nodes(builder, j, &error) : BVP_OK;
    if (status != BVP_OK)
        code = build_failure(j, path, status, &error);
    if (code == 0)
        code = pack_write(j, builder, path);
    bvp_builder_free(builder);
    return code;
}
