/* SPDX-License-Identifier: MIT
 * closest_walk.h: the nodes and leaves of a wide hierarchy, the nearest to a point first.
 *
 * Best-first search without a heap. Open nodes fill a pool of 64 slots of eight children. Each
 * child has a rank: the bits of its squared distance, whose lowest nine are replaced by its place
 * (slot and lane). The least of all ranks therefore names the nearest child. Vectors find it, among
 * the ranks of all slots in use: what is behind waits for one reduction of a vector only, when a
 * node has been opened.
 *
 * The limit is compared with the key whose last bits are cleared, which is never above the true
 * one.
 *
 * Invariants: children that are done or too far have rank NEAR_NEVER, as have slots up to the next
 * multiple of four behind the last one in use; a slot is reused only if none of its children can
 * matter. If no
 * slot is free the caller falls back to depth first (body_walk.h).
 *
 * Slow twin: brute force over all triangles, tests/property/test_closest.c; work:
 * test_pair_counts.c.
 * Spec: exactness.md, chapter 10, "Boxes and points"
 * Measured: decisions.md, "Rays and closest points"
 * Based on: Hjaltason, Samet, Distance Browsing in Spatial Databases, 1999.
 */
#ifndef BVPI_QUERY_NEAR_CLOSEST_WALK_H
#define BVPI_QUERY_NEAR_CLOSEST_WALK_H

#include "prim/box_point.h"
#include "query/body/ray_walk.h"

/* Most nodes open at once. A plant of 2 M triangles needs about 11; a search that needs more goes
 * depth first. */
enum { NEAR_MOST = 64 };

enum {
    NEAR_DONE = -1,    /* instead of a place: no child matters any more */
    NEAR_CORRUPT = -2, /* the file does not keep its rules */
    NEAR_FULL = -3     /* too many nodes are open */
};

/* An open node: its children's frames, ranks, and what it refers to, read once. A place is a node's
 * slot << 3 | lane. A rank is a child's key, a float >= NEAR_LEAST, whose last bits are its place:
 * the smallest rank therefore gives the place of the nearest child. */
typedef struct near_node {
    float lo[3][8], step[3][8];
    float rank[8];
    uint64_t meta;
    uint32_t child, geom; /* unit of the first inner child, first item of the first leaf */
    unsigned inner;       /* bit j: child j is a node */
    uint32_t unused[3];
} near_node;

#define NEAR_PLACES (8 * NEAR_MOST)
#define NEAR_LEAST  0x1p-100f
#define NEAR_NEVER  0x1p127f /* the rank of what is done, or too far away */

typedef struct near_walk {
    _Alignas(64) near_node nodes[NEAR_MOST];
    f32x8 above[3], below[3]; /* the point in grid steps, moved by the slack */
    const bvpi_tree *tree;
    float limit;
    unsigned count;   /* slots in use */
    bvpi_steps steps; /* nodes that may still be opened */
    uint64_t boxes;
} near_walk;

/* Smaller limits would not be told from NEAR_LEAST, larger ones from NEAR_NEVER; keys stay below
 * 2^72. */
BVPI_INLINE void near_set_limit(near_walk *w, float limit)
{
    limit = limit > 2 * NEAR_LEAST ? limit : 2 * NEAR_LEAST;
    w->limit = limit < NEAR_NEVER / 2 ? limit : NEAR_NEVER / 2;
}

/* Slots are looked at four at a time. */
enum { NEAR_FOUR = 4 };
_Static_assert(NEAR_MOST % NEAR_FOUR == 0, "slots are cleared and read by fours");

/* Slots that are about to be used have nothing to offer. */
BVPI_INLINE void near_clear(near_walk *w, unsigned from)
{
    BVPI_UNROLL
    for (unsigned i = from; i < from + NEAR_FOUR; i++)
        f32x8_store(w->nodes[i].rank, f32x8_splat(NEAR_NEVER));
}

/* The place of the root: it is the only child of a node of its own. The point is not far. */
static int near_start(near_walk *w, const bvpi_tree *tree, const bvpi_grid_point *point,
                      bvpi_loan *loan, bvpi_meter *meter)
{
    near_node *top = &w->nodes[0];
    w->tree = tree;
    for (int a = 0; a < 3; a++) {
        top->lo[a][0] = 0;
        top->step[a][0] = bvpi_wide_step((float)tree->grid_extent[a], 1);
        w->above[a] = f32x8_splat(point->point[a] + point->slack);
        w->below[a] = f32x8_splat(point->point[a] - point->slack);
    }
    top->inner = 1;
    top->child = tree->root;
    near_clear(w, 0);
    w->count = 1;
    bvpi_steps_begin(&w->steps, loan, meter, tree->node_count);
    w->boxes = 0;
    return 0;
}

/* Keys of the boxes of a node with this frame, as bvpi_box_point; one more rounding, of the point
 * with its slack, is within the slack. Then the frames of the children, where `inner` has any. */
BVPI_INLINE f32x8 near_boxes(const near_walk *w, const float *frame, const uint8_t (*bounds)[16],
                             unsigned inner, near_node *out)
{
    f32x8 key = {0}, from[3], to[3]; /* exact */
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const f32x8 origin = bvpi_splat_load(frame + 8 * a);
        const f32x8 lo = f32x8_from_u8(bounds[a]), hi = f32x8_from_u8(bounds[a] + 8);
        const f32x8 step = bvpi_splat_load(frame + 24 + 8 * a);
        from[a] = bvpi_mul_add(lo, step, origin);
        to[a] = bvpi_mul_add(hi, step, origin);
        const f32x8 gap = f32x8_max(from[a] - w->above[a], w->below[a] - to[a]);
        const f32x8 positive = f32x8_max(gap, (f32x8){0});
        key += positive * positive;
    }
    if (inner == 0)
        return key;
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const i32x8 extent = (i32x8)(to[a] - from[a]) & 0x7f800000;
        f32x8_store(out->lo[a], from[a]);
        f32x8_store(out->step[a], f32x8_max((f32x8)(extent - (7 << 23)), f32x8_splat(1)));
    }
    return key;
}

/* Unit of an inner child; not checked. */
BVPI_INLINE uint32_t near_unit(const near_node *node, unsigned lane)
{
    return node->child + bvpi_popcount(node->inner & ((1u << lane) - 1));
}

/* First item of a leaf; not checked. */
BVPI_INLINE uint32_t near_item(const near_node *node, unsigned lane)
{
    const uint64_t before = bvpi_sum_before(node->meta & BVPI_BYTES(0x7f));
    return node->geom + ((uint32_t)(before >> (8 * lane)) & 0xff);
}

/* Marks a child as done. Returns its slot's ranks. Stores eight at once: a load of eight right
 * after a store of one stalls. */
BVPI_INLINE f32x8 near_take(near_walk *w, unsigned slot, unsigned lane)
{
    const i32x8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    const i32x8 taken = i32x8_eq(lanes, i32x8_splat((int32_t)lane));
    near_node *node = &w->nodes[slot];
    const f32x8 rank = f32x8_select(taken, f32x8_splat(NEAR_NEVER), f32x8_load(node->rank));
    f32x8_store(node->rank, rank);
    return rank;
}

/* The place that is nearest, whether it matters or not; *key: how near it is at least. */
BVPI_INLINE int near_least(const near_walk *w, float *key)
{
    const near_node *four = w->nodes, *end = four + w->count;
    f32x8 even = f32x8_splat(NEAR_NEVER), odd = even;
    int32_t bits;
    for (; four < end; four += NEAR_FOUR) {
        even = f32x8_min(f32x8_min(even, f32x8_load(four[0].rank)), f32x8_load(four[2].rank));
        odd = f32x8_min(f32x8_min(odd, f32x8_load(four[1].rank)), f32x8_load(four[3].rank));
    }
    const float rank = f32x8_least(f32x8_min(even, odd));
    memcpy(&bits, &rank, sizeof bits);
    const int place = bits & (NEAR_PLACES - 1);
    bits -= place;
    memcpy(key, &bits, sizeof *key);
    return place;
}

/* A place with that key, or NEAR_DONE. */
BVPI_INLINE int near_within(const near_walk *w, int place, float key)
{
    return key > w->limit ? NEAR_DONE : place;
}

/* Whether what comes next is asked for before it is needed. */
#ifdef __wasm__
enum { NEAR_FETCHES = 0 };
#else
enum { NEAR_FETCHES = 1 };
#endif

/* Asks for what a place leads to. */
BVPI_INLINE void near_fetch(const near_walk *w, int place)
{
    const near_node *node = &w->nodes[(unsigned)place >> 3];
    const unsigned lane = (unsigned)place & 7;
    if (node->inner >> lane & 1)
        __builtin_prefetch(w->tree->units + (uint64_t)near_unit(node, lane) * BVPD_UNIT);
    else
        bvpi_ray_fetch_record(w->tree, near_item(node, lane));
}

/* Prefetches a node's inner children, which are adjacent in memory, before the search knows which
 * one it opens: a prefetch at that point comes too late. */
BVPI_INLINE void near_fetch_nodes(const bvpi_tree *tree, uint32_t child)
{
    const uint8_t *first = tree->units + (uint64_t)child * BVPD_UNIT;
    BVPI_UNROLL
    for (int i = 0; i < 8; i++)
        __builtin_prefetch(first + (ptrdiff_t)i * BVPD_UNIT);
}

/* None of a slot's children matters any more. 1.01: ranks are off in their last bits. */
BVPI_INLINE bool near_is_free(const near_walk *w, f32x8 rank)
{
    return i32x8_movemask(f32x8_gt(rank, f32x8_splat(w->limit * 1.01f))) == 0xff;
}

/* A slot for a new node: the parent's, which has these ranks, or another that is free, or an unused
 * one; else NEAR_FULL. */
BVPI_INLINE int near_slot(near_walk *w, unsigned from, f32x8 rank)
{
    if (near_is_free(w, rank))
        return (int)from;
    if (w->count < NEAR_MOST) {
        if (w->count % NEAR_FOUR == 0)
            near_clear(w, w->count);
        return (int)w->count++;
    }
    for (int i = 0; i < NEAR_MOST; i++)
        if (near_is_free(w, f32x8_load(w->nodes[i].rank)))
            return i;
    return NEAR_FULL;
}

/* The ranks of a node's children with these keys: only of those that exist and are within the
 * limit. */
BVPI_INLINE f32x8 near_ranks(const near_walk *w, f32x8 key, unsigned used, int slot)
{
    const i32x8 lanes = {0, 1, 2, 3, 4, 5, 6, 7}, bit = {1, 2, 4, 8, 16, 32, 64, 128};
    const i32x8 gone = f32x8_gt(key, f32x8_splat(w->limit)) |
                       i32x8_eq(i32x8_splat((int32_t)used) & bit, i32x8_splat(0));
    const i32x8 bits = (i32x8)f32x8_max(key, f32x8_splat(NEAR_LEAST)) & -NEAR_PLACES;
    return f32x8_select(gone, f32x8_splat(NEAR_NEVER), (f32x8)(bits | lanes | (slot << 3)));
}

/* Opens the inner child at a place: NEAR_DONE, NEAR_CORRUPT or NEAR_FULL. The parent may give its
 * slot. */
BVPI_INLINE int near_open(near_walk *w, int place)
{
    const unsigned from = (unsigned)place >> 3, lane = (unsigned)place & 7;
    const near_node *parent = &w->nodes[from];
    const uint32_t unit = near_unit(parent, lane);
    const int slot = near_slot(w, from, near_take(w, from, lane));
    if (slot < 0)
        return slot;
    if (unit >= w->tree->unit_count || !bvpi_steps_take(&w->steps))
        return NEAR_CORRUPT;
    const bvpd_node *node = (const bvpd_node *)(w->tree->units + (uint64_t)unit * BVPD_UNIT);
    near_node *to = &w->nodes[slot];
    unsigned used;
    to->meta = bvpi_load_u64(node->meta);
    to->child = bvpi_load_u32(&node->child);
    to->geom = bvpi_load_u32(&node->geom);
    bvpi_ray_masks(to->meta, &used, &to->inner);
    bvpi_ray_fetch_record(w->tree, to->geom);
    near_fetch_nodes(w->tree, to->child);
    const f32x8 key = near_boxes(w, parent->lo[0] + lane, node->bounds, to->inner, to);
    const f32x8 rank = near_ranks(w, key, used, slot);
    f32x8_store(to->rank, rank);
    w->boxes += bvpi_popcount(used & 0xff);
    return NEAR_DONE;
}

#endif
