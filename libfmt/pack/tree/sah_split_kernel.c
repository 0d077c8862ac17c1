/* SPDX-License-Identifier: MIT
 * sah_split_kernel.c: one split of a set of boxes by the binned surface area heuristic; compiled
 * once for each instruction set.
 *
 * Centres are sorted into 16 bins on each axis, with a box and a count for each bin. Sweeps from
 * both ends then give the cost of every plane between bins: area times number of full leaves on
 * each side. The items are partitioned in place by the best plane.
 *
 * Coordinates are whole numbers of grid steps and exact in float. The bin of a centre and the costs
 * are float expressions written so that every instruction set rounds them equally; so all machines
 * make the same hierarchy.
 *
 * Branches that cannot be predicted are avoided: partition() moves every item with two vector
 * stores. Bins are kept twice for larger sets, so that consecutive updates of one bin need not wait
 * for each other, and only bins that hold something are swept.
 *
 * If no plane separates the centres, or the depth limit requires it, the set is halved.
 *
 * Held by tests/unit/test_split.c, and test_isa: the same bits for every instruction set.
 * Measured: decisions.md, "Building"
 * Based on: Wald, On fast construction of SAH-based bounding volume hierarchies, 2007.
 */
#include "pack/tree/sah_split_kernel.h"

#include "base/isa.h"
#include "format/layout.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum {
    BIN_COUNT = 16,
    TWICE_LEAST = 48 /* sets of at least this size keep bins twice */
};

/* ---- boxes as vectors ------------------------------------------------------------------------ */

/* Lanes 0 .. 2: minus the lower corner; 4 .. 6: the upper corner; the others are 0. */
typedef f32x8 box;

static inline box join(box a, box b)
{
    return f32x8_max(a, b);
}

/* Masks the id: as a float it could be a denormal, which costs a hundred cycles. */
static inline box load_box(const bvpi_item *item)
{
    const i32x8 mask = {-1, -1, -1, 0, -1, -1, -1, 0};
    return (box)((i32x8)f32x8_load(item->minus_lo) & mask);
}

static inline box no_box(void)
{
    return (box){-0x1p30f, -0x1p30f, -0x1p30f, 0, -0x1p30f, -0x1p30f, -0x1p30f, 0};
}

static inline bvpi_f32x4 minus_lo_of(box b)
{
    return ((bvpi_halves){.f32 = b}).f32_half[0];
}

static inline bvpi_f32x4 hi_of(box b)
{
    return ((bvpi_halves){.f32 = b}).f32_half[1];
}

static inline float area_of(box b)
{
    const bvpi_f32x4 size = minus_lo_of(b) + hi_of(b);
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

static void store_box(box b, bvpi_build_node *node)
{
    for (int axis = 0; axis < 3; axis++) {
        node->minus_lo[axis] = b[axis];
        node->hi[axis] = b[4 + axis];
    }
}

static box box_of(const bvpi_item *items, uint32_t count)
{
    box all = no_box();
    for (uint32_t i = 0; i < count; i++)
        all = join(all, load_box(&items[i]));
    return all;
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* Items whose bin on `axis` is at most `last` go left. axis < 0: no plane separates the centres. */
typedef struct plane {
    bvpi_f32x4 origin, scale; /* bin of each axis = (twice the centre - origin) * scale */
    int axis, last;
} plane;

/* Two copies: larger sets alternate between them, so that an update need not wait for the last one
 * of the same bin. */
typedef struct bins {
    box box[2][3][BIN_COUNT];
    uint32_t count[2][3][BIN_COUNT];
    bvpi_i32x4 used; /* for each axis, the bins that hold something, as bits */
} bins;

static void fit_bins(const bvpi_item *items, uint32_t count, plane *p)
{
    bvpi_f32x4 most = {-0x1p30f, -0x1p30f, -0x1p30f, 0}, minus_least = most;
    for (uint32_t i = 0; i < count; i++) {
        const box b = load_box(&items[i]);
        const bvpi_f32x4 centre = hi_of(b) - minus_lo_of(b);
        most = bvpi_max4(most, centre);
        minus_least = bvpi_max4(minus_least, -centre);
    }
    const bvpi_f32x4 width = most + minus_least;
    for (int axis = 0; axis < 3; axis++)
        p->scale[axis] = width[axis] > 0 ? (BIN_COUNT - 0.01f) / width[axis] : 0;
    p->origin = -minus_least;
    p->scale[3] = 0;
}

static inline void put_in_bin(box *old, uint32_t *count, box b)
{
    *old = join(*old, b);
    ++*count;
}

static inline void put_in_bins(bins *b, int copy, box x, const plane *p)
{
    int32_t bin[4];
    const bvpi_i32x4 one = {1, 1, 1, 1};
    const bvpi_i32x4 all =
        __builtin_convertvector((hi_of(x) - minus_lo_of(x) - p->origin) * p->scale, bvpi_i32x4);
    memcpy(bin, &all, sizeof bin);
    b->used |= one << all;
    put_in_bin(&b->box[copy][0][bin[0]], &b->count[copy][0][bin[0]], x);
    put_in_bin(&b->box[copy][1][bin[1]], &b->count[copy][1][bin[1]], x);
    put_in_bin(&b->box[copy][2][bin[2]], &b->count[copy][2][bin[2]], x);
}

static void clear_bins(bins *b, int copy)
{
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < BIN_COUNT; k++)
            b->box[copy][axis][k] = no_box();
    memset(b->count[copy], 0, sizeof b->count[copy]);
}

static void fill_bins(const bvpi_item *items, uint32_t count, const plane *p, bins *b)
{
    b->used = (bvpi_i32x4){0, 0, 0, 0};
    clear_bins(b, 0);
    if (count < TWICE_LEAST) {
        for (uint32_t i = 0; i < count; i++)
            put_in_bins(b, 0, load_box(&items[i]), p);
        return;
    }
    clear_bins(b, 1);
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        put_in_bins(b, 0, load_box(&items[i]), p);
        put_in_bins(b, 1, load_box(&items[i + 1]), p);
    }
    if (count % 2 != 0)
        put_in_bins(b, 0, load_box(&items[count - 1]), p);
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < BIN_COUNT; k++) {
            b->box[0][axis][k] = join(b->box[0][axis][k], b->box[1][axis][k]);
            b->count[0][axis][k] += b->count[1][axis][k];
        }
}

/* The number of full leaves, because a leaf is tested as a whole: ceil(count / leaf_size), exact
 * for 32-bit counts, without a division. */
static inline float weight(uint32_t count, uint32_t leaf_size)
{
#define RECIPROCAL(size) (((UINT64_C(1) << 35) + (size)-1) / (size))
    static const uint64_t reciprocal[BVPD_LEAF_MAX + 1] = {0,
                                                           RECIPROCAL(1),
                                                           RECIPROCAL(2),
                                                           RECIPROCAL(3),
                                                           RECIPROCAL(4),
                                                           RECIPROCAL(5),
                                                           RECIPROCAL(6),
                                                           RECIPROCAL(7),
                                                           RECIPROCAL(8)};
#undef RECIPROCAL
    return (float)((count + (uint64_t)leaf_size - 1) * reciprocal[leaf_size] >> 35);
}

/* The cost of the best plane so far, and the boxes on its sides. */
typedef struct best_plane {
    float cost;
    box left, right;
} best_plane;

/* Tries the planes of one axis; the first of equal ones wins. `used`: the bins that hold something,
 * at least two. Small sets use few bins, and only those are visited. */
static void try_axis(const bins *b, int axis, uint32_t used, uint32_t leaf_size, best_plane *best,
                     plane *p)
{
    const box *boxes = b->box[0][axis];
    const uint32_t *counts = b->count[0][axis];
    assert((used & (used - 1)) != 0); /* the least and the greatest centre are in different bins */
    const int first = __builtin_ctz(used);
    box right[BIN_COUNT], side = no_box(); /* everything right of each bin */
    float right_cost[BIN_COUNT];
    uint32_t count = 0;
    int k = 31 - __builtin_clz(used);
    for (uint32_t left = used; k != first;) {
        side = join(side, boxes[k]);
        count += counts[k];
        left ^= 1u << k;
        k = 31 - __builtin_clz(left);
        right[k] = side;
        right_cost[k] = area_of(side) * weight(count, leaf_size);
    }
    side = no_box();
    count = 0;
    for (; (used & (used - 1)) != 0; used &= used - 1) {
        k = __builtin_ctz(used);
        side = join(side, boxes[k]);
        count += counts[k];
        const float cost = area_of(side) * weight(count, leaf_size) + right_cost[k];
        if (p->axis < 0 || cost < best->cost) {
            *best = (best_plane){cost, side, right[k]};
            p->axis = axis;
            p->last = k;
        }
    }
}

/* ---- partitioning --------------------------------------------------------------------------- */

/* Without branches, because which way an item goes cannot be predicted. */
static uint32_t partition(bvpi_item *items, uint32_t count, const plane *p)
{
    const int axis = p->axis, last = p->last;
    assert(axis >= 0 && axis < 3 && last >= 0 && last < BIN_COUNT - 1);
    const float origin = p->origin[axis], scale = p->scale[axis];
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float centre = items[i].hi[axis] - items[i].minus_lo[axis];
        const f32x8 item = f32x8_load(items[i].minus_lo);
        f32x8_store(items[i].minus_lo, f32x8_load(items[left].minus_lo));
        f32x8_store(items[left].minus_lo, item);
        left += (int)((centre - origin) * scale) <= last;
    }
    return left;
}

/* ---- splitting ------------------------------------------------------------------------------ */

static void bound(const bvpi_item *items, uint32_t count, bvpi_build_node *node)
{
    store_box(box_of(items, count), node);
}

static void once(bvpi_item *items, uint32_t leaf_size, const bvpi_build_node *node,
                 bvpi_build_node *left, bvpi_build_node *right)
{
    bvpi_item *first = items + node->first;
    const uint32_t begin = node->first, count = node->count, depth = node->depth + 1;
    uint32_t left_count = 0;
    best_plane best;
    assert(count > 0 && leaf_size > 0 && leaf_size <= BVPD_LEAF_MAX);
    if (!bvpi_build_node_must_halve(node)) {
        plane p = {.axis = -1};
        bins b;
        fit_bins(first, count, &p);
        fill_bins(first, count, &p, &b);
        for (int axis = 0; axis < 3; axis++)
            if (p.scale[axis] > 0)
                try_axis(&b, axis, (uint32_t)b.used[axis], leaf_size, &best, &p);
        if (p.axis >= 0)
            left_count = partition(first, count, &p);
    }
    if (left_count == 0) {
        left_count = count / 2;
        best.left = box_of(first, left_count);
        best.right = box_of(first + left_count, count - left_count);
    }
    assert(left_count < count); /* both sides of a plane hold something */
    *left = (bvpi_build_node){.first = begin, .count = left_count, .depth = depth};
    *right =
        (bvpi_build_node){.first = begin + left_count, .count = count - left_count, .depth = depth};
    store_box(best.left, left);
    store_box(best.right, right);
}

const bvpi_split_kernel BVPI_ISA_NAME(bvpi_split_kernel) = {bound, once};
