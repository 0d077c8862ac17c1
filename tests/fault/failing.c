/* SPDX-License-Identifier: MIT
 * failing.c: a process of its own, with allocations or system calls that fail as planned.
 */
#define _GNU_SOURCE
#include "failing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MOST = 60 };

static fault_counter *share_counter(void)
{
    static fault_counter *shared;
    if (!shared)
        shared =
            mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    return shared;
}

static int fails_calls(const fault_plan *plan)
{
    return plan->kind != FAULT_NONE && plan->kind != FAULT_ALLOC;
}

static void run_child(const fault_plan *plan, int (*body)(void *user), void *user)
{
    failing_allocs = share_counter();
    alarm(SECONDS_MOST);
    if (fails_calls(plan) && failing_calls_enter() != 0)
        _exit(98);
    failing_allocs->armed = 1;
    const int code = body(user);
    failing_allocs->armed = 0;
    exit(code);
}

fault_end fault_run(const fault_plan *plan, int (*body)(void *user), void *user)
{
    fault_counter *c = share_counter();
    fault_end end = {.name = ""};
    *c =
        (fault_counter){.at = plan->kind == FAULT_ALLOC ? plan->at : 0, .persists = plan->persists};
    fflush(NULL); /* or the child writes it too */
    const pid_t child = fork();
    if (child == 0)
        run_child(plan, body, user);
    if (child < 0)
        abort();
    if (fails_calls(plan))
        end.status = failing_calls_watch(child, plan, &end.seen, &end.name);
    else
        waitpid(child, &end.status, 0);
    if (!fails_calls(plan))
        end.seen = c->seen;
    end.leaked = c->live;
    return end;
}
