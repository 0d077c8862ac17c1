/* SPDX-License-Identifier: MIT
 * import_manifest.c: a manifest's tree with the meshes that its lines name, each file read once.
 * Spec: manifest.md
 */
#include <stdlib.h>
#include <string.h>
#include "manifest/manifest_tree.h"
#include "model/submodel.h"
#include "model/transform.h"

typedef struct assembling {
    importer *im;
    manifest_tree tree;
    submodel *files; /* one for each of the tree's */
} assembling;

/* ---- files ----------------------------------------------------------------------------------- */

/* Parts without instances are not read. */
static bvp_status mark_used(assembling *a, uint8_t *used)
{
    uint64_t unused = 0;
    for (size_t i = 0; i < a->tree.part_count; i++) {
        const manifest_part *part = &a->tree.parts[i];
        used[part->file] |= part->instance_count > 0;
        unused += part->instance_count == 0;
    }
    return import_warn(a->im, unused, "parts without an instance left out");
}

static bvp_status read_files(assembling *a)
{
    const char *dir = a->im->dir ? a->im->dir : a->im->options->pipe_dir;
    uint8_t *used = calloc(a->tree.file_count + 1, 1);
    a->files = calloc(a->tree.file_count + 1, sizeof *a->files);
    bvp_status status = used && a->files ? mark_used(a, used) : import_no_memory(a->im);
    for (size_t i = 0; i < a->tree.file_count && status == BVP_OK; i++) {
        const manifest_file *f = &a->tree.files[i];
        if (used[i])
            status = submodel_read(a->im, dir, f->path, f->format, f->at, &a->files[i]);
        import_progress(a->im, i + 1, a->tree.file_count);
    }
    free(used);
    return status;
}

/* ---- units ----------------------------------------------------------------------------------- */

/* The unit of the part's line, else that of its file. */
static double unit_of(const assembling *a, const manifest_part *part)
{
    return part->unit_in_metres > 0 ? part->unit_in_metres : a->files[part->file].unit_in_metres;
}

/* The largest of the parts', in the whole's unit. */
static void settle_tolerance(assembling *a)
{
    model *m = a->im->out;
    for (size_t i = 0; i < a->tree.part_count; i++) {
        const manifest_part *part = &a->tree.parts[i];
        if (part->instance_count == 0)
            continue;
        const double own = unit_of(a, part);
        const double scale = own > 0 && m->unit_in_metres > 0 ? own / m->unit_in_metres : 1;
        const double tolerance = a->files[part->file].tolerance * scale;
        if (tolerance > m->tolerance)
            m->tolerance = tolerance;
    }
}

/* Placements are in the header's unit, else in that of the first part that has one. */
static bvp_status settle_unit(assembling *a)
{
    model *m = a->im->out;
    uint64_t unknown = 0;
    m->up = a->tree.up;
    m->unit_in_metres = a->tree.unit_in_metres;
    for (size_t i = 0; i < a->tree.part_count; i++) {
        const manifest_part *part = &a->tree.parts[i];
        if (part->instance_count == 0)
            continue;
        if (m->unit_in_metres == 0)
            m->unit_in_metres = unit_of(a, part);
        unknown += unit_of(a, part) == 0;
    }
    settle_tolerance(a);
    if (m->unit_in_metres == 0 || a->tree.unit_in_metres > 0)
        return BVP_OK;
    return import_warn(a->im, unknown,
                       "parts without a unit taken to be in that of the first part that has one");
}

/* ---- instances ------------------------------------------------------------------------------- */

static uint32_t add_below(importer *im, uint32_t parent)
{
    model_node *node = import_add_node(im);
    if (!node)
        return BVP_NONE;
    node->parent = parent;
    return im->out->node_count - 1;
}

/* A mesh in another unit is scaled by its placement: its coordinates stay as they are. Nodes below
 * the instance must not be scaled, so the mesh then gets a separate node. */
static bvp_status place(assembling *a, uint32_t node, const manifest_node *line)
{
    const manifest_part *part = &a->tree.parts[line->part];
    const double own = unit_of(a, part), whole = a->im->out->unit_in_metres;
    if (own > 0 && own != whole) {
        if (line->child_count > 0)
            node = add_below(a->im, node);
        if (node == BVP_NONE)
            return import_no_memory(a->im);
        const double scale = own / whole;
        transform_scale(a->im->out->nodes[node].placement, (double[]){scale, scale, scale});
    }
    return submodel_place(a->im, &a->files[part->file], node, line->at);
}

/* The name of a part, or a name made of its id. */
static const char *name_of(const manifest_part *part)
{
    return part->common.name ? part->common.name : part->common.source_id;
}

static int rename_to(char **name, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return -1;
    free(*name);
    *name = copy;
    return 0;
}

/* A part that is one mesh gives the mesh its name; an instance without a name gets its part's. */
static bvp_status name_parts(assembling *a)
{
    for (size_t i = 0; i < a->tree.part_count; i++) {
        const manifest_part *part = &a->tree.parts[i];
        const submodel *s = &a->files[part->file];
        if (s->mesh_count == 1 && name_of(part) &&
            rename_to(&a->im->out->meshes[s->first_mesh].name, name_of(part)) != 0)
            return import_no_memory(a->im);
    }
    return BVP_OK;
}

static bvp_status name_node(assembling *a, uint32_t node, const manifest_node *line)
{
    const manifest_part *part = &a->tree.parts[line->part];
    const submodel *s = &a->files[part->file];
    const char *name = name_of(part);
    model_node *n = &a->im->out->nodes[node];
    if (!name && s->mesh_count == 1)
        name = a->im->out->meshes[s->first_mesh].name;
    if (!n->name && name && rename_to(&n->name, name) != 0)
        return import_no_memory(a->im);
    return BVP_OK;
}

static bvp_status place_all(assembling *a)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < a->tree.node_count && status == BVP_OK; i++) {
        const manifest_node *line = &a->tree.nodes[i];
        if (line->part == BVP_NONE)
            continue;
        status = name_node(a, i, line);
        if (status == BVP_OK)
            status = place(a, i, line);
    }
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

bvp_status import_manifest(importer *im)
{
    assembling a = {.im = im};
    if (im->options->is_nested)
        return import_refuse(im, BVP_ERR_ARGUMENT,
                             "is a manifest, which only stands by itself; name models of shapes");
    if (!(im->out->format = import_text("manifest", 8)))
        return import_no_memory(im);
    bvp_status status = manifest_tree_read(im, &a.tree);
    if (status == BVP_OK)
        status = read_files(&a);
    if (status == BVP_OK)
        status = settle_unit(&a);
    if (status == BVP_OK)
        status = name_parts(&a);
    if (status == BVP_OK)
        status = place_all(&a);
    for (size_t i = 0; a.files && i < a.tree.file_count; i++)
        submodel_free(&a.files[i]);
    free(a.files);
    manifest_tree_free(&a.tree);
    return status;
}
