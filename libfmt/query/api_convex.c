/* SPDX-License-Identifier: MIT
 * api_convex.c: the public queries of a body and a convex body.
 *
 * Held by tests/property/test_convex.c.
 */
#include "bvpack.h"
#include "format/source.h"
#include "query/near/convex_query.h"

BVPI_GUARD(id, bvp_hit_fn, bvp_hit_id)

/* A query that bvpi_convex_query_init() has accepted. */
static bvp_status ask(const bvp_body *body, bvpi_convex_query *query, bvp_stats *stats)
{
    bvpi_placed_body placed;
    bvpi_meter meter;
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    id_guard guard = {&call, query->each, query->user};
    if (query->each) {
        query->each = id_guarded;
        query->user = &guard;
    }
    bvp_status status = bvpi_placed_body_init(&placed, body);
    if (status == BVP_OK) {
        query->meter = bvpi_meter_init(&meter, placed.control);
        status = BVPI_ISA_CHOOSE(bvpi_convex_kernel, placed.file->isa)->run(&placed, query);
        query->stats.steps = bvpi_meter_taken(query->meter);
        bvpi_add_stats(stats, &query->stats);
    }
    status = bvpi_call_end(&call, status);
    if (status != BVP_OK)
        query->best = (bvp_distance_result){.found = 0};
    return status;
}

bvp_status bvp_convex_collide(const bvp_body *body, const bvp_convex *convex, int *hit,
                              bvp_stats *stats)
{
    return bvp_convex_within(body, convex, 0, hit, NULL, stats);
}

bvp_status bvp_convex_within(const bvp_body *body, const bvp_convex *convex, double delta,
                             int *within, bvp_distance_result *out, bvp_stats *stats)
{
    bvpi_convex_query query;
    if (!within)
        return BVP_ERR_ARGUMENT;
    bvp_status status = bvpi_convex_query_init(&query, convex, BVPI_CONVEX_ANY, delta);
    if (status == BVP_OK)
        status = ask(body, &query, stats);
    *within = query.best.found;
    if (out)
        *out = query.best;
    return status;
}

bvp_status bvp_convex_distance(const bvp_body *body, const bvp_convex *convex, double limit,
                               bvp_distance_result *out, bvp_stats *stats)
{
    bvpi_convex_query query;
    if (!out)
        return BVP_ERR_ARGUMENT;
    bvp_status status = bvpi_convex_query_init(&query, convex, BVPI_CONVEX_NEAREST, limit);
    if (status == BVP_OK)
        status = ask(body, &query, stats);
    *out = query.best;
    return status;
}

bvp_status bvp_convex_each(const bvp_body *body, const bvp_convex *convex, bvp_hit_fn callback,
                           void *user, uint64_t *count, bvp_stats *stats)
{
    bvpi_convex_query query;
    bvp_status status = bvpi_convex_query_init(&query, convex, BVPI_CONVEX_ALL, 0);
    query.each = callback;
    query.user = user;
    if (status == BVP_OK)
        status = ask(body, &query, stats);
    if (count)
        *count = query.count;
    return status;
}
