/* SPDX-License-Identifier: MIT
 * loop.c: which faults a run of the tests tries.
 */
#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[FAULT_KIND_COUNT] = {"none",  "alloc",     "call",
                                                         "short", "interrupt", "kill"};
static const char *const place_names[FAULT_PLACE_COUNT] = {"here", "named", "elsewhere"};

static int parse(fault_loop *loop, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--show") == 0)
            loop->shows = 1;
        else if (strcmp(argv[i], "--runs") == 0)
            loop->runs = strtoull(value, NULL, 10), i++;
        else if (strcmp(argv[i], "--at") == 0)
            loop->at = strtoull(value, NULL, 10), i++;
        else if (strcmp(argv[i], "--case") == 0)
            loop->only = value, i++;
        else if (strcmp(argv[i], "--kind") == 0)
            loop->kind = value, i++;
        else if (strcmp(argv[i], "--place") == 0)
            loop->place = value, i++;
        else
            return -1;
    }
    return 0;
}

int fault_begin(fault_loop *loop, int argc, char **argv)
{
    if (parse(loop, argc, argv) != 0)
        return -1;
    const char *missing = failing_calls_missing();
    loop->has_calls = missing == NULL;
    if (missing)
        printf("system calls are left out: %s\n", missing);
    fflush(stdout);
    return 0;
}

/* Do the options want it? */
static int is_wanted(const fault_loop *loop, fault_kind kind, fault_place place)
{
    return (kind == FAULT_ALLOC || loop->has_calls) &&
           (!loop->kind || strcmp(loop->kind, kind_names[kind]) == 0) &&
           (!loop->place || strcmp(loop->place, place_names[place]) == 0);
}

static void try_plan(const fault_case *c, const fault_plan *plan, fault_totals *totals)
{
    totals->runs[plan->kind][plan->place]++;
    totals->wrong += !c->is_right(c->user, plan);
}

/* When there are `count` calls to fail. */
static void try_place(const fault_loop *loop, const fault_case *c, fault_kind kind,
                      fault_place place, uint64_t count, fault_totals *totals)
{
    const uint64_t most = loop->runs > 0 && loop->runs < count ? loop->runs : count;
    const int both = kind != FAULT_INTERRUPT && kind != FAULT_KILL;
    const uint64_t begin = c->salt * 7919 + (uint64_t)kind * 31 + (uint64_t)place * 57;
    for (uint64_t i = 0; i < most; i++)
        for (int persists = 0; persists <= both; persists++) {
            const uint64_t turn =
                most == count ? i : (i * count / most + begin + (uint64_t)persists * 13) % count;
            const fault_plan plan = {kind, 1 + turn, persists, place};
            if (loop->at == 0 || loop->at == plan.at)
                try_plan(c, &plan, totals);
        }
}

void fault_try_case(const fault_loop *loop, const fault_case *c, fault_totals *totals)
{
    for (int k = FAULT_ALLOC; k < FAULT_KIND_COUNT; k++)
        for (int p = 0; p < FAULT_PLACE_COUNT; p++) {
            const fault_plan none = {.kind = (fault_kind)k, .place = (fault_place)p};
            if (is_wanted(loop, none.kind, none.place) &&
                c->has_place(c->user, none.kind, none.place))
                try_place(loop, c, none.kind, none.place, c->count(c->user, &none), totals);
        }
}

void fault_report(const char *name, const fault_plan *plan, const fault_end *end, const char *what)
{
    printf("FAIL %s: %s %s %llu%s%s%s: %s\n", name, kind_names[plan->kind],
           place_names[plan->place], (unsigned long long)plan->at, end->name[0] ? " " : "",
           end->name, plan->persists ? " and all after" : "", what);
}

void fault_print_runs(const fault_totals *totals)
{
    for (int kind = FAULT_ALLOC; kind < FAULT_KIND_COUNT; kind++)
        for (int place = 0; place < FAULT_PLACE_COUNT; place++)
            if (totals->runs[kind][place] > 0)
                printf("%s %s: %llu runs\n", kind_names[kind], place_names[place],
                       (unsigned long long)totals->runs[kind][place]);
}

#if defined(__SANITIZE_ADDRESS__)
/* A process that is watched can't look for leaks; blocks are counted instead. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1";
}
#endif
