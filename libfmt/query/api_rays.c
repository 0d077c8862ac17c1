/* SPDX-License-Identifier: MIT
 * api_rays.c: the public batched calls of rays: coherent rays in packets of eight, others in turns
 * where the part has a hierarchy for rays, else one by one.
 *
 * Images come row by row, and a packet of 4 x 2 pixels is more compact than one of 8 x 1. So a
 * batch's row length is guessed from where rays come back near the first one, and two rows are
 * taken together. A wrong guess costs time, never an answer: a packet that is declined is asked ray
 * by ray. Its eight rays are then asked singly before another packet is tried.
 *
 * Rays are answered so that *done is a prefix: where a ray fails in paired rows, asking resumes in
 * order from there.
 *
 * Slow twin: single calls, tests/property/test_ray_packet.c.
 * Measured: decisions.md, "Rays and closest points"
 */
#include "format/source.h"
#include "query/ray/ray_batch.h"

#include <assert.h>
#include <math.h>

static bvp_status ask_one(const bvpi_ray_batch *batch, size_t idx)
{
    bvpi_ray_query query;
    bvp_ray exactly;
    const bvp_ray *ray = &exactly;
    assert(batch->mode == BVPI_RAY_FIRST || batch->mode == BVPI_RAY_ANY);
    if (batch->floats)
        exactly = bvpi_float_ray_exactly(bvpi_batch_float_ray(batch, idx));
    else
        ray = bvpi_batch_ray(batch, idx);
    bvp_status status = bvpi_ray_query_init(&query, ray, batch->mode);
    query.leaves = batch->leaves;
    query.meter = batch->meter;
    if (status == BVP_OK && !bvpi_meter_step(batch->meter)) /* so that cheap ones end, too */
        status = BVP_ERR_CANCELLED;
    if (status == BVP_OK) {
        status =
            BVPI_ISA_CHOOSE(bvpi_ray_kernel, batch->placed->file->isa)->run(batch->placed, &query);
        bvpi_add_stats(batch->stats, &query.stats);
    }
    query.hit.found = query.hit.found && status != BVP_ERR_CANCELLED;
    void *out = bvpi_batch_out(batch, idx);
    if (batch->mode == BVPI_RAY_ANY)
        *(int *)out = query.hit.found;
    else if (batch->floats)
        *(bvp_float_hit *)out = bvpi_float_hit_of(&query.hit);
    else
        bvpi_ray_query_answer(&query, out);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* How far apart two rays are, in whatever unit: the largest difference. */
static double gap_of(const bvpi_ray_batch *batch, size_t a, size_t b)
{
    f64x4 from_a, from_b, to_a, to_b;
    bvpi_batch_line(batch, a, &from_a, &to_a);
    bvpi_batch_line(batch, b, &from_b, &to_b);
    return bvpi_largest3(f64x4_max(f64x4_abs(from_a - from_b), f64x4_abs(to_a - to_b)));
}

/* The row length of an image: the number of rays after which one is again about as near to the
 * first as its neighbour is; 0: none found. */
enum { ROW_MAX = 16384 };
static size_t row_length(const bvpi_ray_batch *batch, size_t count)
{
    assert(count > BVPI_PACKET);
    const double near = 2 * gap_of(batch, 0, 1);
    const size_t end = count < ROW_MAX ? count : ROW_MAX;
    size_t i = BVPI_PACKET;
    if (!(gap_of(batch, 0, BVPI_PACKET - 1) > near))
        return 0;
    while (i < end && !(gap_of(batch, 0, i) <= near))
        i++;
    while (i + 1 < end && gap_of(batch, 0, i + 1) < gap_of(batch, 0, i))
        i++;
    return i < end ? i : 0;
}

/* ---- batches --------------------------------------------------------------------------------- */

/* How many rays go another way when a packet was declined: twice as many each time in a row. */
enum { AWAY_LEAST = 64, AWAY_MOST = 1024 };

/* Is there a hierarchy for rays, and may these go through it together? */
static bool has_ray_tree(const bvpi_ray_batch *batch)
{
    const bvpi_placed_body *placed = batch->placed;
    return !placed->is_assembly && placed->one.rays.nodes != NULL && batch->meter == NULL &&
           (!batch->floats || placed->one.at.placement.is_identity);
}

/* Of a part with a wide hierarchy. */
static const bvpi_ray_packet_kernel *packet_kernel(const bvpi_ray_batch *batch)
{
    const bvpi_isa isa = batch->placed->file->isa;
    return has_ray_tree(batch) ? BVPI_ISA_CHOOSE(bvpi_meshlet_packet_kernel, isa)
                               : BVPI_ISA_CHOOSE(bvpi_ray_packet_kernel, isa);
}

/* Ray `from` and those after it, before `to`, in turns if that can be, else one. *done: number of
 * the first that is not answered. */
static bvp_status ask_some(const bvpi_ray_batch *batch, bool turns, size_t from, size_t to,
                           size_t *done)
{
    assert(from < to);
    *done =
        turns
            ? BVPI_ISA_CHOOSE(bvpi_ray_turns_kernel, batch->placed->file->isa)->run(batch, from, to)
            : from;
    if (*done > from)
        return BVP_OK;
    const bvp_status status = ask_one(batch, from);
    *done += status == BVP_OK;
    return status;
}

/* Rays from .. to - 1, in order. *done: number of the first that is not answered. */
static bvp_status ask_row(const bvpi_ray_batch *batch, bool wide, size_t from, size_t to,
                          size_t *done)
{
    const bvpi_ray_packet_kernel *packets = packet_kernel(batch);
    const bool turns = has_ray_tree(batch);
    size_t i = from, single = wide ? from : to; /* rays below `single` go in no packet */
    size_t away = AWAY_LEAST;
    bvp_status status = BVP_OK;
    assert(from <= to && to <= batch->rays.count);
    while (i < to && status == BVP_OK) {
        const bvpi_packet_place place = {{i, i + BVPI_PACKET / 2}};
        if (i >= single && to - i >= BVPI_PACKET) {
            if (packets->run(batch, &place)) {
                i += BVPI_PACKET;
                away = AWAY_LEAST;
                continue;
            }
            single = i + (turns ? away : BVPI_PACKET);
            away = away < AWAY_MOST ? 2 * away : away;
        }
        status = ask_some(batch, turns, i, i < single && single < to ? single : to, &i);
    }
    *done = i;
    return status;
}

/* Rays from .. from + width - 1 and as many that come `row` later, which are near them. False: some
 * may not be answered. */
static bool ask_two_rows(const bvpi_ray_batch *batch, size_t from, size_t width, size_t row)
{
    const bvpi_ray_packet_kernel *packets = packet_kernel(batch);
    size_t k = 0, done;
    assert(width <= row && from + row + width <= batch->rays.count);
    for (; k + 4 <= width; k += 4) {
        const bvpi_packet_place place = {{from + k, from + row + k}};
        if (!packets->run(batch, &place) &&
            (ask_row(batch, false, from + k, from + k + 4, &done) != BVP_OK ||
             ask_row(batch, false, from + row + k, from + row + k + 4, &done) != BVP_OK))
            return false;
    }
    return ask_row(batch, true, from + k, from + row, &done) == BVP_OK &&
           ask_row(batch, true, from + row + k, from + row + width, &done) == BVP_OK;
}

/* *done: how many are answered. */
static bvp_status ask_all(const bvpi_ray_batch *batch, size_t count, size_t *done)
{
    const bvpi_placed_body *placed = batch->placed;
    const bool wide = !placed->is_assembly && placed->one.kind == BVPD_KIND_WIDE8;
    const size_t row = wide && count > 2 * BVPI_PACKET ? row_length(batch, count) : 0;
    size_t i = 0;
    while (row != 0 && i + row < count) {
        const size_t width = count - i - row < row ? count - i - row : row;
        if (!ask_two_rows(batch, i, width, row))
            break; /* from there in order, to find out where it stops */
        i += row + width;
    }
    assert(i <= count);
    return ask_row(batch, wide, i, count, done);
}

/* ---- floats ---------------------------------------------------------------------------------- */

enum { FLOAT_BLOCK = 128 }; /* 20 KiB of doubles */

/* Rays from .. from + count - 1, at most FLOAT_BLOCK, as doubles. *done: how many are answered. */
static bvp_status ask_as_doubles(const bvpi_ray_batch *batch, size_t from, size_t count,
                                 size_t *done)
{
    bvp_ray rays[FLOAT_BLOCK];
    bvp_ray_hit hits[FLOAT_BLOCK];
    int any[FLOAT_BLOCK];
    bvpi_ray_batch same = *batch;
    assert(batch->floats && count <= FLOAT_BLOCK);
    for (size_t i = 0; i < count; i++)
        rays[i] = bvpi_float_ray_exactly(bvpi_batch_float_ray(batch, from + i));
    same.floats = false;
    same.rays = (bvp_const_array){rays, 0, count};
    same.out = (bvp_array){batch->mode == BVPI_RAY_ANY ? (void *)any : (void *)hits, 0, count};
    const bvp_status status = ask_all(&same, count, done);
    /* of a cancelled call one answer more is written */
    const size_t written = *done + (status != BVP_OK && *done < count);
    for (size_t i = 0; i < written; i++)
        if (batch->mode == BVPI_RAY_ANY)
            *(int *)bvpi_batch_out(batch, from + i) = any[i];
        else
            *(bvp_float_hit *)bvpi_batch_out(batch, from + i) = bvpi_float_hit_of(&hits[i]);
    return status;
}

/* *done: how many are answered. */
static bvp_status ask_floats(const bvpi_ray_batch *batch, size_t count, size_t *done)
{
    bvp_status status = BVP_OK;
    if (has_ray_tree(batch))
        return ask_all(batch, count, done);
    for (*done = 0; *done < count && status == BVP_OK;) {
        const size_t left = count - *done;
        size_t answered;
        status = ask_as_doubles(batch, *done, left < FLOAT_BLOCK ? left : FLOAT_BLOCK, &answered);
        *done += answered;
    }
    return status;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* batch: the caller's arrays and mode. */
static bvp_status run(const bvp_body *body, bvpi_ray_batch *batch, size_t *done, bvp_stats *stats)
{
    bvpi_placed_body placed;
    bvpi_leaf leaves[BVPI_LEAVES];
    bvpi_kept_parts kept;
    bvpi_meter own;
    bvp_stats sum = {.nodes = 0};
    size_t answered = 0;
    for (int i = 0; i < BVPI_LEAVES; i++)
        leaves[i].units = NULL;
    batch->placed = &placed;
    batch->leaves = leaves;
    batch->stats = stats ? stats : &sum;
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    bvp_status status = bvpi_placed_body_init(&placed, body);
    if (!bvpi_arrays_match(&batch->rays, &batch->out))
        status = BVP_ERR_ARGUMENT;
    batch->meter = NULL;
    if (status == BVP_OK) {
        bvpi_placed_body_keep(&placed, &kept);
        batch->meter = bvpi_meter_init(&own, placed.control);
        status = batch->floats ? ask_floats(batch, batch->rays.count, &answered)
                               : ask_all(batch, batch->rays.count, &answered);
    }
    batch->stats->steps += bvpi_meter_taken(batch->meter);
    status = bvpi_call_end(&call, status);
    if (done)
        *done = answered;
    return status;
}

bvp_status bvp_ray_first_batch(const bvp_body *body, bvp_const_array rays, bvp_array hits,
                               size_t *done, bvp_stats *stats)
{
    bvpi_ray_batch batch = {.mode = BVPI_RAY_FIRST, .rays = rays, .out = hits};
    return run(body, &batch, done, stats);
}

bvp_status bvp_ray_any_batch(const bvp_body *body, bvp_const_array rays, bvp_array hits,
                             size_t *done, bvp_stats *stats)
{
    bvpi_ray_batch batch = {.mode = BVPI_RAY_ANY, .rays = rays, .out = hits};
    return run(body, &batch, done, stats);
}

bvp_status bvp_float_ray_first_batch(const bvp_body *body, bvp_const_array rays, bvp_array hits,
                                     size_t *done, bvp_stats *stats)
{
    bvpi_ray_batch batch = {.mode = BVPI_RAY_FIRST, .floats = true, .rays = rays, .out = hits};
    return run(body, &batch, done, stats);
}

bvp_status bvp_float_ray_any_batch(const bvp_body *body, bvp_const_array rays, bvp_array hits,
                                   size_t *done, bvp_stats *stats)
{
    bvpi_ray_batch batch = {.mode = BVPI_RAY_ANY, .floats = true, .rays = rays, .out = hits};
    return run(body, &batch, done, stats);
}
