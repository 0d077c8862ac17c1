/* SPDX-License-Identifier: MIT
 * manifest_tree.c: builds the product tree of a manifest: maps ids to nodes and parts, which may be
 * on later lines than the references to them.
 *
 * Lines are read once. A reference to an id that is not yet known waits in a list, which is settled
 * at the end. Then the nodes are ordered so that each comes after its parent, as a model requires:
 * from each node that has no place, its ancestors without one go onto a stack and are placed from
 * the top down. A walk that meets a node of its own stack has found a cycle. So ordering takes
 * linear time, at any depth of the tree.
 * Spec: manifest.md
 */
#include "manifest/manifest_tree.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "manifest/manifest.h"
#include "model/name_table.h"
#include "model/properties.h"
#include "model/transform.h"
#include "text/array.h"

/* A reference to an id that has not come yet. */
typedef struct pending {
    uint32_t node;
    int to_part; /* else to its parent */
    char *id;
} pending;

typedef struct reading {
    importer *im;
    manifest_tree *tree;
    name_table part_ids, node_ids, files;
    pending *pending;
    size_t pending_count, pending_capacity;
} reading;

/* ---- parts ----------------------------------------------------------------------------------- */

/* The content of a line about a part or an instance. */
static int read_texts(const manifest_record *line, model_node *out)
{
    int bad = 0;
    if (line->name)
        bad |= !(out->name = import_text(line->name, strlen(line->name)));
    if (line->id)
        bad |= !(out->source_id = import_text(line->id, strlen(line->id)));
    if (line->part_number)
        bad |= property_add(out, "part_number", line->part_number, strlen(line->part_number));
    if (line->revision)
        bad |= property_add(out, "revision", line->revision, strlen(line->revision));
    return bad || property_add_members(out, line->properties) ? -1 : 0;
}

/* The line's mesh as a part. A mesh file is read once for each format that it is read as. */
static bvp_status add_part(reading *r, const manifest_record *line, uint32_t *out)
{
    manifest_tree *t = r->tree;
    char key[4200];
    uint32_t file = (uint32_t)t->file_count;
    const char *format = line->format ? line->format : "";
    if (snprintf(key, sizeof key, "%s/%s", format, line->mesh) >= (int)sizeof key)
        return import_refuse_line(r->im, BVP_ERR_LIMIT, line->at, "\"mesh\": the path is too long");
    if (name_table_put(&r->files, key, &file) != 0)
        return import_no_memory(r->im);
    if (file == t->file_count) {
        if (array_grow(&t->files, &t->file_capacity, t->file_count + 1, sizeof *t->files) != 0)
            return import_no_memory(r->im);
        manifest_file *f = &t->files[t->file_count++];
        *f = (manifest_file){.path = strdup(line->mesh),
                             .format = line->format ? strdup(line->format) : NULL,
                             .at = line->at};
        if (!f->path || (!f->format && line->format))
            return import_no_memory(r->im);
    }
    assert(file < t->file_count);
    if (array_grow(&t->parts, &t->part_capacity, t->part_count + 1, sizeof *t->parts) != 0)
        return import_no_memory(r->im);
    *out = (uint32_t)t->part_count++;
    t->parts[*out] = (manifest_part){.file = file, .unit_in_metres = line->unit_in_metres};
    return BVP_OK;
}

static bvp_status refuse_twice(reading *r, const manifest_record *line)
{
    return import_refuse_line(r->im, BVP_ERR_CORRUPT, line->at,
                              "the id \"%.60s\" stands on an earlier line, too; ids of parts, and "
                              "those of all that is placed, must differ",
                              line->id);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bvp_status refer_later(reading *r, uint32_t node, int to_part, const char *id)
{
    if (array_grow(&r->pending, &r->pending_capacity, r->pending_count + 1, sizeof *r->pending))
        return import_no_memory(r->im);
    char *copy = strdup(id);
    if (!copy)
        return import_no_memory(r->im);
    r->pending[r->pending_count++] = (pending){node, to_part, copy};
    return BVP_OK;
}

static void use_part(reading *r, uint32_t node, uint32_t part)
{
    r->tree->nodes[node].part = part;
    r->tree->parts[part].instance_count++;
}

/* A node of the model, and what is known beside it: both have the same number. */
static int add_node(reading *r, const char *at, uint32_t *out)
{
    manifest_tree *t = r->tree;
    if (array_grow(&t->nodes, &t->node_capacity, t->node_count + 1, sizeof *t->nodes) != 0 ||
        !import_add_node(r->im))
        return -1;
    *out = (uint32_t)t->node_count;
    t->nodes[t->node_count++] = (manifest_node){.at = at, .part = BVP_NONE};
    assert(t->node_count == r->im->out->node_count);
    return 0;
}

/* A line about an instance or an assembly. It refers to a part, a parent, both or neither. */
static bvp_status read_node(reading *r, const manifest_record *line)
{
    uint32_t node, number, part;
    bvp_status status = BVP_OK;
    if (!transform_is_usable(line->placement) && !r->im->options->drop_invalid)
        return import_refuse_line(r->im, BVP_ERR_ARGUMENT, line->at,
                                  "the placement is singular or not finite; repair it or leave "
                                  "such nodes out with --drop-invalid");
    if (add_node(r, line->at, &node) != 0)
        return import_no_memory(r->im);
    number = node;
    memcpy(r->im->out->nodes[node].placement, line->placement, sizeof line->placement);
    if (read_texts(line, &r->im->out->nodes[node]) != 0 ||
        (line->id && name_table_put(&r->node_ids, line->id, &number) != 0))
        return import_no_memory(r->im);
    if (number != node)
        return refuse_twice(r, line);
    if (line->mesh) {
        status = add_part(r, line, &part);
        if (status == BVP_OK)
            use_part(r, node, part);
    } else if (line->part) {
        part = name_table_get(&r->part_ids, line->part);
        if (part == BVP_NONE)
            status = refer_later(r, node, 1, line->part);
        else
            use_part(r, node, part);
    }
    if (status != BVP_OK || !line->parent)
        return status;
    const uint32_t parent = name_table_get(&r->node_ids, line->parent);
    r->im->out->nodes[node].parent = parent;
    return parent == BVP_NONE ? refer_later(r, node, 0, line->parent) : BVP_OK;
}

/* ---- references to what came later ----------------------------------------------------------- */

static void permute(void *array, size_t element, const uint32_t *rank, uint32_t count, char *copy)
{
    memcpy(copy, array, element * count);
    for (uint32_t i = 0; i < count; i++)
        memcpy((char *)array + element * rank[i], copy + element * i, element);
}

/* Orders the nodes so that each comes after its parent: rank is a node's new place. */
static bvp_status order_nodes(reading *r)
{
    model *m = r->im->out;
    const uint32_t count = m->node_count, open = BVP_NONE - 1; /* open: on the stack */
    uint32_t *rank = malloc((count + (size_t)1) * sizeof *rank);
    uint32_t *stack = malloc((count + (size_t)1) * sizeof *stack);
    char *copy = malloc((count + (size_t)1) * sizeof *m->nodes);
    bvp_status status = rank && stack && copy ? BVP_OK : import_no_memory(r->im);
    uint32_t next = 0;
    if (status == BVP_OK)
        memset(rank, 0xff, count * sizeof *rank);
    for (uint32_t i = 0; i < count && status == BVP_OK; i++) {
        uint32_t depth = 0, at = i;
        for (; at != BVP_NONE && rank[at] == BVP_NONE; at = m->nodes[at].parent) {
            rank[at] = open;
            stack[depth++] = at;
        }
        if (at != BVP_NONE && rank[at] == open)
            status = import_refuse_line(r->im, BVP_ERR_CORRUPT, r->tree->nodes[at].at,
                                        "lies in itself: its parents lead back to it");
        while (depth > 0)
            rank[stack[--depth]] = next++;
    }
    if (status == BVP_OK && count > 0) {
        assert(next == count); /* rank is a permutation */
        for (uint32_t i = 0; i < count; i++)
            if (m->nodes[i].parent != BVP_NONE)
                m->nodes[i].parent = rank[m->nodes[i].parent];
        permute(m->nodes, sizeof *m->nodes, rank, count, copy);
        permute(r->tree->nodes, sizeof *r->tree->nodes, rank, count, copy);
    }
    free(rank);
    free(stack);
    free(copy);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Reads all lines, then settles the references to what came later. */
static bvp_status read_lines(reading *r)
{
    const char *text = (const char *)r->im->data;
    manifest_tree *t = r->tree;
    manifest_reader reader = {.at = text, .end = text + r->im->size};
    manifest_record line;
    manifest_fault fault;
    bvp_status status = BVP_OK;
    int got = 1;
    for (uint64_t lines = 1; status == BVP_OK && got > 0; lines++) {
        got = manifest_next(&reader, &line, &fault);
        if (got < 0) {
            status = import_refuse_line(r->im, fault.status, fault.at, "%s", fault.text);
        } else if (got > 0 && line.kind == MANIFEST_HEADER) {
            t->unit_in_metres = line.unit_in_metres;
            t->up = line.up;
        } else if (got > 0 && line.kind == MANIFEST_PART) {
            uint32_t part, number = 0;
            status = add_part(r, &line, &part);
            if (status == BVP_OK) {
                number = part;
                if (name_table_put(&r->part_ids, line.id, &number) != 0 ||
                    read_texts(&line, &t->parts[part].common) != 0)
                    status = import_no_memory(r->im);
                else if (number != part)
                    status = refuse_twice(r, &line);
            }
        } else if (got > 0) {
            status = read_node(r, &line);
        }
        if (lines % 4096 == 0)
            import_progress(r->im, (uint64_t)(reader.at - text), r->im->size);
    }
    manifest_close(&reader);
    for (size_t i = 0; i < r->pending_count && status == BVP_OK; i++) {
        const pending *p = &r->pending[i];
        const uint32_t part = name_table_get(&r->part_ids, p->id);
        const uint32_t node = name_table_get(&r->node_ids, p->id);
        if (p->to_part && part != BVP_NONE) {
            use_part(r, p->node, part);
        } else if (!p->to_part && node != BVP_NONE) {
            r->im->out->nodes[p->node].parent = node;
        } else {
            const char *hint = (p->to_part ? node : part) == BVP_NONE ? ""
                               : p->to_part ? ": that is a placed thing, not a part"
                                            : ": that is a part, not a placed thing";
            status = import_refuse_line(r->im, BVP_ERR_CORRUPT, t->nodes[p->node].at,
                                        "\"%s\": no line has the id \"%.60s\"%s",
                                        p->to_part ? "part" : "parent", p->id, hint);
        }
    }
    return status;
}

bvp_status manifest_tree_read(importer *im, manifest_tree *out)
{
    reading r = {.im = im, .tree = out};
    *out = (manifest_tree){0};
    bvp_status status = read_lines(&r);
    /* If only parts are listed, each is placed once below the root, with the identity. */
    const int is_list = out->node_count == 0;
    for (uint32_t i = 0; i < out->part_count && is_list && status == BVP_OK; i++) {
        uint32_t node;
        if (add_node(&r, out->files[out->parts[i].file].at, &node) == 0)
            use_part(&r, node, i);
        else
            status = import_no_memory(im);
    }
    if (status == BVP_OK)
        status = order_nodes(&r);
    /* An instance gets from its part the name and the properties that it does not have. */
    for (uint32_t i = 0; i < out->node_count && status == BVP_OK; i++) {
        model_node *node = &im->out->nodes[i];
        assert(node->parent == BVP_NONE || node->parent < i);
        if (node->parent != BVP_NONE)
            out->nodes[node->parent].child_count++;
        if (out->nodes[i].part == BVP_NONE)
            continue;
        const model_node *part = &out->parts[out->nodes[i].part].common;
        if (!node->name && part->name)
            node->name = strdup(part->name);
        if ((!node->name && part->name) || property_inherit(node, part) != 0)
            status = import_no_memory(im);
    }
    for (size_t i = 0; i < r.pending_count; i++)
        free(r.pending[i].id);
    free(r.pending);
    name_table_free(&r.part_ids);
    name_table_free(&r.node_ids);
    name_table_free(&r.files);
    return status;
}

void manifest_tree_free(manifest_tree *t)
{
    for (size_t i = 0; i < t->file_count; i++) {
        free(t->files[i].path);
        free(t->files[i].format);
    }
    for (size_t i = 0; i < t->part_count; i++)
        model_node_free(&t->parts[i].common);
    free(t->files);
    free(t->parts);
    free(t->nodes);
}
