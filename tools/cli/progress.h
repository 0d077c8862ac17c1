/* SPDX-License-Identifier: MIT
 * progress.h: one line on the terminal that shows the progress of a long job, its rate and the time
 * left.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct progress {
    int shown;        /* standard error is a terminal and -q was not given */
    int visible;      /* a line stands on the terminal now */
    atomic_flag busy; /* calls may come from any thread; those that meet another are dropped */
    char stage[40];
    double began; /* of the job, seconds */
    double stage_began;
    double drawn; /* last drawing */
} progress;

void progress_start(progress *p, int quiet);
/* For the progress members of import_options and bvp_build_options; user is the progress. */
void progress_update(void *user, const char *stage, uint64_t done, uint64_t total);
/* Wipes the line. */
void progress_stop(progress *p);

double seconds_now(void);

#endif
