/* SPDX-License-Identifier: MIT
 * pair_queue.h: pairs of triangles that are left of two parts, tested eight at a time; for
 * kernels.
 */
#ifndef BVPI_QUERY_PAIR_PAIR_QUEUE_H
#define BVPI_QUERY_PAIR_PAIR_QUEUE_H

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

/* Pairs that may be the nearest ones, as far as floats tell: measured in double only at the end, or
 * when there are too many. */
enum { PENDING_MOST = 16 };
typedef struct pair_pending {
    float a[PENDING_MOST][9], b[PENDING_MOST][9];
    float lo[PENDING_MOST];
    uint32_t item_a[PENDING_MOST], item_b[PENDING_MOST];
    unsigned count;
} pair_pending;

/* Source numbers that were looked up: a triangle that meets another meets its neighbours, too. Bit
 * of a slot in `known`: it holds the numbers of its item. */
enum { ID_CACHE = 64 };
typedef struct pair_ids {
    uint32_t item[ID_CACHE];
    uint64_t known;
    uint64_t triangle[ID_CACHE], id[ID_CACHE];
} pair_ids;

/* Two parts whose triangles meet. */
typedef struct pair_tester {
    bvpi_pair_query *query;
    const bvpi_placed_part *a, *b;
    bvpi_pose pose;
    leaf_frame frame;
    float limit_sq; /* DISTANCE: the limit in the frame */
    double pad;     /* not 0: by so much, in a's units, triangles are larger when they are walked */
    bool missed;    /* overlap: some pairs were tested, and none of a batch met */
    bool nearer;    /* DISTANCE: the limit shrank or the aim turned; the walk clears it */
    double aim[3];  /* DISTANCE: in which direction to look for gaps, in a's frame */
    pair_queue queue;
    pair_pending pending; /* DISTANCE */
    pair_ids ids[2];      /* of a, of b */
    uint64_t spent;       /* on pairs that were not the answer, as in ties.h */
    uint64_t patience;    /* from so much spent on, ties are looked for */
} pair_tester;

static inline void tester_fail(pair_tester *t, bvp_status status)
{
    t->query->status = status;
    t->query->done = true;
}

static inline void enqueue(pair_queue *queue, const tri_leaf *a, unsigned i, uint32_t item_a,
                           const tri_leaf *b, unsigned j, uint32_t item_b)
{
    unsigned at = queue->count++;
    for (int k = 0; k < 9; k++) {
        queue->a[k][at] = a->stored.c[k][i];
        queue->b[k][at] = b->stored.c[k][j];
    }
    queue->item_a[at] = item_a;
    queue->item_b[at] = item_b;
}

/* pair_queue_kernel.c, for the same instruction set. */
#define tester_init    BVPI_ISA_NAME(bvpi_tester_init)
#define tester_finish  BVPI_ISA_NAME(bvpi_tester_finish)
#define flush_overlap  BVPI_ISA_NAME(bvpi_flush_overlap)
#define flush_distance BVPI_ISA_NAME(bvpi_flush_distance)
#define settle_ties    BVPI_ISA_NAME(bvpi_settle_ties)
/* may_pad: the walk that uses the tester takes its pad into account. */
void tester_init(pair_tester *p, bvpi_pair_query *query, const bvpi_placed_part *a,
                 const bvpi_placed_part *b, bool may_pad);
/* Tests the queued pairs, 1 to 8 of them. */
void flush_overlap(pair_tester *p);
/* The same of a distance: intervals in float choose which pairs may have to be measured in double.
 */
void flush_distance(pair_tester *p);
/* After many exact tests: does a plane prove for all pairs what they proved one by one? a, b: one
 * that was found apart. */
void settle_ties(pair_tester *p, const float a[9], const float b[9]);
/* What is left when a walk is over. */
void tester_finish(pair_tester *p);

/* After many pairs of leaves of which no pair of triangles was worth a test. */
static inline void note_leaves(pair_tester *p, const tri_leaf *leaf_a, const tri_leaf *leaf_b)
{
    float a[9], b[9];
    if (++p->spent < p->patience)
        return;
    for (int k = 0; k < 9; k++) {
        a[k] = leaf_a->stored.c[k][0];
        b[k] = leaf_b->stored.c[k][0];
    }
    settle_ties(p, a, b);
}

#endif
