/* SPDX-License-Identifier: MIT
 * test_thread_stack.c: threads have the stack that the library and the program ask for, whatever
 * the system gives to others (musl: 128 KiB).
 */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "base/thread.h"
#include "cli/start_thread.h"
#include "suite.h"

#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { WANTED = BVPI_THREAD_STACK_SANITIZED };
#else
enum { WANTED = BVPI_THREAD_STACK };
#endif

/* Writes to three quarters of the stack, and sets its size. */
static void *measure(void *user)
{
    volatile uint8_t room[WANTED / 4 * 3];
    pthread_attr_t attributes;
    for (size_t i = 0; i < sizeof room; i += 1024)
        room[i] = 1;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstacksize(&attributes, user);
        pthread_attr_destroy(&attributes);
    }
    return NULL;
}

typedef bool (*start_fn)(pthread_t *thread, void *(*work)(void *), void *argument);

static void has_stack(start_fn start)
{
    pthread_t thread;
    size_t size = 0;
    ck_assert(start(&thread, measure, &size));
    pthread_join(thread, NULL);
    ck_assert_uint_ge(size, WANTED / 4 * 3);
    ck_assert_uint_lt(size, 2 * (size_t)WANTED);
}

START_TEST(threads_have_their_stack)
{
    has_stack(bvpi_thread_start);
    has_stack(start_thread);
}
END_TEST

SUITE(test_thread_stack)
{
    const TTest *const tests[] = {threads_have_their_stack, NULL};
    return suite_run("thread_stack", tests);
}
