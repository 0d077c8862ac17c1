/* SPDX-License-Identifier: MIT
 * body_walk.h: the walk of all queries of one body: depth first, children sorted by a key, on
 * a fixed stack. Each query brings its box test and what to do at leaves, and is compiled into it.
 * Whatever the file says, the walk stays in the blob and ends: children come after their parents,
 * and no more nodes and items are visited than a valid hierarchy has.
 */
#ifndef BVPI_QUERY_BODY_WALK_H
#define BVPI_QUERY_BODY_WALK_H

#include "node/wide.h"
#include "query/subject.h"

/* A node or leaf that may matter. */
typedef struct bvpi_entry {
    float key;            /* smaller ones are visited first */
    uint32_t ref;         /* a node's unit, a leaf's first item */
    uint32_t item_count;  /* of a leaf; 0: a node */
    float lo[3], step[3]; /* a node's frame: lower corner and one step of its children's planes */
} bvpi_entry;

/* What a query does on its way; user is its own. */
typedef struct bvpi_walk_steps {
    /* Keys of the eight children, and the mask of those that may matter (empty ones are sorted out
     * by the caller). */
    unsigned (*boxes)(void *user, const bvpi_entry *at, const bvpi_wide *node, float limit,
                      float keys[8]);
    /* Entries with larger keys do not matter (any more). -INFINITY: the answer is complete. */
    float (*limit)(void *user);
    /* The tree's items are triangles. */
    bvp_status (*triangles)(void *user, const bvpi_entry *leaf);
    /* The tree's items are instances: asks one. NULL for a part's tree. */
    bvp_status (*instance)(void *user, const bvpi_placed_part *part);
} bvpi_walk_steps;

BVPI_INLINE void bvpi_entry_child(const bvpi_wide *node, const bvpi_entry *parent, unsigned lane,
                                  float key, bvpi_entry *out)
{
    out->key = key;
    if (!bvpi_wide_is_inner(node, lane)) {
        out->ref = bvpi_wide_item(node, lane);
        out->item_count = bvpi_wide_item_count(node, lane);
        return;
    }
    out->ref = bvpi_wide_child(node, lane);
    out->item_count = 0;
    for (int a = 0; a < 3; a++) {
        const float lo = (float)node->bounds[a][lane] * parent->step[a];
        const float hi = (float)node->bounds[a][lane + 8] * parent->step[a];
        out->lo[a] = parent->lo[a] + lo;
        out->step[a] = bvpi_wide_step(hi - lo, 1);
    }
}

/* Pushes the children in `lanes`; the smallest key comes to lie on top, of equal ones the first
 * lane's. Returns the new height. */
BVPI_INLINE unsigned bvpi_push_children(const bvpi_wide *node, const bvpi_entry *parent,
                                        unsigned lanes, const float keys[8], bvpi_entry *stack,
                                        unsigned height)
{
    const unsigned base = height;
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = bvpi_lowest_bit(lanes);
        unsigned to = height++;
        for (; to > base && stack[to - 1].key <= keys[lane]; to--)
            stack[to] = stack[to - 1];
        bvpi_entry_child(node, parent, lane, keys[lane], &stack[to]);
    }
    return height;
}

BVPI_INLINE bvpi_entry bvpi_root_entry(const bvpi_tree *tree)
{
    bvpi_entry root = {.key = -__builtin_inff(), .ref = tree->root};
    for (int a = 0; a < 3; a++)
        root.step[a] = bvpi_wide_step((float)tree->grid_extent[a], 1);
    return root;
}

/* The instances of a leaf of an assembly's hierarchy, until the answer is complete. */
BVPI_INLINE bvp_status bvpi_walk_instances(const bvpi_walk_steps *steps, void *user,
                                           const bvpi_subject *subject, const bvpi_entry *leaf,
                                           uint64_t *budget, bvp_stats *stats)
{
    bvpi_placed_part part;
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < leaf->item_count && status == BVP_OK; i++) {
        if ((*budget)-- == 0)
            return BVP_ERR_CORRUPT;
        if (steps->limit(user) == -__builtin_inff())
            break;
        stats->instance_pairs++;
        status = bvpi_subject_instance(subject, leaf->ref + i, &part);
        if (status == BVP_OK)
            status = steps->instance(user, &part);
    }
    return status;
}

/* Walks `tree`: an assembly's hierarchy over its instances when steps->instance is set, else
 * a part's. */
BVPI_INLINE bvp_status bvpi_body_walk(const bvpi_walk_steps *steps, void *user,
                                      const bvpi_subject *subject, const bvpi_tree *tree,
                                      bvp_stats *stats)
{
    bvpi_entry stack[BVPI_STACK_SIZE];
    unsigned height = 1;
    uint64_t budget = tree->node_count;
    bvp_status status = BVP_OK;
    if (steps->instance)
        budget += subject->file->header.instance_count;
    stack[0] = bvpi_root_entry(tree);
    while (height > 0 && status == BVP_OK) {
        const bvpi_entry at = stack[--height];
        const float limit = steps->limit(user);
        if (at.key > limit)
            continue;
        if (at.item_count != 0) {
            status = steps->instance
                         ? bvpi_walk_instances(steps, user, subject, &at, &budget, stats)
                         : steps->triangles(user, &at);
            continue;
        }
        bvpi_wide node;
        float keys[8];
        if (budget-- == 0 || !bvpi_wide_load(tree, at.ref, &node) ||
            height + BVPD_WIDTH > BVPI_STACK_SIZE)
            return BVP_ERR_CORRUPT;
        stats->nodes++;
        stats->boxes += bvpi_popcount(node.used);
        const unsigned lanes = node.used & steps->boxes(user, &at, &node, limit, keys);
        height = bvpi_push_children(&node, &at, lanes, keys, stack, height);
    }
    return status;
}

/* Decodes a leaf's triangles and opens their cluster. */
BVPI_INLINE bool bvpi_walk_leaf(const bvpi_tree *tree, const bvpi_entry *leaf, bvpi_tri8 *tri,
                                bvpi_cluster *cluster)
{
    const uint64_t offset = (uint64_t)(leaf->ref >> 8) << tree->cluster_shift;
    return bvpi_wide_triangles(tree, leaf->ref, leaf->item_count, tri) &&
           bvpi_cluster_open(tree->units, tree->blob_size, offset, cluster);
}

/* Corners of one of eight triangles. */
BVPI_INLINE void bvpi_tri8_lane(const bvpi_tri8 *tri, unsigned lane, float out[9])
{
    for (int k = 0; k < 9; k++)
        out[k] = tri->c[k][lane];
}

#endif
