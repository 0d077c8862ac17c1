/* SPDX-License-Identifier: MIT
 * clash_rows.h: makes the rows of a report: from pairs of instances, or from a baseline's lines.
 */
#ifndef CLASH_ROWS_H
#define CLASH_ROWS_H

#include "report/clash_report.h"
#include "query/instance_tree.h"

typedef struct clash_rows {
    const instance_tree *a, *b; /* equal within one file */
    const double *placement_b;
    double cell;
    growing_text path_a, path_b, name_a, name_b, part_a, part_b, group;
    char place[96];
    bvp_clash_pair nothing; /* of resolved rows */
    clash_row row;
} clash_rows;

/* What a baseline keeps of a pair. */
typedef struct clash_past {
    const char *id, *a, *b, *part_a, *part_b, *verdict, *group, *place;
    const char *issue, *issue_title; /* "" in a report that has none */
    uint32_t issue_number;           /* of the baseline, or BVP_NONE */
    size_t known;                    /* where the baseline has it */
    double distance;                 /* 0: unknown */
    uint32_t instance_a, instance_b; /* of this run, where the baseline's files say it; BVP_NONE */
} clash_past;

void clash_rows_start(clash_rows *r, const clash_run *run, const instance_tree *a,
                      const instance_tree *b);
void clash_rows_close(clash_rows *r);

/* The row of a pair, valid until the next call, with state and was "". NULL: no memory, and that
 * has been said. rule: its name, or "". */
clash_row *clash_rows_make(clash_rows *r, const bvp_clash_pair *pair, const char *rule);
/* The row of a pair that is no more. */
clash_row *clash_rows_resolved(clash_rows *r, const clash_past *past);

/* The identity of a pair alone. */
void clash_rows_id(const clash_rows *r, uint32_t a, uint32_t b, uint8_t id[16]);
/* A round number of about a twentieth of the world's largest extent: 1, 2 or 5 times a power of
 * ten. */
double clash_default_cell(const bvp_file_info *info);

#endif
