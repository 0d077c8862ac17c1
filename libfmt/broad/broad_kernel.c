/* SPDX-License-Identifier: MIT
 * broad_kernel.c: boxes of bodies, eight at once: fitting the tree, searching it, all its pairs;
 * compiled once per instruction set.
 *
 * All pairs: each group on level 0 is searched for as one box, among the groups from itself on, so
 * that two groups meet once. Of two groups that meet, only the lanes of the first that meet the
 * box around the second are compared with the second's eight.
 *
 * Slow twin: brute force over all bodies, tests/property/test_broad.c.
 * Measured: decisions.md, "Many moving bodies"
 */
#include <assert.h>

#include "base/growing_array.h"
#include "base/simd.h"
#include "broad/broad_tree.h"

/* ---- fitting --------------------------------------------------------------------------------- */

static void fill(bvpi_broad_tree *tree, const bvpi_fat_box *boxes)
{
    for (uint32_t k = 0; k < tree->count[0]; k++) {
        bvpi_group *group = &tree->groups[k];
        for (unsigned lane = 0; lane < 8; lane++) {
            const uint32_t slot = tree->slots[8 * k + lane];
            for (int axis = 0; axis < 3; axis++) {
                group->lo[axis][lane] = slot != BVP_NONE ? boxes[slot].lo[axis] : __builtin_inff();
                group->hi[axis][lane] = slot != BVP_NONE ? boxes[slot].hi[axis] : -__builtin_inff();
            }
        }
    }
}

/* Writes the box around a group into its lane one level up. True: it has changed. */
static inline bool fit_group(const bvpi_group *group, bvpi_group *parent, unsigned lane)
{
    bool is_new = false;
    for (int axis = 0; axis < 3; axis++) {
        const float lo = f32x8_least(f32x8_load(group->lo[axis]));
        const float hi = -f32x8_least(-f32x8_load(group->hi[axis]));
        is_new = is_new || lo != parent->lo[axis][lane] || hi != parent->hi[axis][lane];
        parent->lo[axis][lane] = lo;
        parent->hi[axis][lane] = hi;
    }
    return is_new;
}

static void fit(bvpi_broad_tree *tree)
{
    for (uint32_t level = 0; level + 1 < tree->level_count; level++) {
        const bvpi_group *groups = tree->groups + tree->first[level];
        bvpi_group *parents = tree->groups + tree->first[level + 1];
        for (uint32_t k = 0; k < tree->count[level]; k++)
            fit_group(groups + k, parents + k / 8, k % 8);
        bvpi_group *last = &parents[tree->count[level + 1] - 1];
        for (unsigned lane = (tree->count[level] - 1) % 8 + 1; lane < 8; lane++)
            for (int axis = 0; axis < 3; axis++) {
                last->lo[axis][lane] = __builtin_inff();
                last->hi[axis][lane] = -__builtin_inff();
            }
    }
}

static void refit(bvpi_broad_tree *tree, uint32_t group)
{
    for (uint32_t level = 0; level + 1 < tree->level_count; level++, group /= 8)
        if (!fit_group(tree->groups + tree->first[level] + group,
                       tree->groups + tree->first[level + 1] + group / 8, group % 8))
            return;
}

/* ---- searching ------------------------------------------------------------------------------- */

/* Lanes whose boxes meet lo .. hi. */
BVPI_INLINE unsigned meets(const bvpi_group *group, const float lo[3], const float hi[3])
{
    i32x8 is = i32x8_splat(-1);
    BVPI_UNROLL
    for (int axis = 0; axis < 3; axis++)
        is &= f32x8_le(f32x8_load(group->lo[axis]), f32x8_splat(hi[axis])) &
              f32x8_le(f32x8_splat(lo[axis]), f32x8_load(group->hi[axis]));
    return i32x8_movemask(is);
}

static unsigned next(const bvpi_broad_tree *tree, bvpi_broad_search *search, uint32_t *group)
{
    while (search->waiting > 0) {
        search->waiting--;
        const uint32_t level = search->stack[search->waiting].level;
        const uint32_t at = search->stack[search->waiting].group;
        unsigned lanes = meets(tree->groups + tree->first[level] + at, search->lo, search->hi);
        *group = at;
        if (level == 0 && lanes != 0)
            return lanes;
        for (; level > 0 && lanes != 0; lanes &= lanes - 1) {
            assert(search->waiting < BVPI_BROAD_STACK);
            search->stack[search->waiting].level = level - 1;
            search->stack[search->waiting++].group = 8 * at + bvpi_lowest_bit(lanes);
        }
    }
    return 0;
}

/* ---- all pairs ------------------------------------------------------------------------------- */

typedef struct pair_walk {
    const bvpi_broad_tree *tree;
    uint64_t limit;
    bvpi_keys *out;
} pair_walk;

static inline void box_of(const bvpi_group *group, unsigned lane, float lo[3], float hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = group->lo[axis][lane];
        hi[axis] = group->hi[axis][lane];
    }
}

/* The pairs of group a's lanes and those of group b; a <= b. */
static inline bvp_status pairs_of_groups(pair_walk *w, uint32_t a, unsigned lanes_a, uint32_t b)
{
    const bvpi_group *group_a = w->tree->groups + a, *group_b = w->tree->groups + b;
    const uint32_t *slots = w->tree->slots;
    bvpi_keys *out = w->out;
    for (; lanes_a != 0; lanes_a &= lanes_a - 1) {
        const unsigned lane = bvpi_lowest_bit(lanes_a);
        float lo[3], hi[3];
        box_of(group_a, lane, lo, hi);
        unsigned lanes = meets(group_b, lo, hi);
        if (a == b)
            lanes &= ~0u << lane << 1;
        if (lanes == 0)
            continue;
        if (out->count + 8 > w->limit && out->count + bvpi_popcount(lanes) > w->limit)
            return BVP_ERR_LIMIT;
        if (!bvpi_grow(&out->items, &out->capacity, out->count + 8, sizeof *out->items))
            return BVP_ERR_NO_MEMORY;
        for (; lanes != 0; lanes &= lanes - 1)
            out->items[out->count++] =
                bvpi_pair_key(slots[8 * a + lane], slots[8 * b + bvpi_lowest_bit(lanes)]);
    }
    return BVP_OK;
}

/* The pairs of group a with itself and with later ones. */
static bvp_status pairs_of(pair_walk *w, uint32_t a)
{
    const bvpi_broad_tree *tree = w->tree;
    const bvpi_group *around = tree->groups + tree->first[1] + a / 8;
    uint32_t stack[BVPI_BROAD_STACK][2];
    uint32_t waiting = 1;
    float lo[3], hi[3];
    box_of(around, a % 8, lo, hi);
    if (!(lo[0] <= hi[0])) /* no bodies */
        return BVP_OK;
    stack[0][0] = tree->level_count - 1;
    stack[0][1] = 0;
    while (waiting > 0) {
        waiting--;
        const uint32_t level = stack[waiting][0], at = stack[waiting][1];
        assert(level > 0);
        const bvpi_group *node = tree->groups + tree->first[level] + at;
        unsigned lanes = meets(node, lo, hi);
        /* the child that holds a, or the first one */
        const uint32_t own = a >> 3 * (level - 1);
        if (own >= 8 * at)
            lanes &= own >= 8 * at + 8 ? 0 : ~0u << (own - 8 * at);
        for (; lanes != 0; lanes &= lanes - 1) {
            const unsigned lane = bvpi_lowest_bit(lanes);
            if (level > 1) {
                assert(waiting < BVPI_BROAD_STACK);
                stack[waiting][0] = level - 1;
                stack[waiting++][1] = 8 * at + lane;
                continue;
            }
            float its_lo[3], its_hi[3];
            box_of(node, lane, its_lo, its_hi);
            const unsigned lanes_a = meets(tree->groups + a, its_lo, its_hi);
            const bvp_status status = pairs_of_groups(w, a, lanes_a, 8 * at + lane);
            if (status != BVP_OK)
                return status;
        }
    }
    return BVP_OK;
}

static bvp_status pairs(const bvpi_broad_tree *tree, uint64_t limit, bvpi_keys *out)
{
    pair_walk w = {tree, limit, out};
    bvp_status status = BVP_OK;
    for (uint32_t a = 0; a < tree->count[0] && status == BVP_OK; a++)
        status = pairs_of(&w, a);
    return status;
}

const bvpi_broad_kernel BVPI_ISA_NAME(bvpi_broad_kernel) = {fill, fit, refit, next, pairs};
