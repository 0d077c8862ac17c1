/* SPDX-License-Identifier: MIT
 * pair_body.c: which instances of two bodies meet, in which order.
 */
#include "query/pair.h"

/* What `item` of a body is. False: the query is over, for what the file says about it. */
static bool get_part(bvpi_pair_query *query, const bvpi_subject *subject, uint32_t item,
                     bvpi_placed_part *buffer, const bvpi_placed_part **out)
{
    *out = &subject->one;
    if (!subject->is_assembly)
        return true;
    *out = buffer;
    query->status = bvpi_subject_instance(subject, item, buffer);
    query->done = query->done || query->status != BVP_OK;
    return query->status == BVP_OK;
}

void bvpi_pair_enter(bvpi_pair_query *query, uint32_t item_a, uint32_t item_b)
{
    bvpi_placed_part buffer_a, buffer_b;
    const bvpi_placed_part *a, *b;
    if (query->self && item_a >= item_b)
        return;
    if (!get_part(query, &query->a, item_a, &buffer_a, &a) ||
        !get_part(query, query->self ? &query->a : &query->b, item_b, &buffer_b, &b))
        return;
    query->stats.instance_pairs++;
    query->kernel->parts(query, a, b);
}

static bool is_empty(const bvpi_subject *subject)
{
    return subject->is_assembly && subject->is_empty;
}

void bvpi_pair_run(bvpi_pair_query *query)
{
    if (is_empty(&query->a) || (!query->self && is_empty(&query->b)))
        return;
    if (!query->a.is_assembly && !query->self && !query->b.is_assembly)
        bvpi_pair_enter(query, 0, 0);
    else if (query->a.is_assembly || !query->self)
        query->kernel->scenes(query);
}
