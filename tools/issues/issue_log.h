/* SPDX-License-Identifier: MIT
 * issue_log.h: what people have said about issues: a file of events beside the model.
 * Spec: clash.md, "What people say about issues"
 */
#ifndef ISSUE_LOG_H
#define ISSUE_LOG_H

#include <stddef.h>
#include <stdint.h>
#include "issues/issue_date.h"
#include "issues/issue_guid.h"
#include "issues/issue_status.h"

/* The file of the issues of plant.bvp is plant.bvp-issues.jsonl. */
#define ISSUE_LOG_ENDING "-issues.jsonl"

enum { ISSUE_ID_SIZE = 33, ISSUE_NAME_MAX = 1 << 10, ISSUE_COMMENT_MAX = 1 << 20 };

/* Somebody has said something. Texts are UTF-8. What has not been said is NULL. */
typedef struct issue_event {
    const char *time;     /* plain (issue_date.h) */
    const char *issue;    /* 32 lower-case hexadecimal digits */
    const char *author;   /* not empty */
    const char *status;   /* one of our names */
    const char *word;     /* with a status: a BIM tool's word for it */
    const char *assignee; /* "": nobody */
    const char *comment;  /* not empty */
    const char *guid;     /* with a comment: a BIM tool's identifier of it */
    const char *line;     /* the log's own: its form in the file */
} issue_event;

/* Zero-initialise. Events are in the order of their lines, which is that of their times; of events
 * at one time the order of the lines decides. Each is there once. */
typedef struct issue_log {
    issue_event *events;
    size_t count, capacity;
    const issue_event **by_issue; /* by issue, then in their order */
} issue_log;

/* What the events of an issue come to: of each matter the latest one decides. */
typedef struct issue_record {
    issue_status status;
    const char *word;          /* of another tool for the status, or "" */
    const char *assignee;      /* "": nobody */
    const char *time, *author; /* of the latest event; "" when there is none */
    uint32_t first, count;     /* of its events, in by_issue */
} issue_record;

/* A comment, which may have been changed since. */
typedef struct issue_comment {
    char guid[ISSUE_GUID_SIZE];
    const issue_event *first, *last; /* last: whose text counts */
} issue_comment;

/* All return 0, or say what is wrong, with the line, and return the exit code. */
/* Adds the events of a file. is_optional: there need not be one. */
int issue_log_read(issue_log *log, const char *path, int is_optional);
/* Adds a copy of an event, which is as it should be. issue_log_sort must follow. */
int issue_log_add(issue_log *log, const issue_event *event);
/* Puts the events in order, each once. O(n log n). */
int issue_log_sort(issue_log *log);
/* Writes the file anew; complete or not at all. */
int issue_log_write(const issue_log *log, const char *path);
void issue_log_close(issue_log *log);

/* The name of the file beside a model, or `given`, if that is no model's name; to be freed. NULL:
 * no memory. */
char *issue_log_path(const char *given);

/* What is wrong with an event, or NULL. */
const char *issue_event_wrong(const issue_event *event);

/* Of a sorted log. An issue without events is new. O(log n) and its events. */
issue_record issue_log_find(const issue_log *log, const char *issue);
/* Its comments in the order of their beginning; *out is the caller's to free. */
int issue_log_comments(const issue_log *log, const issue_record *record, issue_comment **out,
                       size_t *count);
/* The identifier of an event that is a comment. */
void issue_comment_guid(const issue_event *event, char out[ISSUE_GUID_SIZE]);
/* Its events' number i of record->count. */
const issue_event *issue_log_event(const issue_log *log, const issue_record *record, uint32_t i);

/* Whoever changes the file holds the lock of its folder meanwhile: a change that another one makes
 * at the same time would be lost. A descriptor to be closed, or -1: this system cannot lock it. */
int issue_log_lock(const char *path);

#endif
