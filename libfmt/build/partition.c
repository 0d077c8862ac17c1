/* SPDX-License-Identifier: MIT
 * partition.c: one function a rule; all compare boxes by whole numbers of grid steps.
 */
#include "build/partition.h"

#include "format/layout.h"

#include <stdbool.h>

/* Twice the centre of an item on an axis: a whole number. */
static float centre_of(const bvpi_item *item, int axis)
{
    return item->hi[axis] - item->minus_lo[axis];
}

static void swap_items(bvpi_item *a, bvpi_item *b)
{
    const bvpi_item item = *a;
    *a = *b;
    *b = item;
}

static int longest_axis(const bvpi_split *node)
{
    int best = 0;
    for (int axis = 1; axis < 3; axis++)
        if (node->hi[axis] + node->minus_lo[axis] > node->hi[best] + node->minus_lo[best])
            best = axis;
    return best;
}

/* Items with centres of at most `limit` to the front; how many. */
static uint32_t divide(bvpi_item *items, uint32_t count, int axis, float limit)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bool goes_left = centre_of(&items[i], axis) <= limit;
        swap_items(&items[i], &items[left]);
        left += goes_left;
    }
    return left;
}

/* ---- midpoint, median ----------------------------------------------------------------------- */

static uint32_t cut_at_midpoint(bvpi_item *items, const bvpi_split *node)
{
    const int axis = longest_axis(node);
    return divide(items, node->count, axis, node->hi[axis] - node->minus_lo[axis]);
}

/* The half with the lower centres to the front. Halving the range of centres, not of the items,
 * bounds the rounds by the bits of the grid. */
static uint32_t cut_at_median(bvpi_item *items, const bvpi_split *node)
{
    const int axis = longest_axis(node);
    const uint32_t half = node->count / 2;
    uint32_t begin = 0, end = node->count;
    float lo = -2 * node->minus_lo[axis], hi = 2 * node->hi[axis];
    while (lo < hi && end - begin > 1) {
        const float middle = (float)(((int32_t)lo + (int32_t)hi) >> 1);
        const uint32_t split = begin + divide(items + begin, end - begin, axis, middle);
        if (half <= split) {
            end = split;
            hi = middle;
        } else {
            begin = split;
            lo = middle + 1;
        }
        if (half == split)
            break;
    }
    return half;
}

/* ---- the call ------------------------------------------------------------------------------- */

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

static uint32_t apply_rule(bvpi_item *items, const bvpi_cut *cut, const bvpi_split *node)
{
    switch (cut->rule) {
    case BVP_SPLIT_MIDPOINT:
        return cut_at_midpoint(items, node);
    default:
        return cut_at_median(items, node);
    }
}

void bvpi_partition(bvpi_item *items, const bvpi_cut *cut, const bvpi_split *node, bvpi_split *left,
                    bvpi_split *right)
{
    bvpi_item *first = items + node->first;
    uint32_t left_count;
    if (cut->rule == BVP_SPLIT_SAH) {
        bvpi_split_once(items, cut->leaf_size, node, left, right);
        return;
    }
    if (must_halve(node->count, node->depth))
        left_count = cut_at_median(first, node);
    else
        left_count = apply_rule(first, cut, node);
    if (left_count == 0 || left_count == node->count)
        left_count = node->count / 2;
    bvpi_split_root(first, left_count, node->depth + 1, left);
    bvpi_split_root(first + left_count, node->count - left_count, node->depth + 1, right);
    left->first = node->first;
    right->first = node->first + left_count;
}
