/* SPDX-License-Identifier: MIT
 * clash_groups.h: how many pairs a run reports of each pair of parts.
 */
#ifndef CLASH_GROUPS_H
#define CLASH_GROUPS_H

#include <stdint.h>

enum { CLASH_GROUP_MAX = 1 << 16 };

typedef struct clash_group {
    uint32_t part_a, part_b;
    uint64_t count;
} clash_group;

typedef struct clash_groups {
    clash_group *items; /* an open-addressed table; count 0: free */
    uint32_t count;
    uint64_t ungrouped; /* pairs of groups for which there was no room */
} clash_groups;

/* 0, or no memory, which has been reported. */
int clash_groups_start(clash_groups *g);
void clash_groups_close(clash_groups *g);
void clash_groups_count(clash_groups *g, uint32_t part_a, uint32_t part_b);
/* The `most` largest groups, the largest first; returns how many there are. */
uint32_t clash_groups_largest(const clash_groups *g, clash_group *out, uint32_t most);

#endif
