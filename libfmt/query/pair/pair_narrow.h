/* SPDX-License-Identifier: MIT
 * pair_narrow.h: which triangles of a leaf may meet a box of the other part, for kernels.
 *
 * A long thin triangle across the axes fills almost nothing of its box: one pipe across the axes
 * would open all of the other part. So as soon as one side of a pair is a leaf, its triangles one
 * by one, eight lanes at once, are separated from the other side's boxes before those are opened.
 * The axes: those of the frame, the triangle's normal, and the direction in its plane across its
 * longest edge, which is what tells long triangles apart.
 *
 * Invariant: a triangle that meets the box, or is within the limit of it, is never left out; every
 * rounding is in one of the two slacks below.
 *
 * Held by brute force, tests/property/test_pairs.c.
 * Spec: exactness.md, chapter 10, "A leaf's triangles and boxes"
 * Measured: decisions.md, "Queries between two bodies"
 */
#ifndef BVPI_QUERY_PAIR_PAIR_NARROW_H
#define BVPI_QUERY_PAIR_PAIR_NARROW_H

#include "prim/box_box.h"
#include "query/pair/pair_leaf.h"
#include "node/turn.h"

/* A leaf, and each triangle's slab in its own plane, across its longest edge. */
typedef struct narrow_leaf {
    tri_leaf tri;
    f32x8 normal_1; /* sum of the normal's magnitudes */
    f32x8 side[3], side_1, side_sq, side_lo, side_hi;
} narrow_leaf;

/* pair_leaf_kernel.c, for the same instruction set: decodes triangles (as bvpi_wide_triangles) and
 * bounds them. One function for both: passing corners through memory in between costs 2 % of an
 * all-pairs query. */
#define narrow_load BVPI_ISA_NAME(bvpi_narrow_load)
bool narrow_load(const bvpi_tree *tree, uint32_t item, unsigned count, const leaf_frame *frame,
                 bool is_a, narrow_leaf *leaf);

/* ---- boxes in the leaves' frame -------------------------------------------------------------- */

/* A point x of a, in work units, is origin + unit x in the leaves' frame. slack: how far a box's
 * corner may be off, plus how far geometry may stand out of its box. With M and u as in box_box.h,
 * the centre of a box of b errs by 7 u M and the map's error, its half extents by 4 u M; the walk's
 * own slack has 16 u M for both. Two more roundings of coordinates below 1 lead to the frame. */
typedef struct narrow_frame {
    float origin[3], unit, slack;
    bool is_turned; /* a's grid is: then `back` leads from its frame to the leaves' */
    float back[3][3];
} narrow_frame;

/* The same of a turned grid: origin + unit back x. The boxes' slack is along its axes: along the
 * frame's it is up to sqrt(3) times as large. `back` and a sum of three products of coordinates
 * below 4 err by less than 2^-20 for the centre and the three edges. */
static inline void narrow_frame_turn(narrow_frame *frame, const bvpi_pose *pose, const bvpi_tree *a)
{
    double origin[3];
    bvpi_turn turn;
    bvpi_turn_init(a->turn, &turn);
    bvpi_turn_back(&turn, a->grid_origin, origin);
    for (int i = 0; i < 3; i++) {
        frame->origin[i] = (float)(origin[i] * pose->scale);
        for (int j = 0; j < 3; j++)
            frame->back[i][j] = (float)turn.m[3 * j + i];
    }
    frame->slack = 2 * frame->slack + 0x1p-18f;
}

static inline void narrow_frame_init(narrow_frame *frame, const bvpi_pose *pose,
                                     const bvpi_box_pair *boxes, const bvpi_tree *a)
{
    const double unit = a->grid_unit / (double)boxes->unit_a[0] * pose->scale;
    for (int i = 0; i < 3; i++)
        frame->origin[i] = (float)(a->grid_origin[i] * pose->scale);
    frame->unit = (float)unit;
    frame->slack = (float)(unit * (double)boxes->slack[BVPI_AXIS_A]) * 1.25f + 8 * 0x1p-24f;
    frame->is_turned = a->is_turned;
    if (a->is_turned)
        narrow_frame_turn(frame, pose, a);
}

/* A box in the leaves' frame. half: its half extents along the frame's axes, slack included. edge:
 * the half edges of a box of b; a box of a is axis-parallel and has none. */
typedef struct narrow_box {
    float centre[3], edge[3][3], half[3], slack;
} narrow_box;

/* The same where a's grid is turned: boxes of either side have edges. */
static inline void narrow_box_turned(const narrow_frame *frame, const bvpi_box_pair *boxes,
                                     bool is_a, const float centre[3], const float half[3],
                                     narrow_box *out)
{
    float at[3], edge[3][3] = {{0}};
    out->slack = frame->slack;
    for (int i = 0; i < 3; i++) {
        const float *r = boxes->r[i];
        at[i] =
            is_a ? centre[i] : r[0] * centre[0] + r[1] * centre[1] + r[2] * centre[2] + boxes->t[i];
        for (int j = 0; j < 3; j++)
            edge[j][i] = is_a ? (i == j ? half[j] : 0) : r[j] * half[j];
    }
    for (int i = 0; i < 3; i++) {
        const float *back = frame->back[i];
        out->centre[i] =
            frame->origin[i] + frame->unit * (back[0] * at[0] + back[1] * at[1] + back[2] * at[2]);
        out->half[i] = frame->slack;
        for (int j = 0; j < 3; j++) {
            const float *e = edge[j];
            out->edge[j][i] = frame->unit * (back[0] * e[0] + back[1] * e[1] + back[2] * e[2]);
            out->half[i] += fabsf(out->edge[j][i]);
        }
    }
}

BVPI_INLINE_LONG void narrow_box_init(const narrow_frame *frame, const bvpi_box_pair *boxes,
                                      bool is_a, const float centre[3], const float half[3],
                                      narrow_box *out)
{
    out->slack = frame->slack;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const float *r = boxes->r[i];
        float at =
            is_a ? centre[i] : r[0] * centre[0] + r[1] * centre[1] + r[2] * centre[2] + boxes->t[i];
        out->centre[i] = frame->origin[i] + frame->unit * at;
        out->half[i] = frame->slack;
        if (is_a) {
            out->half[i] += frame->unit * half[i];
            continue;
        }
        BVPI_UNROLL
        for (int j = 0; j < 3; j++) {
            out->edge[j][i] = frame->unit * r[j] * half[j];
            out->half[i] += out->edge[j][i] < 0 ? -out->edge[j][i] : out->edge[j][i];
        }
    }
}

/* How far the box is beyond the slabs of the triangles along v, times its length. */
BVPI_INLINE_LONG f32x8 narrow_slab_gap(const narrow_box *box, bool is_a, const f32x8 v[3],
                                       f32x8 v_1, f32x8 lo, f32x8 hi)
{
    f32x8 at = v[0] * box->centre[0] + v[1] * box->centre[1] + v[2] * box->centre[2], reach;
    if (is_a) {
        reach = f32x8_abs(v[0]) * box->half[0] + f32x8_abs(v[1]) * box->half[1] +
                f32x8_abs(v[2]) * box->half[2];
    } else {
        reach = v_1 * box->slack;
        BVPI_UNROLL
        for (int j = 0; j < 3; j++)
            reach +=
                f32x8_abs(v[0] * box->edge[j][0] + v[1] * box->edge[j][1] + v[2] * box->edge[j][2]);
    }
    return f32x8_max(at - hi, lo - at) - reach;
}

BVPI_INLINE_LONG f32x8 narrow_normal_gap(const narrow_leaf *leaf, const narrow_box *box, bool is_a)
{
    const tri_leaf *t = &leaf->tri;
    return narrow_slab_gap(box, is_a, t->normal, leaf->normal_1, t->slab_lo, t->slab_hi);
}

BVPI_INLINE_LONG f32x8 narrow_side_gap(const narrow_leaf *leaf, const narrow_box *box, bool is_a)
{
    return narrow_slab_gap(box, is_a, leaf->side, leaf->side_1, leaf->side_lo, leaf->side_hi);
}

/* Lanes whose triangles may touch the box. is_a: the box is a's, the leaf b's. */
BVPI_INLINE_LONG unsigned narrow_touching(const narrow_leaf *leaf, const narrow_box *box, bool is_a)
{
    const tri_leaf *t = &leaf->tri;
    const f32x8 zero = {0};
    i32x8 apart = f32x8_gt(narrow_normal_gap(leaf, box, is_a), zero) |
                  f32x8_gt(narrow_side_gap(leaf, box, is_a), zero);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        apart |= f32x8_gt(t->lo[k], f32x8_splat(box->centre[k] + box->half[k])) |
                 f32x8_lt(t->hi[k], f32x8_splat(box->centre[k] - box->half[k]));
    return ~i32x8_movemask(apart) & ((1u << t->count) - 1);
}

/* How far the box is beyond the triangles along the aim. */
BVPI_INLINE_LONG f32x8 narrow_aim_gap(const leaf_frame *frame, const narrow_leaf *leaf,
                                      const narrow_box *box, bool is_a)
{
    const f32x8 *c = leaf->tri.corner;
    const float *v = frame->aim;
    const f32x8 aim[3] = {f32x8_splat(v[0]), f32x8_splat(v[1]), f32x8_splat(v[2])};
    const f32x8 d[3] = {dot3(aim, c), dot3(aim, c + 3), dot3(aim, c + 6)};
    const float at = v[0] * box->centre[0] + v[1] * box->centre[1] + v[2] * box->centre[2];
    const float v_1 = fabsf(v[0]) + fabsf(v[1]) + fabsf(v[2]);
    float reach = v_1 * (2 * frame->slack);
    if (is_a) {
        reach +=
            fabsf(v[0]) * box->half[0] + fabsf(v[1]) * box->half[1] + fabsf(v[2]) * box->half[2];
    } else {
        reach += v_1 * box->slack;
        BVPI_UNROLL
        for (int j = 0; j < 3; j++)
            reach +=
                fabsf(v[0] * box->edge[j][0] + v[1] * box->edge[j][1] + v[2] * box->edge[j][2]);
    }
    return f32x8_max(min3(d[0], d[1], d[2]) - (at + reach), (at - reach) - max3(d[0], d[1], d[2]));
}

/* Lanes whose triangles may be as near to the box as the limit. */
BVPI_INLINE_LONG unsigned narrow_within(const leaf_frame *frame, const narrow_leaf *leaf,
                                        const narrow_box *box, bool is_a, float limit_sq)
{
    const tri_leaf *t = &leaf->tri;
    f32x8 gap_sq = {0};
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        f32x8 gap = max3(t->lo[k] - (box->centre[k] + box->half[k]),
                         (box->centre[k] - box->half[k]) - t->hi[k], f32x8_splat(0));
        gap_sq += gap * gap;
    }
    unsigned lanes = ~i32x8_movemask(f32x8_gt(gap_sq, f32x8_splat(limit_sq)));
    lanes &= (1u << t->count) - 1;
    lanes &=
        ~leaf_over(narrow_aim_gap(frame, leaf, box, is_a), f32x8_splat(frame->aim_sq), limit_sq);
    lanes &= ~leaf_over(narrow_normal_gap(leaf, box, is_a), t->normal_sq, limit_sq);
    return lanes & ~leaf_over(narrow_side_gap(leaf, box, is_a), leaf->side_sq, limit_sq);
}

/* ---- rows of triangles ----------------------------------------------------------------------- */

/* How far lanes of b are beyond the slab across the longest edge of lane i of a, times the side's
 * length. Facets of tubes, one in the other, cross one another's planes, not one another's slabs.
 */
BVPI_INLINE_LONG f32x8 narrow_side_gap_a(const narrow_leaf *a, const tri_leaf *b, unsigned i)
{
    const f32x8 m[3] = {f32x8_splat(a->side[0][i]), f32x8_splat(a->side[1][i]),
                        f32x8_splat(a->side[2][i])};
    const f32x8 d[3] = {dot3(m, b->corner), dot3(m, b->corner + 3), dot3(m, b->corner + 6)};
    return f32x8_max(min3(d[0], d[1], d[2]) - a->side_hi[i],
                     a->side_lo[i] - max3(d[0], d[1], d[2]));
}

/* How far lane i of a is beyond such slabs of lanes of b. */
BVPI_INLINE_LONG f32x8 narrow_side_gap_b(const tri_leaf *a, const narrow_leaf *b, unsigned i)
{
    const f32x8 *c = a->corner, *m = b->side;
    f32x8 d[3];
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        d[k] = m[0] * c[3 * k][i] + m[1] * c[3 * k + 1][i] + m[2] * c[3 * k + 2][i];
    return f32x8_max(min3(d[0], d[1], d[2]) - b->side_hi, b->side_lo - max3(d[0], d[1], d[2]));
}

/* leaf_touching_of, and the slabs across the longest edges if the parts seem to mate, that is, once
 * a batch of pairs has been tested without a hit. Not before: fewer queued pairs fill the batch of
 * eight later, and where parts do meet, the hit is then found later. */
BVPI_INLINE_LONG unsigned narrow_touching_of(const narrow_leaf *a, const narrow_leaf *b, unsigned i,
                                             unsigned lanes, bool seem_to_mate)
{
    const f32x8 zero = {0};
    lanes = leaf_touching_of(&a->tri, &b->tri, i, lanes);
    if (lanes != 0 && seem_to_mate)
        lanes &= ~i32x8_movemask(f32x8_gt(narrow_side_gap_a(a, &b->tri, i), zero) |
                                 f32x8_gt(narrow_side_gap_b(&a->tri, b, i), zero));
    return lanes;
}

#endif
