/* SPDX-License-Identifier: MIT
 * moving_pair.c: asks the library's queries about two bodies, one of which is moved.
 *
 * Each question goes to the function behind a public query, so that all of them draw on one meter:
 * a budget is that of the whole call. A body is checked and placed once; what moves is placed again
 * for each move.
 *
 * Enclosed: instances of a that may be in b's box are found by the walk over a's hierarchies, and
 * for each of them those of b by the walk over b's. So a part in a plant costs what is near it.
 *
 * Slow twin: all pairs of instances, tests/property/test_penetration.c.
 * Spec: exactness.md, chapter 12, "Penetration"
 */
#include "clash/moving_pair.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_array.h"
#include "base/vec3.h"
#include "format/source.h"
#include "query/near/convex_query.h"
#include "query/near/overlap.h"
#include "query/ray/ray_query.h"
#include "query/solid/solid.h"

#define MARGIN 0x1p-40

/* ---- beginning and ending -------------------------------------------------------------------- */

static void include(bvpi_bounds *all, const double lo[3], const double hi[3])
{
    for (int i = 0; i < 3; i++) {
        const double pad = (fabs(lo[i]) + fabs(hi[i])) * 0x1p-40;
        all->lo[i] = fmin(all->lo[i], lo[i] - pad);
        all->hi[i] = fmax(all->hi[i], hi[i] + pad);
    }
}

/* A body's box: of a part, or around the hierarchies over the instances. */
static bvp_status find_bounds(bvpi_moving_side *s)
{
    const bvpi_placed_body *placed = &s->placed;
    bvpi_bounds *all = &s->bounds;
    double lo[3], hi[3];
    *all = (bvpi_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (!placed->is_assembly) {
        bvpi_place_bounds(placed->one.at.placement.m, placed->one.part.lo, placed->one.part.hi,
                          all);
        return BVP_OK;
    }
    for (uint32_t k = 0; k < placed->top_count && !placed->is_empty; k++) {
        bvpi_placed_tree top;
        const bvp_status status = bvpi_placed_body_top(placed, k, &top);
        if (status != BVP_OK)
            return status;
        bvpi_placed_tree_box(&top, lo, hi);
        for (int i = 0; i < 3; i++) {
            lo[i] -= top.slack * top.placement.size_max;
            hi[i] += top.slack * top.placement.size_max;
        }
        include(all, lo, hi);
    }
    return BVP_OK;
}

static bvp_status side_init(bvpi_moving_side *s, const bvp_body *body, const bvp_control *control)
{
    static const double none[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    s->body = *body;
    memcpy(s->placement, body->placement ? body->placement : none, sizeof s->placement);
    s->body.placement = s->placement;
    s->body.control = control;
    bvp_status status = bvpi_placed_body_init(&s->placed, &s->body);
    bvpi_part_cache *caches[3] = {&s->pieces, &s->seams, &s->sweeps};
    for (int k = 0; k < 3 && status == BVP_OK; k++)
        status = bvpi_part_cache_init(caches[k], body->file);
    if (status == BVP_OK && s->placed.is_assembly) {
        s->kept = malloc(sizeof *s->kept);
        if (!s->kept)
            return BVP_ERR_NO_MEMORY;
        bvpi_placed_body_keep(&s->placed, s->kept);
    }
    return status == BVP_OK ? find_bounds(s) : status;
}

static void side_free(bvpi_moving_side *s)
{
    bvpi_part_cache_free(&s->pieces);
    bvpi_part_cache_free(&s->seams);
    bvpi_part_cache_free(&s->sweeps);
    free(s->kept);
}

bvp_status bvpi_moving_pair_init(bvpi_moving_pair *pair, const bvp_body *a, const bvp_body *b)
{
    const bvp_control *control = a->control ? a->control : b->control;
    if (!control)
        control = a->file->control ? a->file->control : b->file->control;
    pair->meter = bvpi_meter_init(&pair->own, control);
    pair->crack = bvp_clash_coordinate_gap(a->file, b->file);
    bvp_status status = side_init(&pair->a, a, control);
    if (status == BVP_OK)
        status = side_init(&pair->b, b, control);
    if (status == BVP_OK && !bvpi_meter_step(pair->meter))
        status = BVP_ERR_CANCELLED;
    double reach = 0;
    for (int i = 0; i < 3; i++)
        reach = fmax(fmax(fmax(reach, fabs(pair->a.bounds.lo[i])), fabs(pair->a.bounds.hi[i])),
                     fmax(fabs(pair->b.bounds.lo[i]), fabs(pair->b.bounds.hi[i])));
    pair->margin = isfinite(reach) ? reach * MARGIN : 0;
    return status;
}

void bvpi_moving_pair_free(bvpi_moving_pair *pair)
{
    side_free(&pair->a);
    side_free(&pair->b);
}

static const bvpi_moving_side *side_of(const bvpi_moving_pair *pair, bool is_of_a)
{
    return is_of_a ? &pair->a : &pair->b;
}

static bvp_status find_item(const bvpi_moving_pair *pair, bvpi_moving_side *s, uint32_t instance)
{
    bvpi_clash_item *item = &s->item;
    bvp_part_info info;
    bvp_status status = BVP_OK;
    *item = (bvpi_clash_item){.file = s->body.file,
                              .part = s->placed.one,
                              .pieces = &s->pieces,
                              .seams = &s->seams,
                              .sweeps = &s->sweeps,
                              .meter = pair->meter};
    if (s->placed.is_assembly)
        status = bvpi_placed_body_instance(&s->placed, instance, &item->part);
    if (status == BVP_OK)
        status = bvp_get_part(s->body.file, item->part.part_idx, &info);
    if (status != BVP_OK)
        return status;
    bvpi_place_bounds(item->part.at.placement.m, item->part.part.lo, item->part.part.hi,
                      &item->bounds);
    item->slack = bvpi_clash_slack(&item->part.at);
    item->is_open = info.open_edge_count > 0;
    item->is_sound = info.open_edge_count == 0 && info.nonmanifold_edge_count == 0;
    return BVP_OK;
}

bvp_status bvpi_moving_item(bvpi_moving_pair *pair, bool is_of_a, uint32_t instance,
                            const bvpi_clash_item **out)
{
    bvpi_moving_side *s = is_of_a ? &pair->a : &pair->b;
    bvp_status status = BVP_OK;
    if (!s->has_item || s->item_instance != instance)
        status = find_item(pair, s, instance);
    s->has_item = status == BVP_OK;
    s->item_instance = instance;
    *out = &s->item;
    return status;
}

/* ---- do they meet? --------------------------------------------------------------------------- */

static bvp_status begin(bvpi_moving_pair *pair, const double move[3], double placement[12],
                        bvpi_pair_query *query)
{
    bvp_body moved = pair->a.body;
    memcpy(placement, pair->a.placement, sizeof pair->a.placement);
    for (int i = 0; i < 3; i++)
        placement[4 * i + 3] += move[i];
    moved.placement = placement;
    memset(query, 0, sizeof *query);
    query->meter = pair->meter;
    return bvpi_pair_begin(query, &moved, &pair->b.body);
}

bvp_status bvpi_moving_meets(bvpi_moving_pair *pair, const double move[3], bool *meets,
                             bvp_distance_result *witness)
{
    bvpi_pair_query query;
    double placement[12];
    bvp_status status = begin(pair, move, placement, &query);
    if (status == BVP_OK)
        status = bvpi_ask_collide(&query, witness != NULL);
    *meets = status == BVP_OK && query.answer.best.found;
    if (witness)
        *witness = query.answer.best;
    return status;
}

bvp_status bvpi_moving_distance(bvpi_moving_pair *pair, const double move[3],
                                bvp_distance_result *out)
{
    bvpi_pair_query query;
    double placement[12];
    bvp_status status = begin(pair, move, placement, &query);
    if (status == BVP_OK)
        status = bvpi_ask_distance(&query, INFINITY, 0);
    *out = query.answer.best;
    out->found = out->found && status == BVP_OK;
    return status;
}

static bvp_status is_farther(bvpi_moving_pair *pair, const double move[3], bool *out)
{
    bvpi_pair_query query;
    double placement[12];
    bvp_status status = begin(pair, move, placement, &query);
    if (status == BVP_OK)
        status = bvpi_ask_within(&query, pair->margin, BVPI_WITNESS_NONE);
    *out = status == BVP_OK && !query.answer.best.found;
    return status;
}

bvp_status bvpi_moving_is_free(bvpi_moving_pair *pair, const double move[3], bool *out)
{
    bvpi_where where = BVPI_OUTSIDE;
    bvp_status status = is_farther(pair, move, out);
    if (status == BVP_OK && *out)
        status = bvpi_moving_enclosed(pair, move, &where);
    *out = *out && status == BVP_OK && where == BVPI_OUTSIDE;
    return status;
}

bvp_status bvpi_moving_pairs(bvpi_moving_pair *pair, bvp_pair_fn callback, void *user)
{
    bvpi_pair_query query = {.meter = pair->meter};
    const bvpi_pair_question question = {
        .mode = BVPI_PAIR_EACH, .callback = callback, .user = user};
    const bvp_status status = bvpi_pair_begin(&query, &pair->a.body, &pair->b.body);
    if (status != BVP_OK)
        return status;
    bvpi_pair_set_question(&query, &question);
    bvpi_pair_run(&query);
    return query.answer.status;
}

/* ---- is one inside the other? ---------------------------------------------------------------- */

static void move_bounds(const bvpi_bounds *from, const double move[3], double sign,
                        bvpi_bounds *out)
{
    for (int i = 0; i < 3; i++) {
        const double rounding = (fabs(from->lo[i]) + fabs(from->hi[i]) + fabs(move[i])) * 0x1p-50;
        out->lo[i] = from->lo[i] + sign * move[i] - rounding;
        out->hi[i] = from->hi[i] + sign * move[i] + rounding;
    }
}

/* Instances that may be in a box. */
typedef struct near_walk {
    bvpi_overlap_query walk; /* first: the kernel calls back with it */
    bvpi_clash_list *list;
} near_walk;

static bvp_status add_instance(bvpi_overlap_query *query, const bvpi_placed_body *placed,
                               uint32_t instance)
{
    bvpi_clash_list *list = ((near_walk *)query)->list;
    bvpi_bounds bounds;
    if (!bvpi_meter_step(query->meter))
        return BVP_ERR_CANCELLED;
    const bvp_status status = bvpi_clash_bounds(placed, instance, &bounds);
    if (status != BVP_OK)
        return status;
    for (int i = 0; i < 3; i++)
        if (bounds.lo[i] > query->region.hi[i] || bounds.hi[i] < query->region.lo[i])
            return BVP_OK;
    if (!bvpi_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return BVP_ERR_NO_MEMORY;
    list->items[list->count++] = instance;
    return BVP_OK;
}

static bvp_status list_near(bvpi_moving_pair *pair, const bvpi_moving_side *s,
                            const bvpi_bounds *box, bvpi_clash_list *list)
{
    near_walk w = {.walk = {.instead = add_instance, .meter = pair->meter}, .list = list};
    list->count = 0;
    if (!s->placed.is_assembly) {
        const uint32_t part = BVP_NONE;
        if (!bvpi_grow(&list->items, &list->capacity, 1, sizeof *list->items))
            return BVP_ERR_NO_MEMORY;
        list->count = bvpi_clash_is_near(box, &s->bounds, 0);
        list->items[0] = part;
        return BVP_OK;
    }
    const bvp_status status = bvpi_region_init(&w.walk.region, bvp_box_region(box->lo, box->hi));
    return status == BVP_OK
               ? BVPI_ISA_CHOOSE(bvpi_overlap_kernel, s->body.file->isa)->run(&s->placed, &w.walk)
               : status;
}

/* Of one instance of a, moved, and those of b that are near it. */
static bvp_status is_one_enclosed(bvpi_moving_pair *pair, uint32_t instance, const double move[3],
                                  bvpi_clash_list *near, bvpi_where *out)
{
    const bvpi_clash_item *first, *b;
    bvpi_bounds moved;
    bvp_status status = bvpi_moving_item(pair, true, instance, &first);
    if (status != BVP_OK)
        return status;
    bvpi_clash_item a = *first;
    move_bounds(&a.bounds, move, 1, &moved);
    a.bounds = moved;
    for (int i = 0; i < 3; i++)
        a.part.at.placement.m[4 * i + 3] += move[i];
    a.part.at.placement.is_identity = false;
    a.slack = bvpi_clash_slack(&a.part.at);
    status = list_near(pair, &pair->b, &moved, near);
    for (uint64_t k = 0; k < near->count && status == BVP_OK && *out != BVPI_INSIDE; k++) {
        bvpi_where where = BVPI_OUTSIDE;
        status = bvpi_meter_step(pair->meter) ? BVP_OK : BVP_ERR_CANCELLED;
        if (status == BVP_OK)
            status = bvpi_moving_item(pair, false, near->items[k], &b);
        if (status == BVP_OK)
            status = bvpi_clash_enclosed(&a, b, 0, pair->crack, &where);
        if (where != BVPI_OUTSIDE)
            *out = where;
    }
    return status;
}

bvp_status bvpi_moving_enclosed(bvpi_moving_pair *pair, const double move[3], bvpi_where *out)
{
    bvpi_clash_list of_a = {.items = NULL}, of_b = {.items = NULL};
    bvpi_bounds box;
    *out = BVPI_OUTSIDE;
    move_bounds(&pair->a.bounds, move, 1, &box);
    if (!bvpi_clash_is_near(&box, &pair->b.bounds, 0))
        return BVP_OK;
    move_bounds(&pair->b.bounds, move, -1, &box); /* where a is at first */
    bvp_status status = list_near(pair, &pair->a, &box, &of_a);
    for (uint64_t k = 0; k < of_a.count && status == BVP_OK && *out != BVPI_INSIDE; k++)
        status = is_one_enclosed(pair, of_a.items[k], move, &of_b, out);
    free(of_a.items);
    free(of_b.items);
    return status;
}

/* ---- points and hulls ------------------------------------------------------------------------ */

bvp_status bvpi_moving_nearest(bvpi_moving_pair *pair, bool is_of_a, const double point[3],
                               double limit, bvp_closest_result *out)
{
    const bvpi_moving_side *s = side_of(pair, is_of_a);
    bvpi_closest_query query;
    bvp_status status = bvpi_closest_query_init(&query, point, limit);
    query.meter = pair->meter;
    if (status == BVP_OK && !bvpi_meter_step(pair->meter))
        status = BVP_ERR_CANCELLED;
    if (status == BVP_OK)
        status = BVPI_ISA_CHOOSE(bvpi_closest_kernel, s->body.file->isa)->run(&s->placed, &query);
    *out = query.best;
    out->found = out->found && status == BVP_OK;
    return status;
}

bvp_status bvpi_moving_holds(bvpi_moving_pair *pair, bool is_of_a, const double point[3], bool *out)
{
    bvp_inside_result inside;
    const bvp_status status =
        bvpi_solid_where(&side_of(pair, is_of_a)->placed, point, false, pair->meter, &inside, NULL);
    *out = status == BVP_OK && inside.where == BVP_WHERE_INSIDE;
    return status;
}

bvp_status bvpi_moving_clears(bvpi_moving_pair *pair, bool is_of_a, double (*points)[3],
                              unsigned count, double delta, bool *out, double near[3])
{
    const bvpi_moving_side *s = side_of(pair, is_of_a);
    const bvp_convex hull = {.kind = BVP_CONVEX_HULL, .points = points[0], .point_count = count};
    bvpi_convex_query query;
    *out = false;
    bvp_status status = bvpi_convex_query_init(&query, &hull, BVPI_CONVEX_ANY, delta);
    query.meter = pair->meter;
    if (status == BVP_OK)
        status = BVPI_ISA_CHOOSE(bvpi_convex_kernel, s->body.file->isa)->run(&s->placed, &query);
    *out = status == BVP_OK && !query.best.found;
    if (near)
        memcpy(near, query.best.point_a, sizeof query.best.point_a);
    return status;
}

bvp_status bvpi_moving_ray(bvpi_moving_pair *pair, bool is_of_a, const double from[3],
                           const double way[3], double *out)
{
    const bvpi_moving_side *s = side_of(pair, is_of_a);
    bvp_ray ray = {.t_max = INFINITY};
    bvpi_ray_query query;
    memcpy(ray.origin, from, sizeof ray.origin);
    memcpy(ray.direction, way, sizeof ray.direction);
    bvp_status status = bvpi_ray_query_init(&query, &ray, BVPI_RAY_FIRST);
    query.meter = pair->meter;
    if (status == BVP_OK)
        status = BVPI_ISA_CHOOSE(bvpi_ray_kernel, s->body.file->isa)->run(&s->placed, &query);
    *out = status == BVP_OK && query.hit.found ? query.hit.t : INFINITY;
    return status;
}

bvp_status bvpi_moving_triangle(bvpi_moving_pair *pair, bool is_of_a, const bvp_hit_id *hit,
                                bvpi_world_tri *out)
{
    const bvpi_clash_item *item;
    float corners[9];
    uint64_t count;
    bvp_status status = bvpi_moving_item(pair, is_of_a, hit->instance, &item);
    if (status == BVP_OK)
        status = bvp_get_triangles(item->file, hit->part, (bvp_range){hit->triangle, 1}, corners,
                                   NULL, &count);
    if (status == BVP_OK)
        bvpi_world_tri_init(out, item, corners);
    return status;
}

bvp_status bvpi_moving_in_box(bvpi_moving_pair *pair, bool is_of_a, const double centre[3],
                              double (*axis)[3], const double half[3], bvp_candidate_fn each,
                              void *user)
{
    const bvpi_moving_side *s = side_of(pair, is_of_a);
    bvpi_overlap_query query = {.candidate = each, .user = user, .meter = pair->meter};
    double planes[24];
    for (int k = 0; k < 3; k++) {
        const double along = bvpi_dot(centre, axis[k]);
        for (int i = 0; i < 3; i++) {
            planes[8 * k + i] = axis[k][i];
            planes[8 * k + 4 + i] = -axis[k][i];
        }
        planes[8 * k + 3] = half[k] - along;
        planes[8 * k + 7] = half[k] + along;
    }
    const bvp_status status = bvpi_region_init(&query.region, bvp_convex_region(planes, 6));
    if (status != BVP_OK)
        return status;
    for (int i = 0; i < 3; i++) {
        double reach = 0;
        for (int k = 0; k < 3; k++)
            reach += fabs(axis[k][i]) * half[k];
        reach += (reach + fabs(centre[i])) * 0x1p-40;
        query.region.lo[i] = centre[i] - reach;
        query.region.hi[i] = centre[i] + reach;
    }
    return BVPI_ISA_CHOOSE(bvpi_overlap_kernel, s->body.file->isa)->run(&s->placed, &query);
}
