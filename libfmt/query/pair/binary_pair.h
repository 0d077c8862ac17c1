/* SPDX-License-Identifier: MIT
 * binary_pair.h: two parts whose binary hierarchies are walked together: what binary_walk.h needs
 * of every kind; for kernels.
 */
#ifndef BVPI_QUERY_PAIR_BINARY_PAIR_H
#define BVPI_QUERY_PAIR_BINARY_PAIR_H

#include <assert.h>

#include "query/pair/binary_leaf.h"

enum {
    BINARY_STACK = 2 * BVPD_DEPTH_MAX + 1, /* each level of either side leaves one entry behind */
    BINARY_LEVELS = BVPD_DEPTH_MAX,        /* of both at once: the deeper one has no more */
    BINARY_SHALLOW = 24, /* levels of most hierarchies: a smaller frame, of fewer pages, does */
    BINARY_CACHE_BITS = 3,
    BINARY_CACHE = 1 << BINARY_CACHE_BITS /* leaves that are kept decoded, for each side */
};

typedef struct binary_pair {
    pair_tester test;
    const bvpi_binary *tree_a, *tree_b;
    float limit_sq;   /* pairs at least this far apart do not matter; in the kind's own units */
    bvpi_steps steps; /* nodes opened, pairs of leaves */
    bvpi_loan loan;
} binary_pair;

/* The bound on steps: no pair of volumes is visited twice. */
static inline void binary_pair_init(binary_pair *p, bvpi_pair_query *query,
                                    const bvpi_placed_part *a, const bvpi_placed_part *b)
{
    assert(a->kind == b->kind && a->kind != BVPD_KIND_WIDE8);
    tester_init(&p->test, query, a, b, false);
    p->tree_a = &a->binary;
    p->tree_b = &b->binary;
    p->limit_sq = INFINITY;
    bvpi_steps_begin(&p->steps, &p->loan, query->meter,
                     (uint64_t)p->tree_a->node_count * p->tree_b->node_count);
}

#endif
