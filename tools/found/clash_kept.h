/* SPDX-License-Identifier: MIT
 * clash_kept.h: the pairs that a run reports, kept until its end, so that reports can have them in
 * the order of their severity.
 */
#ifndef CLASH_KEPT_H
#define CLASH_KEPT_H

#include <stddef.h>
#include <stdio.h>
#include "bvpack_clash.h"

/* What the order of pairs depends on, and what the run knows of a pair beside its numbers. */
typedef struct clash_found {
    uint8_t id[16];
    double depth, distance, at[3]; /* at: the middle of the witnesses */
    uint64_t slot;                 /* where the whole pair stands in the spool */
    uint32_t a, b;                 /* instances */
    int32_t rule;                  /* that decided; -1: none */
    uint32_t past_issue; /* number of the baseline's issue that had the pair, or BVP_NONE */
    uint8_t verdict;
    uint8_t was, known; /* with a baseline: the verdict in it, if it knows the pair */
} clash_found;

/* Zero-initialise. Of each pair 88 bytes are in memory, the rest is in a file without a name. */
typedef struct clash_kept {
    clash_found *items;
    size_t count, capacity;
    FILE *spool;
    uint64_t slots; /* pairs in the spool */
} clash_kept;

/* All return 0, or say what is wrong and return the exit code. */
/* *found is copied; its members but id, rule, past_issue, was and known are set here. */
int clash_kept_add(clash_kept *k, const clash_found *found, const bvp_clash_pair *pair);
/* Orders the items: by severity (report/clash_severity.h), equally severe ones by id, and by
 * instance where ids are equal: an order that does not depend on the one in which they came.
 * O(n log n). */
int clash_kept_sort(clash_kept *k);
/* The whole pair of an item. Only after clash_kept_sort. */
int clash_kept_read(const clash_kept *k, const clash_found *found, bvp_clash_pair *out);
void clash_kept_close(clash_kept *k);

#endif
