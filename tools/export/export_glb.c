/* SPDX-License-Identifier: MIT
 * export_glb.c: GLB, with the tree of nodes and one mesh for each part, which instances share.
 *
 * Unless all is one flat mesh, positions are relative to their part's origin, as they are stored,
 * because GLB has only floats. A node with a part that has an origin gets one more child, which
 * carries the mesh and a translation by the origin; these children come after all nodes of the
 * file, so that those keep their numbers. JSON comes before the data in a GLB, so the text is
 * written to memory first, with sizes that are computed from the meshes.
 *
 * Base colours are materials, and a run of triangles of one colour is a primitive: a piece of its
 * part's indices, which are in the order of the source, as runs are. So a part's data is written
 * once, and a mesh of the output is a part in some colours: `look`. The flat mesh has one run for
 * each colour, however many instances show it, because each primitive is a call to draw: its
 * triangles are sorted by colour, those of a colour as they come, instance by instance.
 * Spec: Khronos glTF 2.0, chapter 4
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "export/export_scene.h"
#include "glb/glb.h"
#include "glb/gltf_write.h"
#include "text/json.h"
#include "text/memory_text.h"

/* ---- what the file's chunks hold ------------------------------------------------------------- */

typedef struct look {
    uint32_t mesh; /* whose data */
    export_run *runs;
    size_t run_count;
    uint64_t accessor; /* of the first run's indices, if there are several */
} look;

typedef struct glb {
    export_scene scene;
    uint32_t *mesh_of; /* number in the output of each part's data, or BVP_NONE */
    uint32_t *parts;   /* whose data is in the output */
    uint32_t mesh_count;
    uint32_t *look_of; /* of each item, until all is one flat mesh */
    look *looks;
    uint32_t look_count;
    uint32_t *colours; /* of materials, ascending */
    size_t colour_count;
    export_mesh flat; /* all items as one mesh, when `is_flat` */
    int is_flat;
    json text;
} glb;

static const export_mesh *mesh_at(const glb *g, uint32_t i)
{
    assert(i < g->mesh_count);
    return g->is_flat ? &g->flat : &g->scene.meshes[g->parts[i]];
}

static uint64_t size_of_mesh(const export_mesh *mesh)
{
    return 12 * mesh->vertex_count + 12 * mesh->triangle_count;
}

static bvp_status choose_meshes(glb *g)
{
    export_scene *scene = &g->scene;
    bvp_status status = BVP_OK;
    g->mesh_of = malloc(((size_t)scene->part_count + 1) * sizeof *g->mesh_of);
    g->parts = malloc(((size_t)scene->part_count + 1) * sizeof *g->parts);
    if (!g->mesh_of || !g->parts)
        return export_no_memory(scene->error);
    memset(g->mesh_of, 0xff, ((size_t)scene->part_count + 1) * sizeof *g->mesh_of);
    for (uint32_t i = 0; i < scene->item_count && status == BVP_OK; i++) {
        uint32_t part = scene->items[i].part;
        const export_mesh *mesh;
        if (g->mesh_of[part] != BVP_NONE)
            continue;
        g->mesh_of[part] = g->mesh_count;
        assert(g->mesh_count < scene->part_count);
        g->parts[g->mesh_count++] = part;
        status = export_load(scene, part, &mesh);
    }
    return status;
}

/* ---- colours --------------------------------------------------------------------------------- */

enum { COLOURS_KEY = 14 }; /* of "bvpack_colours" */

static uint32_t word_of(const uint8_t rgba[4])
{
    return (uint32_t)rgba[0] << 24 | (uint32_t)rgba[1] << 16 | (uint32_t)rgba[2] << 8 | rgba[3];
}

static int is_named(const export_run *run)
{
    return word_of(run->rgba) != 0;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* An item, and what its look depends on. Equal texts of colours are stored once. */
typedef struct dressed {
    uint32_t part, item;
    const char *colours; /* NULL: none */
    size_t size;
} dressed;

static int by_look(const void *a, const void *b)
{
    const dressed *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    const int order =
        x->size > 0 && x->colours != y->colours ? memcmp(x->colours, y->colours, x->size) : 0;
    return order ? order : (x->item > y->item) - (x->item < y->item);
}

static int is_same_look(const dressed *x, const dressed *y)
{
    return x->part == y->part && x->size == y->size &&
           (x->size == 0 || memcmp(x->colours, y->colours, x->size) == 0);
}

static int is_colours_key(bvp_string key)
{
    return key.size == COLOURS_KEY && memcmp(key.data, "bvpack_colours", COLOURS_KEY) == 0;
}

static dressed dress(const glb *g, uint32_t i)
{
    const export_item *item = &g->scene.items[i];
    dressed made = {.part = item->part, .item = i};
    bvp_node_info node;
    if (item->node == BVP_NONE || bvp_get_node(g->scene.file, item->node, &node) != BVP_OK)
        return made;
    for (uint32_t k = 0; k < node.property_count; k++) {
        bvp_string key, value;
        if (bvp_get_property(g->scene.file, item->node, k, &key, &value) == BVP_OK &&
            is_colours_key(key)) {
            made.colours = value.data;
            made.size = value.size;
        }
    }
    return made;
}

/* Gives each item the first item that looks as it does, then numbers looks by their first item. */
static bvp_status find_looks(glb *g)
{
    export_scene *scene = &g->scene;
    const uint32_t count = scene->item_count;
    dressed *order = malloc((size_t)count * sizeof *order + 1);
    uint32_t *first = malloc((size_t)count * sizeof *first + 1);
    g->look_of = malloc((size_t)count * sizeof *g->look_of + 1);
    g->looks = calloc((size_t)count + 1, sizeof *g->looks);
    bvp_status status =
        order && first && g->look_of && g->looks ? BVP_OK : export_no_memory(scene->error);
    for (uint32_t i = 0; i < count && status == BVP_OK; i++)
        order[i] = dress(g, i);
    if (status == BVP_OK && count > 0)
        qsort(order, count, sizeof *order, by_look);
    for (uint32_t i = 0; i < count && status == BVP_OK; i++)
        first[order[i].item] = i > 0 && is_same_look(&order[i - 1], &order[i])
                                   ? first[order[i - 1].item]
                                   : order[i].item;
    for (uint32_t i = 0; i < count && status == BVP_OK; i++) {
        const export_item *item = &scene->items[i];
        if (first[i] != i) {
            g->look_of[i] = g->look_of[first[i]];
            continue;
        }
        look *made = &g->looks[g->look_count];
        g->look_of[i] = g->look_count++;
        made->mesh = g->mesh_of[item->part];
        status = export_runs(scene, item, &made->runs, &made->run_count);
    }
    free(order);
    free(first);
    return status;
}

static bvp_status find_materials(glb *g)
{
    size_t most = 0;
    for (uint32_t i = 0; i < g->look_count; i++)
        most += g->looks[i].run_count;
    g->colours = malloc(most * sizeof *g->colours + 1);
    if (!g->colours)
        return export_no_memory(g->scene.error);
    for (uint32_t i = 0; i < g->look_count; i++)
        for (size_t k = 0; k < g->looks[i].run_count; k++)
            if (is_named(&g->looks[i].runs[k]))
                g->colours[g->colour_count++] = word_of(g->looks[i].runs[k].rgba);
    if (g->colour_count > 0)
        qsort(g->colours, g->colour_count, sizeof *g->colours, ascending);
    size_t kept = 0;
    for (size_t i = 0; i < g->colour_count; i++)
        if (i == 0 || g->colours[i] != g->colours[i - 1])
            g->colours[kept++] = g->colours[i];
    g->colour_count = kept;
    return BVP_OK;
}

/* -1: the source names no colour. */
static int material_of(const glb *g, const export_run *run)
{
    const uint32_t colour = word_of(run->rgba);
    const uint32_t *found = g->colour_count > 0 ? bsearch(&colour, g->colours, g->colour_count,
                                                          sizeof colour, ascending)
                                                : NULL;
    return found ? (int)(found - g->colours) : -1;
}

/* Where runs have their accessors: after those of the meshes. */
static void number_runs(glb *g)
{
    uint64_t accessor = 2 * (uint64_t)g->mesh_count;
    for (uint32_t i = 0; i < g->look_count; i++) {
        g->looks[i].accessor = accessor;
        accessor += g->looks[i].run_count > 1 ? g->looks[i].run_count : 0;
    }
}

/* Nine digits of a float are the same on every machine, all of a power's may not be. */
static float linear(uint32_t channel)
{
    const double s = (double)channel / 255;
    return (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
}

static void write_materials(glb *g)
{
    if (g->colour_count == 0)
        return;
    jsonw_array(&g->text, "materials");
    for (size_t i = 0; i < g->colour_count; i++) {
        const uint32_t c = g->colours[i];
        const double factor[4] = {linear(c >> 24), linear(c >> 16 & 255), linear(c >> 8 & 255),
                                  (c & 255) / 255.0};
        jsonw_object(&g->text, NULL);
        jsonw_object(&g->text, "pbrMetallicRoughness");
        jsonw_numbers(&g->text, "baseColorFactor", factor, 4);
        jsonw_number(&g->text, "metallicFactor", 0);
        jsonw_end(&g->text);
        if ((c & 255) < 255)
            jsonw_text(&g->text, "alphaMode", "BLEND");
        jsonw_end(&g->text);
    }
    jsonw_end(&g->text);
}

/* ---- one mesh of everything ------------------------------------------------------------------ */

/* A pile is a run of the flat mesh: the first one of what has no colour, then one a material. */
static export_run *pile_of(const glb *g, export_run *piles, const export_run *run)
{
    return &piles[material_of(g, run) + 1];
}

/* Places the piles one after the other, and empties them. Returns how many triangles they had. */
static uint64_t place_piles(const glb *g, export_run *piles)
{
    uint64_t triangles = 0;
    for (uint32_t i = 0; i < g->scene.item_count; i++) {
        const look *l = &g->looks[g->look_of[i]];
        for (size_t k = 0; k < l->run_count; k++) {
            export_run *pile = pile_of(g, piles, &l->runs[k]);
            pile->count += l->runs[k].count;
            memcpy(pile->rgba, l->runs[k].rgba, sizeof pile->rgba);
        }
    }
    for (size_t i = 0; i <= g->colour_count; i++) {
        piles[i].first = triangles;
        triangles += piles[i].count;
        piles[i].count = 0;
    }
    return triangles;
}

/* Adds an item's triangles to their piles, and its vertices, to which they refer. */
static void add_item(glb *g, uint32_t number, export_run *piles)
{
    const export_item *item = &g->scene.items[number];
    const export_mesh *const mesh = &g->scene.meshes[item->part];
    const look *l = &g->looks[g->look_of[number]];
    for (size_t i = 0; i < l->run_count; i++) {
        export_run *pile = pile_of(g, piles, &l->runs[i]);
        const uint32_t *from = mesh->indices + 3 * l->runs[i].first;
        uint32_t *to = g->flat.indices + 3 * (pile->first + pile->count);
        for (uint64_t k = 0; k < 3 * l->runs[i].count; k++)
            to[k] = (uint32_t)g->flat.vertex_count + from[k];
        pile->count += l->runs[i].count;
        g->flat.triangle_count += l->runs[i].count;
    }
    for (uint64_t v = 0; v < mesh->vertex_count; v++) {
        double at[3], rest[3], written[3];
        float *out = g->flat.positions + 3 * (g->flat.vertex_count + v);
        export_place(item, mesh->positions + 3 * v, at, rest);
        for (int k = 0; k < 3; k++)
            written[k] = out[k] = (float)at[k];
        export_note(g->scene.report, at, rest, written);
    }
    g->flat.vertex_count += mesh->vertex_count;
}

static bvp_status fill(glb *g, export_run *piles)
{
    const export_scene *scene = &g->scene;
    const uint64_t triangles = place_piles(g, piles);
    uint64_t vertices = 0;
    for (uint32_t i = 0; i < scene->item_count; i++)
        vertices += scene->meshes[scene->items[i].part].vertex_count;
    if (vertices > UINT32_MAX || triangles > UINT32_MAX / 3)
        return export_too_large(scene->error, "a glTF mesh holds at most 2^32 vertices; write the "
                                              "tree, without --flat");
    g->flat.positions = malloc(vertices * 12 + 1);
    g->flat.indices = malloc(triangles * 12 + 1);
    if (!g->flat.positions || !g->flat.indices)
        return export_no_memory(scene->error);
    for (uint32_t i = 0; i < scene->item_count; i++)
        add_item(g, i, piles);
    assert(g->flat.vertex_count == vertices && g->flat.triangle_count == triangles);
    return BVP_OK;
}

/* One mesh with one look takes the place of all others. */
static bvp_status flatten(glb *g)
{
    const size_t count = g->colour_count + 1;
    export_run *piles = calloc(count, sizeof *piles);
    const bvp_status status = piles ? fill(g, piles) : export_no_memory(g->scene.error);
    if (status != BVP_OK) {
        free(piles);
        return status;
    }
    for (uint32_t i = 0; i < g->look_count; i++)
        free(g->looks[i].runs);
    /* Each colour is that of a run; what has none may be nothing. */
    const size_t empty = piles[0].count == 0;
    memmove(piles, piles + empty, (count - empty) * sizeof *piles);
    g->looks[0] = (look){.runs = piles, .run_count = count - empty};
    g->look_count = 1;
    g->is_flat = 1;
    g->mesh_count = g->flat.triangle_count > 0;
    return BVP_OK;
}

/* ---- the JSON text: data --------------------------------------------------------------------- */

static void write_name(glb *g, bvp_string name)
{
    if (name.size > 0)
        jsonw_bytes(&g->text, "name", name);
}

static gltf_extent extent_of(const export_mesh *mesh)
{
    return (gltf_extent){mesh->positions, mesh->vertex_count, mesh->triangle_count};
}

static void write_views(glb *g)
{
    uint64_t offset = 0;
    jsonw_array(&g->text, "bufferViews");
    for (uint32_t i = 0; i < g->mesh_count; i++) {
        const gltf_extent mesh = extent_of(mesh_at(g, i));
        offset = gltf_put_views(&g->text, offset, &mesh);
    }
    jsonw_end(&g->text);
    jsonw_array(&g->text, "buffers");
    jsonw_object(&g->text, NULL);
    jsonw_count(&g->text, "byteLength", offset);
    jsonw_end(&g->text);
    jsonw_end(&g->text);
}

static void write_primitives(glb *g, const look *l)
{
    static const export_run none;
    if (l->run_count < 2) {
        gltf_put_primitive(&g->text, l->mesh, material_of(g, l->run_count > 0 ? l->runs : &none));
        return;
    }
    jsonw_array(&g->text, "primitives");
    for (size_t i = 0; i < l->run_count; i++)
        gltf_put_piece(&g->text, 2 * (uint64_t)l->mesh, l->accessor + i,
                       material_of(g, &l->runs[i]));
    jsonw_end(&g->text);
}

static void write_meshes(glb *g)
{
    jsonw_array(&g->text, "meshes");
    for (uint32_t i = 0; i < g->look_count; i++) {
        const look *l = &g->looks[i];
        bvp_part_info part;
        jsonw_object(&g->text, NULL);
        if (!g->is_flat && bvp_get_part(g->scene.file, g->parts[l->mesh], &part) == BVP_OK)
            write_name(g, part.name);
        write_primitives(g, l);
        jsonw_end(&g->text);
    }
    jsonw_end(&g->text);
}

static void write_accessors(glb *g)
{
    jsonw_array(&g->text, "accessors");
    for (uint32_t i = 0; i < g->mesh_count; i++) {
        const gltf_extent mesh = extent_of(mesh_at(g, i));
        gltf_put_accessors(&g->text, i, &mesh);
    }
    for (uint32_t i = 0; i < g->look_count; i++)
        for (size_t k = 0; k < g->looks[i].run_count && g->looks[i].run_count > 1; k++)
            gltf_put_run(&g->text, 2 * (uint64_t)g->looks[i].mesh + 1, g->looks[i].runs[k].first,
                         g->looks[i].runs[k].count);
    jsonw_end(&g->text);
}

/* ---- the JSON text: nodes -------------------------------------------------------------------- */

/* Lists of children, and the nodes that carry the origins of rebased parts, which come after the
 * file's own. */
typedef struct family {
    uint32_t node_count;
    uint32_t *first, *next; /* child of each node, sibling of each node, or BVP_NONE */
    uint32_t *carriers;     /* nodes whose mesh hangs below them */
    uint32_t carrier_count;
} family;

static bvp_status find_family(const glb *g, family *f)
{
    bvp_file_info info;
    bvp_get_info(g->scene.file, &info);
    *f = (family){.node_count = info.node_count};
    size_t size = ((size_t)info.node_count + 1) * sizeof(uint32_t);
    f->first = malloc(size);
    f->next = malloc(size);
    f->carriers = malloc(size);
    if (!f->first || !f->next || !f->carriers)
        return export_no_memory(g->scene.error);
    memset(f->first, 0xff, size);
    memset(f->next, 0xff, size);
    for (uint32_t i = info.node_count; i-- > 1;) {
        bvp_node_info node;
        bvp_status status = bvp_get_node(g->scene.file, i, &node);
        if (status != BVP_OK || node.parent >= i) {
            snprintf(g->scene.error->message, sizeof g->scene.error->message,
                     "node %u has no parent before it", i);
            return BVP_ERR_CORRUPT;
        }
        f->next[i] = f->first[node.parent];
        f->first[node.parent] = i;
    }
    return BVP_OK;
}

static int is_rebased(const export_mesh *mesh)
{
    return mesh->origin[0] != 0 || mesh->origin[1] != 0 || mesh->origin[2] != 0;
}

static int has_extras(const glb *g, uint32_t index, uint32_t property_count)
{
    bvp_string key, value;
    for (uint32_t i = 0; i < property_count; i++)
        if (bvp_get_property(g->scene.file, index, i, &key, &value) == BVP_OK &&
            !is_colours_key(key))
            return 1;
    return 0;
}

/* The mesh that an item shows. */
static uint32_t look_at(const glb *g, uint32_t item)
{
    return item < g->scene.item_count ? g->look_of[item] : 0;
}

static void write_node(glb *g, family *f, uint32_t index)
{
    bvp_node_info node;
    uint32_t carrier = BVP_NONE;
    bvp_get_node(g->scene.file, index, &node);
    jsonw_object(&g->text, NULL);
    write_name(g, node.name);
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    if (memcmp(node.placement, identity, sizeof identity) != 0)
        gltf_put_matrix(&g->text, node.placement);
    if (node.part != BVP_NONE && is_rebased(&g->scene.meshes[node.part])) {
        assert(f->carrier_count < f->node_count);
        carrier = f->node_count + f->carrier_count;
        f->carriers[f->carrier_count++] = index;
    } else if (node.part != BVP_NONE) {
        jsonw_count(&g->text, "mesh", look_at(g, node.instance));
    }
    if (f->first[index] != BVP_NONE || carrier != BVP_NONE) {
        jsonw_array(&g->text, "children");
        for (uint32_t i = f->first[index]; i != BVP_NONE; i = f->next[i])
            jsonw_count(&g->text, NULL, i);
        if (carrier != BVP_NONE)
            jsonw_count(&g->text, NULL, carrier);
        jsonw_end(&g->text);
    }
    if (has_extras(g, index, node.property_count)) {
        jsonw_object(&g->text, "extras");
        for (uint32_t i = 0; i < node.property_count; i++) {
            bvp_string key, value;
            char name[256];
            if (bvp_get_property(g->scene.file, index, i, &key, &value) != BVP_OK ||
                is_colours_key(key)) /* its numbers are those of the source; here are materials */
                continue;
            snprintf(name, sizeof name, "%.*s", (int)key.size, key.data);
            jsonw_bytes(&g->text, name, value);
        }
        jsonw_end(&g->text);
    }
    jsonw_end(&g->text);
}

/* A mesh relative to its part's origin. */
static void write_carrier(glb *g, uint32_t part, uint32_t item)
{
    const export_mesh *mesh = &g->scene.meshes[part];
    assert(!g->is_flat);
    jsonw_object(&g->text, NULL);
    if (is_rebased(mesh))
        jsonw_numbers(&g->text, "translation", mesh->origin, 3);
    jsonw_count(&g->text, "mesh", look_at(g, item));
    jsonw_end(&g->text);
}

static bvp_status write_nodes(glb *g, uint32_t part)
{
    if (part == BVP_ASSEMBLY && !g->is_flat) {
        family f;
        bvp_status status = find_family(g, &f);
        jsonw_array(&g->text, "nodes");
        for (uint32_t i = 0; i < f.node_count && status == BVP_OK; i++)
            write_node(g, &f, i);
        for (uint32_t i = 0; i < f.carrier_count; i++) {
            bvp_node_info node;
            bvp_get_node(g->scene.file, f.carriers[i], &node);
            write_carrier(g, node.part, node.instance);
        }
        jsonw_end(&g->text);
        free(f.first);
        free(f.next);
        free(f.carriers);
        return status;
    }
    jsonw_array(&g->text, "nodes");
    if (g->is_flat) {
        jsonw_object(&g->text, NULL);
        if (g->mesh_count > 0)
            jsonw_count(&g->text, "mesh", 0);
        jsonw_end(&g->text);
    } else {
        write_carrier(g, part, 0);
    }
    jsonw_end(&g->text);
    return BVP_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bvp_status write_chunks(glb *g, const char *text, size_t size, FILE *out)
{
    uint64_t data = 0;
    for (uint32_t i = 0; i < g->mesh_count; i++)
        data += size_of_mesh(mesh_at(g, i));
    if (glb_size(size, data) > UINT32_MAX)
        return export_too_large(g->scene.error, "GLB holds at most 4 GiB; write single parts with "
                                                "--part");
    glb_begin(out, size, data);
    fwrite(text, 1, size, out);
    glb_middle(out, size, data);
    for (uint32_t i = 0; i < g->mesh_count; i++) {
        const export_mesh *mesh = mesh_at(g, i);
        glb_words(out, mesh->positions, 3 * mesh->vertex_count);
        glb_words(out, mesh->indices, 3 * mesh->triangle_count);
    }
    return export_finish(out, g->scene.error);
}

static bvp_status write_file(glb *g, uint32_t part, FILE *out)
{
    memory_text text;
    if (!memory_text_open(&text))
        return export_no_memory(g->scene.error);
    gltf_put_head(&g->text, text.out);
    bvp_status status = write_nodes(g, part);
    if (g->mesh_count > 0) {
        write_meshes(g);
        write_materials(g);
        write_accessors(g);
        write_views(g);
    }
    jsonw_end(&g->text);
    if (memory_text_close(&text) != 0 && status == BVP_OK)
        status = export_no_memory(g->scene.error);
    if (status == BVP_OK)
        status = write_chunks(g, text.data, text.size, out);
    free(text.data);
    return status;
}

bvp_status export_glb(const bvp_file *file, const export_options *options, FILE *out,
                      export_report *report, bvp_error *error)
{
    glb g = {0};
    bvp_status status = export_open(file, options->part, report, error, &g.scene);
    if (status == BVP_OK)
        status = choose_meshes(&g);
    if (status == BVP_OK)
        status = find_looks(&g);
    if (status == BVP_OK)
        status = find_materials(&g);
    if (status == BVP_OK && options->flat)
        status = flatten(&g);
    number_runs(&g);
    if (status == BVP_OK)
        status = write_file(&g, options->part, out);
    export_close(&g.scene);
    free(g.flat.positions);
    free(g.flat.indices);
    for (uint32_t i = 0; i < g.look_count; i++)
        free(g.looks[i].runs);
    free(g.looks);
    free(g.look_of);
    free(g.colours);
    free(g.mesh_of);
    free(g.parts);
    return status;
}
