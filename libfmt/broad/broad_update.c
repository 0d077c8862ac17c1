/* SPDX-License-Identifier: MIT
 * broad_update.c: the pairs of a broad phase, and what has changed about them.
 *
 * Few bodies have changed: their lanes and the boxes above are written, and each of them is
 * searched for in the tree. Many: all boxes are written, and all pairs are found at once, which
 * costs less for each body. Boxes in the tree are floats; each pair that is found there is compared
 * in double.
 *
 * Then the sorted old pairs and the sorted found ones are merged. An old pair that was not found
 * has ended if one of its bodies has changed; otherwise nobody looked for it. So the pairs are
 * those of the boxes as they are, whatever was looked for.
 *
 * All memory is taken before anything is committed: after a failure the pairs are the old ones, and
 * what has changed is still noted.
 *
 * Slow twin: all pairs of boxes by brute force, tests/property/test_broad.c.
 * Measured: decisions.md, "Many moving bodies"
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_array.h"
#include "broad/broad.h"

/* One of so many bodies has changed: find all pairs. */
enum { MANY_SHARE = 16 };

/* ---- the tree -------------------------------------------------------------------------------- */

/* Does the slot belong in the tree? */
static bool has_box(const bvp_broad *broad, uint32_t slot)
{
    return broad->slots[slot].seat == BVPI_SEAT_TAKEN && !broad->slots[slot].bounds.is_empty;
}

/* Gives lanes to bodies that have come, and takes them from those that have gone. False: there are
 * not enough. */
static bool hand_out_lanes(bvp_broad *broad)
{
    bvpi_broad_tree *tree = &broad->tree;
    if (tree->level_count == 0)
        return false;
    for (uint32_t k = 0; k < broad->changed_count; k++) {
        const uint32_t slot = broad->changed[k], lane = broad->lanes[slot];
        const bool has = has_box(broad, slot);
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

static bool sort_bodies(bvp_broad *broad)
{
    bvpi_keys *slots = &broad->keys[1];
    if (!bvpi_grow(&slots->items, &slots->capacity, broad->body_count, sizeof *slots->items))
        return false;
    slots->count = 0;
    for (uint32_t slot = 0; slot < broad->slot_count; slot++)
        if (has_box(broad, slot))
            slots->items[slots->count++] = slot;
    if (!bvpi_broad_tree_sort(&broad->tree, broad->bounds, broad->lanes, broad->keys))
        return false;
    for (uint32_t k = 0; k < broad->changed_count; k++)
        if (!has_box(broad, broad->changed[k]))
            broad->lanes[broad->changed[k]] = BVP_NONE;
    return true;
}

static void write_all(bvp_broad *broad)
{
    bvpi_broad_tree_fill(&broad->tree, broad->bounds);
    broad->kernel->fit(&broad->tree);
}

static void write_changed(bvp_broad *broad)
{
    for (uint32_t k = 0; k < broad->changed_count; k++) {
        const uint32_t slot = broad->changed[k], lane = broad->lanes[slot];
        if (lane == BVP_NONE)
            continue;
        bvpi_broad_tree_set(&broad->tree, lane, &broad->bounds[slot]);
        broad->kernel->refit(&broad->tree, lane / 8);
    }
}

static bool changed_are_many(const bvp_broad *broad)
{
    return broad->changed_count > broad->body_count / MANY_SHARE;
}

/* Makes the tree that of the bodies as they are. False: out of memory. */
static bool renew_tree(bvp_broad *broad)
{
    bool is_sorted = false;
    if (!hand_out_lanes(broad)) {
        is_sorted = true;
        if (!sort_bodies(broad))
            return false;
    }
    if (is_sorted || changed_are_many(broad))
        write_all(broad);
    else
        write_changed(broad);
    broad->moved += broad->changed_count;
    if (!is_sorted && broad->moved > broad->body_count / MANY_SHARE) {
        broad->moved = 0;
        is_sorted = bvpi_broad_tree_is_loose(&broad->tree);
        if (is_sorted && !sort_bodies(broad))
            return false;
        if (is_sorted)
            write_all(broad);
    }
    if (is_sorted)
        bvpi_broad_tree_note_sizes(&broad->tree);
    return true;
}

/* ---- finding pairs --------------------------------------------------------------------------- */

static bool is_pair(const bvp_broad *broad, uint32_t a, uint32_t b)
{
    const bvp_broad_body *of_a = &broad->slots[a].given, *of_b = &broad->slots[b].given;
    return bvpi_bounds_meet(&broad->bounds[a], &broad->bounds[b]) &&
           (of_a->layers & of_b->ignores) == 0 && (of_b->layers & of_a->ignores) == 0;
}

/* The pairs of one body, but for those with a body before it that has changed too. */
static bvp_status find_pairs_of(bvp_broad *broad, uint32_t slot)
{
    const bvpi_broad_tree *tree = &broad->tree;
    const bvpi_bounds *bounds = &broad->bounds[slot];
    bvpi_keys *found = &broad->keys[0];
    bvpi_broad_search search;
    uint32_t group;
    unsigned lanes;
    bvpi_broad_search_init(tree, bounds->lo, bounds->hi, &search);
    while ((lanes = broad->kernel->next(tree, &search, &group)) != 0) {
        if (!bvpi_grow(&found->items, &found->capacity, found->count + 8, sizeof *found->items))
            return BVP_ERR_NO_MEMORY;
        for (; lanes != 0; lanes &= lanes - 1) {
            const uint32_t other = tree->slots[8 * group + (uint32_t)__builtin_ctz(lanes)];
            if (other == slot || (broad->is_changed[other] && other < slot))
                continue;
            if (found->count == broad->pair_limit)
                return BVP_ERR_LIMIT;
            found->items[found->count++] = bvpi_pair_key(slot, other);
        }
    }
    return BVP_OK;
}

/* keys[0]: pairs of bodies of which one has changed at least, sorted. */
static bvp_status find_pairs(bvp_broad *broad)
{
    bvpi_keys *found = &broad->keys[0], *scratch = &broad->keys[1];
    bvp_status status = BVP_OK;
    found->count = 0;
    if (changed_are_many(broad))
        status = broad->kernel->pairs(&broad->tree, broad->pair_limit, found);
    else
        for (uint32_t k = 0; k < broad->changed_count && status == BVP_OK; k++)
            if (has_box(broad, broad->changed[k]))
                status = find_pairs_of(broad, broad->changed[k]);
    if (status != BVP_OK)
        return status;
    uint64_t kept = 0;
    for (uint64_t k = 0; k < found->count; k++) {
        const uint64_t key = found->items[k];
        found->items[kept] = key;
        kept += is_pair(broad, (uint32_t)(key >> 32), (uint32_t)key);
    }
    found->count = kept;
    if (!bvpi_grow(&scratch->items, &scratch->capacity, kept, sizeof *scratch->items))
        return BVP_ERR_NO_MEMORY;
    bvpi_sort_keys(found->items, kept, 0, scratch->items);
    return BVP_OK;
}

/* ---- changes --------------------------------------------------------------------------------- */

static bool reserve(bvpi_pair_list *list, uint64_t count)
{
    list->count = 0;
    return bvpi_grow(&list->items, &list->capacity, count, sizeof *list->items);
}

static void append(bvpi_pair_list *list, bvp_broad_pair pair)
{
    assert(list->count < list->capacity);
    list->items[list->count++] = pair;
}

/* Old and found pairs, both ascending, into `next`, `begun` and `ended`. An old pair's slots are
 * not free yet, so their ids are those under which it began. */
static void merge(bvp_broad *broad)
{
    const bvpi_keys *found = &broad->keys[0];
    uint64_t k = 0;
    for (uint64_t i = 0; i < broad->pairs.count || k < found->count;) {
        const bool is_old = i < broad->pairs.count;
        const bvp_broad_pair old = is_old ? broad->pairs.items[i] : (bvp_broad_pair){0, 0};
        const uint32_t old_a = (uint32_t)(old.a >> 32), old_b = (uint32_t)(old.b >> 32);
        const uint64_t old_key = is_old ? bvpi_pair_key(old_a, old_b) : UINT64_MAX;
        const uint64_t key = k < found->count ? found->items[k] : UINT64_MAX;
        if (key < old_key) {
            const bvp_broad_pair pair = {bvpi_broad_id_of(broad, (uint32_t)(key >> 32)),
                                         bvpi_broad_id_of(broad, (uint32_t)key)};
            append(&broad->next, pair);
            append(&broad->begun, pair);
            k++;
            continue;
        }
        i++;
        k += key == old_key;
        if (key == old_key || !(broad->is_changed[old_a] || broad->is_changed[old_b]))
            append(&broad->next, old);
        else
            append(&broad->ended, old);
    }
}

/* Nothing is pending any more; slots of removed bodies become free, unless their generations are
 * used up. */
static void settle(bvp_broad *broad)
{
    for (uint32_t k = 0; k < broad->changed_count; k++) {
        const uint32_t slot = broad->changed[k];
        bvpi_broad_slot *at = &broad->slots[slot];
        broad->is_changed[slot] = 0;
        if (at->seat != BVPI_SEAT_REMOVED)
            continue;
        at->seat = BVPI_SEAT_FREE;
        if (at->generation == UINT32_MAX)
            continue;
        at->generation++;
        at->next_free = broad->free_slot;
        broad->free_slot = slot;
    }
    broad->changed_count = 0;
}

bvp_status bvp_broad_update(bvp_broad *broad, bvp_broad_changes *changes)
{
    if (changes != NULL)
        memset(changes, 0, sizeof *changes);
    if (broad == NULL)
        return BVP_ERR_ARGUMENT;
    if (!renew_tree(broad))
        return BVP_ERR_NO_MEMORY;
    const bvp_status status = find_pairs(broad);
    if (status != BVP_OK)
        return status;
    if (!reserve(&broad->next, broad->pairs.count + broad->keys[0].count) ||
        !reserve(&broad->begun, broad->keys[0].count) ||
        !reserve(&broad->ended, broad->pairs.count))
        return BVP_ERR_NO_MEMORY;
    merge(broad);
    const bvpi_pair_list old = broad->pairs;
    broad->pairs = broad->next;
    broad->next = old;
    settle(broad);
    if (changes != NULL)
        *changes = (bvp_broad_changes){broad->begun.items, broad->ended.items, broad->begun.count,
                                       broad->ended.count};
    return BVP_OK;
}

bvp_status bvp_broad_pairs(const bvp_broad *broad, const bvp_broad_pair **pairs, uint64_t *count)
{
    if (broad == NULL || pairs == NULL || count == NULL)
        return BVP_ERR_ARGUMENT;
    *pairs = broad->pairs.items;
    *count = broad->pairs.count;
    return BVP_OK;
}
