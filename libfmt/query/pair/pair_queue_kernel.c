/* SPDX-License-Identifier: MIT
 * pair_queue_kernel.c: tests queued pairs of triangles and updates the query's answer; compiled
 * once per instruction set.
 *
 * pair_queue.h describes the stages. Kernels of all kinds of hierarchy share these functions: they
 * are called once for eight pairs, and inlined into each kernel they were half of the library's
 * text.
 *
 * What makes a distance independent of the order of the walk:
 * - a pair's interval depends on the pair alone, because it is computed up to a limit a little
 *   beyond the query's (measure_pair);
 * - the limit never drops below the top of the best pair's cell while the first pair in storage is
 *   asked for, so pairs in that cell are all measured (bvpi_ties_matter).
 *
 * Slow twin: brute force, tests/property/test_pairs.c; what it costs: test_pair_counts.c.
 * Spec: exactness.md, chapters 5 and 6
 * Measured: decisions.md, "The exact stage where faces are flush" and "Text of the library",
 * "Queries between two bodies" (pending pairs, the aim).
 */
#include "query/pair/pair_queue.h"

#include <assert.h>

#include "prim/tri_dist.h"
#include "prim/tri_tri.h"
#include "query/pair/facing.h"

static inline bool get_id(const bvpi_placed_part *part, pair_ids *ids, uint32_t item,
                          bvp_hit_id *out)
{
    const unsigned slot = item * UINT32_C(2654435769) >> 26;
    assert(slot < ID_CACHE);
    bvpd_cluster head;
    if ((ids->known >> slot & 1) != 0 && ids->item[slot] == item) {
        out->instance = part->instance;
        out->part = part->part_idx;
        out->triangle = ids->triangle[slot];
        out->id = ids->id[slot];
        return true;
    }
    if (!bvpi_cluster_load(part->part.blob, part->part.blob_size,
                           (uint64_t)(item >> 8) << part->part.cluster_shift, &head))
        return false;
    bvpi_hit_id_of(part, &head, item & 0xff, out);
    ids->known |= UINT64_C(1) << slot;
    ids->item[slot] = item;
    ids->triangle[slot] = out->triangle;
    ids->id[slot] = out->id;
    return true;
}

/* ---- queued pairs, and the answer ------------------------------------------------------------ */

static inline void load_queue(pair_queue *queue, f32x8 a[9], f32x8 b[9])
{
    for (int k = 0; k < 9; k++) {
        a[k] = f32x8_load(queue->a[k]);
        b[k] = f32x8_load(queue->b[k]);
    }
}

static inline void load_pair(const pair_queue *queue, unsigned lane, float a[9], float b[9])
{
    for (int k = 0; k < 9; k++) {
        a[k] = queue->a[k][lane];
        b[k] = queue->b[k][lane];
    }
}

static inline bool get_ids(pair_tester *p, uint32_t item_a, uint32_t item_b, bvp_hit_id *a,
                           bvp_hit_id *b)
{
    bool swap = p->query->bodies.swapped;
    if (get_id(p->a, &p->ids[0], item_a, swap ? b : a) &&
        get_id(p->b, &p->ids[1], item_b, swap ? a : b))
        return true;
    tester_fail(p, BVP_ERR_CORRUPT);
    return false;
}

static inline void report_each(pair_tester *p, bvpi_tri_tri8_result result)
{
    const bvpi_pair_question *question = &p->query->question;
    bvpi_pair_answer *answer = p->answer;
    const bool swap = p->query->bodies.swapped;
    for (unsigned left = result.hit; left != 0 && tester_goes_on(p); left &= left - 1) {
        unsigned lane = bvpi_lowest_bit(left);
        bvp_pair pair = {.proper = (int)(result.proper >> lane & 1)};
        if (!get_ids(p, p->queue.item_a[lane], p->queue.item_b[lane], &pair.a, &pair.b))
            return;
        load_pair(&p->queue, lane, swap ? answer->tri_b : answer->tri_a,
                  swap ? answer->tri_a : answer->tri_b);
        answer->count++;
        if (question->callback(question->user, &pair) != 0)
            answer->state = BVPI_PAIR_ENDED;
    }
}

/* Does this pair come before the best one in storage? By instances, then by items. */
static inline bool comes_first(const pair_tester *p, uint32_t item_a, uint32_t item_b)
{
    const bvpi_pair_answer *answer = p->answer;
    const bvp_distance_result *best = &answer->best;
    const bool swap = p->query->bodies.swapped;
    const uint32_t best_a = swap ? best->b.instance : best->a.instance;
    const uint32_t best_b = swap ? best->a.instance : best->b.instance;
    assert(best->found);
    if (p->a->instance != best_a)
        return p->a->instance < best_a;
    if (p->b->instance != best_b)
        return p->b->instance < best_b;
    return item_a != answer->best_a ? item_a < answer->best_a : item_b < answer->best_b;
}

/* Keeps a pair as the answer. */
static inline void keep_pair(pair_tester *p, uint32_t item_a, uint32_t item_b,
                             const bvpi_tri_dist *d)
{
    bvp_distance_result *best = &p->answer->best;
    bool swap = p->query->bodies.swapped;
    if (!get_ids(p, item_a, item_b, &best->a, &best->b))
        return;
    best->found = 1;
    best->distance = d->hi;
    p->answer->best_a = item_a;
    p->answer->best_b = item_b;
    memcpy(best->point_a, swap ? d->point_b : d->point_a, sizeof best->point_a);
    memcpy(best->point_b, swap ? d->point_a : d->point_b, sizeof best->point_b);
}

/* Keeps pairs that cross for warm starts: a pair that crosses properly keeps crossing under small
 * motions, one that only touches may not. */
static inline void keep_hits(pair_tester *p, bvpi_tri_tri8_result result)
{
    bvpi_hit_pairs *out = p->query->keep.hit_pairs;
    const bool swap = p->query->bodies.swapped;
    out->count = 0;
    for (unsigned left = result.hit & result.proper; left != 0 && out->count < BVPI_HIT_PAIRS;
         left &= left - 1, out->count++) {
        const unsigned lane = bvpi_lowest_bit(left);
        float *a = out->a[out->count], *b = out->b[out->count];
        load_pair(&p->queue, lane, swap ? b : a, swap ? a : b);
        out->item_a[out->count] = (swap ? p->queue.item_b : p->queue.item_a)[lane];
        out->item_b[out->count] = (swap ? p->queue.item_a : p->queue.item_b)[lane];
    }
    out->instance_a = (swap ? p->b : p->a)->instance;
    out->instance_b = (swap ? p->a : p->b)->instance;
}

/* The query's limit in the leaves' frame, rounded up: a limit that is too large only costs time. */
static inline void tester_limit(pair_tester *p)
{
    assert(p->pose.a_size_min > 0);
    double frame = p->answer->limit / p->pose.a_size_min * p->pose.scale;
    p->limit_sq = (float)(frame * frame * (1 + 0x1p-18)) + 0x1p-100f;
    p->nearer = true;
}

static inline void forget_pending(pair_pending *pending, unsigned at)
{
    assert(at < pending->count && pending->count <= PENDING_MOST);
    const unsigned last = --pending->count;
    memcpy(pending->a[at], pending->a[last], sizeof pending->a[at]);
    memcpy(pending->b[at], pending->b[last], sizeof pending->b[at]);
    pending->lo[at] = pending->lo[last];
    pending->item_a[at] = pending->item_a[last];
    pending->item_b[at] = pending->item_b[last];
}

/* Measures a pair in double. It becomes the answer if it is nearer, or as near and first in
 * storage; distances are compared by cells, because upper ends of equal distances differ by
 * rounding. */
static inline void measure_pair(pair_tester *p, const float a[9], const float b[9], uint32_t item_a,
                                uint32_t item_b)
{
    const bvpi_pair_question *question = &p->query->question;
    bvpi_pair_answer *answer = p->answer;
    bvpi_tri_dist d;
    assert(bvpi_pair_measures(question->mode));
    /* A little beyond the limit: otherwise whether a pair near the limit contributes to `lower`
     * would depend on what was found before it. */
    const double limit = answer->limit * (1 + 0x1p-24);
    if (question->witness == BVPI_WITNESS_ROUGH)
        bvpi_tri_dist1_any(&p->pose, a, b, answer->limit, &d);
    else
        bvpi_tri_dist1_within(&p->pose, a, b, limit, &d);
    answer->stats.exact++;
    p->spent += BVPI_TIES_EXACT * d.effort;
    if (!(d.lo <= answer->limit) || !(d.hi < INFINITY)) /* also NaN, from a damaged file */
        return;
    answer->lower = fmin(answer->lower, d.lo);
    const bvp_distance_result *best = &answer->best;
    if (!best->found || bvpi_cell(d.hi) < bvpi_cell(best->distance) ||
        (bvpi_cell(d.hi) == bvpi_cell(best->distance) && comes_first(p, item_a, item_b)))
        keep_pair(p, item_a, item_b, &d);
    /* Not below the cell's top: a pair in the same cell may still come first. */
    answer->limit = fmin(answer->limit, bvpi_ties_matter(question) ? bvpi_cell_top(d.hi)
                                                                   : d.hi - question->tolerance);
    if (question->mode == BVPI_PAIR_WITHIN || d.hi <= question->tolerance)
        answer->state = BVPI_PAIR_ENDED;
    tester_limit(p);
}

static inline void measure_tie(void *user, const float a[9], const float b[9], uint32_t item_a,
                               uint32_t item_b)
{
    measure_pair((pair_tester *)user, a, b, item_a, item_b);
}

static inline bool tie_comes_first(void *user, uint32_t item_a, uint32_t item_b)
{
    return comes_first((const pair_tester *)user, item_a, item_b);
}

static inline uint32_t late_of(uint64_t patience)
{
    return patience < UINT32_MAX ? (uint32_t)patience : UINT32_MAX;
}

void settle_ties(pair_tester *p, const float a[9], const float b[9])
{
    const bvpi_ties ties = {.query = p->query,
                            .answer = p->answer,
                            .a = p->a,
                            .b = p->b,
                            .pose = &p->pose,
                            .spent = p->spent,
                            .user = p,
                            .measure = measure_tie,
                            .comes_first = tie_comes_first};
    assert(tester_goes_on(p) && p->spent >= p->patience);
    if (!p->has_world) {
        bvpi_pose_bound_corners(&p->pose, p->a->at.corner, p->b->at.corner);
        p->has_world = true;
    }
    const bool late = p->spent >= p->late;
    const bool settled =
        facing_settle(&ties, a, b) || (late && tester_goes_on(p) && bvpi_ties_settle(&ties, a, b));
    /* each failed try doubles the work before the next */
    p->patience = (late ? 2 : 4) * p->spent;
    if (late)
        p->late = late_of(p->patience);
    else if (p->late < p->patience)
        p->patience = p->late;
    if (settled && tester_goes_on(p)) {
        p->answer->state = BVPI_PAIR_SETTLED;
        p->answer->has_ties = true;
    }
}

void flush_overlap(pair_tester *p)
{
    const bvpi_pair_question *question = &p->query->question;
    bvpi_pair_answer *answer = p->answer;
    unsigned count = p->queue.count;
    f32x8 a[9], b[9];
    float ta[9], tb[9];
    assert(count >= 1 && count <= 8);
    load_queue(&p->queue, a, b);
    const unsigned lanes = (1u << count) - 1;
    /* which pair is named, and those that are kept, depend on all of them */
    const bool any = question->mode == BVPI_PAIR_COLLIDE &&
                     question->witness == BVPI_WITNESS_NONE && p->query->keep.hit_pairs == NULL;
    const bvpi_tri_tri8_result result = bvpi_tri_tri8(&p->pose, a, b, lanes, any);
    answer->stats.triangles += count;
    answer->stats.exact += bvpi_popcount(result.exact);
    p->queue.count = 0;
    if (result.hit == 0) {
        p->missed = true;
        p->spent += BVPI_TIES_EXACT * bvpi_popcount(result.exact);
        if (result.exact != 0 && p->spent >= p->patience) {
            load_pair(&p->queue, bvpi_lowest_bit(result.exact), ta, tb);
            settle_ties(p, ta, tb);
        }
        return;
    }
    if (question->mode == BVPI_PAIR_EACH) {
        report_each(p, result);
        return;
    }
    assert(question->mode == BVPI_PAIR_COLLIDE);
    answer->best.found = 1;
    answer->state = BVPI_PAIR_ENDED;
    if (p->query->keep.hit_pairs != NULL)
        keep_hits(p, result);
    if (question->witness != BVPI_WITNESS_NONE) {
        bvpi_tri_dist d;
        unsigned lane = bvpi_lowest_bit(result.hit);
        load_pair(&p->queue, lane, ta, tb);
        bvpi_tri_common1(&p->pose, ta, tb, &d);
        keep_pair(p, p->queue.item_a[lane], p->queue.item_b[lane], &d);
    }
}

/* Measures the pending pair with the least lower bound and removes it. The nearest first: it most
 * likely shrinks the limit below the others' bounds. */
static inline void measure_nearest(pair_tester *p)
{
    pair_pending *pending = &p->pending;
    unsigned at = 0;
    float a[9], b[9];
    assert(pending->count > 0);
    for (unsigned i = 1; i < pending->count; i++)
        at = pending->lo[i] < pending->lo[at] ? i : at;
    const uint32_t item_a = pending->item_a[at], item_b = pending->item_b[at];
    memcpy(a, pending->a[at], sizeof a);
    memcpy(b, pending->b[at], sizeof b);
    forget_pending(pending, at);
    measure_pair(p, a, b, item_a, item_b);
    if (p->spent >= p->patience && tester_goes_on(p))
        settle_ties(p, a, b);
}

/* Removes pending pairs that the limit, which has shrunk since, now excludes. */
static inline void forget_far(pair_tester *p)
{
    for (unsigned i = p->pending.count; i-- > 0;)
        if ((double)p->pending.lo[i] > p->answer->limit)
            forget_pending(&p->pending, i);
}

static inline void measure_pending(pair_tester *p)
{
    while (p->pending.count > 0 && tester_goes_on(p)) {
        measure_nearest(p);
        forget_far(p);
    }
}

static inline void add_pending(pair_tester *p, unsigned lane, float lo)
{
    pair_pending *pending = &p->pending;
    if (pending->count == PENDING_MOST)
        forget_far(p);
    if (pending->count == PENDING_MOST)
        measure_pending(p);
    assert(pending->count < PENDING_MOST);
    const unsigned at = pending->count++;
    load_pair(&p->queue, lane, pending->a[at], pending->b[at]);
    pending->lo[at] = lo;
    pending->item_a[at] = p->queue.item_a[lane];
    pending->item_b[at] = p->queue.item_b[lane];
}

/* The least upper end lowers the limit, before anything is measured in double; that pair's shortest
 * connection is the new direction for gaps: near pairs of two solids mostly face the same way. Any
 * direction is valid; it only decides how many pairs are left out. */
static inline void lower_limit(pair_tester *p, unsigned count, f32x8 hi, const f32x8 along[3])
{
    unsigned nearest = 0;
    for (unsigned lane = 1; lane < count; lane++)
        nearest = hi[lane] < hi[nearest] ? lane : nearest;
    if (!((double)hi[nearest] < p->answer->limit))
        return;
    /* A little more than the upper end: other pairs of the same cell (2^-32 wide) must stay. */
    p->answer->limit = fmin(p->answer->limit, (double)hi[nearest] * (1 + 0x1p-30));
    p->answer->is_bounded = true;
    for (int i = 0; i < 3; i++) {
        p->aim[i] = p->pose.own_frame ? (double)along[i][nearest] : 0;
        for (int k = 0; k < 3 && !p->pose.own_frame; k++)
            p->aim[i] += p->pose.ma[4 * k + i] * (double)along[k][nearest];
    }
    leaf_frame_aim(&p->frame, p->aim);
    tester_limit(p);
}

static inline unsigned lanes_within(const pair_tester *p, unsigned count, f32x8 lo)
{
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < count; lane++)
        lanes |= ((double)lo[lane] <= p->answer->limit ? 1u : 0u) << lane;
    return lanes;
}

unsigned lanes_within_float(const bvpi_pose *pose, const float a[9], const f32x8 b[9], double limit)
{
    f32x8 of_a[9], lo, hi, along[3];
    unsigned lanes = 0;
    for (int k = 0; k < 9; k++)
        of_a[k] = f32x8_splat(a[k]);
    bvpi_tri_dist8_along(pose, of_a, b, &lo, &hi, along);
    for (unsigned lane = 0; lane < 8; lane++)
        lanes |= ((double)lo[lane] <= limit ? 1u : 0u) << lane;
    return lanes;
}

void flush_distance(pair_tester *p)
{
    const bvpi_pair_question *question = &p->query->question;
    bvpi_pair_answer *answer = p->answer;
    const unsigned count = p->queue.count;
    assert(bvpi_pair_measures(question->mode));
    f32x8 a[9], b[9], lo, hi, along[3];
    assert(count >= 1 && count <= 8);
    load_queue(&p->queue, a, b);
    bvpi_tri_dist8_along(&p->pose, a, b, &lo, &hi, along);
    answer->stats.triangles += count;
    p->queue.count = 0;
    if (question->mode == BVPI_PAIR_DISTANCE) {
        lower_limit(p, count, hi, along);
    } else if (question->witness == BVPI_WITNESS_NONE) {
        /* an upper end within the limit is enough for "within" */
        for (unsigned lane = 0; lane < count && tester_goes_on(p); lane++)
            if ((double)hi[lane] <= answer->limit) {
                answer->best.found = 1;
                answer->best.distance = (double)hi[lane];
                answer->state = BVPI_PAIR_ENDED;
            }
    }
    unsigned lanes = lanes_within(p, count, lo);
    /* Facing surfaces: the difference of nearest points errs by much of a small gap; the gap along
     * the normals does not. Computed only where the cheaper bound left something. */
    if (lanes != 0 && tester_goes_on(p)) {
        lo = f32x8_max(lo, bvpi_tri_gap8(&p->pose, a, b));
        lanes = lanes_within(p, count, lo);
    }
    for (; lanes != 0 && tester_goes_on(p); lanes &= lanes - 1) {
        const unsigned lane = bvpi_lowest_bit(lanes);
        if ((double)lo[lane] <= answer->limit)
            add_pending(p, lane, lo[lane]);
    }
    /* Where any pair in reach ends the query, or lowers the limit by the tolerance more than floats
     * do, waiting does not pay. */
    if (question->mode == BVPI_PAIR_WITHIN || question->tolerance > 0)
        measure_pending(p);
}

void tester_finish(pair_tester *p)
{
    if (p->queue.count != 0 && tester_goes_on(p)) {
        if (bvpi_pair_measures(p->query->question.mode))
            flush_distance(p);
        else
            flush_overlap(p);
    }
    measure_pending(p);
}

/* Is a length in the world less than a 32nd of the part's typical triangle? Typical: the part's
 * diagonal over the root of the number of triangles. */
#define SHORT 0x1p-5
static inline bool is_short(const bvpi_placed_part *part, double size, double length)
{
    double diagonal_sq = 0;
    for (int i = 0; i < 3; i++) {
        const double side = ((double)part->part.hi[i] - (double)part->part.lo[i]) * size * SHORT;
        diagonal_sq += side * side;
    }
    return length * length * (double)part->part.triangle_count < diagonal_sq;
}

/* "Nearer than c" for a small c is asked as "do the triangles meet if b's bounds are enlarged by
 * c?", because overlap of bounds costs less than their distance. What passes is measured. Returns
 * c in a's units, or 0 where c is so large that distances of bounds prune better. */
static inline double pad_of(const pair_tester *p)
{
    const double limit = p->answer->limit;
    return p->query->question.mode == BVPI_PAIR_WITHIN &&
                   is_short(p->a, p->pose.a_size_min, limit) &&
                   is_short(p->b, p->pose.b_size_min, limit)
               ? limit / p->pose.a_size_min * (1 + 0x1p-20)
               : 0;
}

void tester_init(pair_tester *p, bvpi_pair_query *query, const bvpi_placed_part *a,
                 const bvpi_placed_part *b, bool may_pad)
{
    const bvpi_pair_question *question = &query->question;
    const bool measures = bvpi_pair_measures(question->mode);
    p->query = query;
    p->answer = &query->answer;
    p->a = a;
    p->b = b;
    bvpi_pose_init_placed(&p->pose, &a->at.placement, &b->at.placement, a->at.bound, b->at.bound);
    p->has_world = measures || question->witness != BVPI_WITNESS_NONE;
    if (p->has_world)
        bvpi_pose_bound_corners(&p->pose, a->at.corner, b->at.corner);
    p->pad = may_pad ? pad_of(p) : 0;
    leaf_frame_init(&p->frame, &p->pose, measures && p->pad == 0, p->pad);
    p->queue.count = p->pending.count = 0;
    p->missed = false;
    p->spent = 0;
    p->patience = bvpi_ties_patience(a, b, query->answer.has_ties);
    p->late = late_of(p->patience);
    p->patience = bvpi_ties_first_look(a, b, p->patience);
    p->ids[0].known = p->ids[1].known = 0;
    p->aim[0] = p->aim[1] = p->aim[2] = 0;
    if (!measures)
        return;
    tester_limit(p);
    for (int i = 0; question->is_aimed && i < 3; i++)
        for (int k = 0; k < 3; k++)
            p->aim[i] += p->pose.ma[4 * k + i] * question->aim[k];
    leaf_frame_aim(&p->frame, p->aim);
}
