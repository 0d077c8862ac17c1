/* SPDX-License-Identifier: MIT
 * pair_kernel.c: the inner loops of queries between two bodies; compiled once per instruction set.
 *
 * Leaves meet as two groups of up to eight triangles. Pairs whose boxes pass are queued and tested
 * eight at a time, whichever leaves they come from.
 */
#include <math.h>

#include "prim/tri_dist.h"
#include "prim/tri_tri.h"
#include "query/pair_leaf.h"
#include "query/pair_walk.h"

/* A leaf meets many others in a row; so many are kept decoded for each side. */
enum { LEAF_CACHE = 16 };

typedef struct pair_queue {
    float a[9][8], b[9][8];
    uint32_t item_a[8], item_b[8];
    unsigned count;
} pair_queue;

typedef struct pair_parts {
    pair_walk walk; /* first: leaf functions get a pointer to it */
    const bvpi_placed_part *a, *b;
    bvpi_pose pose;
    leaf_frame frame;
    float limit_sq; /* DISTANCE: the limit there */
    pair_queue queue;
    tri_leaf leaf_a[LEAF_CACHE], leaf_b[LEAF_CACHE];
} pair_parts;

static void fail(bvpi_pair_query *query, bvp_status status)
{
    query->status = status;
    query->done = true;
}

/* ---- leaves ------------------------------------------------------------------------------------
 */

static const tri_leaf *get_leaf(pair_parts *p, bool is_a, uint32_t item, uint32_t count)
{
    tri_leaf *leaf = &(is_a ? p->leaf_a : p->leaf_b)[item * UINT32_C(2654435769) >> 28];
    if (leaf->item == item && leaf->count == count)
        return leaf;
    if (!bvpi_wide_triangles(is_a ? p->walk.a : p->walk.b, item, count, &leaf->stored)) {
        leaf->count = 0;
        fail(p->walk.query, BVP_ERR_CORRUPT);
        return NULL;
    }
    leaf->item = item;
    leaf->count = count;
    leaf_bound(&p->frame, is_a, leaf);
    return leaf;
}

static bool get_id(const bvpi_placed_part *part, uint32_t item, bvp_hit_id *out)
{
    bvpi_cluster cluster;
    const bvpi_tree *tree = &part->at.tree;
    if (!bvpi_cluster_open(tree->units, tree->blob_size,
                           (uint64_t)(item >> 8) << tree->cluster_shift, &cluster))
        return false;
    bvpi_hit_id_of(part, &cluster.head, item & 0xff, out);
    return true;
}

static inline void enqueue(pair_queue *queue, const tri_leaf *a, unsigned i, const tri_leaf *b,
                           unsigned j)
{
    unsigned at = queue->count++;
    for (int k = 0; k < 9; k++) {
        queue->a[k][at] = a->stored.c[k][i];
        queue->b[k][at] = b->stored.c[k][j];
    }
    queue->item_a[at] = a->item + i;
    queue->item_b[at] = b->item + j;
}

/* ---- what becomes of queued pairs ---------------------------------------------------------------
 */

static void load_queue(pair_queue *queue, f32x8 a[9], f32x8 b[9])
{
    for (int k = 0; k < 9; k++) {
        a[k] = f32x8_load(queue->a[k]);
        b[k] = f32x8_load(queue->b[k]);
    }
}

static void load_pair(const pair_queue *queue, unsigned lane, float a[9], float b[9])
{
    for (int k = 0; k < 9; k++) {
        a[k] = queue->a[k][lane];
        b[k] = queue->b[k][lane];
    }
}

static bool get_ids(const pair_parts *p, unsigned lane, bvp_hit_id *a, bvp_hit_id *b)
{
    bool swap = p->walk.query->swapped;
    if (get_id(p->a, p->queue.item_a[lane], swap ? b : a) &&
        get_id(p->b, p->queue.item_b[lane], swap ? a : b))
        return true;
    fail(p->walk.query, BVP_ERR_CORRUPT);
    return false;
}

static void report_each(pair_parts *p, bvpi_tri_tri8_result result)
{
    bvpi_pair_query *query = p->walk.query;
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
static void keep_pair(pair_parts *p, unsigned lane, const bvpi_tri_dist *d)
{
    bvp_distance_result *best = &p->walk.query->best;
    bool swap = p->walk.query->swapped;
    if (!get_ids(p, lane, &best->a, &best->b))
        return;
    best->found = 1;
    best->distance = d->hi;
    memcpy(best->point_a, swap ? d->point_b : d->point_a, sizeof best->point_a);
    memcpy(best->point_b, swap ? d->point_a : d->point_b, sizeof best->point_b);
}

static void flush_overlap(pair_parts *p)
{
    bvpi_pair_query *query = p->walk.query;
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

/* The query's limit, in the units of the boxes and of the triangles: rounded up. */
static void update_limits(pair_parts *p)
{
    const bvpi_pair_query *query = p->walk.query;
    double work = query->limit / p->walk.boxes.world_unit;
    double frame = query->limit / p->pose.a_size_min * p->pose.scale;
    p->walk.limit_sq = (float)(work * work * (1 + 0x1p-18)) + 0x1p-100f;
    p->limit_sq = (float)(frame * frame * (1 + 0x1p-18)) + 0x1p-100f;
}

/* The shortest distance so far gives the direction in which to look for gaps. */
static void aim(pair_parts *p, const bvpi_tri_dist *d)
{
    double axis[3] = {0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            axis[i] += p->pose.ma[4 * k + i] * (d->point_b[k] - d->point_a[k]);
    bvpi_box_pair_aim(&p->walk.boxes, axis);
    leaf_frame_aim(&p->frame, axis);
}

static void measure(pair_parts *p, unsigned lane)
{
    bvpi_pair_query *query = p->walk.query;
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
        aim(p, &d);
    }
    query->limit = fmin(query->limit, d.hi);
    query->done |= query->stop_at_first || d.hi == 0;
    update_limits(p);
}

/* Intervals in float choose which pairs are measured in double, the nearest first. */
static void flush_distance(pair_parts *p)
{
    bvpi_pair_query *query = p->walk.query;
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

BVPI_INLINE void visit_leaves(pair_parts *p, const pair_entry *e, bool by_distance)
{
    const tri_leaf *a = get_leaf(p, true, e->ref_a, e->count_a);
    const tri_leaf *b = get_leaf(p, false, e->ref_b, e->count_b);
    if (a == NULL || b == NULL)
        return;
    p->walk.query->stats.leaves++;
    leaf_spans spans;
    if (by_distance)
        leaf_spans_init(&spans, &p->frame, a, b);
    for (unsigned i = 0; i < a->count; i++) {
        unsigned lanes = by_distance ? leaf_within(&p->frame, &spans, a, b, i, p->limit_sq)
                                     : leaf_touching(a, b, i);
        for (; lanes != 0; lanes &= lanes - 1) {
            enqueue(&p->queue, a, i, b, bvpi_lowest_bit(lanes));
            if (p->queue.count < 8)
                continue;
            if (by_distance)
                flush_distance(p);
            else
                flush_overlap(p);
            if (p->walk.query->done)
                return;
        }
    }
}

static void visit_overlap(pair_walk *walk, const pair_entry *e)
{
    visit_leaves((pair_parts *)walk, e, false);
}

static void visit_distance(pair_walk *walk, const pair_entry *e)
{
    visit_leaves((pair_parts *)walk, e, true);
}

/* ---- two parts ----------------------------------------------------------------------------------
 */

static bvpi_grid_box grid_box(const bvpi_tree *tree)
{
    bvpi_grid_box box = {.unit = tree->grid_unit};
    memcpy(box.origin, tree->grid_origin, sizeof box.origin);
    memcpy(box.extent, tree->grid_extent, sizeof box.extent);
    return box;
}

/* What turns directions of a's frame into those of the world, inverted; or a scaled identity that
 * does not overstate any length. */
static void world_of(const bvpi_placed *a, double world[9])
{
    const bvpi_place *place = &a->place;
    bool good = !place->is_similar;
    for (int k = 0; k < 9; k++) {
        world[k] = place->inverse[k].hi;
        good = good && place->inverse_err[k] * place->size_min < 0x1p-30;
    }
    for (int k = 0; !good && k < 9; k++)
        world[k] = k % 4 == 0 ? 1 / place->size_min : 0;
}

/* blur: how far things may be out of their boxes. */
static void init_boxes(pair_walk *walk, const bvpi_pose *pose, const bvpi_placed *a,
                       const bvpi_placed *b, bool by_distance)
{
    double world[9], error = 0;
    bvpi_grid_box box_a = grid_box(&a->tree), box_b = grid_box(&b->tree);
    for (int i = 0; i < 3; i++) {
        const double *row = pose->x + 4 * i, *row_err = pose->x_err + 4 * i;
        double sum = row_err[3] + a->blur;
        for (int j = 0; j < 3; j++)
            sum += row_err[j] * b->bound[j] + fabs(row[j]) * b->blur;
        error = fmax(error, sum);
    }
    if (by_distance)
        world_of(a, world);
    bvpi_box_pair_init(&walk->boxes, &box_a, &box_b, pose->x, error, by_distance ? world : NULL);
    walk->a = &a->tree;
    walk->b = &b->tree;
}

static void init_leaves(pair_parts *p)
{
    p->queue.count = 0;
    for (int k = 0; k < LEAF_CACHE; k++)
        p->leaf_a[k].count = p->leaf_b[k].count = 0;
}

static void parts(bvpi_pair_query *query, const bvpi_placed_part *a, const bvpi_placed_part *b)
{
    pair_parts p;
    pair_entry root;
    bool by_distance = query->mode == BVPI_PAIR_DISTANCE;
    bvpi_pose_init_placed(&p.pose, &a->at.place, &b->at.place, a->at.bound, b->at.bound);
    p.walk.query = query;
    p.a = a;
    p.b = b;
    init_boxes(&p.walk, &p.pose, &a->at, &b->at, by_distance);
    leaf_frame_init(&p.frame, &p.pose);
    init_leaves(&p);
    walk_init(&p.walk, &root);
    if (by_distance) {
        update_limits(&p);
        walk_pairs(&p.walk, &root, true, true, visit_distance);
    } else if (query->mode == BVPI_PAIR_COLLIDE) {
        walk_pairs(&p.walk, &root, false, true, visit_overlap);
    } else {
        walk_pairs(&p.walk, &root, false, false, visit_overlap);
    }
    if (p.queue.count > 0 && !query->done) {
        if (by_distance)
            flush_distance(&p);
        else
            flush_overlap(&p);
    }
}

/* ---- two scenes ---------------------------------------------------------------------------------
 */

static void visit_items(pair_walk *walk, const pair_entry *e)
{
    bvpi_pair_query *query = walk->query;
    for (uint32_t i = 0; i < e->count_a; i++)
        for (uint32_t j = 0; j < e->count_b && !query->done; j++)
            bvpi_pair_enter(query, e->ref_a + i, e->ref_b + j);
    if (query->mode == BVPI_PAIR_DISTANCE) {
        double work = query->limit / walk->boxes.world_unit;
        walk->limit_sq = (float)(work * work * (1 + 0x1p-18)) + 0x1p-100f;
    }
}

/* A body that is a part is a leaf with one item, number 0. */
static const bvpi_placed *scene_of(const bvpi_subject *subject, uint32_t *ref, uint8_t *count)
{
    if (subject->is_assembly)
        return &subject->top;
    *ref = 0;
    *count = 1;
    return &subject->one.at;
}

static void scenes(bvpi_pair_query *query)
{
    pair_walk walk = {.query = query};
    pair_entry root;
    bvpi_pose pose;
    uint32_t ref_a = 0, ref_b = 0;
    uint8_t count_a = 0, count_b = 0;
    const bvpi_placed *a = scene_of(&query->a, &ref_a, &count_a);
    const bvpi_placed *b = scene_of(query->self ? &query->a : &query->b, &ref_b, &count_b);
    bool by_distance = query->mode == BVPI_PAIR_DISTANCE;
    bvpi_pose_init_placed(&pose, &a->place, &b->place, a->bound, b->bound);
    init_boxes(&walk, &pose, a, b, by_distance);
    walk_init(&walk, &root);
    if (count_a != 0) {
        root.ref_a = ref_a;
        root.count_a = count_a;
    }
    if (count_b != 0) {
        root.ref_b = ref_b;
        root.count_b = count_b;
    }
    if (by_distance) {
        double work = query->limit / walk.boxes.world_unit;
        walk.limit_sq = (float)(work * work * (1 + 0x1p-18)) + 0x1p-100f;
        walk_pairs(&walk, &root, true, true, visit_items);
    } else if (query->mode == BVPI_PAIR_COLLIDE) {
        walk_pairs(&walk, &root, false, true, visit_items);
    } else {
        walk_pairs(&walk, &root, false, false, visit_items);
    }
}

const bvpi_pair_kernel BVPI_ISA_NAME(bvpi_pair_kernel) = {.parts = parts, .scenes = scenes};
