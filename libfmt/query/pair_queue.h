/* SPDX-License-Identifier: MIT
 * pair_queue.h: pairs of triangles that are left of two parts, tested eight at a time, and what
 * becomes of the answers; for kernels.
 */
#ifndef BVPI_QUERY_PAIR_QUEUE_H
#define BVPI_QUERY_PAIR_QUEUE_H

#include <math.h>

#include "prim/tri_dist.h"
#include "prim/tri_tri.h"
#include "query/pair.h"
#include "query/pair_leaf.h"

/* An item is a triangle's reference into the clusters. */
typedef struct pair_queue {
    float a[9][8], b[9][8];
    uint32_t item_a[8], item_b[8];
    unsigned count;
} pair_queue;

/* Two parts whose triangles meet. */
typedef struct pair_tester {
    bvpi_pair_query *query;
    const bvpi_placed_part *a, *b;
    bvpi_pose pose;
    leaf_frame frame;
    float limit_sq; /* DISTANCE: the limit in the frame */
    bool nearer;    /* DISTANCE: the limit shrank or the aim turned; who walks clears it */
    double aim[3];  /* DISTANCE: in which direction to look for gaps, in a's frame */
    pair_queue queue;
} pair_tester;

static inline void tester_fail(pair_tester *t, bvp_status status)
{
    t->query->status = status;
    t->query->done = true;
}

static inline bool get_id(const bvpi_placed_part *part, uint32_t item, bvp_hit_id *out)
{
    bvpi_cluster cluster;
    if (!bvpi_cluster_open(part->part.blob, part->part.blob_size,
                           (uint64_t)(item >> 8) << part->part.cluster_shift, &cluster))
        return false;
    bvpi_hit_id_of(part, &cluster.head, item & 0xff, out);
    return true;
}

static inline void enqueue(pair_queue *queue, const tri_leaf *a, unsigned i, uint32_t item_a,
                           const tri_leaf *b, unsigned j, uint32_t item_b)
{
    unsigned at = queue->count++;
    for (int k = 0; k < 9; k++) {
        queue->a[k][at] = a->stored.c[k][i];
        queue->b[k][at] = b->stored.c[k][j];
    }
    queue->item_a[at] = item_a;
    queue->item_b[at] = item_b;
}

/* ---- what becomes of queued pairs --------------------------------------------------------------
 */

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

static inline bool get_ids(pair_tester *p, unsigned lane, bvp_hit_id *a, bvp_hit_id *b)
{
    bool swap = p->query->swapped;
    if (get_id(p->a, p->queue.item_a[lane], swap ? b : a) &&
        get_id(p->b, p->queue.item_b[lane], swap ? a : b))
        return true;
    tester_fail(p, BVP_ERR_CORRUPT);
    return false;
}

static inline void report_each(pair_tester *p, bvpi_tri_tri8_result result)
{
    bvpi_pair_query *query = p->query;
    for (unsigned left = result.hit; left != 0 && !query->done; left &= left - 1) {
        unsigned lane = bvpi_lowest_bit(left);
        bvp_pair pair = {.proper = (int)(result.proper >> lane & 1)};
        if (!get_ids(p, lane, &pair.a, &pair.b))
            return;
        query->count++;
        query->done = query->callback(query->user, &pair) != 0;
    }
}

/* Keeps a pair as the answer. */
static inline void keep_pair(pair_tester *p, unsigned lane, const bvpi_tri_dist *d)
{
    bvp_distance_result *best = &p->query->best;
    bool swap = p->query->swapped;
    if (!get_ids(p, lane, &best->a, &best->b))
        return;
    best->found = 1;
    best->distance = d->hi;
    memcpy(best->point_a, swap ? d->point_b : d->point_a, sizeof best->point_a);
    memcpy(best->point_b, swap ? d->point_a : d->point_b, sizeof best->point_b);
}

static inline void flush_overlap(pair_tester *p)
{
    bvpi_pair_query *query = p->query;
    unsigned count = p->queue.count;
    f32x8 a[9], b[9];
    load_queue(&p->queue, a, b);
    bvpi_tri_tri8_result result = bvpi_tri_tri8(&p->pose, a, b, (1u << count) - 1);
    query->stats.triangles += count;
    query->stats.exact += bvpi_popcount(result.exact);
    p->queue.count = 0;
    if (result.hit == 0)
        return;
    if (query->mode == BVPI_PAIR_EACH) {
        report_each(p, result);
        return;
    }
    query->hit = query->done = true;
    if (query->want_witness) {
        bvpi_tri_dist d;
        float ta[9], tb[9];
        unsigned lane = bvpi_lowest_bit(result.hit);
        load_pair(&p->queue, lane, ta, tb);
        bvpi_tri_dist1(&p->pose, ta, tb, &d);
        keep_pair(p, lane, &d);
    }
}

/* The query's limit, in the units of the triangles: rounded up. */
static inline void tester_limit(pair_tester *p)
{
    double frame = p->query->limit / p->pose.a_size_min * p->pose.scale;
    p->limit_sq = (float)(frame * frame * (1 + 0x1p-18)) + 0x1p-100f;
    p->nearer = true;
}

/* The shortest distance so far gives the direction in which to look for gaps. */
static inline void tester_aim(pair_tester *p, const bvpi_tri_dist *d)
{
    for (int i = 0; i < 3; i++) {
        p->aim[i] = 0;
        for (int k = 0; k < 3; k++)
            p->aim[i] += p->pose.ma[4 * k + i] * (d->point_b[k] - d->point_a[k]);
    }
    leaf_frame_aim(&p->frame, p->aim);
}

static inline void measure(pair_tester *p, unsigned lane)
{
    bvpi_pair_query *query = p->query;
    bvpi_tri_dist d;
    float a[9], b[9];
    load_pair(&p->queue, lane, a, b);
    bvpi_tri_dist1(&p->pose, a, b, &d);
    query->stats.exact++;
    if (d.lo > query->limit)
        return;
    query->lower = fmin(query->lower, d.lo);
    if (!query->best.found || d.hi < query->best.distance) {
        keep_pair(p, lane, &d);
        tester_aim(p, &d);
    }
    query->limit = fmin(query->limit, d.hi);
    query->done |= query->stop_at_first || d.hi == 0;
    tester_limit(p);
}

/* Intervals in float choose which pairs are measured in double, the nearest first. */
static inline void flush_distance(pair_tester *p)
{
    bvpi_pair_query *query = p->query;
    unsigned count = p->queue.count, left = (1u << count) - 1;
    f32x8 a[9], b[9], lo, hi;
    load_queue(&p->queue, a, b);
    bvpi_tri_dist8(&p->pose, a, b, &lo, &hi);
    query->stats.triangles += count;
    p->queue.count = 0;
    double limit = query->limit;
    for (unsigned lane = 0; lane < count; lane++)
        limit = fmin(limit, hi[lane]);
    while (left != 0 && !query->done) {
        unsigned nearest = bvpi_lowest_bit(left);
        for (unsigned rest = left; rest != 0; rest &= rest - 1) {
            unsigned lane = bvpi_lowest_bit(rest);
            nearest = lo[lane] < lo[nearest] ? lane : nearest;
        }
        if (lo[nearest] > fmin(limit, query->limit))
            return;
        left &= ~(1u << nearest);
        measure(p, nearest);
    }
}

/* What is left when a walk is over. */
static inline void tester_finish(pair_tester *p)
{
    if (p->queue.count == 0 || p->query->done)
        return;
    if (p->query->mode == BVPI_PAIR_DISTANCE)
        flush_distance(p);
    else
        flush_overlap(p);
}

static inline void tester_init(pair_tester *p, bvpi_pair_query *query, const bvpi_placed_part *a,
                               const bvpi_placed_part *b)
{
    p->query = query;
    p->a = a;
    p->b = b;
    bvpi_pose_init_placed(&p->pose, &a->at.place, &b->at.place, a->at.bound, b->at.bound);
    leaf_frame_init(&p->frame, &p->pose);
    p->queue.count = 0;
    p->aim[0] = p->aim[1] = p->aim[2] = 0;
    if (query->mode == BVPI_PAIR_DISTANCE)
        tester_limit(p);
}

#endif
