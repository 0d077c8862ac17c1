/* SPDX-License-Identifier: MIT
 * ray_kernel.c: rays through hierarchies, nearest child first; compiled once per instruction set.
 * Based on: Wald, Benthin, Boulos, Getting Rid of Packets, 2008 (one ray, many boxes).
 */
#include "query/body_walk.h"
#include "query/ray.h"

/* A ray in one hierarchy. */
typedef struct ray_walk {
    const bvpi_subject *subject;
    bvpi_ray_query *query;
    bvpi_grid_ray grid;
    const bvpi_placed_part *part; /* in a part */
    bvpi_tri_ray tri;             /* in a part */
} ray_walk;

static unsigned boxes(void *user, const bvpi_entry *at, const bvpi_wide *node, float limit,
                      float keys[8])
{
    const bvpi_grid_ray *ray = &((ray_walk *)user)->grid;
    f32x8 enter;
    unsigned lanes =
        bvpi_box_ray(&ray->slab, at->lo, at->step, node->bounds, ray->t_min, limit, &enter);
    f32x8_store(keys, enter);
    return lanes;
}

static float limit(void *user)
{
    const ray_walk *w = user;
    if (bvpi_ray_query_done(w->query))
        return -__builtin_inff();
    return bvpi_grid_time_limit(&w->grid, w->query->t_max);
}

static bvp_status triangles(void *user, const bvpi_entry *leaf)
{
    ray_walk *w = user;
    bvpi_ray_query *query = w->query;
    bvpi_tri8 tri;
    bvpi_cluster cluster;
    bvpi_tri_ray_hit hits[8];
    if (!bvpi_walk_leaf(&w->part->at.tree, leaf, &tri, &cluster))
        return BVP_ERR_CORRUPT;
    query->stats.leaves++;
    query->stats.triangles += leaf->item_count;
    /* Not the best t so far: what a hit's rounded t is must not depend on what was seen before. */
    unsigned lanes = bvpi_tri_ray8(&w->tri, tri.c, (1u << leaf->item_count) - 1, query->ray.t_min,
                                   query->ray.t_max, hits);
    for (; lanes != 0 && !bvpi_ray_query_done(query); lanes &= lanes - 1) {
        const unsigned lane = bvpi_lowest_bit(lanes);
        float corners[9];
        bvpi_tri8_lane(&tri, lane, corners);
        bvpi_ray_query_hit(query, w->part, &cluster.head, (leaf->ref & 0xff) + lane, corners,
                           &hits[lane]);
    }
    return BVP_OK;
}

static bvp_status enter_part(const bvpi_subject *subject, bvpi_ray_query *query,
                             const bvpi_placed_part *part)
{
    static const bvpi_walk_steps steps = {boxes, limit, triangles, NULL};
    ray_walk w = {.subject = subject, .query = query, .part = part};
    const bvp_ray *ray = &query->ray;
    bvp_status status =
        bvpi_tri_ray_init(&w.tri, &part->at.place, ray->origin, ray->direction, part->at.bound);
    if (status != BVP_OK)
        return status;
    if (!bvpi_grid_ray_init(&w.grid, &part->at, w.tri.origin, w.tri.origin_err, w.tri.direction,
                            w.tri.direction_err, ray->t_min, query->t_max))
        return BVP_OK;
    return bvpi_body_walk(&steps, &w, subject, &part->at.tree, &query->stats);
}

static bvp_status enter_instance(void *user, const bvpi_placed_part *part)
{
    const ray_walk *w = user;
    return enter_part(w->subject, w->query, part);
}

static bvp_status enter_assembly(const bvpi_subject *subject, bvpi_ray_query *query)
{
    static const bvpi_walk_steps steps = {boxes, limit, NULL, enter_instance};
    ray_walk w = {.subject = subject, .query = query};
    const bvpi_placed *top = &subject->top;
    const bvp_ray *ray = &query->ray;
    double o[3], o_err[3], d[3], d_err[3];
    bvpi_place_point_to_part(&top->place, ray->origin, o, o_err);
    bvpi_place_vector_to_part(&top->place, ray->direction, d, d_err);
    if (!bvpi_grid_ray_init(&w.grid, top, o, o_err, d, d_err, ray->t_min, query->t_max))
        return BVP_OK;
    return bvpi_body_walk(&steps, &w, subject, &top->tree, &query->stats);
}

static bvp_status run(const bvpi_subject *subject, bvpi_ray_query *query)
{
    if (subject->is_empty)
        return BVP_OK;
    return subject->is_assembly ? enter_assembly(subject, query)
                                : enter_part(subject, query, &subject->one);
}

const bvpi_ray_kernel BVPI_ISA_NAME(bvpi_ray_kernel) = {run};
