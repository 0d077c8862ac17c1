/* SPDX-License-Identifier: MIT
 * loop.h: which faults a run of the tests tries: all of them, or some that are spread over them.
 */
#ifndef TESTS_FAULT_LOOP_H
#define TESTS_FAULT_LOOP_H

#include "failing.h"

typedef struct fault_loop {
    uint64_t runs; /* most of a case and a way to fail; 0: one for each call */
    const char *only, *kind, *place;
    uint64_t at;
    int shows;
} fault_loop;

/* [--runs N] [--case WORD] [--kind NAME] [--place NAME] [--at K] [--show]; nonzero: it is none. */
int fault_parse(fault_loop *loop, int argc, char **argv);

const char *fault_kind_name(fault_kind kind);
const char *fault_place_name(fault_place place);
/* Do the options want it? */
int fault_is_wanted(const fault_loop *loop, fault_kind kind, fault_place place);

/* Calls `visit` for each plan of that kind and place, when there are `count` calls to fail; other
 * ones are taken for each salt. */
void fault_each(const fault_loop *loop, fault_kind kind, fault_place place, uint64_t count,
                uint64_t salt, void (*visit)(void *user, const fault_plan *plan), void *user);

#endif
