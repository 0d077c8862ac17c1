/* SPDX-License-Identifier: MIT
 * pair_queue.h: the narrow phase of two parts: pairs of triangles that no bound told apart are
 * queued and tested eight at a time; for kernels.
 *
 * Stages, cheap to expensive:
 * 1. The queue collects eight pairs, from whichever leaves they come.
 * 2. Overlap: one vector test decides most lanes; exact arithmetic decides the rest
 *    (tri_tri.h). Distance: an interval in float for each lane (tri_dist.h). Its upper ends shrink
 *    the limit at once; lanes whose lower end is beyond the limit are dropped.
 * 3. Distance: what is left becomes pending. Most pending pairs are beyond the limit by the time
 *    the walk ends, so they are measured in double only then, or when the list is full, nearest
 *    first.
 * 4. After some fruitless exact work a gap between parallel planes is looked for (facing.h), after
 *    much a separating plane that some triangles may be beyond (ties.h), for all pairs at once.
 *
 * Invariants: a pair is dropped only if a certified lower bound of its distance is beyond the
 * limit, or if it is certainly apart. At any time the answer is among: the best pair so far, the
 * queue, the pending pairs, what the walk still holds.
 *
 * The order of the walk must not show in the answer: of pairs in the same cell of distance (ties.h)
 * the first in storage is kept.
 *
 * Slow twin: brute force over all pairs, tests/property/test_pairs.c and test_ties.c.
 * Spec: exactness.md, chapters 5 and 6
 */
#ifndef BVPI_QUERY_PAIR_PAIR_QUEUE_H
#define BVPI_QUERY_PAIR_PAIR_QUEUE_H

#include <assert.h>
#include <math.h>

#include "query/pair/pair_query.h"
#include "query/pair/pair_leaf.h"
#include "query/pair/ties.h"

/* An item is a triangle's reference into the clusters. */
typedef struct pair_queue {
    float a[9][8], b[9][8];
    uint32_t item_a[8], item_b[8];
    unsigned count;
} pair_queue;

/* Candidates for the nearest pair: float intervals do not rule them out. Each is measured in double
 * at the end, or when the list is full, unless its lower bound is beyond the limit by then. */
enum { PENDING_MOST = 16 };
typedef struct pair_pending {
    float a[PENDING_MOST][9], b[PENDING_MOST][9];
    float lo[PENDING_MOST];
    uint32_t item_a[PENDING_MOST], item_b[PENDING_MOST];
    unsigned count;
} pair_pending;

/* A cache of source numbers, because a triangle that meets another often meets its neighbours, too.
 * Bit k of `known`: slot k is filled. */
enum { ID_CACHE = 64 };
typedef struct pair_ids {
    uint32_t item[ID_CACHE];
    uint64_t known;
    uint64_t triangle[ID_CACHE], id[ID_CACHE];
} pair_ids;

/* The state of the narrow phase of two parts. */
typedef struct pair_tester {
    const bvpi_pair_query *query;
    bvpi_pair_answer *answer; /* the query's */
    const bvpi_placed_part *a, *b;
    bvpi_pose pose;
    bool has_world; /* the pose's frame parallel to the world is computed; overlap needs it late */
    leaf_frame frame;
    float limit_sq; /* DISTANCE: the limit in the frame */
    double pad;     /* if not 0: b's bounds are enlarged by this, in a's units, and only overlap of
                       bounds is tested; see pad_of in pair_queue_kernel.c */
    bool missed;    /* a batch of pairs was tested and none met */
    bool nearer;    /* DISTANCE: the limit shrank or the aim turned; the walk clears it */
    uint32_t late;  /* when `spent` reaches this, ties are looked for by all means; or the most */
    double aim[3];  /* DISTANCE: in which direction to look for gaps, in a's frame */
    pair_queue queue;
    pair_pending pending; /* DISTANCE */
    pair_ids ids[2];      /* of a, of b */
    uint64_t spent;       /* on pairs that were not the answer, as in ties.h */
    uint64_t patience;    /* when `spent` reaches this, ties are looked for */
} pair_tester;

static inline void tester_fail(pair_tester *t, bvp_status status)
{
    t->answer->status = status;
    t->answer->state = BVPI_PAIR_ENDED;
}

/* False: the query has ended, or these two parts are settled. */
static inline bool tester_goes_on(const pair_tester *t)
{
    return t->answer->state == BVPI_PAIR_SEARCHING;
}

static inline void enqueue(pair_queue *queue, const tri_leaf *a, unsigned i, uint32_t item_a,
                           const tri_leaf *b, unsigned j, uint32_t item_b)
{
    assert(queue->count < 8 && i < 8 && j < 8); /* the caller flushes a full queue at once */
    unsigned at = queue->count++;
    for (int k = 0; k < 9; k++) {
        queue->a[k][at] = a->stored.c[k][i];
        queue->b[k][at] = b->stored.c[k][j];
    }
    queue->item_a[at] = item_a;
    queue->item_b[at] = item_b;
}

/* pair_queue_kernel.c, for the same instruction set. */
#define tester_init        BVPI_ISA_NAME(bvpi_tester_init)
#define tester_finish      BVPI_ISA_NAME(bvpi_tester_finish)
#define flush_overlap      BVPI_ISA_NAME(bvpi_flush_overlap)
#define flush_distance     BVPI_ISA_NAME(bvpi_flush_distance)
#define settle_ties        BVPI_ISA_NAME(bvpi_settle_ties)
#define lanes_within_float BVPI_ISA_NAME(bvpi_lanes_within_float)
/* may_pad: the caller's walk enlarges its boxes by p->pad. */
void tester_init(pair_tester *p, bvpi_pair_query *query, const bvpi_placed_part *a,
                 const bvpi_placed_part *b, bool may_pad);
/* Tests the queued pairs, 1 to 8 of them. */
void flush_overlap(pair_tester *p);
/* The same for a distance: intervals in float choose which pairs become pending. */
void flush_distance(pair_tester *p);
/* After many exact tests: tries to prove by a plane, for all pairs at once, that they cannot change
 * the answer. a, b: a pair that was found apart. */
void settle_ties(pair_tester *p, const float a[9], const float b[9]);
/* Lanes of b whose triangles may be within the limit of a, as far as floats tell. */
unsigned lanes_within_float(const bvpi_pose *pose, const float a[9], const f32x8 b[9],
                            double limit);
/* What is left when a walk is over. */
void tester_finish(pair_tester *p);

/* Counts a pair of leaves that did not end the query. After very many of them a plane is tried, as
 * after many exact tests; the leaves' first triangles give its direction. */
static inline void note_leaves(pair_tester *p, const tri_leaf *leaf_a, const tri_leaf *leaf_b)
{
    float a[9], b[9];
    assert(leaf_a->count > 0 && leaf_b->count > 0);
    if (++p->spent < p->patience)
        return;
    for (int k = 0; k < 9; k++) {
        a[k] = leaf_a->stored.c[k][0];
        b[k] = leaf_b->stored.c[k][0];
    }
    settle_ties(p, a, b);
}

#endif
