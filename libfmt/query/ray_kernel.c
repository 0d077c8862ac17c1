/* SPDX-License-Identifier: MIT
 * ray_kernel.c: rays through hierarchies, nearest child first; compiled once per instruction set.
 * Based on: Wald, Benthin, Boulos, Getting Rid of Packets, 2008 (one ray, many boxes).
 */
#include "query/binary_body.h"
#include "query/ray_part.h"
#include "query/ray_walk.h"

/* sorted: the nearest child first; else as they come, for who takes any hit. */
BVPI_INLINE bvp_status walk_wide(bvpi_ray_part *w, bool sorted)
{
    bvpi_ray_level levels[BVPD_DEPTH_MAX + 1];
    bvpi_ray_entry waiting[BVPI_STACK_SIZE];
    bvpi_slab8 slab;
    bvpi_ray_walk walk = {.tree = &w->part->at.tree,
                          .slab = &slab,
                          .levels = levels,
                          .waiting = waiting,
                          .level_max = BVPD_DEPTH_MAX + 1,
                          .limit = bvpi_ray_part_limit(w)};
    bvp_stats *stats = &w->query->stats;
    bvp_status status = BVP_OK;
    int place = bvpi_ray_walk_start(&walk);
    bvpi_slab8_init(&slab, &w->grid.slab, w->grid.t_min);
    while (place >= 0 && status == BVP_OK) {
        const bvpi_ray_level *level = bvpi_ray_level_of(&walk, place);
        const unsigned lane = bvpi_ray_lane_of(place);
        if (level->inner >> lane & 1) {
            place = bvpi_ray_open(&walk, place, sorted);
            continue;
        }
        const unsigned count = (unsigned)(level->meta >> (8 * lane)) & 0xff;
        stats->leaves++;
        status = count - 1 < BVPD_LEAF_MAX
                     ? bvpi_ray_part_triangles(w, bvpi_ray_item(level, lane), count)
                     : BVP_ERR_CORRUPT;
        if (bvpi_ray_query_done(w->query))
            break;
        walk.limit = bvpi_ray_part_limit(w);
        place = bvpi_ray_pop(&walk);
    }
    stats->nodes += walk.tree->node_count - walk.budget;
    stats->boxes += walk.boxes;
    return place == BVPI_RAY_LIAR ? BVP_ERR_CORRUPT : status;
}

/* unplaced: part, when its at.place is not ready; else NULL. */
static bvp_status enter_part(const bvpi_subject *subject, bvpi_ray_query *query,
                             const bvpi_placed_part *part, bvpi_placed_part *unplaced)
{
    static const bvpi_walk_steps steps = {bvpi_ray_part_boxes, bvpi_ray_part_limit,
                                          bvpi_ray_part_triangles, NULL};
    bvpi_local_ray local;
    bvpi_ray_part w;
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
    return query->mode == BVPI_RAY_FIRST ? walk_wide(&w, true) : walk_wide(&w, false);
}

static bvp_status enter_instance(void *user, uint32_t instance)
{
    const bvpi_ray_part *w = user;
    bvpi_placed_part part;
    w->query->stats.instance_pairs++;
    const bvp_status status = bvpi_subject_look_up(w->subject, instance, &part);
    return status == BVP_OK ? enter_part(w->subject, w->query, &part, &part) : status;
}

static bvp_status enter_assembly(const bvpi_subject *subject, bvpi_ray_query *query)
{
    static const bvpi_walk_steps steps = {bvpi_ray_part_boxes, bvpi_ray_part_limit, NULL,
                                          enter_instance};
    const bvpi_placed *top = &subject->top;
    bvpi_local_ray local;
    bvpi_ray_part w;
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

static bvp_status run_part(const bvpi_placed_part *part, bvpi_ray_query *query)
{
    const bvp_status status = enter_part(NULL, query, part, NULL);
    bvpi_ray_query_finish(query);
    return status;
}

const bvpi_ray_kernel BVPI_ISA_NAME(bvpi_ray_kernel) = {run, run_part};
