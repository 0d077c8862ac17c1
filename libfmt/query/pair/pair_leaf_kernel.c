/* SPDX-License-Identifier: MIT
 * pair_leaf_kernel.c: decodes a leaf's triangles and computes their bounds (pair_leaf.h,
 * pair_narrow.h) in the frame of both parts; compiled once per instruction set.
 *
 * Not inlined into the kernels: a decoded leaf is cached and meets many others, so this runs for
 * few of the pairs of leaves.
 *
 * A slab whose direction is too short to be squared in float gets infinite ends: it leaves nothing
 * out.
 *
 * Held by tests/unit/test_pair_leaf.c.
 * Spec: exactness.md, chapter 10, "A leaf's triangles and boxes"
 * Measured: decisions.md, "Text of the library", "Queries between two bodies" (flush boxes).
 */
#include "query/pair/pair_narrow.h"

#include <assert.h>

static inline void leaf_bound_slabs(tri_leaf *leaf, float slack)
{
    const f32x8 *c = leaf->corner;
    f32x8 *n = leaf->normal, e[3], f[3];
    for (int i = 0; i < 3; i++) {
        e[i] = c[3 + i] - c[i];
        f[i] = c[6 + i] - c[i];
    }
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        n[i] = e[i1] * f[i2] - e[i2] * f[i1];
    }
    f32x8 d[3] = {dot3(n, c), dot3(n, c + 3), dot3(n, c + 6)};
    f32x8 margin = (f32x8_abs(n[0]) + f32x8_abs(n[1]) + f32x8_abs(n[2])) * (2 * slack);
    leaf->normal_sq = dot3(n, n);
    /* too short to be squared safely: the slab leaves nothing out */
    i32x8 usable = f32x8_gt(leaf->normal_sq, f32x8_splat(0x1p-100f));
    f32x8 all = f32x8_splat(INFINITY);
    leaf->slab_lo = f32x8_select(usable, min3(d[0], d[1], d[2]) - margin, -all);
    leaf->slab_hi = f32x8_select(usable, max3(d[0], d[1], d[2]) + margin, all);
}

/* The largest floats at most x - margin, except for ties. Subtracting half a unit in the last place
 * of a float before rounding to nearest rounds down. */
static inline f32x8 floats_below(f64x4 low, f64x4 high, double margin)
{
    const int64_t exponent = INT64_C(0x7ff) << 52;
    low -= margin;
    high -= margin;
    return f32x8_from_f64(low - (f64x4)((i64x4)low & exponent) * 0x1p-24,
                          high - (f64x4)((i64x4)high & exponent) * 0x1p-24);
}

/* Boxes of b where axes map to axes. Faces meant to be flush are often apart by an ulp of a
 * coordinate, which the slack of floats would hide: such pairs would all reach the triangle tests.
 * So the ends are computed in double, and rounded outward to floats; a's ends are floats anyway.
 * An end errs by eta in double, and the two subtractions by a quarter of it. */
static inline void leaf_bound_flush(const leaf_frame *frame, tri_leaf *leaf)
{
    const bvpi_pose *pose = frame->flush;
    const f32x8 *s = leaf->stored.c;
    const double margin = pose->eta * pose->scale * 1.25 + frame->pad + 0x1p-100;
    assert(pose->is_flush);
    f32x8 lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = min3(s[k], s[3 + k], s[6 + k]);
        hi[k] = max3(s[k], s[3 + k], s[6 + k]);
    }
    for (int i = 0; i < 3; i++) {
        f64x4 low[2], high[2];
        low[0] = low[1] = high[0] = high[1] = f64x4_splat(pose->x[4 * i + 3] * pose->scale);
        for (int k = 0; k < 3; k++) {
            const double x = pose->x[4 * i + k] * pose->scale;
            const f32x8 least = x < 0 ? hi[k] : lo[k], most = x < 0 ? lo[k] : hi[k];
            low[0] += f64x4_from_low(least) * x;
            low[1] += f64x4_from_high(least) * x;
            high[0] += f64x4_from_low(most) * x;
            high[1] += f64x4_from_high(most) * x;
        }
        leaf->lo[i] = floats_below(low[0], low[1], margin);
        leaf->hi[i] = -floats_below(-high[0], -high[1], margin);
    }
}

BVPI_INLINE void bound(const leaf_frame *frame, bool is_a, tri_leaf *leaf)
{
    const f32x8 *s = leaf->stored.c;
    f32x8 *c = leaf->corner;
    float slack = is_a ? frame->slack_a : frame->slack;
    assert(frame->slack_a == 0 || frame->slack == INFINITY);
    for (int k = 0; k < 9; k += 3)
        for (int i = 0; i < 3; i++) {
            const float *row = frame->map + 4 * i;
            c[k + i] = is_a ? s[k + i] * frame->scale
                            : s[k] * row[0] + s[k + 1] * row[1] + s[k + 2] * row[2] + row[3];
        }
    for (int i = 0; i < 3; i++) {
        leaf->lo[i] = min3(c[i], c[3 + i], c[6 + i]) - slack;
        leaf->hi[i] = max3(c[i], c[3 + i], c[6 + i]) + slack;
    }
    if (!is_a && frame->flush != NULL)
        leaf_bound_flush(frame, leaf);
    leaf_bound_slabs(leaf, frame->slack);
}

void leaf_bound(const leaf_frame *frame, bool is_a, tri_leaf *leaf)
{
    bound(frame, is_a, leaf);
}

/* Scales the product of normal and edge so that its square neither overflows nor underflows. */
#define NARROW_SCALE 0x1p36f

/* The slab in the triangle's plane, across its longest edge. */
BVPI_INLINE void bound_side(narrow_leaf *leaf, float slack)
{
    const f32x8 *c = leaf->tri.corner, *n = leaf->tri.normal;
    f32x8 e[3][3], length_sq[3], along[3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            e[k][i] = c[3 * ((k + 1) % 3) + i] - c[3 * k + i];
        length_sq[k] = dot3(e[k], e[k]);
    }
    i32x8 second = f32x8_gt(length_sq[1], length_sq[0]);
    i32x8 third = f32x8_gt(length_sq[2], f32x8_max(length_sq[0], length_sq[1]));
    for (int i = 0; i < 3; i++) {
        along[i] = f32x8_select(third, e[2][i], f32x8_select(second, e[1][i], e[0][i]));
        along[i] *= NARROW_SCALE;
    }
    f32x8 *m = leaf->side;
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        m[i] = n[i1] * along[i2] - n[i2] * along[i1];
    }
    f32x8 d[3] = {dot3(m, c), dot3(m, c + 3), dot3(m, c + 6)};
    leaf->normal_1 = f32x8_abs(n[0]) + f32x8_abs(n[1]) + f32x8_abs(n[2]);
    leaf->side_1 = f32x8_abs(m[0]) + f32x8_abs(m[1]) + f32x8_abs(m[2]);
    leaf->side_sq = dot3(m, m);
    f32x8 margin = leaf->side_1 * (2 * slack), all = f32x8_splat(INFINITY);
    i32x8 usable = f32x8_gt(leaf->side_sq, f32x8_splat(0x1p-100f));
    leaf->side_lo = f32x8_select(usable, min3(d[0], d[1], d[2]) - margin, -all);
    leaf->side_hi = f32x8_select(usable, max3(d[0], d[1], d[2]) + margin, all);
}

bool narrow_load(const bvpi_tree *tree, uint32_t item, unsigned count, const leaf_frame *frame,
                 bool is_a, narrow_leaf *leaf)
{
    assert(count >= 1 && count <= BVPD_LEAF_MAX);
    if (!bvpi_wide_triangles(tree, item, count, &leaf->tri.stored))
        return false;
    bound(frame, is_a, &leaf->tri);
    bound_side(leaf, frame->slack);
    return true;
}
