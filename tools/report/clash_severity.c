/* SPDX-License-Identifier: MIT
 * clash_severity.c: which of two clashing pairs is the more severe: the order of all reports.
 *
 * What is inside something else, or there twice, comes first, because no measured depth says how
 * wrong it is.
 */
#include "report/clash_severity.h"

#include <assert.h>
#include <math.h>

static const bvp_verdict in_order[] = {
    BVP_VERDICT_ENCLOSED, BVP_VERDICT_DUPLICATE, BVP_VERDICT_PENETRATING, BVP_VERDICT_UNKNOWN,
    BVP_VERDICT_WITHIN,   BVP_VERDICT_TOUCHING,  BVP_VERDICT_CLEAR};
_Static_assert(sizeof in_order / sizeof in_order[0] == BVP_VERDICT_COUNT, "each verdict once");

int clash_severity_rank(bvp_verdict verdict)
{
    int rank = 0;
    while (rank < BVP_VERDICT_COUNT - 1 && in_order[rank] != verdict)
        rank++;
    return rank;
}

bvp_verdict clash_severity_verdict(int rank)
{
    assert(rank >= 0 && rank < BVP_VERDICT_COUNT);
    return in_order[rank];
}

static int order_of(double a, double b)
{
    const double x = isnan(a) ? 0 : a, y = isnan(b) ? 0 : b;
    return (x > y) - (x < y);
}

int clash_severity_compare(const clash_severity *a, const clash_severity *b)
{
    const int rank = clash_severity_rank(a->verdict) - clash_severity_rank(b->verdict);
    if (rank != 0)
        return rank;
    const int depth = order_of(b->depth, a->depth);
    return depth != 0 ? depth : order_of(a->distance, b->distance);
}
