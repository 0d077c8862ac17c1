/* SPDX-License-Identifier: MIT
 * seeds.c: cuts a set of boxes into two that grow from seeds, each box going where it adds least
 * volume.
 *
 * Each axis offers three cases, by where the two seeds are: both at its lower border, both at its
 * upper border, or one at each. All cases of all axes grow at the same time, in two passes over the
 * items: one finds the seeds, one assigns every box to a set of every case. An item's spare word
 * records the sets, one bit for each case, so the winning case need not be grown again.
 *
 * Seeds: the item whose far side is nearest to the border, and as a partner an item far from it
 * along the border but near the border.
 *
 * "Restricted" grows the same sets, but compares the cases by what one plane for each set, on the
 * case's axis, leaves of the parent's box.
 *
 * "Lookahead" adds the cost of the best cut of both sets before it compares the axes.
 *
 * Volumes are of boxes grown by one grid step, so that flat boxes have volumes as well. Ties go to
 * the smaller set, then to the first case.
 *
 * Held by tests/unit/test_partition.c.
 * Based on: Zachmann, Minimal hierarchical collision detection, 2002, section 4.2.
 */
#include "pack/tree/seeds.h"

#include "base/simd.h"

#include <assert.h>
#include <stdbool.h>

/* The cases of an axis: both sets begin at its lower border, both at its upper one, or one at
 * each. */
enum { LOWER_LOWER, UPPER_UPPER, LOWER_UPPER, AXIS_CASES, CASES = 3 * AXIS_CASES };

/* Lanes 0 .. 2: minus the lower corner, and the upper corner; lane 3: 0. */
typedef struct box {
    bvpi_f32x4 minus_lo, hi;
} box;

/* Two growing sets. */
typedef struct pair {
    box side[2];
    double volume[2];
    uint32_t count[2];
} pair;

typedef struct seeds {
    uint32_t first, second; /* items */
} seeds;

/* ---- boxes ---------------------------------------------------------------------------------- */

static inline bvpi_f32x4 load_corner(const float *corner)
{
    const bvpi_i32x4 mask = {-1, -1, -1, 0};
    bvpi_i32x4 bits;
    memcpy(&bits, corner, sizeof bits);
    return (bvpi_f32x4)(bits & mask);
}

static inline box box_of(const bvpi_item *item)
{
    return (box){load_corner(item->minus_lo), load_corner(item->hi)};
}

static inline box join(box a, box b)
{
    return (box){bvpi_max4(a.minus_lo, b.minus_lo), bvpi_max4(a.hi, b.hi)};
}

/* With a grid step added on each axis, so that flat boxes have volumes. */
static inline double volume_of(box b)
{
    const bvpi_f32x4 size = b.minus_lo + b.hi + 1;
    return (double)size[0] * size[1] * size[2];
}

static float centre_of(const bvpi_item *item, int axis)
{
    return item->hi[axis] - item->minus_lo[axis];
}

/* ---- seeds ---------------------------------------------------------------------------------- */

/* How good an item is as a second seed beside `first`, if both sets begin at one border: far from
 * the first along the border, near the border. Whole numbers below 2^26, hence exact. */
static double partner_score(const bvpi_item *item, const bvpi_item *first, int axis, bool is_upper)
{
    const double behind = is_upper ? (double)first->minus_lo[axis] - item->minus_lo[axis]
                                   : (double)first->hi[axis] - item->hi[axis];
    double score = 2 * behind; /* centres are doubled, too */
    for (int other = 0; other < 3; other++) {
        const double d = (double)centre_of(item, other) - centre_of(first, other);
        if (other != axis)
            score += d < 0 ? -d : d;
    }
    return score;
}

/* The best partner of item `first` in one case. */
static uint32_t find_partner(const bvpi_item *items, uint32_t count, uint32_t first, int axis,
                             bool is_upper)
{
    uint32_t best = first == 0;
    double best_score = partner_score(&items[best], &items[first], axis, is_upper);
    for (uint32_t i = best + 1; i < count; i++) {
        const double score = partner_score(&items[i], &items[first], axis, is_upper);
        if (i != first && score > best_score) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

static void find_seeds(const bvpi_item *items, uint32_t count, unsigned axes, seeds out[CASES])
{
    uint32_t lower[3], upper[3];
    assert(count >= 2); /* two seeds */
    /* the items whose far sides are nearest to both borders of each axis; the first of equal ones
     */
    for (int axis = 0; axis < 3; axis++)
        lower[axis] = upper[axis] = 0;
    for (uint32_t i = 1; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            if (items[i].hi[axis] < items[lower[axis]].hi[axis])
                lower[axis] = i;
            if (items[i].minus_lo[axis] < items[upper[axis]].minus_lo[axis])
                upper[axis] = i;
        }
    for (int axis = 0; axis < 3; axis++) {
        seeds *s = out + AXIS_CASES * axis;
        if ((axes >> axis & 1) == 0)
            continue;
        s[LOWER_LOWER].first = lower[axis];
        s[LOWER_LOWER].second = find_partner(items, count, lower[axis], axis, false);
        s[UPPER_UPPER].first = upper[axis];
        s[UPPER_UPPER].second = find_partner(items, count, upper[axis], axis, true);
        s[LOWER_UPPER].first = lower[axis];
        s[LOWER_UPPER].second = upper[axis];
        if (upper[axis] == lower[axis])
            s[LOWER_UPPER].second = s[LOWER_LOWER].second;
    }
}

/* ---- growing -------------------------------------------------------------------------------- */

static void start(pair *p, const bvpi_item *items, seeds s)
{
    p->side[0] = box_of(&items[s.first]);
    p->side[1] = box_of(&items[s.second]);
    for (int k = 0; k < 2; k++) {
        p->volume[k] = volume_of(p->side[k]);
        p->count[k] = 1;
    }
}

/* Adds an item to the set that grows less; if both grow alike, to the smaller one. Returns the set,
 * 0 or 1. */
static inline uint32_t add(pair *p, const bvpi_item *item)
{
    const box own = box_of(item);
    const box grown[2] = {join(p->side[0], own), join(p->side[1], own)};
    const double volume[2] = {volume_of(grown[0]), volume_of(grown[1])};
    const double growth[2] = {volume[0] - p->volume[0], volume[1] - p->volume[1]};
    const bool is_second =
        growth[0] == growth[1] ? p->count[1] < p->count[0] : growth[1] < growth[0];
    p->side[is_second] = grown[is_second];
    p->volume[is_second] = volume[is_second];
    p->count[is_second]++;
    return is_second;
}

/* Grows the cases whose bits are set in `cases`. keep: stores the sets in item.zero. */
static void grow_cases(bvpi_item *items, uint32_t count, const seeds s[CASES], unsigned cases,
                       bool keep, pair out[CASES])
{
    for (int k = 0; k < CASES; k++)
        if (cases >> k & 1)
            start(&out[k], items, s[k]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sets = 0;
        for (int k = 0; k < CASES; k++) {
            if ((cases >> k & 1) == 0)
                continue;
            if (i == s[k].second)
                sets |= UINT32_C(1) << k;
            else if (i != s[k].first)
                sets |= add(&out[k], &items[i]) << k;
        }
        if (keep)
            items[i].zero = sets;
    }
}

/* ---- choosing ------------------------------------------------------------------------------- */

static double cost_of(const pair *p)
{
    return p->volume[0] + p->volume[1];
}

/* The cheapest of the given cases; the first of equal ones. */
static int cheapest(const pair pairs[CASES], unsigned cases)
{
    int best = -1;
    for (int k = 0; k < CASES; k++)
        if ((cases >> k & 1) && (best < 0 || cost_of(&pairs[k]) < cost_of(&pairs[best])))
            best = k;
    assert(best >= 0);
    return best;
}

static unsigned cases_of(unsigned axes)
{
    unsigned cases = 0;
    for (unsigned axis = 0; axis < 3; axis++)
        if (axes >> axis & 1)
            cases |= ((1u << AXIS_CASES) - 1) << (AXIS_CASES * axis);
    return cases;
}

/* Moves the items of the first set of case `k` to the front. */
static uint32_t divide(bvpi_item *items, uint32_t count, int k)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bvpi_item item = items[i];
        items[i] = items[left];
        items[left] = item;
        left += (item.zero >> k & 1) == 0;
    }
    return left;
}

/* The cost of the best cut of a set; 0 for a leaf. */
static double cost_below(bvpi_item *items, uint32_t count, uint32_t leaf_size)
{
    seeds s[CASES];
    pair pairs[CASES];
    const unsigned cases = cases_of(7);
    if (count <= leaf_size || count < 2)
        return 0;
    find_seeds(items, count, 7, s);
    grow_cases(items, count, s, cases, false, pairs);
    return cost_of(&pairs[cheapest(pairs, cases)]);
}

/* Of the best case of each axis, the one with the least cost including the next level, where both
 * sets may be cut on any axis. */
static int look_ahead(bvpi_item *items, uint32_t count, uint32_t leaf_size, const pair pairs[CASES])
{
    int best = -1;
    double best_cost = 0;
    for (unsigned axis = 0; axis < 3; axis++) {
        const int k = cheapest(pairs, cases_of(1u << axis));
        const uint32_t left = divide(items, count, k);
        const double cost = cost_of(&pairs[k]) + cost_below(items, left, leaf_size) +
                            cost_below(items + left, count - left, leaf_size);
        if (best < 0 || cost < best_cost) {
            best = k;
            best_cost = cost;
        }
    }
    return best;
}

/* The sets of case `k`, which were kept. */
static uint32_t take_case(bvpi_item *items, uint32_t count, int k)
{
    const uint32_t left = divide(items, count, k);
    assert(left > 0 && left < count); /* each set has its seed */
    for (uint32_t i = 0; i < count; i++)
        items[i].zero = 0;
    return left;
}

uint32_t bvpi_cut_by_volume(bvpi_item *items, bvp_split rule, uint32_t leaf_size,
                            const bvpi_build_node *node)
{
    seeds s[CASES];
    pair pairs[CASES];
    const uint32_t count = node->count;
    const unsigned axes = rule == BVP_SPLIT_LONGEST ? 1u << bvpi_build_node_longest(node) : 7;
    find_seeds(items, count, axes, s);
    grow_cases(items, count, s, cases_of(axes), true, pairs);
    const int k = rule == BVP_SPLIT_LOOKAHEAD ? look_ahead(items, count, leaf_size, pairs)
                                              : cheapest(pairs, cases_of(axes));
    return take_case(items, count, k);
}

/* What the two planes of case `k` leave of the parent's box; a grid step is added to each side, as
 * in volume_of. */
static double cost_restricted(const bvpi_frame *parent, int k, const pair *p)
{
    const int axis = k / AXIS_CASES, what = k % AXIS_CASES;
    double length = 2, across = 1;
    for (int side = 0; side < 2; side++) {
        const bool is_lower = what == LOWER_LOWER || (what == LOWER_UPPER && side == 0);
        length += is_lower ? (double)p->side[side].hi[axis] - parent->lo[axis]
                           : (double)parent->hi[axis] + p->side[side].minus_lo[axis];
    }
    for (int other = 0; other < 3; other++)
        if (other != axis)
            across *= 1 + (double)(parent->hi[other] - parent->lo[other]);
    return across * length;
}

uint32_t bvpi_cut_restricted(bvpi_item *items, uint32_t count, const bvpi_frame *parent)
{
    seeds s[CASES];
    pair pairs[CASES];
    int best = 0;
    find_seeds(items, count, 7, s);
    grow_cases(items, count, s, cases_of(7), true, pairs);
    for (int k = 1; k < CASES; k++)
        if (cost_restricted(parent, k, &pairs[k]) < cost_restricted(parent, best, &pairs[best]))
            best = k;
    return take_case(items, count, best);
}
