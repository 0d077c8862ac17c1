/* SPDX-License-Identifier: MIT
 * clash_worst.h: the worst pairs of a run, and how many there are of each pair of products.
 */
#ifndef CLASH_WORST_H
#define CLASH_WORST_H

#include "bvpack_clash.h"

enum { CLASH_WORST_MAX = 1000, CLASH_GROUP_MAX = 1 << 16 };

typedef struct clash_worst_pair {
    bvp_clash_pair pair;
    const char *rule, *state; /* static or the run's */
    bvp_verdict was;
    int known; /* `was` is given */
} clash_worst_pair;

typedef struct clash_group {
    uint32_t part_a, part_b;
    uint64_t count;
} clash_group;

typedef struct clash_worst {
    clash_worst_pair *pairs; /* worst first */
    uint32_t capacity, count;
    clash_group *groups; /* an open-addressed table; count 0: free */
    uint32_t group_count;
    uint64_t ungrouped; /* rows of groups for which there was no room */
} clash_worst;

/* 0, or no memory, which has been reported. */
int clash_worst_start(clash_worst *w, uint32_t capacity);
void clash_worst_close(clash_worst *w);
/* Penetrating first, the deepest before others, then enclosed, duplicate, unknown, within, the
 * nearest before others, touching; among equals the earlier call. */
void clash_worst_add(clash_worst *w, const clash_worst_pair *pair);
void clash_worst_count(clash_worst *w, uint32_t part_a, uint32_t part_b);
/* The `most` largest groups, the largest first; returns how many there are. */
uint32_t clash_worst_groups(const clash_worst *w, clash_group *out, uint32_t most);

#endif
