/* SPDX-License-Identifier: MIT
 * tri_tri.h: do closed triangles meet? Eight pairs at a time: filters in float, then in double,
 * then exact arithmetic for the rest.
 *
 * Filters answer only what their error bounds prove (tri_tri_filter.h). For axis-parallel
 * placements the triangles' ranges are compared between float and double: what floats leave open
 * there is mostly faces that are flush or a hair apart.
 * Slow twin: rational arithmetic, tests/unit/test_tri_tri.c.
 * Spec: exactness.md, chapter 5
 * Measured: decisions.md, "The exact stage where faces are flush"
 */
#ifndef BVPI_PRIM_TRI_TRI_H
#define BVPI_PRIM_TRI_TRI_H

#include "base/simd.h"
#include "prim/pose.h"
#include "prim/tri_tri_exact.h"
#include "prim/vec.h"

#define VEC         f32x8
#define MASK        i32x8
#define OP(name)    f32x8_##name
#define SPLAT(x)    f32x8_splat(x)
#define NAME(x)     x##_f32
#define MOVEMASK(m) i32x8_movemask(m)
#define UNIT        0x1p-24f
#define LOST        0x1p-100f
#include "prim/tri_tri_filter.h"

#define VEC         f64x4
#define MASK        i64x4
#define OP(name)    f64x4_##name
#define SPLAT(x)    f64x4_splat(x)
#define NAME(x)     x##_f64
#define MOVEMASK(m) i64x4_movemask(m)
#define UNIT        0x1p-53
#define LOST        0x1p-900
#include "prim/tri_tri_filter.h"

typedef struct bvpi_tri_tri8_result {
    unsigned hit;    /* bit i: the triangles of lane i have a point in common */
    unsigned proper; /* subset of hit: they cross transversally (BVPI_PROPER) */
    unsigned exact;  /* lanes that needed the exact stage; for statistics */
} bvpi_tri_tri8_result;

/* ---- eight pairs in float -------------------------------------------------------------------- */

/* B's corners relative to p0, computed in double and rounded to float at the end. */
BVPI_INLINE_LONG void bvpi_pairs_place_b(const bvpi_pose *pose, const f32x8 p0[3], const f32x8 b[9],
                                         bvpi_pairs_f32 *p)
{
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const double *row = pose->x + 4 * x;
        f64x4 r0 = f64x4_splat(row[0] * pose->scale), r1 = f64x4_splat(row[1] * pose->scale);
        f64x4 r2 = f64x4_splat(row[2] * pose->scale), t = f64x4_splat(row[3] * pose->scale);
        f64x4 low[3], high[3], t_low = t - f64x4_from_low(p0[x]),
                               t_high = t - f64x4_from_high(p0[x]);
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            const f32x8 *q = b + 3 * k;
            low[k] = r0 * f64x4_from_low(q[0]) + r1 * f64x4_from_low(q[1]) +
                     r2 * f64x4_from_low(q[2]) + t_low;
            high[k] = r0 * f64x4_from_high(q[0]) + r1 * f64x4_from_high(q[1]) +
                      r2 * f64x4_from_high(q[2]) + t_high;
            p->b[k][x] = f32x8_from_f64(low[k], high[k]);
        }
        p->f1[x] = f32x8_from_f64(low[1] - low[0], high[1] - high[0]);
        p->f2[x] = f32x8_from_f64(low[2] - low[0], high[2] - high[0]);
        p->f12[x] = f32x8_from_f64(low[2] - low[1], high[2] - high[1]);
    }
}

/* The same for equal placements, where part coordinates are comparable directly. */
BVPI_INLINE_LONG void bvpi_pairs_same_b(f32x8 scale, const f32x8 p0[3], const f32x8 b[9],
                                        bvpi_pairs_f32 *p)
{
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        f32x8 q0 = b[x] * scale, q1 = b[3 + x] * scale, q2 = b[6 + x] * scale;
        p->b[0][x] = q0 - p0[x];
        p->b[1][x] = q1 - p0[x];
        p->b[2][x] = q2 - p0[x];
        p->f1[x] = q1 - q0;
        p->f2[x] = q2 - q0;
        p->f12[x] = q2 - q1;
    }
}

BVPI_INLINE_LONG void bvpi_pairs_load_f32(const bvpi_pose *pose, const f32x8 a[9], const f32x8 b[9],
                                          bvpi_pairs_f32 *p)
{
    f32x8 scale = f32x8_splat((float)pose->scale), p0[3];
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        p0[x] = a[x] * scale;
        f32x8 p1 = a[3 + x] * scale, p2 = a[6 + x] * scale;
        p->a1[x] = p1 - p0[x];
        p->a2[x] = p2 - p0[x];
        p->a12[x] = p2 - p1;
    }
    if (pose->same)
        bvpi_pairs_same_b(scale, p0, b, p);
    else
        bvpi_pairs_place_b(pose, p0, b, p);
    /* scaling the floats may have lost 2^-126 */
    p->eta = f32x8_splat((float)(pose->eta * pose->scale) * (1 + 0x1p-20f) + 0x1p-100f);
}

/* ---- pairs that floats leave open: four at a time in double, then exactly -------------------- */

typedef struct bvpi_pair_corners {
    float a[9], b[9];
} bvpi_pair_corners;

BVPI_INLINE_LONG void bvpi_pair_gather(const f32x8 a[9], const f32x8 b[9], unsigned lane,
                                       bvpi_pair_corners *out)
{
    for (int k = 0; k < 9; k++) {
        out->a[k] = a[k][lane];
        out->b[k] = b[k][lane];
    }
}

static inline void bvpi_pairs_load_f64(const bvpi_pose *pose, const bvpi_pair_corners *c, int lane,
                                       bvpi_pairs_f64 *p)
{
    double scale = pose->scale;
    const float *a = c->a, *b = c->b;
    for (int x = 0; x < 3; x++) {
        const double *row = pose->x + 4 * x;
        double p0 = (double)a[x], q[3];
        for (int k = 0; k < 3; k++) {
            q[k] = row[0] * (double)b[3 * k] + row[1] * (double)b[3 * k + 1] +
                   row[2] * (double)b[3 * k + 2] + (row[3] - p0);
            p->b[k][x][lane] = q[k] * scale;
        }
        p->a1[x][lane] = ((double)a[3 + x] - p0) * scale;
        p->a2[x][lane] = ((double)a[6 + x] - p0) * scale;
        p->a12[x][lane] = ((double)a[6 + x] - (double)a[3 + x]) * scale;
        p->f1[x][lane] = (q[1] - q[0]) * scale;
        p->f2[x][lane] = (q[2] - q[0]) * scale;
        p->f12[x][lane] = (q[2] - q[1]) * scale;
    }
}

static inline void bvpi_pair_exact(const bvpi_pose *pose, const bvpi_pair_corners *c, unsigned lane,
                                   bvpi_tri_tri8_result *out)
{
    const double *ma = pose->same ? NULL : pose->ma, *mb = pose->same ? NULL : pose->mb;
    unsigned bits = bvpi_tri_tri_exact(c->a, c->b, ma, mb);
    out->hit |= (bits & BVPI_MEET ? 1u : 0u) << lane;
    out->proper |= (bits & BVPI_PROPER ? 1u : 0u) << lane;
    out->exact |= 1u << lane;
}

/* `lanes` has at most four bits set. any: see bvpi_tri_tri8. */
static inline void bvpi_tri_tri4(const bvpi_pose *pose, const f32x8 a[9], const f32x8 b[9],
                                 unsigned lanes, bool any, bvpi_tri_tri8_result *out)
{
    bvpi_pair_corners c[4];
    bvpi_pairs_f64 p;
    unsigned lane[4], count = 0;
    for (unsigned left = lanes; left != 0; left &= left - 1)
        lane[count++] = bvpi_lowest_bit(left);
    for (unsigned i = 0; i < 4; i++) {
        bvpi_pair_gather(a, b, lane[i < count ? i : 0], &c[i]);
        bvpi_pairs_load_f64(pose, &c[i], (int)i, &p);
    }
    p.eta = f64x4_splat(pose->eta * pose->scale + 0x1p-900);
    unsigned in_play = (1u << count) - 1;
    bvpi_verdict_f64 v = by_signs_f64(&p, in_play);
    unsigned open = in_play & ~v.hit & ~v.miss;
    if (open != 0)
        open &= ~by_axes_f64(&p, open);
    for (unsigned i = 0; i < count; i++) {
        out->hit |= (v.hit >> i & 1) << lane[i];
        out->proper |= (v.hit >> i & 1) << lane[i];
    }
    for (unsigned i = 0; i < count && !(any && out->hit != 0); i++) {
        if (open >> i & 1)
            bvpi_pair_exact(pose, &c[i], lane[i], out);
    }
}

/* Decides the lanes that floats left open. */
static inline void bvpi_tri_tri_rest(const bvpi_pose *pose, const f32x8 a[9], const f32x8 b[9],
                                     unsigned lanes, bool any, bvpi_tri_tri8_result *out)
{
    while (lanes != 0 && !(any && out->hit != 0)) {
        unsigned four = 0;
        for (int i = 0; i < 4 && lanes != 0; i++) {
            four |= lanes & -lanes;
            lanes &= lanes - 1;
        }
        bvpi_tri_tri4(pose, a, b, four, any, out);
    }
}

/* ---- flush faces ----------------------------------------------------------------------------- */

/* If axes go to axes, pairs that floats leave open are mostly a hair apart along an axis. Their
 * boxes, in double, separate them: a coordinate of B minus one of A errs by at most eta. */

/* The range of each axis; comparing floats is exact. */
BVPI_INLINE_LONG void bvpi_tri_ranges(const f32x8 t[9], f32x8 lo[3], f32x8 hi[3])
{
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        lo[x] = min3_f32(t[x], t[3 + x], t[6 + x]);
        hi[x] = max3_f32(t[x], t[3 + x], t[6 + x]);
    }
}

/* Four of the pairs: is B certainly beyond A along axis x? */
BVPI_INLINE_LONG i64x4 bvpi_flush_beyond(const bvpi_pose *pose, int x, f64x4 lo_a, f64x4 hi_a,
                                         const f64x4 lo_b[3], const f64x4 hi_b[3])
{
    const double *row = pose->x + 4 * x;
    f64x4 lo = f64x4_splat(row[3]), hi = lo, eta = f64x4_splat(pose->eta);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        lo += (row[k] < 0 ? hi_b[k] : lo_b[k]) * row[k];
        hi += (row[k] < 0 ? lo_b[k] : hi_b[k]) * row[k];
    }
    return f64x4_gt(lo - hi_a, eta) | f64x4_gt(lo_a - hi, eta);
}

/* The lanes whose triangles are certainly apart along an axis. */
static inline unsigned bvpi_flush_apart(const bvpi_pose *pose, const f32x8 a[9], const f32x8 b[9])
{
    f32x8 lo_a[3], hi_a[3], lo_b[3], hi_b[3];
    f64x4 low_lo[3], low_hi[3], high_lo[3], high_hi[3];
    i64x4 low = {0}, high = {0};
    bvpi_tri_ranges(a, lo_a, hi_a);
    bvpi_tri_ranges(b, lo_b, hi_b);
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        low_lo[x] = f64x4_from_low(lo_b[x]);
        low_hi[x] = f64x4_from_low(hi_b[x]);
        high_lo[x] = f64x4_from_high(lo_b[x]);
        high_hi[x] = f64x4_from_high(hi_b[x]);
    }
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        low |= bvpi_flush_beyond(pose, x, f64x4_from_low(lo_a[x]), f64x4_from_low(hi_a[x]), low_lo,
                                 low_hi);
        high |= bvpi_flush_beyond(pose, x, f64x4_from_high(lo_a[x]), f64x4_from_high(hi_a[x]),
                                  high_lo, high_hi);
    }
    return (unsigned)i64x4_movemask(low) | (unsigned)i64x4_movemask(high) << 4;
}

/* ---- the test -------------------------------------------------------------------------------- */

/* Lane i of a and of b is a pair, in part coordinates: a[3 * corner + axis]. lanes: mask of the
 * pairs to test; other lanes may hold anything. any: only whether some pair meets is asked. Then
 * `hit` is 0 exactly if none does, and otherwise may lack others: once a pair is known to meet,
 * nothing more is tested. */
static inline bvpi_tri_tri8_result bvpi_tri_tri8(const bvpi_pose *pose, const f32x8 a[9],
                                                 const f32x8 b[9], unsigned lanes, bool any)
{
    bvpi_tri_tri8_result out = {0, 0, 0};
    if (pose->float_ok) {
        bvpi_pairs_f32 p;
        bvpi_pairs_load_f32(pose, a, b, &p);
        bvpi_verdict_f32 v = by_signs_f32(&p, lanes);
        out.hit = out.proper = v.hit;
        lanes &= ~(v.hit | v.miss);
        if (any && out.hit != 0)
            return out;
        if (lanes != 0)
            lanes &= ~by_axes_f32(&p, lanes);
    }
    if (lanes != 0 && pose->is_flush)
        lanes &= ~bvpi_flush_apart(pose, a, b);
    bvpi_tri_tri_rest(pose, a, b, lanes, any, &out);
    return out;
}

#endif
