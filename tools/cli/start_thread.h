/* SPDX-License-Identifier: MIT
 * start_thread.h: starts threads with a stack size that we choose. Otherwise the system or the
 * caller chooses: 8 MiB, 128 KiB or the limit of `ulimit -s`.
 */
#ifndef START_THREAD_H
#define START_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Four times what the deepest chain of calls needs, tests/house/check_stack.sh: a caller's own
 * function may be called on such a thread. Sanitizers need several times as much. */
enum { THREAD_STACK = 1 << 20, THREAD_STACK_SANITIZED = 8 << 20 };

/* False: the system grants no thread now. */
bool start_thread(pthread_t *thread, void *(*work)(void *), void *argument);

#endif
