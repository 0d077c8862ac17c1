/* SPDX-License-Identifier: MIT
 * pair_limits.h: the limits of a clash run, and those of one pair after the caller's rule.
 */
#ifndef BVPI_CLASH_PAIR_LIMITS_H
#define BVPI_CLASH_PAIR_LIMITS_H

#include <stdbool.h>

#include "bvpack_clash.h"

/* Replaces NaN by the defaults for instances of `a` and `b` (NULL: of a). False: a limit is
 * negative. */
bool bvpi_clash_fill_limits(bvp_clash_limits *limits, const bvp_file *a, const bvp_file *b);

/* How near two things must be to be a pair. reach: the caller's, or 0. */
double bvpi_clash_reach(const bvp_clash_limits *limits, double reach);

/* What all pairs of a run have in common. */
typedef struct bvpi_clash_terms {
    const bvp_file *a, *b; /* b NULL: the second thing is no instance of another file */
    const bvp_clash_options *options;
    bvp_clash_limits limits;
    double reach;
} bvpi_clash_terms;

/* Asks the rule, if there is one, about pair (pair->a, pair->b), and sets pair->limits.
 * BVP_ERR_ARGUMENT: the rule's limits are none. */
bvp_status bvpi_clash_apply_rule(const bvpi_clash_terms *terms, bvp_clash_pair *pair,
                                 bool *is_excluded);

#endif
