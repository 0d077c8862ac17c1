/* SPDX-License-Identifier: MIT
 * binary_body.h: the walk of body_walk.h over a binary hierarchy of a part: its volumes as boxes of
 * the grid, tested one after the other by what each query brings.
 */
#ifndef BVPI_KINDS_QUERY_BINARY_BODY_H
#define BVPI_KINDS_QUERY_BINARY_BODY_H

#include "node/aabb_node.h"
#include "kinds/node/boxtree_node.h"
#include "kinds/node/oriented_node.h"
#include "query/body/body_walk.h"

enum { BVPI_BODY_STACK = BVPD_DEPTH_MAX + 1 /* each level leaves one entry behind */ };

/* What the payloads of a node's children are relative to. */
typedef union bvpi_body_frame {
    bvpi_frame box; /* boxtree */
    struct {
        double centre[3], reach;
    } oriented; /* obb, rss */
} bvpi_body_frame;

typedef struct bvpi_body_node {
    bvpi_binary_node node;
    bvpi_body_frame frame;
    float key;
} bvpi_body_node;

/* A box in grid steps. */
typedef struct bvpi_body_box {
    double lo[3], hi[3];
} bvpi_body_box;

static inline void bvpi_body_root(const bvpi_binary *tree, bvpi_body_frame *out)
{
    if (tree->kind == BVPD_KIND_BOXTREE) {
        for (int axis = 0; axis < 3; axis++) {
            out->box.lo[axis] = 0;
            out->box.hi[axis] = tree->grid_extent[axis];
        }
        return;
    }
    bvpi_oriented whole;
    bvpi_oriented_frame(tree, &whole);
    memcpy(out->oriented.centre, whole.centre, sizeof whole.centre);
    out->oriented.reach = whole.reach;
}

/* Part coordinates to grid steps. What a hierarchy bounds lies in its grid. */
static inline void bvpi_body_clip(const bvpi_binary *tree, int axis, double lo, double hi,
                                  bvpi_body_box *out)
{
    const double extent = tree->grid_extent[axis];
    const double from = (lo - tree->grid_origin[axis]) / tree->grid_unit;
    const double to = (hi - tree->grid_origin[axis]) / tree->grid_unit;
    out->lo[axis] = from > 0 ? from : 0;
    out->hi[axis] = to < extent ? to : extent;
}

/* The box around an oriented box or a swept rectangle; 2^-48: for the roundings here. */
static inline void bvpi_body_around(const bvpi_binary *tree, const bvpi_oriented *volume,
                                    bvpi_body_box *out)
{
    const bool is_rss = tree->kind == BVPD_KIND_RSS;
    const double slack = bvpi_oriented_slack(tree);
    for (int axis = 0; axis < 3; axis++) {
        double half = slack + (is_rss ? volume->size[2] : 0);
        for (int k = 0; k < (is_rss ? 2 : 3); k++)
            half += fabs(volume->axis[3 * k + axis]) * volume->size[k];
        half += (half + fabs(volume->centre[axis])) * 0x1p-48;
        bvpi_body_clip(tree, axis, volume->centre[axis] - half, volume->centre[axis] + half, out);
    }
}

/* The node's volume, whichever the kind. frame: its parent's; out_frame: its own. */
static inline void bvpi_body_volume(const bvpi_binary *tree, const bvpi_body_frame *frame,
                                    const uint8_t *payload, bvpi_body_frame *out_frame,
                                    bvpi_body_box *out)
{
    if (tree->kind == BVPD_KIND_BOXTREE) {
        bvpi_boxtree_box(tree, &frame->box, payload, &out_frame->box);
        for (int axis = 0; axis < 3; axis++) {
            out->lo[axis] = out_frame->box.lo[axis];
            out->hi[axis] = out_frame->box.hi[axis];
        }
    } else if (tree->kind == BVPD_KIND_AABB) {
        bvpi_aabb box;
        bvpi_aabb_box(payload, &box);
        for (int axis = 0; axis < 3; axis++)
            bvpi_body_clip(tree, axis, (double)box.lo[axis], (double)box.hi[axis], out);
    } else {
        bvpi_oriented above, volume;
        memcpy(above.centre, frame->oriented.centre, sizeof above.centre);
        above.reach = frame->oriented.reach;
        bvpi_oriented_volume(&above, payload, &volume);
        memcpy(out_frame->oriented.centre, volume.centre, sizeof volume.centre);
        out_frame->oriented.reach = volume.reach;
        bvpi_body_around(tree, &volume, out);
    }
}

/* A box as the only child of a node: in lane 0 of planes 0 and 1, a step apart. Floats that are
 * added to one another are off by 2^-24 of themselves: the box is wider by more than two such
 * errors. */
static inline void bvpi_body_open(const bvpi_body_box *box, const uint8_t (*bounds)[16],
                                  bvpi_open_node *out)
{
    for (int axis = 0; axis < 3; axis++) {
        const double pad = (fabs(box->lo[axis]) + fabs(box->hi[axis])) * 0x1p-22;
        out->lo[axis] = (float)(box->lo[axis] - pad);
        out->step[axis] = (float)(box->hi[axis] + pad - (double)out->lo[axis]);
    }
    out->bounds = bounds;
}

/* The triangles of a leaf, run by run of those that are stored one after the other. */
BVPI_INLINE bvp_status bvpi_body_leaf(const bvpi_walk_steps *steps, void *user,
                                      const bvpi_binary *tree, const bvpi_binary_node *leaf)
{
    uint32_t first = 0, count = 0, reference;
    for (uint32_t i = 0; i < leaf->count; i++) {
        if (!bvpi_binary_item(tree, leaf->first + i, &reference))
            return BVP_ERR_CORRUPT;
        if (count > 0 && reference == first + count && (reference & 0xff) != 0) {
            count++;
            continue;
        }
        const bvp_status status = count > 0 ? steps->triangles(user, first, count) : BVP_OK;
        if (status != BVP_OK || steps->limit(user) == -__builtin_inff())
            return status;
        first = reference;
        count = 1;
    }
    return steps->triangles(user, first, count);
}

/* Tests both children of `at` and pushes those that may matter: the smaller key on top, of equal
 * ones the left. False: the file is damaged. */
BVPI_INLINE bool bvpi_body_push(const bvpi_walk_steps *steps, void *user, const bvpi_binary *tree,
                                const bvpi_body_node *at, float limit, bvpi_body_node *stack,
                                unsigned *height, bvp_stats *stats)
{
    static const uint8_t bounds[3][16] = {{[8] = 1}, {[8] = 1}, {[8] = 1}};
    const bvpi_wide lane = {.bounds = bounds};
    const unsigned base = *height;
    bvpi_binary_node child[2];
    const uint8_t *payload[2];
    if (base + 2 > BVPI_BODY_STACK || !bvpi_binary_children(tree, &at->node, child, payload))
        return false;
    stats->nodes++;
    stats->boxes += 2;
    for (int k = 1; k >= 0; k--) {
        bvpi_body_node *out = &stack[*height];
        bvpi_body_box box;
        bvpi_open_node open;
        float keys[8];
        out->node = child[k];
        bvpi_body_volume(tree, &at->frame, payload[k], &out->frame, &box);
        bvpi_body_open(&box, bounds, &open);
        *height += steps->boxes(user, &open, &lane, limit, keys) & 1;
        out->key = keys[0];
    }
    if (*height == base + 2 && stack[base].key < stack[base + 1].key) {
        const bvpi_body_node nearer = stack[base];
        stack[base] = stack[base + 1];
        stack[base + 1] = nearer;
    }
    return true;
}

BVPI_INLINE bvp_status bvpi_binary_body_walk_under(const bvpi_walk_steps *steps, void *user,
                                                   const bvpi_binary *tree, bvpi_steps *left,
                                                   bvp_stats *stats)
{
    bvpi_body_node stack[BVPI_BODY_STACK];
    bvpi_body_frame whole;
    bvpi_body_box box;
    const uint8_t *payload;
    unsigned height = 1;
    float limit = steps->limit(user);
    bvpi_body_root(tree, &whole);
    if (!bvpi_binary_root(tree, &stack[0].node, &payload))
        return BVP_ERR_CORRUPT;
    bvpi_body_volume(tree, &whole, payload, &stack[0].frame, &box);
    stack[0].key = -__builtin_inff();
    while (height > 0) {
        const bvpi_body_node at = stack[--height];
        if (at.key > limit)
            continue;
        if (!bvpi_steps_take(left))
            return bvpi_steps_blame(left);
        if (bvpi_binary_is_leaf(tree, &at.node)) {
            stats->leaves++;
            const bvp_status status = bvpi_body_leaf(steps, user, tree, &at.node);
            limit = steps->limit(user);
            if (status != BVP_OK || limit == -__builtin_inff())
                return status;
            continue;
        }
        if (!bvpi_body_push(steps, user, tree, &at, limit, stack, &height, stats))
            return BVP_ERR_CORRUPT;
    }
    return BVP_OK;
}

/* As bvpi_body_walk, of a part's binary hierarchy. */
BVPI_INLINE bvp_status bvpi_binary_body_walk(const bvpi_walk_steps *steps, void *user,
                                             const bvpi_binary *tree, bvpi_meter *meter,
                                             bvp_stats *stats)
{
    bvpi_steps left;
    bvpi_loan loan;
    bvpi_steps_begin(&left, &loan, meter, tree->node_count);
    const bvp_status status = bvpi_binary_body_walk_under(steps, user, tree, &left, stats);
    bvpi_steps_pause(&left);
    return status;
}

#endif
