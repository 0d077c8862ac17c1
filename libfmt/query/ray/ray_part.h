/* SPDX-License-Identifier: MIT
 * ray_part.h: a ray in one part: its boxes and its triangles.
 */
#ifndef BVPI_QUERY_RAY_RAY_PART_H
#define BVPI_QUERY_RAY_RAY_PART_H

#include "query/body/body_walk.h"
#include "query/ray/ray_grid.h"

/* A ray in one hierarchy. */
typedef struct bvpi_ray_part {
    bvpi_ray_query *query;
    bvpi_grid_ray grid;
    const bvpi_placed_body *placed; /* in an assembly */
    uint32_t instances_left;        /* that may still be entered */
    const bvpi_placed_part *part;   /* in a part */
    bool ready;                     /* tri is */
    bvpi_tri_ray tri;
} bvpi_ray_part;

BVPI_INLINE unsigned bvpi_ray_part_boxes(void *user, const bvpi_open_node *at,
                                         const bvpi_wide *node, float limit, float keys[8])
{
    const bvpi_grid_ray *ray = &((bvpi_ray_part *)user)->grid;
    f32x8 enter;
    unsigned lanes =
        bvpi_box_ray(&ray->slab, at->lo, at->step, node->bounds, ray->t_min, limit, &enter);
    f32x8_store(keys, enter);
    return lanes;
}

BVPI_INLINE float bvpi_ray_part_limit(void *user)
{
    const bvpi_ray_part *w = user;
    if (bvpi_ray_query_done(w->query))
        return -__builtin_inff();
    return bvpi_grid_time_limit(&w->grid, w->query->t_max);
}

/* Prepares a ray for triangle tests. */
static inline bvp_status bvpi_ray_part_prepare(bvpi_tri_ray *out, const bvpi_placed_tree *at,
                                               const bvp_ray *ray)
{
    if (at->placement.is_identity &&
        bvpi_tri_ray_init_plain(out, bvpi_ray_origin(ray), bvpi_ray_direction(ray), at->bound))
        return BVP_OK;
    return bvpi_tri_ray_init(out, &at->placement, ray->origin, ray->direction, at->bound);
}

/* The same at the first leaf: many rays meet none. */
static inline bvp_status bvpi_ray_part_ready(bvpi_ray_part *w)
{
    const bvp_status status = bvpi_ray_part_prepare(&w->tri, &w->part->at, w->query->ray);
    w->ready = status == BVP_OK;
    return status;
}

/* False: the record lies outside the blob. */
BVPI_INLINE bool bvpi_ray_part_decode(const bvpi_tree *tree, uint32_t item, bvpi_leaf *out)
{
    const unsigned first = item & 0xff;
    bvpi_cluster cluster;
    out->units = NULL;
    if (!bvpi_cluster_open(tree->units, tree->blob_size, tree->outside,
                           (uint64_t)(item >> 8) << tree->cluster_shift, &cluster))
        return false;
    if (first >= cluster.triangle_count)
        return false;
    bvpi_cluster_prefetch(&cluster, first);
    bvpi_tri8_decode(&cluster, first, &out->tri);
    out->cluster = cluster.head;
    out->triangle_count = cluster.triangle_count;
    out->item = item;
    out->units = tree->units;
    return true;
}

/* The leaf that begins with `item`: into `own`, or where it was kept. NULL: the file is damaged. */
BVPI_INLINE const bvpi_leaf *bvpi_ray_part_leaf(const bvpi_ray_part *w, uint32_t item,
                                                bvpi_leaf *own)
{
    const bvpi_tree *tree = &w->part->at.tree;
    bvpi_leaf *leaf = own;
    if (w->query->leaves) {
        leaf = bvpi_leaf_place(w->query->leaves, item);
        if (leaf->units == tree->units && leaf->item == item)
            return leaf;
    }
    return bvpi_ray_part_decode(tree, item, leaf) ? leaf : NULL;
}

/* One triangle of a leaf: is it hit? Then tri is set, too. */
BVPI_INLINE bool bvpi_leaf_ray(const bvpi_tri_ray *ray, const bvpi_leaf *leaf, unsigned lane,
                               double t_min, double t_max, float tri[9], bvpi_tri_ray_hit *hit)
{
    const int answer =
        bvpi_tri_ray_in_double(ray, bvpi_tri8_corners(&leaf->tri, lane, ray->kx),
                               bvpi_tri8_corners(&leaf->tri, lane, ray->ky),
                               bvpi_tri8_corners(&leaf->tri, lane, ray->kz), t_min, t_max, hit);
    if (answer == 0)
        return false;
    bvpi_tri8_lane(&leaf->tri, lane, tri);
    return answer > 0 || bvpi_tri_ray_exactly(ray, tri, t_min, t_max, hit);
}

/* One triangle of a leaf whose first one is `first` in its cluster. */
BVPI_INLINE void bvpi_ray_part_triangle(bvpi_ray_part *w, const bvpi_leaf *leaf, unsigned first,
                                        unsigned lane)
{
    bvpi_ray_query *query = w->query;
    bvpi_tri_ray_hit hit;
    float tri[9];
    /* The caller's range, not the best t so far: whether and at which rounded t a triangle is hit
     * must not depend on what was found before. */
    if (bvpi_leaf_ray(&w->tri, leaf, lane, query->ray->t_min, query->ray->t_max, tri, &hit))
        bvpi_ray_query_hit(query, w->part, &leaf->cluster, first + lane, tri, &hit);
}

/* Triangles first .. first + count - 1 of a leaf's cluster, which begin that leaf. */
BVPI_INLINE bvp_status bvpi_ray_part_meet(bvpi_ray_part *w, const bvpi_leaf *leaf, unsigned first,
                                          unsigned count)
{
    bvpi_ray_query *query = w->query;
    const bvp_status status = w->ready ? BVP_OK : bvpi_ray_part_ready(w);
    if (status != BVP_OK)
        return status;
    query->stats.triangles += count;
    unsigned lanes = ((1u << count) - 1) & ~bvpi_tri_ray_misses(&w->tri, leaf->tri.c);
    for (; lanes != 0 && !bvpi_ray_query_done(query); lanes &= lanes - 1)
        bvpi_ray_part_triangle(w, leaf, first, bvpi_lowest_bit(lanes));
    return BVP_OK;
}

static inline bvp_status bvpi_ray_part_triangles(void *user, uint32_t item, unsigned count)
{
    bvpi_ray_part *w = user;
    bvpi_leaf own;
    const bvpi_leaf *leaf = bvpi_ray_part_leaf(w, item, &own);
    if (!leaf || (item & 0xff) + count > leaf->triangle_count)
        return BVP_ERR_CORRUPT;
    return bvpi_ray_part_meet(w, leaf, item & 0xff, count);
}

#endif
