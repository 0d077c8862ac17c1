/* SPDX-License-Identifier: MIT
 * gltf_skins.c: where skinned meshes of a glTF file stand: in their bind pose.
 * Spec: Khronos glTF 2.0, 3.7.3 Skins
 *
 * A skin's joints place its mesh, and the node's own placement says nothing. Each joint has the
 * matrix that led from the mesh to the joint when they were bound; packers put the scale of
 * quantized positions there, too. In the bind pose all joints agree where the mesh is: joint times
 * matrix. In another pose each moves its own vertices. Parts here are rigid, so the mesh stays as
 * it was bound, and stands where its first joint puts it.
 */
#include "gltf/gltf_skins.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gltf/gltf_placement.h"
#include "model/transform.h"

void gltf_skins_open(gltf_accessors *accessors, gltf_skins *s)
{
    *s = (gltf_skins){.doc = accessors->doc, .accessors = accessors};
}

void gltf_skins_close(gltf_skins *s)
{
    free(s->worlds);
}

/* ---- nodes in the world ---------------------------------------------------------------------- */

/* For the walk up from a node: its parent, then the nodes on the way. */
typedef struct climb {
    uint32_t *parents, *way;
    uint8_t *is_known; /* worlds[i] is in the world, not relative to the parent */
} climb;

/* Placements relative to parents, and who these are. */
static bvp_status read_nodes(gltf_skins *s, climb *c)
{
    gltf_document *d = s->doc;
    const size_t count = d->nodes.count;
    bvp_status status = BVP_OK;
    for (size_t i = 0; i < count; i++)
        c->parents[i] = BVP_NONE;
    for (size_t i = 0; status == BVP_OK && i < count; i++) {
        const json_value *object;
        uint64_t child;
        status = gltf_node(d, i, &object);
        const json_value *children = status == BVP_OK ? json_tree_get(object, "children") : NULL;
        for (size_t k = 0; k < json_tree_size(children); k++)
            if (json_tree_count(json_tree_at(children, k), &child) && child < count)
                c->parents[child] = (uint32_t)i;
        if (status == BVP_OK)
            status = gltf_placement_read(d, i, object, s->worlds[i]);
    }
    return status;
}

/* Each node is met once on a way up, and once on the way down again. */
static bvp_status place_nodes(gltf_skins *s, climb *c)
{
    const size_t count = s->doc->nodes.count;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        for (uint32_t at = (uint32_t)i; at != BVP_NONE && !c->is_known[at]; at = c->parents[at]) {
            if (length == count)
                return gltf_refuse(s->doc, BVP_ERR_CORRUPT, "nodes", i,
                                   "is below itself: expected a tree, found a cycle; export the "
                                   "model again");
            c->way[length++] = at;
        }
        while (length > 0) {
            const uint32_t at = c->way[--length], above = c->parents[at];
            double own[12];
            memcpy(own, s->worlds[at], sizeof own);
            if (above != BVP_NONE)
                transform_multiply(s->worlds[above], own, s->worlds[at]);
            c->is_known[at] = 1;
        }
    }
    return BVP_OK;
}

static bvp_status find_worlds(gltf_skins *s, uint64_t skin)
{
    const size_t count = s->doc->nodes.count;
    bvp_status status =
        gltf_charge(s->doc, "skins", skin,
                    count * (sizeof *s->worlds + 2 * sizeof(uint32_t) + sizeof(uint8_t)));
    if (status != BVP_OK)
        return status;
    climb c = {calloc(count + 1, sizeof *c.parents), calloc(count + 1, sizeof *c.way),
               calloc(count + 1, sizeof *c.is_known)};
    s->worlds = calloc(count + 1, sizeof *s->worlds);
    status = c.parents && c.way && c.is_known && s->worlds ? BVP_OK : import_no_memory(s->doc->im);
    if (status == BVP_OK)
        status = read_nodes(s, &c);
    if (status == BVP_OK)
        status = place_nodes(s, &c);
    free(c.parents);
    free(c.way);
    free(c.is_known);
    return status;
}

/* ---- skins ----------------------------------------------------------------------------------- */

/* The matrix of a skin's first joint, which leads from the mesh to the joint. */
static bvp_status read_bound(gltf_skins *s, uint64_t skin, const json_value *object, double out[12])
{
    enum { WIDTH = 16 };
    double columns[WIDTH] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const accessor *matrices;
    uint64_t index;
    bvp_status status = BVP_OK;
    if (json_tree_get(object, "inverseBindMatrices")) {
        status = gltf_count(s->doc, "skins", skin, object, "inverseBindMatrices", 0, &index);
        if (status == BVP_OK)
            status = gltf_accessor_open(s->accessors, index, &matrices);
        if (status != BVP_OK)
            return status;
        if (matrices->width != WIDTH || matrices->component != COMPONENT_FLOAT ||
            matrices->count == 0)
            return gltf_refuse(s->doc, BVP_ERR_CORRUPT, "accessors", index,
                               "expected a MAT4 of floats for each joint of skins[%" PRIu64
                               "]; export the model again",
                               skin);
        for (uint32_t k = 0; k < WIDTH; k++)
            columns[k] = (double)accessor_number(matrices, 0, k);
    }
    if (transform_from_columns(columns, out) == 0)
        return BVP_OK;
    return gltf_refuse(s->doc, BVP_ERR_CORRUPT, "skins", skin,
                       "its first joint has a matrix whose last row is not 0 0 0 1; export the "
                       "model again");
}

/* Matrices of skins are floats: what they say is known to some digits only. */
static int is_same(const double a[12], const double b[12])
{
    const double share = 1e-5;
    double turn = 0, move = 0;
    for (int k = 0; k < 12; k++)
        if (k % 4 < 3)
            turn = fmax(turn, fabs(a[k]));
        else
            move = fmax(move, fabs(a[k]));
    for (int k = 0; k < 12; k++)
        if (!(fabs(a[k] - b[k]) <= share * (k % 4 < 3 ? turn : fmax(move, turn))))
            return 0;
    return 1;
}

bvp_status gltf_skin_place(gltf_skins *s, uint64_t node, uint64_t skin, int *moved, double out[12])
{
    gltf_document *d = s->doc;
    const json_value *object;
    double bound[12], world[12];
    uint64_t joint;
    bvp_status status = gltf_element(d, "skins", json_tree_get(d->root, "skins"), skin, &object);
    if (status == BVP_OK)
        status = read_bound(s, skin, object, bound);
    if (status == BVP_OK &&
        (!json_tree_count(json_tree_at(json_tree_get(object, "joints"), 0), &joint) ||
         joint >= d->nodes.count))
        status = gltf_refuse(d, BVP_ERR_CORRUPT, "skins", skin,
                             "expected joints that are nodes; export the model again");
    if (status == BVP_OK && !s->worlds)
        status = find_worlds(s, skin);
    if (status != BVP_OK)
        return status;
    assert(node < d->nodes.count);
    transform_multiply(s->worlds[joint], bound, world);
    *moved = !is_same(s->worlds[node], world);
    if (!*moved)
        return BVP_OK;
    if (!transform_is_usable(world) || !transform_is_usable(s->worlds[node]))
        return gltf_placement_refuse(d, node,
                                     "is skinned by a joint whose placement is singular or not "
                                     "finite; repair it or export the model without skins");
    transform_relative(s->worlds[node], world, out);
    return BVP_OK;
}
