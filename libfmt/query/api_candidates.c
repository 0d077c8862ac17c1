/* SPDX-License-Identifier: MIT
 * api_candidates.c: the triangles that may meet a box, with their corners.
 *
 * The overlap walk with another end: no exact test, and the corners that its floats were decoded to
 * are placed and handed over, so that nobody decodes them again.
 *
 * Slow twins: brute force over all triangles, and bvp_overlap: tests/property/test_candidates.c.
 * Measured: decisions.md, "Candidates for a physics engine".
 */
#include "bvpack.h"
#include "format/source.h"
#include "query/near/overlap.h"

typedef struct candidate_guard {
    const bvpi_call *call;
    bvp_candidate_fn each; /* or NULL */
    void *user;
} candidate_guard;

static int candidate_guarded(void *user, const bvp_hit_id *id, const double corners[9])
{
    const candidate_guard *guard = user;
    return bvpi_call_missed(guard->call) ||
           (guard->each != NULL && guard->each(guard->user, id, corners));
}

bvp_status bvp_candidates_box(const bvp_body *body, const double lo[3], const double hi[3],
                              bvp_candidate_fn callback, void *user, uint64_t *count,
                              bvp_stats *stats)
{
    bvpi_placed_body placed;
    bvpi_meter meter;
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    candidate_guard guard = {&call, callback, user};
    bvpi_overlap_query query = {.candidate = candidate_guarded, .user = &guard};
    bvp_status status = bvpi_region_init(&query.region, bvp_box_region(lo, hi));
    if (status == BVP_OK)
        status = bvpi_placed_body_init(&placed, body);
    if (status == BVP_OK) {
        query.meter = bvpi_meter_init(&meter, placed.control);
        status = BVPI_ISA_CHOOSE(bvpi_overlap_kernel, placed.file->isa)->run(&placed, &query);
        query.stats.steps = bvpi_meter_taken(query.meter);
    }
    bvpi_add_stats(stats, &query.stats);
    if (count)
        *count = query.count;
    return bvpi_call_end(&call, status);
}
