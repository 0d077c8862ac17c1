/* SPDX-License-Identifier: MIT
 * diff_findings.h: what the files of the verb diff share.
 */
#ifndef DIFF_FINDINGS_H
#define DIFF_FINDINGS_H

#include "diff/diff_rows.h"

typedef struct diff_settings {
    const char *tolerance, *assume_unit;
    uint64_t row_max; /* of each change, for people */
    int all, json, quiet, exit_code;
} diff_settings;

typedef struct diff_job {
    const diff_settings *set;
    bvp_file *files[2];
    match_side a, b;
    double tolerance; /* in units of the first file */
    diff_rows parts, nodes;
    int differ;
    int *no_memory; /* set when something could not be printed */
} diff_job;

/* Do the files' units, up axes or tessellation tolerances differ? */
int diff_heads_differ(const diff_job *j);
int diff_tessellations_differ(const diff_job *j);

void diff_print(const diff_job *j);
void diff_print_json(const diff_job *j);

#endif
