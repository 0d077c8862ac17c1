/* SPDX-License-Identifier: MIT
 * bcf_markup.h: the texts of a BCF archive beside its viewpoints: what a topic says, and what all
 * topics have in common.
 */
#ifndef BCF_MARKUP_H
#define BCF_MARKUP_H

#include "bcf/bcf_xml.h"
#include "report/clash_report.h"

typedef struct bcf_topic {
    bcf_version version;
    const char *guid, *view_guid;
    int has_view, has_picture;
    uint64_t unlisted; /* pairs that its description leaves out */
} bcf_topic;

/* Of the issue that a row is of, else of the row. */
const char *bcf_markup_id(const clash_row *row);

/* The file markup.bcf up to what is said of its first pair; what is said of another one; the rest.
 * 0, or no memory: that has been said. */
int bcf_markup_begin(FILE *out, const clash_run *run, const clash_row *row, const bcf_topic *t);
void bcf_markup_add(FILE *out, const clash_run *run, const clash_row *row);
int bcf_markup_end(FILE *out, const clash_run *run, const char *id, const bcf_topic *t);

/* The files bcf.version and, of 3.0, extensions.xml: all words that topics use. The latter's code
 * is as above. */
void bcf_markup_version(FILE *out, bcf_version version);
int bcf_markup_extensions(FILE *out, const clash_run *run);

#endif
