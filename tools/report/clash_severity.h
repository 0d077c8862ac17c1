/* SPDX-License-Identifier: MIT
 * clash_severity.h: which of two clashing pairs is the more severe: the order of all reports.
 */
#ifndef CLASH_SEVERITY_H
#define CLASH_SEVERITY_H

#include "bvpack_clash.h"

/* The verdicts, the most severe first: enclosed, duplicate, penetrating, unknown, within, touching;
 * then clear. 0: the most severe. */
int clash_severity_rank(bvp_verdict verdict);
/* The verdict of a rank, 0 to BVP_VERDICT_COUNT - 1. */
bvp_verdict clash_severity_verdict(int rank);
/* Below 0: the first is more severe; 0: they are equally so. Of the same verdict the deeper one is,
 * then the nearer one. A number that is NaN counts as 0. */
typedef struct clash_severity {
    bvp_verdict verdict;
    double depth, distance;
} clash_severity;
int clash_severity_compare(const clash_severity *a, const clash_severity *b);

#endif
