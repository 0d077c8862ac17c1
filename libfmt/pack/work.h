/* SPDX-License-Identifier: MIT
 * work.h: independent pieces of work on several threads. A piece's result may depend on its number
 * only, never on the thread: then the output is the same for any number of threads.
 */
#ifndef BVPI_PACK_WORK_H
#define BVPI_PACK_WORK_H

#include "bvpack.h"

#include <stdbool.h>

/* piece: 0 .. piece_count - 1. */
typedef void (*bvpi_work_fn)(void *user, uint32_t piece);

/* Runs all pieces on this thread and up to thread_count - 1 others. Returns when the last has
 * ended. If the system grants no thread, fewer threads do the same work. */
void bvpi_parallel(uint32_t thread_count, uint32_t piece_count, bvpi_work_fn work, void *user);

/* Progress of the work on a part, and its cancellation. */
typedef struct bvpi_watch {
    const bvp_control *control; /* may cancel it, or NULL */
    int is_cancelled;           /* atomic: it was cancelled */
    void (*progress)(void *user, const char *stage, uint64_t done, uint64_t total); /* or NULL */
    void *user;
    uint64_t total, done; /* done: atomic */
} bvpi_watch;

/* Called before each piece of work, from any thread. False: stop, as if memory had run out; the
 * function that started the work reports the reason. */
bool bvpi_watch_goes_on(bvpi_watch *watch);

/* Adds `count` to the work done; from any thread. */
void bvpi_watch_add(bvpi_watch *watch, const char *stage, uint64_t count);

/* The number of CPUs that are online. */
uint32_t bvpi_cpu_count(void);

#endif
