/* SPDX-License-Identifier: MIT
 * export_bvh.c: GLB of one mesh, with a hierarchy in the form in which three-mesh-bvh keeps its
 * own (MeshBVH.serialize), so that a page builds none.
 *
 * Based on: the node of three-mesh-bvh 0.5 and later, version 0: six floats, the box; a leaf has
 * its first triangle, their count (16 bits) and 0xffff; another node, whose first child follows it,
 * where its second child is, in words, and the axis that parts them.
 * Idea: Wald 2007, "On fast Construction of SAH-based Bounding Volume Hierarchies": triangles are
 * cut between bins of their middles where surface times count is least. The packed hierarchies are
 * not used: their leaves are large, and three-mesh-bvh tests the triangles of one by one.
 *
 * Measured: decisions.md, "C++ and engines".
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "export/export_scene.h"
#include "glb/glb.h"
#include "glb/gltf_write.h"
#include "text/memory_text.h"

enum { NODE_WORDS = 8, LEAF_MARK = 0xffff, LEAF_MAX = 8, BINS = 32, DEPTH_MAX = 40 };
static const double NODE_COST = 4; /* of visiting a node, in tests of triangles */

typedef struct box {
    float lo[3], hi[3];
} box;

typedef struct tree {
    float *positions; /* 9 a triangle */
    box *bounds;      /* of each triangle */
    uint32_t *order;  /* in which leaves have them */
    uint64_t count, room;
    uint32_t *nodes; /* NODE_WORDS each */
    uint64_t node_count;
} tree;

static void free_tree(tree *t)
{
    free(t->positions);
    free(t->bounds);
    free(t->order);
    free(t->nodes);
}

static box no_box(void)
{
    return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void grow(box *all, const box *by)
{
    for (int i = 0; i < 3; i++) {
        all->lo[i] = by->lo[i] < all->lo[i] ? by->lo[i] : all->lo[i];
        all->hi[i] = by->hi[i] > all->hi[i] ? by->hi[i] : all->hi[i];
    }
}

static double surface(const box *b)
{
    double size[3];
    for (int i = 0; i < 3; i++)
        size[i] = (double)b->hi[i] - b->lo[i];
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

/* ---- the triangles ------------------------------------------------------------------------- */

static void add_triangle(tree *t, const export_item *item, const float corners[9],
                         export_report *report)
{
    box *bounds = &t->bounds[t->count];
    float *to = t->positions + 9 * t->count;
    *bounds = no_box();
    for (int k = 0; k < 3; k++) {
        double place[3], rest[3], written[3];
        box point;
        export_place(item, corners + 3 * k, place, rest);
        for (int i = 0; i < 3; i++) {
            to[3 * k + i] = point.lo[i] = point.hi[i] = (float)place[i];
            written[i] = to[3 * k + i];
        }
        export_note(report, place, rest, written);
        grow(bounds, &point);
    }
    t->order[t->count] = (uint32_t)t->count;
    t->count++;
}

static bvp_status add_item(tree *t, const export_scene *scene, const export_item *item)
{
    bvp_part_info part;
    uint64_t count = 0;
    bvp_status status = bvp_get_part(scene->file, item->part, &part);
    if (status != BVP_OK)
        return status;
    const uint64_t all = part.triangle_count;
    if (all > t->room - t->count)
        return BVP_ERR_CORRUPT;
    float *corners = malloc(9 * sizeof(float) * all + 1);
    if (!corners)
        return BVP_ERR_NO_MEMORY;
    status = bvp_get_triangles(scene->file, item->part, (bvp_range){0, all}, corners, NULL, &count);
    for (uint64_t k = 0; status == BVP_OK && k < count; k++)
        add_triangle(t, item, corners + 9 * k, scene->report);
    free(corners);
    return status;
}

static bvp_status gather(const export_scene *scene, tree *t)
{
    const uint64_t all = scene->report->triangle_count;
    t->room = all;
    t->positions = malloc(9 * sizeof(float) * all + 1);
    t->bounds = malloc(sizeof *t->bounds * all + 1);
    t->order = malloc(sizeof *t->order * all + 1);
    t->nodes = malloc(4 * NODE_WORDS * 2 * all + 1);
    if (!t->positions || !t->bounds || !t->order || !t->nodes)
        return export_no_memory(scene->error);
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; status == BVP_OK && i < scene->item_count; i++)
        status = add_item(t, scene, &scene->items[i]);
    return status;
}

/* ---- the hierarchy over them --------------------------------------------------------------- */

/* Triangles order[first .. end - 1], and where they and their middles lie. */
typedef struct run {
    uint64_t first, end;
    box bounds, middles;
} run;

/* Twice the middle of a box. */
static float middle(const box *b, int axis)
{
    return b->lo[axis] + b->hi[axis];
}

static run measure(const tree *t, uint64_t first, uint64_t end)
{
    run out = {first, end, no_box(), no_box()};
    for (uint64_t k = first; k < end; k++) {
        const box *b = &t->bounds[t->order[k]];
        box point;
        for (int i = 0; i < 3; i++)
            point.lo[i] = point.hi[i] = middle(b, i);
        grow(&out.bounds, b);
        grow(&out.middles, &point);
    }
    return out;
}

/* Where middles lie along an axis, in bins. */
typedef struct bins {
    int axis;
    double lo, scale;
} bins;

static bins bins_along(const box *middles, int axis)
{
    const double lo = middles->lo[axis], size = middles->hi[axis] - lo;
    return (bins){axis, lo, size > 0 ? BINS / size : 0};
}

static int bin_of(const bins *of, const box *b)
{
    const int bin = (int)((middle(b, of->axis) - of->lo) * of->scale);
    return bin < BINS - 1 ? bin : BINS - 1;
}

typedef struct cut {
    bins bins;
    int before; /* the first bin of the upper side */
    double cost;
} cut;

/* The cut between two of these bins with the least cost, if it is less than best's. */
static void try_bins(const tree *t, const run *r, const bins *of, cut *best)
{
    box bounds[BINS], side = no_box();
    uint64_t counts[BINS] = {0}, count = 0;
    double above[BINS];
    for (int i = 0; i < BINS; i++)
        bounds[i] = no_box();
    for (uint64_t k = r->first; k < r->end; k++) {
        const box *b = &t->bounds[t->order[k]];
        const int bin = bin_of(of, b);
        grow(&bounds[bin], b);
        counts[bin]++;
    }
    for (int i = BINS - 1; i > 0; i--) {
        grow(&side, &bounds[i]);
        count += counts[i];
        above[i] = count > 0 ? surface(&side) * (double)count : INFINITY;
    }
    side = no_box();
    count = 0;
    for (int i = 1; i < BINS; i++) {
        grow(&side, &bounds[i - 1]);
        count += counts[i - 1];
        const double cost = count > 0 ? surface(&side) * (double)count + above[i] : INFINITY;
        if (cost < best->cost)
            *best = (cut){*of, i, cost};
    }
}

/* Puts those below the cut first; returns where the others begin. */
static uint64_t part_by(tree *t, const run *r, const cut *by)
{
    uint64_t first = r->first, end = r->end;
    while (first < end) {
        const uint32_t triangle = t->order[first];
        if (bin_of(&by->bins, &t->bounds[triangle]) < by->before) {
            first++;
        } else {
            t->order[first] = t->order[--end];
            t->order[end] = triangle;
        }
    }
    return first;
}

/* Where the second child begins; 0: it is a leaf. Below DEPTH_MAX, halves: so the depth is bounded
 * wherever triangles lie. */
static uint64_t choose_cut(tree *t, const run *r, uint32_t depth)
{
    const uint64_t count = r->end - r->first;
    cut best = {.cost = INFINITY};
    for (int i = 0; depth < DEPTH_MAX && count > 1 && i < 3; i++) {
        const bins axis = bins_along(&r->middles, i);
        if (axis.scale > 0 && isfinite(axis.scale))
            try_bins(t, r, &axis, &best);
    }
    const double whole = surface(&r->bounds) * ((double)count - NODE_COST);
    if (count <= LEAF_MAX && !(best.cost < whole))
        return 0;
    return best.cost < INFINITY ? part_by(t, r, &best) : r->first + count / 2;
}

/* The axis along which the children overlap least: three-mesh-bvh then visits the nearer one first,
 * and leaves the other one out if it lies behind the hit. *swapped: the first child is the upper
 * one; it takes the first one for the lower one. */
static uint32_t parting_axis(const box *a, const box *b, int *swapped)
{
    uint32_t axis = 0;
    double most = -INFINITY;
    for (uint32_t i = 0; i < 3; i++) {
        const double up = (double)b->lo[i] - a->hi[i], down = (double)a->lo[i] - b->hi[i];
        if (fmax(up, down) > most) {
            most = fmax(up, down);
            axis = i;
            *swapped = down > up;
        }
    }
    return axis;
}

/* By the least there is: a browser's test of a ray and a box rounds. */
static box pad(const box *b)
{
    box out;
    for (int i = 0; i < 3; i++) {
        out.lo[i] = nextafterf(b->lo[i], -INFINITY);
        out.hi[i] = nextafterf(b->hi[i], INFINITY);
    }
    return out;
}

static void build(tree *t, const run *r, uint32_t depth)
{
    uint32_t *node = t->nodes + NODE_WORDS * t->node_count++;
    const box padded = pad(&r->bounds);
    memcpy(node, &padded, sizeof padded);
    const uint64_t second = choose_cut(t, r, depth);
    if (second == 0) {
        node[6] = (uint32_t)r->first;
        node[7] = (uint32_t)(r->end - r->first) | (uint32_t)LEAF_MARK << 16;
        return;
    }
    const run a = measure(t, r->first, second), b = measure(t, second, r->end);
    int swapped = 0;
    node[7] = parting_axis(&a.bounds, &b.bounds, &swapped);
    build(t, swapped ? &b : &a, depth + 1);
    node[6] = (uint32_t)(NODE_WORDS * t->node_count);
    build(t, swapped ? &a : &b, depth + 1);
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
    const box all = measure(t, 0, t->count).bounds;
    for (int i = 0; i < 3; i++) {
        lo[i] = all.lo[i];
        hi[i] = all.hi[i];
    }
    jsonw_array(j, "accessors");
    jsonw_object(j, NULL);
    jsonw_count(j, "bufferView", 0);
    jsonw_count(j, "componentType", COMPONENT_FLOAT32);
    jsonw_count(j, "count", 3 * t->count);
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
    const uint64_t vertices = 36 * t->count, nodes = 4 * NODE_WORDS * t->node_count;
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
    const uint64_t data = 36 * t->count + 4 * NODE_WORDS * t->node_count;
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
        for (uint64_t k = 0; k < t->count; k++)
            glb_words(out, t->positions + 9 * (uint64_t)t->order[k], 9);
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
        status = gather(&scene, &t);
    if (status == BVP_OK && t.count == 0)
        status = export_too_large(error, "a model without triangles has no hierarchy");
    if (status == BVP_OK) {
        const run all = measure(&t, 0, t.count);
        build(&t, &all, 0);
        status = write_file(&t, out, error);
    }
    free_tree(&t);
    export_close(&scene);
    return status;
}
