/* SPDX-License-Identifier: MIT
 * broad_tree.c: the order of bodies in the tree, and their boxes as floats.
 *
 * The order is sort-tile-recursive: bodies are sorted along one axis and cut into slices, each
 * slice along the next axis and cut again, each of these along the last. Along each axis there are
 * as many slices as make the cells about as long on all sides. Eight bodies in a row are a group.
 *
 * Bodies that are much larger than the average come after all others, in groups of their own:
 * otherwise one of them in each group would make all groups large.
 *
 * The order decides how fast the tree is, never what it finds. It is kept while bodies move little,
 * and made again when many groups have grown.
 *
 * Based on: Leutenegger, Lopez, Edgington, "STR: a simple and efficient algorithm for R-tree
 * packing", 1997.
 * Measured: decisions.md, "Many moving bodies"
 */
#include "broad/broad_tree.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_array.h"
#include "base/large_array.h"

#define LARGE  4    /* times the average's size: a group of its own */
#define LOOSER 1.5f /* times as large as when it was sorted: a group has grown */
enum {
    GROWN_SHARE = 8, /* one of so many groups has grown: sort again */
    SAMPLES = 64     /* groups that are looked at */
};

/* ---- boxes ----------------------------------------------------------------------------------- */

void bvpi_broad_tree_set(bvpi_broad_tree *tree, uint32_t lane, const bvpi_fat_box *box)
{
    bvpi_group *group = &tree->groups[lane / 8];
    assert(lane / 8 < tree->count[0]);
    for (int axis = 0; axis < 3; axis++) {
        group->lo[axis][lane % 8] = box ? box->lo[axis] : INFINITY;
        group->hi[axis][lane % 8] = box ? box->hi[axis] : -INFINITY;
    }
}

void bvpi_broad_search_init(const bvpi_broad_tree *tree, const float lo[3], const float hi[3],
                            bvpi_broad_search *search)
{
    memcpy(search->lo, lo, sizeof search->lo);
    memcpy(search->hi, hi, sizeof search->hi);
    search->waiting = tree->level_count > 0 ? 1 : 0;
    search->stack[0].level = tree->level_count - 1;
    search->stack[0].group = 0;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* The sum of a group's sides; without bodies -infinity. */
static float size_of(const bvpi_broad_tree *tree, uint32_t group)
{
    const bvpi_group *parent = &tree->groups[tree->first[1] + group / 8];
    float size = 0;
    for (int axis = 0; axis < 3; axis++)
        size += parent->hi[axis][group % 8] - parent->lo[axis][group % 8];
    return size;
}

void bvpi_broad_tree_note_sizes(bvpi_broad_tree *tree)
{
    for (uint32_t group = 0; group < tree->count[0]; group++)
        tree->sizes[group] = size_of(tree, group);
}

/* The same of a group on level 0 as its bodies are now, whatever the tree holds. */
static float size_now(const bvpi_broad_tree *tree, uint32_t group, const bvpi_fat_box *boxes)
{
    float size = 0;
    for (int axis = 0; axis < 3; axis++) {
        float lo = INFINITY, hi = -INFINITY;
        for (unsigned lane = 0; lane < 8; lane++) {
            const uint32_t slot = tree->slots[8 * group + lane];
            if (slot == BVP_NONE)
                continue;
            lo = boxes[slot].lo[axis] < lo ? boxes[slot].lo[axis] : lo;
            hi = boxes[slot].hi[axis] > hi ? boxes[slot].hi[axis] : hi;
        }
        size += hi - lo;
    }
    return size;
}

bool bvpi_broad_tree_is_loose(const bvpi_broad_tree *tree, const bvpi_fat_box *boxes)
{
    const uint32_t step = tree->count[0] / SAMPLES + 1;
    uint32_t grown = 0, seen = 0;
    for (uint32_t group = 0; group < tree->count[0]; group += step, seen++)
        grown += size_now(tree, group, boxes) > LOOSER * tree->sizes[group];
    return grown > seen / GROWN_SHARE;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Twice the centre, which is finite. */
static float middle(const bvpi_fat_box *box, int axis)
{
    return box->lo[axis] + box->hi[axis];
}

/* The same of all axes; the last lane says nothing. */
static f64x4 middles(const bvpi_fat_box *box)
{
    const bvpi_halves ends = {.f32 = f32x8_load((const float *)box)};
    return bvpi_f64x4_from_f32x4(ends.f32_half[0] + ends.f32_half[1]);
}

static float longest(const bvpi_fat_box *box)
{
    const float x = box->hi[0] - box->lo[0], y = box->hi[1] - box->lo[1];
    const float z = box->hi[2] - box->lo[2], xy = x < y ? y : x;
    return xy < z ? z : xy;
}

/* Unsigned numbers in the order of floats. */
static uint32_t ordered_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 != 0 ? ~bits : bits | UINT32_C(1) << 31;
}

typedef struct sorter {
    const bvpi_fat_box *boxes;
    uint64_t *keys, *scratch;
    double mean[3];     /* of twice the centres */
    int axis[3];        /* the one with the most slices first */
    uint32_t slices[3]; /* of each of these */
} sorter;

/* How many slices along each axis: the cells' sides become alike where spread is even. Only
 * multiplications and comparisons, whose results are the same on every machine. */
static void choose_slices(sorter *s, const uint64_t *keys, uint32_t count)
{
    f64x4 mean = {0, 0, 0, 0}, spread = {0, 0, 0, 0};
    double slices[3] = {1, 1, 1};
    for (uint32_t i = 0; i < count; i++)
        mean += middles(&s->boxes[(uint32_t)keys[i]]);
    mean /= (double)count;
    for (uint32_t i = 0; i < count; i++)
        spread += f64x4_abs(middles(&s->boxes[(uint32_t)keys[i]]) - mean);
    for (int k = 0; k < 3; k++)
        s->mean[k] = mean[k];
    while (slices[0] * slices[1] * slices[2] * 8 < count) {
        int most = 0;
        for (int k = 1; k < 3; k++)
            if (spread[k] * slices[most] > spread[most] * slices[k])
                most = k;
        slices[most] *= 1.25;
    }
    s->axis[0] = slices[1] > slices[0] ? 1 : 0;
    s->axis[0] = slices[2] > slices[s->axis[0]] ? 2 : s->axis[0];
    const int b = (s->axis[0] + 1) % 3, c = (s->axis[0] + 2) % 3;
    s->axis[1] = slices[c] > slices[b] ? c : b;
    s->axis[2] = slices[c] > slices[b] ? b : c;
    for (int k = 0; k < 3; k++)
        s->slices[k] = (uint32_t)ceil(slices[s->axis[k]]);
}

/* By the upper half of a float, seen from the mean: 1/128 of the distance from there is more than
 * the slices need, and takes half the time. */
static void sort_along(const sorter *s, uint32_t from, uint32_t count, int axis)
{
    uint64_t *keys = s->keys + from;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = (uint32_t)keys[i];
        const float at = (float)((double)middle(&s->boxes[slot], axis) - s->mean[axis]);
        keys[i] = (uint64_t)ordered_bits(at) << 32 | slot;
    }
    bvpi_sort_keys(keys, count, 48, s->scratch);
}

/* How many bodies a slice has if `count` are cut into `slices`: whole groups. */
static uint32_t slice_of(uint32_t count, uint32_t slices)
{
    const uint32_t groups = (count + 7) / 8;
    return 8 * ((groups + slices - 1) / slices);
}

/* Sorts keys from .. from + count - 1, which hold slots. */
static void sort_tiles(sorter *s, uint32_t from, uint32_t count)
{
    if (count == 0)
        return;
    choose_slices(s, s->keys + from, count);
    sort_along(s, from, count, s->axis[0]);
    const uint32_t slice = slice_of(count, s->slices[0]);
    for (uint32_t x = 0; x < count && s->slices[1] > 1; x += slice) {
        const uint32_t in_slice = count - x < slice ? count - x : slice;
        sort_along(s, from + x, in_slice, s->axis[1]);
        const uint32_t tile = slice_of(in_slice, s->slices[1]);
        for (uint32_t y = 0; y < in_slice && s->slices[2] > 1; y += tile)
            sort_along(s, from + x + y, in_slice - y < tile ? in_slice - y : tile, s->axis[2]);
    }
}

/* Copies slots, those of large bodies last; returns how many are not large. */
static uint32_t list_by_size(const bvpi_fat_box *boxes, const uint64_t *slots, uint32_t count,
                             uint64_t *keys)
{
    double sum = 0;
    uint32_t small = 0, large = count;
    for (uint32_t i = 0; i < count; i++)
        sum += (double)longest(&boxes[slots[i]]);
    const double most = LARGE * sum / count;
    for (uint32_t i = 0; i < count; i++)
        if ((double)longest(&boxes[slots[i]]) > most)
            keys[--large] = slots[i];
        else
            keys[small++] = slots[i];
    assert(small == large);
    return small;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* Makes room for level 0 of `groups` groups and the levels above it. */
static bool make_room(bvpi_broad_tree *tree, uint32_t groups)
{
    uint64_t all = groups;
    for (uint64_t level = groups; level > 1;)
        all += level = (level + 7) / 8;
    if (all + 1 > tree->group_capacity) {
        bvpi_group *larger = bvpi_allocate(all + all / 2 + 1, sizeof *larger);
        if (larger == NULL)
            return false;
        if (tree->level_count > 0) /* what failed later leaves the old tree as it is */
            memcpy(larger, tree->groups, sizeof *larger * (tree->first[tree->level_count - 1] + 1));
        free(tree->groups);
        tree->groups = larger;
        tree->group_capacity = all + all / 2 + 1;
    }
    return bvpi_grow(&tree->slots, &tree->lane_capacity, 8 * (uint64_t)groups,
                     sizeof *tree->slots) &&
           bvpi_grow(&tree->sizes, &tree->size_capacity, groups, sizeof *tree->sizes);
}

/* There is always a level above level 0: size_of() reads it. */
static void lay_out(bvpi_broad_tree *tree, uint32_t groups)
{
    tree->first[0] = 0;
    tree->count[0] = groups;
    tree->level_count = 1;
    do {
        const uint32_t below = tree->level_count - 1;
        tree->first[below + 1] = tree->first[below] + tree->count[below];
        tree->count[below + 1] = (tree->count[below] + 7) / 8;
        tree->level_count++;
    } while (tree->count[tree->level_count - 1] > 1);
    assert(tree->level_count <= BVPI_BROAD_LEVELS);
}

bool bvpi_broad_tree_sort(bvpi_broad_tree *tree, const bvpi_fat_box *boxes, uint32_t *lanes,
                          bvpi_keys keys[2])
{
    const uint32_t count = (uint32_t)keys[1].count;
    /* spare lanes for bodies that are added before the next sorting, and to fill up the groups
     * before the large ones */
    const uint32_t groups = (count + count / 16) / 8 + 3;
    if (!bvpi_grow(&keys[0].items, &keys[0].capacity, count, sizeof *keys[0].items) ||
        !make_room(tree, groups))
        return false;
    lay_out(tree, groups);
    memset(tree->slots, 0xff, 8 * (size_t)groups * sizeof *tree->slots);
    tree->used = 0;
    if (count == 0)
        return true;
    sorter s = {.boxes = boxes, .keys = keys[0].items, .scratch = keys[1].items};
    const uint32_t small = list_by_size(boxes, s.scratch, count, s.keys);
    sort_tiles(&s, 0, small);
    sort_tiles(&s, small, count - small);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lane = i < small ? i : (small + 7) / 8 * 8 + (i - small);
        const uint32_t slot = (uint32_t)s.keys[i];
        tree->slots[lane] = slot;
        lanes[slot] = lane;
        tree->used = lane + 1;
    }
    assert(tree->used < 8 * groups);
    return true;
}

void bvpi_broad_tree_free(bvpi_broad_tree *tree)
{
    free(tree->groups);
    free(tree->sizes);
    free(tree->slots);
    *tree = (bvpi_broad_tree){.level_count = 0};
}
