/* SPDX-License-Identifier: MIT
 * broad_bodies.c: the bodies of a broad phase: added, moved, removed.
 *
 * These calls note what has changed, and leave the tree and the pairs to bvp_broad_update.
 *
 * Invariants: a slot whose box, seat or layers differ from those of the last update is in `moved`;
 * one whose box is not in its fat box, or whose seat or layers differ, is in `left`; a free slot is
 * in no pair, no near pair and no lane of the tree.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/large_array.h"
#include "base/report.h"
#include "broad/broad.h"

enum { BODIES_MAX = 1 << 28, PAIR_LIMIT = 1 << 26 };

static const double IDENTITY[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

bvp_status bvp_broad_new(const bvp_broad_options *options, bvp_broad **out)
{
    const bvp_broad_options given = options ? *options : (bvp_broad_options){.margin = 0};
    if (out == NULL)
        return BVP_ERR_ARGUMENT;
    *out = NULL;
    if (!(given.margin >= 0 && given.margin <= BVPI_BROAD_FARTHEST) ||
        !bvpi_is_zero(given.reserved, sizeof given.reserved))
        return BVP_ERR_ARGUMENT;
    bvp_broad *broad = calloc(1, sizeof *broad);
    if (broad == NULL)
        return BVP_ERR_NO_MEMORY;
    const bvpi_isa isa = given.baseline_simd ? BVPI_ISA_BASELINE : bvpi_isa_of_cpu();
    broad->kernel = BVPI_ISA_CHOOSE(bvpi_broad_kernel, isa);
    broad->mover = BVPI_ISA_CHOOSE(bvpi_broad_mover, isa);
    broad->fattening.reach = BVPI_BROAD_FIRST_REACH;
    broad->grow = given.margin / 2;
    broad->pair_limit = given.pair_limit != 0 ? given.pair_limit : PAIR_LIMIT;
    broad->free_slot = BVP_NONE;
    *out = broad;
    return BVP_OK;
}

void bvp_broad_free(bvp_broad *broad)
{
    if (broad == NULL)
        return;
    bvpi_broad_tree_free(&broad->tree);
    free(broad->slots);
    free(broad->names);
    free(broad->boxes);
    free(broad->placements);
    free(broad->bounds);
    free(broad->fat);
    free(broad->origins);
    free(broad->flags);
    free(broad->lanes);
    free(broad->moved);
    free(broad->left);
    free(broad->near.items);
    free(broad->keys[0].items);
    free(broad->keys[1].items);
    free(broad->pairs.items);
    free(broad->next.items);
    free(broad->begun.items);
    free(broad->ended.items);
    free(broad);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Makes one of the arrays longer, to `larger` elements. */
static bool lengthen(void *array, uint32_t count, uint32_t larger, size_t size)
{
    void *old, *new = bvpi_allocate(larger, size);
    if (new == NULL)
        return false;
    memcpy(&old, array, sizeof old);
    if (count > 0)
        memcpy(new, old, count * size);
    free(old);
    memcpy(array, &new, sizeof new);
    return true;
}

/* False: out of memory. Arrays that are longer already are harmless. */
static bool make_room(bvp_broad *broad)
{
    if (broad->slot_count < broad->slot_capacity)
        return true;
    const uint32_t count = broad->slot_count;
    const uint32_t larger = broad->slot_capacity + broad->slot_capacity / 2 + 16;
    if (!lengthen(&broad->slots, count, larger, sizeof *broad->slots) ||
        !lengthen(&broad->names, count, larger, sizeof *broad->names) ||
        !lengthen(&broad->boxes, count, larger, sizeof *broad->boxes) ||
        !lengthen(&broad->placements, count, larger, sizeof *broad->placements) ||
        !lengthen(&broad->bounds, count, larger, sizeof *broad->bounds) ||
        !lengthen(&broad->fat, count, larger, sizeof *broad->fat) ||
        !lengthen(&broad->origins, count, larger, sizeof *broad->origins) ||
        !lengthen(&broad->flags, count, larger, sizeof *broad->flags) ||
        !lengthen(&broad->lanes, count, larger, sizeof *broad->lanes) ||
        !lengthen(&broad->moved, count, larger, sizeof *broad->moved) ||
        !lengthen(&broad->left, count, larger, sizeof *broad->left))
        return false;
    broad->slot_capacity = larger;
    return true;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* A body that has been read and placed, before it takes its slot. */
typedef struct newcomer {
    bvp_broad_body given;
    double placement[12]; /* a copy: the caller's may lie in the slots, which may move */
    bvpi_body_bounds own;
    bvpi_bounds world;
} newcomer;

static bvp_status read_body(const bvp_broad *broad, const bvp_broad_body *body, newcomer *out)
{
    bvp_status status = BVP_ERR_ARGUMENT;
    if (broad != NULL && body != NULL)
        status = bvpi_body_bounds_init(&body->body, &out->own);
    if (status == BVP_OK)
        status = bvpi_body_bounds_place(&out->own, body->body.placement, broad->grow, &out->world);
    if (status != BVP_OK)
        return status;
    out->given = *body;
    memcpy(out->placement, body->body.placement != NULL ? body->body.placement : IDENTITY,
           sizeof out->placement);
    return BVP_OK;
}

static void put(bvp_broad *broad, uint32_t slot, const newcomer *newcomer)
{
    broad->slots[slot].given = newcomer->given;
    broad->slots[slot].own = newcomer->own;
    broad->boxes[slot] = newcomer->own.box;
    memcpy(broad->placements[slot], newcomer->placement, sizeof newcomer->placement);
    broad->bounds[slot] = newcomer->world;
    if (!newcomer->own.is_empty)
        bvpi_fat_box_begin(&newcomer->world, broad->fattening.step, &broad->origins[slot],
                           &broad->fat[slot]);
    broad->flags[slot] &= BVPI_BROAD_MOVED | BVPI_BROAD_LEFT;
    if (newcomer->own.is_empty)
        broad->flags[slot] |= BVPI_BROAD_EMPTY;
    if (newcomer->own.has_slack)
        broad->flags[slot] |= BVPI_BROAD_SLACK;
    bvpi_broad_note(broad, slot, BVPI_BROAD_MOVED | BVPI_BROAD_LEFT);
}

bvp_status bvp_broad_add(bvp_broad *broad, const bvp_broad_body *body, bvp_broad_id *id)
{
    newcomer newcomer;
    if (id == NULL)
        return BVP_ERR_ARGUMENT;
    *id = 0;
    const bvp_status status = read_body(broad, body, &newcomer);
    if (status != BVP_OK)
        return status;
    uint32_t slot = broad->free_slot;
    if (slot == BVP_NONE) {
        if (broad->slot_count == BODIES_MAX)
            return BVP_ERR_LIMIT;
        if (!make_room(broad))
            return BVP_ERR_NO_MEMORY;
        slot = broad->slot_count++;
        broad->slots[slot].generation = 1;
        broad->flags[slot] = 0;
        broad->lanes[slot] = BVP_NONE;
    } else {
        broad->free_slot = broad->slots[slot].next_free;
    }
    broad->slots[slot].seat = BVPI_SEAT_TAKEN;
    broad->names[slot] = broad->slots[slot].generation;
    broad->body_count++;
    put(broad, slot, &newcomer);
    *id = bvpi_broad_id_of(broad, slot);
    return BVP_OK;
}

bvp_status bvp_broad_replace(bvp_broad *broad, bvp_broad_id id, const bvp_broad_body *body)
{
    newcomer newcomer;
    const uint32_t slot = bvpi_broad_slot_of(broad, id);
    if (slot == BVP_NONE)
        return BVP_ERR_ARGUMENT;
    const bvp_status status = read_body(broad, body, &newcomer);
    if (status == BVP_OK)
        put(broad, slot, &newcomer);
    return status;
}

/* Of any body, by any placement. */
static bvp_status move_one(bvp_broad *broad, bvp_broad_id id, const double placement[12])
{
    const uint32_t slot = bvpi_broad_slot_of(broad, id);
    if (slot == BVP_NONE)
        return BVP_ERR_ARGUMENT;
    bvpi_bounds world;
    const bvp_status status =
        bvpi_body_bounds_place(&broad->slots[slot].own, placement, broad->grow, &world);
    if (status != BVP_OK)
        return status;
    memmove(broad->placements[slot], placement, sizeof broad->placements[slot]);
    broad->bounds[slot] = world;
    bvpi_broad_note(broad, slot, BVPI_BROAD_MOVED | BVPI_BROAD_LEFT);
    return BVP_OK;
}

bvp_status bvp_broad_move(bvp_broad *broad, bvp_broad_id id, const double placement[12])
{
    const double *at = placement != NULL ? placement : IDENTITY;
    uint64_t moved;
    return bvp_broad_move_all(broad, &id, (const double(*)[12])at, 1, &moved);
}

bvp_status bvp_broad_move_all(bvp_broad *broad, const bvp_broad_id *ids,
                              const double (*placements)[12], uint64_t count, uint64_t *moved)
{
    bvp_status status = BVP_OK;
    if (moved == NULL)
        return BVP_ERR_ARGUMENT;
    *moved = 0;
    if (broad == NULL || ((ids == NULL || placements == NULL) && count != 0))
        return BVP_ERR_ARGUMENT;
    while (*moved < count && status == BVP_OK) {
        *moved += broad->mover->move(broad, ids + *moved, placements + *moved, count - *moved);
        if (*moved == count)
            break;
        status = move_one(broad, ids[*moved], placements[*moved]);
        *moved += status == BVP_OK;
    }
    return status;
}

bvp_status bvp_broad_remove(bvp_broad *broad, bvp_broad_id id)
{
    const uint32_t slot = bvpi_broad_slot_of(broad, id);
    if (slot == BVP_NONE)
        return BVP_ERR_ARGUMENT;
    broad->slots[slot].seat = BVPI_SEAT_REMOVED;
    broad->names[slot] = 0;
    broad->body_count--;
    bvpi_broad_note(broad, slot, BVPI_BROAD_MOVED | BVPI_BROAD_LEFT);
    return BVP_OK;
}

bvp_status bvp_broad_get(const bvp_broad *broad, bvp_broad_id id, bvp_broad_body *out)
{
    const uint32_t slot = bvpi_broad_slot_of(broad, id);
    if (slot == BVP_NONE || out == NULL)
        return BVP_ERR_ARGUMENT;
    *out = broad->slots[slot].given;
    const double *placement = broad->placements[slot];
    out->body.placement = memcmp(placement, IDENTITY, sizeof IDENTITY) != 0 ? placement : NULL;
    return BVP_OK;
}

bvp_status bvp_broad_box(const bvp_broad *broad, bvp_broad_id id, double lo[3], double hi[3])
{
    const uint32_t slot = bvpi_broad_slot_of(broad, id);
    if (slot == BVP_NONE || lo == NULL || hi == NULL)
        return BVP_ERR_ARGUMENT;
    memcpy(lo, broad->bounds[slot].lo, sizeof broad->bounds[slot].lo);
    memcpy(hi, broad->bounds[slot].hi, sizeof broad->bounds[slot].hi);
    return BVP_OK;
}
