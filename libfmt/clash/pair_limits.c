/* SPDX-License-Identifier: MIT
 * pair_limits.c: the limits of a clash run, and those of one pair after the caller's rule.
 */
#include "clash/pair_limits.h"

#include <math.h>

bool bvpi_clash_fill_limits(bvp_clash_limits *limits, const bvp_file *a, const bvp_file *b)
{
    if (isnan(limits->touch_gap))
        limits->touch_gap = bvp_clash_touch_gap(a, b);
    if (isnan(limits->overlap))
        limits->overlap = limits->touch_gap;
    return limits->clearance >= 0 && limits->touch_gap >= 0 && limits->overlap >= 0;
}

double bvpi_clash_reach(const bvp_clash_limits *limits, double reach)
{
    return fmax(reach, fmax(limits->clearance, limits->touch_gap));
}

bvp_status bvpi_clash_apply_rule(const bvpi_clash_terms *terms, bvp_clash_pair *pair,
                                 bool *is_excluded)
{
    const bvp_clash_options *options = terms->options;
    pair->limits = terms->limits;
    *is_excluded = options->rule != NULL &&
                   options->rule(options->rule_user, pair->a, pair->b, &pair->limits) != 0;
    if (*is_excluded)
        return BVP_OK;
    if (options->rule != NULL && !bvpi_clash_fill_limits(&pair->limits, terms->a, terms->b))
        return BVP_ERR_ARGUMENT;
    /* a rule cannot ask for more than the reach: pairs beyond it were never candidates */
    pair->limits.clearance = fmin(pair->limits.clearance, terms->reach);
    pair->limits.touch_gap = fmin(pair->limits.touch_gap, terms->reach);
    return BVP_OK;
}
