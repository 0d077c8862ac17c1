/* SPDX-License-Identifier: MIT
 * parallel.c: threads that take piece numbers from a common counter.
 *
 * Held by tests/house/determinism.sh: the same bytes on one and on several threads.
 */
#include "base/parallel.h"

#include "base/thread.h"

#include <pthread.h>
#include <unistd.h>

enum { THREAD_MAX = 256 };

typedef struct crew {
    bvpi_work_fn work;
    void *user;
    uint32_t piece_count;
    uint32_t next; /* atomic */
} crew;

static void *run(void *argument)
{
    crew *c = argument;
    uint32_t piece;
    while ((piece = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < c->piece_count)
        c->work(c->user, piece);
    return NULL;
}

void bvpi_parallel(uint32_t thread_count, uint32_t piece_count, bvpi_work_fn work, void *user)
{
    pthread_t threads[THREAD_MAX];
    crew c = {.work = work, .user = user, .piece_count = piece_count};
    uint32_t wanted = thread_count < piece_count ? thread_count : piece_count;
    uint32_t started = 0;
    if (wanted > THREAD_MAX)
        wanted = THREAD_MAX;
    while (started + 1 < wanted && bvpi_thread_start(&threads[started], run, &c))
        started++;
    run(&c);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

uint32_t bvpi_cpu_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    if (count < 1)
        return 1;
    return count < THREAD_MAX ? (uint32_t)count : THREAD_MAX;
}
