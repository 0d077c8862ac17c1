/* SPDX-License-Identifier: MIT
 * plan_stages.h: what to run: stages one after the other, each of tasks that do not depend on one
 * another.
 */
#ifndef PLAN_STAGES_H
#define PLAN_STAGES_H

#include "cli/verb.h"
#include "plan/plan_export.h"

typedef struct plan_task {
    char *command;
    char *output; /* the file that it ends with, or NULL: its parts go into the store */
    double seconds;
    uint64_t memory, file_count, size; /* memory in bytes; of the files that it reads and packs */
} plan_task;

typedef struct plan_stage {
    const char *name;
    plan_task *tasks;
    size_t task_count;
    double seconds, longest; /* of all tasks; of the longest one */
    double makespan;         /* from the first to the last, on all machines */
} plan_stage;

enum { PLAN_STAGES = 4 };

typedef struct plan_settings {
    const char *output, *store, *work, *pack, *clash, *reporting, *stage;
    option_list reports;
    uint64_t machines, threads, tasks; /* tasks: of pack and clash each; 0: by what they take */
    double task_seconds;               /* a task is to take at least that */
    int json, no_clash, missing;
} plan_settings;

typedef struct plan_stages {
    const plan_settings *set; /* with output and work filled in */
    const plan_export *export;
    plan_stage stages[PLAN_STAGES];
    int stage_count;
} plan_stages;

/* Returns the exit code; *out is freed by the caller in any case. O(tasks log machines). */
int plan_stages_make(const plan_settings *set, const plan_export *export, plan_stages *out);
void plan_stages_free(plan_stages *p);

#endif
