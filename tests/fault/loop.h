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
    int has_calls; /* system calls can fail here */
} fault_loop;

/* [--runs N] [--case WORD] [--kind NAME] [--place NAME] [--at K] [--show]; nonzero: it is none.
 * Says on standard output why system calls can't fail, if they can't. */
int fault_begin(fault_loop *loop, int argc, char **argv);

/* What is run, with and without faults. */
typedef struct fault_case {
    const char *name;
    uint64_t salt; /* of some runs, others are taken for each salt */
    /* Is there anything of that kind to fail at that place? */
    int (*has_place)(void *user, fault_kind kind, fault_place place);
    /* Runs it with a plan in which nothing fails; returns how many calls might. */
    uint64_t (*count)(void *user, const fault_plan *plan);
    /* Runs it, judges it, and returns whether all is well. */
    int (*is_right)(void *user, const fault_plan *plan);
    void *user;
} fault_case;

typedef struct fault_totals {
    uint64_t runs[FAULT_KIND_COUNT][FAULT_PLACE_COUNT], wrong;
} fault_totals;

/* Every plan that the options want. */
void fault_try_case(const fault_loop *loop, const fault_case *c, fault_totals *totals);

/* Prints what is wrong (or right) with a run. */
void fault_report(const char *name, const fault_plan *plan, const fault_end *end, const char *what);
/* Prints how many runs there were. */
void fault_print_runs(const fault_totals *totals);

#endif
