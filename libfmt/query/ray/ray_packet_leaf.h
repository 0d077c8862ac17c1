/* SPDX-License-Identifier: MIT
 * ray_packet_leaf.h: a leaf's triangles against the rays of a packet that may be in its box.
 *
 * Rays part at the leaves, so here they are taken one by one, each against all eight triangles. The
 * triangle that may be hit soonest is decided first, and the rest ends when it can only be later.
 * Ids and normals are looked up once, for the final hit of each ray.
 */
#ifndef BVPI_QUERY_RAY_RAY_PACKET_LEAF_H
#define BVPI_QUERY_RAY_RAY_PACKET_LEAF_H

#include "query/ray/ray_batch.h"
#include "query/ray/ray_part.h"

/* A ray's best hit so far, with all that the final answer is made from. */
typedef struct bvpi_packet_hit {
    bvpi_tri_ray_hit at;
    uint32_t local; /* of cluster */
    bvpd_cluster cluster;
    float corners[9];
} bvpi_packet_hit;

/* The rays as triangles see them, and what they have met. */
typedef struct bvpi_packet_rays {
    const bvpi_ray_batch *batch;
    const bvpi_packet_place *place; /* in it */
    unsigned ready, found;          /* rays whose tri, whose hit is set */
    uint64_t triangles;             /* tested */
    double t_max[BVPI_PACKET];
    bvpi_tri_ray tri[BVPI_PACKET];
    bvpi_packet_hit hit[BVPI_PACKET];
} bvpi_packet_rays;

/* False: numbers are too large or small. */
static inline bool bvpi_packet_ray_ready(bvpi_packet_rays *r, unsigned lane)
{
    const bvp_ray *ray = bvpi_batch_ray(r->batch, bvpi_packet_ray(r->place, lane));
    const bvpi_placed_tree *at = &r->batch->placed->one.at;
    r->ready |= 1u << lane;
    r->t_max[lane] = ray->t_max;
    return (at->placement.is_identity &&
            bvpi_tri_ray_init_plain(&r->tri[lane], bvpi_ray_origin(ray), bvpi_ray_direction(ray),
                                    at->bound)) ||
           bvpi_tri_ray_init(&r->tri[lane], &at->placement, ray->origin, ray->direction,
                             at->bound) == BVP_OK;
}

/* Keeps a hit, if it is the first one by time and number of the triangle. */
BVPI_INLINE void bvpi_packet_keep(bvpi_packet_rays *r, unsigned lane, const bvpi_leaf *leaf,
                                  uint32_t local, const float corners[9],
                                  const bvpi_tri_ray_hit *at)
{
    bvpi_packet_hit *hit = &r->hit[lane];
    if ((r->found >> lane & 1) && !(at->t < hit->at.t) &&
        (at->t != hit->at.t || (uint64_t)hit->cluster.first_triangle + hit->local <=
                                   (uint64_t)leaf->cluster.first_triangle + local))
        return;
    r->found |= 1u << lane;
    r->t_max[lane] = at->t;
    hit->at = *at;
    hit->local = local;
    hit->cluster = leaf->cluster;
    memcpy(hit->corners, corners, sizeof hit->corners);
}

/* The lane, of those left, that comes first. */
BVPI_INLINE unsigned bvpi_packet_soonest(const float soonest[8], unsigned left)
{
    unsigned best = bvpi_lowest_bit(left);
    for (left &= left - 1; left != 0; left &= left - 1) {
        const unsigned i = bvpi_lowest_bit(left);
        best = soonest[i] < soonest[best] ? i : best;
    }
    return best;
}

/* One ray and triangles first .. first + count - 1 of a leaf's cluster, which begin that leaf. */
BVPI_INLINE bool bvpi_packet_meet(bvpi_packet_rays *r, unsigned lane, const bvpi_leaf *leaf,
                                  unsigned first, unsigned count)
{
    const bvp_ray *ray = bvpi_batch_ray(r->batch, bvpi_packet_ray(r->place, lane));
    float soonest[8];
    if (!(r->ready >> lane & 1) && !bvpi_packet_ray_ready(r, lane))
        return false;
    const bvpi_tri_ray *tri = &r->tri[lane];
    unsigned left = ((1u << count) - 1) & ~bvpi_tri_ray_misses(tri, leaf->tri.c);
    r->triangles += count;
    if (left == 0)
        return true;
    f32x8_store(soonest, bvpi_tri_ray_soonest(tri, leaf->tri.c));
    while (left != 0) {
        const unsigned i = bvpi_packet_soonest(soonest, left);
        bvpi_tri_ray_hit at;
        float corners[9];
        if ((double)soonest[i] > r->t_max[lane])
            break;
        left &= ~(1u << i);
        if (!bvpi_leaf_ray(tri, leaf, i, ray->t_min, ray->t_max, corners, &at))
            continue;
        bvpi_packet_keep(r, lane, leaf, first + i, corners, &at);
        if (r->batch->mode == BVPI_RAY_ANY)
            break;
    }
    return true;
}

/* The leaf that begins with `item`: from where the batch keeps it. NULL: the file is damaged. */
BVPI_INLINE const bvpi_leaf *bvpi_packet_leaf_of(const bvpi_packet_rays *r, uint32_t item)
{
    const bvpi_tree *tree = &r->batch->placed->one.at.tree;
    bvpi_leaf *leaf = bvpi_leaf_place(r->batch->leaves, item);
    if (leaf->units == tree->units && leaf->item == item)
        return leaf;
    return bvpi_ray_part_decode(tree, item, leaf) ? leaf : NULL;
}

/* Writes the answers of all rays. */
static inline void bvpi_packet_answer(const bvpi_packet_rays *r)
{
    for (unsigned lane = 0; lane < BVPI_PACKET; lane++) {
        void *out = bvpi_batch_out(r->batch, bvpi_packet_ray(r->place, lane));
        const bool found = r->found >> lane & 1;
        if (r->batch->mode == BVPI_RAY_ANY)
            *(int *)out = found;
        else
            *(bvp_ray_hit *)out = (bvp_ray_hit){.found = 0};
    }
    if (r->batch->mode == BVPI_RAY_ANY)
        return;
    for (unsigned left = r->found; left != 0; left &= left - 1) {
        const unsigned lane = bvpi_lowest_bit(left);
        const bvpi_packet_hit *hit = &r->hit[lane];
        bvpi_ray_query query = {.mode = BVPI_RAY_FIRST};
        bvpi_ray_query_hit(&query, &r->batch->placed->one, &hit->cluster, hit->local, hit->corners,
                           &hit->at);
        bvpi_ray_query_finish(&query);
        *(bvp_ray_hit *)bvpi_batch_out(r->batch, bvpi_packet_ray(r->place, lane)) = query.hit;
    }
}

#endif
