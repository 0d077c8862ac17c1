/* SPDX-License-Identifier: MIT
 * refit_boxtree.c: recomputes all volumes of a boxtree, in place.
 *
 * A node keeps its number of planes, because a payload cannot change its size. Which sides they
 * move is chosen anew: those that cut most. A volume is relative to its parent's, so there are two
 * passes. From the last record to the first, the boxes of all triangles below the upper records are
 * collected; then, from the root down, each node's sides are moved towards its box, in its decoded
 * parent. The boxes of a block's nodes are on the stack, computed in both passes; those of upper
 * records need memory, which the caller has.
 *
 * Invariant: the decoded volume contains the box, because offsets are rounded down.
 *
 * Held by tests/property/test_refit.c.
 * Spec: format.md, chapters "Boxtree", "Deformed parts"
 * Based on: Zachmann, Minimal hierarchical collision detection, 2002, section 3.1.
 */
#include "refit/refit.h"

#include "kinds/node/boxtree_node.h"
#include "refit/refit_block.h"

#include <assert.h>

enum { SIDES = 6 };

typedef struct boxtree {
    bvp_file *file;
    const bvpi_binary *tree;
    const bvpi_part *part;
    bvpi_grid_lanes lanes;
    bvpi_raw_cluster open;
    bvpi_frame *upper; /* of each upper record: first the box of what it holds, then its volume */
    double area;       /* of all volumes, half their surfaces in square grid steps */
} boxtree;

/* ---- one node ------------------------------------------------------------------------------- */

/* How far a side of the parent's box can move towards the box, in grid steps. Clamped, because a
 * forged file's numbers may be anything. */
static uint32_t distance_of(const bvpi_frame *parent, const bvpi_frame *box, unsigned side)
{
    const unsigned axis = side % 3;
    const uint32_t extent = parent->hi[axis] - parent->lo[axis];
    const uint32_t distance =
        side < 3 ? box->lo[axis] - parent->lo[axis] : parent->hi[axis] - box->hi[axis];
    return distance <= extent ? distance : 0;
}

/* The `count` sides that take away most surface, each by itself; of equal ones the lower. */
static unsigned choose_sides(const bvpi_frame *parent, const uint32_t distance[SIDES],
                             unsigned count)
{
    double gain[SIDES];
    unsigned mask = 0;
    for (unsigned side = 0; side < SIDES; side++) {
        const unsigned b = (side + 1) % 3, c = (side + 2) % 3;
        gain[side] = (double)distance[side] * ((double)(parent->hi[b] - parent->lo[b]) +
                                               (double)(parent->hi[c] - parent->lo[c]));
    }
    for (; count > 0; count--) {
        unsigned best = SIDES;
        for (unsigned side = 0; side < SIDES; side++)
            if ((mask >> side & 1) == 0 && (best == SIDES || gain[side] > gain[best]))
                best = side;
        mask |= 1u << best;
    }
    return mask;
}

/* Writes the payload of a node that holds `box`. *box becomes its volume. */
static void fit_node(boxtree *b, const uint8_t *payload, const bvpi_frame *parent, bvpi_frame *box)
{
    enum { OFFSETS_MAX = 3 };
    uint8_t bytes[1 + OFFSETS_MAX * sizeof(float)], *at = bytes + 1;
    uint32_t distance[SIDES];
    const unsigned offset_size = b->tree->offset_size;
    unsigned count = (unsigned)__builtin_popcount(bvpi_load_u8(payload) & 63u);
    count = count < b->tree->plane_max ? count : b->tree->plane_max;
    assert(count <= OFFSETS_MAX && offset_size <= sizeof(float));
    for (unsigned side = 0; side < SIDES; side++)
        distance[side] = distance_of(parent, box, side);
    const unsigned mask = choose_sides(parent, distance, count);
    bytes[0] = (uint8_t)mask;
    for (unsigned side = 0; side < SIDES; side++) {
        if ((mask >> side & 1) == 0)
            continue;
        const uint32_t extent = parent->hi[side % 3] - parent->lo[side % 3];
        const uint32_t units = distance[side] >> bvpi_boxtree_shift(extent, offset_size);
        const float steps = (float)distance[side]; /* below 2^22: exact */
        if (offset_size == sizeof steps)
            memcpy(at, &steps, sizeof steps);
        else
            for (unsigned i = 0; i < offset_size; i++)
                at[i] = (uint8_t)(units >> (8 * i));
        at += offset_size;
    }
    bvpi_overlay_store(b->file, payload, bytes, (size_t)(at - bytes));
    bvpi_boxtree_box(b->tree, parent, payload, box);
    b->area += bvpi_frame_half_surface(box);
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* The nodes of a block, and the box of what each holds. */
typedef struct block {
    bvpi_block_node nodes[BVPI_BLOCK_NODES_MAX];
    bvpi_frame boxes[BVPI_BLOCK_NODES_MAX];
    uint32_t count;
} block;

static bool bound_block(boxtree *b, const bvpi_binary_node *root, const uint8_t *payload,
                        block *out)
{
    if (!bvpi_block_list(b->tree, root, payload, out->nodes, &out->count))
        return false;
    for (uint32_t k = out->count; k-- > 0;) {
        const bvpi_block_node *n = &out->nodes[k];
        bvpi_frame *box = &out->boxes[k];
        bvpi_aabb exact;
        if (n->left != 0) {
            *box = out->boxes[n->left];
            bvpi_frame_include(box, &out->boxes[n->left + 1]);
            continue;
        }
        if (!bvpi_block_bound(b->tree, b->part, &b->open, &n->node, &exact))
            return false;
        bvpi_frame_round_all(&b->lanes, &exact, box);
    }
    return true;
}

/* volume: of the block's root, which is fitted already. */
static void fit_block(boxtree *b, block *nodes, const bvpi_frame *volume)
{
    nodes->boxes[0] = *volume;
    for (uint32_t k = 0; k < nodes->count; k++) {
        const uint32_t left = nodes->nodes[k].left;
        for (uint32_t child = left; left != 0 && child < left + 2; child++)
            fit_node(b, nodes->nodes[child].payload, &nodes->boxes[k], &nodes->boxes[child]);
    }
}

/* ---- passes --------------------------------------------------------------------------------- */

/* Children of an upper record come after it. */
static bool gather(boxtree *b, uint32_t idx)
{
    bvpi_binary_node node, child[2];
    const uint8_t *payload, *below[2];
    block nodes;
    if (!bvpi_binary_upper(b->tree, idx, &node, &payload))
        return false;
    if (node.end != 0) {
        if (!bound_block(b, &node, payload, &nodes))
            return false;
        b->upper[idx] = nodes.boxes[0];
        return true;
    }
    if (!bvpi_binary_children(b->tree, &node, child, below))
        return false;
    b->upper[idx] = b->upper[bvpi_upper_number(b->tree, below[0])];
    bvpi_frame_include(&b->upper[idx], &b->upper[bvpi_upper_number(b->tree, below[1])]);
    return true;
}

/* The record's own volume is known: its parent has come before. */
static bool spread(boxtree *b, uint32_t idx)
{
    bvpi_binary_node node, child[2];
    const uint8_t *payload, *below[2];
    block nodes;
    if (!bvpi_binary_upper(b->tree, idx, &node, &payload))
        return false;
    if (node.end != 0) {
        if (!bound_block(b, &node, payload, &nodes))
            return false;
        fit_block(b, &nodes, &b->upper[idx]);
        return true;
    }
    if (!bvpi_binary_children(b->tree, &node, child, below))
        return false;
    for (int side = 0; side < 2; side++)
        fit_node(b, below[side], &b->upper[idx],
                 &b->upper[bvpi_upper_number(b->tree, below[side])]);
    return true;
}

bvp_status bvpi_refit_boxtree(bvp_file *file, const bvpi_binary *tree, const bvpi_part *part,
                              const bvpi_grid *grid, bvpi_frame *upper, double *area_cost)
{
    boxtree b = {.file = file,
                 .tree = tree,
                 .part = part,
                 .lanes = bvpi_grid_lanes_of(grid),
                 .upper = upper};
    const bvpi_frame outermost = {{0, 0, 0}, {grid->extent[0], grid->extent[1], grid->extent[2]}};
    for (uint32_t idx = tree->upper_count; idx-- > 0;)
        if (!gather(&b, idx))
            return BVP_ERR_CORRUPT;
    fit_node(&b, tree->blob, &outermost, &upper[0]);
    const double whole = bvpi_frame_half_surface(&upper[0]);
    for (uint32_t idx = 0; idx < tree->upper_count; idx++)
        if (!spread(&b, idx))
            return BVP_ERR_CORRUPT;
    *area_cost = whole > 0 ? b.area / whole : 0;
    return BVP_OK;
}
