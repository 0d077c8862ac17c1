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
static inline bool start_thread(pthread_t *thread, void *(*work)(void *), void *argument)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const size_t size = THREAD_STACK_SANITIZED;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    const size_t size = THREAD_STACK_SANITIZED;
#else
    const size_t size = THREAD_STACK;
#endif
#else
    const size_t size = THREAD_STACK;
#endif
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    const bool is_started = pthread_attr_setstacksize(&attributes, size) == 0 &&
                            pthread_create(thread, &attributes, work, argument) == 0;
    pthread_attr_destroy(&attributes);
    return is_started;
}

#endif
