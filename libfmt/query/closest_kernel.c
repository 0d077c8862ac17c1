/* SPDX-License-Identifier: MIT
 * closest_kernel.c: the point of a body nearest to a given one, nearest child first; compiled once
 * per instruction set.
 */
#include "query/binary_body.h"
#include "query/closest.h"

/* A point in one hierarchy. */
typedef struct point_walk {
    const bvpi_subject *subject;
    bvpi_closest_query *query;
    bvpi_grid_point grid;
    const bvpi_placed_part *part; /* in a part */
    bvpi_point point;             /* in a part */
} point_walk;

BVPI_INLINE unsigned boxes(void *user, const bvpi_open_node *at, const bvpi_wide *node, float limit,
                           float keys[8])
{
    const f32x8 key = bvpi_box_point(&((point_walk *)user)->grid, at->lo, at->step, node->bounds);
    f32x8_store(keys, key);
    return ~i32x8_movemask(f32x8_gt(key, f32x8_splat(limit)));
}

BVPI_INLINE float limit(void *user)
{
    const point_walk *w = user;
    return bvpi_grid_point_limit(&w->grid, w->query->limit);
}

static bvp_status triangles(void *user, uint32_t item, unsigned count)
{
    point_walk *w = user;
    bvpi_closest_query *query = w->query;
    bvpi_tri8 tri;
    bvpi_cluster cluster;
    f32x8 lo, hi;
    if (!bvpi_walk_leaf(&w->part->at.tree, item, count, &tri, &cluster))
        return BVP_ERR_CORRUPT;
    query->stats.triangles += count;
    bvpi_point_tri8(&w->point, tri.c, &lo, &hi);
    for (unsigned lane = 0; lane < count; lane++) {
        bvpi_point_tri nearest;
        float corners[9];
        if ((double)lo[lane] > query->limit)
            continue;
        bvpi_tri8_lane(&tri, lane, corners);
        bvpi_point_tri1(&w->point, corners, &nearest);
        query->stats.exact++;
        bvpi_closest_query_candidate(query, w->part, &cluster.head, (item & 0xff) + lane, &nearest);
    }
    return BVP_OK;
}

static bvp_status enter_part(const bvpi_subject *subject, bvpi_closest_query *query,
                             const bvpi_placed_part *part)
{
    static const bvpi_walk_steps steps = {boxes, limit, triangles, NULL};
    point_walk w;
    w.subject = subject;
    w.query = query;
    w.part = part;
    bvp_status status = bvpi_point_init(&w.point, &part->at.place, query->point, part->at.bound);
    if (status != BVP_OK)
        return status;
    bvpi_closest_grid(&w.grid, &part->at, w.point.part, w.point.err);
    if (part->kind != BVPD_KIND_WIDE8)
        return bvpi_binary_body_walk(&steps, &w, &part->binary, &query->stats);
    return bvpi_body_walk(&steps, &w, &part->at.tree, 0, &query->stats);
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

const bvpi_closest_kernel BVPI_ISA_NAME(bvpi_closest_kernel) = {run};
