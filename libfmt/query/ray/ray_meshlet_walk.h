/* SPDX-License-Identifier: MIT
 * ray_meshlet_walk.h: the walk of a ray through a hierarchy of kind rays.
 *
 * A child is named by 32 bits: a node's number, or with the top bit set the unit of a leaf's
 * meshlet and, in the last three bits, how many triangles it has, less one. What waits has its
 * entry time above that. The first hit takes the children in order of entry, any hit as they are
 * stored.
 *
 * Damage cannot lead outside or on forever: nodes are bounded by their count and opened at most
 * that often in all, leaves by the nodes, what waits by the room for it, meshlets by the bytes
 * there are.
 *
 * Slow twin: the walk of the wide hierarchy, tests/property/test_ray_tree.c.
 * Spec: format.md, chapter "Ray trees"
 * Measured: decisions.md, "Ray trees"
 */
#ifndef BVPI_QUERY_RAY_RAY_MESHLET_WALK_H
#define BVPI_QUERY_RAY_RAY_MESHLET_WALK_H

#include "query/ray/ray_meshlet_leaf.h"

#define BVPI_RAY_IS_LEAF UINT32_C(0x80000000)
#define BVPI_RAY_NONE    UINT32_C(0x7fffffff) /* no node's number */

/* ---- nodes ----------------------------------------------------------------------------------- */

/* The names of a node's children; those of empty lanes are arbitrary. Not checked. */
BVPI_INLINE i32x8 bvpi_meshlet_refs(const bvpd_ray_node *node)
{
    const uint64_t heads = bvpi_load_u64(&node->child); /* and geom */
    const int32_t leaves =
        (int32_t)((uint32_t)(heads >> 32) * 8 + BVPI_RAY_IS_LEAF - BVPD_RAY_LEAF);
    const i32x8 lane = i32x8_from_i16(node->lane);
    return lane + i32x8_select(lane >> 31, i32x8_splat(leaves), i32x8_splat((int32_t)heads));
}

BVPI_INLINE void bvpi_meshlet_fetch(const bvpi_rays *rays, uint32_t ref)
{
    const uint8_t *at = ref & BVPI_RAY_IS_LEAF
                            ? rays->meshlets + (uint64_t)(ref & (INT32_MAX ^ 7))
                            : rays->nodes + (uint64_t)ref * sizeof(bvpd_ray_node);
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
}

/* Names and entry times of a node's children. */
typedef struct bvpi_meshlet_lanes {
    uint32_t ref[8], enter[8];
} bvpi_meshlet_lanes;

BVPI_INLINE bvpi_ray_entry bvpi_meshlet_entry(const bvpi_meshlet_lanes *at, unsigned lane)
{
    return (uint64_t)at->enter[lane] << 32 | at->ref[lane];
}

/* Pushes the children in `lanes`, at least two, but for the one to go on with: the first one. The
 * others are taken in their order, at whatever time they are entered. */
BVPI_INLINE uint32_t bvpi_meshlet_heap(const bvpi_rays *rays, const bvpi_meshlet_lanes *at,
                                       unsigned lanes, bvpi_ray_entry **top)
{
    const uint32_t first = at->ref[bvpi_lowest_bit(lanes)];
    lanes &= lanes - 1;
    do {
        const unsigned lane = 31u - (unsigned)__builtin_clz(lanes);
        bvpi_meshlet_fetch(rays, at->ref[lane]);
        *(*top)++ = at->ref[lane];
        lanes ^= 1u << lane;
    } while (lanes != 0);
    return first;
}

/* The same for the first one that is entered, and in the order of entry. */
BVPI_INLINE uint32_t bvpi_meshlet_sort(const bvpi_rays *rays, const bvpi_meshlet_lanes *at,
                                       unsigned lanes, bvpi_ray_entry **top)
{
    bvpi_ray_entry *waiting = *top;
    bvpi_ray_entry first = bvpi_meshlet_entry(at, bvpi_lowest_bit(lanes));
    lanes &= lanes - 1;
    do {
        const bvpi_ray_entry e = bvpi_meshlet_entry(at, bvpi_lowest_bit(lanes));
        bvpi_meshlet_fetch(rays, (uint32_t)e);
        const bvpi_ray_entry later = e > first ? e : first;
        bvpi_ray_entry *to = waiting++;
        first = e > first ? first : e;
        for (; to > *top && to[-1] < later; to--)
            *to = to[-1];
        *to = later;
        lanes &= lanes - 1;
    } while (lanes != 0);
    *top = waiting;
    return (uint32_t)first;
}

/* Opens a node; sorted: the nearest child first, else in stored order. Returns the child to go on
 * with, or BVPI_RAY_NONE. */
BVPI_INLINE uint32_t bvpi_meshlet_node(const bvpi_rays *rays, const bvpi_frame_lanes *ray,
                                       float limit, uint32_t ref, bool sorted, bvpi_ray_entry **top)
{
    bvpi_meshlet_lanes at;
    f32x8 enter;
    const bvpd_ray_node *node = (const bvpd_ray_node *)(rays->nodes + (uint64_t)ref * sizeof *node);
    bvpi_want(node, sizeof *node);
    i32x8_store((int32_t *)at.ref, bvpi_meshlet_refs(node));
    const unsigned lanes = bvpi_frame_boxes(ray, limit, node, &enter);
    if (lanes == 0)
        return BVPI_RAY_NONE;
    if ((lanes & (lanes - 1)) == 0)
        return at.ref[bvpi_lowest_bit(lanes)];
    f32x8_store((float *)at.enter, enter);
    return sorted ? bvpi_meshlet_sort(rays, &at, lanes, top)
                  : bvpi_meshlet_heap(rays, &at, lanes, top);
}

/* The next one that is not too late; BVPI_RAY_NONE: nothing waits. */
BVPI_INLINE uint32_t bvpi_meshlet_pop(const bvpi_ray_entry *waiting, bvpi_ray_entry **top,
                                      float limit)
{
    while (*top != waiting) {
        const bvpi_ray_entry e = *--*top;
        const uint32_t bits = (uint32_t)(e >> 32);
        float key;
        memcpy(&key, &bits, sizeof key);
        if (!(key > limit))
            return (uint32_t)e;
    }
    return BVPI_RAY_NONE;
}

/* One ray from the root to its end. stats: or NULL. */
BVPI_INLINE bvp_status bvpi_meshlet_run(bvpi_meshlet_ray *w, bvpi_meter *meter, bool sorted,
                                        bvp_stats *stats)
{
    const bvpi_rays *rays = &w->part->rays;
    const bvpi_frame_lanes lanes = bvpi_frame_spread(&w->frame);
    bvpi_ray_entry waiting[BVPI_STACK_SIZE], *top = waiting;
    bvpi_loan loan;
    bvpi_steps steps;
    uint32_t ref = 0;
    bvp_status status = BVP_OK;
    w->any = !sorted;
    bvpi_steps_begin(&steps, &loan, meter, rays->node_count);
    do {
        if (ref & BVPI_RAY_IS_LEAF) {
            status = bvpi_meshlet_meet(w, ref);
            if (status != BVP_OK || (!sorted && w->found))
                break;
            ref = BVPI_RAY_NONE;
        } else {
            if (ref >= rays->node_count || top > waiting + BVPI_STACK_SIZE - 8 ||
                !bvpi_steps_take(&steps)) {
                status = bvpi_meter_blame(meter);
                break;
            }
            ref = bvpi_meshlet_node(rays, &lanes, w->limit, ref, sorted, &top);
        }
        if (ref == BVPI_RAY_NONE)
            ref = bvpi_meshlet_pop(waiting, &top, w->limit);
    } while (ref != BVPI_RAY_NONE);
    if (status == BVP_OK)
        status = bvpi_meshlet_settle(w);
    if (stats != NULL) {
        const uint64_t opened = rays->node_count - bvpi_steps_left(&steps);
        stats->nodes += opened;
        stats->boxes += 8 * opened;
        stats->leaves += w->leaves;
        stats->triangles += w->triangles;
    }
    bvpi_steps_pause(&steps);
    return status;
}

#endif
