/* SPDX-License-Identifier: MIT
 * ray_slab.h: one ray against the eight boxes of a node, and the frames of these boxes' own nodes.
 *
 * The frames of all children are computed when a node is opened, if an inner one is hit, not when a
 * child is entered: the chain of computations from one node's hits to the next node's is what takes
 * the time.
 *
 * Spec: exactness.md, chapter 10, "Boxes and rays"
 * Measured: decisions.md, "Rays and closest points"
 * Based on: Wald, Benthin, Boulos, Getting Rid of Packets, 2008 (one ray, many boxes).
 */
#ifndef BVPI_QUERY_RAY_RAY_SLAB_H
#define BVPI_QUERY_RAY_RAY_SLAB_H

#include "prim/box_ray.h"
#include "query/body/ray_walk.h"

/* The slab test's numbers, ready for eight boxes: bvpi_slab_ray, whose bound holds. The time of a
 * plane is q K + B with B = lo inverse + at, at = -edge inverse: u R each for the edge, the
 * inverse, `at`, B and the sum, and without fused operations for lo inverse and q K, too. */
typedef struct bvpi_slab8 {
    f32x8 inverse[3];
    f32x8 near[3], far[3]; /* when the edges are at 0 */
    f32x8 t_min;
    unsigned near_at[3], far_at[3]; /* of the planes, from the node's start */
} bvpi_slab8;

BVPI_INLINE void bvpi_slab8_init(bvpi_slab8 *out, const bvpi_slab_ray *ray, float t_min)
{
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        out->inverse[a] = f32x8_splat(ray->inverse[a]);
        out->near[a] = f32x8_splat(-ray->edge_near[a] * ray->inverse[a]);
        out->far[a] = f32x8_splat(-ray->edge_far[a] * ray->inverse[a]);
        out->near_at[a] = 16 * (unsigned)a + ray->near_at[a];
        out->far_at[a] = 8 ^ out->near_at[a];
    }
    out->t_min = f32x8_splat(t_min);
}

/* The boxes of a node whose frame is given: when they are entered, and the mask of those that the
 * ray may be in before the limit; as bvpi_box_ray. Then the frames of its children, unless no child
 * of `inner` is hit. */
BVPI_INLINE unsigned bvpi_ray_boxes(const bvpi_slab8 *ray, float limit, const float *frame,
                                    const bvpd_node *node, unsigned inner, bvpi_ray_level *out,
                                    f32x8 *enter)
{
    const uint8_t *bounds = node->bounds[0];
    f32x8 lo[3], step[3], near[3], far[3], in[3], leave[3];
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        lo[a] = bvpi_splat_load(frame + 8 * a);
        step[a] = bvpi_splat_load(frame + 24 + 8 * a);
        near[a] = f32x8_from_u8(bounds + ray->near_at[a]);
        far[a] = f32x8_from_u8(bounds + ray->far_at[a]);
        const f32x8 k = step[a] * ray->inverse[a];
        in[a] = bvpi_mul_add(near[a], k, bvpi_mul_add(lo[a], ray->inverse[a], ray->near[a]));
        leave[a] = bvpi_mul_add(far[a], k, bvpi_mul_add(lo[a], ray->inverse[a], ray->far[a]));
    }
    *enter = f32x8_max(f32x8_max(in[0], in[1]), f32x8_max(in[2], ray->t_min));
    leave[0] = f32x8_min(f32x8_min(leave[0], leave[1]), f32x8_min(leave[2], f32x8_splat(limit)));
    const unsigned lanes = ~i32x8_movemask(f32x8_gt(*enter, leave[0]));
    if ((lanes & inner) == 0)
        return lanes;
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const i32x8 extent = (i32x8)((far[a] - near[a]) * step[a]) & 0x7f800000;
        f32x8_store(out->lo[a], bvpi_mul_add(f32x8_min(near[a], far[a]), step[a], lo[a]));
        f32x8_store(out->step[a], f32x8_max((f32x8)(extent - (7 << 23)), f32x8_splat(1)));
    }
    return lanes;
}

/* Opens the inner child at a place; the next place. */
BVPI_INLINE int bvpi_ray_open(bvpi_ray_walk *w, const bvpi_slab8 *ray, int place, bool sorted)
{
    bvpi_ray_level *to = bvpi_ray_level_of(w, place) + 1;
    f32x8 enter;
    unsigned used;
    const bvpd_node *node = bvpi_ray_descend(w, place, &used);
    if (!node)
        return BVPI_RAY_CORRUPT;
    const unsigned lanes = used & bvpi_ray_boxes(ray, w->limit, bvpi_ray_frame(w, place), node,
                                                 used & to->inner, to, &enter);
    if (lanes == 0)
        return bvpi_ray_pop(w);
    return sorted ? bvpi_ray_sort(w, bvpi_ray_below(place), lanes, enter)
                  : bvpi_ray_heap(w, bvpi_ray_below(place), lanes);
}

#endif
