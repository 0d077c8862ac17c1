/* SPDX-License-Identifier: MIT
 * box_box.h: eight pairs of boxes related by an affine map: can they meet, how far apart are they?
 * Errors only ever answer "they may meet" or "not so far": the slacks below are bounds.
 * Spec: exactness.md, chapter 10
 * Based on: S. Gottschalk, M. Lin, D. Manocha, OBBTree, 1996 (the 15 axes).
 */
#ifndef BVPI_PRIM_BOX_BOX_H
#define BVPI_PRIM_BOX_BOX_H

#include <stdbool.h>

#include "base/simd.h"

/* All boxes of one pair of hierarchies share one set-up. Lengths are in work units, a power of two
 * chosen so that every coordinate is below 2^23. Nothing can overflow, and what underflows is far
 * below the slack.
 *
 * Why errors never separate boxes that meet: a pair is called separate only if some axis L, exactly
 * the float vector used, has |L . d| > radius of a + radius of b by more than the error. With u =
 * 2^-24 and M the largest coordinate that can occur (of a, plus of the mapped b, plus the offset),
 * the error of d is at most 7 u M for each coordinate (one rounding of each matrix entry, one
 * product, four sums, the offset), that of L . d then 10 u M |L|_1, that of the radii, which are at
 * most M |L|_1 / 2, 4 u M |L|_1, their comparison 1 u M |L|_1: 16 u M |L|_1 in all. The error of
 * the map itself is added twice, for centre and radius. */

/* A hierarchy's root box: origin + unit * [0, extent]. */
typedef struct bvpi_grid_box {
    double origin[3], unit;
    uint32_t extent[3];
} bvpi_grid_box;

/* The axes that can separate: a's axes, normals of b's faces, products of edges, and one chosen by
 * the caller. */
enum { BVPI_AXIS_A = 0, BVPI_AXIS_B = 3, BVPI_AXIS_EDGE = 6, BVPI_AXIS_AIM = 15, BVPI_AXES = 16 };

/* Box b relative to box a: a = r b + t in work units. */
typedef struct bvpi_box_pair {
    float r[3][3], t[3];
    float n[3][3]; /* normals of b's faces in a's frame: the rows of r's inverse, except for their
                      length */
    /* Row k: how far one unit of half extent k of a box of a (of b) reaches along each axis. */
    float reach_a[3][BVPI_AXES], reach_b[3][BVPI_AXES];
    float slack[BVPI_AXES];
    bool edges; /* edge axes matter: r does more than permute axes */
    /* Distance: gaps along a's axes and edge axes, times these, are world lengths in units of
     * world_unit; gaps along b's normals already are. The norms say how gaps combine. */
    float world_a[3], world_e[3][3], norm_a, norm_b;
    double world_unit, world[9];
    float aim[3]; /* the axis chosen by the caller, in the scale of n; all 0: none */
    /* How to decode both hierarchies into work units. */
    float unit_a[3], unit_b[3];                           /* length of one grid step */
    float centre_a[3], half_a[3], centre_b[3], half_b[3]; /* root boxes */
    float size_b[3]; /* squared length, in a's frame, of the work unit along each axis of b */
} bvpi_box_pair;

/* map: row-major 3x4, from b's coordinates to a's; map_error: how far it may misplace a point of b,
 * in a's units. world: the inverse of a's linear map to the world, row-major 3x3, or NULL if only
 * bvpi_boxes_meet will be called. */
void bvpi_box_pair_init(bvpi_box_pair *pair, const bvpi_grid_box *a, const bvpi_grid_box *b,
                        const double map[12], double map_error, const double world[9]);

/* Chooses an additional axis for bvpi_boxes_gap_sq. The direction of the shortest distance so far
 * is a good one: it separates surfaces that face each other. axis: a covector in a's frame; it
 * measures axis . x. */
void bvpi_box_pair_aim(bvpi_box_pair *pair, const double axis[3]);

/* Eight boxes of one of the hierarchies. */
typedef struct bvpi_box8 {
    f32x8 centre[3], half[3];
} bvpi_box8;

/* One box of the other hierarchy, prepared: its position, and its reach along each axis including
 * the slack. */
typedef struct bvpi_lone_box {
    float at[3]; /* of a: t - centre; of b: r centre + t */
    float reach[BVPI_AXES];
} bvpi_lone_box;

BVPI_INLINE void bvpi_lone_reach(const float table[3][BVPI_AXES], const float slack[BVPI_AXES],
                                 const float half[3], float out[BVPI_AXES])
{
    for (int k = 0; k < BVPI_AXES; k += 8)
        f32x8_store(out + k, f32x8_load(table[0] + k) * half[0] +
                                 f32x8_load(table[1] + k) * half[1] +
                                 f32x8_load(table[2] + k) * half[2] + f32x8_load(slack + k));
}

BVPI_INLINE void bvpi_lone_a(const bvpi_box_pair *p, const float centre[3], const float half[3],
                             bvpi_lone_box *out)
{
    for (int i = 0; i < 3; i++)
        out->at[i] = p->t[i] - centre[i];
    bvpi_lone_reach(p->reach_a, p->slack, half, out->reach);
}

BVPI_INLINE void bvpi_lone_b(const bvpi_box_pair *p, const float centre[3], const float half[3],
                             bvpi_lone_box *out)
{
    for (int i = 0; i < 3; i++)
        out->at[i] =
            p->r[i][0] * centre[0] + p->r[i][1] * centre[1] + p->r[i][2] * centre[2] + p->t[i];
    bvpi_lone_reach(p->reach_b, p->slack, half, out->reach);
}

/* Below, `are_a` says which hierarchy the eight boxes belong to; the lone box belongs to the other.
 * It is a constant in every use. */

/* Differences of the centres, in a's frame. */
BVPI_INLINE void bvpi_box_offset(const bvpi_box_pair *p, bool are_a, const bvpi_box8 *boxes,
                                 const bvpi_lone_box *lone, f32x8 d[3])
{
    const f32x8 *c = boxes->centre;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++)
        d[i] = are_a ? lone->at[i] - c[i]
                     : c[0] * p->r[i][0] + c[1] * p->r[i][1] + c[2] * p->r[i][2] + lone->at[i];
}

/* At most the gap between the boxes along an axis. */
BVPI_INLINE f32x8 bvpi_axis_gap(f32x8 along, f32x8 radius, const bvpi_lone_box *lone, int axis)
{
    return f32x8_abs(along) - (radius + lone->reach[axis]);
}

BVPI_INLINE f32x8 bvpi_gap_a(const bvpi_box_pair *p, bool are_a, const bvpi_box8 *boxes,
                             const bvpi_lone_box *lone, const f32x8 d[3], int i)
{
    const f32x8 *h = boxes->half;
    f32x8 radius =
        are_a ? h[i] : h[0] * p->reach_b[0][i] + h[1] * p->reach_b[1][i] + h[2] * p->reach_b[2][i];
    return bvpi_axis_gap(d[i], radius, lone, i);
}

BVPI_INLINE f32x8 bvpi_gap_b(const bvpi_box_pair *p, bool are_a, const bvpi_box8 *boxes,
                             const bvpi_lone_box *lone, const f32x8 d[3], int j)
{
    const int axis = BVPI_AXIS_B + j;
    const f32x8 *h = boxes->half;
    f32x8 along = d[0] * p->n[j][0] + d[1] * p->n[j][1] + d[2] * p->n[j][2];
    f32x8 radius =
        are_a ? h[0] * p->reach_a[0][axis] + h[1] * p->reach_a[1][axis] + h[2] * p->reach_a[2][axis]
              : h[j] * p->reach_b[j][axis];
    return bvpi_axis_gap(along, radius, lone, axis);
}

BVPI_INLINE f32x8 bvpi_gap_edge(const bvpi_box_pair *p, bool are_a, const bvpi_box8 *boxes,
                                const bvpi_lone_box *lone, const f32x8 d[3], int i, int j)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const int axis = BVPI_AXIS_EDGE + 3 * i + j;
    const f32x8 *h = boxes->half;
    f32x8 along = d[i2] * p->r[i1][j] - d[i1] * p->r[i2][j];
    f32x8 radius = are_a ? h[i1] * p->reach_a[i1][axis] + h[i2] * p->reach_a[i2][axis]
                         : h[j1] * p->reach_b[j1][axis] + h[j2] * p->reach_b[j2][axis];
    return bvpi_axis_gap(along, radius, lone, axis);
}

BVPI_INLINE f32x8 bvpi_gap_aim(const bvpi_box_pair *p, bool are_a, const bvpi_box8 *boxes,
                               const bvpi_lone_box *lone, const f32x8 d[3])
{
    const float(*reach)[BVPI_AXES] = are_a ? p->reach_a : p->reach_b;
    const f32x8 *h = boxes->half;
    f32x8 along = d[0] * p->aim[0] + d[1] * p->aim[1] + d[2] * p->aim[2];
    f32x8 radius = h[0] * reach[0][BVPI_AXIS_AIM] + h[1] * reach[1][BVPI_AXIS_AIM] +
                   h[2] * reach[2][BVPI_AXIS_AIM];
    return bvpi_axis_gap(along, radius, lone, BVPI_AXIS_AIM);
}

/* Bits of `lanes` whose boxes may meet. d: from bvpi_box_offset. NaN counts as "may meet". */
BVPI_INLINE unsigned bvpi_boxes_meet(const bvpi_box_pair *p, bool are_a, const bvpi_box8 *boxes,
                                     const bvpi_lone_box *lone, const f32x8 d[3], unsigned lanes)
{
    const f32x8 zero = {0};
    i32x8 apart = {0};
    BVPI_UNROLL
    for (int i = 0; i < 3; i++)
        apart |= f32x8_gt(bvpi_gap_a(p, are_a, boxes, lone, d, i), zero);
    lanes &= ~i32x8_movemask(apart);
    if (lanes == 0)
        return 0;
    BVPI_UNROLL
    for (int j = 0; j < 3; j++)
        apart |= f32x8_gt(bvpi_gap_b(p, are_a, boxes, lone, d, j), zero);
    lanes &= ~i32x8_movemask(apart);
    if (lanes == 0 || !p->edges)
        return lanes;
    BVPI_UNROLL
    for (int e = 0; e < 9; e++)
        apart |= f32x8_gt(bvpi_gap_edge(p, are_a, boxes, lone, d, e / 3, e % 3), zero);
    return lanes & ~i32x8_movemask(apart);
}

/* The same on a's axes only. */
BVPI_INLINE unsigned bvpi_boxes_meet_along_a(const bvpi_box_pair *p, bool are_a,
                                             const bvpi_box8 *boxes, const bvpi_lone_box *lone,
                                             const f32x8 d[3], unsigned lanes)
{
    const f32x8 zero = {0};
    i32x8 apart = {0};
    BVPI_UNROLL
    for (int i = 0; i < 3; i++)
        apart |= f32x8_gt(bvpi_gap_a(p, are_a, boxes, lone, d, i), zero);
    return lanes & ~i32x8_movemask(apart);
}

/* A lower bound of the squared distance, in square units of world_unit; never NaN. */
BVPI_INLINE f32x8 bvpi_boxes_gap_sq(const bvpi_box_pair *p, bool are_a, const bvpi_box8 *boxes,
                                    const bvpi_lone_box *lone, const f32x8 d[3])
{
    const f32x8 zero = {0};
    f32x8 by_a = zero, by_b = zero;
    f32x8 by_one = f32x8_max(bvpi_gap_aim(p, are_a, boxes, lone, d), zero);
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        f32x8 gap = f32x8_max(bvpi_gap_a(p, are_a, boxes, lone, d, i), zero) * p->world_a[i];
        by_a += gap * gap;
    }
    BVPI_UNROLL
    for (int j = 0; j < 3; j++) {
        f32x8 gap = f32x8_max(bvpi_gap_b(p, are_a, boxes, lone, d, j), zero);
        by_b += gap * gap;
    }
    if (p->edges) {
        BVPI_UNROLL
        for (int e = 0; e < 9; e++)
            by_one = f32x8_max(bvpi_gap_edge(p, are_a, boxes, lone, d, e / 3, e % 3) *
                                   p->world_e[e / 3][e % 3],
                               by_one);
    }
    return f32x8_max(f32x8_max(by_a * p->norm_a, by_b * p->norm_b), by_one * by_one);
}

#endif
