/* SPDX-License-Identifier: MIT
 * broad_bodies.c: the bodies of a broad phase: added, moved, removed.
 *
 * These calls note what has changed, and leave the tree and the pairs to bvp_broad_update.
 *
 * Invariants: a slot whose box, seat or layers differ from those of the last update is in
 * `changed`; a free slot is in no pair and in no lane of the tree.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_array.h"
#include "broad/broad.h"

enum { BODIES_MAX = 1 << 28, PAIR_LIMIT = 1 << 26 };

bvp_status bvp_broad_new(const bvp_broad_options *options, bvp_broad **out)
{
    const bvp_broad_options given = options ? *options : (bvp_broad_options){.margin = 0};
    if (out == NULL)
        return BVP_ERR_ARGUMENT;
    *out = NULL;
    if (!(given.margin >= 0 && given.margin <= BVPI_BROAD_FARTHEST))
        return BVP_ERR_ARGUMENT;
    bvp_broad *broad = calloc(1, sizeof *broad);
    if (broad == NULL)
        return BVP_ERR_NO_MEMORY;
    const bvpi_isa isa = given.baseline_simd ? BVPI_ISA_BASELINE : bvpi_isa_of_cpu();
    broad->kernel = BVPI_ISA_CHOOSE(bvpi_broad_kernel, isa);
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
    free(broad->bounds);
    free(broad->lanes);
    free(broad->is_changed);
    free(broad->changed);
    free(broad->keys[0].items);
    free(broad->keys[1].items);
    free(broad->pairs.items);
    free(broad->next.items);
    free(broad->begun.items);
    free(broad->ended.items);
    free(broad);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Makes one of the arrays longer, to `count` elements. */
static bool lengthen(void *array, uint32_t count, size_t size)
{
    uint64_t none = 0;
    return bvpi_grow(array, &none, count, size);
}

/* False: out of memory. Arrays that are longer already are harmless. */
static bool make_room(bvp_broad *broad)
{
    if (broad->slot_count < broad->slot_capacity)
        return true;
    const uint32_t larger = broad->slot_capacity + broad->slot_capacity / 2 + 16;
    if (!lengthen(&broad->slots, larger, sizeof *broad->slots) ||
        !lengthen(&broad->bounds, larger, sizeof *broad->bounds) ||
        !lengthen(&broad->lanes, larger, sizeof *broad->lanes) ||
        !lengthen(&broad->is_changed, larger, sizeof *broad->is_changed) ||
        !lengthen(&broad->changed, larger, sizeof *broad->changed))
        return false;
    broad->slot_capacity = larger;
    return true;
}

static void note_change(bvp_broad *broad, uint32_t slot)
{
    if (broad->is_changed[slot])
        return;
    assert(broad->changed_count < broad->slot_count);
    broad->is_changed[slot] = 1;
    broad->changed[broad->changed_count++] = slot;
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
    if (body->body.placement != NULL) {
        memcpy(out->placement, body->body.placement, sizeof out->placement);
        out->given.body.placement = out->placement;
    }
    return BVP_OK;
}

static void set_placement(bvpi_broad_slot *at, const double *placement)
{
    at->given.body.placement = NULL;
    if (placement == NULL)
        return;
    memmove(at->placement, placement, sizeof at->placement); /* they may be the same */
    at->given.body.placement = at->placement;
}

static void put(bvp_broad *broad, uint32_t slot, const newcomer *newcomer)
{
    bvpi_broad_slot *at = &broad->slots[slot];
    at->given = newcomer->given;
    set_placement(at, newcomer->given.body.placement);
    at->bounds = newcomer->own;
    broad->bounds[slot] = newcomer->world;
    note_change(broad, slot);
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
        broad->is_changed[slot] = 0;
        broad->lanes[slot] = BVP_NONE;
    } else {
        broad->free_slot = broad->slots[slot].next_free;
    }
    broad->slots[slot].seat = BVPI_SEAT_TAKEN;
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

bvp_status bvp_broad_move(bvp_broad *broad, bvp_broad_id id, const double placement[12])
{
    const uint32_t slot = bvpi_broad_slot_of(broad, id);
    if (slot == BVP_NONE)
        return BVP_ERR_ARGUMENT;
    bvpi_broad_slot *at = &broad->slots[slot];
    bvpi_bounds world;
    const bvp_status status = bvpi_body_bounds_place(&at->bounds, placement, broad->grow, &world);
    if (status != BVP_OK)
        return status;
    set_placement(at, placement);
    broad->bounds[slot] = world;
    note_change(broad, slot);
    return BVP_OK;
}

bvp_status bvp_broad_remove(bvp_broad *broad, bvp_broad_id id)
{
    const uint32_t slot = bvpi_broad_slot_of(broad, id);
    if (slot == BVP_NONE)
        return BVP_ERR_ARGUMENT;
    broad->slots[slot].seat = BVPI_SEAT_REMOVED;
    broad->body_count--;
    note_change(broad, slot);
    return BVP_OK;
}

bvp_status bvp_broad_get(const bvp_broad *broad, bvp_broad_id id, bvp_broad_body *out)
{
    const uint32_t slot = bvpi_broad_slot_of(broad, id);
    if (slot == BVP_NONE || out == NULL)
        return BVP_ERR_ARGUMENT;
    *out = broad->slots[slot].given;
    if (out->body.placement != NULL) /* the slots may have moved since */
        out->body.placement = broad->slots[slot].placement;
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
