/* SPDX-License-Identifier: MIT
 * convex_kernel.c: the triangles that a convex body touches, or the nearest one, nearest box first;
 * compiled once per instruction set.
 *
 * The general walk (body_walk.h). Boxes, then the bounds of a leaf's triangles, are compared with
 * the body's bounds in float; what remains is measured one by one by support functions.
 *
 * Limits of boxes and bounds are a band wider than the query's: so they leave out nothing that
 * counts as touching.
 *
 * Slow twin: brute force over all triangles, tests/property/test_convex.c.
 * Spec: exactness.md, chapter 13
 * Measured: decisions.md, "Convex bodies".
 */
#include <assert.h>

#include "query/body/binary_body.h"
#include "query/near/convex_query.h"

/* A convex body in one hierarchy. */
typedef struct convex_walk {
    const bvpi_placed_body *placed;
    bvpi_convex_query *query;
    bvpi_grid_convex grid;
    double band;
    const bvpi_placed_part *part; /* in a part */
    bvpi_convex_pose pose;
    float lo[3], hi[3]; /* bounds before placement */
} convex_walk;

BVPI_INLINE_LONG unsigned boxes(void *user, const bvpi_open_node *at, const bvpi_wide *node,
                                float limit, float keys[8])
{
    const f32x8 key = bvpi_box_convex(&((convex_walk *)user)->grid, at->lo, at->step, node->bounds);
    f32x8_store(keys, key);
    return ~i32x8_movemask(f32x8_gt(key, f32x8_splat(limit))) & 0xff;
}

BVPI_INLINE_LONG float limit(void *user)
{
    const convex_walk *w = user;
    return w->query->is_done ? -__builtin_inff()
                             : bvpi_grid_convex_limit(&w->grid, w->query->limit + w->band);
}

/* Triangles whose bounds are near enough. A gap errs by 2^-24 of itself; beyond float's range it
 * becomes infinite, or nothing. */
static unsigned lanes_in_reach(const convex_walk *w, const bvpi_tri8 *tri)
{
    const double length = (w->query->limit + w->band) / w->part->at.placement.size_min;
    const float most = (float)(length * length * (1 + 0x1p-18));
    f32x8 key = {0};
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const f32x8 *c = tri->c + a;
        const f32x8 lo = f32x8_min(f32x8_min(c[0], c[3]), c[6]);
        const f32x8 hi = f32x8_max(f32x8_max(c[0], c[3]), c[6]);
        f32x8 gap = f32x8_max(lo - w->hi[a], w->lo[a] - hi);
        gap = f32x8_max(gap, (f32x8){0});
        key += gap * gap;
    }
    return ~i32x8_movemask(f32x8_gt(key, f32x8_splat(most)));
}

static void measure(convex_walk *w, const bvpi_cluster *cluster, uint32_t local,
                    const float corners[9])
{
    bvpi_convex_query *query = w->query;
    bvpi_convex_tri found;
    const double enough = query->mode == BVPI_CONVEX_ANY ? query->most : -1;
    bvpi_convex_tri1(&w->pose, corners, query->limit, enough, &found);
    query->stats.exact += found.effort > 1;
    bvpi_convex_query_hit(query, w->part, &cluster->head, local, &found);
}

static bvp_status triangles(void *user, uint32_t item, unsigned count)
{
    convex_walk *w = user;
    bvpi_convex_query *query = w->query;
    assert(count >= 1 && count <= BVPD_LEAF_MAX);
    bvpi_tri8 tri;
    bvpi_cluster cluster;
    if (!bvpi_walk_leaf(&w->part->at.tree, item, count, &tri, &cluster))
        return BVP_ERR_CORRUPT;
    query->stats.triangles += count;
    unsigned lanes = ((1u << count) - 1) & lanes_in_reach(w, &tri);
    for (; lanes != 0 && !query->is_done; lanes &= lanes - 1) {
        const unsigned lane = bvpi_lowest_bit(lanes);
        float corners[9];
        bvpi_tri8_lane(&tri, lane, corners);
        measure(w, &cluster, (item & 0xff) + lane, corners);
    }
    return BVP_OK;
}

static bvp_status enter_part(const bvpi_placed_body *placed, bvpi_convex_query *query,
                             const bvpi_placed_part *part)
{
    static const bvpi_walk_steps steps = {boxes, limit, triangles, NULL};
    convex_walk w;
    w.placed = placed;
    w.query = query;
    w.part = part;
    bvpi_convex_pose_init(&w.pose, &query->convex, part->at.placement.m, part->at.corner);
    w.band = w.pose.band;
    bvpi_convex_grid(&query->convex, &part->at, &w.grid);
    bvpi_convex_part_bounds(&query->convex, &part->at.placement, w.lo, w.hi);
    if (part->kind != BVPD_KIND_WIDE8)
        return bvpi_binary_body_walk(&steps, &w, &part->binary, query->meter, &query->stats);
    return bvpi_body_walk(&steps, &w, &part->at.tree, 0, query->meter, &query->stats);
}

static bvp_status enter_instance(void *user, uint32_t instance)
{
    const convex_walk *w = user;
    bvpi_placed_part part;
    if (!bvpi_placed_body_selects(w->placed, instance))
        return BVP_OK;
    w->query->stats.instance_pairs++;
    const bvp_status status = bvpi_placed_body_instance(w->placed, instance, &part);
    return status == BVP_OK ? enter_part(w->placed, w->query, &part) : status;
}

static bvp_status enter_top(const bvpi_placed_body *placed, const bvpi_placed_tree *top,
                            bvpi_convex_query *query)
{
    static const bvpi_walk_steps steps = {boxes, limit, NULL, enter_instance};
    bvpi_convex_pose pose; /* of all instances: their reach is at most the assembly's */
    convex_walk w;
    w.placed = placed;
    w.query = query;
    bvpi_convex_pose_init(&pose, &query->convex, top->placement.m, top->bound);
    w.band = pose.band;
    bvpi_convex_grid(&query->convex, top, &w.grid);
    return bvpi_body_walk(&steps, &w, &top->tree, placed->file->header.instance_count, query->meter,
                          &query->stats);
}

/* Asks each selected instance, where they are so few that a walk over all would cost more. */
static bvp_status enter_few(const bvpi_placed_body *placed, bvpi_convex_query *query)
{
    const bvp_filter *filter = placed->filter;
    assert(filter != NULL);
    const uint32_t end = placed->file->header.instance_count;
    bvp_status status = BVP_OK;
    convex_walk w;
    w.placed = placed;
    w.query = query;
    for (uint32_t i = bvpi_filter_next(filter, 0, end);
         i < end && status == BVP_OK && !query->is_done; i = bvpi_filter_next(filter, i + 1, end))
        status = bvpi_meter_step(query->meter) ? enter_instance(&w, i) : BVP_ERR_CANCELLED;
    return status;
}

static bvp_status run(const bvpi_placed_body *placed, bvpi_convex_query *query)
{
    if (placed->is_empty)
        return BVP_OK;
    if (!placed->is_assembly)
        return enter_part(placed, query, &placed->one);
    if (placed->filter && query->limit == (double)__builtin_inff() &&
        bvpi_filter_is_few(placed->filter, placed->file->header.instance_count))
        return enter_few(placed, query);
    bvp_status status = enter_top(placed, &placed->top, query);
    for (uint32_t k = 1; k < placed->top_count && status == BVP_OK && !query->is_done; k++) {
        bvpi_placed_tree top;
        status = bvpi_placed_body_top(placed, k, &top);
        if (status == BVP_OK)
            status = enter_top(placed, &top, query);
    }
    return status;
}

const bvpi_convex_kernel BVPI_ISA_NAME(bvpi_convex_kernel) = {run};
