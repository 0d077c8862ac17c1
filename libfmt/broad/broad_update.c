/* SPDX-License-Identifier: MIT
 * broad_update.c: the pairs of a broad phase, and what has changed about them.
 *
 * Pairs are those near pairs whose boxes meet, in double. Near pairs and old pairs are both sorted,
 * and are merged: a near pair of which a body has moved is looked at, any other is a pair if it was
 * one. An old pair that is not near has ended.
 *
 * All memory is taken before anything is committed: after a failure the pairs are the old ones, and
 * what has changed is still noted.
 *
 * Slow twin: all pairs of boxes by brute force, tests/property/test_broad.c.
 * Measured: decisions.md, "Many moving bodies"
 */
#include <assert.h>
#include <string.h>

#include "base/growing_array.h"
#include "broad/broad.h"

enum { RUN_SHARE = 8 }; /* flags of one in so many have changed: all are written in a run */

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

static bool has_moved(const bvp_broad *broad, uint32_t slot)
{
    return (broad->flags[slot] & BVPI_BROAD_MOVED) != 0;
}

/* The key of a pair, or more than any where there is none. */
static uint64_t key_of(const bvpi_pair_list *pairs, uint64_t k)
{
    if (k == pairs->count)
        return UINT64_MAX;
    return bvpi_pair_key((uint32_t)(pairs->items[k].a >> 32), (uint32_t)(pairs->items[k].b >> 32));
}

/* Old and near pairs, both ascending, into `next`, `begun` and `ended`. An old pair's slots are
 * not free yet, so their ids are those under which it began. */
static void merge(bvp_broad *broad)
{
    const bvpi_keys *near = &broad->near;
    const bvpi_pair_list *old = &broad->pairs;
    uint64_t i = 0, old_key = key_of(old, 0);
    for (uint64_t k = 0; k < near->count; k++) {
        const uint64_t key = near->items[k];
        const uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
        for (; old_key < key; old_key = key_of(old, ++i))
            append(&broad->ended, old->items[i]);
        const bool was = old_key == key;
        const bool is = has_moved(broad, a) || has_moved(broad, b)
                            ? bvpi_bounds_meet(&broad->bounds[a], &broad->bounds[b])
                            : was;
        if (!is && !was)
            continue;
        const bvp_broad_pair pair =
            was ? old->items[i]
                : (bvp_broad_pair){bvpi_broad_id_of(broad, a), bvpi_broad_id_of(broad, b)};
        if (is)
            append(&broad->next, pair);
        if (is != was)
            append(is ? &broad->begun : &broad->ended, pair);
        if (was)
            old_key = key_of(old, ++i);
    }
    for (; i < old->count; i++)
        append(&broad->ended, old->items[i]);
}

/* Takes all others from all flags, eight bodies at once. */
static void keep_flags(uint8_t *flags, uint32_t count, uint8_t kept)
{
    const uint64_t of_all = UINT64_C(0x0101010101010101) * kept;
    uint32_t slot = 0;
    for (; slot + 8 <= count; slot += 8) {
        uint64_t of_eight;
        memcpy(&of_eight, flags + slot, sizeof of_eight);
        of_eight &= of_all;
        memcpy(flags + slot, &of_eight, sizeof of_eight);
    }
    for (; slot < count; slot++)
        flags[slot] &= kept;
}

/* Nothing is pending any more; slots of removed bodies become free, unless their generations are
 * used up. */
static void settle(bvp_broad *broad)
{
    const uint8_t kept = BVPI_BROAD_EMPTY | BVPI_BROAD_SLACK;
    if (broad->moved_count > broad->slot_count / RUN_SHARE)
        keep_flags(broad->flags, broad->slot_count, kept);
    else
        for (uint32_t k = 0; k < broad->moved_count; k++)
            broad->flags[broad->moved[k]] &= kept;
    for (uint32_t k = 0; k < broad->left_count; k++) {
        const uint32_t slot = broad->left[k];
        bvpi_broad_slot *at = &broad->slots[slot];
        if (at->seat != BVPI_SEAT_REMOVED)
            continue;
        at->seat = BVPI_SEAT_FREE;
        if (at->generation == UINT32_MAX)
            continue;
        at->generation++;
        at->next_free = broad->free_slot;
        broad->free_slot = slot;
    }
    broad->moved_count = broad->left_count = 0;
    broad->fattening.step++;
}

bvp_status bvp_broad_update(bvp_broad *broad, bvp_broad_changes *changes)
{
    if (changes != NULL)
        memset(changes, 0, sizeof *changes);
    if (broad == NULL)
        return BVP_ERR_ARGUMENT;
    const bvp_status status = bvpi_broad_renew_near(broad);
    if (status != BVP_OK)
        return status;
    if (!reserve(&broad->next, broad->near.count) || !reserve(&broad->begun, broad->near.count) ||
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
