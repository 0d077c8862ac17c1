/* SPDX-License-Identifier: MIT
 * split.c: choosing a split by 16 bins on each axis, partitioning in place.
 * Based on: Wald, On fast construction of SAH-based bounding volume hierarchies, 2007.
 */
#include "build/split.h"

#include "base/simd.h"
#include "format/layout.h"

#include <stdbool.h>

enum { BIN_COUNT = 16 };

/* ---- boxes as vectors: lanes 0..2 minus the lower corner, 4..6 the upper one ------------------
 */

static inline f32x8 load_box(const bvpi_item *item)
{
    const i32x8 mask = {-1, -1, -1, 0, -1, -1, -1, 0};
    return (f32x8)((i32x8)f32x8_load(item->minus_lo) & mask);
}

static inline f32x8 no_box(void)
{
    return f32x8_splat(-0x1p30f);
}

/* Twice the box's centre, in the same form: low half negated. */
static inline f32x8 twice_centre(f32x8 box)
{
    bvpi_halves in = {.f32 = box}, out;
    out.f32_half[0] = in.f32_half[0] - in.f32_half[1];
    out.f32_half[1] = in.f32_half[1] - in.f32_half[0];
    return out.f32;
}

static inline float area_of(f32x8 box)
{
    bvpi_halves b = {.f32 = box};
    bvpi_f32x4 size = b.f32_half[0] + b.f32_half[1];
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

static void store_box(f32x8 box, bvpi_split *node)
{
    float lanes[8];
    f32x8_store(lanes, box);
    for (int axis = 0; axis < 3; axis++) {
        node->minus_lo[axis] = lanes[axis];
        node->hi[axis] = lanes[4 + axis];
    }
}

static f32x8 box_of(const bvpi_item *items, uint32_t count)
{
    f32x8 box = no_box();
    for (uint32_t i = 0; i < count; i++)
        box = f32x8_max(box, load_box(&items[i]));
    return box;
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* Where the items of a node's left child lie: in bins 0 .. last of an axis. */
typedef struct plane {
    float origin[3], scale[3]; /* bin = (twice the centre - origin) * scale */
    int axis, last;            /* axis < 0: no plane separates the centres */
} plane;

typedef struct bins {
    f32x8 box[3][BIN_COUNT];
    uint32_t count[3][BIN_COUNT];
} bins;

static void fit_bins(const bvpi_item *items, uint32_t count, plane *p)
{
    f32x8 range = no_box();
    float lanes[8];
    for (uint32_t i = 0; i < count; i++)
        range = f32x8_max(range, twice_centre(load_box(&items[i])));
    f32x8_store(lanes, range);
    for (int axis = 0; axis < 3; axis++) {
        float width = lanes[4 + axis] + lanes[axis];
        p->origin[axis] = -lanes[axis];
        p->scale[axis] = width > 0 ? (BIN_COUNT - 0.01f) / width : 0;
    }
}

static void fill_bins(const bvpi_item *items, uint32_t count, const plane *p, bins *b)
{
    const bvpi_f32x4 origin = {p->origin[0], p->origin[1], p->origin[2], 0};
    const bvpi_f32x4 scale = {p->scale[0], p->scale[1], p->scale[2], 0};
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < BIN_COUNT; k++) {
            b->box[axis][k] = no_box();
            b->count[axis][k] = 0;
        }
    for (uint32_t i = 0; i < count; i++) {
        bvpi_halves box = {.f32 = load_box(&items[i])};
        bvpi_i32x4 bin = __builtin_convertvector(
            (box.f32_half[1] - box.f32_half[0] - origin) * scale, bvpi_i32x4);
        for (int axis = 0; axis < 3; axis++) {
            int k = bin[axis];
            b->box[axis][k] = f32x8_max(b->box[axis][k], box.f32);
            b->count[axis][k]++;
        }
    }
}

/* Leaves are tested eight triangles at a time: what counts is the number of full leaves. */
static float weight(uint32_t count, uint32_t leaf_size)
{
    return (float)((count + leaf_size - 1) / leaf_size);
}

/* The cheapest plane of one axis; ties go to the first. */
static void try_axis(const bins *b, int axis, uint32_t leaf_size, float *best, plane *p)
{
    float right_cost[BIN_COUNT];
    f32x8 box = no_box();
    uint32_t count = 0;
    for (int k = BIN_COUNT - 1; k > 0; k--) {
        box = f32x8_max(box, b->box[axis][k]);
        count += b->count[axis][k];
        right_cost[k] = count > 0 ? area_of(box) * weight(count, leaf_size) : -1;
    }
    box = no_box();
    count = 0;
    for (int k = 0; k + 1 < BIN_COUNT; k++) {
        box = f32x8_max(box, b->box[axis][k]);
        count += b->count[axis][k];
        if (count == 0 || right_cost[k + 1] < 0)
            continue;
        float cost = area_of(box) * weight(count, leaf_size) + right_cost[k + 1];
        if (p->axis < 0 || cost < *best) {
            *best = cost;
            p->axis = axis;
            p->last = k;
        }
    }
}

static void choose_plane(const bvpi_item *items, uint32_t count, uint32_t leaf_size, plane *p)
{
    bins b;
    float best = 0;
    p->axis = -1;
    p->last = 0;
    fit_bins(items, count, p);
    fill_bins(items, count, p, &b);
    for (int axis = 0; axis < 3; axis++)
        if (p->scale[axis] > 0)
            try_axis(&b, axis, leaf_size, &best, p);
}

/* ---- partitioning --------------------------------------------------------------------------- */

static inline bool is_left(const bvpi_item *item, const plane *p)
{
    float centre = item->hi[p->axis] - item->minus_lo[p->axis];
    return (int)((centre - p->origin[p->axis]) * p->scale[p->axis]) <= p->last;
}

static uint32_t partition(bvpi_item *items, uint32_t count, const plane *p)
{
    uint32_t left = 0, right = count;
    for (;;) {
        while (left < right && is_left(&items[left], p))
            left++;
        while (left < right && !is_left(&items[right - 1], p))
            right--;
        if (left >= right)
            return left;
        bvpi_item swapped = items[left];
        items[left++] = items[--right];
        items[right] = swapped;
    }
}

/* So deep that only halving keeps the hierarchy within its limit? */
static bool must_halve(uint32_t count, uint32_t depth)
{
    uint32_t levels = 1;
    while (count > 1) {
        count = (count + 1) / 2;
        levels++;
    }
    return depth + levels + 2 >= BVPD_DEPTH_MAX;
}

/* ---- splitting ------------------------------------------------------------------------------ */

void bvpi_split_root(const bvpi_item *items, uint32_t count, uint32_t depth, bvpi_split *root)
{
    *root = (bvpi_split){.count = count, .depth = depth};
    store_box(box_of(items, count), root);
}

void bvpi_split_once(bvpi_item *items, uint32_t leaf_size, const bvpi_split *node, bvpi_split *left,
                     bvpi_split *right)
{
    bvpi_item *first = items + node->first;
    uint32_t left_count = node->count / 2;
    if (!must_halve(node->count, node->depth)) {
        plane p;
        choose_plane(first, node->count, leaf_size, &p);
        if (p.axis >= 0)
            left_count = partition(first, node->count, &p);
    }
    const uint32_t depth = node->depth + 1, begin = node->first, count = node->count;
    *left = (bvpi_split){.first = begin, .count = left_count, .depth = depth};
    *right = (bvpi_split){.first = begin + left_count, .count = count - left_count, .depth = depth};
    store_box(box_of(first, left_count), left);
    store_box(box_of(first + left_count, right->count), right);
}

uint32_t bvpi_split_all(bvpi_item *items, uint32_t count, uint32_t leaf_size, uint32_t depth,
                        bvpi_split *nodes)
{
    uint32_t used = 1;
    bvpi_split_root(items, count, depth, &nodes[0]);
    for (uint32_t k = 0; k < used; k++) {
        if (nodes[k].count <= leaf_size)
            continue;
        nodes[k].left = used;
        bvpi_split_once(items, leaf_size, &nodes[k], &nodes[used], &nodes[used + 1]);
        used += 2;
    }
    return used;
}
