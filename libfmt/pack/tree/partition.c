/* SPDX-License-Identifier: MIT
 * partition.c: cuts a set of triangles in two, by any of the format's rules; one function for each
 * rule.
 *
 * All rules but "mean" compare whole numbers of grid steps, so they are exact and identical on
 * every machine. A rule that would leave one side empty falls back to halving; so does every rule
 * where the hierarchy would otherwise become too deep.
 *
 * Held by tests/unit/test_partition.c: progress on every set, all items kept, cuts where the rule
 * says.
 * Spec: format.md, chapter "Binary hierarchies"
 * Based on: see partition.h
 */
#include "pack/tree/partition.h"

#include "base/isa.h"
#include "pack/tree/mean_kernel.h"
#include "pack/tree/seeds.h"
#include "format/layout.h"

#include <assert.h>
#include <stdbool.h>

static void swap_items(bvpi_item *a, bvpi_item *b)
{
    const bvpi_item item = *a;
    *a = *b;
    *b = item;
}

/* Moves items with centres of at most `limit` to the front. Returns their number. Before each round
 * items 0 .. left - 1 go left and items left .. i - 1 right; swapping always saves a branch. */
static uint32_t divide(bvpi_item *items, uint32_t count, int axis, float limit)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float centre =
            items[i].hi[axis] - items[i].minus_lo[axis]; /* twice, a whole number */
        const bool goes_left = centre <= limit;
        swap_items(&items[i], &items[left]);
        left += goes_left;
    }
    return left;
}

/* ---- midpoint, median ----------------------------------------------------------------------- */

/* Moves the half with the lower centres to the front. The search halves the range of centres, not
 * of items, so the number of rounds is bounded by the bits of the grid. */
static uint32_t cut_at_median(bvpi_item *items, const bvpi_build_node *node)
{
    const int axis = bvpi_build_node_longest(node);
    const uint32_t half = node->count / 2;
    uint32_t begin = 0, end = node->count;
    float lo = -2 * node->minus_lo[axis], hi = 2 * node->hi[axis];
    while (lo < hi && end - begin > 1) {
        assert(begin <= half && half <= end);
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

/* ---- mean ----------------------------------------------------------------------------------- */

/* The coordinate axes as rows, in descending order of the box's sides. */
static void sort_axes(const bvpi_build_node *node, double axes[9])
{
    float size[3];
    int order[3] = {0, 1, 2};
    for (int axis = 0; axis < 3; axis++)
        size[axis] = node->hi[axis] + node->minus_lo[axis];
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && size[order[k]] > size[order[k - 1]]; k--) {
            const int swapped = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swapped;
        }
    for (int i = 0; i < 9; i++)
        axes[i] = order[i / 3] == i % 3;
}

/* Cuts on the first axis that separates anything; 0: none does. */
static uint32_t cut_at_mean(bvpi_item *items, const bvpi_partition_rule *cut,
                            const bvpi_build_node *node)
{
    const bvpi_mean_kernel *kernel = BVPI_ISA_CHOOSE(bvpi_mean_kernel, bvpi_isa_of_cpu());
    double own[9];
    const double *axes = cut->axes;
    if (!axes) {
        sort_axes(node, own);
        axes = own;
    }
    for (int i = 0; i < 3; i++) {
        const uint32_t left = kernel->cut(items, node->count, cut->mesh, axes + 3 * i);
        if (left > 0 && left < node->count)
            return left;
    }
    return 0;
}

/* ---- the call ------------------------------------------------------------------------------- */

void bvpi_partition(bvpi_item *items, const bvpi_partition_rule *cut, const bvpi_build_node *node,
                    bvpi_build_node *left, bvpi_build_node *right)
{
    bvpi_item *first = items + node->first;
    uint32_t left_count;
    if (cut->rule == BVP_SPLIT_SAH) {
        bvpi_split_once(items, cut->leaf_size, node, left, right);
        return;
    }
    const bvp_split rule = bvpi_build_node_must_halve(node) ? BVP_SPLIT_MEDIAN : cut->rule;
    const int longest = bvpi_build_node_longest(node);
    switch (rule) {
    case BVP_SPLIT_VOLUME:
    case BVP_SPLIT_LONGEST:
    case BVP_SPLIT_LOOKAHEAD:
        left_count = bvpi_cut_by_volume(first, rule, cut->leaf_size, node);
        break;
    case BVP_SPLIT_RESTRICTED:
        left_count = bvpi_cut_restricted(first, node->count, cut->box);
        break;
    case BVP_SPLIT_MIDPOINT:
        left_count =
            divide(first, node->count, longest, node->hi[longest] - node->minus_lo[longest]);
        break;
    case BVP_SPLIT_MEAN:
        left_count = cut_at_mean(first, cut, node);
        break;
    default:
        left_count = cut_at_median(first, node);
    }
    assert(left_count <= node->count);
    if (left_count == 0 || left_count == node->count)
        left_count = node->count / 2;
    bvpi_split_root(first, left_count, node->depth + 1, left);
    bvpi_split_root(first + left_count, node->count - left_count, node->depth + 1, right);
    left->first = node->first;
    right->first = node->first + left_count;
}
