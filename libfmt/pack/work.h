/* SPDX-License-Identifier: MIT
 * work.h: independent pieces of work on several threads. What a piece computes may depend on its
 * number only, never on the thread: that keeps the output the same for any thread count.
 */
#ifndef BVPI_PACK_WORK_H
#define BVPI_PACK_WORK_H

#include "bvpack.h"

#include <stdbool.h>

/* piece: 0 .. piece_count - 1. */
typedef void (*bvpi_work_fn)(void *user, uint32_t piece);

/* Runs all pieces, on this thread and up to thread_count - 1 others, and returns when the last has
 * ended. Where the system grants no thread, fewer do the same. */
void bvpi_parallel(uint32_t thread_count, uint32_t piece_count, bvpi_work_fn work, void *user);

/* How far the work on a part is, for a caller who wants to know. */
typedef struct bvpi_watch {
    const bvp_control *control; /* what may end it, or NULL */
    int is_cancelled;           /* atomic: it has */
    void (*progress)(void *user, const char *stage, uint64_t done, uint64_t total); /* or NULL */
    void *user;
    uint64_t total, done; /* done: atomic */
} bvpi_watch;

/* Asked before each piece of the work, from any thread. False: it is to end, as it does when memory
 * is short, and the function that began it reports why. */
bool bvpi_watch_goes_on(bvpi_watch *watch);

/* `count` more are done; from any thread. */
void bvpi_watch_add(bvpi_watch *watch, const char *stage, uint64_t count);

/* One for each CPU that is online. */
uint32_t bvpi_cpu_count(void);

#endif
