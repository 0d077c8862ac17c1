/* SPDX-License-Identifier: MIT
 * binary_boxes.h: one pair of boxes on all axes of box_box.h side by side, and the boxes of a
 * leaf's triangles against one box; for kernels.
 *
 * box_box.h tests eight boxes against one, axis after axis. A binary hierarchy has one new box at a
 * time, so here the lanes are the axes: two vectors of eight hold the three axes of a, the three of
 * b and the nine products of edges. Whatever depends on one box alone, its centre in a's frame and
 * its reach along each axis, is computed once for all pairs that the box is in.
 *
 * A leaf's triangles fill little of their boxes, so they are tested on their own axes in the
 * leaves' frame (obb_tri8.h), as far as b appears neither sheared nor stretched. Distances have
 * both: only boxes_gap_sq bounds the world's lengths whatever the placements.
 *
 * Spec: exactness.md, chapter 10, "Boxes of binary hierarchies"
 * Based on: Zachmann, Minimal hierarchical collision detection, 2002, section 3.3.
 */
#ifndef BVPI_QUERY_PAIR_BINARY_BOXES_H
#define BVPI_QUERY_PAIR_BINARY_BOXES_H

#include "prim/obb_tri8.h"
#include "query/pair/binary_pair.h"
#include "query/pair/pair_boxes.h"

/* From work units to the leaves' frame; size: of half sides. */
typedef struct box_frame {
    double map[12], size[3];
} box_frame;

/* The axes of a bvpi_box_pair as lanes of two vectors. The aim is not among them: it changes during
 * the walk, while reaches that were computed for it would still be on the stack. */
typedef struct box_axes {
    bvpi_box_pair pair;
    float axis[3][BVPI_AXES]; /* rows: x, y and z of the axes */
    float weight[BVPI_AXES];  /* turns a gap into a length; 0: no length from this axis */
    unsigned used;            /* bit k: axis k is tested */
    double scale[2][3];       /* from part coordinates to work units; b's first */
    /* A leaf's triangles are tested in the leaves' frame on their own axes, too (obb_tri8.h), where
     * b appears neither sheared nor stretched. The rest is set then. */
    bool by_triangles, lite;
    bool by_boxes;             /* they are tested by their own boxes, as well or only */
    box_frame frame[2];        /* b's first */
    double axis_b[3][4], bend; /* as in bvpi_obb, of b's boxes there; what their halves grow by */
    double leaf_slack;
} box_axes;

/* A box of either side in work units, and what depends on it alone. */
typedef struct box_volume {
    float centre[3], half[3];
    float at[3];            /* the centre in a's frame */
    float reach[BVPI_AXES]; /* along each axis; of b: and the slack */
} box_volume;

/* The leaves' frame is a's, times pose.scale. */
static inline void box_frame_init(const bvpi_tree *grid, const float unit[3], const double map[12],
                                  double scale, double stretch, box_frame *out)
{
    for (int i = 0; i < 3; i++) {
        const double *from = map + 4 * i;
        double *row = out->map + 4 * i;
        row[3] = from[3];
        for (int j = 0; j < 3; j++) {
            row[3] += from[j] * grid->grid_origin[j];
            row[j] = from[j] * (grid->grid_unit / (double)unit[j]) * scale;
        }
        row[3] *= scale;
        out->size[i] = grid->grid_unit / (double)unit[i] * scale * stretch;
    }
}

static inline void box_frames_init(box_axes *out, const binary_pair *p)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const bvpi_pose *pose = &p->test.pose;
    bvpi_near_rotation near;
    out->by_triangles = p->test.frame.slack < 1 && bvpi_near_rotation_of(pose->x, &near);
    if (!out->by_triangles)
        return;
    box_frame_init(&p->test.b->at.tree, out->pair.unit_b, pose->x, pose->scale, near.stretch,
                   &out->frame[0]);
    box_frame_init(&p->test.a->at.tree, out->pair.unit_a, identity, pose->scale, 1, &out->frame[1]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            out->axis_b[i][j] = j < 3 ? near.rotation[3 * i + j] : 0;
    out->bend = near.bend;
    /* box and triangles err by a slack each along the frame's axes, sqrt(3) of it along others */
    out->leaf_slack = 4 * (double)p->test.frame.slack;
}

static inline void box_axes_init(box_axes *out, const binary_pair *p, bool by_distance,
                                 bvp_box_test test)
{
    const bvpi_placed_tree *a = &p->test.a->at, *b = &p->test.b->at;
    bvpi_box_pair *pair = &out->pair;
    init_boxes(pair, &p->test.pose, a, b, by_distance, 0);
    if (!by_distance && test == BVP_TEST_SAT_LITE)
        pair->edges = false;
    memset(out->axis, 0, sizeof out->axis);
    memset(out->weight, 0, sizeof out->weight);
    for (int i = 0; i < 3; i++) {
        out->scale[0][i] = (double)pair->unit_b[i] / b->tree.grid_unit;
        out->scale[1][i] = (double)pair->unit_a[i] / a->tree.grid_unit;
        out->axis[i][BVPI_AXIS_A + i] = 1;
        out->weight[BVPI_AXIS_A + i] = pair->world_a[i];
        out->weight[BVPI_AXIS_B + i] = 1;
        for (int j = 0; j < 3; j++) {
            const int edge = BVPI_AXIS_EDGE + 3 * i + j;
            out->axis[i][BVPI_AXIS_B + j] = pair->n[j][i];
            out->axis[(i + 1) % 3][edge] = -pair->r[(i + 2) % 3][j];
            out->axis[(i + 2) % 3][edge] = pair->r[(i + 1) % 3][j];
            out->weight[edge] = pair->world_e[i][j];
        }
    }
    out->used = pair->edges ? (1u << BVPI_AXIS_AIM) - 1 : (1u << BVPI_AXIS_EDGE) - 1;
    out->lite = test == BVP_TEST_SAT_LITE;
    out->by_triangles = false;
    if (by_distance || (test != BVP_TEST_ALIGNED && test != BVP_TEST_LOOKUP))
        box_frames_init(out, p);
    out->by_boxes = by_distance || out->lite || !out->by_triangles;
}

/* lo, hi: part coordinates. The float box holds the one given: the centre is rounded first, and
 * both half sizes are measured from the rounded one. */
static inline void box_to_work(const box_axes *p, const bvpi_tree *grid, bool is_a,
                               const double lo[3], const double hi[3], float centre[3],
                               float half[3])
{
    for (int i = 0; i < 3; i++) {
        const double from = (lo[i] - grid->grid_origin[i]) * p->scale[is_a][i];
        const double to = (hi[i] - grid->grid_origin[i]) * p->scale[is_a][i];
        centre[i] = (float)(0.5 * (from + to));
        const double below = centre[i] - from, above = to - centre[i];
        half[i] = (float)((below > above ? below : above) * (1 + 0x1p-22));
    }
}

BVPI_INLINE void box_prepare(const box_axes *p, bool is_a, box_volume *out)
{
    static const float none[BVPI_AXES];
    const bvpi_box_pair *pair = &p->pair;
    const float *c = out->centre;
    for (int i = 0; i < 3; i++)
        out->at[i] =
            is_a ? c[i]
                 : pair->r[i][0] * c[0] + pair->r[i][1] * c[1] + pair->r[i][2] * c[2] + pair->t[i];
    bvpi_lone_reach(is_a ? pair->reach_a : pair->reach_b, is_a ? none : pair->slack, out->half,
                    out->reach);
}

/* How far apart the boxes are along eight of the axes. */
BVPI_INLINE f32x8 box_gaps(const box_axes *p, int first, const float d[3], const box_volume *a,
                           const box_volume *b)
{
    const f32x8 along = f32x8_load(p->axis[0] + first) * d[0] +
                        f32x8_load(p->axis[1] + first) * d[1] +
                        f32x8_load(p->axis[2] + first) * d[2];
    return f32x8_abs(along) - (f32x8_load(a->reach + first) + f32x8_load(b->reach + first));
}

/* The gap along the aim. */
static inline float box_gap_aim(const box_axes *p, const float d[3], const float half_a[3],
                                const float half_b[3])
{
    const bvpi_box_pair *pair = &p->pair;
    float along = 0, reach = pair->slack[BVPI_AXIS_AIM];
    for (int i = 0; i < 3; i++) {
        along += pair->aim[i] * d[i];
        reach += pair->reach_a[i][BVPI_AXIS_AIM] * half_a[i] +
                 pair->reach_b[i][BVPI_AXIS_AIM] * half_b[i];
    }
    return fabsf(along) - reach;
}

/* A lower bound of the squared distance from the gaps: lengths combine as in bvpi_boxes_gap_sq. */
static inline float box_gap_sq(const box_axes *p, f32x8 first, f32x8 second, float aim)
{
    const f32x8 zero = {0};
    const f32x8 v = f32x8_max(first, zero) * f32x8_load(p->weight);
    const f32x8 w = f32x8_max(second, zero) * f32x8_load(p->weight + 8);
    float most = aim > 0 ? aim : 0;
    for (int k = 0; k < 8; k++) {
        most = k >= BVPI_AXIS_EDGE && v[k] > most ? v[k] : most;
        most = w[k] > most ? w[k] : most;
    }
    const float by_a = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * p->pair.norm_a;
    const float by_b = (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) * p->pair.norm_b;
    const float by_faces = by_a > by_b ? by_a : by_b;
    return by_faces > most * most ? by_faces : most * most;
}

/* Must the pair be opened? A NaN in its boxes or gap counts as yes. */
BVPI_INLINE bool box_test(const box_axes *p, const box_volume *a, const box_volume *b,
                          bool by_distance, float limit_sq, float *gap_sq)
{
    const float d[3] = {b->at[0] - a->at[0], b->at[1] - a->at[1], b->at[2] - a->at[2]};
    const f32x8 zero = {0}, first = box_gaps(p, 0, d, a, b);
    if (!by_distance) {
        if ((i32x8_movemask(f32x8_gt(first, zero)) & p->used) != 0)
            return false;
        return p->used >> 8 == 0 ||
               (i32x8_movemask(f32x8_gt(box_gaps(p, 8, d, a, b), zero)) & p->used >> 8) == 0;
    }
    const f32x8 second = p->used >> 8 ? box_gaps(p, 8, d, a, b) : zero;
    const float found = box_gap_sq(p, first, second, box_gap_aim(p, d, a->half, b->half));
    *gap_sq = found > *gap_sq ? found : *gap_sq;
    return !(*gap_sq >= limit_sq);
}

/* Distance of the centres over the sizes, squared. */
static inline float box_rank(const box_volume *a, const box_volume *b)
{
    float distance_sq = 0, size = 1;
    for (int i = 0; i < 3; i++) {
        distance_sq += (b->at[i] - a->at[i]) * (b->at[i] - a->at[i]);
        size += a->half[i] + b->half[i];
    }
    return distance_sq / (size * size);
}

/* Sizes are compared in a's frame. */
static inline bool box_is_larger(const box_axes *p, const box_volume *a, const box_volume *b)
{
    float size_a = 0, size_b = 0;
    for (int i = 0; i < 3; i++) {
        size_a += a->half[i] * a->half[i];
        size_b += b->half[i] * b->half[i] * p->pair.size_b[i];
    }
    return size_a >= size_b;
}

/* ---- a leaf's triangles ---------------------------------------------------------------------- */

typedef struct box_leaf {
    binary_leaf leaf;
    bvpi_box8 boxes; /* of the triangles, in work units */
} box_leaf;

static inline void box_bound_leaf(const box_axes *p, const bvpi_tree *grid, bool is_a,
                                  box_leaf *out)
{
    const f32x8 *c = out->leaf.tri.stored.c;
    for (unsigned lane = 0; lane < 8 && p->by_boxes; lane++) {
        double lo[3], hi[3];
        float centre[3], half[3];
        for (int i = 0; i < 3; i++) {
            const float x = c[i][lane], y = c[3 + i][lane], z = c[6 + i][lane];
            const float less = x < y ? x : y, more = x < y ? y : x;
            lo[i] = (double)(z < less ? z : less);
            hi[i] = (double)(z > more ? z : more);
        }
        box_to_work(p, grid, is_a, lo, hi, centre, half);
        for (int i = 0; i < 3; i++) {
            out->boxes.centre[i][lane] = centre[i];
            out->boxes.half[i][lane] = half[i];
        }
    }
}

/* The box and the triangles, in the leaves' frame. False: the box is too large. */
BVPI_INLINE bool box_and_triangles(const box_axes *p, bool leaf_is_a, const tri_leaf *leaf,
                                   const box_volume *other, bvpi_obb_tri8 *out)
{
    const box_frame *frame = &p->frame[!leaf_is_a];
    const float *c = other->centre;
    bvpi_obb box;
    double more = 0;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const double *row = frame->map + 4 * i;
        box.half[i] = (double)other->half[i] * frame->size[i];
        box.centre[i] = leaf_is_a ? row[0] * (double)c[0] + row[1] * (double)c[1] +
                                        row[2] * (double)c[2] + row[3]
                                  : row[i] * (double)c[i] + row[3];
        more += box.half[i];
    }
    if (!leaf_is_a)
        return bvpi_obb_tri8_init_aligned(box.centre, box.half, leaf->corner, p->leaf_slack, out);
    memcpy(box.axis, p->axis_b, sizeof box.axis);
    BVPI_UNROLL
    for (int i = 0; i < 3; i++)
        box.half[i] += p->bend * more;
    return bvpi_obb_tri8_init(&box, 1, leaf->corner, p->leaf_slack, out);
}

/* The same by the triangles' own boxes, with a distance's bound. */
BVPI_INLINE unsigned box_test_boxes(const box_axes *p, bool leaf_is_a, const box_leaf *leaf,
                                    unsigned lanes, const box_volume *other, bool by_distance,
                                    float limit_sq, float *gap_sq)
{
    const bvpi_box_pair *pair = &p->pair;
    bvpi_lone_box lone;
    f32x8 d[3];
    assert(p->by_boxes);
    if (leaf_is_a)
        bvpi_lone_b(pair, other->centre, other->half, &lone);
    else
        bvpi_lone_a(pair, other->centre, other->half, &lone);
    bvpi_box_offset(pair, leaf_is_a, &leaf->boxes, &lone, d);
    if (!by_distance)
        return bvpi_boxes_meet(pair, leaf_is_a, &leaf->boxes, &lone, d, lanes);
    const f32x8 gaps = bvpi_boxes_gap_sq(pair, leaf_is_a, &leaf->boxes, &lone, d);
    lanes &= ~i32x8_movemask(f32x8_ge(gaps, f32x8_splat(limit_sq)));
    float nearest = INFINITY;
    for (unsigned left = lanes; left != 0; left &= left - 1) {
        const float gap = gaps[bvpi_lowest_bit(left)];
        nearest = gap < nearest ? gap : nearest;
    }
    *gap_sq = nearest > *gap_sq ? nearest : *gap_sq;
    return lanes;
}

/* Which of the triangles in `lanes` may answer with that box? gap_sq: of the nearest. A box that is
 * too large for their own axes tells nothing. */
BVPI_INLINE unsigned box_test_leaf(const box_axes *p, const binary_pair *pair, bool leaf_is_a,
                                   const box_leaf *leaf, unsigned lanes, const box_volume *other,
                                   bool by_distance, float *gap_sq)
{
    bvpi_obb_tri8 test;
    f32x8 gaps;
    if (p->by_triangles && box_and_triangles(p, leaf_is_a, &leaf->leaf.tri, other, &test))
        lanes = by_distance ? bvpi_obb_tri8_near(&test, pair->test.limit_sq, lanes, &gaps)
                            : bvpi_obb_tri8_meet(&test, p->lite, lanes);
    if (lanes == 0 || !p->by_boxes)
        return lanes;
    return box_test_boxes(p, leaf_is_a, leaf, lanes, other, by_distance, pair->limit_sq, gap_sq);
}

/* The query's limit, in square work units: rounded up; and the axis of the shortest distance so
 * far.
 */
static inline void box_take_note(box_axes *p, binary_pair *pair)
{
    const double work = pair->test.answer->limit / p->pair.world_unit;
    pair->limit_sq = (float)(work * work * (1 + 0x1p-18)) + 0x1p-100f;
    bvpi_box_pair_aim(&p->pair, pair->test.aim);
}

#endif
