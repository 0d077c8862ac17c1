/* SPDX-License-Identifier: MIT
 * broad_near.c: fat boxes, the tree over them, and the pairs of them that meet.
 *
 * As long as bodies are in their fat boxes there is nothing to do. Few have left them: these boxes
 * are made anew, their lanes and the boxes above are written, and each of them is searched for in
 * the tree. Many, or few in so many steps that it comes to the same work: all boxes are made anew,
 * the tree is written, and all pairs are found at once, which costs less for each body.
 *
 * How far a box reaches ahead follows from counts alone, so it is the same on every machine: near
 * pairs that are no pairs are looked at in every step, and a pass over all bodies costs as much as
 * so many of these.
 *
 * Slow twin: all pairs of boxes by brute force, tests/property/test_broad.c.
 * Measured: decisions.md, "Many moving bodies"
 */
#include <assert.h>
#include <string.h>

#include "base/growing_array.h"
#include "broad/broad.h"

enum {
    MANY_SHARE = 16,    /* one of so many bodies has left its box: make all anew */
    ALONE_SHARE = 8,    /* the same of those that have left since all were made */
    MOVING_SHARE = 4,   /* and one of so many moves */
    PASS = 4,           /* so many near pairs cost as much as a body in a pass over all */
    GROWTH = 8,         /* so many times the tests in a lifetime that is twice as long */
    DOUBLINGS = 2,      /* of the reach at once, at most */
    REACH_MOST = 64,    /* steps */
    IDLE_MOST = 16,     /* passes over tight boxes, then another attempt */
    LIFETIME_MOST = 128 /* steps; more does not count */
};

/* ---- the tree -------------------------------------------------------------------------------- */

/* Gives lanes to bodies that have come, and takes them from those that have gone. False: there are
 * not enough. */
static bool hand_out_lanes(bvp_broad *broad)
{
    bvpi_broad_tree *tree = &broad->tree;
    if (tree->level_count == 0)
        return false;
    for (uint32_t k = 0; k < broad->left_count; k++) {
        const uint32_t slot = broad->left[k], lane = broad->lanes[slot];
        const bool has = bvpi_broad_has_box(broad, slot);
        if (has == (lane != BVP_NONE))
            continue;
        if (has && tree->used == 8 * tree->count[0])
            return false;
        broad->lanes[slot] = has ? tree->used : BVP_NONE;
        if (has) {
            tree->slots[tree->used++] = slot;
            continue;
        }
        tree->slots[lane] = BVP_NONE;
        bvpi_broad_tree_set(tree, lane, NULL);
        broad->kernel->refit(tree, lane / 8);
    }
    return true;
}

/* False: out of memory. */
static bool sort_bodies(bvp_broad *broad)
{
    bvpi_keys *slots = &broad->keys[1];
    if (!bvpi_grow(&slots->items, &slots->capacity, broad->body_count, sizeof *slots->items))
        return false;
    slots->count = 0;
    for (uint32_t slot = 0; slot < broad->slot_count; slot++)
        if (bvpi_broad_has_box(broad, slot))
            slots->items[slots->count++] = slot;
    if (!bvpi_broad_tree_sort(&broad->tree, broad->fat, broad->lanes, broad->keys))
        return false;
    for (uint32_t k = 0; k < broad->left_count; k++)
        if (!bvpi_broad_has_box(broad, broad->left[k]))
            broad->lanes[broad->left[k]] = BVP_NONE;
    return true;
}

/* Makes all fat boxes, and the tree over them. False: out of memory. */
static bool renew_all(bvp_broad *broad, uint32_t reach, bool must_sort)
{
    broad->fattening.is_stale = true;
    broad->fattening.reach = reach;
    broad->mover->fatten_all(broad, reach);
    must_sort = must_sort || bvpi_broad_tree_is_loose(&broad->tree, broad->fat);
    if (must_sort && !sort_bodies(broad))
        return false;
    broad->kernel->fill(&broad->tree, broad->fat);
    broad->kernel->fit(&broad->tree);
    if (must_sort)
        bvpi_broad_tree_note_sizes(&broad->tree);
    return true;
}

/* Makes the fat boxes of those that have left theirs. */
static void renew_left(bvp_broad *broad)
{
    for (uint32_t k = 0; k < broad->left_count; k++) {
        const uint32_t slot = broad->left[k], lane = broad->lanes[slot];
        if (lane == BVP_NONE)
            continue;
        bvpi_fat_box_renew(&broad->bounds[slot], broad->fattening.reach, broad->fattening.step,
                           &broad->origins[slot], &broad->fat[slot]);
        bvpi_broad_tree_set(&broad->tree, lane, &broad->fat[slot]);
        broad->kernel->refit(&broad->tree, lane / 8);
    }
}

/* ---- near pairs ------------------------------------------------------------------------------ */

static bool has_left(const bvp_broad *broad, uint32_t slot)
{
    return (broad->flags[slot] & BVPI_BROAD_LEFT) != 0;
}

/* The near pairs of one body, but for those with a body before it that has left its box too. */
static bvp_status find_pairs_of(bvp_broad *broad, uint32_t slot)
{
    const bvpi_broad_tree *tree = &broad->tree;
    const bvpi_fat_box *box = &broad->fat[slot];
    bvpi_keys *found = &broad->keys[0];
    bvpi_broad_search search;
    uint32_t group;
    unsigned lanes;
    bvpi_broad_search_init(tree, box->lo, box->hi, &search);
    while ((lanes = broad->kernel->next(tree, &search, &group)) != 0) {
        if (!bvpi_grow(&found->items, &found->capacity, found->count + 8, sizeof *found->items))
            return BVP_ERR_NO_MEMORY;
        for (; lanes != 0; lanes &= lanes - 1) {
            const uint32_t other = tree->slots[8 * group + (uint32_t)__builtin_ctz(lanes)];
            if (other == slot || (has_left(broad, other) && other < slot))
                continue;
            if (found->count == broad->pair_limit)
                return BVP_ERR_LIMIT;
            found->items[found->count++] = bvpi_pair_key(slot, other);
        }
    }
    return BVP_OK;
}

static bool may_pair(const bvp_broad *broad, uint32_t a, uint32_t b)
{
    const bvp_broad_body *of_a = &broad->slots[a].given, *of_b = &broad->slots[b].given;
    return (of_a->layers & of_b->ignores) == 0 && (of_b->layers & of_a->ignores) == 0;
}

/* Sorts what was found, without the pairs that layers leave out. False: out of memory. */
static bool sort_found(bvp_broad *broad)
{
    bvpi_keys *found = &broad->keys[0], *scratch = &broad->keys[1];
    uint64_t kept = 0;
    for (uint64_t k = 0; k < found->count; k++) {
        const uint64_t key = found->items[k];
        found->items[kept] = key;
        kept += may_pair(broad, (uint32_t)(key >> 32), (uint32_t)key);
    }
    found->count = kept;
    if (!bvpi_grow(&scratch->items, &scratch->capacity, kept, sizeof *scratch->items))
        return false;
    bvpi_sort_keys(found->items, kept, 0, scratch->items);
    return true;
}

static void swap_near(bvp_broad *broad, bvpi_keys *with)
{
    const bvpi_keys old = broad->near;
    broad->near = *with;
    *with = old;
}

/* The near pairs become those that were found, and those of before whose boxes are still the same;
 * all ascend. */
static bvp_status keep_and_add(bvp_broad *broad)
{
    const bvpi_keys *near = &broad->near, *found = &broad->keys[0];
    bvpi_keys *out = &broad->keys[1];
    if (!bvpi_grow(&out->items, &out->capacity, near->count + found->count, sizeof *out->items))
        return BVP_ERR_NO_MEMORY;
    uint64_t k = 0;
    out->count = 0;
    for (uint64_t i = 0; i < near->count; i++) {
        const uint64_t key = near->items[i];
        if (has_left(broad, (uint32_t)(key >> 32)) || has_left(broad, (uint32_t)key))
            continue;
        while (k < found->count && found->items[k] < key)
            out->items[out->count++] = found->items[k++];
        out->items[out->count++] = key;
    }
    while (k < found->count)
        out->items[out->count++] = found->items[k++];
    if (out->count > broad->pair_limit)
        return BVP_ERR_LIMIT;
    swap_near(broad, out);
    return BVP_OK;
}

/* ---- all, or those that have left their boxes ------------------------------------------------ */

static bvp_status find_all(bvp_broad *broad, uint32_t reach, bool must_sort)
{
    bvpi_keys *found = &broad->keys[0];
    if (!renew_all(broad, reach, must_sort))
        return BVP_ERR_NO_MEMORY;
    found->count = 0;
    const bvp_status status = broad->kernel->pairs(&broad->tree, broad->pair_limit, found);
    if (status != BVP_OK)
        return status;
    if (!sort_found(broad))
        return BVP_ERR_NO_MEMORY;
    swap_near(broad, found);
    broad->fattening.is_stale = false;
    broad->fattening.all_at = broad->fattening.step;
    broad->fattening.left_since = 0;
    return BVP_OK;
}

static bvp_status find_left(bvp_broad *broad)
{
    bvp_status status = BVP_OK;
    renew_left(broad);
    broad->keys[0].count = 0;
    for (uint32_t k = 0; k < broad->left_count && status == BVP_OK; k++)
        if (bvpi_broad_has_box(broad, broad->left[k]))
            status = find_pairs_of(broad, broad->left[k]);
    if (status != BVP_OK)
        return status;
    if (!sort_found(broad))
        return BVP_ERR_NO_MEMORY;
    broad->fattening.left_since += broad->left_count;
    return keep_and_add(broad);
}

/* How many steps the next boxes are to reach. Of those of now: `extra` near pairs were looked at in
 * each step of their lifetime. Where near pairs grow like a power of the reach, these tests and a
 * pass cost least together when the tests of a lifetime cost about as much as the pass. */
static uint32_t next_reach(bvpi_fattening *f, uint64_t extra, uint32_t body_count)
{
    const uint32_t steps = f->step - f->all_at;
    const uint64_t cost = extra * (steps < LIFETIME_MOST ? steps : LIFETIME_MOST);
    const uint64_t pass = PASS * (uint64_t)body_count;
    uint32_t reach = f->reach;
    if (reach == 0) {
        f->idle = (f->idle + 1) % IDLE_MOST;
        return f->idle == 0 ? 1 : 0;
    }
    if (cost > pass || (cost > 0 && steps <= 1))
        return reach / 2;
    if (steps <= 1) /* these boxes were tight: they say nothing */
        return reach;
    uint64_t longer = GROWTH * cost;
    for (int k = 0; k < DOUBLINGS && longer < pass && reach < REACH_MOST; k++, longer *= GROWTH)
        reach *= 2;
    return reach;
}

/* Many have left their boxes; or few in each of many steps, and all move, or the tree has become
 * loose. */
static bool is_time_for_all(bvp_broad *broad)
{
    const uint64_t left = broad->left_count, bodies = broad->body_count;
    uint64_t *since = &broad->fattening.left_since;
    if (left > bodies / MANY_SHARE)
        return true;
    if (*since + left <= bodies / ALONE_SHARE)
        return false;
    *since = 0;
    return broad->moved_count > bodies / MOVING_SHARE ||
           bvpi_broad_tree_is_loose(&broad->tree, broad->fat);
}

bvp_status bvpi_broad_renew_near(bvp_broad *broad)
{
    bvpi_fattening *f = &broad->fattening;
    const bool must_sort = !hand_out_lanes(broad);
    bvp_status status;
    if (must_sort || f->is_stale || is_time_for_all(broad)) {
        const uint64_t near = broad->near.count, pairs = broad->pairs.count;
        const uint64_t extra = near > pairs ? near - pairs : 0;
        status = find_all(broad, next_reach(f, extra, broad->body_count), must_sort);
    } else if (broad->left_count > 0) {
        status = find_left(broad);
    } else {
        status = BVP_OK;
    }
    if (status == BVP_ERR_LIMIT) /* perhaps because boxes are fat */
        status = find_all(broad, 0, false);
    return status;
}
