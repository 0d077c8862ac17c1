/* SPDX-License-Identifier: MIT
 * work.c: threads that take piece numbers from a common counter.
 *
 * Held by tests/house/determinism.sh: the same bytes on one and on several threads.
 */
#include "pack/work.h"

#include "base/meter.h"
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

bool bvpi_watch_goes_on(bvpi_watch *watch)
{
    if (!__atomic_load_n(&watch->is_cancelled, __ATOMIC_RELAXED)) {
        if (!bvpi_is_cancelled(watch->control))
            return true;
        __atomic_store_n(&watch->is_cancelled, 1, __ATOMIC_RELAXED);
    }
    return false;
}

void bvpi_watch_add(bvpi_watch *watch, const char *stage, uint64_t count)
{
    const uint64_t done = __atomic_add_fetch(&watch->done, count, __ATOMIC_RELAXED);
    if (watch->progress)
        watch->progress(watch->user, stage, done, watch->total);
}

uint32_t bvpi_cpu_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    if (count < 1)
        return 1;
    return count < THREAD_MAX ? (uint32_t)count : THREAD_MAX;
}
