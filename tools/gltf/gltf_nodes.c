/* SPDX-License-Identifier: MIT
 * gltf_nodes.c: the nodes of a glTF file's default scene: placements, names, properties, meshes.
 * Spec: Khronos glTF 2.0, 3.5 Scenes, 3.13 Other Properties
 */
#include "gltf/gltf_nodes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gltf/gltf_instancing.h"
#include "gltf/gltf_placement.h"
#include "gltf/gltf_skins.h"
#include "model/properties.h"
#include "model/transform.h"
#include "text/primitive_names.h"

typedef struct reader {
    gltf_document *doc;
    gltf_meshes *meshes;
    gltf_skins skins;
} reader;

enum { NO_INSTANCE = -1 };

/* Says at a node of the model which node and mesh of the file it stands for, which instance if the
 * node has several, and what the mesh's primitives are called. */
static bvp_status describe(reader *r, model_node *to, uint64_t node, uint64_t mesh,
                           int64_t instance)
{
    gltf_document *d = r->doc;
    char text[80];
    int size = snprintf(text, sizeof text, "[%" PRIu64 ",%" PRIu64, node, mesh);
    if (instance != NO_INSTANCE)
        size += snprintf(text + size, sizeof text - (size_t)size, ",%" PRId64, instance);
    size += snprintf(text + size, sizeof text - (size_t)size, "]");
    assert((size_t)size < sizeof text);
    const char *primitives = gltf_mesh_primitives(r->meshes, mesh);
    const bvp_status status =
        gltf_charge(d, "nodes", node, (uint64_t)size + (primitives ? strlen(primitives) : 0));
    if (status != BVP_OK)
        return status;
    if ((primitives && property_add(to, PRIMITIVES_KEY, primitives, strlen(primitives)) != 0) ||
        property_add(to, ASSET_KEY, text, (size_t)size) != 0)
        return import_no_memory(d->im);
    return BVP_OK;
}

/* Adds a node below `at` with its name and mesh. */
static bvp_status carry(reader *r, uint32_t at, const double placement[12], model_node **out)
{
    importer *im = r->doc->im;
    model_node *added = import_add_node(im);
    if (!added)
        return import_no_memory(im);
    const model_node *node = &im->out->nodes[at]; /* the array may have moved */
    added->parent = at;
    added->mesh = node->mesh;
    memcpy(added->placement, placement, sizeof added->placement);
    if (node->name && !(added->name = import_text(node->name, strlen(node->name))))
        return import_no_memory(im);
    *out = added;
    return BVP_OK;
}

/* ---- one node ------------------------------------------------------------------------------ */

/* Puts the mesh of the last node of the model, which is skinned, where its skin says: by the node's
 * placement when nothing else depends on that, else by a node of the same name below it. */
static bvp_status pose(reader *r, uint64_t index, uint64_t skin, size_t child_count, uint64_t mesh)
{
    gltf_document *d = r->doc;
    const uint32_t at = d->im->out->node_count - 1;
    double placement[12];
    int moved;
    model_node *posed;
    bvp_status status = import_warn(d->im, 1, "skinned nodes taken in their bind pose");
    if (status == BVP_OK)
        status = gltf_skin_place(&r->skins, index, skin, &moved, placement);
    if (status != BVP_OK || !moved)
        return status;
    if (child_count == 0) {
        double own[12];
        memcpy(own, d->im->out->nodes[at].placement, sizeof own);
        transform_multiply(own, placement, d->im->out->nodes[at].placement);
        return BVP_OK;
    }
    status = carry(r, at, placement, &posed);
    if (status != BVP_OK)
        return status;
    d->im->out->nodes[at].mesh = BVP_NONE;
    return describe(r, posed, index, mesh, NO_INSTANCE);
}

/* Puts the mesh of the last node of the model below it, once for each instance. */
static bvp_status place_instances(reader *r, uint64_t index, const gltf_instancing *instances,
                                  uint64_t mesh)
{
    gltf_document *d = r->doc;
    const uint32_t at = d->im->out->node_count - 1;
    const char *name = d->im->out->nodes[at].name;
    const uint64_t each =
        sizeof(model_node) + 2 * sizeof(model_property) + (name ? strlen(name) : 0);
    uint64_t dropped = 0;
    bvp_status status = instances->count <= UINT32_MAX
                            ? gltf_charge(d, "nodes", index, each * instances->count)
                            : gltf_charge(d, "nodes", index, UINT64_MAX);
    for (uint64_t i = 0; i < instances->count && status == BVP_OK; i++) {
        model_node *added;
        double placement[12];
        gltf_instance_place(instances, i, placement);
        if (!transform_is_usable(placement) && d->im->options->drop_invalid) {
            dropped++;
            continue;
        }
        if (!transform_is_usable(placement))
            return gltf_placement_refuse(d, index,
                                         "has an instance whose placement is singular or not "
                                         "finite; repair it or leave such instances out with "
                                         "--drop-invalid");
        status = carry(r, at, placement, &added);
        if (status == BVP_OK)
            status = describe(r, added, index, mesh, (int64_t)i);
    }
    d->im->out->nodes[at].mesh = BVP_NONE;
    if (status == BVP_OK)
        status = import_warn(d->im, dropped, "instances with singular placements left out");
    return status;
}

/* Does the node morph its mesh by weights of its own? */
static int has_weights(const json_value *node)
{
    const json_value *weights = json_tree_get(node, "weights");
    double weight;
    for (size_t i = 0; i < json_tree_size(weights); i++)
        if (json_tree_number(json_tree_at(weights, i), &weight) && weight != 0)
            return 1;
    return 0;
}

/* *made: its number in the model; BVP_NONE when the node and all below it are left out. */
static bvp_status read_node(reader *r, uint64_t index, uint32_t parent, uint32_t *made)
{
    gltf_document *d = r->doc;
    const json_value *object;
    double placement[12];
    bvp_status status = gltf_node(d, index, &object);
    if (status == BVP_OK)
        status = gltf_placement_read(d, index, object, placement);
    if (status != BVP_OK)
        return status;
    *made = BVP_NONE;
    const int is_usable = transform_is_usable(placement);
    if (!is_usable && d->im->options->drop_invalid)
        return import_warn(d->im, 1, "nodes with singular placements left out, with those below");
    if (!is_usable)
        return gltf_placement_refuse(d, index,
                                     "has a placement that is singular or not finite; repair "
                                     "it or leave such nodes out with --drop-invalid");
    assert(parent == BVP_NONE || parent < d->im->out->node_count); /* parents come first */
    model_node *node = import_add_node(d->im);
    if (!node)
        return import_no_memory(d->im);
    *made = d->im->out->node_count - 1;
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
    const size_t child_count = json_tree_size(json_tree_get(object, "children"));
    const json_value *skinned = json_tree_get(object, "skin");
    uint64_t mesh, skin;
    status = gltf_count(d, "nodes", index, object, "mesh", 0, &mesh);
    if (status == BVP_OK)
        status = gltf_count(d, "nodes", index, object, "skin", 0, &skin);
    if (status == BVP_OK && has_weights(object))
        status = import_warn(d->im, 1, "morphing of single nodes left out");
    if (status == BVP_OK)
        status = gltf_mesh_read(r->meshes, mesh, &node->mesh);
    if (status != BVP_OK || node->mesh == BVP_NONE)
        return status;
    gltf_instancing instances;
    status = gltf_instancing_open(&r->meshes->accessors, index, object, &instances);
    if (status == BVP_OK && instances.count > 0 && skinned)
        status = gltf_placement_refuse(d, index,
                                       "has a skin and EXT_mesh_gpu_instancing; export the "
                                       "instances as nodes");
    if (status == BVP_OK && instances.count > 0)
        return place_instances(r, index, &instances, mesh);
    if (status == BVP_OK)
        status = describe(r, node, index, mesh, NO_INSTANCE);
    if (status != BVP_OK || !skinned)
        return status;
    return pose(r, index, skin, child_count, mesh);
}

/* ---- the tree ------------------------------------------------------------------------------ */

/* Nodes that are still to be read, each at most once: so the stack needs no more room. */
typedef struct walk {
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
    reader r = {.doc = d, .meshes = meshes};
    gltf_skins_open(&meshes->accessors, &r.skins);
    walk w = {.doc = d, .stack = calloc(count + 1, sizeof *w.stack), .met = calloc(count + 1, 1)};
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
        uint32_t made = BVP_NONE;
        status = read_node(&r, next.node, next.parent, &made);
        if (status == BVP_OK && made != BVP_NONE)
            status = gltf_node(d, next.node, &object);
        if (status == BVP_OK && made != BVP_NONE)
            status = push_nodes(&w, json_tree_get(object, "children"), made);
        if (done % 256 == 0)
            import_progress(d->im, done, count);
    }
    for (size_t i = 0; status == BVP_OK && i < count; i++)
        unmet += !w.met[i];
    if (status == BVP_OK)
        status =
            import_warn(d->im, unmet, "nodes outside the scene, or below left-out ones, not read");
    gltf_skins_close(&r.skins);
    free(w.stack);
    free(w.met);
    return status;
}
