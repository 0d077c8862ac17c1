/* SPDX-License-Identifier: MIT
 * show_boxes.c: bvp_boxes(): the boxes of one level of a wide hierarchy, for viewers and tests.
 *
 * A depth-first walk with an explicit stack. Children come after their parents and the number of
 * opened nodes is limited to the hierarchy's, so forged files end with BVP_ERR_CORRUPT.
 * Spec: format.md, chapter "Nodes"
 */
#include "format/lazy.h"
#include "format/source.h"
#include "node/cluster_record.h"
#include "node/frame.h"
#include "node/turn.h"

#include <assert.h>
#include <math.h>

/* A box that waits to be shown or opened. At most seven wait on each level. */
typedef struct item {
    bvpi_frame frame;
    uint32_t level;
    uint32_t unit;       /* of an inner box */
    uint32_t leaf_count; /* items of a leaf, or 0 */
    uint64_t first;
} item;

enum { STACK_MAX = BVPD_DEPTH_MAX * (BVPD_WIDTH - 1) + 1 };

typedef struct walk {
    bvpi_tree tree;
    const bvpi_part *part; /* NULL: a hierarchy over the instances */
    uint32_t level;        /* the level to show */
    bvp_box_fn callback;
    void *user;
    bool stopped;        /* by the callback */
    uint64_t steps_left; /* a valid hierarchy has no more nodes */
    uint32_t waiting;
    item stack[STACK_MAX];
} walk;

/* Pushes a node's children, the first lane on top. */
static bool open_node(walk *w, const item *parent)
{
    bvpd_node node;
    item children[BVPD_WIDTH];
    uint32_t count = 0, inner = 0;
    if (w->steps_left-- == 0 || !bvpi_node_load(&w->tree, parent->unit, &node))
        return false;
    bool has_leaf = false;
    for (int lane = 0; lane < BVPD_WIDTH; lane++)
        has_leaf = has_leaf || bvpi_meta_is_leaf(node.meta[lane]);
    uint64_t first = node.geom; /* instance, or triangle of the part, of the first leaf */
    if (has_leaf && w->part && !bvpi_reference_triangle(w->part, node.geom, &first))
        return false;
    for (int lane = 0; lane < BVPD_WIDTH; lane++) {
        const uint8_t meta = node.meta[lane];
        if (!bvpi_meta_is_inner(meta) && !bvpi_meta_is_leaf(meta))
            continue;
        item *child = &children[count++];
        *child = (item){.level = parent->level + 1};
        bvpi_frame_child(&parent->frame, &node, lane, &child->frame);
        if (bvpi_meta_is_inner(meta)) {
            child->unit = node.child + inner++;
        } else {
            child->leaf_count = meta;
            child->first = first;
            first += meta;
        }
    }
    assert(w->waiting <= STACK_MAX);
    if (count > STACK_MAX - w->waiting) /* deeper than a valid hierarchy */
        return false;
    /* the last lane first, so that boxes are shown in the order of lanes */
    while (count > 0)
        w->stack[w->waiting++] = children[--count];
    return true;
}

/* A box of a turned grid as the box around it in part coordinates, rounded outward. */
static void turn_box_back(const bvpi_tree *tree, bvp_box *box)
{
    bvpi_turn turn;
    double centre[3], half[3], back[3], size = 0;
    bvpi_turn_init(tree->turn, &turn);
    for (int i = 0; i < 3; i++) {
        centre[i] = 0.5 * (box->lo[i] + box->hi[i]);
        half[i] = 0.5 * (box->hi[i] - box->lo[i]);
        size += fabs(box->lo[i]) + fabs(box->hi[i]);
    }
    bvpi_turn_back(&turn, centre, back);
    for (int i = 0; i < 3; i++) {
        double reach = size * 0x1p-48;
        for (int j = 0; j < 3; j++)
            reach += fabs(turn.m[3 * j + i]) * half[j];
        box->lo[i] = back[i] - reach;
        box->hi[i] = back[i] + reach;
    }
}

/* Of each branch, the box on the level to show, or the leaf above it. */
static bvp_status run(walk *w)
{
    assert(w->waiting == 0);
    item root = {.unit = w->tree.root};
    bvpi_frame_root(&w->tree, &root.frame);
    w->steps_left = w->tree.node_count;
    w->stack[w->waiting++] = root;
    while (w->waiting > 0) {
        const item next = w->stack[--w->waiting];
        const bool is_shown = next.leaf_count > 0 || next.level == w->level;
        if (!is_shown) {
            if (!open_node(w, &next))
                return BVP_ERR_CORRUPT;
            continue;
        }
        bvp_box box = {.level = next.level, .leaf_count = next.leaf_count, .first = next.first};
        for (int axis = 0; axis < 3; axis++) {
            box.lo[axis] = bvpi_grid_corner(&w->tree, axis, next.frame.lo[axis]);
            box.hi[axis] = bvpi_grid_corner(&w->tree, axis, next.frame.hi[axis]);
        }
        if (w->tree.is_turned)
            turn_box_back(&w->tree, &box);
        w->stopped = w->callback(w->user, &box) != 0;
        if (w->stopped)
            return BVP_OK;
    }
    return BVP_OK;
}

static bvp_status show(const bvp_file *file, uint32_t part, uint32_t level, bvp_box_fn callback,
                       void *user)
{
    walk w = {.level = level, .callback = callback, .user = user};
    bvpi_part view;
    bvp_status status = bvpi_touch(file, part);
    if (status != BVP_OK)
        return status;
    if (part == BVP_ASSEMBLY) {
        for (uint32_t k = 0; k < bvpi_top_count(file) && status == BVP_OK && !w.stopped; k++) {
            status = bvpi_get_top_tree(file, k, &w.tree);
            if (status == BVP_OK)
                status = run(&w);
        }
        return status;
    }
    bvp_hierarchy_info first;
    status = bvpi_get_part(file, part, &view);
    w.part = &view;
    if (status == BVP_OK)
        status = bvp_get_hierarchy(file, part, 0, &first);
    if (status == BVP_OK && first.kind != BVP_KIND_WIDE)
        return BVP_ERR_ARGUMENT;
    if (status == BVP_OK)
        status = bvpi_get_part_tree(file, part, &w.tree);
    return status == BVP_OK ? run(&w) : status;
}

BVPI_GUARD(box, bvp_box_fn, bvp_box)

bvp_status bvp_boxes(const bvp_file *file, uint32_t part, uint32_t level, bvp_box_fn callback,
                     void *user)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    box_guard guard = {&call, callback, user};
    return bvpi_call_end(&call, show(file, part, level, box_guarded, &guard));
}
