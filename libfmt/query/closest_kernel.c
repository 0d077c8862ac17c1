/* SPDX-License-Identifier: MIT
 * closest_kernel.c: the point of a body nearest to a given one, nearest child first; compiled once
 * per instruction set.
 */
#include "query/binary_body.h"
#include "query/closest.h"
#include "query/ray_walk.h"

enum { CANDIDATES = 16 };

/* A triangle that may hold the nearest point, by its distance in float. */
typedef struct candidate {
    bvpd_cluster cluster;
    uint32_t local;
    float lo, corners[9];
} candidate;

/* A point in one hierarchy. */
typedef struct point_walk {
    const bvpi_subject *subject;
    bvpi_closest_query *query;
    bvpi_grid_point grid;
    const bvpi_placed_part *part; /* in a part */
    bvpi_point point;             /* in a part */
    unsigned candidate_count;
    candidate candidates[CANDIDATES]; /* not yet asked exactly: most turn out too far by then */
} point_walk;

BVPI_INLINE unsigned boxes(void *user, const bvpi_open_node *at, const bvpi_wide *node, float limit,
                           float keys[8])
{
    const f32x8 key = bvpi_box_point(&((point_walk *)user)->grid, at->lo, at->step, node->bounds);
    f32x8_store(keys, key);
    return ~i32x8_movemask(f32x8_gt(key, f32x8_splat(limit)));
}

/* Nothing beyond matters: where something is known to be, and a little for reported distances,
 * which are 1e-9 too large at most. */
BVPI_INLINE double reach(const bvpi_closest_query *query)
{
    const double bound = query->bound * (1 + 0x1p-24);
    return bound < query->limit ? bound : query->limit;
}

BVPI_INLINE float limit(void *user)
{
    const point_walk *w = user;
    return bvpi_grid_point_limit(&w->grid, reach(w->query));
}

/* Asks the candidates exactly. */
static void settle(point_walk *w)
{
    for (unsigned i = 0; i < w->candidate_count; i++) {
        const candidate *c = &w->candidates[i];
        bvpi_point_tri nearest;
        if ((double)c->lo > reach(w->query))
            continue;
        bvpi_point_tri1(&w->point, c->corners, &nearest);
        w->query->stats.exact++;
        bvpi_closest_query_candidate(w->query, w->part, &c->cluster, c->local, &nearest);
    }
    w->candidate_count = 0;
}

static void add_candidate(point_walk *w, const bvpi_cluster *cluster, uint32_t local, float lo,
                          const bvpi_tri8 *tri, unsigned lane)
{
    if (w->candidate_count == CANDIDATES)
        settle(w);
    candidate *c = &w->candidates[w->candidate_count++];
    c->cluster = cluster->head;
    c->local = local;
    c->lo = lo;
    bvpi_tri8_lane(tri, lane, c->corners);
}

static bvp_status triangles(void *user, uint32_t item, unsigned count)
{
    point_walk *w = user;
    bvpi_closest_query *query = w->query;
    const bvpi_tree *tree = &w->part->at.tree;
    const unsigned first = item & 0xff, all = (1u << count) - 1;
    bvpi_tri8 tri;
    bvpi_cluster cluster;
    f32x8 lo, hi;
    if (!bvpi_cluster_open(tree->units, tree->blob_size,
                           (uint64_t)(item >> 8) << tree->cluster_shift, &cluster) ||
        first + count > cluster.triangle_count)
        return BVP_ERR_CORRUPT;
    query->stats.triangles += count;
    bvpi_tri8_decode(&cluster, first, &tri);
    bvpi_point_tri8(&w->point, tri.c, &lo, &hi);
    for (unsigned lane = 0; lane < count; lane++)
        if ((double)hi[lane] < query->bound)
            query->bound = (double)hi[lane];
    const f32x8 far = f32x8_splat((float)reach(query) * (1 + 0x1p-22f));
    unsigned lanes = all & ~i32x8_movemask(f32x8_gt(lo, far));
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = bvpi_lowest_bit(lanes);
        add_candidate(w, &cluster, first + lane, lo[lane], &tri, lane);
    }
    return BVP_OK;
}

/* The boxes of a node whose frame is given: their keys, and the mask of those that matter; then the
 * frames of its children. As bvpi_box_point. */
BVPI_INLINE unsigned wide_boxes(const bvpi_grid_point *p, float limit, const float *frame,
                                const uint8_t (*bounds)[16], bvpi_ray_level *out)
{
    f32x8 key = {0};
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const f32x8 step = bvpi_splat_load(frame + 24 + 8 * a);
        const f32x8 origin = bvpi_splat_load(frame + 8 * a), slack = f32x8_splat(p->slack);
        const f32x8 lo = f32x8_from_u8(bounds[a]), hi = f32x8_from_u8(bounds[a] + 8);
        const f32x8 from = bvpi_mul_add(lo, step, origin), to = bvpi_mul_add(hi, step, origin);
        const i32x8 extent = (i32x8)((hi - lo) * step) & 0x7f800000;
        f32x8_store(out->lo[a], from);
        f32x8_store(out->step[a], f32x8_max((f32x8)(extent - (7 << 23)), f32x8_splat(1)));
        if (p->is_far) {
            key += ((p->n[a] > 0 ? from : to) - p->c[a]) * p->n[a];
        } else {
            const f32x8 point = f32x8_splat(p->point[a]);
            const f32x8 gap = f32x8_max(from - point, point - to) - slack;
            const f32x8 positive = f32x8_max(gap, (f32x8){0});
            key += positive * positive;
        }
    }
    f32x8_store(out->enter, key);
    return ~i32x8_movemask(f32x8_gt(key, f32x8_splat(limit)));
}

BVPI_INLINE int open_node(bvpi_ray_walk *walk, const bvpi_grid_point *grid, int place)
{
    const unsigned level = ((unsigned)place >> 8) + 1;
    bvpi_ray_level *to = &walk->levels[level];
    unsigned used;
    const bvpd_node *node = bvpi_ray_descend(walk, place, &used);
    if (!node)
        return BVPI_RAY_LIAR;
    const unsigned lanes =
        used & wide_boxes(grid, walk->limit, bvpi_ray_frame(walk, place), node->bounds, to);
    return lanes == 0 ? bvpi_ray_pop(walk) : bvpi_ray_sort(walk, level, lanes, to->enter);
}

static bvp_status walk_wide(point_walk *w)
{
    bvpi_ray_level levels[BVPD_DEPTH_MAX + 1];
    bvpi_ray_entry waiting[BVPI_STACK_SIZE];
    bvpi_ray_walk walk = {.tree = &w->part->at.tree,
                          .levels = levels,
                          .waiting = waiting,
                          .level_max = BVPD_DEPTH_MAX + 1,
                          .limit = limit(w)};
    bvp_stats *stats = &w->query->stats;
    bvp_status status = BVP_OK;
    int place = bvpi_ray_walk_start(&walk);
    while (place >= 0 && status == BVP_OK) {
        const bvpi_ray_level *level = bvpi_ray_level_of(&walk, place);
        const unsigned lane = bvpi_ray_lane_of(place);
        if (level->inner >> lane & 1) {
            place = open_node(&walk, &w->grid, place);
            continue;
        }
        const unsigned count = (unsigned)(level->meta >> (8 * lane)) & 0xff;
        stats->leaves++;
        status = count - 1 < BVPD_LEAF_MAX ? triangles(w, bvpi_ray_item(level, lane), count)
                                           : BVP_ERR_CORRUPT;
        walk.limit = limit(w);
        place = bvpi_ray_pop(&walk);
    }
    stats->nodes += walk.tree->node_count - walk.budget;
    stats->boxes += walk.boxes;
    return place == BVPI_RAY_LIAR ? BVP_ERR_CORRUPT : status;
}

static bvp_status enter_part(const bvpi_subject *subject, bvpi_closest_query *query,
                             const bvpi_placed_part *part)
{
    static const bvpi_walk_steps steps = {boxes, limit, triangles, NULL};
    point_walk w;
    w.subject = subject;
    w.query = query;
    w.part = part;
    w.candidate_count = 0;
    bvp_status status = bvpi_point_init(&w.point, &part->at.place, query->point, part->at.bound);
    if (status != BVP_OK)
        return status;
    bvpi_closest_grid(&w.grid, &part->at, w.point.part, w.point.err);
    status = part->kind == BVPD_KIND_WIDE8
                 ? walk_wide(&w)
                 : bvpi_binary_body_walk(&steps, &w, &part->binary, &query->stats);
    settle(&w);
    return status;
}

static bvp_status enter_instance(void *user, uint32_t instance)
{
    const point_walk *w = user;
    bvpi_placed_part part;
    w->query->stats.instance_pairs++;
    bvp_status status = bvpi_subject_instance(w->subject, instance, &part);
    return status == BVP_OK ? enter_part(w->subject, w->query, &part) : status;
}

static bvp_status enter_assembly(const bvpi_subject *subject, bvpi_closest_query *query)
{
    static const bvpi_walk_steps steps = {boxes, limit, NULL, enter_instance};
    point_walk w;
    w.subject = subject;
    w.query = query;
    const bvpi_placed *top = &subject->top;
    double part[3], err[3];
    bvpi_place_point_to_part(&top->place, query->point, part, err);
    bvpi_closest_grid(&w.grid, top, part, fmax(err[0], fmax(err[1], err[2])));
    return bvpi_body_walk(&steps, &w, &top->tree, subject->file->header.instance_count,
                          &query->stats);
}

static bvp_status run(const bvpi_subject *subject, bvpi_closest_query *query)
{
    if (subject->is_empty)
        return BVP_OK;
    return subject->is_assembly ? enter_assembly(subject, query)
                                : enter_part(subject, query, &subject->one);
}

static bvp_status run_part(const bvpi_placed_part *part, bvpi_closest_query *query)
{
    return enter_part(NULL, query, part);
}

const bvpi_closest_kernel BVPI_ISA_NAME(bvpi_closest_kernel) = {run, run_part};
