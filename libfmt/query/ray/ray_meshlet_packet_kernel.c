/* SPDX-License-Identifier: MIT
 * ray_meshlet_packet_kernel.c: eight coherent rays go through a hierarchy for rays together;
 * compiled once per instruction set.
 *
 * A node is opened once for all rays that may be in it, and each child's box is tested for the
 * eight rays side by side, by the same operations as for one ray and eight boxes (ray_frame.h).
 * Once a single ray is left, it goes on by itself: its eight boxes are tested side by side. A
 * leaf's triangles are spread once, then each ray looks at them as it does alone.
 *
 * A packet is declined, with nothing answered or counted, if two rays differ too much (a question
 * of cost only), if floats in frames do not serve one of them, or if the file is damaged.
 *
 * Invariants: a ray is in the mask of a child only if it is in its parent's; a ray's limit only
 * shrinks; a child is dropped only when all its rays have nearer hits. Nodes are bounded by their
 * count, levels by BVPD_DEPTH_MAX, children that wait by BVPI_STACK_SIZE.
 *
 * Slow twin: single rays, bit for bit, tests/property/test_ray_tree.c.
 * Spec: exactness.md, chapter 10, "Ray trees"
 * Based on: Wald, Slusallek, Benthin, Wagner, Interactive Rendering with Coherent Ray Tracing,
 * 2001.
 * Measured: decisions.md, "Ray trees"
 */
#include "query/ray/ray_meshlet_batch.h"

/* The children of an open node. */
typedef struct level {
    float enter[BVPD_WIDTH][BVPI_PACKET]; /* of each child: when each ray enters it */
    uint32_t ref[BVPD_WIDTH];
    uint8_t active[BVPD_WIDTH]; /* of each child: mask of the rays that matter there */
} level;

/* Eight rays under way. A place is level << 3 | child. */
typedef struct packet {
    f32x8 origin[3], inverse[3], t_min; /* of the rays, side by side */
    float limit[BVPI_PACKET];
    const bvpi_rays *rays;
    bool sorted;
    unsigned height;
    uint64_t opened, boxes;
    bvpi_meshlet_judge judge;
    bvpi_meshlet_ray ray[BVPI_PACKET];
    uint64_t waiting[BVPI_STACK_SIZE]; /* an order << 32 | place */
    level levels[BVPD_DEPTH_MAX + 1];
} packet;

/* ---- rays ------------------------------------------------------------------------------------ */

/* False: one of them is not served, or they do not pass a box's planes in the same order. */
BVPI_INLINE bool gather(packet *p, const bvpi_ray_batch *batch, const bvpi_packet_place *place)
{
    float side[7][BVPI_PACKET];
    bool alike = true;
    p->judge.whose = NULL;
    for (unsigned i = 0; i < BVPI_PACKET; i++) {
        bvpi_meshlet_ray *w = &p->ray[i];
        if (!bvpi_meshlet_ray_of(w, batch, bvpi_packet_ray(place, i), &p->judge))
            return false;
        BVPI_UNROLL
        for (unsigned a = 0; a < 3; a++) {
            side[a][i] = w->frame.origin[a];
            side[3 + a][i] = w->frame.inverse[a];
            alike = alike && w->frame.near_at[a] == p->ray[0].frame.near_at[a];
        }
        side[6][i] = w->frame.t_min;
        p->limit[i] = w->limit;
    }
    BVPI_UNROLL
    for (unsigned a = 0; a < 3; a++) {
        p->origin[a] = f32x8_load(side[a]);
        p->inverse[a] = f32x8_load(side[3 + a]);
    }
    p->t_min = f32x8_load(side[6]);
    return alike;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Puts a child that matters in its place among those of its node: the nearest one is on top, or the
 * first one as they are stored. */
BVPI_INLINE void put(packet *p, uint64_t *base, uint32_t order, unsigned place)
{
    const uint64_t e = (uint64_t)order << 32 | place;
    uint64_t *at = p->waiting + p->height++;
    for (; at > base && (int64_t)at[-1] < (int64_t)e; at--)
        at[0] = at[-1];
    *at = e;
}

BVPI_INLINE uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* One ray, all children. */
BVPI_INLINE void open_for_one(packet *p, const bvpd_ray_node *node, unsigned active, unsigned depth)
{
    const unsigned i = bvpi_lowest_bit(active);
    const bvpi_frame_lanes lanes = bvpi_frame_spread(&p->ray[i].frame);
    uint64_t *const base = p->waiting + p->height;
    level *to = &p->levels[depth];
    f32x8 enter;
    float when[BVPD_WIDTH];
    unsigned left = bvpi_frame_boxes(&lanes, p->limit[i], node, &enter);
    f32x8_store(when, enter);
    p->boxes += BVPD_WIDTH;
    for (; left != 0; left &= left - 1) {
        const unsigned child = bvpi_lowest_bit(left);
        f32x8_store(to->enter[child], f32x8_splat(when[child]));
        to->active[child] = (uint8_t)active;
        put(p, base, p->sorted ? bits_of(when[child]) : child, depth << 3 | child);
    }
}

/* One child after the other, all rays. Empty lanes come last. */
BVPI_INLINE void open_for_all(packet *p, const bvpd_ray_node *node, unsigned active, unsigned depth)
{
    const uint32_t *near_at = p->ray[0].frame.near_at;
    const uint8_t *bounds = node->bounds[0];
    const f32x8 limit = f32x8_load(p->limit);
    uint64_t *const base = p->waiting + p->height;
    level *to = &p->levels[depth];
    float near[3][BVPD_WIDTH], far[3][BVPD_WIDTH];
    f32x8 k[3], b[3];
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        k[a] = bvpi_splat_load(&node->step[a]) * p->inverse[a];
        b[a] = (bvpi_splat_load(&node->lo[a]) - p->origin[a]) * p->inverse[a];
        f32x8_store(near[a], f32x8_from_u8(bounds + near_at[a]));
        f32x8_store(far[a], f32x8_from_u8(bounds + (8 ^ near_at[a])));
    }
    for (unsigned child = 0; child < BVPD_WIDTH && node->lane[child] != BVPD_RAY_EMPTY; child++) {
        f32x8 in[3], out[3];
        BVPI_UNROLL
        for (int a = 0; a < 3; a++) {
            in[a] = bvpi_mul_add(bvpi_splat_load(&near[a][child]), k[a], b[a]);
            out[a] = bvpi_mul_add(bvpi_splat_load(&far[a][child]), k[a], b[a]);
        }
        const f32x8 enter = f32x8_max(f32x8_max(in[0], in[1]), f32x8_max(in[2], p->t_min));
        const f32x8 leave = f32x8_min(f32x8_min(out[0], out[1]), f32x8_min(out[2], limit));
        const unsigned rays =
            i32x8_movemask(f32x8_le(enter, leave * f32x8_splat(1 + 0x1p-20f))) & active;
        p->boxes += BVPI_PACKET;
        if (rays == 0)
            continue;
        f32x8_store(to->enter[child], enter);
        to->active[child] = (uint8_t)rays;
        put(p, base, p->sorted ? bits_of(to->enter[child][bvpi_lowest_bit(rays)]) : child,
            depth << 3 | child);
    }
}

/* Opens a node at a level. False: the file does not keep its rules. */
BVPI_INLINE bool open_node(packet *p, uint32_t ref, unsigned active, unsigned depth)
{
    if (ref >= p->rays->node_count || p->opened == p->rays->node_count || depth > BVPD_DEPTH_MAX ||
        p->height > BVPI_STACK_SIZE - BVPD_WIDTH)
        return false;
    const bvpd_ray_node *node =
        (const bvpd_ray_node *)(p->rays->nodes + (uint64_t)ref * sizeof *node);
    bvpi_want(node, sizeof *node);
    p->opened++;
    i32x8_store((int32_t *)p->levels[depth].ref, bvpi_meshlet_refs(node));
    if ((active & (active - 1)) == 0)
        open_for_one(p, node, active, depth);
    else
        open_for_all(p, node, active, depth);
    return true;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* All rays that may be in the leaf `ref`. */
BVPI_INLINE bool meet_leaf(packet *p, uint32_t ref, unsigned active)
{
    const bvpi_meshlet_shear *spread = NULL; /* the ray on whose axes `c` is */
    bvpi_meshlet m;
    f32x8 c[9];
    if (!bvpi_meshlet_open(p->rays, (uint64_t)(ref & (INT32_MAX ^ 7)), (ref & 7) + 1, &m))
        return false;
    for (; active != 0; active &= active - 1) {
        const unsigned i = bvpi_lowest_bit(active);
        bvpi_meshlet_ray *w = &p->ray[i];
        bvpi_meshlet_ready(w);
        if (spread == NULL || spread->axis[2] != w->shear.axis[2]) {
            bvpi_meshlet_spread_any(&m, w->shear.axis, c);
            spread = &w->shear;
        }
        if (bvpi_meshlet_meet_spread(w, ref, &m, c) != BVP_OK)
            return false;
        p->limit[i] = w->any && w->found ? -__builtin_inff() : w->limit;
    }
    return true;
}

/* ---- all together ---------------------------------------------------------------------------- */

/* The place of the next child that still matters to some ray, and to which; -1: there is none. */
BVPI_INLINE int pop(packet *p, unsigned *active)
{
    const f32x8 limit = f32x8_load(p->limit);
    while (p->height > 0) {
        const unsigned place = (uint32_t)p->waiting[--p->height];
        const level *from = &p->levels[place >> 3];
        *active = from->active[place & 7] &
                  i32x8_movemask(f32x8_le(f32x8_load(from->enter[place & 7]), limit));
        if (*active != 0)
            return (int)place;
    }
    return -1;
}

/* From the root to the end. */
BVPI_INLINE bool walk(packet *p)
{
    unsigned active = 0xff;
    p->height = 0;
    p->opened = p->boxes = 0;
    bool good = open_node(p, 0, active, 0);
    for (int place; good && (place = pop(p, &active)) >= 0;) {
        const unsigned depth = (unsigned)place >> 3;
        const uint32_t ref = p->levels[depth].ref[place & 7];
        good = ref & BVPI_RAY_IS_LEAF ? meet_leaf(p, ref, active)
                                      : open_node(p, ref, active, depth + 1);
    }
    for (unsigned i = 0; i < BVPI_PACKET && good; i++)
        good = bvpi_meshlet_settle(&p->ray[i]) == BVP_OK;
    return good;
}

static bool run(const bvpi_ray_batch *batch, const bvpi_packet_place *place)
{
    packet p;
    if (bvpi_packet_is_apart(batch, place) || !gather(&p, batch, place))
        return false;
    p.rays = &batch->placed->one.rays;
    p.sorted = batch->mode == BVPI_RAY_FIRST;
    if (!walk(&p))
        return false;
    for (unsigned i = 0; i < BVPI_PACKET; i++)
        bvpi_meshlet_reply(batch, bvpi_packet_ray(place, i), &p.ray[i]);
    batch->stats->nodes += p.opened;
    batch->stats->boxes += p.boxes;
    return true;
}

const bvpi_ray_packet_kernel BVPI_ISA_NAME(bvpi_meshlet_packet_kernel) = {run};
