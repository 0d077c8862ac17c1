/* SPDX-License-Identifier: MIT
 * morton.c: splits sets of items along a Morton curve: faster than binning, with larger boxes.
 *
 * Centres get cells on a grid with 128 cells along the longest side. Items are sorted by the
 * interleaved bits of their cells (radix sort), so every subset that shares leading bits is a run.
 * A run is cut where its highest differing bit changes. Small runs are cut where the surface area
 * heuristic is least.
 *
 * Used for --fast packing, only below the levels that the sample decides (sample.c): that keeps
 * most of the quality.
 *
 * Held by tests/unit/test_morton.c.
 * Measured: decisions.md, "Building"
 * Based on: Lauterbach et al., Fast BVH construction on GPUs, 2009.
 */
#include "pack/tree/morton.h"

#include <assert.h>
#include <string.h>

enum {
    CELL_BITS = 7,
    INDEX_BITS = 15,
    DIGIT_BITS = 7,
    DIGITS = 3 * CELL_BITS / DIGIT_BITS,
    SWEEP_MAX = 32 /* runs up to this length are cut where it costs least */
};

uint64_t bvpi_morton_scratch_size(uint32_t count)
{
    return count * (sizeof(bvpi_item) + 2 * sizeof(uint64_t));
}

/* ---- boxes ---------------------------------------------------------------------------------- */

/* Minus the lower corner, and the upper corner; the last lanes are unused. */
typedef struct box {
    bvpi_f32x4 minus_lo, hi;
} box;

static inline bvpi_f32x4 load4(const float *p)
{
    bvpi_f32x4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Without the id: as a float it may be anything. */
static inline box box_of(const bvpi_item *item)
{
    const bvpi_i32x4 mask = {-1, -1, -1, 0};
    return (box){(bvpi_f32x4)((bvpi_i32x4)load4(item->minus_lo) & mask), load4(item->hi)};
}

static inline box join(box a, box b)
{
    return (box){bvpi_max4(a.minus_lo, b.minus_lo), bvpi_max4(a.hi, b.hi)};
}

static inline float area_of(box b)
{
    const bvpi_f32x4 size = b.minus_lo + b.hi;
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

static void store_box(box b, bvpi_build_node *node)
{
    for (int axis = 0; axis < 3; axis++) {
        node->minus_lo[axis] = b.minus_lo[axis];
        node->hi[axis] = b.hi[axis];
    }
}

/* ---- the order ------------------------------------------------------------------------------ */

/* Spreads eight bits, two zeros between them. */
static inline uint32_t spread(uint32_t x)
{
    x = (x | x << 8) & 0x0000f00f;    /* hgfe--------dcba */
    x = (x | x << 4) & 0x000c30c3;    /* hg----fe----dc----ba */
    return (x | x << 2) & 0x00249249; /* h--g--f--e--d--c--b--a */
}

/* For each item its code above its index. */
static void make_keys(const bvpi_item *items, const bvpi_build_node *node, uint64_t *keys)
{
    const bvpi_i32x4 mask = {-1, -1, -1, 0};
    const box all = {(bvpi_f32x4)((bvpi_i32x4)load4(node->minus_lo) & mask),
                     (bvpi_f32x4)((bvpi_i32x4)load4(node->hi) & mask)};
    const bvpi_f32x4 sides = all.minus_lo + all.hi;
    float side = sides[0] > sides[1] ? sides[0] : sides[1];
    side = side > sides[2] ? side : sides[2];
    const float scale = side > 0 ? ((1 << CELL_BITS) - 0.01f) / (2 * side) : 0;
    const bvpi_f32x4 origin = 2 * all.minus_lo;
    for (uint32_t i = 0; i < node->count; i++) {
        const box b = box_of(&items[i]);
        const bvpi_i32x4 cell =
            __builtin_convertvector((b.hi - b.minus_lo + origin) * scale, bvpi_i32x4);
        assert((uint32_t)(cell[0] | cell[1] | cell[2]) < 1 << CELL_BITS);
        const uint32_t code = spread((uint32_t)cell[0]) << 2 | spread((uint32_t)cell[1]) << 1 |
                              spread((uint32_t)cell[2]);
        keys[i] = (uint64_t)code << INDEX_BITS | i;
    }
}

/* Radix sort, least significant digit first. Returns where the sorted keys are. */
static uint64_t *sort_keys(uint64_t *keys, uint64_t *other, uint32_t count)
{
    uint32_t places[DIGITS][1 << DIGIT_BITS] = {{0}};
    for (uint32_t i = 0; i < count; i++)
        for (int d = 0; d < DIGITS; d++)
            places[d][keys[i] >> (INDEX_BITS + d * DIGIT_BITS) & ((1 << DIGIT_BITS) - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
        uint32_t sum = 0;
        for (int k = 0; k < 1 << DIGIT_BITS; k++) {
            const uint32_t size = places[d][k];
            places[d][k] = sum;
            sum += size;
        }
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t digit = keys[i] >> (INDEX_BITS + d * DIGIT_BITS);
            other[places[d][digit & ((1 << DIGIT_BITS) - 1)]++] = keys[i];
        }
        uint64_t *swapped = keys;
        keys = other;
        other = swapped;
    }
    return keys;
}

/* ---- cutting -------------------------------------------------------------------------------- */

/* The number of keys in which the highest differing bit of the run is 0. */
static uint32_t cut_at_bit(const uint64_t *keys, uint32_t count)
{
    const uint64_t first = keys[0] >> INDEX_BITS, last = keys[count - 1] >> INDEX_BITS;
    if (first == last)
        return count / 2;
    const unsigned shift = 63 - (unsigned)__builtin_clzll(first ^ last);
    const uint64_t high = last >> shift;
    uint32_t begin = 1, end = count - 1; /* begin: the least possible answer */
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (keys[middle] >> INDEX_BITS >> shift >= high)
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

/* The cut with the least sum of surface times full leaves. */
static uint32_t cut_at_least(const bvpi_item *items, uint32_t count, uint32_t leaf_size)
{
    float right[SWEEP_MAX];
    assert(count >= 2 && count <= SWEEP_MAX);
    box side = box_of(&items[count - 1]);
    for (uint32_t k = count - 1; k > 0; k--) {
        side = join(side, box_of(&items[k]));
        right[k] = area_of(side) * (float)((count - k + leaf_size - 1) / leaf_size);
    }
    uint32_t best = 1;
    float best_cost = 0;
    side = box_of(&items[0]);
    for (uint32_t k = 1; k < count; k++) {
        side = join(side, box_of(&items[k - 1]));
        const float cost = area_of(side) * (float)((k + leaf_size - 1) / leaf_size) + right[k];
        if (k == 1 || cost < best_cost) {
            best_cost = cost;
            best = k;
        }
    }
    return best;
}

/* ---- the hierarchy -------------------------------------------------------------------------- */

/* Splits a leaf whose items begin at sorted[0]; `used` nodes exist already. Returns the number of
 * nodes afterwards. */
static uint32_t cut_all(const uint64_t *keys, const bvpi_item *sorted, uint32_t leaf_size,
                        bvpi_build_node *nodes, uint32_t root, uint32_t used)
{
    uint32_t waiting[BVPD_DEPTH_MAX], waiting_count = 1;
    const uint32_t first = nodes[root].first;
    waiting[0] = root;
    while (waiting_count > 0) {
        bvpi_build_node *node = &nodes[waiting[--waiting_count]];
        const uint32_t at = node->first, depth = node->depth + 1;
        if (node->count <= leaf_size)
            continue;
        uint32_t left;
        if (bvpi_build_node_must_halve(node))
            left = node->count / 2;
        else if (node->count <= SWEEP_MAX)
            left = cut_at_least(sorted + (at - first), node->count, leaf_size);
        else
            left = cut_at_bit(keys + (at - first), node->count);
        assert(left > 0 && left < node->count && waiting_count + 2 <= BVPD_DEPTH_MAX);
        node->left = used;
        nodes[used] = (bvpi_build_node){.first = at, .count = left, .depth = depth};
        nodes[used + 1] =
            (bvpi_build_node){.first = at + left, .count = node->count - left, .depth = depth};
        waiting[waiting_count++] = used + 1;
        waiting[waiting_count++] = used;
        used += 2;
    }
    return used;
}

/* The boxes of nodes begin .. end - 1, children before parents. */
static void bound_all(const bvpi_item *items, bvpi_build_node *nodes, uint32_t begin, uint32_t end)
{
    for (uint32_t k = end; k-- > begin;) {
        bvpi_build_node *node = &nodes[k];
        if (node->left == 0) {
            const bvpi_item *run = items + node->first;
            box all = box_of(&run[0]);
            for (uint32_t i = 1; i < node->count; i++)
                all = join(all, box_of(&run[i]));
            store_box(all, node);
            continue;
        }
        assert(node->left > k && node->left + 1 < end);
        const bvpi_build_node *left = &nodes[node->left], *right = left + 1;
        const box l = {load4(left->minus_lo), load4(left->hi)};
        const box r = {load4(right->minus_lo), load4(right->hi)};
        store_box(join(l, r), node);
    }
}

uint32_t bvpi_morton_rest(bvpi_item *items, uint32_t leaf_size, bvpi_build_node *nodes,
                          uint32_t node_count, void *scratch)
{
    uint32_t used = node_count;
    for (uint32_t root = 0; root < node_count; root++) {
        const bvpi_build_node *node = &nodes[root];
        bvpi_item *first = items + node->first, *copy = scratch;
        uint64_t *keys = (uint64_t *)(copy + node->count);
        if (node->left != 0 || node->count <= leaf_size)
            continue;
        assert(node->count <= 1 << INDEX_BITS); /* an index fits below the code */
        memcpy(copy, first, node->count * sizeof *copy);
        make_keys(copy, node, keys);
        keys = sort_keys(keys, keys + node->count, node->count);
        for (uint32_t i = 0; i < node->count; i++)
            first[i] = copy[keys[i] & ((1 << INDEX_BITS) - 1)];
        used = cut_all(keys, first, leaf_size, nodes, root, used);
    }
    bound_all(items, nodes, node_count, used);
    return used;
}
