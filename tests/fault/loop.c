/* SPDX-License-Identifier: MIT
 * loop.c: which faults a run of the tests tries.
 */
#include "loop.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[FAULT_KIND_COUNT] = {"none",  "alloc",     "call",
                                                         "short", "interrupt", "kill"};
static const char *const place_names[FAULT_PLACE_COUNT] = {"here", "named", "elsewhere"};

const char *fault_kind_name(fault_kind kind)
{
    return kind_names[kind];
}

const char *fault_place_name(fault_place place)
{
    return place_names[place];
}

int fault_parse(fault_loop *loop, int argc, char **argv)
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

int fault_is_wanted(const fault_loop *loop, fault_kind kind, fault_place place)
{
    return (!loop->kind || strcmp(loop->kind, kind_names[kind]) == 0) &&
           (!loop->place || strcmp(loop->place, place_names[place]) == 0);
}

void fault_each(const fault_loop *loop, fault_kind kind, fault_place place, uint64_t count,
                uint64_t salt, void (*visit)(void *user, const fault_plan *plan), void *user)
{
    const uint64_t most = loop->runs > 0 && loop->runs < count ? loop->runs : count;
    const int both = kind != FAULT_INTERRUPT && kind != FAULT_KILL;
    const uint64_t begin = salt * 7919 + (uint64_t)kind * 31 + (uint64_t)place * 57;
    for (uint64_t i = 0; i < most; i++)
        for (int persists = 0; persists <= both; persists++) {
            const uint64_t turn =
                most == count ? i : (i * count / most + begin + (uint64_t)persists * 13) % count;
            const fault_plan plan = {kind, 1 + turn, persists, place};
            if (loop->at == 0 || loop->at == plan.at)
                visit(user, &plan);
        }
}
