/* SPDX-License-Identifier: MIT
 * export_bvh.c: GLB of one mesh, with a hierarchy in the form in which three-mesh-bvh keeps its
 * own (MeshBVH.serialize), so that a page builds none.
 *
 * Based on: the node of three-mesh-bvh 0.5 and later, version 0: six floats, the box; a leaf has
 * its first triangle, their count (16 bits) and 0xffff; another node, whose first child follows it,
 * where its second child is, in words, and the axis that parts them.
 * Idea: triangles in the order of storage, instances in that of their hierarchy, are neighbours
 * where the packed hierarchies have them so. That sequence is cut in two where the sum of surface
 * times count is least, again and again, down to the packed leaves: the order is not sorted anew.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "export/export_scene.h"
#include "glb/glb.h"
#include "glb/gltf_write.h"
#include "text/memory_text.h"

enum { NODE_WORDS = 8, LEAF_MARK = 0xffff, LEAF_TRIANGLES = 8 };

typedef struct box {
    float lo[3], hi[3];
} box;

typedef struct leaf {
    box bounds;
    uint32_t first, count; /* triangles of the mesh that is written */
} leaf;

typedef struct tree {
    float *positions; /* 9 a triangle */
    uint64_t triangle_count, room;
    leaf *leaves;
    uint64_t leaf_count;
    double *costs;   /* of cutting before a leaf; as many as leaves */
    uint32_t *nodes; /* NODE_WORDS each */
    uint64_t node_count;
} tree;

static void free_tree(tree *t)
{
    free(t->positions);
    free(t->leaves);
    free(t->costs);
    free(t->nodes);
}

static box no_box(void)
{
    return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void grow(box *all, const box *by)
{
    for (int i = 0; i < 3; i++) {
        all->lo[i] = fminf(all->lo[i], by->lo[i]);
        all->hi[i] = fmaxf(all->hi[i], by->hi[i]);
    }
}

static double surface(const box *b)
{
    double size[3];
    for (int i = 0; i < 3; i++)
        size[i] = (double)b->hi[i] - b->lo[i];
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

/* ---- the sequence of leaves ---------------------------------------------------------------- */

typedef struct counts {
    uint64_t next;   /* the first triangle that no leaf has yet */
    int in_order;    /* leaves follow one another in storage */
    uint8_t *begins; /* of each triangle: does a leaf begin with it? */
} counts;

static int note_leaf(void *user, const bvp_box *b)
{
    counts *c = user;
    if (b->leaf_count == 0)
        return 0;
    c->in_order &= b->first == c->next;
    c->next = b->first + b->leaf_count;
    if (c->in_order)
        c->begins[b->first] = 1;
    return !c->in_order;
}

/* Where the leaves of a part begin. Where the part's first hierarchy is not the one that is shown,
 * some triangles that follow one another in storage. */
static bvp_status find_leaves(const bvp_file *file, uint32_t part, uint64_t count, uint8_t *begins)
{
    counts c = {.in_order = 1, .begins = begins};
    memset(begins, 0, count);
    bvp_status status = bvp_boxes(file, part, UINT32_MAX, note_leaf, &c);
    if (!c.in_order || c.next != count)
        for (uint64_t t = 0; t < count; t++)
            begins[t] = t % LEAF_TRIANGLES == 0;
    return status;
}

static void add_triangle(tree *t, const export_item *item, const float corners[9],
                         export_report *report)
{
    leaf *last = &t->leaves[t->leaf_count - 1];
    float *to = t->positions + 9 * t->triangle_count++;
    for (int k = 0; k < 3; k++) {
        double place[3], rest[3], written[3];
        box point;
        export_place(item, corners + 3 * k, place, rest);
        for (int i = 0; i < 3; i++) {
            to[3 * k + i] = point.lo[i] = point.hi[i] = (float)place[i];
            written[i] = to[3 * k + i];
        }
        export_note(report, place, rest, written);
        grow(&last->bounds, &point);
    }
    last->count++;
}

/* The triangles of an item, in the order of storage. */
static bvp_status add_item(tree *t, const export_scene *scene, const export_item *item)
{
    bvp_part_info part;
    uint64_t count = 0;
    bvp_status status = bvp_get_part(scene->file, item->part, &part);
    if (status != BVP_OK)
        return status;
    const uint64_t all = part.triangle_count;
    if (all > t->room - t->triangle_count)
        return BVP_ERR_CORRUPT;
    float *corners = malloc(9 * sizeof(float) * all + 1);
    uint8_t *begins = malloc(all + 1);
    if (!corners || !begins)
        status = BVP_ERR_NO_MEMORY;
    if (status == BVP_OK)
        status = find_leaves(scene->file, item->part, all, begins);
    if (status == BVP_OK)
        status =
            bvp_get_triangles(scene->file, item->part, (bvp_range){0, all}, corners, NULL, &count);
    for (uint64_t k = 0; status == BVP_OK && k < count; k++) {
        if (k == 0 || begins[k])
            t->leaves[t->leaf_count++] =
                (leaf){.bounds = no_box(), .first = (uint32_t)t->triangle_count};
        add_triangle(t, item, corners + 9 * k, scene->report);
    }
    free(corners);
    free(begins);
    return status;
}

/* Instances in the order of their hierarchy; *order is the caller's. */
static bvp_status order_items(const export_scene *scene, uint32_t part, uint32_t *order,
                              uint64_t *count)
{
    bvp_file_info info;
    bvp_get_info(scene->file, &info);
    *count = scene->item_count;
    for (uint32_t i = 0; i < scene->item_count; i++)
        order[i] = i;
    if (part != BVP_ASSEMBLY || scene->item_count < 2)
        return BVP_OK;
    const bvp_body all = {.file = scene->file, .part = BVP_ASSEMBLY};
    return bvp_instances_in(&all, bvp_box_region(info.lo, info.hi), 0,
                            (bvp_array){order, 0, scene->item_count}, count, NULL);
}

static bvp_status gather(const export_scene *scene, uint32_t part, tree *t)
{
    uint64_t item_count;
    const uint64_t all = scene->report->triangle_count;
    uint32_t *order = malloc(sizeof *order * (scene->item_count + (size_t)1));
    t->room = all;
    t->positions = malloc(9 * sizeof(float) * all + 1);
    t->leaves = malloc(sizeof *t->leaves * all + 1);
    bvp_status status =
        order && t->positions && t->leaves ? BVP_OK : export_no_memory(scene->error);
    if (status == BVP_OK)
        status = order_items(scene, part, order, &item_count);
    for (uint64_t i = 0; status == BVP_OK && i < item_count; i++)
        status = add_item(t, scene, &scene->items[order[i]]);
    free(order);
    return status;
}

/* ---- the hierarchy over them --------------------------------------------------------------- */

/* The cut of the leaves first .. end - 1 with the least cost; no side is smaller than an eighth, so
 * that the depth is bounded. */
static uint64_t choose_cut(const tree *t, uint64_t first, uint64_t end)
{
    box side = no_box();
    uint64_t triangles = 0, best = first + (end - first) / 2;
    double least = INFINITY;
    for (uint64_t k = end - 1; k > first; k--) {
        grow(&side, &t->leaves[k].bounds);
        triangles += t->leaves[k].count;
        t->costs[k] = surface(&side) * (double)triangles;
    }
    const uint64_t margin = (end - first) / 8;
    side = no_box();
    triangles = 0;
    for (uint64_t k = first; k + 1 < end; k++) {
        grow(&side, &t->leaves[k].bounds);
        triangles += t->leaves[k].count;
        const double cost = surface(&side) * (double)triangles + t->costs[k + 1];
        if (k + 1 >= first + margin && k + 1 <= end - margin && cost < least) {
            least = cost;
            best = k + 1;
        }
    }
    return best;
}

/* The axis along which the children's middles are farthest apart: three-mesh-bvh then visits the
 * nearer one first. It takes the first child for the lower one; *swapped: it is the upper one. */
static uint32_t parting_axis(const box *a, const box *b, int *swapped)
{
    uint32_t axis = 0;
    double most = -1;
    for (uint32_t i = 0; i < 3; i++) {
        const double apart = ((double)b->lo[i] + b->hi[i]) - ((double)a->lo[i] + a->hi[i]);
        if (fabs(apart) > most) {
            most = fabs(apart);
            axis = i;
            *swapped = apart < 0;
        }
    }
    return axis;
}

static box bounds_of(const tree *t, uint64_t first, uint64_t end)
{
    box all = no_box();
    for (uint64_t k = first; k < end; k++)
        grow(&all, &t->leaves[k].bounds);
    return all;
}

static void build(tree *t, uint64_t first, uint64_t end)
{
    uint32_t *node = t->nodes + NODE_WORDS * t->node_count++;
    const box all = bounds_of(t, first, end);
    memcpy(node, &all, sizeof all);
    if (end - first == 1) {
        node[6] = t->leaves[first].first;
        node[7] = t->leaves[first].count | (uint32_t)LEAF_MARK << 16;
        return;
    }
    const uint64_t cut = choose_cut(t, first, end);
    const box a = bounds_of(t, first, cut), b = bounds_of(t, cut, end);
    int swapped = 0;
    node[7] = parting_axis(&a, &b, &swapped);
    build(t, swapped ? cut : first, swapped ? end : cut);
    node[6] = (uint32_t)(NODE_WORDS * t->node_count);
    build(t, swapped ? first : cut, swapped ? cut : end);
}

/* ---- the file ------------------------------------------------------------------------------- */

enum { TARGET_VERTICES = 34962, COMPONENT_FLOAT32 = 5126 };

static void put_view(json *j, uint64_t offset, uint64_t size, int is_vertices)
{
    jsonw_object(j, NULL);
    jsonw_count(j, "buffer", 0);
    jsonw_count(j, "byteOffset", offset);
    jsonw_count(j, "byteLength", size);
    if (is_vertices)
        jsonw_count(j, "target", TARGET_VERTICES);
    jsonw_end(j);
}

static void put_mesh(json *j, const tree *t)
{
    double lo[3], hi[3];
    const box all = bounds_of(t, 0, t->leaf_count);
    for (int i = 0; i < 3; i++) {
        lo[i] = all.lo[i];
        hi[i] = all.hi[i];
    }
    jsonw_array(j, "accessors");
    jsonw_object(j, NULL);
    jsonw_count(j, "bufferView", 0);
    jsonw_count(j, "componentType", COMPONENT_FLOAT32);
    jsonw_count(j, "count", 3 * t->triangle_count);
    jsonw_text(j, "type", "VEC3");
    jsonw_numbers(j, "min", lo, 3);
    jsonw_numbers(j, "max", hi, 3);
    jsonw_end(j);
    jsonw_end(j);
    jsonw_array(j, "meshes");
    jsonw_object(j, NULL);
    jsonw_array(j, "primitives");
    jsonw_object(j, NULL);
    jsonw_object(j, "attributes");
    jsonw_count(j, "POSITION", 0);
    jsonw_end(j);
    jsonw_end(j);
    jsonw_end(j);
    /* GLTFLoader of three.js hands this on as the mesh's userData */
    jsonw_object(j, "extras");
    jsonw_object(j, "threeMeshBVH");
    jsonw_inline_array(j, "roots");
    jsonw_count(j, NULL, 1);
    jsonw_end(j);
    jsonw_end(j);
    jsonw_end(j);
    jsonw_end(j);
    jsonw_end(j);
}

static void put_document(const tree *t, FILE *out)
{
    json j;
    const uint64_t vertices = 36 * t->triangle_count, nodes = 4 * NODE_WORDS * t->node_count;
    gltf_put_head(&j, out);
    jsonw_array(&j, "nodes");
    jsonw_object(&j, NULL);
    jsonw_count(&j, "mesh", 0);
    jsonw_end(&j);
    jsonw_end(&j);
    jsonw_array(&j, "bufferViews");
    put_view(&j, 0, vertices, 1);
    put_view(&j, vertices, nodes, 0);
    jsonw_end(&j);
    jsonw_array(&j, "buffers");
    jsonw_object(&j, NULL);
    jsonw_count(&j, "byteLength", vertices + nodes);
    jsonw_end(&j);
    jsonw_end(&j);
    put_mesh(&j, t);
    jsonw_end(&j);
    jsonw_finish(&j);
}

static bvp_status write_file(const tree *t, FILE *out, bvp_error *error)
{
    const uint64_t data = 36 * t->triangle_count + 4 * NODE_WORDS * t->node_count;
    memory_text text;
    if (!memory_text_open(&text))
        return export_no_memory(error);
    put_document(t, text.out);
    bvp_status status = memory_text_close(&text) != 0 ? export_no_memory(error) : BVP_OK;
    if (status == BVP_OK && glb_size(text.size, data) > UINT32_MAX)
        status = export_too_large(error, "GLB holds at most 4 GiB; extract parts with --part");
    if (status == BVP_OK) {
        glb_begin(out, text.size, data);
        fwrite(text.data, 1, text.size, out);
        glb_middle(out, text.size, data);
        glb_words(out, t->positions, 9 * t->triangle_count);
        glb_words(out, t->nodes, NODE_WORDS * t->node_count);
        status = export_finish(out, error);
    }
    free(text.data);
    return status;
}

bvp_status export_bvh(const bvp_file *file, const export_options *options, FILE *out,
                      export_report *report, bvp_error *error)
{
    export_scene scene;
    tree t = {0};
    bvp_status status = export_open(file, options->part, report, error, &scene);
    if (status == BVP_OK && report->triangle_count > UINT32_MAX / 36)
        status = export_too_large(error, "GLB holds at most 4 GiB; extract parts with --part");
    if (status == BVP_OK)
        status = gather(&scene, options->part, &t);
    if (status == BVP_OK && t.leaf_count == 0)
        status = export_too_large(error, "a model without triangles has no hierarchy");
    if (status == BVP_OK) {
        t.costs = malloc(sizeof *t.costs * t.leaf_count);
        t.nodes = malloc(4 * NODE_WORDS * 2 * t.leaf_count);
        if (!t.costs || !t.nodes)
            status = export_no_memory(error);
    }
    if (status == BVP_OK) {
        build(&t, 0, t.leaf_count);
        status = write_file(&t, out, error);
    }
    free_tree(&t);
    export_close(&scene);
    return status;
}
