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

/* A box as eight lanes: lo, one unused, the negatives of hi, one unused. So a side's way inward is
 * upward, on both ends of an axis, and a box around others has the least of each lane. Numbers are
 * steps of the grid, below 2^22. */
typedef struct sides {
    int32_t lo[3], not_lo, minus_hi[3], not_hi;
} sides;
_Static_assert(sizeof(sides) == sizeof(i32x8), "sides are loaded as a vector");

typedef struct upper {
    int32_t lo[3];  /* first around what the record holds, then its volume: as in sides */
    uint32_t first; /* node of its block */
    int32_t minus_hi[3];
    uint32_t count; /* of them */
} upper;

/* Of a block: what the first pass has found of a node. */
typedef struct block_node {
    int32_t lo[3];    /* as in upper */
    uint32_t payload; /* offset in the blob */
    int32_t minus_hi[3];
    uint16_t left; /* as in bvpi_block_node */
    uint8_t planes;
} block_node;
_Static_assert(sizeof(upper) == sizeof(sides) && sizeof(upper) == BVPI_REFIT_BOXTREE_UPPER &&
                   sizeof(block_node) == sizeof(sides) &&
                   sizeof(block_node) == BVPI_REFIT_BOXTREE_NODE,
               "bvpi_refit_room");
_Static_assert(offsetof(upper, minus_hi) == offsetof(sides, minus_hi) &&
                   offsetof(block_node, minus_hi) == offsetof(sides, minus_hi),
               "boxes lie as in sides");

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

/* ---- boxes ---------------------------------------------------------------------------------- */

/* The box of a record that begins as sides does; unused lanes hold the record's other numbers. */
static inline i32x8 load_box(const void *record)
{
    i32x8 box;
    memcpy(&box, record, sizeof box);
    return box;
}

static inline void store_box(void *record, i32x8 box)
{
    const i32x8 unused = {0, 0, 0, -1, 0, 0, 0, -1};
    box = i32x8_select(unused, load_box(record), box);
    memcpy(record, &box, sizeof box);
}

static inline i32x8 around(i32x8 a, i32x8 b)
{
    return i32x8_select(i32x8_lt(a, b), a, b);
}

/* A box that was rounded to the grid. Of a file that changes meanwhile lo may exceed hi. */
static inline i32x8 sides_of(bvpi_frame_lanes box)
{
    const bvpi_halves both = {.i32_half = {bvpi_i32x4_min(box.lo, box.hi), -box.hi}};
    return both.i32;
}

static inline i32x8 other_ends(i32x8 box)
{
    return __builtin_shufflevector(box, box, 4, 5, 6, 7, 0, 1, 2, 3);
}

/* How long a box is on each axis, in the lanes of both of its ends. */
static inline i32x8 extents_of(i32x8 box)
{
    return -(box + other_ends(box));
}

/* ---- one node ------------------------------------------------------------------------------- */

/* The `count` sides, a bit each, that take away most surface, each by itself; of equal ones the
 * lower. Products are below 2^45 square grid steps: exact. A number from 0 to 5 for the side, added
 * to eight times the product, makes them differ. */
static inline unsigned choose_sides(i32x8 extent, i32x8 distance, unsigned count)
{
    const i32x8 rim = __builtin_shufflevector(extent, extent, 1, 2, 0, 3, 5, 6, 4, 7) +
                      __builtin_shufflevector(extent, extent, 2, 0, 1, 3, 6, 4, 5, 7);
    const f64x4 number[2] = {{5, 4, 3, -1}, {2, 1, 0, -1}}, none = f64x4_splat(-1);
    const i32x8 used = {-1, -1, -1, 0, -1, -1, -1, 0};
    f64x4 key[2], moved[2], edge[2];
    unsigned mask = 0;
    f64x4_from_i32(distance & used, moved);
    f64x4_from_i32(rim, edge);
    for (int end = 0; end < 2; end++)
        key[end] = moved[end] * edge[end] * 8 + number[end];
    for (; count > 0; count--) {
        f64x4 best = f64x4_max(key[0], key[1]);
        best = f64x4_max(best, __builtin_shufflevector(best, best, 2, 3, 0, 1));
        best = f64x4_max(best, __builtin_shufflevector(best, best, 1, 0, 3, 2));
        mask |= 1u << (SIDES - 1 - ((int64_t)best[0] & 7));
        for (int end = 0; end < 2; end++)
            key[end] = f64x4_select(f64x4_ge(key[end], best), none, key[end]);
    }
    return mask;
}

static inline unsigned planes_of(const boxtree *b, const uint8_t *payload)
{
    const unsigned count = (unsigned)__builtin_popcount(bvpi_load_u8(payload) & 63u);
    return count < b->tree->plane_max ? count : b->tree->plane_max;
}

/* bvpi_overlay_store, of 1 to 13 bytes: pieces that may overlap. */
static inline void store_payload(const boxtree *b, const uint8_t *payload, const uint8_t *bytes,
                                 size_t size)
{
    bool differs = false;
    for (size_t i = 0; i < size; i++)
        differs |= payload[i] != bytes[i];
    if (!differs)
        return;
    uint8_t *to = bvpi_overlay(b->file, payload);
    if (size >= 8) {
        memcpy(to, bytes, 8);
        memcpy(to + size - 8, bytes + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, bytes, 4);
        memcpy(to + size - 4, bytes + size - 4, 4);
    } else {
        to[0] = bytes[0];
        to[size / 2] = bytes[size / 2];
        to[size - 1] = bytes[size - 1];
    }
}

/* Grid steps in the unit of each side's offset, as a power of two: bvpi_boxtree_shift. A float's
 * exponent tells an extent's bits. Floats of four bytes hold all steps. */
static inline i32x8 shifts_of(i32x8 extent, unsigned offset_size)
{
    const i32x8 needed = ((i32x8)f32x8_from_i32(extent) >> 23) - 126;
    const i32x8 shift = needed - i32x8_splat((int32_t)(8 * offset_size));
    return i32x8_select(i32x8_gt(shift, i32x8_splat(0)), shift, i32x8_splat(0));
}

/* Writes the payload of a node that holds `box`. Returns its volume. Distances are clamped, because
 * a forged file's parent may be any box. */
static i32x8 fit_node(boxtree *b, const uint8_t *payload, unsigned planes, i32x8 parent, i32x8 box)
{
    enum { OFFSETS_MAX = 3 };
    static const uint8_t lane_of[SIDES] = {0, 1, 2, 4, 5, 6};
    const i32x8 bit = {1, 2, 4, 64, 8, 16, 32, 64};
    uint8_t bytes[1 + OFFSETS_MAX * sizeof(float)], *at = bytes + 1;
    const unsigned offset_size = b->tree->offset_size;
    assert(planes <= OFFSETS_MAX && offset_size <= sizeof(float));
    const i32x8 extent = extents_of(parent);
    const i32x8 lengthened = box - parent, zero = i32x8_splat(0);
    const i32x8 distance =
        around(i32x8_select(i32x8_gt(lengthened, zero), lengthened, zero), extent);
    const unsigned mask = choose_sides(extent, distance, planes);
    const i32x8 shift = shifts_of(extent, offset_size), units = distance >> shift;
    int32_t written[8];
    i32x8_store(written, units);
    bytes[0] = (uint8_t)mask;
    for (unsigned left = mask; left != 0; left &= left - 1, at += offset_size) {
        const int32_t offset = written[lane_of[__builtin_ctz(left)]];
        const float steps = (float)offset; /* below 2^22: exact */
        /* those of one or two bytes are the first ones */
        memcpy(at, offset_size == sizeof steps ? (const void *)&steps : &offset, sizeof steps);
    }
    store_payload(b, payload, bytes, (size_t)(at - bytes));
    const i32x8 chosen = i32x8_eq(i32x8_splat((int32_t)mask) & bit, bit);
    const i32x8 offset = (units << shift) & chosen;
    const i32x8 volume = parent + around(offset, extent - other_ends(offset));
    const i32x8 size = extents_of(volume);
    f64x4 side[2];
    f64x4_from_i32(size, side);
    b->area += side[0][0] * side[0][1] + side[0][1] * side[0][2] + side[0][2] * side[0][0];
    return volume;
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
        bvpi_raw_box exact;
        kept[k].payload = (uint32_t)(n->payload - b->tree->blob);
        kept[k].left = (uint16_t)n->left;
        kept[k].planes = (uint8_t)planes_of(b, n->payload);
        if (n->left != 0) {
            store_box(&kept[k], around(load_box(&kept[n->left]), load_box(&kept[n->left + 1])));
            continue;
        }
        if (!bvpi_block_bound(b->tree, b->part, &b->open, &n->node, &exact))
            return false;
        store_box(&kept[k], sides_of(bvpi_frame_round_all(&b->lanes, &exact)));
    }
    store_box(out, load_box(&kept[0]));
    return true;
}

/* The block's root is fitted already: it is the upper record. */
static void fit_block(boxtree *b, const upper *own)
{
    block_node *nodes = b->nodes + own->first;
    store_box(&nodes[0], load_box(own));
    for (uint32_t k = 0; k < own->count; k++) {
        const uint32_t left = nodes[k].left;
        const i32x8 parent = load_box(&nodes[k]);
        for (uint32_t child = left; left != 0 && child < left + 2; child++)
            store_box(&nodes[child],
                      fit_node(b, b->tree->blob + nodes[child].payload, nodes[child].planes, parent,
                               load_box(&nodes[child])));
    }
}

/* ---- passes --------------------------------------------------------------------------------- */

/* Children of an upper record come after it. */
static bool gather(boxtree *b, uint32_t idx)
{
    bvpi_upper_record record;
    upper *own = &b->upper[idx];
    if (!bvpi_upper_read(b->tree, idx, &record))
        return false;
    if (record.is_block)
        return bound_block(b, &record.node, record.payload, own);
    own->count = 0;
    store_box(own,
              around(load_box(&b->upper[record.child[0]]), load_box(&b->upper[record.child[1]])));
    return true;
}

/* The record's own volume is known: its parent has come before. */
static bool spread(boxtree *b, uint32_t idx)
{
    bvpi_upper_record record;
    const upper *own = &b->upper[idx];
    if (own->count > 0) {
        fit_block(b, own);
        return true;
    }
    if (!bvpi_upper_read(b->tree, idx, &record) || record.is_block)
        return false;
    for (int side = 0; side < 2; side++) {
        upper *child = &b->upper[record.child[side]];
        const uint8_t *payload = record.below[side];
        store_box(child,
                  fit_node(b, payload, planes_of(b, payload), load_box(own), load_box(child)));
    }
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
    const bvpi_frame grid_box = {{0, 0, 0}, {grid->extent[0], grid->extent[1], grid->extent[2]}};
    const i32x8 outermost = sides_of(bvpi_frame_to_lanes(&grid_box));
    for (uint32_t idx = tree->upper_count; idx-- > 0;)
        if (!gather(&b, idx))
            return BVP_ERR_CORRUPT;
    store_box(&b.upper[0], fit_node(&b, tree->blob, planes_of(&b, tree->blob), outermost,
                                    load_box(&b.upper[0])));
    const double whole = b.area;
    for (uint32_t idx = 0; idx < tree->upper_count; idx++)
        if (!spread(&b, idx))
            return BVP_ERR_CORRUPT;
    *area_cost = bvpi_area_cost(b.area, whole);
    return BVP_OK;
}
