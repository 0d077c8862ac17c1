/* SPDX-License-Identifier: MIT
 * box_box.h: eight pairs of boxes that an affine map relates: can they meet, how far apart are
 * they? Both answers err only towards "they may meet" and "not so far": the slacks below are
 * bounds. Spec: exactness.md, boxes. Based on: S. Gottschalk, M. Lin, D. Manocha, OBBTree, 1996
 * (the 15 axes).
 *
 * All boxes of one pair of hierarchies share one set-up. Lengths are measured in a work unit, a
 * power of two, chosen so that every coordinate is below 2^23: nothing can overflow, and what
 * underflows is far below the slack.
 *
 * Why 15 axes are enough to be conservative: a box pair is called separate only if some axis L,
 * exactly the float vector used, keeps |L . d| > radius of a + radius of b by more than the error.
 * With u = 2^-24 and M the largest coordinate that can occur (of a, plus of the mapped b, plus the
 * offset), the error of d is at most 7 u M a coordinate (one rounding of each matrix entry, one
 * product, four sums, the offset), that of L . d then 10 u M |L|_1, that of the radii, which are at
 * most M |L|_1 / 2, 4 u M |L|_1, their comparison 1 u M |L|_1: 16 u M |L|_1 in all, to which the
 * error of the map itself is added twice (centre and radius).
 */
#ifndef BVPI_PRIM_BOX_BOX_H
#define BVPI_PRIM_BOX_BOX_H

#include <stdbool.h>

#include "base/simd.h"

/* A hierarchy's root box: origin + unit * [0, extent]. */
typedef struct bvpi_grid_box {
    double origin[3], unit;
    uint32_t extent[3];
} bvpi_grid_box;

/* How box b lies to box a. Rows of r: a = r b + t in work units. */
typedef struct bvpi_box_pair {
    float r[3][3], abs_r[3][3], t[3];
    float n[3][3], abs_n[3][3],
        n_radius[3];    /* normals of b's faces; what half extent j of b counts */
    float edge_b[3][3]; /* |cofactors of r|: b's radius along edge axes */
    float slack_a, slack_b[3], slack_e[3][3];
    bool edges; /* edge axes add something (r permutes no axes) */
    /* Distance: gaps along the axes times these are lengths in the world, in work units of it. */
    float world_a[3], world_e[3][3], norm_a, norm_b;
    double world_unit; /* length of that unit */
    /* How to decode the two hierarchies into work units. */
    float size_b[3]; /* squared length, in a's frame, of b's work unit along each axis of b */
    float unit_a[3], unit_b[3];                           /* one grid step */
    float centre_a[3], half_a[3], centre_b[3], half_b[3]; /* root boxes */
} bvpi_box_pair;

/* map: row-major 3x4, b's coordinates to a's; map_error: how far it can take a point of b wrong, in
 * a's units. world: the inverse of a's linear map to the world, row-major 3x3, or NULL when only
 * bvpi_boxes_meet will be asked. */
void bvpi_box_pair_init(bvpi_box_pair *pair, const bvpi_grid_box *a, const bvpi_grid_box *b,
                        const double map[12], double map_error, const double world[9]);

/* Eight boxes of one hierarchy, or one of them eight times. */
typedef struct bvpi_box8 {
    f32x8 centre[3], half[3];
} bvpi_box8;

BVPI_INLINE void bvpi_box8_splat(bvpi_box8 *out, const float centre[3], const float half[3])
{
    for (int i = 0; i < 3; i++) {
        out->centre[i] = f32x8_splat(centre[i]);
        out->half[i] = f32x8_splat(half[i]);
    }
}

/* Difference of the centres, in a's frame. */
BVPI_INLINE void bvpi_box_offset(const bvpi_box_pair *p, const bvpi_box8 *a, const bvpi_box8 *b,
                                 f32x8 d[3])
{
    for (int i = 0; i < 3; i++)
        d[i] = b->centre[0] * p->r[i][0] + b->centre[1] * p->r[i][1] + b->centre[2] * p->r[i][2] +
               p->t[i] - a->centre[i];
}

/* Along axis i of a, face normal j of b, their product: the gap between the boxes, at most. */
BVPI_INLINE f32x8 bvpi_gap_a(const bvpi_box_pair *p, const bvpi_box8 *a, const bvpi_box8 *b,
                             const f32x8 d[3], int i)
{
    f32x8 radius = a->half[i] + b->half[0] * p->abs_r[i][0] + b->half[1] * p->abs_r[i][1] +
                   b->half[2] * p->abs_r[i][2] + p->slack_a;
    return f32x8_abs(d[i]) - radius;
}

BVPI_INLINE f32x8 bvpi_gap_b(const bvpi_box_pair *p, const bvpi_box8 *a, const bvpi_box8 *b,
                             const f32x8 d[3], int j)
{
    f32x8 along = d[0] * p->n[j][0] + d[1] * p->n[j][1] + d[2] * p->n[j][2];
    f32x8 radius = a->half[0] * p->abs_n[j][0] + a->half[1] * p->abs_n[j][1] +
                   a->half[2] * p->abs_n[j][2] + b->half[j] * p->n_radius[j] + p->slack_b[j];
    return f32x8_abs(along) - radius;
}

BVPI_INLINE f32x8 bvpi_gap_edge(const bvpi_box_pair *p, const bvpi_box8 *a, const bvpi_box8 *b,
                                const f32x8 d[3], int i, int j)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    f32x8 along = d[i2] * p->r[i1][j] - d[i1] * p->r[i2][j];
    f32x8 radius = a->half[i1] * p->abs_r[i2][j] + a->half[i2] * p->abs_r[i1][j] +
                   b->half[j1] * p->edge_b[i][j2] + b->half[j2] * p->edge_b[i][j1] +
                   p->slack_e[i][j];
    return f32x8_abs(along) - radius;
}

/* Bits of `lanes` whose boxes may meet. d: bvpi_box_offset. NaN means "may". */
BVPI_INLINE unsigned bvpi_boxes_meet(const bvpi_box_pair *p, const bvpi_box8 *a, const bvpi_box8 *b,
                                     const f32x8 d[3], unsigned lanes)
{
    const f32x8 zero = {0};
    i32x8 apart = {0};
    for (int i = 0; i < 3; i++)
        apart |= f32x8_gt(bvpi_gap_a(p, a, b, d, i), zero);
    lanes &= ~i32x8_movemask(apart);
    if (lanes == 0)
        return 0;
    for (int j = 0; j < 3; j++)
        apart |= f32x8_gt(bvpi_gap_b(p, a, b, d, j), zero);
    lanes &= ~i32x8_movemask(apart);
    if (lanes == 0 || !p->edges)
        return lanes;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            apart |= f32x8_gt(bvpi_gap_edge(p, a, b, d, i, j), zero);
    return lanes & ~i32x8_movemask(apart);
}

/* A lower bound of the squared distance, in square work units of the world; never NaN. */
BVPI_INLINE f32x8 bvpi_boxes_gap_sq(const bvpi_box_pair *p, const bvpi_box8 *a, const bvpi_box8 *b,
                                    const f32x8 d[3])
{
    const f32x8 zero = {0};
    f32x8 by_a = zero, by_b = zero, by_edge = zero;
    for (int i = 0; i < 3; i++) {
        f32x8 gap = f32x8_max(bvpi_gap_a(p, a, b, d, i), zero) * p->world_a[i];
        by_a += gap * gap;
    }
    for (int j = 0; j < 3; j++) {
        f32x8 gap = f32x8_max(bvpi_gap_b(p, a, b, d, j), zero);
        by_b += gap * gap;
    }
    f32x8 best = f32x8_max(by_a * p->norm_a, by_b * p->norm_b);
    if (!p->edges)
        return best;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            by_edge = f32x8_max(bvpi_gap_edge(p, a, b, d, i, j) * p->world_e[i][j], by_edge);
    return f32x8_max(by_edge * by_edge, best);
}

#endif
