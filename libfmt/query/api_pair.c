/* SPDX-License-Identifier: MIT
 * api_pair.c: the public queries between two bodies: arguments, instruction set, answers.
 *
 * Bodies are sorted first (compare_bodies), so that a query and its mirror image do the same
 * arithmetic and give the same answer. A distance begins with the cheaper question whether the
 * bodies touch.
 *
 * Slow twin: brute force, tests/property/test_pairs.c, in both orders.
 * Spec: exactness.md, chapters 1, 3, 5 and 6
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "format/source.h"
#include "query/body/caller_array.h"
#include "query/pair/far_bodies.h"
#include "query/pair/pair_batch.h"
#include "query/pair/pair_query.h"

/* ---- beginning and ending -------------------------------------------------------------------- */

/* By what is the same of every file with these triangles, wherever its corners lie. A refit would
 * change the order from frame to frame, and a front that is kept fits one order. */
static int compare_geometry(const bvpi_placed_body *a, const bvpi_placed_body *b)
{
    const uint64_t count_a =
        a->is_assembly ? a->file->header.instance_count : a->one.part.triangle_count;
    const uint64_t count_b =
        b->is_assembly ? b->file->header.instance_count : b->one.part.triangle_count;
    if (count_a != count_b)
        return count_a < count_b ? -1 : 1;
    if (count_a == 0 || a->file->is_refitted || b->file->is_refitted)
        return 0;
    const bvpi_tree *tree_a = a->is_assembly ? &a->top.tree : &a->one.at.tree;
    const bvpi_tree *tree_b = b->is_assembly ? &b->top.tree : &b->one.at.tree;
    const int order = memcmp(tree_a->grid_extent, tree_b->grid_extent, sizeof tree_a->grid_extent);
    return order != 0
               ? order
               : memcmp(tree_a->grid_origin, tree_b->grid_origin, sizeof tree_a->grid_origin);
}

/* A total order of bodies, so that a query and its mirror image do the very same arithmetic. A file
 * over buffers stands where the file with the triangles does, so that answers are equal, too. */
static int compare_bodies(const bvpi_placed_body *a, const bvpi_placed_body *b)
{
    uint32_t part_a = a->is_assembly ? BVP_ASSEMBLY : a->one.part_idx;
    uint32_t part_b = b->is_assembly ? BVP_ASSEMBLY : b->one.part_idx;
    const bvpi_placed_tree *at_a = a->is_assembly ? &a->top : &a->one.at;
    const bvpi_placed_tree *at_b = b->is_assembly ? &b->top : &b->one.at;
    if (part_a != part_b)
        return part_a < part_b ? -1 : 1;
    int order = compare_geometry(a, b);
    if (order == 0)
        order = memcmp(at_a->placement.m, at_b->placement.m, sizeof at_a->placement.m);
    if (order == 0)
        order = bvpi_filter_compare(a->filter, b->filter);
    return order != 0 ? order
                      : memcmp(a->file->header.root_hash, b->file->header.root_hash,
                               sizeof a->file->header.root_hash);
}

/* The first body's own, the second one's, then those of the handles. */
static const bvp_control *control_of(const bvp_body *a, const bvp_body *b)
{
    if (a->control != NULL || (b != NULL && b->control != NULL))
        return a->control != NULL ? a->control : b->control;
    return a->file->control != NULL || b == NULL ? a->file->control : b->file->control;
}

bvp_status bvpi_pair_begin(bvpi_pair_query *query, const bvp_body *a, const bvp_body *b)
{
    bvpi_pair_bodies *bodies = &query->bodies;
    bodies->self = b == NULL;
    bodies->swapped = false;
    bvp_status status = bvpi_placed_body_init(&bodies->a, a);
    if (status == BVP_OK && b != NULL)
        status = bvpi_placed_body_init(&bodies->b, b);
    if (status != BVP_OK)
        return status;
    if (query->meter == NULL)
        query->meter = bvpi_meter_init(&query->own_meter, control_of(a, b));
    bodies->box_test = a->file->box_test;
    if (bodies->box_test == BVP_TEST_DEFAULT && b != NULL)
        bodies->box_test = b->file->box_test;
    const bvpi_isa isa_a = a->file->isa, isa_b = b != NULL ? b->file->isa : isa_a;
    query->kernel = BVPI_ISA_CHOOSE(bvpi_pair_kernel, isa_a < isa_b ? isa_a : isa_b);
    if (b != NULL && compare_bodies(&bodies->a, &bodies->b) > 0) {
        const bvpi_placed_body first = bodies->a;
        bodies->a = bodies->b;
        bodies->b = first;
        bodies->swapped = true;
    }
    return BVP_OK;
}

void bvpi_pair_add_stats(bvpi_pair_query *query, bvp_stats *stats)
{
    query->answer.stats.steps = bvpi_meter_taken(query->meter);
    bvpi_add_stats(stats, &query->answer.stats);
}

void bvpi_pair_set_question(bvpi_pair_query *query, const bvpi_pair_question *question)
{
    bvpi_pair_answer *answer = &query->answer;
    /* ties.c and pair_body.c compare gaps with the limit in every mode */
    assert(bvpi_pair_measures(question->mode) || question->limit == 0);
    assert(question->tolerance == 0 || question->mode == BVPI_PAIR_DISTANCE);
    assert((question->mode == BVPI_PAIR_EACH) == (question->callback != NULL));
    assert(question->from == NULL || question->last == NULL);
    assert(question->limit >= 0 && question->tolerance >= 0);
    query->question = *question;
    answer->state = BVPI_PAIR_SEARCHING;
    answer->status = BVP_OK;
    answer->limit = question->limit;
    answer->is_bounded = question->is_aimed;
    answer->lower = INFINITY;
    answer->best.found = 0;
    answer->count = 0;
    /* `has_ties` stays: the next question is mostly about the same surfaces */
}

/* ---- the four questions, of bodies that are ready -------------------------------------------- */

bvp_status bvpi_ask_collide(bvpi_pair_query *query, bool want_witness)
{
    bvpi_pair_question question = {.mode = BVPI_PAIR_COLLIDE};
    if (want_witness)
        question.witness = BVPI_WITNESS_EXACT;
    bvpi_pair_set_question(query, &question);
    query->answer.has_ties = false;
    bvpi_pair_run(query);
    return query->answer.status;
}

void bvpi_finish_distance(bvpi_pair_query *query)
{
    bvp_distance_result *best = &query->answer.best;
    best->lower = fmax(fmin(query->answer.lower, best->distance - query->question.tolerance), 0);
}

bvp_status bvpi_ask_nearest(bvpi_pair_query *query, double limit, double tolerance)
{
    const bvpi_pair_question question = {
        .mode = BVPI_PAIR_DISTANCE, .limit = limit, .tolerance = tolerance};
    bvpi_pair_set_question(query, &question);
    if (limit > 0)
        bvpi_pair_run(query);
    bvpi_finish_distance(query);
    return query->answer.status;
}

/* "Do they touch?" is the cheaper question, and settles distance 0. */
bvp_status bvpi_ask_distance(bvpi_pair_query *query, double limit, double tolerance)
{
    bvp_status status = bvpi_ask_collide(query, true);
    if (status != BVP_OK)
        return status;
    if (query->answer.best.found) {
        query->answer.best.distance = query->answer.best.lower = 0;
        return BVP_OK;
    }
    return bvpi_ask_nearest(query, limit, tolerance);
}

/* A pair whose interval, 1e-9 of itself wide at most, contains delta counts as within. */
bvp_status bvpi_ask_within(bvpi_pair_query *query, double delta, bvpi_pair_witness witness)
{
    if (delta == 0)
        return bvpi_ask_distance(query, 0, 0);
    const bvpi_pair_question question = {
        .mode = BVPI_PAIR_WITHIN, .witness = witness, .limit = delta};
    bvpi_pair_set_question(query, &question);
    bvpi_pair_run(query);
    bvpi_finish_distance(query);
    return query->answer.status;
}

/* ---- single queries -------------------------------------------------------------------------- */

/* meter: that of a call which this question is a part of, and which counts its steps; or NULL. */
static bvp_status collide(const bvp_body *a, const bvp_body *b, bvpi_meter *meter, int *hit,
                          bvp_stats *stats)
{
    if (hit == NULL)
        return BVP_ERR_ARGUMENT;
    *hit = 0;
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    if (bvpi_boxes_are_far(a, b, 0, stats))
        return bvpi_call_end(&call, BVP_OK);
    bvpi_pair_query query = {.meter = meter};
    bvp_status status = bvpi_pair_begin(&query, a, b);
    if (status == BVP_OK)
        status = bvpi_ask_collide(&query, false);
    status = bvpi_call_end(&call, status);
    *hit = query.answer.best.found && status == BVP_OK;
    if (meter == NULL)
        query.answer.stats.steps = bvpi_meter_taken(query.meter);
    bvpi_add_stats(stats, &query.answer.stats);
    return status;
}

bvp_status bvp_collide(const bvp_body *a, const bvp_body *b, int *hit, bvp_stats *stats)
{
    return collide(a, b, NULL, hit, stats);
}

BVPI_GUARD(pair, bvp_pair_fn, bvp_pair)

bvp_status bvp_pairs_each(const bvp_body *a, const bvp_body *b, bvp_pair_fn callback, void *user,
                          uint64_t *count, bvp_stats *stats)
{
    if (callback == NULL || count == NULL)
        return BVP_ERR_ARGUMENT;
    *count = 0;
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    if (bvpi_boxes_are_far(a, b, 0, stats))
        return bvpi_call_end(&call, BVP_OK);
    bvpi_pair_query query = {0};
    pair_guard guard = {&call, callback, user};
    const bvpi_pair_question question = {
        .mode = BVPI_PAIR_EACH, .callback = pair_guarded, .user = &guard};
    bvp_status status = bvpi_pair_begin(&query, a, b);
    bvpi_pair_set_question(&query, &question);
    if (status == BVP_OK) {
        bvpi_pair_run(&query);
        status = query.answer.status;
    }
    *count = query.answer.count;
    bvpi_pair_add_stats(&query, stats);
    return bvpi_call_end(&call, status);
}

typedef struct pair_buffer {
    bvp_pair *pairs;
    uint64_t capacity, count;
    bool overflow;
} pair_buffer;

static int store_pair(void *user, const bvp_pair *pair)
{
    pair_buffer *buffer = user;
    buffer->overflow = buffer->count == buffer->capacity;
    if (buffer->overflow)
        return 1;
    buffer->pairs[buffer->count++] = *pair;
    return 0;
}

bvp_status bvp_pairs(const bvp_body *a, const bvp_body *b, bvp_pair *pairs, uint64_t capacity,
                     uint64_t *count, bvp_stats *stats)
{
    pair_buffer buffer = {.pairs = pairs, .capacity = capacity};
    uint64_t reported;
    if (count == NULL || (pairs == NULL && capacity > 0))
        return BVP_ERR_ARGUMENT;
    bvp_status status = bvp_pairs_each(a, b, store_pair, &buffer, &reported, stats);
    *count = buffer.count;
    return status == BVP_OK && buffer.overflow ? BVP_ERR_LIMIT : status;
}

static bvp_status distance(const bvp_body *a, const bvp_body *b, double limit, double tolerance,
                           bvpi_meter *meter, bvp_distance_result *out, bvp_stats *stats)
{
    if (out == NULL || !(limit >= 0) || !(tolerance >= 0))
        return BVP_ERR_ARGUMENT;
    *out = (bvp_distance_result){0};
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    if (bvpi_boxes_are_far(a, b, limit, stats))
        return bvpi_call_end(&call, BVP_OK);
    bvpi_pair_query query = {.meter = meter};
    bvp_status status = bvpi_pair_begin(&query, a, b);
    if (status == BVP_OK)
        status = bvpi_ask_distance(&query, limit, tolerance);
    status = bvpi_call_end(&call, status);
    *out = query.answer.best;
    out->found = out->found && status == BVP_OK;
    if (meter == NULL)
        query.answer.stats.steps = bvpi_meter_taken(query.meter);
    bvpi_add_stats(stats, &query.answer.stats);
    return status;
}

bvp_status bvp_distance_about(const bvp_body *a, const bvp_body *b, double limit, double tolerance,
                              bvp_distance_result *out, bvp_stats *stats)
{
    return distance(a, b, limit, tolerance, NULL, out, stats);
}

bvp_status bvp_distance(const bvp_body *a, const bvp_body *b, double limit,
                        bvp_distance_result *out, bvp_stats *stats)
{
    return bvp_distance_about(a, b, limit, 0, out, stats);
}

static bvp_status within(const bvp_body *a, const bvp_body *b, double delta, bvpi_meter *meter,
                         int *is_within, bvp_distance_result *out, bvp_stats *stats)
{
    if (is_within == NULL || !(delta >= 0))
        return BVP_ERR_ARGUMENT;
    *is_within = 0;
    if (out != NULL)
        *out = (bvp_distance_result){0};
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    if (bvpi_boxes_are_far(a, b, delta, stats))
        return bvpi_call_end(&call, BVP_OK);
    bvpi_pair_query query = {.meter = meter};
    bvp_status status = bvpi_pair_begin(&query, a, b);
    if (status == BVP_OK)
        status =
            bvpi_ask_within(&query, delta, out != NULL ? BVPI_WITNESS_EXACT : BVPI_WITNESS_NONE);
    status = bvpi_call_end(&call, status);
    *is_within = query.answer.best.found && status == BVP_OK;
    if (out != NULL) {
        *out = query.answer.best;
        out->found = *is_within;
    }
    if (meter == NULL)
        query.answer.stats.steps = bvpi_meter_taken(query.meter);
    bvpi_add_stats(stats, &query.answer.stats);
    return status;
}

bvp_status bvp_within(const bvp_body *a, const bvp_body *b, double delta, int *is_within,
                      bvp_distance_result *out, bvp_stats *stats)
{
    return within(a, b, delta, NULL, is_within, out, stats);
}

/* ---- batches --------------------------------------------------------------------------------- */

bvp_status bvpi_pair_batch(const bvp_body *a, const bvp_body *b, const bvpi_pair_batch_of *of,
                           size_t *done, bvp_stats *stats)
{
    bvpi_meter own, *meter = NULL;
    size_t k = 0;
    bvp_status status =
        b != NULL && bvpi_arrays_match(&of->placements, &of->answers) ? BVP_OK : BVP_ERR_ARGUMENT;
    if (status == BVP_OK && a != NULL && a->file != NULL && b->file != NULL)
        meter = bvpi_meter_init(&own, control_of(a, b));
    while (status == BVP_OK && k < of->placements.count) {
        bvp_body moved = *b;
        moved.placement = bvpi_const_element(&of->placements, 12 * sizeof(double), k);
        /* each element is a step, so that a batch of cheap ones ends, too */
        status = bvpi_meter_step(meter) ? BVP_OK : BVP_ERR_CANCELLED;
        if (status == BVP_OK)
            status = of->ask(of, a, &moved, meter, bvpi_element(&of->answers, of->answer_size, k),
                             stats);
        k += status == BVP_OK;
    }
    if (stats != NULL)
        stats->steps += bvpi_meter_taken(meter);
    if (done != NULL)
        *done = k;
    return status;
}

static bvp_status collide_one(const bvpi_pair_batch_of *of, const bvp_body *a, const bvp_body *b,
                              bvpi_meter *meter, void *out, bvp_stats *stats)
{
    (void)of;
    return collide(a, b, meter, out, stats);
}

bvp_status bvp_collide_batch(const bvp_body *a, const bvp_body *b, bvp_const_array placements,
                             bvp_array hits, size_t *done, bvp_stats *stats)
{
    const bvpi_pair_batch_of of = {
        .ask = collide_one, .placements = placements, .answers = hits, .answer_size = sizeof(int)};
    return bvpi_pair_batch(a, b, &of, done, stats);
}

static bvp_status distance_one(const bvpi_pair_batch_of *of, const bvp_body *a, const bvp_body *b,
                               bvpi_meter *meter, void *out, bvp_stats *stats)
{
    return distance(a, b, of->limit, of->tolerance, meter, out, stats);
}

bvp_status bvp_distance_about_batch(const bvp_body *a, const bvp_body *b,
                                    bvp_const_array placements, double limit, double tolerance,
                                    bvp_array results, size_t *done, bvp_stats *stats)
{
    const bvpi_pair_batch_of of = {.ask = distance_one,
                                   .placements = placements,
                                   .answers = results,
                                   .answer_size = sizeof(bvp_distance_result),
                                   .limit = limit,
                                   .tolerance = tolerance};
    return bvpi_pair_batch(a, b, &of, done, stats);
}

bvp_status bvp_distance_batch(const bvp_body *a, const bvp_body *b, bvp_const_array placements,
                              double limit, bvp_array results, size_t *done, bvp_stats *stats)
{
    return bvp_distance_about_batch(a, b, placements, limit, 0, results, done, stats);
}

static bvp_status within_one(const bvpi_pair_batch_of *of, const bvp_body *a, const bvp_body *b,
                             bvpi_meter *meter, void *out, bvp_stats *stats)
{
    return within(a, b, of->limit, meter, out, NULL, stats);
}

bvp_status bvp_within_batch(const bvp_body *a, const bvp_body *b, bvp_const_array placements,
                            double delta, bvp_array hits, size_t *done, bvp_stats *stats)
{
    const bvpi_pair_batch_of of = {.ask = within_one,
                                   .placements = placements,
                                   .answers = hits,
                                   .answer_size = sizeof(int),
                                   .limit = delta};
    return bvpi_pair_batch(a, b, &of, done, stats);
}
