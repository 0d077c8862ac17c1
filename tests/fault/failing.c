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
#include "nameless.h"

enum { SECONDS_MOST = 60 };
static const char *preload, *counter_path;

void fault_set_preload(const char *library, const char *counter)
{
    preload = library;
    counter_path = counter;
}

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

static int fails_elsewhere(const fault_plan *plan)
{
    return plan->kind == FAULT_ALLOC && plan->place == FAULT_ELSEWHERE;
}

static void run_child(const fault_plan *plan, int (*body)(void *user), void *user)
{
    failing_allocs = share_counter();
    alarm(SECONDS_MOST);
    if (fails_elsewhere(plan) &&
        (setenv("LD_PRELOAD", preload, 1) != 0 || setenv(FAULT_COUNTER, counter_path, 1) != 0))
        _exit(98);
    if (plan->place == FAULT_NAMED && nameless_refuse() != 0)
        _exit(98);
    if (fails_calls(plan) && failing_calls_enter() != 0)
        _exit(98);
    failing_allocs->armed = 1;
    const int code = body(user);
    failing_allocs->armed = 0;
    exit(code);
}

fault_end fault_run(const fault_plan *plan, int (*body)(void *user), void *user)
{
    fault_counter *c = share_counter(), *other = NULL;
    fault_end end = {.name = ""};
    *c = (fault_counter){.at = plan->kind == FAULT_ALLOC && !fails_elsewhere(plan) ? plan->at : 0,
                         .persists = plan->persists};
    if (fails_elsewhere(plan)) {
        other = fault_map_counter(counter_path);
        if (!other)
            abort();
        *other = (fault_counter){.at = plan->at, .persists = plan->persists, .armed = 1};
    }
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
        end.seen = other ? other->seen : c->seen;
    end.leaked = c->live;
    if (other)
        munmap(other, sizeof *other);
    return end;
}
