/* SPDX-License-Identifier: MIT
 * closest_kernel.c: the point of a body nearest to a given one, nearest child first; compiled once
 * per instruction set.
 *
 * Triangles are tested in two stages. In float, eight at a time, an interval for each; the least
 * upper end shrinks the search at once (query->bound). Triangles that may still be nearest wait as
 * candidates, and are decided in double with certified intervals, four at a time, at the end or
 * when 16 wait; most are too far by then.
 *
 * Invariant: the nearest triangle is the best so far, a candidate, or below an open node. reach()
 * is a little more than what is known, since reported distances may be 1e-9 too large; so the
 * answer does not depend on the order of the search.
 *
 * Slow twin: brute force over all triangles, tests/property/test_closest.c.
 * Spec: exactness.md, chapter 8
 * Measured: decisions.md, "Rays and closest points".
 */
#include <assert.h>

#include "prim/point_tri4.h"
#include "query/body/binary_body.h"
#include "query/near/closest.h"
#include "query/near/closest_walk.h"

enum { CANDIDATES = 16 };

/* A triangle that may hold the nearest point, by its distance in float. */
typedef struct candidate {
    uint64_t triangle; /* in the part */
    uint32_t item;
    float lo, corners[9];
} candidate;

/* A point in one hierarchy. */
typedef struct point_walk {
    const bvpi_placed_body *placed; /* in an assembly */
    uint32_t instances_left;        /* that may still be entered */
    bvpi_closest_query *query;
    bvpi_grid_point grid;
    const bvpi_placed_part *part; /* in a part */
    bvpi_point point;             /* in a part */
    unsigned candidate_count;
    candidate candidates[CANDIDATES]; /* awaiting the exact test: most are too far by then */
} point_walk;

BVPI_INLINE unsigned boxes(void *user, const bvpi_open_node *at, const bvpi_wide *node, float limit,
                           float keys[8])
{
    const f32x8 key = bvpi_box_point(&((point_walk *)user)->grid, at->lo, at->step, node->bounds);
    f32x8_store(keys, key);
    return ~i32x8_movemask(f32x8_gt(key, f32x8_splat(limit)));
}

/* Beyond this nothing matters: the distance within which something is known to be, and a little
 * more, since reported distances may be 1e-9 too large. */
BVPI_INLINE double reach(const bvpi_closest_query *query)
{
    const double bound = query->bound * (1 + 0x1p-24);
    return bound < query->limit ? bound : query->limit;
}

/* The same as a float, rounded up. */
BVPI_INLINE float far_of(const bvpi_closest_query *query)
{
    return (float)reach(query) * (1 + 0x1p-22f);
}

BVPI_INLINE float limit(void *user)
{
    const point_walk *w = user;
    return bvpi_grid_point_limit(&w->grid, reach(w->query));
}

/* Measures up to four candidates. Returns the one that is now the best answer, or `best`. */
static const candidate *ask(point_walk *w, const candidate *const four[4], unsigned count,
                            const candidate *best)
{
    bvpi_point_tri4 nearest;
    f64x4 corners[9];
    assert(count >= 1 && count <= 4);
    for (int k = 0; k < 9; k++)
        corners[k] = bvpi_f64x4_from_f32x4((bvpi_f32x4){four[0]->corners[k], four[1]->corners[k],
                                                        four[2]->corners[k], four[3]->corners[k]});
    bvpi_point_tri4_init(&nearest, &w->point, corners);
    w->query->stats.exact += count;
    for (unsigned lane = 0; lane < count; lane++) {
        const candidate *c = four[lane];
        bvpi_point_tri one;
        bvpi_point_tri4_lane(&nearest, &w->point, c->corners, lane, &one);
        if (bvpi_closest_query_candidate(w->query, w->part, c->triangle, &one))
            best = c;
    }
    return best;
}

/* Looks up who the best answer so far is. */
static void look_up(const point_walk *w, uint32_t item)
{
    const bvpi_tree *tree = &w->part->at.tree;
    bvpd_cluster head;
    /* it has been read before */
    if (bvpi_cluster_load(tree->units, tree->blob_size,
                          (uint64_t)(item >> 8) << tree->cluster_shift, &head))
        bvpi_hit_id_of(w->part, &head, item & 0xff, &w->query->best.id);
}

/* Measures all candidates that may still be nearest, four at a time. Only the winner's id is looked
 * up. */
static void settle(point_walk *w)
{
    const double most = reach(w->query);
    const candidate *four[4], *best = NULL;
    assert(w->candidate_count <= CANDIDATES);
    unsigned count = 0;
    for (unsigned i = 0; i < w->candidate_count; i++) {
        const candidate *c = &w->candidates[i];
        if ((double)c->lo > most)
            continue;
        for (unsigned lane = count++; lane < 4; lane++)
            four[lane] = c; /* lanes that stay empty repeat the last one */
        if (count == 4)
            best = ask(w, four, count, best), count = 0;
    }
    if (count > 0)
        best = ask(w, four, count, best);
    if (best) {
        look_up(w, best->item);
        w->query->error = 0x1p-46 / w->point.scale; /* 2^-47 of the reach, below 1 / scale */
    }
    w->candidate_count = 0;
}

/* Prefetches what will be read of a leaf, and where its ids begin. */
BVPI_INLINE void fetch_leaf(const point_walk *w, const bvpi_cluster *cluster, unsigned first)
{
    bvpi_cluster_prefetch(cluster, first);
    if (w->part->part.ids)
        __builtin_prefetch(w->part->part.ids + (uint64_t)cluster->head.id_off * 4);
}

/* What points are taken to be on the way to. */
BVPI_INLINE void box_leaf(bvpi_near_leaf *leaf, bool is_kept)
{
    const f32x8 *c = leaf->triangles.c;
    for (int x = 0; x < 3; x++)
        if (is_kept && BVPI_KEPT_BOXES) {
            leaf->box[0][x] = f32x8_least(f32x8_min(c[x], f32x8_min(c[3 + x], c[6 + x])));
            leaf->box[1][x] = -f32x8_least(-f32x8_max(c[x], f32x8_max(c[3 + x], c[6 + x])));
        } else {
            leaf->box[0][x] = leaf->box[1][x] = (c[x][0] + c[3 + x][4]) * 0.5f;
        }
}

/* Decodes the leaf whose first item this is. False: the file does not keep its rules. */
BVPI_INLINE bool decode_leaf(const point_walk *w, uint32_t item, unsigned count,
                             bvpi_near_leaf *out)
{
    const bvpi_tree *tree = &w->part->at.tree;
    const u32x8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    const u32x8 last = u32x8_splat(count - 1);
    const unsigned first = item & 0xff;
    bvpi_cluster cluster;
    if (!bvpi_cluster_open(tree->units, tree->blob_size, tree->outside,
                           (uint64_t)(item >> 8) << tree->cluster_shift, &cluster) ||
        first + count > cluster.triangle_count)
        return false;
    fetch_leaf(w, &cluster, first);
    const i32x8 is_over = i32x8_gt((i32x8)lanes, (i32x8)last);
    bvpi_tri8_decode_lanes(
        &cluster, (u32x8)i32x8_select(is_over, (i32x8)last, (i32x8)lanes) + first, &out->triangles);
    box_leaf(out, w->query->kept != NULL);
    out->first_triangle = cluster.head.first_triangle + first;
    out->count = count;
    return true;
}

/* The same, or what the batch has kept of it; own: for what it does not keep. NULL: see above. */
BVPI_INLINE const bvpi_near_leaf *leaf_of(const point_walk *w, uint32_t item, unsigned count,
                                          bvpi_near_leaf *own)
{
    bvpi_near_kept *kept = w->query->kept;
    if (kept == NULL)
        return decode_leaf(w, item, count, own) ? own : NULL;
    const uint64_t key = (uint64_t)w->part->part_idx << 32 | item;
    const unsigned at =
        (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - BVPI_KEPT_LEAF_BITS));
    bvpi_near_leaf *leaf = &kept->leaf[at];
    if (kept->key[at] != key || leaf->count != count) {
        kept->key[at] = UINT64_MAX;
        if (!decode_leaf(w, item, count, leaf))
            return NULL;
        kept->key[at] = key;
    }
    return leaf;
}

static bvp_status triangles(void *user, uint32_t item, unsigned count)
{
    point_walk *w = user;
    bvpi_closest_query *query = w->query;
    assert(count >= 1 && count <= BVPD_LEAF_MAX);
    bvpi_near_leaf own;
    f32x8 lo, hi;
    const bvpi_near_leaf *leaf = leaf_of(w, item, count, &own);
    if (leaf == NULL)
        return BVP_ERR_CORRUPT;
    query->stats.triangles += count;
    unsigned lanes =
        bvpi_point_near8(&w->point, leaf->triangles.c, leaf->box, (1u << count) - 1, far_of(query));
    if (lanes == 0)
        return BVP_OK;
    bvpi_point_tri8(&w->point, leaf->triangles.c, lanes, &lo, &hi);
    /* Something is as near as the least upper end, whatever the exact test will say. So the search
     * shrinks at once. */
    const float least = f32x8_least(hi);
    query->bound = bvpi_smaller(query->bound, (double)least);
    lanes &= ~i32x8_movemask(f32x8_gt(lo, f32x8_splat(far_of(query))));
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = bvpi_lowest_bit(lanes);
        if (w->candidate_count == CANDIDATES)
            settle(w);
        candidate *c = &w->candidates[w->candidate_count++];
        c->triangle = (uint64_t)leaf->first_triangle + lane;
        c->item = item + lane;
        c->lo = lo[lane];
        bvpi_tri8_lane(&leaf->triangles, lane, c->corners);
    }
    return BVP_OK;
}

/* A leaf's items, triangles or instances. */
typedef bvp_status (*items_fn)(void *user, uint32_t item, unsigned count);

/* Opens the node at `place` and queues its children, or visits the leaf there. Returns the next
 * place, or NEAR_DONE, NEAR_CORRUPT or NEAR_FULL. */
BVPI_INLINE int visit(point_walk *w, near_walk *walk, items_fn items, int place, bvp_status *status)
{
    assert(place >= 0 && place < NEAR_PLACES);
    const near_node *node = &walk->nodes[place >> 3];
    const unsigned lane = (unsigned)place & 7;
    float key = 0;
    if (node->inner >> lane & 1) {
        const int said = near_open(walk, place);
        place = near_least(walk, &key);
        return said == NEAR_DONE ? near_within(walk, place, key) : said;
    }
    const unsigned count = (unsigned)(node->meta >> (8 * lane)) & 0xff;
    near_take(walk, (unsigned)place >> 3, lane);
    if (NEAR_FETCHES) {
        /* the items queue nothing: the place after them is known before, and what it leads to comes
         * into the cache meanwhile */
        place = near_least(walk, &key);
        if (near_within(walk, place, key) >= 0)
            near_fetch(walk, place);
    }
    w->query->stats.leaves += items == triangles;
    if (items != triangles)
        bvpi_steps_pause(&walk->steps); /* the parts have walks of their own */
    const double before = reach(w->query);
    *status = count - 1 < BVPD_LEAF_MAX ? items(w, near_item(node, lane), count) : BVP_ERR_CORRUPT;
    if (reach(w->query) < before)
        near_set_limit(walk, limit(w));
    if (!NEAR_FETCHES)
        place = near_least(walk, &key);
    return near_within(walk, place, key);
}

/* The nearest first. NEAR_FULL: too many wait. */
BVPI_INLINE int walk_nearest(point_walk *w, const bvpi_tree *tree, items_fn items,
                             bvp_status *status)
{
    near_walk walk;
    bvpi_loan loan;
    near_set_limit(&walk, limit(w));
    int place = near_start(&walk, tree, &w->grid, &loan, w->query->meter);
    while (place >= 0 && *status == BVP_OK)
        place = visit(w, &walk, items, place, status);
    w->query->stats.nodes += tree->node_count - bvpi_steps_left(&walk.steps);
    w->query->stats.boxes += walk.boxes;
    bvpi_steps_pause(&walk.steps);
    if (place == NEAR_CORRUPT)
        *status = bvpi_meter_blame(w->query->meter);
    return place;
}

static bvp_status enter_part(const bvpi_placed_body *placed, bvpi_closest_query *query,
                             const bvpi_placed_part *part)
{
    static const bvpi_walk_steps steps = {boxes, limit, triangles, NULL};
    point_walk w;
    w.placed = placed;
    w.query = query;
    w.part = part;
    w.candidate_count = 0;
    bvp_status status =
        bvpi_point_init(&w.point, &part->at.placement, query->point, part->at.corner);
    if (status != BVP_OK)
        return status;
    bvpi_closest_grid(&w.grid, &part->at, w.point.part, w.point.err);
    if (part->kind != BVPD_KIND_WIDE8)
        status = bvpi_binary_body_walk(&steps, &w, &part->binary, query->meter, &query->stats);
    else if (w.grid.is_far || walk_nearest(&w, &part->at.tree, triangles, &status) == NEAR_FULL)
        /* Depth first if the point is so far that floats barely tell the boxes apart, and after
         * NEAR_FULL: what has been found by then prunes most of this walk. Triangles that are met
         * twice are no harm: the answer is the nearest. */
        status = bvpi_body_walk(&steps, &w, &part->at.tree, 0, query->meter, &query->stats);
    settle(&w);
    return status;
}

static bvp_status enter_instance(void *user, uint32_t instance)
{
    const point_walk *w = user;
    bvpi_placed_part own;
    const bvpi_placed_part *part;
    if (!bvpi_placed_body_selects(w->placed, instance))
        return BVP_OK;
    w->query->stats.instance_pairs++;
    const bvp_status status = bvpi_placed_body_visit(w->placed, instance, &own, &part);
    if (status != BVP_OK)
        return status;
    return w->query->instead ? w->query->instead(w->query, part)
                             : enter_part(w->placed, w->query, part);
}

static bvp_status enter_instances(void *user, uint32_t first, unsigned count)
{
    point_walk *w = user;
    bvp_status status = BVP_OK;
    for (unsigned i = 0; i < count && status == BVP_OK; i++)
        if (w->instances_left-- > 0 && bvpi_meter_step(w->query->meter))
            status = enter_instance(w, first + i);
        else
            status = bvpi_meter_blame(w->query->meter);
    return status;
}

static bvp_status enter_top(const bvpi_placed_body *placed, const bvpi_placed_tree *top,
                            bvpi_closest_query *query)
{
    static const bvpi_walk_steps steps = {boxes, limit, NULL, enter_instance};
    const uint32_t instance_count = placed->file->header.instance_count;
    bvp_status status = BVP_OK;
    double part[3], err[3];
    point_walk w;
    w.placed = placed;
    w.query = query;
    w.instances_left = instance_count;
    bvpi_placement_point_to_part(&top->placement, query->point, part, err);
    bvpi_closest_grid(&w.grid, top, part, bvpi_larger(err[0], bvpi_larger(err[1], err[2])));
    if (!w.grid.is_far && walk_nearest(&w, &top->tree, enter_instances, &status) != NEAR_FULL)
        return status;
    return bvpi_body_walk(&steps, &w, &top->tree, instance_count, query->meter, &query->stats);
}

/* The nearest hierarchy first: its answer prunes most of the others. */
static bvp_status enter_tops(const bvpi_placed_body *placed, bvpi_closest_query *query)
{
    double gaps[BVPD_TOP_MAX];
    uint32_t order[BVPD_TOP_MAX];
    bvpi_placed_tree top;
    bvp_status status = BVP_OK;
    assert(placed->top_count <= BVPD_TOP_MAX);
    for (uint32_t k = 0; k < placed->top_count && status == BVP_OK; k++) {
        double lo[3], hi[3], gap = 0;
        uint32_t at = k;
        status = bvpi_placed_body_top(placed, k, &top);
        if (status != BVP_OK)
            break;
        bvpi_placed_tree_box(&top, lo, hi);
        for (int a = 0; a < 3; a++)
            gap += bvpi_larger(bvpi_larger(lo[a] - query->point[a], query->point[a] - hi[a]), 0);
        for (; at > 0 && gaps[at - 1] > gap; at--) {
            gaps[at] = gaps[at - 1];
            order[at] = order[at - 1];
        }
        gaps[at] = gap;
        order[at] = k;
    }
    for (uint32_t k = 0; k < placed->top_count && status == BVP_OK; k++) {
        status = bvpi_placed_body_top(placed, order[k], &top);
        if (status == BVP_OK)
            status = enter_top(placed, &top, query);
    }
    return status;
}

/* Asks each selected instance, where they are so few that a walk over all would cost more. */
static bvp_status enter_few(const bvpi_placed_body *placed, bvpi_closest_query *query)
{
    const bvp_filter *filter = placed->filter;
    assert(filter != NULL);
    const uint32_t end = placed->file->header.instance_count;
    bvp_status status = BVP_OK;
    point_walk w;
    w.placed = placed;
    w.query = query;
    for (uint32_t i = bvpi_filter_next(filter, 0, end); i < end && status == BVP_OK;
         i = bvpi_filter_next(filter, i + 1, end))
        status = bvpi_meter_step(query->meter) ? enter_instance(&w, i) : BVP_ERR_CANCELLED;
    return status;
}

static bvp_status run(const bvpi_placed_body *placed, bvpi_closest_query *query)
{
    if (placed->is_empty)
        return BVP_OK;
    if (!placed->is_assembly)
        return enter_part(placed, query, &placed->one);
    if (placed->filter && query->limit == (double)__builtin_inff() &&
        bvpi_filter_is_few(placed->filter, placed->file->header.instance_count))
        return enter_few(placed, query);
    return placed->top_count == 1 ? enter_top(placed, &placed->top, query)
                                  : enter_tops(placed, query);
}

static bvp_status run_part(const bvpi_placed_part *part, bvpi_closest_query *query)
{
    return enter_part(NULL, query, part);
}

const bvpi_closest_kernel BVPI_ISA_NAME(bvpi_closest_kernel) = {run, run_part};
