/* SPDX-License-Identifier: MIT
 * api_body.c: the public queries of one body: arguments, instruction set, answers, batches.
 *
 * Held by tests/property/test_ray.c, test_ray_packet.c, test_closest.c and test_overlap.c.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "bvpack.h"
#include "format/source.h"
#include "query/body/caller_array.h"
#include "query/near/closest.h"
#include "query/near/near_order.h"
#include "query/near/overlap.h"
#include "query/ray/ray_query.h"

/* ---- rays ------------------------------------------------------------------------------------ */

/* Fills query->hit or calls back. */
static bvp_status ask_ray(const bvpi_placed_body *placed, const bvp_ray *ray, bvpi_ray_mode mode,
                          bvp_ray_hit_fn each, void *user, bvpi_ray_query *query, bvp_stats *stats)
{
    bvp_status status = bvpi_ray_query_init(query, ray, mode);
    if (status != BVP_OK)
        return status;
    bvpi_meter meter;
    query->each = each;
    query->user = user;
    query->meter = bvpi_meter_init(&meter, placed->control);
    status = BVPI_ISA_CHOOSE(bvpi_ray_kernel, placed->file->isa)->run(placed, query);
    query->stats.steps = bvpi_meter_taken(query->meter);
    bvpi_add_stats(stats, &query->stats);
    return status;
}

/* The short way for one ray, where there is one. */
static bvp_status ask_one_ray(const bvp_body *body, const bvp_ray *ray, bvpi_ray_mode mode,
                              bvpi_ray_query *query, bvp_stats *stats)
{
    const bvpi_placed_part *part = bvpi_ready_part(body);
    bvpi_placed_body placed;
    assert(mode != BVPI_RAY_ALL); /* it has no function to call */
    bvp_status status = ray ? BVP_OK : BVP_ERR_ARGUMENT;
    if (status == BVP_OK && part) {
        status = bvpi_ray_query_init(query, ray, mode);
        if (status == BVP_OK)
            status = BVPI_ISA_CHOOSE(bvpi_ray_kernel, body->file->isa)->run_part(part, query);
        bvpi_add_stats(stats, &query->stats);
        return status;
    }
    if (status == BVP_OK)
        status = bvpi_placed_body_init(&placed, body);
    return status == BVP_OK ? ask_ray(&placed, ray, mode, NULL, NULL, query, stats) : status;
}

static bvp_status ask_one(const bvp_body *body, const bvp_ray *ray, bvpi_ray_mode mode,
                          bvpi_ray_query *query, bvp_stats *stats)
{
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    return bvpi_call_end(&call, ask_one_ray(body, ray, mode, query, stats));
}

bvp_status bvp_ray_first(const bvp_body *body, const bvp_ray *ray, bvp_ray_hit *hit,
                         bvp_stats *stats)
{
    bvpi_ray_query query;
    const bvp_status status =
        hit ? ask_one(body, ray, BVPI_RAY_FIRST, &query, stats) : BVP_ERR_ARGUMENT;
    if (status == BVP_OK)
        bvpi_ray_query_answer(&query, hit);
    else if (status == BVP_ERR_CANCELLED)
        *hit = (bvp_ray_hit){.found = 0};
    return status;
}

bvp_status bvp_ray_any(const bvp_body *body, const bvp_ray *ray, int *hit, bvp_stats *stats)
{
    bvpi_ray_query query;
    const bvp_status status =
        hit ? ask_one(body, ray, BVPI_RAY_ANY, &query, stats) : BVP_ERR_ARGUMENT;
    if (status == BVP_OK)
        *hit = query.hit.found;
    else if (status == BVP_ERR_CANCELLED)
        *hit = 0;
    return status;
}

BVPI_GUARD(hit, bvp_ray_hit_fn, bvp_ray_hit)

bvp_status bvp_ray_all(const bvp_body *body, const bvp_ray *ray, bvp_ray_hit_fn callback,
                       void *user, uint64_t *count, bvp_stats *stats)
{
    bvpi_placed_body placed;
    bvpi_ray_query query;
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    hit_guard guard = {&call, callback, user};
    bvp_status status = ray ? bvpi_placed_body_init(&placed, body) : BVP_ERR_ARGUMENT;
    query.count = 0;
    if (status == BVP_OK)
        status = ask_ray(&placed, ray, BVPI_RAY_ALL, callback ? hit_guarded : NULL, &guard, &query,
                         stats);
    if (count)
        *count = query.count;
    return bvpi_call_end(&call, status);
}

/* ---- the closest point ----------------------------------------------------------------------- */

/* One point; meter: of all elements, each of which is a step, so that cheap ones end, too. */
static bvp_status ask_closest(const bvpi_placed_body *placed, const double *point,
                              double max_distance, bvpi_near_kept *kept, bvpi_meter *meter,
                              bvp_closest_result *out, bvp_stats *stats)
{
    bvpi_closest_query query;
    bvp_status status = bvpi_closest_query_init(&query, point, max_distance);
    query.kept = kept;
    query.meter = meter;
    if (kept)
        bvpi_near_kept_bound(kept, &query);
    if (status == BVP_OK && !bvpi_meter_step(meter))
        status = BVP_ERR_CANCELLED;
    if (status == BVP_OK)
        status = BVPI_ISA_CHOOSE(bvpi_closest_kernel, placed->file->isa)->run(placed, &query);
    bvpi_add_stats(stats, &query.stats);
    if (kept && status == BVP_OK)
        bvpi_near_kept_answer(kept, &query);
    *out = query.best;
    out->found = out->found && status != BVP_ERR_CANCELLED;
    return status;
}

/* `count` points in an order in which neighbours follow one another. BVP_OK: all are answered; else
 * the caller asks them one after the other, which says how many were. */
static bvp_status ask_near_ones(const bvpi_placed_body *placed, const bvp_const_array *points,
                                size_t from, unsigned count, double max_distance,
                                bvpi_near_kept *kept, const bvp_array *nearest, bvp_stats *stats)
{
    uint16_t order[BVPI_NEAR_MOST];
    bvp_stats counted = {0};
    bvp_status status = BVP_OK;
    bvpi_near_order(points, from, count, order);
    for (unsigned k = 0; k < count && status == BVP_OK; k++) {
        const size_t i = from + order[k];
        const double *point = bvpi_const_element(points, 3 * sizeof *point, i);
        bvp_closest_result *result = bvpi_element(nearest, sizeof *result, i);
        status = ask_closest(placed, point, max_distance, kept, NULL, result, &counted);
    }
    if (status == BVP_OK)
        bvpi_add_stats(stats, &counted);
    return status;
}

static bvp_status closest_batch(const bvp_body *body, bvp_const_array points, double max_distance,
                                bvp_array nearest, size_t *done, bvp_stats *stats)
{
    bvpi_placed_body placed;
    bvpi_kept_parts kept_parts;
    bvpi_near_kept kept_ones, *kept = NULL;
    bvpi_meter own, *meter = NULL;
    size_t i = 0;
    bvp_status status = bvpi_placed_body_init(&placed, body);
    if (!bvpi_arrays_match(&points, &nearest))
        status = BVP_ERR_ARGUMENT;
    if (status == BVP_OK)
        meter = bvpi_meter_init(&own, placed.control);
    if (status == BVP_OK && points.count >= BVPI_NEAR_LEAST) {
        kept = &kept_ones;
        bvpi_near_kept_init(kept);
    }
    if (status == BVP_OK && points.count > 1)
        bvpi_placed_body_keep(&placed, &kept_parts);
    while (i < points.count && status == BVP_OK) {
        const size_t left = points.count - i;
        const unsigned count = (unsigned)(left < BVPI_NEAR_MOST ? left : BVPI_NEAR_MOST);
        if (kept && !meter && count >= BVPI_NEAR_LEAST &&
            ask_near_ones(&placed, &points, i, count, max_distance, kept, &nearest, stats) ==
                BVP_OK) {
            i += count;
            continue;
        }
        for (const size_t end = i + count; i < end && status == BVP_OK; i += status == BVP_OK) {
            const double *point = bvpi_const_element(&points, 3 * sizeof *point, i);
            bvp_closest_result *result = bvpi_element(&nearest, sizeof *result, i);
            status = ask_closest(&placed, point, max_distance, kept, meter, result, stats);
        }
    }
    if (stats)
        stats->steps += bvpi_meter_taken(meter);
    if (done)
        *done = i;
    return status;
}

bvp_status bvp_closest_batch(const bvp_body *body, bvp_const_array points, double max_distance,
                             bvp_array nearest, size_t *done, bvp_stats *stats)
{
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    return bvpi_call_end(&call, closest_batch(body, points, max_distance, nearest, done, stats));
}

bvp_status bvp_closest(const bvp_body *body, const double point[3], double max_distance,
                       bvp_closest_result *out, bvp_stats *stats)
{
    const bvpi_placed_part *part = bvpi_ready_part(body);
    bvpi_closest_query query;
    if (!part || !point || !out)
        return bvp_closest_batch(body, (bvp_const_array){point, 0, 1}, max_distance,
                                 (bvp_array){out, 0, 1}, NULL, stats);
    bvp_status status = bvpi_closest_query_init(&query, point, max_distance);
    if (status == BVP_OK)
        status = BVPI_ISA_CHOOSE(bvpi_closest_kernel, body->file->isa)->run_part(part, &query);
    bvpi_add_stats(stats, &query.stats);
    *out = query.best;
    return status;
}

/* ---- regions --------------------------------------------------------------------------------- */

BVPI_GUARD(id, bvp_hit_fn, bvp_hit_id)

bvp_status bvp_overlap(const bvp_body *body, bvp_region region, bvp_hit_fn callback, void *user,
                       uint64_t *count, bvp_stats *stats)
{
    bvpi_placed_body placed;
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    id_guard guard = {&call, callback, user};
    bvpi_overlap_query query = {.each = callback ? id_guarded : NULL, .user = &guard};
    bvp_status status = bvpi_region_init(&query.region, region);
    if (status == BVP_OK)
        status = bvpi_placed_body_init(&placed, body);
    bvpi_meter meter;
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

/* The hits of a batch, one box after the other. */
typedef struct hit_rows {
    const bvp_array *hits;
    uint64_t count;
    bool is_full;
} hit_rows;

static int add_hit(void *user, const bvp_hit_id *id)
{
    hit_rows *rows = user;
    rows->is_full = rows->hits->base != NULL && rows->count == rows->hits->count;
    if (rows->is_full)
        return 1;
    if (rows->hits->base != NULL)
        *(bvp_hit_id *)bvpi_element(rows->hits, sizeof *id, (size_t)rows->count) = *id;
    rows->count++;
    return 0;
}

/* One box; meter: of all of them, each of which is a step, so that cheap ones end, too. */
static bvp_status overlap_one(const bvpi_placed_body *placed, const double box[6],
                              bvpi_meter *meter, hit_rows *rows, bvp_stats *stats)
{
    bvpi_overlap_query query = {.each = add_hit, .user = rows, .meter = meter};
    bvp_status status = bvpi_region_init(&query.region, bvp_box_region(box, box + 3));
    if (status == BVP_OK && !bvpi_meter_step(meter))
        status = BVP_ERR_CANCELLED;
    if (status == BVP_OK)
        status = BVPI_ISA_CHOOSE(bvpi_overlap_kernel, placed->file->isa)->run(placed, &query);
    bvpi_add_stats(stats, &query.stats);
    return status == BVP_OK && rows->is_full ? BVP_ERR_LIMIT : status;
}

bvp_status bvp_overlap_batch(const bvp_body *body, bvp_const_array boxes, bvp_array offsets,
                             bvp_array hits, size_t *done, bvp_stats *stats)
{
    bvpi_placed_body placed;
    bvpi_meter own, *meter = NULL;
    hit_rows rows = {.hits = &hits};
    size_t i = 0;
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    bvp_status status = bvpi_placed_body_init(&placed, body);
    if (!offsets.base || offsets.count <= boxes.count || (!boxes.base && boxes.count > 0) ||
        (!hits.base && hits.count > 0))
        status = BVP_ERR_ARGUMENT;
    if (status == BVP_OK) {
        meter = bvpi_meter_init(&own, placed.control);
        *(uint64_t *)bvpi_element(&offsets, sizeof(uint64_t), 0) = 0;
    }
    while (status == BVP_OK && i < boxes.count) {
        const double *box = bvpi_const_element(&boxes, 6 * sizeof *box, i);
        status = overlap_one(&placed, box, meter, &rows, stats);
        if (status == BVP_OK && bvpi_call_missed(&call))
            break; /* its hits mean nothing */
        if (status == BVP_OK)
            *(uint64_t *)bvpi_element(&offsets, sizeof(uint64_t), ++i) = rows.count;
    }
    if (stats)
        stats->steps += bvpi_meter_taken(meter);
    if (done)
        *done = i;
    return bvpi_call_end(&call, status);
}
