/* SPDX-License-Identifier: MIT
 * pair_leaf.h: bounds of single triangles in a frame common to both parts, and which pairs of them
 * are worth a test; for kernels.
 *
 * A leaf's up to eight triangles are brought into one frame. Each has its box there and its slab:
 * how far it reaches along its own normal, lo = hi for the triangle itself. A triangle of one leaf
 * is compared with all eight of the other at once: boxes, then either's slab. That leaves few pairs
 * for the triangle tests.
 *
 * Rounding: the frame is a's, scaled so that no coordinate exceeds 1 (pose.scale). With u = 2^-24,
 * a's corners are exact there; b's err by at most 7 u + eta, and their dot product with a vector v
 * by 3 u |v|_1 more. `slack` is 12 u + eta: it covers a corner, one projection and the comparison.
 * Only b's boxes and every slab are widened by it.
 *
 * Invariant: triangles that meet, or are within the limit, are never left out. Where floats cannot
 * hold the coordinates, slack is infinite and nothing is left out.
 *
 * Held by tests/unit/test_pair_leaf.c.
 * Spec: exactness.md, chapter 10, "A leaf's triangles and boxes"
 */
#ifndef BVPI_QUERY_PAIR_PAIR_LEAF_H
#define BVPI_QUERY_PAIR_PAIR_LEAF_H

#include <math.h>

#include "node/wide_node.h"
#include "prim/pose.h"

typedef struct leaf_frame {
    float map[12];        /* b's coordinates to the frame */
    float scale;          /* a's coordinates to the frame */
    float slack;          /* infinite if floats cannot hold the coordinates: no pair is left out */
    float slack_a;        /* of a's boxes: 0, but infinite when slack is */
    float aim[3], aim_sq; /* a direction along which gaps are likely, or 0 */
    const bvpi_pose *flush; /* overlap where axes map to axes: b's boxes in double; or NULL */
    double pad;             /* by how much b's triangles count as larger, in the frame */
} leaf_frame;

/* Can floats hold the map? b's coordinates are mapped to at most 1, but the map's entries may still
 * be out of range: beyond float's largest for denormal coordinates, below its smallest for huge
 * ones. An entry rounded to a multiple of 2^-149 is off by at most 2^-150. Where another entry of
 * its column exceeds 2^-100, b's coordinate is below 2^100, so less than 2^-50 is lost. */
static inline bool leaf_map_fits(const bvpi_pose *pose)
{
    for (int j = 0; j < 3; j++) {
        const double x = fabs(pose->x[j]), y = fabs(pose->x[4 + j]), z = fabs(pose->x[8 + j]);
        const double most = (x > y ? x > z ? x : z : y > z ? y : z) * pose->scale;
        if (!(most > 0x1p-100 && most < 0x1p127))
            return false;
    }
    return true;
}

/* by_distance: the query needs the size of gaps between boxes, not only their signs. pad:
 * triangles of b that are nearer than this, in a's units, are to be found as well. */
static inline void leaf_frame_init(leaf_frame *frame, const bvpi_pose *pose, bool by_distance,
                                   double pad)
{
    *frame = (leaf_frame){.slack = INFINITY, .slack_a = INFINITY};
    if (!pose->float_ok || !leaf_map_fits(pose))
        return;
    for (int k = 0; k < 12; k++)
        frame->map[k] = (float)(pose->x[k] * pose->scale);
    frame->scale = (float)pose->scale;
    frame->slack_a = 0;
    frame->flush = pose->is_flush && !by_distance ? pose : NULL;
    frame->pad = pad * pose->scale;
    frame->slack =
        (float)(12 * 0x1p-24 + pose->eta * pose->scale + frame->pad) * (1 + 0x1p-20f) + 0x1p-100f;
}

/* axis: as bvpi_box_pair_aim's. */
static inline void leaf_frame_aim(leaf_frame *frame, const double axis[3])
{
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    frame->aim_sq = 0;
    for (int i = 0; i < 3; i++) {
        frame->aim[i] = length > 0 ? (float)(axis[i] / length) : 0;
        frame->aim_sq += frame->aim[i] * frame->aim[i];
    }
}

/* Up to eight triangles: as stored, and in the frame with boxes and slabs. A triangle's slab is
 * lo <= normal . x <= hi; the other's projection error is added to it. */
typedef struct tri_leaf {
    bvpi_tri8 stored;
    f32x8 corner[9]; /* [3 * corner + axis] */
    f32x8 lo[3], hi[3];
    f32x8 normal[3], normal_sq, slab_lo, slab_hi;
    uint32_t item, count; /* count 0: nothing here */
} tri_leaf;

BVPI_INLINE f32x8 min3(f32x8 a, f32x8 b, f32x8 c)
{
    return f32x8_min(f32x8_min(a, b), c);
}

BVPI_INLINE f32x8 max3(f32x8 a, f32x8 b, f32x8 c)
{
    return f32x8_max(f32x8_max(a, b), c);
}

BVPI_INLINE f32x8 dot3(const f32x8 v[3], const f32x8 x[3])
{
    return v[0] * x[0] + v[1] * x[1] + v[2] * x[2];
}

/* pair_leaf_kernel.c, for the same instruction set. */
#define leaf_bound BVPI_ISA_NAME(bvpi_leaf_bound)
/* Fills in what follows from the stored corners. */
void leaf_bound(const leaf_frame *frame, bool is_a, tri_leaf *leaf);

/* How far lanes of b are beyond the slab of lane i of a, times the normal's length. */
BVPI_INLINE f32x8 leaf_gap_a(const tri_leaf *a, const tri_leaf *b, unsigned i)
{
    f32x8 n[3] = {f32x8_splat(a->normal[0][i]), f32x8_splat(a->normal[1][i]),
                  f32x8_splat(a->normal[2][i])};
    f32x8 d[3] = {dot3(n, b->corner), dot3(n, b->corner + 3), dot3(n, b->corner + 6)};
    return f32x8_max(min3(d[0], d[1], d[2]) - a->slab_hi[i],
                     a->slab_lo[i] - max3(d[0], d[1], d[2]));
}

/* How far lane i of a is beyond the slabs of lanes of b, times their normals' lengths. */
BVPI_INLINE f32x8 leaf_gap_b(const tri_leaf *a, const tri_leaf *b, unsigned i)
{
    f32x8 d[3];
    for (int k = 0; k < 3; k++)
        d[k] = b->normal[0] * a->corner[3 * k][i] + b->normal[1] * a->corner[3 * k + 1][i] +
               b->normal[2] * a->corner[3 * k + 2][i];
    return f32x8_max(min3(d[0], d[1], d[2]) - b->slab_hi, b->slab_lo - max3(d[0], d[1], d[2]));
}

/* Which of `lanes` of b have triangles that may touch lane i of a. Boxes that only share an end
 * count as apart, since ends of b's boxes lie strictly beyond what they bound. */
BVPI_INLINE unsigned leaf_touching_of(const tri_leaf *a, const tri_leaf *b, unsigned i,
                                      unsigned lanes)
{
    const f32x8 zero = {0};
    i32x8 apart = {0};
    for (int k = 0; k < 3; k++)
        apart |= f32x8_ge(b->lo[k], f32x8_splat(a->hi[k][i])) |
                 f32x8_le(b->hi[k], f32x8_splat(a->lo[k][i]));
    lanes &= ~i32x8_movemask(apart);
    if (lanes != 0)
        lanes &= ~i32x8_movemask(f32x8_gt(leaf_gap_a(a, b, i), zero));
    if (lanes != 0)
        lanes &= ~i32x8_movemask(f32x8_gt(leaf_gap_b(a, b, i), zero));
    return lanes;
}

BVPI_INLINE unsigned leaf_touching(const tri_leaf *a, const tri_leaf *b, unsigned i)
{
    return leaf_touching_of(a, b, i, (1u << b->count) - 1);
}

/* Lanes where gap is over the limit; limit_sq is rounded up by more than this errs. */
BVPI_INLINE unsigned leaf_over(f32x8 gap, f32x8 normal_sq, float limit_sq)
{
    i32x8 positive = f32x8_gt(gap, f32x8_splat(0));
    return i32x8_movemask(positive & f32x8_gt(gap * gap, normal_sq * limit_sq));
}

/* The intervals of two leaves' triangles along the aim; b's are widened by the slack. */
typedef struct leaf_spans {
    f32x8 lo_a, hi_a, lo_b, hi_b;
} leaf_spans;

BVPI_INLINE void leaf_spans_init(leaf_spans *spans, const leaf_frame *frame, const tri_leaf *a,
                                 const tri_leaf *b)
{
    f32x8 v[3] = {f32x8_splat(frame->aim[0]), f32x8_splat(frame->aim[1]),
                  f32x8_splat(frame->aim[2])};
    f32x8 slack = (f32x8_abs(v[0]) + f32x8_abs(v[1]) + f32x8_abs(v[2])) * (2 * frame->slack);
    const f32x8 *p = a->corner, *q = b->corner;
    f32x8 d[3] = {dot3(v, p), dot3(v, p + 3), dot3(v, p + 6)};
    f32x8 e[3] = {dot3(v, q), dot3(v, q + 3), dot3(v, q + 6)};
    spans->lo_a = min3(d[0], d[1], d[2]);
    spans->hi_a = max3(d[0], d[1], d[2]);
    spans->lo_b = min3(e[0], e[1], e[2]) - slack;
    spans->hi_b = max3(e[0], e[1], e[2]) + slack;
}

/* Which of `lanes` of b have triangles that may be as near to that of lane i of a as the limit. */
BVPI_INLINE unsigned leaf_within_of(const leaf_frame *frame, const leaf_spans *spans,
                                    const tri_leaf *a, const tri_leaf *b, unsigned i,
                                    unsigned lanes, float limit_sq)
{
    f32x8 gap_sq = {0};
    for (int k = 0; k < 3; k++) {
        f32x8 gap = max3(b->lo[k] - a->hi[k][i], a->lo[k][i] - b->hi[k], f32x8_splat(0));
        gap_sq += gap * gap;
    }
    lanes &= ~i32x8_movemask(f32x8_gt(gap_sq, f32x8_splat(limit_sq)));
    f32x8 gap = f32x8_max(spans->lo_b - spans->hi_a[i], spans->lo_a[i] - spans->hi_b);
    lanes &= ~leaf_over(gap, f32x8_splat(frame->aim_sq), limit_sq);
    if (lanes != 0)
        lanes &= ~leaf_over(leaf_gap_a(a, b, i), f32x8_splat(a->normal_sq[i]), limit_sq);
    if (lanes != 0)
        lanes &= ~leaf_over(leaf_gap_b(a, b, i), b->normal_sq, limit_sq);
    return lanes;
}

BVPI_INLINE unsigned leaf_within(const leaf_frame *frame, const leaf_spans *spans,
                                 const tri_leaf *a, const tri_leaf *b, unsigned i, float limit_sq)
{
    return leaf_within_of(frame, spans, a, b, i, (1u << b->count) - 1, limit_sq);
}

#endif
