/* SPDX-License-Identifier: MIT
 * start_thread.c: starts a thread with a stack of our size.
 */
#include "cli/start_thread.h"

#include <stddef.h>

bool start_thread(pthread_t *thread, void *(*work)(void *), void *argument)
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
