/* SPDX-License-Identifier: MIT
 * warm.h: what a caller keeps from one query to the next about a pair of bodies: the contents of
 * bvp_warm_start.
 *
 * Certificates are trusted once their seal fits: how far apart the bodies were at some placements,
 * which pair of triangles was the nearest, which pairs crossed. The lead, where in the hierarchies
 * the last answer was found, is sealed too, but only tells where to search first. Habits are
 * statistics without a seal.
 */
#ifndef BVPI_QUERY_WARM_WARM_H
#define BVPI_QUERY_WARM_WARM_H

#include "query/warm/front.h"

enum { BVPI_CROSSINGS = 8 };

/* A body's box before its placement. slack: the relative error of a placed coordinate, as a share
 * of the magnitudes it is summed from. */
typedef struct bvpi_extent {
    double centre[3], half[3], slack;
} bvpi_extent;

typedef struct bvpi_clearance {
    uint64_t seal; /* of all that follows */
    uint64_t bodies;
    double at_a[12], at_b[12]; /* the placements for which the rest was proved */
    bvpi_extent a, b;
    double nearest; /* no pair of triangles was nearer */
    double upper;   /* some pair was as near; or infinity */
    bvpi_last_pair last;
    uint32_t is_apart;
} bvpi_clearance;

typedef struct bvpi_crossings {
    uint64_t seal;
    uint64_t bodies;
    uint64_t count;
    double corner[BVPI_CROSSINGS][18]; /* of a's triangle, of b's: before the bodies' placements */
    bvpi_last_pair pair[BVPI_CROSSINGS];
} bvpi_crossings;

/* Where an answer was found. Not a certificate: it proves nothing. */
typedef struct bvpi_lead {
    uint64_t seal;
    uint64_t bodies;
    bvpi_pair_start start; /* a is the caller's */
} bvpi_lead;

/* Statistics that choose a strategy. No answer depends on them, so any bytes are valid. */
typedef struct bvpi_habits {
    uint32_t served;   /* queries since the bodies were at clear.at_a, clear.at_b */
    uint32_t ahead;    /* for how many queries a clearance should last */
    uint32_t pause;    /* plain queries to go before anything else is tried */
    uint32_t failures; /* in a row, of trying */
    uint32_t tested;   /* how many crossings to test before giving up */
    uint32_t lead_pause, lead_failures;   /* the same for searching where the last answer was */
    uint32_t front_pause, front_failures; /* the same for keeping a front */
} bvpi_habits;

typedef struct bvpi_warm {
    bvpi_clearance clear;
    bvpi_crossings cross;
    bvpi_lead lead;
    bvpi_habits habits;
} bvpi_warm;

_Static_assert(sizeof(bvpi_warm) <= sizeof((bvp_warm_start){0}.opaque), "bvp_warm_start holds it");

/* An upper bound of how much nearer any point of a may have come to any point of b since the
 * placements of warm->clear. INFINITY: the certificate is not valid or is about other bodies, or a
 * placement or file needs the checks of a full query. */
double bvpi_warm_motion(const bvpi_warm *warm, const bvp_body *a, const bvp_body *b);
/* The front in the caller's memory; empty, if what is there is about other bodies than warm->clear.
 * False: there is no memory, or bodies like these have no front. */
bool bvpi_warm_front(const bvpi_warm *warm, const bvpi_pair_query *query,
                     const bvp_warm_start *memory, bvpi_front *out);
/* One of the pairs that crossed and certainly still do; or NULL. If one is returned, bodies and
 * placements have passed the checks that a query makes. */
const bvpi_last_pair *bvpi_warm_crosses(bvpi_warm *warm, const bvp_body *a, const bvp_body *b);
/* Completes warm->clear, whose distances the caller has set, with the placements and boxes of the
 * query, and seals it. */
void bvpi_warm_keep(bvpi_warm *warm, const bvpi_pair_query *query, const bvp_body *a,
                    const bvp_body *b);
/* The lead, in the query's order of bodies. False: there is none for these bodies. The second
 * function stores query->keep.start as the new lead. */
bool bvpi_warm_lead(const bvpi_warm *warm, const bvpi_pair_query *query, const bvp_body *a,
                    const bvp_body *b, bvpi_pair_start *out);
void bvpi_warm_keep_lead(bvpi_warm *warm, const bvpi_pair_query *query, const bvp_body *a,
                         const bvp_body *b);
/* Puts pairs before the others that crossed. */
void bvpi_warm_keep_crossings(bvpi_warm *warm, const bvp_body *a, const bvp_body *b,
                              const bvpi_hit_pairs *pairs);

#endif
