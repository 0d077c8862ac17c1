/* SPDX-License-Identifier: MIT
 * papers_volumes.c: decodes a hierarchy into boxes.
 */
#include "papers_volumes.h"
#include "node/aabb_node.h"
#include "kinds/node/boxtree_node.h"
#include "kinds/node/oriented_node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a child's payload is relative to. */
typedef struct decoded {
    bvpi_frame frame;
    bvpi_oriented oriented;
} decoded;

typedef struct pending {
    bvpi_binary_node node;
    decoded decoded;
    uint32_t volume;
} pending;

static void set_axes(volume *out)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(out->axis, identity, sizeof identity);
}

static void set_box(volume *out, int axis, double lo, double hi)
{
    out->centre[axis] = (lo + hi) / 2;
    out->half[axis] = (hi - lo) / 2;
}

static void decode(const bvpi_binary *tree, const decoded *parent, const uint8_t *payload,
                   decoded *own, volume *out)
{
    set_axes(out);
    if (tree->kind == BVPD_KIND_AABB) {
        bvpi_aabb box;
        bvpi_aabb_box(payload, &box);
        for (int axis = 0; axis < 3; axis++)
            set_box(out, axis, (double)box.lo[axis], (double)box.hi[axis]);
    } else if (tree->kind == BVPD_KIND_BOXTREE) {
        bvpi_boxtree_box(tree, &parent->frame, payload, &own->frame);
        for (int axis = 0; axis < 3; axis++)
            set_box(out, axis, tree->grid_origin[axis] + own->frame.lo[axis] * tree->grid_unit,
                    tree->grid_origin[axis] + own->frame.hi[axis] * tree->grid_unit);
    } else {
        bvpi_oriented_volume(&parent->oriented, payload, &own->oriented);
        memcpy(out->centre, own->oriented.centre, sizeof out->centre);
        memcpy(out->half, own->oriented.size, sizeof out->half);
        memcpy(out->axis, own->oriented.axis, sizeof out->axis);
    }
}

static bool read_all(volume_tree *tree, const bvpi_binary *binary, pending *stack)
{
    const uint8_t *payload[2];
    decoded grid = {.frame = {.lo = {0}}};
    int top = 1;
    memcpy(grid.frame.hi, binary->grid_extent, sizeof grid.frame.hi);
    bvpi_oriented_frame(binary, &grid.oriented);
    if (!bvpi_binary_root(binary, &stack[0].node, &payload[0]))
        return false;
    decode(binary, &grid, payload[0], &stack[0].decoded, &tree->nodes[0]);
    tree->nodes[0].parent = 0;
    stack[0].volume = 0;
    tree->count = 1;
    while (top > 0) {
        const pending at = stack[--top];
        bvpi_binary_node child[2];
        volume *own = &tree->nodes[at.volume];
        own->child = 0;
        if (bvpi_binary_is_leaf(binary, &at.node))
            continue;
        if (tree->count + 2 > binary->node_count ||
            !bvpi_binary_children(binary, &at.node, child, payload))
            return false;
        own->child = tree->count;
        for (int k = 0; k < 2; k++) {
            pending *next = &stack[top++];
            next->node = child[k];
            next->volume = tree->count++;
            decode(binary, &at.decoded, payload[k], &next->decoded, &tree->nodes[next->volume]);
            tree->nodes[next->volume].parent = at.volume;
        }
    }
    return true;
}

bool volume_tree_read(volume_tree *tree, const bvp_file *file, bvp_kind kind)
{
    enum { STACK = 256 };
    bvpi_binary binary;
    *tree = (volume_tree){.nodes = NULL};
    if (bvpi_get_part_binary(file, 0, (uint32_t)kind, &binary) != BVP_OK)
        return false;
    pending *stack = scene_allocate(STACK * sizeof *stack);
    tree->nodes = scene_allocate((size_t)binary.node_count * sizeof *tree->nodes);
    const bool ok = read_all(tree, &binary, stack);
    free(stack);
    return ok;
}

void volume_tree_free(volume_tree *tree)
{
    free(tree->nodes);
    *tree = (volume_tree){.nodes = NULL};
}

/* ---- empty space ----------------------------------------------------------------------------- */

static double share_empty(const volume *parent, const volume *child)
{
    int longest = 0;
    double full = 1, own = 1;
    for (int axis = 1; axis < 3; axis++)
        longest = parent->half[axis] > parent->half[longest] ? axis : longest;
    for (int axis = 0; axis < 3; axis++) {
        double lo = parent->centre[axis] - parent->half[axis];
        double hi = parent->centre[axis] + parent->half[axis];
        const double child_lo = child->centre[axis] - child->half[axis];
        const double child_hi = child->centre[axis] + child->half[axis];
        if (axis == longest && child_lo - lo > hi - child_hi)
            lo = child_lo;
        else if (axis == longest)
            hi = child_hi;
        full *= hi - lo;
        own *= child_hi - child_lo;
    }
    return full > 0 ? 1 - own / full : NAN;
}

double *volume_tree_empty(const volume_tree *tree, bool inner_only, uint32_t *count)
{
    double *shares = scene_allocate(tree->count * sizeof *shares);
    *count = 0;
    for (uint32_t k = 1; k < tree->count; k++) {
        const double share = share_empty(&tree->nodes[tree->nodes[k].parent], &tree->nodes[k]);
        if (!isnan(share) && !(inner_only && tree->nodes[k].child == 0))
            shares[(*count)++] = share;
    }
    if (*count > 0)
        scene_median(shares, (int)*count);
    return shares;
}

double volume_tree_shared_sides(const volume_tree *tree)
{
    const double *root = tree->nodes[0].half;
    const double near = 1e-9 * (root[0] + root[1] + root[2]);
    uint64_t shared = 0;
    for (uint32_t k = 1; k < tree->count; k++) {
        const volume *own = &tree->nodes[k], *parent = &tree->nodes[own->parent];
        for (int axis = 0; axis < 3; axis++) {
            const double lo = own->centre[axis] - own->half[axis];
            const double hi = own->centre[axis] + own->half[axis];
            shared += fabs(lo - parent->centre[axis] + parent->half[axis]) <= near;
            shared += fabs(hi - parent->centre[axis] - parent->half[axis]) <= near;
        }
    }
    return (double)shared / (tree->count - 1);
}

double volume_tree_mean_depth(const volume_tree *tree)
{
    uint32_t *depth = scene_allocate(tree->count * sizeof *depth);
    uint64_t sum = 0, leaves = 0;
    depth[0] = 1;
    for (uint32_t k = 0; k < tree->count; k++) {
        if (k > 0)
            depth[k] = depth[tree->nodes[k].parent] + 1;
        if (tree->nodes[k].child == 0)
            sum += depth[k], leaves++;
    }
    free(depth);
    return (double)sum / (double)leaves;
}
