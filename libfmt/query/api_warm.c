/* SPDX-License-Identifier: MIT
 * api_warm.c: the public queries between two moving bodies that a caller repeats at each step.
 *
 * A question is answered by the first of these that can, after a look at the bodies' boxes:
 * 1. A certificate: the bodies moved less than they were apart, or a pair certainly still crosses.
 *    The file is not looked at.
 * 2. "Is there clearance for some steps more?" (clears): costs about as much as the question
 * itself, and a no-contact answer then serves the following queries, too.
 * 3. Below the pair of nodes where the last answer was found (leads).
 * 4. The plain query, whose result becomes the new certificate.
 * A distance starts from the last nearest pair: its distance now is the first limit, its direction
 * the first along which gaps are looked for; then from the front, if there is one.
 *
 * 2 and 3 cost time when they fail, so each pauses after a failure, and twice as long after each
 * further one (note_trial).
 *
 * Invariant: what the state holds changes the work, not the answer. Two exceptions: which of
 * several touching pairs is named, and the lower end of a distance where a plane settles ties.
 *
 * Slow twin: plain queries, tests/property/test_warm.c.
 * Spec: exactness.md, chapter 11
 * Measured: decisions.md, "Warm starts (protocol warm)", "What warm starts are worth"
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "format/source.h"
#include "query/pair/far_bodies.h"
#include "query/pair/pair_batch.h"
#include "query/warm/warm.h"

enum {
    FIRST_STEPS = 8, /* queries that a clearance should serve, at first; adapts */
    LEAST_STEPS = 2,
    MOST_STEPS = 64,
    MOST_FAILURES = 6 /* pauses are at most 2^6 queries long */
};
#define BEYOND (1 + 0x1p-20) /* wider than a distance's interval */

/* ---- one query ------------------------------------------------------------------------------- */

typedef struct coherent {
    bvpi_warm *warm;
    const bvp_warm_start *memory; /* distance */
    const bvp_body *a, *b;
    double motion; /* since the certificate */
    bvpi_pair_query query;
    bvpi_hit_pairs hit_pairs;
    bvpi_pair_start start;
    bvpi_front front; /* distance */
} coherent;

static bvp_status begin(coherent *c)
{
    const bvp_status status = bvpi_pair_begin(&c->query, c->a, c->b);
    c->query.keep = (bvpi_pair_keep){.hit_pairs = &c->hit_pairs, .start = &c->start};
    return status;
}

/* Are they farther apart than the limit, by a look at their boxes? It costs less than to read a
 * certificate. The query counts as served by the last one, whose motion is told by its age. */
static bool is_far(const bvp_body *a, const bvp_body *b, double limit, bvp_warm_start *warm,
                   bvp_stats *stats)
{
    const bool is = bvpi_boxes_are_far(a, b, limit, stats);
    ((bvpi_warm *)warm)->habits.served += is;
    return is;
}

/* What was learnt from missing bytes is forgotten. */
static bvp_status end_call(bvpi_call *call, bvp_status status, bvp_warm_start *warm)
{
    if (warm != NULL && bvpi_call_missed(call)) {
        memset(warm->opaque, 0, sizeof warm->opaque);
        if (warm->front != NULL && warm->front_size > 0)
            memset(warm->front, 0, (size_t)warm->front_size);
    }
    return bvpi_call_end(call, status);
}

/* meter: a batch's, which counts the steps of all its elements; or NULL. */
static void add_stats(coherent *c, const bvpi_meter *meter, bvp_stats *stats)
{
    if (meter == NULL)
        bvpi_pair_add_stats(&c->query, stats);
    else
        bvpi_add_stats(stats, &c->query.answer.stats);
}

/* ---- choice of strategy ---------------------------------------------------------------------- */

/* After a failure the strategy pauses; each failure in a row doubles the pause. */
static void note_trial(uint32_t *failures, uint32_t *pause, bool good)
{
    *failures = good ? 0 : *failures < MOST_FAILURES ? *failures + 1 : MOST_FAILURES;
    assert(*failures <= MOST_FAILURES); /* whatever the caller's memory held */
    *pause = good ? 0 : UINT32_C(1) << *failures;
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* Makes a certificate for the current placements. nearest: no pair is nearer; upper: some pair is
 * as near as this, or infinity. */
static void keep_placements(coherent *c, bool is_apart, double nearest, double upper)
{
    bvpi_clearance *clear = &c->warm->clear;
    clear->nearest = nearest;
    clear->upper = upper;
    clear->is_apart = is_apart;
    clear->last.is_known = 0;
    bvpi_warm_keep(c->warm, &c->query, c->a, c->b);
}

static void keep_distance(coherent *c, double limit)
{
    const bvpi_pair_answer *answer = &c->query.answer;
    const bvp_distance_result *best = &answer->best;
    bvpi_clearance *clear = &c->warm->clear;
    const bool swap = c->query.bodies.swapped;
    clear->nearest = best->found ? best->lower * (1 - 0x1p-40) : limit;
    clear->upper = best->found ? best->distance * (1 + 0x1p-40) : INFINITY;
    clear->is_apart = !best->found || best->distance > 0;
    clear->last = (bvpi_last_pair){best->found && best->distance > 0, best->a.instance,
                                   swap ? answer->best_b : answer->best_a, best->b.instance,
                                   swap ? answer->best_a : answer->best_b};
    bvpi_warm_keep(c->warm, &c->query, c->a, c->b);
}

/* ---- clearances ------------------------------------------------------------------------------ */

/* Tries to certify delta plus some steps of motion. The number of steps adapts: it grows by a
 * quarter after a success and is halved after a failure. False: not certified, nothing is known. */
static bool clears(coherent *c, double delta)
{
    bvpi_habits *habits = &c->warm->habits;
    assert(delta >= 0);
    /* it pays only if the bodies are apart and keep their motion */
    if (!(c->motion < INFINITY) || !c->warm->clear.is_apart)
        return false;
    if (habits->pause != 0) {
        habits->pause--;
        return false;
    }
    const uint32_t habit = habits->ahead != 0 ? habits->ahead : FIRST_STEPS;
    const uint32_t steps = habit < LEAST_STEPS  ? LEAST_STEPS
                           : habit > MOST_STEPS ? MOST_STEPS
                                                : habit;
    /* How far the bodies will move in so many queries if they keep their speed; at least 2^-14 of
     * b's size, for bodies that stand still. */
    const double *half = c->warm->clear.b.half;
    const double way = fmax(steps * c->motion / ((double)habits->served + 1),
                            (half[0] + half[1] + half[2]) * 0x1p-14);
    const double radius = delta + way;
    if (bvpi_ask_within(&c->query, radius, BVPI_WITNESS_NONE) != BVP_OK)
        return false;
    if (c->query.answer.best.found) {
        habits->ahead = steps / 2;
        if (steps == LEAST_STEPS)
            note_trial(&habits->failures, &habits->pause, false);
        return false;
    }
    habits->ahead = steps + (steps + 3) / 4;
    habits->failures = 0;
    keep_placements(c, true, radius * (1 - 0x1p-30), INFINITY);
    return true;
}

/* ---- leads ----------------------------------------------------------------------------------- */

/* Searches below the last answer's pair of nodes. True: there is an answer, which is as good as
 * any. mode, limit: COLLIDE, 0; or WITHIN, delta. */
static bool leads(coherent *c, bvpi_pair_mode mode, double limit)
{
    bvpi_pair_query *query = &c->query;
    bvpi_habits *habits = &c->warm->habits;
    assert(mode == BVPI_PAIR_COLLIDE ? limit == 0 : mode == BVPI_PAIR_WITHIN && limit > 0);
    if (habits->lead_pause != 0) {
        habits->lead_pause--;
        return false;
    }
    if (c->warm->clear.is_apart || !bvpi_warm_lead(c->warm, query, c->a, c->b, &c->start))
        return false;
    const bvpi_pair_question question = {.mode = mode, .limit = limit, .from = &c->start};
    bvpi_pair_set_question(query, &question);
    bvpi_pair_enter(query, c->start.instance_a, c->start.instance_b);
    const bool found = query->answer.status == BVP_OK && query->answer.best.found;
    note_trial(&habits->lead_failures, &habits->lead_pause, found);
    return found;
}

/* ---- touching -------------------------------------------------------------------------------- */

static bvp_status collide(coherent *c)
{
    bvp_status status = begin(c);
    if (status != BVP_OK)
        return status;
    if (clears(c, 0))
        return BVP_OK;
    if (!leads(c, BVPI_PAIR_COLLIDE, 0))
        status = bvpi_ask_collide(&c->query, false);
    if (status != BVP_OK)
        return status;
    const bool hit = c->query.answer.best.found;
    keep_placements(c, !hit, 0, hit ? 0 : INFINITY);
    if (!hit)
        c->warm->cross.count = 0;
    if (hit) {
        bvpi_warm_keep_crossings(c->warm, c->a, c->b, &c->hit_pairs);
        bvpi_warm_keep_lead(c->warm, &c->query, c->a, c->b);
    }
    return BVP_OK;
}

static bvp_status collide_warm(const bvp_body *a, const bvp_body *b, bvp_warm_start *warm,
                               bvpi_meter *meter, int *hit, bvp_stats *stats)
{
    if (hit == NULL || a == NULL || b == NULL || warm == NULL)
        return bvp_collide(a, b, hit, stats);
    *hit = 0;
    if (is_far(a, b, 0, warm, stats))
        return BVP_OK;
    coherent c = {.warm = (bvpi_warm *)warm, .a = a, .b = b, .query.meter = meter};
    c.motion = bvpi_warm_motion(c.warm, a, b);
    if (c.motion < c.warm->clear.nearest) {
        c.warm->habits.served++;
        return BVP_OK;
    }
    *hit = bvpi_warm_crosses(c.warm, a, b) != NULL;
    if (*hit)
        return BVP_OK;
    const bvp_status status = collide(&c);
    *hit = status == BVP_OK && c.query.answer.best.found;
    add_stats(&c, meter, stats);
    return status;
}

bvp_status bvp_collide_warm(const bvp_body *a, const bvp_body *b, bvp_warm_start *warm, int *hit,
                            bvp_stats *stats)
{
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    return end_call(&call, collide_warm(a, b, warm, NULL, hit, stats), warm);
}

/* ---- within ---------------------------------------------------------------------------------- */

static bvp_status ask_within(coherent *c, double delta)
{
    const bvp_distance_result *best = &c->query.answer.best;
    bvp_status status = begin(c);
    if (status != BVP_OK)
        return status;
    if (clears(c, delta))
        return BVP_OK;
    if (!leads(c, BVPI_PAIR_WITHIN, delta))
        status = bvpi_ask_within(&c->query, delta, BVPI_WITNESS_NONE);
    if (status != BVP_OK)
        return status;
    if (best->found)
        bvpi_warm_keep_lead(c->warm, &c->query, c->a, c->b);
    keep_placements(c, !best->found, best->found ? 0 : delta,
                    best->found ? best->distance : INFINITY);
    return BVP_OK;
}

static bvp_status within_warm(const bvp_body *a, const bvp_body *b, double delta,
                              bvp_warm_start *warm, bvpi_meter *meter, int *within,
                              bvp_stats *stats)
{
    if (within == NULL || a == NULL || b == NULL || warm == NULL || !(delta >= 0))
        return bvp_within(a, b, delta, within, NULL, stats);
    if (delta == 0)
        return collide_warm(a, b, warm, meter, within, stats);
    *within = 0;
    if (is_far(a, b, delta, warm, stats))
        return BVP_OK;
    coherent c = {.warm = (bvpi_warm *)warm, .a = a, .b = b, .query.meter = meter};
    c.motion = bvpi_warm_motion(c.warm, a, b);
    /* from certificates alone, where they are enough */
    const bvpi_clearance *clear = &c.warm->clear;
    const bool no = delta * BEYOND + c.motion < clear->nearest;
    *within = !no && ((clear->upper + c.motion) * BEYOND <= delta ||
                      bvpi_warm_crosses(c.warm, a, b) != NULL);
    if (no || *within) {
        c.warm->habits.served += c.motion < INFINITY;
        return BVP_OK;
    }
    const bvp_status status = ask_within(&c, delta);
    *within = status == BVP_OK && c.query.answer.best.found;
    add_stats(&c, meter, stats);
    return status;
}

bvp_status bvp_within_warm(const bvp_body *a, const bvp_body *b, double delta, bvp_warm_start *warm,
                           int *within, bvp_stats *stats)
{
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    return end_call(&call, within_warm(a, b, delta, warm, NULL, within, stats), warm);
}

/* ---- distance -------------------------------------------------------------------------------- */

/* Asks a question of question->last, one pair of triangles, alone. */
static void ask_pair(coherent *c, const bvpi_pair_question *question)
{
    const bvpi_last_pair *pair = question->last;
    const bool swap = c->query.bodies.swapped;
    assert(pair != NULL && question->from == NULL && question->front == NULL);
    bvpi_pair_set_question(&c->query, question);
    bvpi_pair_enter(&c->query, swap ? pair->instance_b : pair->instance_a,
                    swap ? pair->instance_a : pair->instance_b);
}

/* Measures the last nearest pair: its current distance becomes the question's limit, its direction
 * the aim. The limit alone would cost more than it saves: a search that starts with the exact limit
 * never finds a nearer pair, and so never sets an aim. */
static void measure_last(coherent *c, bvpi_pair_question *question)
{
    const bvp_distance_result *best = &c->query.answer.best;
    const bvpi_last_pair *last = &c->warm->clear.last;
    assert(question->mode == BVPI_PAIR_DISTANCE);
    if (!(c->motion < INFINITY) || !last->is_known)
        return;
    const bvpi_pair_question of_last = {
        .mode = question->mode, .limit = question->limit, .last = last};
    ask_pair(c, &of_last);
    question->limit = c->query.answer.limit;
    question->is_aimed = best->found;
    for (int i = 0; best->found && i < 3; i++)
        question->aim[i] = best->point_b[i] - best->point_a[i];
}

/* Searches with what the last nearest pair gives, from the front if there is one and the limit is
 * that of a pair. */
static void search_nearest(coherent *c, double limit)
{
    bvpi_pair_query *query = &c->query;
    bvpi_habits *habits = &c->warm->habits;
    bvpi_pair_question question = {.mode = BVPI_PAIR_DISTANCE, .limit = limit};
    measure_last(c, &question);
    if (question.limit > 0) {
        if (habits->front_pause != 0)
            habits->front_pause--;
        else if (question.is_aimed && bvpi_warm_front(c->warm, query, c->memory, &c->front))
            question.front = &c->front;
    }
    bvpi_pair_set_question(query, &question);
    if (question.limit > 0)
        bvpi_pair_run(query);
    if (question.front != NULL) {
        assert(question.limit > 0); /* so that the search of the front has run */
        bvpi_front_close(&c->front);
        note_trial(&habits->front_failures, &habits->front_pause, !c->front.is_lost);
    }
    bvpi_finish_distance(query);
}

/* Whether they touch is asked first, unless the certificate rules it out: bodies that have moved
 * less than they were apart do not touch. */
static bvp_status distance(coherent *c, double limit)
{
    bvpi_pair_query *query = &c->query;
    bvpi_pair_answer *answer = &query->answer;
    const bool may_meet = !(c->motion < c->warm->clear.nearest);
    const bvpi_last_pair *crossing = may_meet ? bvpi_warm_crosses(c->warm, c->a, c->b) : NULL;
    bvp_status status = begin(c);
    if (status != BVP_OK)
        return status;
    if (crossing != NULL) {
        const bvpi_pair_question question = {
            .mode = BVPI_PAIR_COLLIDE, .witness = BVPI_WITNESS_EXACT, .last = crossing};
        ask_pair(c, &question);
        answer->best.distance = answer->best.lower = 0;
        if (answer->best.found || answer->status != BVP_OK)
            return answer->status;
    }
    if (may_meet && (status = bvpi_ask_collide(query, true)) != BVP_OK)
        return status;
    if (may_meet && answer->best.found) {
        answer->best.distance = answer->best.lower = 0;
        bvpi_warm_keep_crossings(c->warm, c->a, c->b, &c->hit_pairs);
    } else {
        search_nearest(c, limit);
    }
    if (answer->status == BVP_OK)
        keep_distance(c, limit);
    return answer->status;
}

static bvp_status distance_warm(const bvp_body *a, const bvp_body *b, double limit,
                                bvp_warm_start *warm, bvpi_meter *meter, bvp_distance_result *out,
                                bvp_stats *stats)
{
    if (out == NULL || a == NULL || b == NULL || warm == NULL || !(limit >= 0))
        return bvp_distance(a, b, limit, out, stats);
    *out = (bvp_distance_result){0};
    if (is_far(a, b, limit, warm, stats))
        return BVP_OK;
    bvpi_warm *kept = (bvpi_warm *)warm;
    coherent c = {.warm = kept,
                  .memory = warm,
                  .a = a,
                  .b = b,
                  .motion = bvpi_warm_motion(kept, a, b),
                  .query.meter = meter};
    if (limit * BEYOND + c.motion < kept->clear.nearest) {
        kept->habits.served++;
        *out = c.query.answer.best;
        return BVP_OK;
    }
    const bvp_status status = distance(&c, limit);
    *out = c.query.answer.best;
    out->found = out->found && status == BVP_OK;
    add_stats(&c, meter, stats);
    return status;
}

bvp_status bvp_distance_warm(const bvp_body *a, const bvp_body *b, double limit,
                             bvp_warm_start *warm, bvp_distance_result *out, bvp_stats *stats)
{
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    return end_call(&call, distance_warm(a, b, limit, warm, NULL, out, stats), warm);
}

/* ---- batches --------------------------------------------------------------------------------- */

static bvp_status collide_one(const bvpi_pair_batch_of *of, const bvp_body *a, const bvp_body *b,
                              bvpi_meter *meter, void *out, bvp_stats *stats)
{
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    return end_call(&call, collide_warm(a, b, of->warm, meter, out, stats), of->warm);
}

bvp_status bvp_collide_warm_batch(const bvp_body *a, const bvp_body *b, bvp_const_array placements,
                                  bvp_warm_start *warm, bvp_array hits, size_t *done,
                                  bvp_stats *stats)
{
    const bvpi_pair_batch_of of = {.ask = collide_one,
                                   .placements = placements,
                                   .answers = hits,
                                   .answer_size = sizeof(int),
                                   .warm = warm};
    return warm == NULL ? bvp_collide_batch(a, b, placements, hits, done, stats)
                        : bvpi_pair_batch(a, b, &of, done, stats);
}

static bvp_status distance_one(const bvpi_pair_batch_of *of, const bvp_body *a, const bvp_body *b,
                               bvpi_meter *meter, void *out, bvp_stats *stats)
{
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    return end_call(&call, distance_warm(a, b, of->limit, of->warm, meter, out, stats), of->warm);
}

bvp_status bvp_distance_warm_batch(const bvp_body *a, const bvp_body *b, bvp_const_array placements,
                                   double limit, bvp_warm_start *warm, bvp_array results,
                                   size_t *done, bvp_stats *stats)
{
    const bvpi_pair_batch_of of = {.ask = distance_one,
                                   .placements = placements,
                                   .answers = results,
                                   .answer_size = sizeof(bvp_distance_result),
                                   .limit = limit,
                                   .warm = warm};
    return warm == NULL ? bvp_distance_batch(a, b, placements, limit, results, done, stats)
                        : bvpi_pair_batch(a, b, &of, done, stats);
}

static bvp_status within_one(const bvpi_pair_batch_of *of, const bvp_body *a, const bvp_body *b,
                             bvpi_meter *meter, void *out, bvp_stats *stats)
{
    bvpi_call call = bvpi_call_begin_bodies(a, b);
    return end_call(&call, within_warm(a, b, of->limit, of->warm, meter, out, stats), of->warm);
}

bvp_status bvp_within_warm_batch(const bvp_body *a, const bvp_body *b, bvp_const_array placements,
                                 double delta, bvp_warm_start *warm, bvp_array hits, size_t *done,
                                 bvp_stats *stats)
{
    const bvpi_pair_batch_of of = {.ask = within_one,
                                   .placements = placements,
                                   .answers = hits,
                                   .answer_size = sizeof(int),
                                   .limit = delta,
                                   .warm = warm};
    return warm == NULL ? bvp_within_batch(a, b, placements, delta, hits, done, stats)
                        : bvpi_pair_batch(a, b, &of, done, stats);
}
