/* SPDX-License-Identifier: MIT
 * move_cover.h: which moves of a leave it in b, by balls and boxes inside both.
 * Spec: exactness.md, chapter 12, "Penetration"
 */
#ifndef BVPI_CLASH_MOVE_COVER_H
#define BVPI_CLASH_MOVE_COVER_H

#include "clash/inner_box.h"

/* How many balls and boxes of a body are kept. */
enum { BVPI_COVER_MOST = 64 };

typedef struct bvpi_box_set {
    unsigned count;
    bvpi_inner_box box[BVPI_COVER_MOST];
} bvpi_box_set;

/* Moves after which one of a and one of b overlap: a convex body about `centre`. */
typedef struct bvpi_move_set {
    double centre[3];
    double radius; /* INFINITY: what is within far[k] of the centre along normal k, both ways. Else:
                      the points within the radius of the box of the first three normals */
    double normal[3][16], far[16];
} bvpi_move_set;

/* A cube of moves. */
typedef struct bvpi_move_cell {
    double key; /* the length of its shortest move, at most */
    double centre[3], half;
    uint64_t list; /* what is known of the sets that meet it */
} bvpi_move_cell;

/* Of the first `seen` sets only `count` meet a cell: those in `kept` from `first` on. */
typedef struct bvpi_kept_sets {
    uint64_t first, count, seen;
} bvpi_kept_sets;

/* Zero at first, but for the meter. */
typedef struct bvpi_move_cover {
    bvpi_meter *meter; /* or NULL */
    bvpi_box_set a, b;
    double size;           /* the largest |coordinate| of what is kept */
    bvpi_move_cell *cells; /* a heap, the smallest key first */
    bvpi_move_set *sets;   /* of each one of a and each one of b */
    bvpi_kept_sets *lists; /* of cells; the first one is that of all moves */
    uint32_t *kept;        /* numbers of sets */
    uint64_t cell_count, cell_capacity, set_count, set_capacity, list_count, list_capacity;
    uint64_t kept_count, kept_capacity;
} bvpi_move_cover;

void bvpi_move_cover_free(bvpi_move_cover *cover);

/* Is most of a ball inside one that is kept? */
bool bvpi_move_cover_knows(const bvpi_move_cover *cover, bool is_of_a, const bvpi_inner_box *ball);
/* Keeps a ball or box of a body, if there is a place. False: no memory. */
bool bvpi_move_cover_add(bvpi_move_cover *cover, bool is_of_a, const bvpi_inner_box *box);

/* All moves up to a length become one cell. False: no memory. */
bool bvpi_move_cover_begin(bvpi_move_cover *cover, double length);
/* Takes the cell with the smallest key. False: there is none. */
bool bvpi_move_cover_next(bvpi_move_cover *cover, bvpi_move_cell *out);
/* Is a cell in one of the sets? Keeps a list of those that meet it, for its parts. O(sets that the
 * cell that it is a part of has met, and those that are newer). */
bvp_status bvpi_move_cover_holds(bvpi_move_cover *cover, bvpi_move_cell *cell, bool *out);
/* Adds the eight parts of a cell, but for those whose key is at least `most`. False: no memory. */
bool bvpi_move_cover_split(bvpi_move_cover *cover, const bvpi_move_cell *cell, double most);

#endif
