/* SPDX-License-Identifier: MIT
 * issue_import.h: what has been changed in a BCF archive that comes back from a BIM tool, as
 * events.
 */
#ifndef ISSUE_IMPORT_H
#define ISSUE_IMPORT_H

#include "issues/bcf_read.h"
#include "issues/issue_log.h"
#include "issues/issue_titles.h"
#include "text/json.h"

enum { IMPORT_LISTED = 20 /* texts of a kind that are kept to be shown */ };

typedef struct import_texts {
    char *items[IMPORT_LISTED];
    uint64_t count; /* of all */
} import_texts;

/* What one archive brought. */
typedef struct issue_import {
    const char *path;
    char version[BCF_VERSION_SIZE];
    uint64_t topics, statuses, assignees, comments, changed_comments, known_comments;
    uint64_t late;        /* changes that something said later has overtaken */
    import_texts foreign; /* titles of topics of no issue here */
    import_texts words;   /* for a status that nobody knows, taken for active */
} issue_import;

/* Who and when, for what the archive does not say it of. */
typedef struct import_default {
    const char *author, *time;
} import_default;

/* Adds the events of an archive to a sorted log, which is sorted again. Topics are known by ids of
 * the log and the titles, and by the mark in their description. What the log has already is not
 * added again. 0, or says what is wrong and returns the exit code; then nothing was added. */
int issue_import_read(issue_import *out, const char *path, issue_log *log,
                      const issue_titles *titles, const import_default *otherwise);
void issue_import_print(const issue_import *i, FILE *out);
void issue_import_json(const issue_import *i, json *out);
void issue_import_free(issue_import *i);

#endif
