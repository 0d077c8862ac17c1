/* SPDX-License-Identifier: MIT
 * issue_titles.h: the issues of a clash report: what an id is called.
 */
#ifndef ISSUE_TITLES_H
#define ISSUE_TITLES_H

#include <stddef.h>
#include <stdint.h>
#include "issues/issue_log.h"

typedef struct issue_title {
    char id[ISSUE_ID_SIZE];
    char *title;     /* or "" */
    uint64_t number; /* 1: the most severe issue; 0: it is no more */
} issue_title;

/* Zero-initialise. */
typedef struct issue_titles {
    issue_title *items; /* ascending by id, each once */
    size_t count, capacity;
} issue_titles;

/* Adds the issues of a report of the form jsonl; of an id that is there the first title stays. 0,
 * or says what is wrong, with the line, and returns the exit code. */
int issue_titles_read(issue_titles *t, const char *path);
/* NULL: it has no such issue. */
const issue_title *issue_titles_find(const issue_titles *t, const char *id);
void issue_titles_close(issue_titles *t);

#endif
