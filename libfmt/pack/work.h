/* SPDX-License-Identifier: MIT
 * work.h: progress of the work on a part, and its cancellation.
 */
#ifndef BVPI_PACK_WORK_H
#define BVPI_PACK_WORK_H

#include "bvpack.h"

#include <stdbool.h>

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

#endif
