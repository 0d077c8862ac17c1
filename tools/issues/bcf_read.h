/* SPDX-License-Identifier: MIT
 * bcf_read.h: the topics of a BCF archive, with what people have said about them.
 */
#ifndef BCF_READ_H
#define BCF_READ_H

#include <stddef.h>
#include "issues/issue_guid.h"

/* Texts are UTF-8, "" when the file has none, and valid during the call. */
typedef struct bcf_said {
    char guid[ISSUE_GUID_SIZE]; /* "" when it has none that is one */
    const char *date, *author, *text, *modified_date, *modified_author;
} bcf_said;

typedef struct bcf_read_topic {
    const char *place; /* "edited.bcf: GUID/markup.bcf", for messages */
    char guid[ISSUE_GUID_SIZE];
    const char *status, *title, *assignee, *description, *modified_date, *modified_author;
    const bcf_said *comments;
    size_t comment_count;
} bcf_read_topic;

/* 0 to go on, or an exit code after a message. */
typedef int (*bcf_topic_fn)(void *user, const bcf_read_topic *topic);

enum { BCF_VERSION_SIZE = 16 };

/* Reads an archive of BCF 2.0, 2.1 or 3.0, and calls for each topic in its order. Of each file at
 * most 8 MiB are unpacked, of all 512 MiB. version: what the archive says it is, or "". 0, or says
 * what is wrong, with file and line, and returns the exit code. */
int bcf_read(const char *path, char version[BCF_VERSION_SIZE], bcf_topic_fn callback, void *user);

#endif
