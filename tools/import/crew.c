/* SPDX-License-Identifier: MIT
 * crew.c: work that is cut into tasks, done by several threads.
 */
#include "import/crew.h"

#include <unistd.h>
#include "cli/start_thread.h"

enum { MOST = 64 };

typedef struct job {
    uint32_t tasks, next; /* next: atomic */
    void (*work)(void *user, uint32_t task);
    void *user;
} job;

static void *do_tasks(void *argument)
{
    job *j = argument;
    for (;;) {
        const uint32_t task = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED);
        if (task >= j->tasks)
            return NULL;
        j->work(j->user, task);
    }
}

uint32_t crew_size(uint32_t thread_count)
{
    const long processors = thread_count > 0 ? (long)thread_count : sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors > MOST ? MOST : (uint32_t)processors;
}

void crew_run(uint32_t threads, uint32_t tasks, void (*work)(void *user, uint32_t task), void *user)
{
    job j = {.tasks = tasks, .work = work, .user = user};
    pthread_t others[MOST];
    uint32_t started = 0;
    while (started + 1 < threads && started + 1 < tasks && started < MOST &&
           start_thread(&others[started], do_tasks, &j))
        started++;
    do_tasks(&j);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}
