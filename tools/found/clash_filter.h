/* SPDX-License-Identifier: MIT
 * clash_filter.h: which of a run's pairs its reports are to have: --verdicts, --min-depth.
 */
#ifndef CLASH_FILTER_H
#define CLASH_FILTER_H

#include "report/clash_report.h"

/* Zero-initialise: every pair is reported. */
typedef struct clash_filter {
    uint32_t refused; /* a bit for each verdict that is not reported */
    double min_depth; /* in the run's unit */
} clash_filter;

/* Reads "penetrating,enclosed". 0, or says what is wrong and returns the exit code. */
int clash_filter_verdicts(clash_filter *f, const char *option, const char *list);
/* Is the pair reported? If not, it is counted in *counts. What has no proven depth of its own is
 * not left out for want of it: only penetrating and touching pairs are held against min_depth. */
int clash_filter_takes(const clash_filter *f, const bvp_clash_pair *pair, clash_filtered *counts);

#endif
