/* SPDX-License-Identifier: MIT
 * coincident.h: where a part and a copy of it that is moved very little are likely to meet.
 */
#ifndef BVPI_QUERY_PAIR_COINCIDENT_H
#define BVPI_QUERY_PAIR_COINCIDENT_H

#include "query/body/placed_body.h"

/* Two runs of triangles to test against each other first. Items are as in pair_queue.h. */
typedef struct bvpi_leaf_pair {
    uint32_t item_a, count_a, item_b, count_b;
} bvpi_leaf_pair;

typedef enum bvpi_copy_side { BVPI_COPY_MIXED, BVPI_COPY_ABOVE, BVPI_COPY_BELOW } bvpi_copy_side;

/* Up to eight triangles, a point near them, and on which side of them their copies lie. */
typedef struct bvpi_copy_leaf {
    uint32_t item, count;
    float at[3];
    bvpi_copy_side side;
} bvpi_copy_leaf;

typedef struct bvpi_coincident {
    const bvpi_placed_part *part;
    float by[12]; /* how the copy moves a point: by (p, 1) */
    unsigned sample, searches;
    bvpi_copy_leaf last; /* sample */
} bvpi_coincident;

/* False: these are not the same part in nearly the same place. */
bool bvpi_coincident_begin(bvpi_coincident *s, const bvpi_placed_part *a, const bvpi_placed_part *b,
                           const bvpi_pose *pose);
/* The next leaves that are likely to touch: how many pairs of them; 0: none. A guess: whatever it
 * says, the query's answer is right. */
unsigned bvpi_coincident_next(bvpi_coincident *s, bvpi_leaf_pair out[2]);

#endif
