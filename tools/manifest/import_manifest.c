/* SPDX-License-Identifier: MIT
 * import_manifest.c: a manifest's tree with the meshes that its lines name, each file read once.
 * Spec: manifest.md
 */
#include <assert.h>
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

/* ---- units ----------------------------------------------------------------------------------- */

/* The unit of the part's line, else that of its file. */
static double unit_of(const assembling *a, const manifest_part *part)
{
    return part->unit_in_metres > 0 ? part->unit_in_metres : a->files[part->file].unit_in_metres;
}

/* ---- instances ------------------------------------------------------------------------------- */

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

/* Names and places the instances. A part that is one mesh gives the mesh its name; an instance
 * without a name gets its part's. */
static bvp_status place_all(assembling *a)
{
    model *m = a->im->out;
    bvp_status status = BVP_OK;
    for (size_t i = 0; i < a->tree.part_count; i++) {
        const manifest_part *part = &a->tree.parts[i];
        const submodel *s = &a->files[part->file];
        if (s->mesh_count == 1 && name_of(part) &&
            rename_to(&m->meshes[s->first_mesh].name, name_of(part)) != 0)
            return import_no_memory(a->im);
    }
    for (uint32_t i = 0; i < a->tree.node_count && status == BVP_OK; i++) {
        const manifest_node *line = &a->tree.nodes[i];
        if (line->part == BVP_NONE)
            continue;
        assert(line->part < a->tree.part_count && i < m->node_count);
        const manifest_part *part = &a->tree.parts[line->part];
        const submodel *s = &a->files[part->file];
        const char *name = name_of(part);
        if (!name && s->mesh_count == 1)
            name = m->meshes[s->first_mesh].name;
        if (!m->nodes[i].name && name && rename_to(&m->nodes[i].name, name) != 0)
            return import_no_memory(a->im);
        /* A mesh in another unit is scaled by its placement: its coordinates stay as they are.
         * Nodes below the instance must not be scaled, so the mesh then gets a separate node. */
        const double own = unit_of(a, part), whole = m->unit_in_metres;
        uint32_t node = i;
        if (own > 0 && own != whole) {
            if (line->child_count > 0) {
                model_node *below = import_add_node(a->im);
                if (!below)
                    return import_no_memory(a->im);
                below->parent = i;
                node = m->node_count - 1;
            }
            const double scale = own / whole;
            transform_scale(m->nodes[node].placement, (double[]){scale, scale, scale});
        }
        status = submodel_place(a->im, s, node, line->at);
    }
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Parts without instances are not read. Placements are in the header's unit, else in that of the
 * first part that has one; the tolerance is the largest of the parts', in that unit. */
bvp_status import_manifest(importer *im)
{
    assembling a = {.im = im};
    manifest_tree *t = &a.tree;
    model *m = im->out;
    uint8_t *used = NULL;
    uint64_t unused = 0, unknown = 0;
    if (im->options->is_nested)
        return import_refuse(im, BVP_ERR_ARGUMENT,
                             "is a manifest, which only stands by itself; name models of shapes");
    if (!(m->format = import_text("manifest", 8)))
        return import_no_memory(im);
    bvp_status status = manifest_tree_read(im, t);
    if (status == BVP_OK) {
        used = calloc(t->file_count + 1, 1);
        a.files = calloc(t->file_count + 1, sizeof *a.files);
        if (!used || !a.files)
            status = import_no_memory(im);
    }
    for (size_t i = 0; i < t->part_count && status == BVP_OK; i++) {
        used[t->parts[i].file] |= t->parts[i].instance_count > 0;
        unused += t->parts[i].instance_count == 0;
    }
    if (status == BVP_OK)
        status = import_warn(im, unused, "parts without an instance left out");
    for (size_t i = 0; i < t->file_count && status == BVP_OK; i++) {
        const manifest_file *f = &t->files[i];
        if (used[i])
            status = submodel_read(im, im->dir ? im->dir : im->options->pipe_dir, f->path,
                                   f->format, f->at, &a.files[i]);
        import_progress(im, i + 1, t->file_count);
    }
    free(used);
    if (status == BVP_OK) {
        m->up = t->up;
        m->unit_in_metres = t->unit_in_metres;
        for (size_t i = 0; i < t->part_count; i++) {
            if (t->parts[i].instance_count == 0)
                continue;
            if (m->unit_in_metres == 0)
                m->unit_in_metres = unit_of(&a, &t->parts[i]);
            unknown += unit_of(&a, &t->parts[i]) == 0;
        }
        for (size_t i = 0; i < t->part_count; i++) {
            if (t->parts[i].instance_count == 0)
                continue;
            const double own = unit_of(&a, &t->parts[i]);
            const double scale = own > 0 && m->unit_in_metres > 0 ? own / m->unit_in_metres : 1;
            const double tolerance = a.files[t->parts[i].file].tolerance * scale;
            if (tolerance > m->tolerance)
                m->tolerance = tolerance;
        }
        if (m->unit_in_metres != 0 && !(t->unit_in_metres > 0))
            status = import_warn(
                im, unknown,
                "parts without a unit taken to be in that of the first part that has one");
    }
    if (status == BVP_OK)
        status = place_all(&a);
    for (size_t i = 0; a.files && i < t->file_count; i++)
        submodel_free(&a.files[i]);
    free(a.files);
    manifest_tree_free(t);
    return status;
}
