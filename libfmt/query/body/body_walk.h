/* SPDX-License-Identifier: MIT
 * body_walk.h: the general walk of one wide hierarchy: depth first, children sorted by a key, on a
 * fixed stack. Each query supplies its box test and its actions at leaves, which are inlined.
 * Regions use it, and closest points where their own walk has no room; rays have ray_walk.h.
 *
 * Whatever the file says, the walk stays in the blob and ends: levels are bounded, and no more
 * nodes and items are visited than a valid hierarchy has.
 */
#ifndef BVPI_QUERY_BODY_BODY_WALK_H
#define BVPI_QUERY_BODY_BODY_WALK_H

#include "base/meter.h"
#include "node/wide_node.h"
#include "query/body/placed_body.h"

/* A node or leaf that may matter. */
typedef struct bvpi_entry {
    float key;           /* smaller ones are visited first */
    uint32_t ref;        /* a node's unit, a leaf's first item */
    uint32_t item_count; /* of a leaf; 0: a node */
    uint16_t level;      /* of a node; the root's is 0 */
    uint16_t lane;       /* of the node above it */
} bvpi_entry;

/* A node that is open: its frame, in grid steps, and its children's boxes in it. */
typedef struct bvpi_open_node {
    float lo[3], step[3]; /* lower corner, one step of its children's planes */
    const uint8_t (*bounds)[16];
} bvpi_open_node;

/* What a query does on its way; user is its own. */
typedef struct bvpi_walk_steps {
    /* Keys of the eight children, and the mask of those that may matter (empty ones are sorted out
     * by the caller). */
    unsigned (*boxes)(void *user, const bvpi_open_node *at, const bvpi_wide *node, float limit,
                      float keys[8]);
    /* Entries with larger keys do not matter. -INFINITY: the answer is complete. Asked anew after
     * each leaf. */
    float (*limit)(void *user);
    /* The tree's items are triangles. */
    bvp_status (*triangles)(void *user, uint32_t item, unsigned count);
    /* The tree's items are instances: asks one. NULL for a part's tree. */
    bvp_status (*instance)(void *user, uint32_t item);
} bvpi_walk_steps;

BVPI_INLINE void bvpi_open_root(const bvpi_tree *tree, bvpi_open_node *out)
{
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        out->lo[a] = 0;
        out->step[a] = bvpi_wide_step((float)tree->grid_extent[a], 1);
    }
}

/* The frame of the node in a lane of `parent`. */
BVPI_INLINE void bvpi_open_child(const bvpi_open_node *parent, unsigned lane, bvpi_open_node *out)
{
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const float lo = (float)parent->bounds[a][lane] * parent->step[a];
        const float hi = (float)parent->bounds[a][lane + 8] * parent->step[a];
        out->lo[a] = parent->lo[a] + lo;
        out->step[a] = bvpi_wide_step(hi - lo, 1);
    }
}

/* Pushes the children in `lanes`; the smallest key comes to lie on top, of equal ones the first
 * lane's. Returns the new height. */
BVPI_INLINE unsigned bvpi_push_children(const bvpi_wide *node, unsigned level, unsigned lanes,
                                        const float keys[8], bvpi_entry *stack, unsigned height)
{
    const unsigned base = height;
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = bvpi_lowest_bit(lanes);
        const unsigned meta = (unsigned)(node->meta >> (8 * lane)) & 0xff;
        const bool inner = meta == BVPD_META_INNER;
        const bvpi_entry entry = {.key = keys[lane],
                                  .ref = inner ? bvpi_wide_child(node, lane)
                                               : bvpi_wide_item(node, lane),
                                  .item_count = inner ? 0 : meta,
                                  .level = (uint16_t)(level + 1),
                                  .lane = (uint16_t)lane};
        unsigned to = height++;
        for (; to > base && stack[to - 1].key <= entry.key; to--)
            stack[to] = stack[to - 1];
        stack[to] = entry;
    }
    return height;
}

/* The items of a leaf, until the answer is complete. */
BVPI_INLINE bvp_status bvpi_walk_items(const bvpi_walk_steps *steps, void *user,
                                       const bvpi_entry *leaf, bvpi_steps *left, bvp_stats *stats)
{
    bvp_status status = BVP_OK;
    if (!steps->instance) {
        stats->leaves++;
        return steps->triangles(user, leaf->ref, leaf->item_count);
    }
    for (uint32_t i = 0; i < leaf->item_count && status == BVP_OK; i++) {
        if (!bvpi_steps_take(left))
            return bvpi_steps_blame(left);
        if (steps->limit(user) == -__builtin_inff())
            break;
        bvpi_steps_pause(left); /* the part has a walk of its own */
        status = steps->instance(user, leaf->ref + i);
    }
    return status;
}

/* Opens the node of an entry: its frame from its parent's. False: it is too deep, or the file is
 * damaged. */
BVPI_INLINE bool bvpi_walk_open(const bvpi_tree *tree, const bvpi_entry *at, unsigned levels,
                                bvpi_open_node *open, bvpi_wide *node)
{
    if (at->level >= levels || !bvpi_wide_load(tree, at->ref, node))
        return false;
    if (at->level == 0)
        bvpi_open_root(tree, &open[0]);
    else
        bvpi_open_child(&open[at->level - 1], at->lane, &open[at->level]);
    open[at->level].bounds = node->bounds;
    return true;
}

/* What a walk keeps: stack: BVPI_STACK_OF(levels) entries; open: `levels`. */
typedef struct bvpi_walk_room {
    bvpi_entry *stack;
    bvpi_open_node *open;
    unsigned levels;
} bvpi_walk_room;

/* BVP_ERR_CORRUPT also if the tree has more levels than there is room for. */
BVPI_INLINE bvp_status bvpi_body_walk_under(const bvpi_walk_steps *steps, void *user,
                                            const bvpi_tree *tree, const bvpi_walk_room *room,
                                            bvpi_steps *left, bvp_stats *stats)
{
    bvpi_entry *stack = room->stack;
    bvpi_open_node *open = room->open;
    unsigned height = 1;
    float limit = steps->limit(user);
    stack[0] = (bvpi_entry){.key = -__builtin_inff(), .ref = tree->root};
    while (height > 0) {
        const bvpi_entry at = stack[--height];
        bvpi_wide node;
        float keys[8];
        if (at.key > limit)
            continue;
        if (at.item_count != 0) {
            const bvp_status status = bvpi_walk_items(steps, user, &at, left, stats);
            if (status != BVP_OK)
                return status;
            limit = steps->limit(user);
            if (limit == -__builtin_inff())
                return BVP_OK;
            continue;
        }
        if (!bvpi_steps_take(left) || !bvpi_walk_open(tree, &at, room->levels, open, &node))
            return bvpi_steps_blame(left);
        stats->nodes++;
        stats->boxes += bvpi_popcount(node.used);
        const unsigned lanes = node.used & steps->boxes(user, &open[at.level], &node, limit, keys);
        height = bvpi_push_children(&node, at.level, lanes, keys, stack, height);
    }
    return BVP_OK;
}

/* Walks `tree`: an assembly's hierarchy over item_count instances when steps->instance is set, else
 * a part's, and then item_count is 0. */
BVPI_INLINE bvp_status bvpi_body_walk(const bvpi_walk_steps *steps, void *user,
                                      const bvpi_tree *tree, uint32_t item_count, bvpi_meter *meter,
                                      bvp_stats *stats)
{
    bvpi_entry stack[BVPI_STACK_SIZE];
    bvpi_open_node open[BVPD_DEPTH_MAX];
    const bvpi_walk_room room = {stack, open, BVPD_DEPTH_MAX};
    bvpi_steps left;
    bvpi_loan loan;
    bvpi_steps_begin(&left, &loan, meter, (uint64_t)tree->node_count + item_count);
    const bvp_status status = bvpi_body_walk_under(steps, user, tree, &room, &left, stats);
    bvpi_steps_pause(&left);
    return status;
}

/* Decodes a leaf's triangles and opens their cluster. */
BVPI_INLINE bool bvpi_walk_leaf(const bvpi_tree *tree, uint32_t item, unsigned count,
                                bvpi_tri8 *tri, bvpi_cluster *cluster)
{
    const uint64_t offset = (uint64_t)(item >> 8) << tree->cluster_shift;
    return bvpi_wide_triangles(tree, item, count, tri) &&
           bvpi_cluster_open(tree->units, tree->blob_size, tree->outside, offset, cluster);
}

#endif
