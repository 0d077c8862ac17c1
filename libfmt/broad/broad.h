/* SPDX-License-Identifier: MIT
 * broad.h: a broad phase in memory.
 */
#ifndef BVPI_BROAD_BROAD_H
#define BVPI_BROAD_BROAD_H

#include "broad/body_bounds.h"
#include "broad/broad_tree.h"
#include "broad/fat_box.h"
#include "bvpack_broad.h"

/* What is done with one body or all, compiled for each instruction set. */
typedef struct bvpi_broad_mover {
    /* Moves bodies in turn; stops at one whose id or placement does not please at first sight, and
     * returns how many it has moved. */
    uint64_t (*move)(bvp_broad *broad, const bvp_broad_id *ids, const double (*placements)[12],
                     uint64_t count);
    /* Makes the fat boxes of all bodies that have boxes. */
    void (*fatten_all)(bvp_broad *broad, uint32_t reach);
} bvpi_broad_mover;
extern const bvpi_broad_mover bvpi_broad_mover_base, bvpi_broad_mover_avx2;

/* Who is at a slot. A removed body keeps its slot until the next update has ended its pairs. */
typedef enum bvpi_seat { BVPI_SEAT_FREE = 0, BVPI_SEAT_TAKEN, BVPI_SEAT_REMOVED } bvpi_seat;

/* What is rarely looked at of a slot. Its id is (slot << 32) + generation; the generation is never
 * 0. */
typedef struct bvpi_broad_slot {
    bvp_broad_body given; /* but for its placement */
    bvpi_body_bounds own;
    bvpi_seat seat;
    uint32_t generation;
    uint32_t next_free; /* FREE: the next free slot, or BVP_NONE */
} bvpi_broad_slot;

typedef struct bvpi_pair_list {
    bvp_broad_pair *items;
    uint64_t count, capacity;
} bvpi_pair_list;

/* What has happened to a body since the last update. MOVED: its slot is in `moved`, once. LEFT: it
 * has left its fat box, or come, or gone, or become another one; its slot is in `left`, once. The
 * others are of the body: it has nothing to bound; it has slack. */
enum { BVPI_BROAD_MOVED = 1, BVPI_BROAD_LEFT = 2, BVPI_BROAD_EMPTY = 4, BVPI_BROAD_SLACK = 8 };

/* When all fat boxes are made anew, and how fat. */
typedef struct bvpi_fattening {
    uint32_t step;       /* number of updates */
    uint32_t all_at;     /* when all were made */
    uint32_t reach;      /* a box may move on for so many steps */
    uint32_t idle;       /* how often `reach` has been 0 when all were made */
    uint64_t left_since; /* boxes that were made alone since then */
    bool is_stale;       /* all boxes were made, but `near` is not yet of them */
} bvpi_fattening;

enum { BVPI_BROAD_FIRST_REACH = 4 };

/* Arrays with an element for each slot have room for slot_capacity; what every move reads is apart
 * from what it does not. */
struct bvp_broad {
    const bvpi_broad_kernel *kernel;
    const bvpi_broad_mover *mover;
    double grow; /* half the margin */
    uint64_t pair_limit;
    bvpi_broad_slot *slots;
    uint32_t *names;      /* the generation of a body that is in, or 0 */
    bvpi_body_box *boxes; /* copies of the bodies' own */
    double (*placements)[12];
    bvpi_bounds *bounds; /* in the world; lo > hi without instances */
    bvpi_fat_box *fat;
    bvpi_fat_origin *origins; /* of the fat boxes */
    uint8_t *flags;
    uint32_t *lanes; /* in the tree, or BVP_NONE */
    uint32_t *moved, *left;
    uint32_t slot_capacity, slot_count, free_slot, body_count, moved_count, left_count;
    bvpi_broad_tree tree; /* of the fat boxes */
    bvpi_keys near;       /* pairs of slots whose fat boxes meet, sorted */
    bvpi_fattening fattening;
    bvpi_keys keys[2];                        /* keys[0]: what a search has found */
    bvpi_pair_list pairs, next, begun, ended; /* next: what `pairs` will be */
};

/* The slot of a body that is in, or BVP_NONE. */
static inline uint32_t bvpi_broad_slot_of(const bvp_broad *broad, bvp_broad_id id)
{
    const uint32_t slot = (uint32_t)(id >> 32), name = (uint32_t)id;
    return broad != NULL && slot < broad->slot_count && name != 0 && broad->names[slot] == name
               ? slot
               : BVP_NONE;
}

static inline bvp_broad_id bvpi_broad_id_of(const bvp_broad *broad, uint32_t slot)
{
    return (uint64_t)slot << 32 | broad->slots[slot].generation;
}

/* Does the slot belong in the tree? */
static inline bool bvpi_broad_has_box(const bvp_broad *broad, uint32_t slot)
{
    return broad->names[slot] != 0 && (broad->flags[slot] & BVPI_BROAD_EMPTY) == 0;
}

/* Adds flags to a slot's, and the slot to their lists. */
static inline void bvpi_broad_note(bvp_broad *broad, uint32_t slot, unsigned flags)
{
    const unsigned is = broad->flags[slot], new = flags & ~is;
    if (new == 0)
        return;
    if (new &BVPI_BROAD_MOVED)
        broad->moved[broad->moved_count++] = slot;
    if (new &BVPI_BROAD_LEFT)
        broad->left[broad->left_count++] = slot;
    broad->flags[slot] = (uint8_t)(is | new);
}

/* Makes fat boxes, tree and near pairs hold for the bodies as they are. BVP_ERR_NO_MEMORY,
 * BVP_ERR_LIMIT: it may be called again. */
bvp_status bvpi_broad_renew_near(bvp_broad *broad);

static inline bool bvpi_bounds_meet(const bvpi_bounds *a, const bvpi_bounds *b)
{
    bool meet = true;
    for (int axis = 0; axis < 3; axis++)
        meet = meet && a->lo[axis] <= b->hi[axis] && b->lo[axis] <= a->hi[axis];
    return meet;
}

#endif
