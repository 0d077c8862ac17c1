/* SPDX-License-Identifier: MIT
 * ray_packet_walk.h: a packet of rays through a part's wide hierarchy: a node is opened once for
 * all rays, and a child's box is tested for all rays side by side.
 *
 * Opening a node takes two steps. First the eight children against the packet's bound, or against
 * the one ray that is left; most children end here. Then each remaining child against all rays: the
 * mask of rays that may hit it is kept with the time at which each enters.
 *
 * Invariants: a ray is in the mask of a child only if it is in its parent's; a ray's limit only
 * shrinks; a child is dropped only when all its rays have nearer hits. Places that wait are bounded
 * by BVPI_STACK_SIZE, nodes by the hierarchy's own count.
 *
 * Slow twin: single rays, bit for bit, tests/property/test_ray_packet.c.
 * Spec: exactness.md, chapter 10, "Boxes and rays"
 * Based on: Wald, Slusallek, Benthin, Wagner, Interactive Rendering with Coherent Ray Tracing,
 * 2001 (packets); Reshetov, Soupikov, Hurley, Multi-Level Ray Tracing, 2005 (all rays at once).
 * Measured: decisions.md, "Rays and closest points".
 */
#ifndef BVPI_QUERY_RAY_RAY_PACKET_WALK_H
#define BVPI_QUERY_RAY_RAY_PACKET_WALK_H

#include "query/ray/ray_packet.h"
#include "query/ray/ray_packet_leaf.h"

/* An open node: the planes of its children in grid steps, and what it refers to, read once. */
typedef struct bvpi_packet_level {
    float near[3][8], far[3][8];
    float enter[8][BVPI_PACKET]; /* of each child: when each ray enters it */
    uint8_t active[8];           /* of each child: mask of the rays that matter there */
    uint64_t meta;
    uint32_t child, geom; /* unit of the first inner child, first item of the first leaf */
    unsigned used, inner; /* bit j: child j exists, is a node */
} bvpi_packet_level;

/* Eight rays under way. A place is level << 3 | lane. */
typedef struct bvpi_packet_walk {
    const bvpi_tree *tree;
    bvpi_ray_packet packet;
    bvpi_packet_rays rays;
    unsigned height;
    bvpi_steps steps; /* nodes that may still be opened */
    bvpi_loan loan;
    uint64_t boxes, leaves;
    uint64_t waiting[BVPI_STACK_SIZE]; /* children: the bits of a float, when << 32 | place */
    bvpi_packet_level levels[BVPD_DEPTH_MAX + 1];
} bvpi_packet_walk;

/* The root is the only child of a level of its own, at place 0. */
BVPI_INLINE void bvpi_packet_start(bvpi_packet_walk *w)
{
    bvpi_packet_level *top = &w->levels[0];
    for (int a = 0; a < 3; a++) {
        const float extent = (float)w->tree->grid_extent[a];
        top->near[a][0] = w->packet.near_at[a] ? extent : 0;
        top->far[a][0] = w->packet.near_at[a] ? 0 : extent;
    }
    top->inner = 1;
    top->child = w->tree->root;
    top->active[0] = (uint8_t)w->packet.lanes;
}

/* The next place where a ray may still find something, or -1. */
BVPI_INLINE int bvpi_packet_pop(bvpi_packet_walk *w)
{
    const f32x8 limit = f32x8_load(w->packet.limit);
    while (w->height > 0) {
        const unsigned place = (uint32_t)w->waiting[--w->height];
        bvpi_packet_level *level = &w->levels[place >> 3];
        const f32x8 enter = f32x8_load(level->enter[place & 7]);
        const unsigned late = i32x8_movemask(f32x8_gt(enter, limit));
        level->active[place & 7] &= (uint8_t)~late;
        if (level->active[place & 7] != 0)
            return (int)place;
    }
    return -1;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* The planes of a node's children, and the mask of those that ray `who` may hit; BVPI_PACKET:
 * any ray of the packet. from, lane: the node's place in its parent. */
BVPI_INLINE unsigned bvpi_packet_planes(const bvpi_ray_packet *p, unsigned who,
                                        const bvpi_packet_level *from, unsigned lane,
                                        const uint8_t (*bounds)[16], bvpi_packet_level *out)
{
    f32x8 enter = bvpi_splat_load(&p->t_min[who]), leave = bvpi_splat_load(&p->limit[who]);
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const f32x8 begin = bvpi_splat_load(&from->near[a][lane]);
        const f32x8 end = bvpi_splat_load(&from->far[a][lane]), base = f32x8_min(begin, end);
        const i32x8 extent = (i32x8)(end - begin) & 0x7f800000;
        const f32x8 step = f32x8_max((f32x8)(extent - (7 << 23)), f32x8_splat(1));
        const uint8_t *near_at = bounds[a] + p->near_at[a];
        const uint8_t *far_at = bounds[a] + (8 ^ p->near_at[a]);
        const f32x8 near = bvpi_mul_add(f32x8_from_u8(near_at), step, base);
        const f32x8 far = bvpi_mul_add(f32x8_from_u8(far_at), step, base);
        f32x8_store(out->near[a], near);
        f32x8_store(out->far[a], far);
        enter = f32x8_max(bvpi_mul_add(near, bvpi_splat_load(&p->near_slope[a][who]),
                                       bvpi_splat_load(&p->near[a][who])),
                          enter);
        leave = f32x8_min(bvpi_mul_add(far, bvpi_splat_load(&p->far_slope[a][who]),
                                       bvpi_splat_load(&p->far[a][who])),
                          leave);
    }
    return ~i32x8_movemask(f32x8_gt(enter, leave));
}

/* Which rays may be in child `lane` before their limits; *enter: from when on. */
BVPI_INLINE unsigned bvpi_packet_box(const bvpi_ray_packet *p, const bvpi_packet_level *level,
                                     unsigned lane, f32x8 *enter)
{
    f32x8 in = f32x8_load(p->t_min), out = f32x8_load(p->limit);
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const f32x8 near = bvpi_splat_load(&level->near[a][lane]);
        const f32x8 far = bvpi_splat_load(&level->far[a][lane]);
        const f32x8 inverse = f32x8_load(p->near_slope[a]);
        in = f32x8_max(bvpi_mul_add(near, inverse, f32x8_load(p->near[a])), in);
        out = f32x8_min(bvpi_mul_add(far, inverse, f32x8_load(p->far[a])), out);
    }
    *enter = in;
    return ~i32x8_movemask(f32x8_gt(in, out));
}

/* Goes to the inner child at a place: reads its node's references. NULL: the file does not keep its
 * rules. */
BVPI_INLINE const bvpd_node *bvpi_packet_descend(bvpi_packet_walk *w, unsigned place)
{
    const bvpi_tree *tree = w->tree;
    const bvpi_packet_level *from = &w->levels[place >> 3];
    bvpi_packet_level *to = &w->levels[(place >> 3) + 1];
    const uint32_t unit = from->child + bvpi_popcount(from->inner & ((1u << (place & 7)) - 1));
    if (unit >= tree->unit_count || (place >> 3) >= BVPD_DEPTH_MAX || !bvpi_steps_take(&w->steps))
        return NULL;
    const bvpd_node *node = (const bvpd_node *)(tree->units + (uint64_t)unit * BVPD_UNIT);
    to->meta = bvpi_load_u64(node->meta);
    to->child = bvpi_load_u32(&node->child);
    to->geom = bvpi_load_u32(&node->geom);
    bvpi_ray_masks(to->meta, &to->used, &to->inner);
    to->used &= 0xff;
    w->boxes += bvpi_popcount(to->used);
    bvpi_ray_fetch_record(tree, to->geom);
    __builtin_prefetch(tree->units + (uint64_t)to->child * BVPD_UNIT);
    return node;
}

/* A child's key is the entry time of its first ray: an order, not a bound. Keys are compared as
 * integers; only the order of negative ones suffers, and any order gives the same answers. */
BVPI_INLINE uint64_t bvpi_packet_entry(const float enter[BVPI_PACKET], unsigned active,
                                       unsigned depth, unsigned lane)
{
    uint32_t bits;
    memcpy(&bits, &enter[bvpi_lowest_bit(active)], sizeof bits);
    return (uint64_t)bits << 32 | depth << 3 | lane;
}

/* Opens the inner child at a place and pushes its children that matter, the nearest one on top.
 * False: the file does not keep its rules. */
BVPI_INLINE bool bvpi_packet_open(bvpi_packet_walk *w, unsigned place)
{
    const unsigned depth = (place >> 3) + 1, lane = place & 7;
    const bvpi_packet_level *from = &w->levels[depth - 1];
    bvpi_packet_level *to = &w->levels[depth];
    uint64_t *const base = w->waiting + w->height, *top = base;
    const bvpd_node *node = bvpi_packet_descend(w, place);
    if (!node)
        return false;
    const unsigned active = from->active[lane], others = active & (active - 1);
    const unsigned who = others ? BVPI_PACKET : bvpi_lowest_bit(active);
    unsigned left = to->used & bvpi_packet_planes(&w->packet, who, from, lane, node->bounds, to);
    for (; left != 0; left &= left - 1) {
        const unsigned child = bvpi_lowest_bit(left);
        f32x8 enter;
        const unsigned in = bvpi_packet_box(&w->packet, to, child, &enter) & active;
        if (in == 0)
            continue;
        to->active[child] = (uint8_t)in;
        f32x8_store(to->enter[child], enter);
        const uint64_t e = bvpi_packet_entry(to->enter[child], in, depth, child);
        uint64_t *at = top++;
        for (; at > base && (int64_t)at[-1] < (int64_t)e; at--)
            at[0] = at[-1];
        *at = e;
    }
    w->height = (unsigned)(top - w->waiting);
    return true;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* The leaf at a place, for all rays that may be in it. */
BVPI_INLINE bool bvpi_packet_leaf(bvpi_packet_walk *w, unsigned place)
{
    const bvpi_packet_level *level = &w->levels[place >> 3];
    const unsigned lane = place & 7, count = (unsigned)(level->meta >> (8 * lane)) & 0xff;
    const uint64_t before = bvpi_sum_before(level->meta & BVPI_BYTES(0x7f));
    const uint32_t item = level->geom + ((uint32_t)(before >> (8 * lane)) & 0xff);
    const bvpi_leaf *leaf = bvpi_packet_leaf_of(&w->rays, item);
    if (!leaf || count - 1 >= BVPD_LEAF_MAX || (item & 0xff) + count > leaf->triangle_count)
        return false;
    w->leaves++;
    for (unsigned left = level->active[lane]; left != 0; left &= left - 1) {
        const unsigned i = bvpi_lowest_bit(left);
        if (!bvpi_packet_meet(&w->rays, i, leaf, item & 0xff, count))
            return false;
        if (w->rays.found >> i & 1)
            w->packet.limit[i] = w->rays.batch->mode == BVPI_RAY_ANY
                                     ? -__builtin_inff()
                                     : bvpi_ray_packet_limit(&w->packet, i, w->rays.t_max[i]);
    }
    return true;
}

/* w->packet and w->rays are ready. False: the file does not keep its rules, or the call is over. */
BVPI_INLINE bool bvpi_packet_walk_run(bvpi_packet_walk *w)
{
    w->height = 0;
    bvpi_steps_begin(&w->steps, &w->loan, w->rays.batch->meter, w->tree->node_count);
    w->boxes = w->leaves = 0;
    bvpi_packet_start(w);
    bool good = true;
    for (int place = 0; place >= 0 && good; place = bvpi_packet_pop(w)) {
        const unsigned at = (unsigned)place;
        const bool inner = w->levels[at >> 3].inner >> (at & 7) & 1;
        good = inner ? bvpi_packet_open(w, at) : bvpi_packet_leaf(w, at);
    }
    bvpi_steps_pause(&w->steps);
    return good;
}

#endif
