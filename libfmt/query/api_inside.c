/* SPDX-License-Identifier: MIT
 * api_inside.c: is a point inside a body, and how far is it from its surface, with a sign?
 *
 * Slow twin: tests/property/test_inside.c.
 * Spec: exactness.md, chapter 10, "Inside"
 */
#include <math.h>

#include "format/source.h"
#include "query/body/caller_array.h"
#include "query/near/closest.h"
#include "query/solid/solid.h"

/* ---- one point ------------------------------------------------------------------------------- */

static bvp_status ask_signed(const bvpi_placed_body *placed, const double point[3],
                             double max_distance, bvpi_meter *meter, bvp_signed_result *out,
                             bvp_stats *stats)
{
    bvpi_closest_query query;
    bvp_status status = bvpi_solid_where(placed, point, true, meter, &out->inside, stats);
    if (status == BVP_OK)
        status = bvpi_closest_query_init(&query, point, max_distance);
    if (status == BVP_OK) {
        query.meter = meter;
        status = BVPI_ISA_CHOOSE(bvpi_closest_kernel, placed->file->isa)->run(placed, &query);
        bvpi_add_stats(stats, &query.stats);
    }
    if (status != BVP_OK) {
        *out = (bvp_signed_result){.inside = {.instance = BVP_NONE}};
        return status;
    }
    const bvp_inside_result *inside = &out->inside;
    out->nearest = query.best;
    if (inside->where == BVP_WHERE_SURFACE)
        out->nearest.distance = 0;
    if (inside->where == BVP_WHERE_INSIDE ||
        (inside->where == BVP_WHERE_OPEN && fabs(inside->winding) >= 0.5))
        out->nearest.distance = -out->nearest.distance;
    return BVP_OK;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A batch of one kind of question. */
typedef struct point_batch {
    bvp_const_array points;
    bvp_array results;
    double max_distance;
    bool is_signed;
} point_batch;

static bvp_status ask_all(const bvp_body *body, const point_batch *batch, size_t *done,
                          bvp_stats *stats)
{
    bvpi_placed_body placed;
    bvpi_kept_parts kept;
    bvpi_meter own, *meter = NULL;
    bvp_status status = bvpi_placed_body_init(&placed, body);
    if (!bvpi_arrays_match(&batch->points, &batch->results))
        status = BVP_ERR_ARGUMENT;
    if (status == BVP_OK)
        meter = bvpi_meter_init(&own, placed.control);
    if (status == BVP_OK && batch->points.count > 1)
        bvpi_placed_body_keep(&placed, &kept);
    while (status == BVP_OK && *done < batch->points.count) {
        const double *point = bvpi_const_element(&batch->points, 3 * sizeof *point, *done);
        const size_t size =
            batch->is_signed ? sizeof(bvp_signed_result) : sizeof(bvp_inside_result);
        void *out = bvpi_element(&batch->results, size, *done);
        status = batch->is_signed
                     ? ask_signed(&placed, point, batch->max_distance, meter, out, stats)
                     : bvpi_solid_where(&placed, point, true, meter, out, stats);
        *done += status == BVP_OK;
    }
    if (stats)
        stats->steps += bvpi_meter_taken(meter);
    return status;
}

static bvp_status run(const bvp_body *body, const point_batch *batch, size_t *done,
                      bvp_stats *stats)
{
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    size_t answered = 0;
    const bvp_status status = bvpi_call_end(&call, ask_all(body, batch, &answered, stats));
    if (done)
        *done = answered;
    return status;
}

bvp_status bvp_inside_batch(const bvp_body *body, bvp_const_array points, bvp_array results,
                            size_t *done, bvp_stats *stats)
{
    const point_batch batch = {.points = points, .results = results};
    return run(body, &batch, done, stats);
}

bvp_status bvp_inside(const bvp_body *body, const double point[3], bvp_inside_result *out,
                      bvp_stats *stats)
{
    return bvp_inside_batch(body, (bvp_const_array){point, 0, 1}, (bvp_array){out, 0, 1}, NULL,
                            stats);
}

bvp_status bvp_signed_closest_batch(const bvp_body *body, bvp_const_array points,
                                    double max_distance, bvp_array results, size_t *done,
                                    bvp_stats *stats)
{
    const point_batch batch = {points, results, max_distance, true};
    return run(body, &batch, done, stats);
}

bvp_status bvp_signed_closest(const bvp_body *body, const double point[3], double max_distance,
                              bvp_signed_result *out, bvp_stats *stats)
{
    return bvp_signed_closest_batch(body, (bvp_const_array){point, 0, 1}, max_distance,
                                    (bvp_array){out, 0, 1}, NULL, stats);
}
