/* SPDX-License-Identifier: MIT
 * overlap_kernel.c: the triangles in a region, in the order of storage; compiled once per
 * instruction set.
 *
 * The general walk (body_walk.h) with two keys: leaves of a node before its inner children, which
 * is the order of storage. A leaf's triangles are first compared with the region's bounds in float,
 * then decided exactly; or, where candidates are asked for, in double without a proof.
 *
 * Slow twin: brute force over all triangles, tests/property/test_overlap.c.
 * Spec: exactness.md, chapters 9 and 10, "Boxes and regions"
 * Measured: decisions.md, "Rays and closest points".
 */
#include <assert.h>

#include "prim/tri_near_box.h"
#include "query/body/binary_body.h"
#include "query/near/overlap.h"

/* A region in one hierarchy. */
typedef struct region_walk {
    const bvpi_placed_body *placed;
    bvpi_overlap_query *query;
    bvpi_grid_region grid;
    float lo[3], hi[3]; /* bounds before placement */
    const bvpi_placed_part *part;
    bvpi_near_box near; /* if candidates are asked for */
} region_walk;

/* Triangles are stored node by node: a node's own leaves come before what is below it. */
BVPI_INLINE_LONG unsigned boxes(void *user, const bvpi_open_node *at, const bvpi_wide *node,
                                float limit, float keys[8])
{
    (void)limit;
    for (unsigned lane = 0; lane < BVPD_WIDTH; lane++)
        keys[lane] = bvpi_wide_is_inner(node, lane) ? 1 : 0;
    return bvpi_box_region(&((region_walk *)user)->grid, at->lo, at->step, node->bounds);
}

BVPI_INLINE_LONG float limit(void *user)
{
    return ((region_walk *)user)->query->stopped ? -__builtin_inff() : __builtin_inff();
}

/* Triangles whose bounds meet the region's. */
static inline unsigned lanes_in_bounds(const region_walk *w, const bvpi_tri8 *tri)
{
    i32x8 apart = {0};
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const f32x8 *c = tri->c + a;
        const f32x8 lo = f32x8_min(f32x8_min(c[0], c[3]), c[6]);
        const f32x8 hi = f32x8_max(f32x8_max(c[0], c[3]), c[6]);
        apart |= f32x8_gt(lo, f32x8_splat(w->hi[a])) | f32x8_gt(f32x8_splat(w->lo[a]), hi);
    }
    return ~i32x8_movemask(apart);
}

/* Triangles whose bounds meet the region's, in `lanes`: those that touch it. */
static void report(region_walk *w, const bvpi_cluster *cluster, uint32_t first, unsigned lanes,
                   const bvpi_tri8 *tri)
{
    bvpi_overlap_query *query = w->query;
    for (; lanes != 0 && !query->stopped; lanes &= lanes - 1) {
        const unsigned lane = bvpi_lowest_bit(lanes);
        float corners[9];
        bvpi_tri8_lane(tri, lane, corners);
        query->stats.exact++;
        if (bvpi_region_holds(&query->region, &w->part->at.placement, corners))
            bvpi_overlap_query_hit(query, w->part, &cluster->head, first + lane);
    }
}

/* Likewise: those that may touch the box, with their corners. */
static void hand_over(region_walk *w, const bvpi_cluster *cluster, uint32_t first, unsigned count,
                      unsigned lanes, const bvpi_tri8 *tri)
{
    bvpi_overlap_query *query = w->query;
    const bvpi_placed_part *part = w->part;
    uint32_t local[8];
    uint64_t ids[8];
    for (unsigned lane = 0; lane < 8; lane++)
        local[lane] = first + (lane < count ? lane : count - 1);
    bvpi_eight_ids_of(part, &cluster->head, local, ids);
    for (; lanes != 0 && !query->stopped; lanes &= lanes - 1) {
        const unsigned lane = bvpi_lowest_bit(lanes);
        float corners[9];
        double world[9];
        bvpi_tri8_lane(tri, lane, corners);
        if (!bvpi_near_box_meets(&w->near, corners, world))
            continue;
        const bvp_hit_id id = {part->instance, part->part_idx,
                               (uint64_t)cluster->head.first_triangle + local[lane], ids[lane]};
        query->count++;
        query->stopped = query->candidate(query->user, &id, world) != 0;
    }
}

static bvp_status triangles(void *user, uint32_t item, unsigned count)
{
    region_walk *w = user;
    bvpi_overlap_query *query = w->query;
    assert(count >= 1 && count <= BVPD_LEAF_MAX);
    bvpi_tri8 tri;
    bvpi_cluster cluster;
    if (!bvpi_walk_leaf(&w->part->at.tree, item, count, &tri, &cluster))
        return BVP_ERR_CORRUPT;
    query->stats.triangles += count;
    const unsigned lanes = ((1u << count) - 1) & lanes_in_bounds(w, &tri);
    if (!query->candidate)
        report(w, &cluster, item & 0xff, lanes, &tri);
    else if (lanes != 0)
        hand_over(w, &cluster, item & 0xff, count, lanes, &tri);
    return BVP_OK;
}

static bvp_status enter_part(const bvpi_placed_body *placed, bvpi_overlap_query *query,
                             const bvpi_placed_part *part)
{
    static const bvpi_walk_steps steps = {boxes, limit, triangles, NULL};
    region_walk w;
    w.placed = placed;
    w.query = query;
    w.part = part;
    bvpi_region_grid(&query->region, &part->at, &w.grid, w.lo, w.hi);
    if (query->candidate)
        bvpi_near_box_init(&w.near, query->region.lo, query->region.hi, part->at.placement.m,
                           part->at.corner);
    if (part->kind != BVPD_KIND_WIDE8)
        return bvpi_binary_body_walk(&steps, &w, &part->binary, query->meter, &query->stats);
    return bvpi_body_walk(&steps, &w, &part->at.tree, 0, query->meter, &query->stats);
}

static bvp_status enter_instance(void *user, uint32_t instance)
{
    const region_walk *w = user;
    bvpi_placed_part part;
    if (!bvpi_placed_body_selects(w->placed, instance))
        return BVP_OK;
    w->query->stats.instance_pairs++;
    if (w->query->instead)
        return w->query->instead(w->query, w->placed, instance);
    bvp_status status = bvpi_placed_body_instance(w->placed, instance, &part);
    return status == BVP_OK ? enter_part(w->placed, w->query, &part) : status;
}

static bvp_status enter_top(const bvpi_placed_body *placed, const bvpi_placed_tree *top,
                            bvpi_overlap_query *query)
{
    static const bvpi_walk_steps steps = {boxes, limit, NULL, enter_instance};
    region_walk w;
    w.placed = placed;
    w.query = query;
    bvpi_region_grid(&query->region, top, &w.grid, w.lo, w.hi);
    return bvpi_body_walk(&steps, &w, &top->tree, placed->file->header.instance_count, query->meter,
                          &query->stats);
}

static bvp_status run(const bvpi_placed_body *placed, bvpi_overlap_query *query)
{
    if (placed->is_empty)
        return BVP_OK;
    if (!placed->is_assembly)
        return enter_part(placed, query, &placed->one);
    bvp_status status = enter_top(placed, &placed->top, query);
    for (uint32_t k = 1; k < placed->top_count && status == BVP_OK && !query->stopped; k++) {
        bvpi_placed_tree top;
        status = bvpi_placed_body_top(placed, k, &top);
        if (status == BVP_OK)
            status = enter_top(placed, &top, query);
    }
    return status;
}

const bvpi_overlap_kernel BVPI_ISA_NAME(bvpi_overlap_kernel) = {run};
