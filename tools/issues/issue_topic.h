/* SPDX-License-Identifier: MIT
 * issue_topic.h: an issue as a topic of BCF: what its status is called there, and the mark by which
 * a topic that comes back says what it was when it was written.
 *
 * Tools keep a topic's description. The mark in it, "Issue: ID [Open] [anna]", says which issue it
 * is, and shows what has been changed since: a topic that nobody has touched changes nothing, also
 * if others have meanwhile said something else.
 */
#ifndef ISSUE_TOPIC_H
#define ISSUE_TOPIC_H

#include "issues/issue_log.h"

enum { ISSUE_MARK_SIZE = ISSUE_NAME_MAX + 1 };

/* The TopicStatus of an issue; is_gone: it is no more. */
const char *issue_topic_status(const issue_record *record, int is_gone);

typedef struct issue_mark {
    char id[ISSUE_ID_SIZE];
    int is_whole;                                            /* the description has the rest, too */
    char status[ISSUE_MARK_SIZE], assignee[ISSUE_MARK_SIZE]; /* plain */
} issue_mark;

/* A text in one line of at most ISSUE_NAME_MAX bytes: blanks single, without control characters. */
void issue_topic_name(const char *text, char out[ISSUE_MARK_SIZE]);
/* The same without brackets, as a mark has it. */
void issue_mark_plain(const char *name, char out[ISSUE_MARK_SIZE]);
/* Finds the mark of the issue that has this topic; blanks may have become others. 0: there is none.
 * O(length). */
int issue_mark_find(const char *description, const char *topic_guid, issue_mark *out);

#endif
