/* SPDX-License-Identifier: MIT
 * slow_wide.h: wide hierarchies, level by level.
 */
#ifndef SLOW_WIDE_H
#define SLOW_WIDE_H

#include <stdint.h>

typedef struct hierarchy {
    uint64_t record; /* in HIER */
    uint64_t units;  /* where unit 0 is */
    int is_top;
    unsigned shift; /* cluster_shift */
} hierarchy;

/* Prints the boxes of a level, and leaves above it; returns how many inner ones there were. */
uint64_t print_level(const hierarchy *h, uint32_t level);
void print_hierarchy(const hierarchy *h);

#endif
