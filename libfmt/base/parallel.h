/* SPDX-License-Identifier: MIT
 * parallel.h: independent pieces of work on several threads. A piece's result may depend on its
 * number only, never on the thread: then the output is the same for any number of threads.
 */
#ifndef BVPI_BASE_PARALLEL_H
#define BVPI_BASE_PARALLEL_H

#include <stdint.h>

/* piece: 0 .. piece_count - 1. */
typedef void (*bvpi_work_fn)(void *user, uint32_t piece);

/* Runs all pieces on this thread and up to thread_count - 1 others. Pieces begin in the order of
 * their numbers. Returns when the last has ended. If the system grants no thread, fewer threads do
 * the same work. */
void bvpi_parallel(uint32_t thread_count, uint32_t piece_count, bvpi_work_fn work, void *user);

/* The number of CPUs that are online. */
uint32_t bvpi_cpu_count(void);

#endif
