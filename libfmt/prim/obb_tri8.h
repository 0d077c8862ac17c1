/* SPDX-License-Identifier: MIT
 * obb_tri8.h: eight triangles and an oriented box, in float and in the box's frame: which of them
 * can meet it, how far are they from it at least? Errors only ever answer "it may meet" or "not so
 * far".
 *
 * Held by tests/unit/test_obb_tri8.c, which needs more than an eighth of the bound.
 * Spec: exactness.md, chapter 10, "Oriented boxes and swept rectangles"
 * Based on: Gottschalk, Lin, Manocha, OBBTree, 1996, section 5: all 13 axes that can separate a
 * triangle and a box; van den Bergen 1997 (SAT-lite).
 */
#ifndef BVPI_PRIM_OBB_TRI8_H
#define BVPI_PRIM_OBB_TRI8_H

#include <math.h>
#include <stdbool.h>

#include "base/simd.h"
#include "prim/obb_obb.h"

/* With u = 2^-24, S the largest coordinate of the box, and triangles that reach to 1: a corner seen
 * from the centre errs by u S + u (1 + S) on each axis, and is at most 1 + S. A unit axis has |.|_1
 * of at most sqrt(3), so that along the box's axes this, the axes' own rounding and three products
 * make sqrt(3) u (5 + 6 S). Projecting corners and half sides on an axis L errs |L|_1 times 3 u
 * sqrt(3) (1 + 2 S), and an edge is 2 sqrt(3) u from perpendicular to it. Added to the half sides:
 * sqrt(3) u (10 + 12 S) in all. */
#define BVPI_OBB_TRI8_MARGIN 0x1.8p-20 /* 24 u, times 1 + S */

/* Of squared gaps: covers lengths and directions of the axes, and the products. */
#define BVPI_OBB_TRI8_SHRINK (1 - 0x1p-18f)

/* Products of larger coordinates could overflow. */
#define BVPI_OBB_TRI8_MOST 0x1p30

typedef struct bvpi_obb_tri8 {
    f32x8 at[9];   /* [3 * corner + axis]: the triangles' corners in the box's frame */
    float half[3]; /* of the box, with all errors */
} bvpi_obb_tri8;

/* box: its axes are orthogonal; times scale it is in the triangles' frame. corner: magnitudes of at
 * most 1. slack: how much a coordinate of either errs already, in any orthogonal frame. False: the
 * box is too large. */
BVPI_INLINE_LONG bool bvpi_obb_tri8_init(const bvpi_obb *box, double scale, const f32x8 corner[9],
                                         double slack, bvpi_obb_tri8 *out)
{
    double most = 0;
    f32x8 from[9];
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const double size = fabs(box->centre[i]) + fabs(box->axis[i][0] * box->half[0]) +
                            fabs(box->axis[i][1] * box->half[1]) +
                            fabs(box->axis[i][2] * box->half[2]);
        const float centre = (float)(box->centre[i] * scale);
        most = size > most ? size : most;
        BVPI_UNROLL
        for (int c = 0; c < 3; c++)
            from[3 * c + i] = corner[3 * c + i] - centre;
    }
    most *= scale;
    const double more = slack + (1 + most) * BVPI_OBB_TRI8_MARGIN;
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        const float x = (float)box->axis[0][k], y = (float)box->axis[1][k],
                    z = (float)box->axis[2][k];
        out->half[k] = (float)(box->half[k] * scale + more);
        BVPI_UNROLL
        for (int c = 0; c < 3; c++)
            out->at[3 * c + k] = from[3 * c] * x + from[3 * c + 1] * y + from[3 * c + 2] * z;
    }
    return most < BVPI_OBB_TRI8_MOST;
}

/* The same for a box along the axes of the triangles' frame, in its lengths. */
BVPI_INLINE_LONG bool bvpi_obb_tri8_init_aligned(const double centre[3], const double half[3],
                                                 const f32x8 corner[9], double slack,
                                                 bvpi_obb_tri8 *out)
{
    double most = 0;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const double size = fabs(centre[i]) + half[i];
        const float at = (float)centre[i];
        most = size > most ? size : most;
        BVPI_UNROLL
        for (int c = 0; c < 3; c++)
            out->at[3 * c + i] = corner[3 * c + i] - at;
    }
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        out->half[k] = (float)(half[k] + (slack + (1 + most) * BVPI_OBB_TRI8_MARGIN));
    return most < BVPI_OBB_TRI8_MOST;
}

/* How far the triangles are beyond the slab of axis k. */
BVPI_INLINE_LONG f32x8 bvpi_obb_tri8_gap(const bvpi_obb_tri8 *t, int k)
{
    const f32x8 x = t->at[k], y = t->at[3 + k], z = t->at[6 + k];
    return f32x8_max(f32x8_min(f32x8_min(x, y), z), -f32x8_max(f32x8_max(x, y), z)) - t->half[k];
}

/* A lower bound of the squared distance, but for BVPI_OBB_TRI8_SHRINK. */
BVPI_INLINE_LONG f32x8 bvpi_obb_tri8_gap_sq(const bvpi_obb_tri8 *t)
{
    const f32x8 zero = {0}, x = f32x8_max(bvpi_obb_tri8_gap(t, 0), zero),
                y = f32x8_max(bvpi_obb_tri8_gap(t, 1), zero),
                z = f32x8_max(bvpi_obb_tri8_gap(t, 2), zero);
    return x * x + y * y + z * z;
}

/* What underflows, of a projection. */
#define BVPI_OBB_TRI8_TINY 0x1p-120f

/* How far the triangles' planes are beyond the box, times the normals' lengths. Whatever the normal
 * is, it counts as exact. */
BVPI_INLINE_LONG f32x8 bvpi_obb_tri8_plane(const bvpi_obb_tri8 *t, const f32x8 edge[9], f32x8 n[3])
{
    f32x8 radius = f32x8_splat(BVPI_OBB_TRI8_TINY), d[3];
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = edge[i] * edge[3 + j] - edge[j] * edge[3 + i];
        radius += f32x8_abs(n[k]) * t->half[k];
    }
    BVPI_UNROLL
    for (int c = 0; c < 3; c++)
        d[c] = n[0] * t->at[3 * c] + n[1] * t->at[3 * c + 1] + n[2] * t->at[3 * c + 2];
    return f32x8_max(f32x8_min(f32x8_min(d[0], d[1]), d[2]),
                     -f32x8_max(f32x8_max(d[0], d[1]), d[2])) -
           radius;
}

/* The same on the product of edge e, from corner e to the next, and the box's axis k. The edge's
 * ends have the same projection. */
BVPI_INLINE_LONG f32x8 bvpi_obb_tri8_edge(const bvpi_obb_tri8 *t, const f32x8 edge[9], int e, int k)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const f32x8 x = -edge[3 * e + j], y = edge[3 * e + i];
    const f32x8 on = x * t->at[3 * e + i] + y * t->at[3 * e + j],
                off = x * t->at[3 * ((e + 2) % 3) + i] + y * t->at[3 * ((e + 2) % 3) + j];
    const f32x8 radius = f32x8_abs(x) * t->half[i] + f32x8_abs(y) * t->half[j] + BVPI_OBB_TRI8_TINY;
    return f32x8_max(f32x8_min(on, off), -f32x8_max(on, off)) - radius;
}

BVPI_INLINE_LONG void bvpi_obb_tri8_edges(const bvpi_obb_tri8 *t, f32x8 edge[9])
{
    BVPI_UNROLL
    for (int n = 0; n < 9; n++)
        edge[n] = t->at[(n + 3) % 9] - t->at[n];
}

/* Which of the triangles in `lanes` may meet the box? lite: by faces and normals only. */
BVPI_INLINE_LONG unsigned bvpi_obb_tri8_meet(const bvpi_obb_tri8 *t, bool lite, unsigned lanes)
{
    f32x8 edge[9], normal[3];
    f32x8 most = f32x8_max(f32x8_max(bvpi_obb_tri8_gap(t, 0), bvpi_obb_tri8_gap(t, 1)),
                           bvpi_obb_tri8_gap(t, 2));
    const f32x8 zero = {0};
    lanes &= ~i32x8_movemask(f32x8_gt(most, zero));
    if (lanes == 0)
        return 0;
    bvpi_obb_tri8_edges(t, edge);
    most = bvpi_obb_tri8_plane(t, edge, normal);
    BVPI_UNROLL
    for (int n = 0; n < 9 && !lite; n++)
        most = f32x8_max(most, bvpi_obb_tri8_edge(t, edge, n / 3, n % 3));
    return lanes & ~i32x8_movemask(f32x8_gt(most, zero));
}

/* Which of the triangles in `lanes` may be nearer than the limit? By faces, whose gaps go to
 * gap_sq, and normals. */
BVPI_INLINE_LONG unsigned bvpi_obb_tri8_near(const bvpi_obb_tri8 *t, float limit_sq, unsigned lanes,
                                             f32x8 *gap_sq)
{
    const f32x8 zero = {0}, limit = f32x8_splat(limit_sq);
    f32x8 edge[9], n[3];
    *gap_sq = bvpi_obb_tri8_gap_sq(t) * BVPI_OBB_TRI8_SHRINK;
    lanes &= ~i32x8_movemask(f32x8_ge(*gap_sq, limit));
    if (lanes == 0)
        return 0;
    bvpi_obb_tri8_edges(t, edge);
    const f32x8 gap = f32x8_max(bvpi_obb_tri8_plane(t, edge, n), zero);
    const f32x8 length_sq = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    return lanes & ~i32x8_movemask(f32x8_gt(gap * gap * BVPI_OBB_TRI8_SHRINK, length_sq * limit));
}

#endif
