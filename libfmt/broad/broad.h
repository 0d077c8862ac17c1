/* SPDX-License-Identifier: MIT
 * broad.h: a broad phase in memory.
 */
#ifndef BVPI_BROAD_BROAD_H
#define BVPI_BROAD_BROAD_H

#include "broad/body_bounds.h"
#include "broad/broad_tree.h"
#include "bvpack_broad.h"

/* Who is at a slot. A removed body keeps its slot until the next update has ended its pairs. */
typedef enum bvpi_seat { BVPI_SEAT_FREE = 0, BVPI_SEAT_TAKEN, BVPI_SEAT_REMOVED } bvpi_seat;

/* A slot. Its id is (slot << 32) + generation; the generation is never 0. */
typedef struct bvpi_broad_slot {
    bvp_broad_body given; /* its placement: `placement`, or NULL */
    double placement[12];
    bvpi_body_bounds bounds;
    bvpi_seat seat;
    uint32_t generation;
    uint32_t next_free; /* FREE: the next free slot, or BVP_NONE */
} bvpi_broad_slot;

typedef struct bvpi_pair_list {
    bvp_broad_pair *items;
    uint64_t count, capacity;
} bvpi_pair_list;

/* Arrays with an element for each slot have room for slot_capacity. */
struct bvp_broad {
    const bvpi_broad_kernel *kernel;
    double grow; /* half the margin */
    uint64_t pair_limit;
    bvpi_broad_slot *slots;
    bvpi_bounds *bounds; /* in the world; lo > hi without a body or instances */
    uint32_t *lanes;     /* in the tree, or BVP_NONE */
    uint8_t *is_changed; /* since the last update; its slot is then in `changed`, once */
    uint32_t *changed;
    uint32_t slot_capacity, slot_count, free_slot, body_count, changed_count;
    uint64_t moved; /* boxes refitted since the groups' sizes were looked at */
    bvpi_broad_tree tree;
    bvpi_keys keys[2];                        /* keys[0]: the pairs that were found */
    bvpi_pair_list pairs, next, begun, ended; /* next: what `pairs` will be */
};

/* The slot of a body that is in, or BVP_NONE. */
static inline uint32_t bvpi_broad_slot_of(const bvp_broad *broad, bvp_broad_id id)
{
    const uint32_t slot = (uint32_t)(id >> 32);
    return broad != NULL && slot < broad->slot_count &&
                   broad->slots[slot].seat == BVPI_SEAT_TAKEN &&
                   broad->slots[slot].generation == (uint32_t)id
               ? slot
               : BVP_NONE;
}

static inline bvp_broad_id bvpi_broad_id_of(const bvp_broad *broad, uint32_t slot)
{
    return (uint64_t)slot << 32 | broad->slots[slot].generation;
}

static inline bool bvpi_bounds_meet(const bvpi_bounds *a, const bvpi_bounds *b)
{
    bool meet = true;
    for (int axis = 0; axis < 3; axis++)
        meet = meet && a->lo[axis] <= b->hi[axis] && b->lo[axis] <= a->hi[axis];
    return meet;
}

#endif
