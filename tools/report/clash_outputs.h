/* SPDX-License-Identifier: MIT
 * clash_outputs.h: the reports of a clash run, several at once; the extension of a name selects the
 * form.
 */
#ifndef CLASH_OUTPUTS_H
#define CLASH_OUTPUTS_H

#include "report/clash_report.h"
#include "text/json.h"
#include "cli/verb.h"

/* Zero-initialise. */
typedef struct clash_outputs {
    clash_report reports[OPTION_LIST_MAX];
    int count; /* of those that are open */
} clash_outputs;

/* All return 0, or say what is wrong and return the exit code. */
/* Opens and begins them all. */
int clash_outputs_begin(clash_outputs *o, const option_list *paths, const clash_run *run);
/* Could they be opened? Nothing is left behind. */
int clash_outputs_try(const option_list *paths);
int clash_outputs_row(clash_outputs *o, const clash_row *row);
/* Ends them all; they then have their names. */
int clash_outputs_end(clash_outputs *o, const clash_summary *summary);
/* Removes what has not been ended. */
void clash_outputs_discard(clash_outputs *o);
/* Is standard output one of them? */
int clash_outputs_take_stdout(const option_list *paths);

/* The members of a row, as a report of the form jsonl has them. */
void report_jsonl_members(json *out, const clash_row *row);
/* The object "filtered" of a run's summary. */
void report_jsonl_filtered(json *out, const clash_filtered *filtered);
/* The arrays "rules" and "warnings" of a run, of those forms that end with its summary. */
void report_jsonl_rules(json *out, const clash_summary *summary);

#endif
