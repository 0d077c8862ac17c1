/* SPDX-License-Identifier: MIT
 * obb_obb.h: two oriented boxes in double: can they meet, how far apart are they? Errors only ever
 * answer "they may meet" or "not so far".
 * Spec: exactness.md, chapter 10, "Oriented boxes and swept rectangles"
 * Based on: Gottschalk, Lin, Manocha, OBBTree, 1996 (the 15 axes); van den Bergen 1997 (SAT-lite).
 */
#ifndef BVPI_PRIM_OBB_OBB_H
#define BVPI_PRIM_OBB_OBB_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/simd.h"

/* centre + sum of t_j axis j, |t_j| <= half[j], the axes unit vectors. axis[i][j]: coordinate i of
 * axis j, so that a vector of four holds one coordinate of all axes; [3] is 0 everywhere. */
typedef struct bvpi_obb {
    double centre[4], axis[3][4], half[4];
} bvpi_obb;

/* Axes that can separate, in the order they are tried: a's face normals, b's, and products of
 * edges, a's first edge with each of b's first. */
enum { BVPI_OBB_A = 0, BVPI_OBB_B = 3, BVPI_OBB_EDGE = 6, BVPI_OBB_AXES = 15 };

/* Allowances for rounding. With u = 2^-53 and r a pair's matrix: for rigid maps (is_similar,
 * stretches agree to 2^-40; or nearly rotations), columns of r are orthogonal to 2^-39 of their
 * length, and their cross products equal each other to about as much. For others, cofactors are
 * computed and err by 8 u. Both allowances are at least 4 times as large. They are added to every
 * |r| and |n|, so that the error is a share of the sizes even where an axis, a product of parallel
 * edges, is nearly 0. */
#define BVPI_OBB_FUZZ_RIGID  0x1p-37
#define BVPI_OBB_FUZZ_AFFINE 0x1p-48
#define BVPI_OBB_SHRINK      (1 - 0x1p-34) /* for distances: the same, and the roundings after it */

/* How much a's halves are enlarged for all rounding, before and here. reach: bound of every
 * coordinate of either box in a's frame; error: of a coordinate of b's images there, plus whatever
 * the volumes themselves lack. A coordinate of b's centre errs by error + 4 u reach, the difference
 * by 2 u reach more; along a's axes that makes sqrt(3) (error + 6 u reach) + 18 u reach. b's axes,
 * turned, err by 6 u each: 36 u reach with their halves. All that, 65 u reach and 7/4 error, counts
 * |L|_1 times on an axis L, as a's halves do; radii and comparison take 10 u more, and boxes that
 * were cut (oriented_box.h) 11 u. */
static inline double bvpi_obb_slack(double reach, double error)
{
    return 2 * error + 0x1p-46 * reach;
}

/* The image of a box under an affine map, row-major 3x4. Its axes are orthogonal only if the map is
 * rigid. */
BVPI_INLINE_LONG void bvpi_obb_place(const double map[12], const bvpi_obb *box, bvpi_obb *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 3; i++) {
        const double *row = map + 4 * i, *c = box->centre;
        out->centre[i] = row[0] * c[0] + row[1] * c[1] + row[2] * c[2] + row[3];
    }
    for (int j = 0; j < 3; j++) {
        double length_sq = 0;
        for (int i = 0; i < 3; i++) {
            const double *row = map + 4 * i;
            out->axis[i][j] =
                row[0] * box->axis[0][j] + row[1] * box->axis[1][j] + row[2] * box->axis[2][j];
            length_sq += out->axis[i][j] * out->axis[i][j];
        }
        const double length = sqrt(length_sq), scale = length > 0 ? 1 / length : 0;
        out->half[j] = box->half[j] * length;
        for (int i = 0; i < 3; i++)
            out->axis[i][j] *= scale;
    }
}

/* The linear part of a map that nearly is a rotation, perhaps with a reflection, times a stretch:
 * rotation (1 + E) stretch, with |E| <= bend in the Euclidean norm, as that of all entries is.
 * Matrices of floats are no better. */
typedef struct bvpi_near_rotation {
    double rotation[9], stretch, bend;
    double column[4][4]; /* of the map; [3]: 0 */
} bvpi_near_rotation;

#define BVPI_ROTATION_BEND     0x1p-12 /* the most; beyond, boxes would grow too much */
#define BVPI_ROTATION_ROUNDING 0x1p-46 /* of E's entries, 18 u, and more */

/* False: the map shears, stretches or flattens. */
BVPI_INLINE_LONG bool bvpi_near_rotation_of(const double map[12], bvpi_near_rotation *out)
{
    double r[3][3] = {{0}}, sum_sq = 0;
    BVPI_UNROLL
    for (int k = 0; k < 4; k++)
        f64x4_store(out->column[k], (f64x4){map[k], map[4 + k], map[8 + k], 0});
    BVPI_UNROLL
    for (int j = 0; j < 3; j++) { /* orthogonalised column by column */
        double x[3] = {map[j], map[4 + j], map[8 + j]};
        BVPI_UNROLL
        for (int k = 0; k < j; k++) {
            const double *q = out->rotation + k;
            r[k][j] = q[0] * x[0] + q[3] * x[1] + q[6] * x[2];
            BVPI_UNROLL
            for (int i = 0; i < 3; i++)
                x[i] -= r[k][j] * q[3 * i];
        }
        r[j][j] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        BVPI_UNROLL
        for (int i = 0; i < 3; i++)
            out->rotation[3 * i + j] = r[j][j] > 0 ? x[i] / r[j][j] : 0;
    }
    out->stretch = (r[0][0] + r[1][1] + r[2][2]) / 3;
    BVPI_UNROLL
    for (int n = 0; n < 9; n++) {
        const double e = r[n / 3][n % 3] / out->stretch - (n % 4 == 0);
        sum_sq += e * e;
    }
    out->bend = sqrt(sum_sq) + BVPI_ROTATION_ROUNDING;
    /* of others the squares above may have been rounded where numbers end */
    return out->bend <= BVPI_ROTATION_BEND && out->stretch > 0x1p-400 && out->stretch < 0x1p400;
}

/* A box around the image of a box, with orthogonal axes. */
BVPI_INLINE_LONG void bvpi_obb_turn(const bvpi_near_rotation *near, const bvpi_obb *box,
                                    bvpi_obb *out)
{
    const double more = near->bend * (box->half[0] + box->half[1] + box->half[2]);
    const f64x4 axis[3] = {f64x4_load(box->axis[0]), f64x4_load(box->axis[1]),
                           f64x4_load(box->axis[2])};
    f64x4 centre = {0};
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const double *q = near->rotation + 3 * i;
        centre += f64x4_load(near->column[i]) * box->centre[i];
        f64x4_store(out->axis[i], axis[0] * q[0] + axis[1] * q[1] + axis[2] * q[2]);
    }
    f64x4_store(out->centre, centre + f64x4_load(near->column[3]));
    f64x4_store(out->half, (f64x4_load(box->half) + (f64x4){more, more, more, 0}) * near->stretch);
}

/* Box b in the frame of box a, whose axes are orthogonal. */
typedef struct bvpi_obb_pair {
    double t[3];                 /* b's centre */
    double r[3][3], abs_r[3][3]; /* column j: b's axis j; its magnitudes plus the allowance */
    double n[3][3],
        abs_n[3][3]; /* column j: normal of b's face j (r's cofactors); unused if rigid */
    double half_a[3], half_b[3]; /* a's include the slack */
    double volume,
        fuzz; /* upper bound of normal j times axis j; remaining allowance for rounding */
} bvpi_obb_pair;

/* rigid: b's axes are orthogonal, too. `rigid` is a constant wherever speed matters. */
BVPI_INLINE_LONG void bvpi_obb_pair_init(bvpi_obb_pair *p, const bvpi_obb *a, const bvpi_obb *b,
                                         double slack, bool rigid)
{
    const double fuzz = rigid ? BVPI_OBB_FUZZ_RIGID : BVPI_OBB_FUZZ_AFFINE;
    double d[3], sizes = 0;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        d[i] = b->centre[i] - a->centre[i];
        p->half_a[i] = a->half[i] + slack;
        p->half_b[i] = b->half[i];
        sizes += b->half[i];
    }
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const double axis[3] = {a->axis[0][i], a->axis[1][i], a->axis[2][i]};
        p->t[i] = axis[0] * d[0] + axis[1] * d[1] + axis[2] * d[2];
        BVPI_UNROLL
        for (int j = 0; j < 3; j++) {
            p->r[i][j] =
                axis[0] * b->axis[0][j] + axis[1] * b->axis[1][j] + axis[2] * b->axis[2][j];
            p->abs_r[i][j] = fabs(p->r[i][j]) + fuzz;
        }
    }
    p->volume = 1;
    p->fuzz = fuzz * sizes;
    if (rigid)
        return;
    BVPI_UNROLL
    for (int k = 0; k < 9; k++) {
        const int i = k / 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        const int j = k % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        p->n[i][j] = p->r[i1][j1] * p->r[i2][j2] - p->r[i2][j1] * p->r[i1][j2];
        p->abs_n[i][j] = fabs(p->n[i][j]) + fuzz;
    }
    p->volume = fabs(p->n[0][0] * p->r[0][0] + p->n[1][0] * p->r[1][0] + p->n[2][0] * p->r[2][0]);
}

/* ---- upper bounds of gaps along the axes, times the axis' length ----------------------------- */

BVPI_INLINE_LONG double bvpi_obb_gap_a(const bvpi_obb_pair *p, int i)
{
    return fabs(p->t[i]) - (p->half_a[i] + p->abs_r[i][0] * p->half_b[0] +
                            p->abs_r[i][1] * p->half_b[1] + p->abs_r[i][2] * p->half_b[2]);
}

BVPI_INLINE_LONG double bvpi_obb_gap_b(const bvpi_obb_pair *p, bool rigid, int j)
{
    const double(*n)[3] = rigid ? p->r : p->n, (*abs_n)[3] = rigid ? p->abs_r : p->abs_n;
    return fabs(p->t[0] * n[0][j] + p->t[1] * n[1][j] + p->t[2] * n[2][j]) -
           (abs_n[0][j] * p->half_a[0] + abs_n[1][j] * p->half_a[1] + abs_n[2][j] * p->half_a[2] +
            p->volume * p->half_b[j] + p->fuzz);
}

/* Along a's edge i times b's edge j. b's reach: (e_i x r_j) . r_k is an entry of the third column's
 * normal. */
BVPI_INLINE_LONG double bvpi_obb_gap_edge(const bvpi_obb_pair *p, bool rigid, int i, int j)
{
    const double(*abs_n)[3] = rigid ? p->abs_r : p->abs_n;
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    return fabs(p->t[i2] * p->r[i1][j] - p->t[i1] * p->r[i2][j]) -
           (p->abs_r[i2][j] * p->half_a[i1] + p->abs_r[i1][j] * p->half_a[i2] +
            abs_n[i][j2] * p->half_b[j1] + abs_n[i][j1] * p->half_b[j2]);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* The index of the first axis that separates the boxes, which is also the number of axes tried
 * before it; BVPI_OBB_AXES: they may meet. lite: only the boxes' own six axes. */
BVPI_INLINE_LONG int bvpi_obb_separate(const bvpi_obb_pair *p, bool rigid, bool lite)
{
    BVPI_UNROLL
    for (int i = 0; i < 3; i++)
        if (bvpi_obb_gap_a(p, i) > 0)
            return BVPI_OBB_A + i;
    BVPI_UNROLL
    for (int j = 0; j < 3; j++)
        if (bvpi_obb_gap_b(p, rigid, j) > 0)
            return BVPI_OBB_B + j;
    if (lite)
        return BVPI_OBB_AXES;
    BVPI_UNROLL
    for (int e = 0; e < 9; e++)
        if (bvpi_obb_gap_edge(p, rigid, e / 3, e % 3) > 0)
            return BVPI_OBB_EDGE + e;
    return BVPI_OBB_AXES;
}

/* Is a lane of 0 .. 2 greater? */
BVPI_INLINE bool bvpi_obb_is_beyond(f64x4 distance, f64x4 reach)
{
    return (i64x4_movemask(f64x4_gt(distance, reach)) & 7) != 0;
}

/* May boxes meet whose axes are orthogonal? What bvpi_obb_separate says, by the same sums, but of
 * three axes at a time. */
BVPI_INLINE_LONG bool bvpi_obb_meet(const bvpi_obb *a, const bvpi_obb *b, double slack, bool lite)
{
    const f64x4 axis[3] = {f64x4_load(a->axis[0]), f64x4_load(a->axis[1]), f64x4_load(a->axis[2])};
    const f64x4 half_a = f64x4_load(a->half) + slack;
    const f64x4 d = f64x4_load(b->centre) - f64x4_load(a->centre);
    const f64x4 t = axis[0] * d[0] + axis[1] * d[1] + axis[2] * d[2];
    f64x4 r[3], abs_r[3], row[4], reach_a = half_a, reach_b = {0};
    BVPI_UNROLL
    for (int j = 0; j < 3; j++) {
        r[j] = axis[0] * b->axis[0][j] + axis[1] * b->axis[1][j] + axis[2] * b->axis[2][j];
        abs_r[j] = f64x4_abs(r[j]) + BVPI_OBB_FUZZ_RIGID;
        reach_a += abs_r[j] * b->half[j];
    }
    if (bvpi_obb_is_beyond(f64x4_abs(t), reach_a))
        return false;
    f64x4_columns(r, row);
    BVPI_UNROLL
    for (int i = 0; i < 3; i++)
        reach_b += (f64x4_abs(row[i]) + BVPI_OBB_FUZZ_RIGID) * half_a[i];
    const double fuzz = BVPI_OBB_FUZZ_RIGID * (b->half[0] + b->half[1] + b->half[2]);
    if (bvpi_obb_is_beyond(f64x4_abs(row[0] * t[0] + row[1] * t[1] + row[2] * t[2]),
                           reach_b + f64x4_load(b->half) + fuzz))
        return false;
    if (lite)
        return true;
    const f64x4 t1 = f64x4_turn(t), t2 = f64x4_turn(t1);
    const f64x4 half1 = f64x4_turn(half_a), half2 = f64x4_turn(half1);
    BVPI_UNROLL
    for (int j = 0; j < 3; j++) {
        const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        const f64x4 r1 = f64x4_turn(r[j]), r2 = f64x4_turn(r1);
        const f64x4 reach = (f64x4_abs(r2) + BVPI_OBB_FUZZ_RIGID) * half1 +
                            (f64x4_abs(r1) + BVPI_OBB_FUZZ_RIGID) * half2 +
                            abs_r[j2] * b->half[j1] + abs_r[j1] * b->half[j2];
        if (bvpi_obb_is_beyond(f64x4_abs(t2 * r1 - t1 * r2), reach))
            return false;
    }
    return true;
}

/* Squared lower bound in a's frame: gaps along b's normals, combined if these are orthogonal, else
 * the largest one. The function below does the same for the nine edge axes. */
BVPI_INLINE_LONG double bvpi_obb_gap_b_sq(const bvpi_obb_pair *p, bool rigid)
{
    double sum = 0, most = 0;
    BVPI_UNROLL
    for (int j = 0; j < 3; j++) {
        const double gap = bvpi_obb_gap_b(p, rigid, j);
        sum += gap > 0 ? gap * gap : 0;
        if (!rigid && gap > 0)
            most = fmax(most, gap * gap /
                                  (p->n[0][j] * p->n[0][j] + p->n[1][j] * p->n[1][j] +
                                   p->n[2][j] * p->n[2][j]));
    }
    return rigid ? sum : most;
}

BVPI_INLINE_LONG double bvpi_obb_gap_edge_sq(const bvpi_obb_pair *p, bool rigid)
{
    double most = 0;
    BVPI_UNROLL
    for (int e = 0; e < 9; e++) {
        const int i1 = (e / 3 + 1) % 3, i2 = (e / 3 + 2) % 3, j = e % 3;
        const double gap = bvpi_obb_gap_edge(p, rigid, e / 3, j);
        const double length_sq = p->r[i1][j] * p->r[i1][j] + p->r[i2][j] * p->r[i2][j];
        most = gap > 0 ? fmax(most, gap * gap / length_sq) : most;
    }
    return most;
}

/* A lower bound of the distance in a's frame: gaps along a's axes combined, along b's, along edge
 * axes. Stops at `enough`. */
BVPI_INLINE_LONG double bvpi_obb_distance(const bvpi_obb_pair *p, bool rigid, double enough)
{
    double most = 0;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const double gap = bvpi_obb_gap_a(p, i);
        most += gap > 0 ? gap * gap : 0;
    }
    if (most < enough * enough)
        most = fmax(most, bvpi_obb_gap_b_sq(p, rigid));
    if (most < enough * enough)
        most = fmax(most, bvpi_obb_gap_edge_sq(p, rigid));
    return sqrt(most) * BVPI_OBB_SHRINK;
}

#endif
