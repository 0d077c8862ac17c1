/* SPDX-License-Identifier: MIT
 * function_cases.h: uses of the public functions, all of them between them.
 */
#ifndef TESTS_FAULT_FUNCTION_CASES_H
#define TESTS_FAULT_FUNCTION_CASES_H

#include <stddef.h>

typedef struct function_case {
    const char *name;
    int (*ask)(void); /* 0, or what end() of answer.h says */
    int has_threads;  /* which keep memory for those that come */
    const char *old;  /* a file that is there before, or NULL */
} function_case;

extern const function_case function_cases[];
extern const size_t function_case_count;

/* Opens what the cases are given, once, in the folder of inputs_enter. */
void function_cases_begin(void);
/* Before a run and after it: what cases write to a descriptor is forgotten; is noted. */
void function_cases_empty_sink(void);
void function_cases_note_sink(void);

#endif
