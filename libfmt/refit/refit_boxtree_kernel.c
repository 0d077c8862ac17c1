/* SPDX-License-Identifier: MIT
 * refit_boxtree_kernel.c: recomputes all volumes of a boxtree, in place.
 *
 * A node keeps its number of planes, because a payload cannot change its size. Which sides they
 * move is chosen anew: those that cut most. A volume is relative to its parent's, so there are two
 * passes. From the last record to the first, the boxes of all triangles below the upper records are
 * collected; then, from the root down, each node's sides are moved towards its box, in its decoded
 * parent. What the first pass finds of the nodes is kept for the second, in memory that the caller
 * has.
 *
 * Invariant: the decoded volume contains the box, because offsets are rounded down.
 *
 * Held by tests/property/test_refit.c.
 * Spec: format.md, chapters "Boxtree", "Deformed parts"
 * Based on: Zachmann, Minimal hierarchical collision detection, 2002, section 3.1.
 * Measured: decisions.md, "Refits once more"
 */
#include "refit/refit.h"

#include "kinds/node/boxtree_node.h"
#include "refit/refit_block.h"

#include <assert.h>

enum { SIDES = 6 };

typedef struct upper {
    bvpi_frame box;        /* first around what the record holds, then its volume */
    uint32_t first, count; /* nodes of its block */
} upper;

/* Of a block: what the first pass has found of a node. */
typedef struct block_node {
    bvpi_frame box;
    uint32_t payload; /* offset in the blob */
    uint16_t left;    /* as in bvpi_block_node */
    uint8_t planes;
} block_node;
_Static_assert(sizeof(upper) <= BVPI_REFIT_BOXTREE_UPPER &&
                   sizeof(block_node) <= BVPI_REFIT_BOXTREE_NODE,
               "bvpi_refit_room");

typedef struct boxtree {
    bvp_file *file;
    const bvpi_binary *tree;
    const bvpi_part *part;
    bvpi_grid_lanes lanes;
    bvpi_raw_cluster open;
    upper *upper;
    block_node *nodes;   /* of all blocks */
    uint32_t node_count; /* that the first pass has found */
    double area;         /* of all volumes, half their surfaces in square grid steps */
} boxtree;

/* ---- one node ------------------------------------------------------------------------------- */

/* How far each side of the parent's box can move towards the box, in grid steps. Clamped, because a
 * forged file's numbers may be anything. */
static inline void measure(const bvpi_frame *parent, const bvpi_frame *box,
                           const uint32_t extent[3], uint32_t distance[SIDES])
{
    BVPI_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t lower = box->lo[axis] - parent->lo[axis];
        const uint32_t upper = parent->hi[axis] - box->hi[axis];
        distance[axis] = lower <= extent[axis] ? lower : 0;
        distance[3 + axis] = upper <= extent[axis] ? upper : 0;
    }
}

/* The `count` sides that take away most surface, each by itself; of equal ones the lower. Surfaces
 * are below 2^45 square grid steps, and the side in their last bits makes them differ. */
static inline unsigned choose_sides(const uint32_t extent[3], const uint32_t distance[SIDES],
                                    unsigned count)
{
    uint64_t key[SIDES];
    unsigned mask = 0;
    BVPI_UNROLL
    for (unsigned axis = 0; axis < 3; axis++) {
        const uint64_t rim = (uint64_t)extent[(axis + 1) % 3] + extent[(axis + 2) % 3];
        key[axis] = distance[axis] * rim * 8 + (SIDES - 1 - axis);
        key[3 + axis] = distance[3 + axis] * rim * 8 + (SIDES - 4 - axis);
    }
    for (; count > 0; count--) {
        uint64_t best = key[0];
        BVPI_UNROLL
        for (unsigned side = 1; side < SIDES; side++)
            best = key[side] > best ? key[side] : best;
        const unsigned side = SIDES - 1 - (best & 7);
        mask |= 1u << side;
        key[side] = 0;
    }
    return mask;
}

/* Moves a side by the offset that a payload says, as bvpi_boxtree_box does. */
static inline void move_side(bvpi_frame *box, unsigned side, uint32_t offset)
{
    const unsigned axis = side % 3;
    const uint32_t most = box->hi[axis] - box->lo[axis];
    offset = offset < most ? offset : most;
    if (side < 3)
        box->lo[axis] += offset;
    else
        box->hi[axis] -= offset;
}

static inline unsigned planes_of(const boxtree *b, const uint8_t *payload)
{
    const unsigned count = (unsigned)__builtin_popcount(bvpi_load_u8(payload) & 63u);
    return count < b->tree->plane_max ? count : b->tree->plane_max;
}

/* bvpi_overlay_store, of few bytes. */
static inline void store_payload(const boxtree *b, const uint8_t *payload, const uint8_t *bytes,
                                 size_t size)
{
    bool differs = false;
    for (size_t i = 0; i < size; i++)
        differs |= payload[i] != bytes[i];
    if (differs)
        memcpy(bvpi_overlay(b->file, payload), bytes, size);
}

/* Writes the payload of a node that holds `box`. *box becomes its volume. */
static void fit_node(boxtree *b, const uint8_t *payload, unsigned planes, const bvpi_frame *parent,
                     bvpi_frame *box)
{
    enum { OFFSETS_MAX = 3 };
    uint8_t bytes[1 + OFFSETS_MAX * sizeof(float)], *at = bytes + 1;
    uint32_t extent[3], distance[SIDES];
    const unsigned offset_size = b->tree->offset_size;
    assert(planes <= OFFSETS_MAX && offset_size <= sizeof(float));
    for (int axis = 0; axis < 3; axis++)
        extent[axis] = parent->hi[axis] - parent->lo[axis];
    measure(parent, box, extent, distance);
    const unsigned mask = choose_sides(extent, distance, planes);
    bytes[0] = (uint8_t)mask;
    *box = *parent;
    for (unsigned left = mask; left != 0; left &= left - 1) {
        const unsigned side = (unsigned)__builtin_ctz(left);
        uint32_t offset = distance[side];
        if (offset_size == sizeof(float)) {
            const float steps = (float)offset; /* below 2^22: exact */
            memcpy(at, &steps, sizeof steps);
        } else {
            const unsigned shift = bvpi_boxtree_shift(extent[side % 3], offset_size);
            const uint32_t units = offset >> shift;
            at[0] = (uint8_t)units;
            if (offset_size == 2)
                at[1] = (uint8_t)(units >> 8);
            offset = units << shift;
        }
        at += offset_size;
        move_side(box, side, offset);
    }
    store_payload(b, payload, bytes, (size_t)(at - bytes));
    b->area += bvpi_frame_half_surface(box);
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Lists the block's nodes, and computes their boxes. */
static bool bound_block(boxtree *b, const bvpi_binary_node *root, const uint8_t *payload,
                        upper *out)
{
    bvpi_block_node nodes[BVPI_BLOCK_NODES_MAX];
    if (!bvpi_block_list(b->tree, root, payload, nodes, &out->count) ||
        out->count > b->tree->node_count - b->node_count) /* a forged count, or blocks shared */
        return false;
    out->first = b->node_count;
    b->node_count += out->count;
    block_node *kept = b->nodes + out->first;
    for (uint32_t k = out->count; k-- > 0;) {
        const bvpi_block_node *n = &nodes[k];
        bvpi_aabb exact;
        kept[k].payload = (uint32_t)(n->payload - b->tree->blob);
        kept[k].left = (uint16_t)n->left;
        kept[k].planes = (uint8_t)planes_of(b, n->payload);
        if (n->left != 0) {
            kept[k].box = kept[n->left].box;
            bvpi_frame_include(&kept[k].box, &kept[n->left + 1].box);
            continue;
        }
        if (!bvpi_block_bound(b->tree, b->part, &b->open, &n->node, &exact))
            return false;
        bvpi_frame_round_all(&b->lanes, &exact, &kept[k].box);
    }
    out->box = kept[0].box;
    return true;
}

/* The block's root is fitted already: it is the upper record. */
static void fit_block(boxtree *b, const upper *own)
{
    block_node *nodes = b->nodes + own->first;
    nodes[0].box = own->box;
    for (uint32_t k = 0; k < own->count; k++) {
        const uint32_t left = nodes[k].left;
        for (uint32_t child = left; left != 0 && child < left + 2; child++)
            fit_node(b, b->tree->blob + nodes[child].payload, nodes[child].planes, &nodes[k].box,
                     &nodes[child].box);
    }
}

/* ---- passes --------------------------------------------------------------------------------- */

/* Children of an upper record come after it. */
static bool gather(boxtree *b, uint32_t idx)
{
    bvpi_binary_node node, child[2];
    const uint8_t *payload, *below[2];
    upper *own = &b->upper[idx];
    if (!bvpi_binary_upper(b->tree, idx, &node, &payload))
        return false;
    if (node.end != 0)
        return bound_block(b, &node, payload, own);
    if (!bvpi_binary_children(b->tree, &node, child, below))
        return false;
    own->count = 0;
    own->box = b->upper[bvpi_upper_number(b->tree, below[0])].box;
    bvpi_frame_include(&own->box, &b->upper[bvpi_upper_number(b->tree, below[1])].box);
    return true;
}

/* The record's own volume is known: its parent has come before. */
static bool spread(boxtree *b, uint32_t idx)
{
    bvpi_binary_node node, child[2];
    const uint8_t *payload, *below[2];
    const upper *own = &b->upper[idx];
    if (!bvpi_binary_upper(b->tree, idx, &node, &payload))
        return false;
    if (own->count > 0) {
        fit_block(b, own);
        return true;
    }
    if (node.end != 0 || !bvpi_binary_children(b->tree, &node, child, below))
        return false;
    for (int side = 0; side < 2; side++)
        fit_node(b, below[side], planes_of(b, below[side]), &own->box,
                 &b->upper[bvpi_upper_number(b->tree, below[side])].box);
    return true;
}

bvp_status refit_boxtree(bvp_file *file, const bvpi_binary *tree, const bvpi_part *part,
                         const bvpi_grid *grid, void *room, double *area_cost)
{
    boxtree b = {.file = file,
                 .tree = tree,
                 .part = part,
                 .lanes = bvpi_grid_lanes_of(grid),
                 .upper = room,
                 .nodes = (block_node *)((upper *)room + tree->upper_count)};
    const bvpi_frame outermost = {{0, 0, 0}, {grid->extent[0], grid->extent[1], grid->extent[2]}};
    for (uint32_t idx = tree->upper_count; idx-- > 0;)
        if (!gather(&b, idx))
            return BVP_ERR_CORRUPT;
    fit_node(&b, tree->blob, planes_of(&b, tree->blob), &outermost, &b.upper[0].box);
    const double whole = bvpi_frame_half_surface(&b.upper[0].box);
    for (uint32_t idx = 0; idx < tree->upper_count; idx++)
        if (!spread(&b, idx))
            return BVP_ERR_CORRUPT;
    *area_cost = whole > 0 ? b.area / whole : 0;
    return BVP_OK;
}
