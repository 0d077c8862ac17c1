/* SPDX-License-Identifier: MIT
 * front.h: where the last search for a distance of two parts stopped, in memory that the caller
 * gives: groups of pairs that cover all pairs of triangles, each with a plane that tells it apart.
 * Based on: S. Ehmann, M. Lin, Accurate and fast proximity queries between polyhedra using convex
 * surface decomposition, 2001 (generalized front tracking). Spec: exactness.md, chapter 11
 */
#ifndef BVPI_QUERY_WARM_FRONT_H
#define BVPI_QUERY_WARM_FRONT_H

#include "query/pair/pair_query.h"
#include "query/pair/pair_heap.h"

/* pair_entry's `opened`. */
enum { FRONT_A = 1, FRONT_B = 2 };

/* Eight pairs: the children of the node that was opened against the other box, or the triangles of
 * a's leaf against b's leaf. All in work units (box_box.h), in the frame of a. With x the centre of
 * the pair's box of b, h its half sizes and R the part of the map that turns,
 *
 * normal . (x mapped) + base - sum over j of h[j] |normal . R[j] - turned[j]|
 *
 * is a lower bound of a pair's distance. Base is infinite where there is no pair, or where it waits
 * by itself, -infinite where no plane is known. */
typedef struct bvpi_front_group {
    pair_entry pair;
    float normal[3][8]; /* no longer than 1 */
    float turned[3][8]; /* normal . R when the plane was found */
    float base[8];
} bvpi_front_group;

/* How b lay to a: a = r b + t. */
typedef struct bvpi_front_map {
    float r[3][3], t[3];
} bvpi_front_map;

/* In the caller's memory; keys and groups follow. A key is the least of a group's bounds, when they
 * were last computed, and `worn` at that time: without a look at a group, its pairs are known to be
 * key - worn apart. */
typedef struct bvpi_front_head {
    uint64_t seal; /* of all that follows */
    uint64_t bodies;
    double worn;                /* how far b has gone since the front began, at most */
    bvpi_front_map map;         /* of the last query */
    float unit_a[3], unit_b[3]; /* one grid step in work units */
    uint32_t swapped, count;
    uint32_t begun_with; /* `count` after the first search */
    uint32_t capacity;   /* where groups lie depends on it */
} bvpi_front_head;

typedef struct bvpi_front {
    bvpi_front_head *head;
    double *keys;
    bvpi_front_group *groups;
    uint32_t capacity;
    bool is_lost; /* there was not room enough, or the search was not finished */
} bvpi_front;

/* Finds what is in the memory. False: it has not even room for a front. */
bool bvpi_front_open(bvpi_front *front, void *memory, uint64_t size);
/* Makes it empty, unless it is about these bodies; they are named as in warm.h. */
void bvpi_front_name(bvpi_front *front, uint64_t bodies);
/* Leaves it in the memory for the next query; or empty, if it is lost. */
void bvpi_front_close(bvpi_front *front);

#endif
