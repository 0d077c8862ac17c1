/* SPDX-License-Identifier: MIT
 * full_leaves.c: splits sets of boxes so that leaves, and the nodes above them, are full.
 *
 * The surface area heuristic alone fills leaves of eight to 6.7 on average: it cuts where space is
 * empty, and each cut leaves two leaves that are not full. Here sets of up to SWEEP items are cut
 * only where the left side is a number of full leaves, so one leaf of such a set, the last one, has
 * room. Of these cuts, along all three axes, the one with the least surface times bytes, those of
 * leaves and of the nodes that they need at least, is taken, exactly, not by bins. Larger sets are
 * split as elsewhere: what is worth a visit more is decided above.
 *
 * Equal centres keep the order in which the items came, so nothing depends on the sort.
 *
 * Held by tests/unit/test_full_leaves.c: leaves and nodes are full, and hold
 * what is below them.
 * Based on: Wald, On fast construction of SAH-based bounding volume hierarchies, 2007.
 * Measured: decisions.md, "Triangles outside"
 */
#include "pack/tree/full_leaves.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Measured: 64, 128, 256, 512: .16, .26, .34, .37 bytes a triangle less than with none. */
enum { SWEEP = 256 };

/* What a node costs, in leaves. Measured, beside 0: 2, 4, 8: .12, .15, .17 bytes a triangle less;
 * but with 8 the clash of a plant of small parts takes 1.09 times as long as by default, with 2 and
 * 4 .98 and .97. */
enum { NODE_COST = 4 };

/* An item's place among those of the set, and twice its centre on an axis. */
typedef struct ranked {
    float centre;
    uint32_t place;
} ranked;

/* Items in the order of their centres: merges runs of 1, 2, 4, ... */
static void sort_along(const bvpi_item *items, uint32_t count, int axis, ranked *out)
{
    ranked other[SWEEP], *from = out, *to = other;
    for (uint32_t i = 0; i < count; i++)
        out[i] = (ranked){items[i].hi[axis] - items[i].minus_lo[axis], i};
    for (uint32_t run = 1; run < count; run *= 2) {
        for (uint32_t begin = 0; begin < count; begin += 2 * run) {
            const uint32_t middle = begin + run < count ? begin + run : count;
            const uint32_t end = begin + 2 * run < count ? begin + 2 * run : count;
            uint32_t a = begin, b = middle;
            for (uint32_t k = begin; k < end; k++)
                to[k] = a < middle && (b == end || from[a].centre <= from[b].centre) ? from[a++]
                                                                                     : from[b++];
        }
        ranked *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != out)
        memcpy(out, from, count * sizeof *out);
}

static const bvpi_build_node nothing = {.minus_lo = {-INFINITY, -INFINITY, -INFINITY},
                                        .hi = {-INFINITY, -INFINITY, -INFINITY}};

static void enclose(bvpi_build_node *node, const bvpi_item *item)
{
    for (int axis = 0; axis < 3; axis++) {
        if (item->minus_lo[axis] > node->minus_lo[axis])
            node->minus_lo[axis] = item->minus_lo[axis];
        if (item->hi[axis] > node->hi[axis])
            node->hi[axis] = item->hi[axis];
    }
}

/* Of so many items, beside their surface. */
static float cost_of(uint32_t item_count, uint32_t leaf_size)
{
    const uint32_t leaf_count = (item_count + leaf_size - 1) / leaf_size;
    return (float)(leaf_count + NODE_COST * ((leaf_count + BVPD_WIDTH - 1) / BVPD_WIDTH));
}

/* The best cut of sorted items after full leaves; *best: its cost, lowered if it is less. Returns
 * the number of items before it, or 0: none is less. */
static uint32_t cut_sorted(const bvpi_item *items, uint32_t count, const ranked *order,
                           uint32_t leaf_size, float *best)
{
    float right[SWEEP]; /* cost of what begins at a full leaf, by its number */
    uint32_t cut = 0;
    bvpi_build_node box = nothing;
    for (uint32_t i = count; i-- > leaf_size;) {
        enclose(&box, &items[order[i].place]);
        if (i % leaf_size == 0)
            right[i / leaf_size] = bvpi_build_node_area(&box) * cost_of(count - i, leaf_size);
    }
    box = nothing;
    for (uint32_t i = 0; i + 1 < count; i++) {
        enclose(&box, &items[order[i].place]);
        if ((i + 1) % leaf_size != 0)
            continue;
        const float cost =
            bvpi_build_node_area(&box) * cost_of(i + 1, leaf_size) + right[(i + 1) / leaf_size];
        if (cost < *best) {
            *best = cost;
            cut = i + 1;
        }
    }
    return cut;
}

static void split_full(bvpi_item *items, uint32_t leaf_size, const bvpi_build_node *node,
                       bvpi_build_node *left, bvpi_build_node *right)
{
    bvpi_item *first = items + node->first, sorted[SWEEP];
    ranked order[SWEEP], chosen[SWEEP];
    const uint32_t count = node->count;
    float best = INFINITY;
    uint32_t left_count = 0;
    assert(count > leaf_size && count <= SWEEP);
    for (int axis = 0; axis < 3; axis++) {
        sort_along(first, count, axis, order);
        const uint32_t cut = cut_sorted(first, count, order, leaf_size, &best);
        if (cut > 0) {
            left_count = cut;
            memcpy(chosen, order, count * sizeof *order);
        }
    }
    assert(left_count > 0 && left_count < count);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = first[chosen[i].place];
    memcpy(first, sorted, count * sizeof *sorted);
    bvpi_split_root(first, left_count, node->depth + 1, left);
    bvpi_split_root(first + left_count, count - left_count, node->depth + 1, right);
    left->first = node->first;
    right->first = node->first + left_count;
}

static void split_small_full(bvpi_item *items, uint32_t leaf_size, const bvpi_build_node *node,
                             bvpi_build_node *left, bvpi_build_node *right)
{
    if (node->count <= SWEEP && !bvpi_build_node_must_halve(node))
        split_full(items, leaf_size, node, left, right);
    else
        bvpi_split_once(items, leaf_size, node, left, right);
}

uint32_t bvpi_full_rest(bvpi_item *items, uint32_t leaf_size, bvpi_build_node *nodes,
                        uint32_t node_count)
{
    return bvpi_split_rest(items, leaf_size, nodes, node_count, split_small_full);
}
