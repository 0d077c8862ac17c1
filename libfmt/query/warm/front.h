/* SPDX-License-Identifier: MIT
 * front.h: where the last search for the distance of two parts stopped, kept in the caller's
 * memory.
 *
 * A front is a set of groups of eight pairs that together cover all pairs of triangles. Each pair
 * has a separating plane from the last search. After a small motion most planes still prove that
 * their pair is beyond the limit, at the price of a few products, so nothing above the front is
 * opened again.
 *
 * A group's key saves even that: it says up to which accumulated motion (`worn`) the group need not
 * be looked at.
 *
 * Invariants: every pair of triangles is in exactly one lane of one group whose base is not
 * infinite. key - worn is at most the least distance of the group.
 *
 * Spec: exactness.md, chapter 11, "Front"
 * Based on: S. Ehmann, M. Lin, Accurate and fast proximity queries between polyhedra using convex
 * surface decomposition, 2001 (generalized front tracking).
 */
#ifndef BVPI_QUERY_WARM_FRONT_H
#define BVPI_QUERY_WARM_FRONT_H

#include "query/pair/pair_query.h"
#include "query/pair/pair_heap.h"

/* pair_entry's `opened`: which side's node the group has opened. */
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

/* The map from b to a in work units: a = r b + t. */
typedef struct bvpi_front_map {
    float r[3][3], t[3];
} bvpi_front_map;

/* In the caller's memory, followed by keys and groups. A key is a lower bound of a group's
 * distances when they were last computed plus `worn` at that time. So without a look at the group,
 * its pairs are known to be at least key - worn apart now. */
typedef struct bvpi_front_head {
    uint64_t seal; /* of all that follows */
    uint64_t bodies;
    double worn;        /* upper bound of the motion of b since the front began, summed up */
    bvpi_front_map map; /* of the last query */
    float unit_a[3], unit_b[3]; /* one grid step in work units */
    uint32_t swapped, count;
    uint32_t begun_with; /* `count` after the first search */
    uint32_t capacity;   /* groups begin behind this many keys */
} bvpi_front_head;

typedef struct bvpi_front {
    bvpi_front_head *head;
    double *keys;
    bvpi_front_group *groups;
    uint32_t capacity;
    bool is_lost; /* the groups do not cover all pairs: no room, or an unfinished search */
} bvpi_front;

/* Sets up pointers into the memory. False: it is too small or not aligned. */
bool bvpi_front_open(bvpi_front *front, void *memory, uint64_t size);
/* Empties the front unless its seal fits and it is about these bodies (a hash, as in warm.h). */
void bvpi_front_name(bvpi_front *front, uint64_t bodies);
/* Seals the front for the next query; a lost one is emptied first. */
void bvpi_front_close(bvpi_front *front);

#endif
