/* SPDX-License-Identifier: MIT
 * binary_body.h: the walk of body_walk.h over a binary hierarchy of a part. Every volume is
 * replaced by its box in grid steps (kind_table.h) and passed to the query's box test as the only
 * child of a node, so queries of one body need no code for other kinds.
 *
 * Slow twin: the wide hierarchy, tests/property/test_binary_single.c.
 * Spec: exactness.md, chapter 10, "Boxes of binary hierarchies"
 */
#ifndef BVPI_QUERY_BODY_BINARY_BODY_H
#define BVPI_QUERY_BODY_BINARY_BODY_H

#include <math.h>

#include "query/body/body_walk.h"
#include "query/body/kind_table.h"

enum { BVPI_BODY_STACK = BVPD_DEPTH_MAX + 1 /* each level leaves one entry behind */ };

typedef struct bvpi_body_node {
    bvpi_binary_node node;
    bvpi_body_frame frame;
    float key;
} bvpi_body_node;

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
        bvpi_kind_table[tree->kind]->box(tree, &at->frame, payload[k], &out->frame, &box);
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
    bvpi_kind_table[tree->kind]->root(tree, &whole);
    if (!bvpi_binary_root(tree, &stack[0].node, &payload))
        return BVP_ERR_CORRUPT;
    bvpi_kind_table[tree->kind]->box(tree, &whole, payload, &stack[0].frame, &box);
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
