/* SPDX-License-Identifier: MIT
 * ray_meshlet_batch.h: a ray of a batch on its way through a hierarchy for rays: how it begins, and
 * how it is answered.
 */
#ifndef BVPI_QUERY_RAY_RAY_MESHLET_BATCH_H
#define BVPI_QUERY_RAY_RAY_MESHLET_BATCH_H

#include "query/ray/ray_batch.h"
#include "query/ray/ray_meshlet_walk.h"

/* Makes ray `idx` of the batch ready for its walk; all of a kernel's rays share the judge. False:
 * floats in frames do not serve it, and another walk takes it. */
BVPI_INLINE bool bvpi_meshlet_ray_of(bvpi_meshlet_ray *w, const bvpi_ray_batch *batch, size_t idx,
                                     bvpi_meshlet_judge *judge)
{
    const bvpi_placed_part *part = &batch->placed->one;
    double t_max;
    bool good;
    if (batch->floats) {
        w->ray = NULL;
        w->floats = bvpi_batch_float_ray(batch, idx);
        t_max = (double)w->floats->t_max;
        good = part->at.placement.is_identity &&
               bvpi_frame_ray_from_floats(&w->frame, w->floats, part->at.corner);
    } else {
        bvpi_local_ray local;
        w->ray = bvpi_batch_ray(batch, idx);
        t_max = w->ray->t_max;
        bvpi_local_ray_of(&local, &part->at.placement, w->ray);
        good = bvpi_frame_ray_init(&w->frame, &local, part->at.corner, w->ray->t_min, t_max) &&
               t_max == t_max;
    }
    w->part = part;
    w->judge = judge;
    w->any = batch->mode == BVPI_RAY_ANY;
    if (good)
        bvpi_meshlet_ray_begin(w, t_max);
    return good;
}

/* Writes the answer of ray `idx`, which is settled. */
static inline void bvpi_meshlet_reply(const bvpi_ray_batch *batch, size_t idx,
                                      const bvpi_meshlet_ray *w)
{
    void *out = bvpi_batch_out(batch, idx);
    batch->stats->leaves += w->leaves;
    batch->stats->triangles += w->triangles;
    if (batch->mode == BVPI_RAY_ANY) {
        *(int *)out = w->found;
    } else if (batch->floats) {
        *(bvp_float_hit *)out = bvpi_meshlet_answer(w);
    } else if (!w->found) {
        *(bvp_ray_hit *)out = (bvp_ray_hit){.found = 0};
    } else {
        bvpi_ray_query query = {.mode = BVPI_RAY_FIRST};
        bvpi_ray_query_hit(&query, w->part, &w->best.cluster, w->best.local, w->best.tri,
                           &w->best.at);
        bvpi_ray_query_finish(&query);
        *(bvp_ray_hit *)out = query.hit;
    }
}

#endif
