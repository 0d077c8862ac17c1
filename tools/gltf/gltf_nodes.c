/* SPDX-License-Identifier: MIT
 * gltf_nodes.c: the nodes of a glTF file's default scene: placements, names, properties, meshes.
 * Spec: Khronos glTF 2.0, 3.5 Scenes, 3.13 Other Properties
 */
#include "gltf/gltf_nodes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/properties.h"
#include "model/transform.h"

/* ---- one node ------------------------------------------------------------------------------ */

static bvp_status refuse_placement(gltf_document *d, uint64_t index, const char *what)
{
    const json_value *object;
    if (gltf_node(d, index, &object) != BVP_OK)
        return BVP_ERR_CORRUPT;
    const char *name = json_tree_text(json_tree_get(object, "name"));
    return gltf_refuse(d, BVP_ERR_ARGUMENT, "nodes", index, "\"%.40s\" %s", name ? name : "", what);
}

static bvp_status read_placement(gltf_document *d, uint64_t index, const json_value *object,
                                 double out[12])
{
    const json_value *matrix = json_tree_get(object, "matrix");
    const json_value *move = json_tree_get(object, "translation");
    const json_value *turn = json_tree_get(object, "rotation");
    const json_value *scale = json_tree_get(object, "scale");
    double columns[16], m[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    if (matrix && !json_tree_numbers(matrix, 16, columns))
        return refuse_placement(d, index, "has a matrix that is not 16 numbers; export it again");
    if (matrix && transform_from_columns(columns, out) != 0)
        return refuse_placement(d, index,
                                "has a matrix whose last row is not 0 0 0 1: only affine "
                                "placements are possible");
    if (matrix)
        return BVP_OK;
    if ((move && !json_tree_numbers(move, 3, m)) || (turn && !json_tree_numbers(turn, 4, q)) ||
        (scale && !json_tree_numbers(scale, 3, s)))
        return refuse_placement(d, index,
                                "has a translation, rotation or scale that is not 3, 4 "
                                "and 3 numbers; export it again");
    transform_from_trs(m, q, s, out);
    return BVP_OK;
}

/* *kept: 0 when the node and all below it are left out. */
static bvp_status read_node(gltf_meshes *m, uint64_t index, uint32_t parent, int *kept)
{
    gltf_document *d = m->doc;
    const json_value *object;
    double placement[12];
    bvp_status status = gltf_node(d, index, &object);
    if (status == BVP_OK)
        status = read_placement(d, index, object, placement);
    if (status != BVP_OK)
        return status;
    *kept = transform_is_usable(placement);
    if (!*kept && d->im->options->drop_invalid)
        return import_warn(d->im, 1, "nodes with singular placements left out, with those below");
    if (!*kept)
        return refuse_placement(d, index,
                                "has a placement that is singular or not finite; repair "
                                "it or leave such nodes out with --drop-invalid");
    if (json_tree_get(json_tree_get(object, "extensions"), "EXT_mesh_gpu_instancing"))
        return refuse_placement(d, index,
                                "uses EXT_mesh_gpu_instancing; export the instances as "
                                "nodes");
    assert(parent == BVP_NONE || parent < d->im->out->node_count); /* parents come first */
    model_node *node = import_add_node(d->im);
    if (!node)
        return import_no_memory(d->im);
    node->parent = parent;
    memcpy(node->placement, placement, sizeof placement);
    status = gltf_name(d, object, &node->name);
    if (status != BVP_OK)
        return status;
    const json_value *extras = json_tree_get(object, "extras");
    if (extras && !json_tree_is_object(extras) ? property_add_json(node, "extras", extras)
                                               : property_add_members(node, extras))
        return import_no_memory(d->im);
    if (!json_tree_get(object, "mesh"))
        return BVP_OK;
    uint64_t mesh;
    status = gltf_count(d, "nodes", index, object, "mesh", 0, &mesh);
    if (status == BVP_OK && json_tree_get(object, "skin"))
        status = import_warn(d->im, 1, "skinned nodes taken in their basic form");
    return status == BVP_OK ? gltf_mesh_read(m, mesh, &node->mesh) : status;
}

/* ---- the tree ------------------------------------------------------------------------------ */

/* Nodes that are still to be read, each at most once: so the stack needs no more room. */
typedef struct walk {
    gltf_meshes *meshes;
    gltf_document *doc;
    struct pending {
        uint32_t node, parent; /* in the file; in the model */
    } * stack;
    size_t depth;
    uint8_t *met; /* for each node of the file */
} walk;

static bvp_status push_node(walk *w, uint64_t index, uint32_t parent)
{
    const json_list *nodes = &w->doc->nodes;
    if (index >= nodes->count || !json_list_is_object(nodes, (size_t)index))
        return gltf_refuse(w->doc, BVP_ERR_CORRUPT, "nodes", index,
                           "is referred to, but the file has only %zu; export the model again",
                           nodes->count);
    if (w->met[index])
        return gltf_refuse(w->doc, BVP_ERR_CORRUPT, "nodes", index,
                           "is reached twice: expected a tree, found a cycle or a node with "
                           "two parents; export the model again");
    w->met[index] = 1;
    assert(w->depth < nodes->count); /* each node is pushed once */
    w->stack[w->depth++] = (struct pending){(uint32_t)index, parent};
    return BVP_OK;
}

/* Puts a list of nodes on the stack, the first one on top. */
static bvp_status push_nodes(walk *w, const json_value *list, uint32_t parent)
{
    bvp_status status = BVP_OK;
    for (size_t i = json_tree_size(list); status == BVP_OK && i-- > 0;) {
        uint64_t index;
        if (!json_tree_count(json_tree_at(list, i), &index))
            index = UINT64_MAX;
        status = push_node(w, index, parent);
    }
    return status;
}

/* Without scenes the file is a library: its nodes that are nobody's children are the roots. */
static bvp_status push_all_roots(walk *w)
{
    const size_t count = w->doc->nodes.count;
    uint8_t *is_child = calloc(count + 1, 1);
    bvp_status status = is_child ? BVP_OK : import_no_memory(w->doc->im);
    for (size_t i = 0; status == BVP_OK && i < count; i++) {
        const json_value *object;
        status = gltf_node(w->doc, i, &object);
        const json_value *children = status == BVP_OK ? json_tree_get(object, "children") : NULL;
        for (size_t k = 0; k < json_tree_size(children); k++) {
            uint64_t child;
            if (json_tree_count(json_tree_at(children, k), &child) && child < count)
                is_child[child] = 1;
        }
    }
    for (size_t i = count; status == BVP_OK && i-- > 0;)
        if (!is_child[i])
            status = push_node(w, i, BVP_NONE);
    free(is_child);
    return status;
}

bvp_status gltf_nodes_read(gltf_meshes *meshes)
{
    gltf_document *d = meshes->doc;
    const size_t count = d->nodes.count;
    walk w = {.meshes = meshes,
              .doc = d,
              .stack = calloc(count + 1, sizeof *w.stack),
              .met = calloc(count + 1, 1)};
    const json_value *scenes = json_tree_get(d->root, "scenes"), *scene;
    const size_t scene_count = json_tree_size(scenes);
    uint64_t index, unmet = 0;
    bvp_status status = w.stack && w.met ? BVP_OK : import_no_memory(d->im);
    if (status == BVP_OK && scene_count == 0) {
        status = push_all_roots(&w);
    } else if (status == BVP_OK) {
        status = gltf_count(d, "scenes", 0, d->root, "scene", 0, &index);
        if (status == BVP_OK)
            status = gltf_element(d, "scenes", scenes, index, &scene);
        if (status == BVP_OK)
            status = import_warn(d->im, scene_count - 1, "scenes beside the default one left out");
        if (status == BVP_OK)
            status = push_nodes(&w, json_tree_get(scene, "nodes"), BVP_NONE);
    }
    for (size_t done = 1; status == BVP_OK && w.depth > 0; done++) {
        struct pending next = w.stack[--w.depth];
        const json_value *object = NULL;
        int kept = 0;
        status = read_node(meshes, next.node, next.parent, &kept);
        if (status == BVP_OK && kept)
            status = gltf_node(d, next.node, &object);
        if (status == BVP_OK && kept)
            status = push_nodes(&w, json_tree_get(object, "children"), d->im->out->node_count - 1);
        if (done % 256 == 0)
            import_progress(d->im, done, count);
    }
    for (size_t i = 0; status == BVP_OK && i < count; i++)
        unmet += !w.met[i];
    if (status == BVP_OK)
        status =
            import_warn(d->im, unmet, "nodes outside the scene, or below left-out ones, not read");
    free(w.stack);
    free(w.met);
    return status;
}
