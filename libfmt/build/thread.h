/* SPDX-License-Identifier: MIT
 * thread.h: independent pieces of work on several threads. What a piece computes may depend on its
 * number only, never on the thread: that keeps the output the same for any thread count.
 */
#ifndef BVPI_BUILD_THREAD_H
#define BVPI_BUILD_THREAD_H

#include <stdint.h>

/* piece: 0 .. piece_count - 1. */
typedef void (*bvpi_work_fn)(void *user, uint32_t piece);

/* Runs all pieces, on this thread and up to thread_count - 1 others, and returns when the last has
 * ended. Where the system grants no thread, fewer do the same. */
void bvpi_parallel(uint32_t thread_count, uint32_t piece_count, bvpi_work_fn work, void *user);

/* One for each CPU that is online. */
uint32_t bvpi_cpu_count(void);

#endif
