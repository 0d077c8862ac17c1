/* SPDX-License-Identifier: MIT
 * ray_packet.h: eight coherent rays in the coordinates of one hierarchy's grid, side by side.
 *
 * All rays of a packet have the same signs of direction, so "near plane" and "far plane" of a box
 * mean the same for all of them. A plane's time is then one multiplication and addition a ray.
 *
 * A ninth, virtual ray (lane BVPI_PACKET) bounds the packet: it passes no near plane later and no
 * far plane earlier than any of the eight, and so misses a box only if they all do. The least of
 * eight lines is concave in the plane's position, so its chord over the root box is a lower bound;
 * likewise for the largest. Outside the root box no plane is ever asked for.
 *
 * Invariant: near times are never too late, far times never too early. Rounding of
 * planes is covered by moving them outward, rounding of times by t_slack.
 *
 * Slow twin: single rays, bit for bit, tests/property/test_ray_packet.c.
 * Spec: exactness.md, chapter 10, "Boxes and rays"
 * Measured: decisions.md, "Rays and closest points"
 */
#ifndef BVPI_QUERY_RAY_RAY_PACKET_H
#define BVPI_QUERY_RAY_RAY_PACKET_H

#include "query/ray/ray_batch.h"
#include "query/ray/ray_grid.h"
#include "query/body/ray_walk.h"

enum { BVPI_PACKET_ROW = 16 }; /* numbers, a multiple of a vector's, and more than the lanes */

/* The slab test of bvpi_slab_ray for one box and eight rays: the time of a plane is
 * plane * inverse + near, never too late, or + far, never too early. The roundings are fewer than
 * those counted in box_ray.h: of the edge, the inverse, their product, and one or two more. */
typedef struct bvpi_ray_packet {
    /* Lane BVPI_PACKET bounds all rays: none passes a near plane before plane * near_slope + near
     * or a far one after plane * far_slope + far, and none matters outside its times. Of a single
     * ray both slopes are the inverse direction. */
    _Alignas(32) float near_slope[3][BVPI_PACKET_ROW], near[3][BVPI_PACKET_ROW];
    _Alignas(32) float far_slope[3][BVPI_PACKET_ROW], far[3][BVPI_PACKET_ROW];
    _Alignas(32) float t_min[BVPI_PACKET_ROW];
    _Alignas(32) float limit[BVPI_PACKET_ROW]; /* boxes entered later do not matter */
    float t_max[BVPI_PACKET]; /* grid time; of what can meet the root box, rounded outward */
    unsigned near_at[3]; /* byte offset of the near planes in bounds[axis]: 0, or 8 when d < 0 */
    unsigned lanes;      /* rays that may meet the root box */
    double t_shift[8], t_scale[8], t_slack[8]; /* as bvpi_grid_ray */
} bvpi_ray_packet;

/* The latest grid time at which ray `lane` may enter a box that holds a hit at a time <= t. */
BVPI_INLINE float bvpi_ray_packet_limit(const bvpi_ray_packet *p, unsigned lane, double t)
{
    const double limit = (t - p->t_shift[lane]) * p->t_scale[lane] + p->t_slack[lane] +
                         __builtin_fabs(t) * p->t_scale[lane] * 0x1p-48;
    return limit < (double)p->t_max[lane] ? (float)limit : p->t_max[lane];
}

/* ---- four rays at a time --------------------------------------------------------------------- */

/* Rays in part coordinates, off by less than the errors: the largest of the three axes. */
typedef struct bvpi_rays4 {
    f64x4 origin[3], direction[3], origin_err, direction_err, t_min, t_max;
} bvpi_rays4;

/* The same in grid steps, the largest |direction| in [1, 2), clipped to the root box. */
typedef struct bvpi_grid_rays4 {
    f64x4 o[3], d[3], inverse[3]; /* |inverse| <= 2^30 */
    f64x4 scale, pad;             /* of t; error of o + t d at the times of interest */
    f64x4 enter, leave;
    unsigned sound, miss; /* masks: rays with moderate numbers; rays that miss the root box */
} bvpi_grid_rays4;

BVPI_INLINE f64x4 bvpi_largest_of3(const f64x4 v[3])
{
    return f64x4_max(f64x4_abs(v[0]), f64x4_max(f64x4_abs(v[1]), f64x4_abs(v[2])));
}

/* bvpi_power_below, four times. */
BVPI_INLINE f64x4 bvpi_powers_below(f64x4 x)
{
    const int64_t exponent = INT64_C(0x7ff) << 52, both = INT64_C(2046) << 52;
    const i64x4 bits = {both, both, both, both};
    return (f64x4)(bits - ((i64x4)x & exponent));
}

BVPI_INLINE f64x4 bvpi_with_sign(f64x4 size, f64x4 sign)
{
    return (f64x4)((i64x4)size | ((i64x4)sign & INT64_MIN));
}

/* Into grid steps, as bvpi_step_ray_init. A direction below 2^-30 becomes 2^-30, of its sign; at
 * the times of interest this moves the ray by less than is added to pad. */
BVPI_INLINE void bvpi_grid_rays4_scale(bvpi_grid_rays4 *g, const bvpi_rays4 *r,
                                       const bvpi_placed_tree *at)
{
    const bvpi_tree *tree = &at->tree;
    const f64x4 by_unit = f64x4_splat(bvpi_power_below(tree->grid_unit));
    const f64x4 speed = bvpi_largest_of3(r->direction), by_speed = bvpi_powers_below(speed);
    f64x4 farthest = {0};
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        g->o[a] = (r->origin[a] - f64x4_splat(tree->grid_origin[a])) * by_unit;
        g->d[a] = r->direction[a] * by_speed;
        const f64x4 inverse = f64x4_splat(1) / f64x4_max(f64x4_abs(g->d[a]), f64x4_splat(0x1p-30));
        g->inverse[a] = bvpi_with_sign(inverse, g->d[a]);
        farthest = f64x4_max(f64x4_abs(g->o[a]) + (double)tree->grid_extent[a], farthest);
    }
    g->scale = by_unit * bvpi_powers_below(by_speed);
    g->pad = (r->origin_err + at->slack) * by_unit +
             farthest * (r->direction_err * by_speed + 0x1p-28) + 1;
    /* false for what is not a number */
    const i64x4 sound = f64x4_gt(speed, f64x4_splat(0x1p-600)) &
                        f64x4_lt(speed, f64x4_splat(0x1p600)) &
                        f64x4_lt(farthest, f64x4_splat(0x1p36)) &
                        (f64x4_le(r->t_min, r->t_max) | f64x4_gt(r->t_min, r->t_max));
    g->sound = i64x4_movemask(sound);
}

/* Clips to the padded root box. */
BVPI_INLINE void bvpi_grid_rays4_clip(bvpi_grid_rays4 *g, const bvpi_rays4 *r,
                                      const bvpi_tree *tree)
{
    g->enter = r->t_min * g->scale;
    g->leave = r->t_max * g->scale;
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const f64x4 t0 = (-g->pad - g->o[a]) * g->inverse[a];
        const f64x4 t1 = (g->pad + (double)tree->grid_extent[a] - g->o[a]) * g->inverse[a];
        g->enter = f64x4_max(f64x4_min(t0, t1), g->enter);
        g->leave = f64x4_min(f64x4_max(t0, t1), g->leave);
    }
    g->miss = i64x4_movemask(f64x4_gt(g->enter, g->leave));
}

/* Rays from far away start where they enter the root box, since floats would lose their origin.
 * *shift: how much later they start. Returns how far planes have to be moved outward. */
BVPI_INLINE f64x4 bvpi_grid_rays4_slack(bvpi_grid_rays4 *g, const bvpi_tree *tree, f64x4 *shift)
{
    const i64x4 far = f64x4_gt(bvpi_largest_of3(g->o), f64x4_splat(0x1p24));
    f64x4 radius = {0};
    *shift = f64x4_select(far, g->enter, (f64x4){0});
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        g->o[a] += *shift * g->d[a];
        radius = f64x4_max(f64x4_abs(g->o[a]) + (double)tree->grid_extent[a], radius);
    }
    return radius * 0x1p-20 + g->pad;
}

/* ---- all of them at once --------------------------------------------------------------------- */

BVPI_INLINE float bvpi_least8(f32x8 v)
{
    v = f32x8_min(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
    v = f32x8_min(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
    return v[0] < v[1] ? v[0] : v[1];
}

/* The least of some lines, plane * slope + from, is concave in the plane: it lies above its chord
 * from plane 0 to plane `extent`. That is five roundings more than a ray's own line, which the
 * slack has room for. lanes: those that count; sign: -1 for the largest. Into lane BVPI_PACKET. */
BVPI_INLINE void bvpi_ray_packet_chord(float slope[BVPI_PACKET_ROW], float from[BVPI_PACKET_ROW],
                                       i32x8 lanes, float extent, float sign)
{
    const f32x8 infinite = f32x8_splat(__builtin_inff()), by = f32x8_splat(sign);
    const f32x8 begin = f32x8_load(from) * by;
    const f32x8 end = bvpi_mul_add(f32x8_load(slope) * by, f32x8_splat(extent), begin);
    const float least = bvpi_least8(f32x8_select(lanes, begin, infinite));
    const float rise = bvpi_least8(f32x8_select(lanes, end, infinite)) - least;
    from[BVPI_PACKET] = least * sign;
    slope[BVPI_PACKET] = rise / extent * sign;
}

/* Fills in lane BVPI_PACKET. */
BVPI_INLINE void bvpi_ray_packet_bound(bvpi_ray_packet *p, const bvpi_tree *tree)
{
    const f32x8 infinite = f32x8_splat(__builtin_inff());
    const i32x8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
    const i32x8 lanes = i32x8_eq(i32x8_splat((int32_t)p->lanes) & bit, bit);
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const float extent = tree->grid_extent[a] ? (float)tree->grid_extent[a] : 1;
        bvpi_ray_packet_chord(p->near_slope[a], p->near[a], lanes, extent, 1);
        bvpi_ray_packet_chord(p->far_slope[a], p->far[a], lanes, extent, -1);
    }
    p->t_min[BVPI_PACKET] = bvpi_least8(f32x8_select(lanes, f32x8_load(p->t_min), infinite));
    p->limit[BVPI_PACKET] = -bvpi_least8(f32x8_select(lanes, -f32x8_load(p->limit), infinite));
}

/* ---- eight rays ------------------------------------------------------------------------------ */

/* Lanes 4 h .. 4 h + 3: what translates times. */
BVPI_INLINE f64x4 bvpi_ray_packet_times(bvpi_ray_packet *p, unsigned h, const bvpi_grid_rays4 *g,
                                        f64x4 slack, f64x4 shift)
{
    const f64x4 t_slack = slack + f64x4_abs(shift) * 0x1p-48;
    f64x4_store(p->t_shift + 4 * h, shift / g->scale);
    f64x4_store(p->t_scale + 4 * h, g->scale);
    f64x4_store(p->t_slack + 4 * h, t_slack);
    return t_slack;
}

/* Fills in the packet from g; at least one ray meets the root box. False: the signs of the
 * directions differ. */
BVPI_INLINE bool bvpi_ray_packet_set(bvpi_ray_packet *p, const bvpi_tree *tree,
                                     bvpi_grid_rays4 g[2])
{
    f64x4 slack[2], shift[2], begin[2], end[2];
    BVPI_UNROLL
    for (unsigned h = 0; h < 2; h++) {
        slack[h] = bvpi_grid_rays4_slack(&g[h], tree, &shift[h]);
        const f64x4 t_slack = bvpi_ray_packet_times(p, h, &g[h], slack[h], shift[h]);
        begin[h] = g[h].enter - shift[h] - t_slack;
        end[h] = g[h].leave - shift[h] + t_slack;
    }
    BVPI_UNROLL
    for (int a = 0; a < 3; a++) {
        const f32x8 inverse = f32x8_from_f64(g[0].inverse[a], g[1].inverse[a]);
        const f64x4 away[2] = {bvpi_with_sign(slack[0], g[0].inverse[a]),
                               bvpi_with_sign(slack[1], g[1].inverse[a])};
        const unsigned backward = i32x8_movemask((i32x8)inverse);
        if (backward != 0 && backward != 0xff)
            return false;
        p->near_at[a] = backward & 8;
        f32x8_store(p->near_slope[a], inverse);
        f32x8_store(p->far_slope[a], inverse);
        f32x8_store(p->near[a],
                    f32x8_from_f64(-(g[0].o[a] + away[0]), -(g[1].o[a] + away[1])) * inverse);
        f32x8_store(p->far[a], f32x8_from_f64(away[0] - g[0].o[a], away[1] - g[1].o[a]) * inverse);
    }
    f32x8_store(p->t_min, f32x8_from_f64(begin[0], begin[1]));
    const f32x8 t_max = f32x8_from_f64(end[0], end[1]);
    f32x8_store(p->t_max, t_max);
    f32x8_store(p->limit, t_max);
    bvpi_ray_packet_bound(p, tree);
    return true;
}

/* False: some ray is not sound, or signs of directions differ; the caller then asks the rays one by
 * one. If all rays miss the root box, p->lanes is 0 and nothing else is set. */
BVPI_INLINE bool bvpi_ray_packet_init(bvpi_ray_packet *p, const bvpi_placed_tree *at,
                                      const bvpi_rays4 rays[2])
{
    bvpi_grid_rays4 g[2];
    BVPI_UNROLL
    for (int h = 0; h < 2; h++) {
        bvpi_grid_rays4_scale(&g[h], &rays[h], at);
        bvpi_grid_rays4_clip(&g[h], &rays[h], &at->tree);
    }
    p->lanes = ~(g[0].miss | g[1].miss << 4) & 0xff;
    if ((g[0].sound & g[1].sound) != 15)
        return false;
    return p->lanes == 0 || bvpi_ray_packet_set(p, &at->tree, g);
}

#endif
