/* SPDX-License-Identifier: MIT
 * clash_filter.c: which of a run's pairs its reports are to have.
 */
#include "found/clash_filter.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "report/clash_severity.h"
#include "text/message.h"

/* The verdict of a name, or BVP_VERDICT_CLEAR, of which there are no rows to choose. */
static bvp_verdict verdict_of(const char *name, size_t size)
{
    for (int rank = 0; rank < BVP_VERDICT_COUNT; rank++) {
        const char *known = bvp_verdict_name(clash_severity_verdict(rank));
        if (strlen(known) == size && memcmp(known, name, size) == 0)
            return clash_severity_verdict(rank);
    }
    return BVP_VERDICT_CLEAR;
}

int clash_filter_verdicts(clash_filter *f, const char *option, const char *list)
{
    uint32_t chosen = 0;
    for (const char *at = list;; at++) {
        const size_t size = strcspn(at, ",");
        const bvp_verdict verdict = verdict_of(at, size);
        if (verdict == BVP_VERDICT_CLEAR) {
            char names[128] = "";
            for (int rank = 0; rank < BVP_VERDICT_COUNT - 1; rank++) {
                const size_t used = strlen(names);
                snprintf(names + used, sizeof names - used, "%s%s", rank ? ", " : "",
                         bvp_verdict_name(clash_severity_verdict(rank)));
            }
            complain(option, "expected some of %s, with commas between them, found \"%s\"", names,
                     list);
            return EXIT_USAGE;
        }
        chosen |= 1u << verdict;
        at += size;
        if (*at == '\0')
            break;
    }
    f->refused = ~chosen;
    return 0;
}

int clash_filter_takes(const clash_filter *f, const bvp_clash_pair *pair, clash_filtered *counts)
{
    const int has_depth =
        pair->verdict == BVP_VERDICT_PENETRATING || pair->verdict == BVP_VERDICT_TOUCHING;
    assert((unsigned)pair->verdict < BVP_VERDICT_COUNT);
    const int by_verdict = f->refused >> pair->verdict & 1;
    const int by_depth = !by_verdict && has_depth && pair->depth < f->min_depth;
    counts->by_verdict += (uint64_t)by_verdict;
    counts->by_depth += (uint64_t)by_depth;
    return !by_verdict && !by_depth;
}
