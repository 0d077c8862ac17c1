/* SPDX-License-Identifier: MIT
 * ray_kernel.c: rays through hierarchies, nearest child first; compiled once per instruction set.
 *
 * Three layers: ray_slab.h tests a node's eight boxes, ray_walk.h keeps what waits, ray_part.h
 * tests a leaf's triangles. Boxes are conservative in float; a triangle's hit is certain
 * (tri_ray.h).
 *
 * The first hit is unique: least t, then least instance, then least triangle. Each hit's t is
 * computed over the caller's whole range, so it does not depend on which hits were found before.
 *
 * Slow twin: brute force over all triangles, tests/property/test_ray.c; counts of work:
 * test_ray_counts.c.
 * Spec: exactness.md, chapters 7 and 10
 * Based on: Wald, Benthin, Boulos, Getting Rid of Packets, 2008 (one ray, many boxes).
 * Measured: decisions.md, "Rays and closest points".
 */
#include <assert.h>

#include "query/body/binary_body.h"
#include "query/ray/ray_meshlet_walk.h"
#include "query/ray/ray_part.h"
#include "query/ray/ray_slab.h"

/* A leaf's items, triangles or instances. */
typedef bvp_status (*ray_items_fn)(void *user, uint32_t item, unsigned count);

#ifndef BVPI_MAPPED_ONLY
/* Of children over instances: the first byte that going to one reads. NULL: it is forged. */
static const uint8_t *first_byte_of(const bvpi_ray_part *w, const bvpi_ray_walk *walk, int place)
{
    const bvpi_ray_level *level = bvpi_ray_level_of(walk, place);
    const unsigned lane = bvpi_ray_lane_of(place);
    const bvpi_span *instances = &w->placed->file->section[BVPD_INST];
    if (level->inner >> lane & 1) {
        const uint64_t unit = bvpi_ray_unit(level, lane);
        return unit < walk->tree->unit_count ? walk->tree->units + unit * BVPD_UNIT : NULL;
    }
    const uint64_t item = bvpi_ray_item(level, lane);
    return item < instances->count ? instances->data + item * sizeof(bvpd_instance) : NULL;
}

/* Before a child is opened whose bytes are absent: what the walk would want without it. It goes on
 * in a copy, over nodes that are here, as far as two chunks. */
static __attribute__((noinline)) void look_ahead(const bvpi_ray_part *w, const bvpi_ray_walk *walk,
                                                 const bvpi_slab8 *slab)
{
    enum { CHUNKS = 2, NODES = 256 };
    _Alignas(64) bvpi_ray_level levels[BVPI_RAY_LEVELS];
    bvpi_ray_entry waiting[BVPI_STACK_SIZE];
    bvpi_ray_walk ahead = *walk;
    bvpi_loan loan;
    const uint8_t *last = NULL;
    unsigned chunks = 0, nodes = 0;
    memcpy(levels, walk->levels, sizeof levels);
    memcpy(waiting, walk->waiting, walk->height * sizeof *waiting);
    ahead.levels = levels;
    ahead.waiting = waiting;
    bvpi_steps_begin(&ahead.steps, &loan, NULL, NODES);
    for (int place = bvpi_ray_pop(&ahead); place >= 0 && chunks < CHUNKS && nodes < NODES;
         nodes++) {
        const uint8_t *byte = first_byte_of(w, &ahead, place);
        const unsigned inner = bvpi_ray_level_of(&ahead, place)->inner;
        if (byte && !bvpi_is_absent(byte) && inner >> bvpi_ray_lane_of(place) & 1) {
            place = bvpi_ray_open(&ahead, slab, place, true);
            continue;
        }
        if (byte && bvpi_is_absent(byte)) {
            chunks += !last || ((uintptr_t)byte ^ (uintptr_t)last) >> BVPI_CHUNK_SHIFT;
            last = byte;
            bvpi_expect(byte);
        }
        place = bvpi_ray_pop(&ahead);
    }
}
#endif

static bvp_status enter_instances(void *user, uint32_t first, unsigned count);

/* sorted: the nearest child first; else in stored order, for queries that take any hit. */
BVPI_INLINE bvp_status walk_wide(bvpi_ray_part *w, const bvpi_tree *tree, bool sorted,
                                 ray_items_fn items)
{
    _Alignas(64) bvpi_ray_level levels[BVPI_RAY_LEVELS];
    bvpi_ray_entry waiting[BVPI_STACK_SIZE];
    bvpi_slab8 slab;
    bvpi_loan loan;
    bvpi_ray_walk walk;
    bvp_stats *stats = &w->query->stats;
    bvp_status status = BVP_OK;
    walk.tree = tree;
    walk.levels = levels;
    walk.waiting = waiting;
    walk.limit = bvpi_ray_part_limit(w);
    int place = bvpi_ray_walk_start(&walk, &loan, w->query->meter);
    bvpi_slab8_init(&slab, &w->grid.slab, w->grid.t_min);
    while (place >= 0 && status == BVP_OK) {
        const bvpi_ray_level *level = bvpi_ray_level_of(&walk, place);
        const unsigned lane = bvpi_ray_lane_of(place);
        assert((unsigned)place >> 8 < BVPI_RAY_LEVELS && walk.height < BVPI_STACK_SIZE);
#ifndef BVPI_MAPPED_ONLY
        if (items == enter_instances && w->placed->file->source &&
            bvpi_is_absent(first_byte_of(w, &walk, place)))
            look_ahead(w, &walk, &slab);
#endif
        if (level->inner >> lane & 1) {
            place = bvpi_ray_open(&walk, &slab, place, sorted);
            continue;
        }
        const unsigned count = (unsigned)(level->meta >> (8 * lane)) & 0xff;
        stats->leaves += items == bvpi_ray_part_triangles;
        if (items != bvpi_ray_part_triangles)
            bvpi_steps_pause(&walk.steps); /* the parts have walks of their own */
        status = count - 1 < BVPD_LEAF_MAX ? items(w, bvpi_ray_item(level, lane), count)
                                           : BVP_ERR_CORRUPT;
        if (bvpi_ray_query_done(w->query))
            break;
        walk.limit = bvpi_ray_part_limit(w);
        place = bvpi_ray_pop(&walk);
    }
    stats->nodes += walk.tree->node_count - bvpi_steps_left(&walk.steps);
    stats->boxes += walk.boxes;
    bvpi_steps_pause(&walk.steps);
    return place == BVPI_RAY_CORRUPT ? bvpi_meter_blame(w->query->meter) : status;
}

/* Functions of their own: their stacks differ much in size, and small ones are entered sooner. */
static __attribute__((noinline)) bvp_status rays_first(bvpi_meshlet_ray *w, bvpi_meter *meter,
                                                       bvp_stats *stats)
{
    return bvpi_meshlet_run(w, meter, true, stats);
}

static __attribute__((noinline)) bvp_status rays_any(bvpi_meshlet_ray *w, bvpi_meter *meter,
                                                     bvp_stats *stats)
{
    return bvpi_meshlet_run(w, meter, false, stats);
}

/* w: all but the state of its walk is set. */
BVPI_INLINE bvp_status walk_rays(bvpi_meshlet_ray *w, bvpi_ray_mode mode, double t_max,
                                 bvpi_meter *meter, bvp_stats *stats)
{
    bvpi_meshlet_ray_begin(w, t_max);
    return mode == BVPI_RAY_FIRST ? rays_first(w, meter, stats) : rays_any(w, meter, stats);
}

/* Through the part's hierarchy for rays. False: it has none for this ray. */
static bool enter_rays(bvpi_ray_query *query, const bvpi_placed_part *part, bvp_status *status)
{
    bvpi_local_ray local;
    bvpi_meshlet_judge judge;
    bvpi_meshlet_ray w;
    const bvp_ray *ray = query->ray;
    if (part->rays.nodes == NULL || query->mode == BVPI_RAY_ALL)
        return false;
    bvpi_local_ray_of(&local, &part->at.placement, ray);
    if (!bvpi_frame_ray_init(&w.frame, &local, part->at.corner, ray->t_min, ray->t_max))
        return false;
    judge.whose = NULL;
    w.judge = &judge;
    w.part = part;
    w.ray = ray;
    *status = walk_rays(&w, query->mode, query->t_max, query->meter, &query->stats);
    if (w.found && query->mode == BVPI_RAY_ANY)
        query->hit.found = 1;
    else if (w.found)
        bvpi_ray_query_hit(query, part, &w.best.cluster, w.best.local, w.best.tri, &w.best.at);
    return true;
}

static bool run_floats(const bvpi_placed_part *part, const bvp_float_ray *ray, bvpi_ray_mode mode,
                       bvp_float_hit *hit, bvp_stats *stats, bvp_status *status)
{
    bvpi_meshlet_judge judge;
    bvpi_meshlet_ray w;
    if (part->rays.nodes == NULL || !part->at.placement.is_identity ||
        !bvpi_frame_ray_from_floats(&w.frame, ray, part->at.corner))
        return false;
    judge.whose = NULL;
    w.judge = &judge;
    w.part = part;
    w.ray = NULL;
    w.floats = ray;
    *status = walk_rays(&w, mode, (double)ray->t_max, NULL, stats);
    if (*status != BVP_OK || !w.found)
        hit->triangle = BVP_NO_TRIANGLE;
    else if (mode == BVPI_RAY_ANY)
        hit->triangle = 0;
    else
        *hit = bvpi_meshlet_answer(&w);
    return true;
}

static __attribute__((noinline)) bvp_status enter_hierarchy(bvpi_ray_query *query,
                                                            const bvpi_placed_part *part)
{
    static const bvpi_walk_steps steps = {bvpi_ray_part_boxes, bvpi_ray_part_limit,
                                          bvpi_ray_part_triangles, NULL};
    const bvpi_tree *tree = &part->at.tree;
    bvpi_local_ray local;
    bvpi_ray_part w;
    w.query = query;
    w.part = part;
    w.ready = false;
    bvpi_local_ray_of(&local, &part->at.placement, query->ray);
    if (tree->is_turned)
        bvpi_local_ray_turn(&local, tree);
    if (!bvpi_grid_ray_init(&w.grid, &part->at, &local, query->ray->t_min, query->t_max))
        return BVP_OK;
    if (part->kind != BVPD_KIND_WIDE8)
        return bvpi_binary_body_walk(&steps, &w, &part->binary, query->meter, &query->stats);
    return query->mode == BVPI_RAY_FIRST ? walk_wide(&w, tree, true, bvpi_ray_part_triangles)
                                         : walk_wide(&w, tree, false, bvpi_ray_part_triangles);
}

static bvp_status enter_part(bvpi_ray_query *query, const bvpi_placed_part *part)
{
    bvp_status status;
    return enter_rays(query, part, &status) ? status : enter_hierarchy(query, part);
}

static bvp_status enter_instance(bvpi_ray_part *w, uint32_t instance)
{
    bvpi_placed_part own;
    const bvpi_placed_part *part;
    if (!bvpi_placed_body_selects(w->placed, instance))
        return BVP_OK;
    w->query->stats.instance_pairs++;
    bvp_status status = bvpi_placed_body_visit(w->placed, instance, &own, &part);
    if (status == BVP_OK)
        status = enter_part(w->query, part);
    bvpi_ray_query_finish(w->query); /* `part` ends here */
    return status;
}

/* instances_left stops a forged hierarchy that names instances again and again. */
static bvp_status enter_instances(void *user, uint32_t first, unsigned count)
{
    bvpi_ray_part *w = user;
    bvp_status status = BVP_OK;
    for (unsigned i = 0; i < count && status == BVP_OK && !bvpi_ray_query_done(w->query); i++)
        if (w->instances_left-- > 0 && bvpi_meter_step(w->query->meter))
            status = enter_instance(w, first + i);
        else
            status = bvpi_meter_blame(w->query->meter);
    return status;
}

static bvp_status enter_top(const bvpi_placed_body *placed, const bvpi_placed_tree *top,
                            bvpi_ray_query *query)
{
    bvpi_local_ray local;
    bvpi_ray_part w;
    w.placed = placed;
    w.query = query;
    w.instances_left = placed->file->header.instance_count;
    bvpi_local_ray_of(&local, &top->placement, query->ray);
    if (!bvpi_grid_ray_init(&w.grid, top, &local, query->ray->t_min, query->t_max))
        return BVP_OK;
    return walk_wide(&w, &top->tree, true, enter_instances);
}

static bvp_status run(const bvpi_placed_body *placed, bvpi_ray_query *query)
{
    bvp_status status = BVP_OK;
    if (!placed->is_assembly) {
        status = enter_part(query, &placed->one);
    } else if (!placed->is_empty) {
        status = enter_top(placed, &placed->top, query);
        for (uint32_t k = 1;
             k < placed->top_count && status == BVP_OK && !bvpi_ray_query_done(query); k++) {
            bvpi_placed_tree top;
            status = bvpi_placed_body_top(placed, k, &top);
            if (status == BVP_OK)
                status = enter_top(placed, &top, query);
        }
    }
    bvpi_ray_query_finish(query);
    return status;
}

static bvp_status run_part(const bvpi_placed_part *part, bvpi_ray_query *query)
{
    const bvp_status status = enter_part(query, part);
    bvpi_ray_query_finish(query);
    return status;
}

const bvpi_ray_kernel BVPI_ISA_NAME(bvpi_ray_kernel) = {run, run_part, run_floats};
