/* SPDX-License-Identifier: MIT
 * pack_report.h: what a file was made of, and the result of packing.
 */
#ifndef PACK_REPORT_H
#define PACK_REPORT_H

#include <stdio.h>
#include "cli/unit_hint.h"
#include "pack/pack_input.h"
#include "pack/pack_store.h"

typedef struct pack_result {
    const pack_plan *plan;
    const pack_input *input;
    const shard_counts *share;
    const pack_store_counts *store; /* or NULL */
    bvp_build_report report;
    double seconds_import;
    char unit_hint[UNIT_HINT_MAX]; /* or "" */
} pack_result;

/* *text: the record of sources and options that goes into the file, as JSON text, to be freed.
 * Returns the exit code. */
int pack_provenance(const pack_input *in, const pack_plan *plan, char **text);
/* What has been done, for people and for programs. path "": there is no file. */
void pack_summarise(FILE *out, const pack_result *r, const char *path);
void pack_result_as_json(const pack_result *r, const char *path);

#endif
