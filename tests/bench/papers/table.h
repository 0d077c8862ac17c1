/* SPDX-License-Identifier: MIT
 * table.h: what the benchmark of the papers writes: Markdown, the same tables as CSV, claims.
 */
#ifndef PAPERS_TABLE_H
#define PAPERS_TABLE_H

#include <stdbool.h>
#include <stdio.h>

/* Opens `chapter`.md in `directory`, where the tables' CSV files go as well; ends the program on
 * failure, as all functions here do. */
void report_open(const char *directory, const char *chapter);
/* Writes the claims to claims_`chapter`.csv, and to claims_`chapter`.md as rows of a table; closes.
 * A claim without a control ends the program. */
void report_close(void);

void report_heading(const char *title);
/* A paragraph. */
void report_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Where `directory`/`name` is to be written. */
FILE *report_create(const char *name);
/* Shows a plot that was written there. */
void report_picture(const char *name, const char *title);

/* A table `name`.csv; columns and cells are separated by '|'. One is open at a time. A column with
 * '#' before its name holds counts: the same in every run, and compared by check_papers.py. The
 * columns before the first one of these tell which row it is. */
void table_begin(const char *name, const char *title, const char *columns);
void table_row(const char *format, ...) __attribute__((format(printf, 1, 2)));
void table_end(void);

typedef enum verdict { HOLDS, DOES_NOT_HOLD, NOT_MEASURED } verdict;

/* A claim of a paper; shown at once and in the list of all. figure: the paper's; evidence: the
 * table that shows ours; control: what the same run measured beside it, so that the verdict's cause
 * can be seen. */
typedef struct claim {
    const char *paper, *text, *figure, *evidence;
    verdict verdict;
    char ours[500], control[800];
} claim;
void report_claim(const claim *claim);
verdict verdict_of(bool holds);

#endif
