/* SPDX-License-Identifier: MIT
 * broad_tree.h: a tree of width eight over the boxes of bodies, without pointers.
 */
#ifndef BVPI_BROAD_BROAD_TREE_H
#define BVPI_BROAD_BROAD_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/isa.h"
#include "broad/fat_box.h"
#include "broad/key_sort.h"
#include "bvpack.h"

/* Eight boxes. A lane without a box: lo is +infinity, hi -infinity,
 * which meets no box whose ends are finite. */
typedef struct bvpi_group {
    float lo[3][8], hi[3][8];
} bvpi_group;

enum { BVPI_BROAD_LEVELS = 11, BVPI_BROAD_STACK = 7 * BVPI_BROAD_LEVELS + 1 };

/* Level 0 holds the bodies, a lane each; lane j of group i on level k + 1 is the box of group
 * 8 i + j on level k. The last level is one group. */
typedef struct bvpi_broad_tree {
    bvpi_group *groups; /* level by level */
    uint64_t group_capacity;
    float *sizes; /* of each group on level 0: its size when it was sorted */
    uint64_t size_capacity;
    uint32_t *slots; /* of each lane on level 0: the body, or BVP_NONE */
    uint64_t lane_capacity;
    uint32_t level_count; /* 0: nothing has been sorted yet */
    uint32_t first[BVPI_BROAD_LEVELS], count[BVPI_BROAD_LEVELS]; /* groups of each level */
    uint32_t used; /* lanes that have been given out; those after them are spare */
} bvpi_broad_tree;

/* A search for what meets a box. */
typedef struct bvpi_broad_search {
    float lo[3], hi[3]; /* finite */
    uint32_t waiting;
    struct {
        uint32_t level, group;
    } stack[BVPI_BROAD_STACK];
} bvpi_broad_search;

typedef struct bvpi_broad_kernel {
    /* Writes the boxes of all bodies into level 0; boxes: of all slots. */
    void (*fill)(bvpi_broad_tree *tree, const bvpi_fat_box *boxes);
    /* Makes all levels above the bodies. */
    void (*fit)(bvpi_broad_tree *tree);
    /* The same above one group on level 0, of which lanes have changed. */
    void (*refit)(bvpi_broad_tree *tree, uint32_t group);
    /* Goes on to the next group on level 0 with boxes that meet; returns their lanes, or 0 at the
     * end. */
    unsigned (*next)(const bvpi_broad_tree *tree, bvpi_broad_search *search, uint32_t *group);
    /* Appends all pairs of bodies whose boxes meet: slots, each pair once, in any order.
     * BVP_ERR_NO_MEMORY; BVP_ERR_LIMIT: more than `limit`. */
    bvp_status (*pairs)(const bvpi_broad_tree *tree, uint64_t limit, bvpi_keys *out);
} bvpi_broad_kernel;
extern const bvpi_broad_kernel bvpi_broad_kernel_base, bvpi_broad_kernel_avx2;

/* Two bodies as a key: the smaller slot first. */
static inline uint64_t bvpi_pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* Puts bodies into a new order. keys[1]: their slots, in any order; both are used up. boxes: of
 * all slots. lanes: of all slots, is set for these. The levels above are not made. False: out of
 * memory, and nothing has changed. */
bool bvpi_broad_tree_sort(bvpi_broad_tree *tree, const bvpi_fat_box *boxes, uint32_t *lanes,
                          bvpi_keys keys[2]);

/* Writes one lane; box: NULL: the lane becomes empty. */
void bvpi_broad_tree_set(bvpi_broad_tree *tree, uint32_t lane, const bvpi_fat_box *box);

/* Notes the size of each group. */
void bvpi_broad_tree_note_sizes(bvpi_broad_tree *tree);
/* Are so many groups, with their bodies' boxes as they are now, so much larger than when they were
 * sorted that sorting again pays? Looks at some of them. */
bool bvpi_broad_tree_is_loose(const bvpi_broad_tree *tree, const bvpi_fat_box *boxes);

/* Begins a search for a box, which is finite. */
void bvpi_broad_search_init(const bvpi_broad_tree *tree, const float lo[3], const float hi[3],
                            bvpi_broad_search *search);

void bvpi_broad_tree_free(bvpi_broad_tree *tree);

#endif
