/* SPDX-License-Identifier: MIT
 * ray_kernel.c: rays through hierarchies, nearest child first; compiled once per instruction set.
 * Based on: Wald, Benthin, Boulos, Getting Rid of Packets, 2008 (one ray, many boxes).
 */
#include "query/binary_body.h"
#include "query/ray.h"

/* A ray in one hierarchy. */
typedef struct ray_walk {
    const bvpi_subject *subject;
    bvpi_ray_query *query;
    bvpi_grid_ray grid;
    const bvpi_placed_part *part; /* in a part */
    bvpi_placed_part *unplaced;   /* the same while its at.place is not ready, else NULL */
    bool ready;                   /* at.place and tri are */
    bvpi_tri_ray tri;
} ray_walk;

BVPI_INLINE unsigned boxes(void *user, const bvpi_open_node *at, const bvpi_wide *node, float limit,
                           float keys[8])
{
    const bvpi_grid_ray *ray = &((ray_walk *)user)->grid;
    f32x8 enter;
    unsigned lanes =
        bvpi_box_ray(&ray->slab, at->lo, at->step, node->bounds, ray->t_min, limit, &enter);
    f32x8_store(keys, enter);
    return lanes;
}

BVPI_INLINE float limit(void *user)
{
    const ray_walk *w = user;
    if (bvpi_ray_query_done(w->query))
        return -__builtin_inff();
    return bvpi_grid_time_limit(&w->grid, w->query->t_max);
}

/* What the triangles need and the boxes do not: many rays meet no leaf. */
static bvp_status make_ready(ray_walk *w)
{
    const bvp_ray *ray = &w->query->ray;
    bvp_status status = w->unplaced ? bvpi_subject_place(w->subject, w->unplaced) : BVP_OK;
    if (status == BVP_OK)
        status = bvpi_tri_ray_init(&w->tri, &w->part->at.place, ray->origin, ray->direction,
                                   w->part->at.bound);
    w->ready = status == BVP_OK;
    w->unplaced = NULL;
    return status;
}

static bvp_status triangles(void *user, uint32_t item, unsigned count)
{
    ray_walk *w = user;
    bvpi_ray_query *query = w->query;
    bvpi_tri8 tri;
    bvpi_cluster cluster;
    bvpi_tri_ray_hit hits[8];
    const bvp_status status = w->ready ? BVP_OK : make_ready(w);
    if (status != BVP_OK)
        return status;
    if (!bvpi_walk_leaf(&w->part->at.tree, item, count, &tri, &cluster))
        return BVP_ERR_CORRUPT;
    query->stats.triangles += count;
    /* Not the best t so far: what a hit's rounded t is must not depend on what was seen before. */
    unsigned lanes =
        bvpi_tri_ray8(&w->tri, tri.c, (1u << count) - 1, query->ray.t_min, query->ray.t_max, hits);
    for (; lanes != 0 && !bvpi_ray_query_done(query); lanes &= lanes - 1) {
        const unsigned lane = bvpi_lowest_bit(lanes);
        float corners[9];
        bvpi_tri8_lane(&tri, lane, corners);
        bvpi_ray_query_hit(query, w->part, &cluster.head, (item & 0xff) + lane, corners,
                           &hits[lane]);
    }
    return BVP_OK;
}

/* unplaced: part, when its at.place is not ready; else NULL. */
static bvp_status enter_part(const bvpi_subject *subject, bvpi_ray_query *query,
                             const bvpi_placed_part *part, bvpi_placed_part *unplaced)
{
    static const bvpi_walk_steps steps = {boxes, limit, triangles, NULL};
    bvpi_local_ray local;
    ray_walk w;
    w.subject = subject;
    w.query = query;
    w.part = part;
    w.unplaced = unplaced;
    w.ready = false;
    if (unplaced && !bvpi_local_ray_rough(&local, part->placement, &query->ray)) {
        const bvp_status status = bvpi_subject_place(subject, unplaced);
        if (status != BVP_OK)
            return status;
        w.unplaced = NULL;
    }
    if (!w.unplaced)
        bvpi_local_ray_init(&local, &part->at.place, &query->ray);
    if (!bvpi_grid_ray_init(&w.grid, &part->at, &local, query->ray.t_min, query->t_max))
        return BVP_OK;
    if (part->kind != BVPD_KIND_WIDE8)
        return bvpi_binary_body_walk(&steps, &w, &part->binary, &query->stats);
    return bvpi_body_walk(&steps, &w, &part->at.tree, 0, &query->stats);
}

static bvp_status enter_instance(void *user, uint32_t instance)
{
    const ray_walk *w = user;
    bvpi_placed_part part;
    w->query->stats.instance_pairs++;
    const bvp_status status = bvpi_subject_look_up(w->subject, instance, &part);
    return status == BVP_OK ? enter_part(w->subject, w->query, &part, &part) : status;
}

static bvp_status enter_assembly(const bvpi_subject *subject, bvpi_ray_query *query)
{
    static const bvpi_walk_steps steps = {boxes, limit, NULL, enter_instance};
    const bvpi_placed *top = &subject->top;
    bvpi_local_ray local;
    ray_walk w;
    w.subject = subject;
    w.query = query;
    bvpi_local_ray_init(&local, &top->place, &query->ray);
    if (!bvpi_grid_ray_init(&w.grid, top, &local, query->ray.t_min, query->t_max))
        return BVP_OK;
    return bvpi_body_walk(&steps, &w, &top->tree, subject->file->header.instance_count,
                          &query->stats);
}

static bvp_status run(const bvpi_subject *subject, bvpi_ray_query *query)
{
    bvp_status status = BVP_OK;
    if (subject->is_assembly && !subject->is_empty)
        status = enter_assembly(subject, query);
    else if (!subject->is_empty)
        status = enter_part(subject, query, &subject->one, NULL);
    bvpi_ray_query_finish(query);
    return status;
}

const bvpi_ray_kernel BVPI_ISA_NAME(bvpi_ray_kernel) = {run};
