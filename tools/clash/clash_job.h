/* SPDX-License-Identifier: MIT
 * clash_job.h: what the files of the verb clash share.
 */
#ifndef CLASH_JOB_H
#define CLASH_JOB_H

#include "clash/clash_baseline.h"
#include "found/clash_filter.h"
#include "found/clash_groups.h"
#include "found/clash_kept.h"
#include "report/clash_outputs.h"
#include "report/clash_rows.h"
#include "clash/clash_gather.h"
#include "clash/clash_journal.h"
#include "rules/clash_rules.h"
#include "clash/clash_share.h"
#include "clash/clash_state.h"
#include "clash/clash_tolerance.h"
#include "zones/clash_zones.h"
#include "cli/operand.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "suggest/suggest_rules.h"

typedef struct clash_settings {
    const char *clearance, *touch, *overlap, *placement_b, *suggest, *places, *incremental,
        *baseline, *state, *cell, *assume_unit, *issues, *bcf, *zones, *verdicts, *min_depth,
        *shard, *output;
    option_list excludes, rules, reports, zone_texts;
    uint64_t jobs, pictures, worst, top;
    int no_issues, same_assembly, contacts, fast, json, quiet, exit_code, merge;
} clash_settings;

typedef struct clash_job {
    const clash_settings *set;
    operand files[2];
    instance_tree trees[2];
    const instance_tree *a, *b; /* equal within one file; b: of the zones, if there are any */
    char created[32];
    clash_zones zones;
    clash_places places;
    clash_run run;
    clash_summary summary;
    clash_rules rules;
    clash_tolerance tolerance;
    clash_rule_use *uses;
    uint64_t *use_sums;
    clash_past_files past;
    clash_baseline baseline;
    issue_log issues; /* what people have said about them */
    clash_state state;
    clash_journal journal;
    shard_number shard;                             /* count 0: the run is not shared */
    bvp_clash_range ranges[BVP_CLASH_SHARE_RANGES]; /* of the share */
    uint32_t range_count, own_count;                /* own: instances in them */
    clash_share_head head;                          /* what all shares of the run have in common */
    clash_share_output share;
    clash_shares shares; /* with --merge */
    clash_outputs outputs;
    clash_rows rows;
    clash_filter filter;
    clash_kept kept;
    clash_gathered gathered;
    clash_groups groups;
    suggestion suggested;
    uint64_t shown[BVP_VERDICT_COUNT]; /* rows by verdict */
    uint64_t findings;                 /* for --exit-code */
    uint64_t *resolved_of;             /* of each issue of the baseline: its resolved pairs */
    uint8_t *unreported;               /* likewise: is a pair of it left out by an option? */
    uint32_t counted_to;               /* uses by earlier instances are in use_sums */
    bvp_clash_coverage before;         /* what a killed run had examined */
    progress bar;
    double began, seconds, marked;
    int stopped; /* by a signal */
    int code;    /* what went wrong in a callback */
} clash_job;

/* Runs the query from the current mark, puts what it has found in order, passes the rows to the
 * outputs, ends them, and fills in the summary. Returns 0, EXIT_STOPPED or the exit code of an
 * error. */
int clash_run_all(clash_job *j);

/* Runs the query over the share's instances, and writes the share. Likewise; EXIT_STOPPED: there is
 * none. */
int clash_run_share(clash_job *j);

/* The row of a kept pair, which is read into *pair; valid until the next call. NULL: that has been
 * said. */
clash_row *clash_row_of(clash_job *j, const clash_found *found, bvp_clash_pair *pair);

/* An issue of the run, with texts that are valid until the next call. 0, or the exit code. */
int clash_issue_of(clash_job *j, uint32_t number, clash_issue *out);

/* The coverage statement and the worst issues, for people and for programs. */
int clash_print(clash_job *j, FILE *out);
int clash_print_json(clash_job *j);
/* Likewise, of a share. */
int clash_print_share(const clash_job *j, FILE *out);
int clash_print_share_json(const clash_job *j);

#endif
