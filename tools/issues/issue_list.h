/* SPDX-License-Identifier: MIT
 * issue_list.h: which issues there are, in order, and what has been said about them, for people and
 * programs.
 */
#ifndef ISSUE_LIST_H
#define ISSUE_LIST_H

#include <stdio.h>
#include "issues/issue_log.h"
#include "issues/issue_titles.h"
#include "text/json.h"

/* Zero-initialise. */
typedef struct issue_list {
    const issue_log *log;
    const issue_titles *titles;
    struct issue_item {
        const char *id; /* in the log or the titles, which stay */
        issue_record record;
        const issue_title *title; /* or NULL */
    } * items;
    size_t count;
} issue_list;

/* All return 0, or say what is wrong and return the exit code. */
/* All issues of the log and of the titles, those that need somebody first: new, active, reviewed,
 * resolved, approved; then in the order of the report, then by id. */
int issue_list_make(issue_list *l, const issue_log *log, const issue_titles *titles);
/* The number of the issue whose id begins so, or that has no event yet and is given whole:
 * then *out is l->count. */
int issue_list_find(const issue_list *l, const char *prefix, size_t *out);
void issue_list_close(issue_list *l);

/* A line an issue. */
int issue_list_print(const issue_list *l, FILE *out);
/* One issue with its events. */
void issue_list_print_one(const issue_list *l, size_t number, FILE *out);
/* An object. */
int issue_list_json(const issue_list *l, size_t number, json *out);

#endif
