/* SPDX-License-Identifier: MIT
 * front_planes.h: separating planes between boxes, and between triangles and a leaf's triangles,
 * eight pairs at a time, for kernels.
 *
 * Any normal of length at most 1 gives a lower bound of the distance: the gap between the two
 * projections. So normals are chosen freely, several are tried for each pair, and the best is kept.
 * unit_normals() makes them a little shorter than 1, to be safe against rounding.
 *
 * Spec: exactness.md, chapter 11, "Front"
 */
#ifndef BVPI_QUERY_WARM_FRONT_PLANES_H
#define BVPI_QUERY_WARM_FRONT_PLANES_H

#include "query/pair/pair_narrow.h"

/* The best normal so far of each of eight pairs, and its gap. */
typedef struct front_planes {
    f32x8 normal[3], gap;
} front_planes;

static inline void planes_init(front_planes *planes)
{
    for (int k = 0; k < 3; k++)
        planes->normal[k] = f32x8_splat(0);
    planes->gap = f32x8_splat(-INFINITY);
}

/* Directions of length 1 or a little less; 0 where they are too short. */
BVPI_INLINE void unit_normals(f32x8 n[3])
{
    const f32x8 square = dot3(n, n);
    const i32x8 usable =
        f32x8_gt(square, f32x8_splat(0x1p-60f)) & f32x8_lt(square, f32x8_splat(0x1p100f));
    const f32x8 factor = f32x8_splat(1 - 0x1p-20f) / f32x8_sqrt(square);
    for (int k = 0; k < 3; k++)
        n[k] = f32x8_select(usable, n[k] * factor, f32x8_splat(0));
}

/* Along n a's side ends at `a`, b's begins at `b`. */
BVPI_INLINE void offer_planes(front_planes *best, const f32x8 n[3], f32x8 a, f32x8 b)
{
    const f32x8 gap = b - a;
    const i32x8 better = f32x8_gt(gap, best->gap);
    for (int k = 0; k < 3; k++)
        best->normal[k] = f32x8_select(better, n[k], best->normal[k]);
    best->gap = f32x8_select(better, gap, best->gap);
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/* Pairs of boxes; centres of b in a's frame. */
typedef struct front_boxes {
    f32x8 centre_a[3], half_a[3], centre_b[3], half_b[3];
} front_boxes;

BVPI_INLINE void offer_to_boxes(const bvpi_box_pair *pair, const front_boxes *x, f32x8 n[3],
                                front_planes *best)
{
    unit_normals(n);
    f32x8 a = dot3(n, x->centre_a), b = dot3(n, x->centre_b);
    for (int k = 0; k < 3; k++) {
        const f32x8 along = n[0] * pair->r[0][k] + n[1] * pair->r[1][k] + n[2] * pair->r[2][k];
        a += f32x8_abs(n[k]) * x->half_a[k];
        b -= f32x8_abs(along) * x->half_b[k];
    }
    offer_planes(best, n, a, b);
}

BVPI_INLINE f32x8 signed_gap(f32x8 along, f32x8 radius)
{
    const f32x8 zero = {0};
    const f32x8 gap = f32x8_max(f32x8_abs(along) - radius, zero);
    return f32x8_select(f32x8_lt(along, zero), -gap, gap);
}

/* Normals tried: from gap to gap along a's axes, and b's; from centre to centre; the aim. */
static inline void planes_of_boxes(const bvpi_box_pair *pair, const front_boxes *x,
                                   front_planes *best)
{
    f32x8 d[3], n[3], m[3] = {f32x8_splat(0), f32x8_splat(0), f32x8_splat(0)};
    planes_init(best);
    for (int k = 0; k < 3; k++)
        d[k] = x->centre_b[k] - x->centre_a[k];
    for (int k = 0; k < 3; k++) {
        const float *row = pair->r[k];
        n[k] = signed_gap(d[k], x->half_a[k] + x->half_b[0] * fabsf(row[0]) +
                                    x->half_b[1] * fabsf(row[1]) + x->half_b[2] * fabsf(row[2]));
        const float e[3] = {pair->r[0][k], pair->r[1][k], pair->r[2][k]};
        const float square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 0x1p-60f;
        const f32x8 gap = signed_gap(d[0] * e[0] + d[1] * e[1] + d[2] * e[2],
                                     x->half_b[k] * square + x->half_a[0] * fabsf(e[0]) +
                                         x->half_a[1] * fabsf(e[1]) + x->half_a[2] * fabsf(e[2])) /
                          square;
        for (int i = 0; i < 3; i++)
            m[i] += gap * e[i];
    }
    offer_to_boxes(pair, x, n, best);
    offer_to_boxes(pair, x, m, best);
    offer_to_boxes(pair, x, d, best);
    for (int k = 0; k < 3; k++)
        n[k] = f32x8_splat(pair->aim[k]);
    offer_to_boxes(pair, x, n, best);
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* The box of all of a leaf's triangles. */
typedef struct front_hull {
    float lo[3], hi[3];
} front_hull;

static inline void hull_of(const tri_leaf *leaf, front_hull *out)
{
    for (int i = 0; i < 3; i++) {
        out->lo[i] = leaf->lo[i][0];
        out->hi[i] = leaf->hi[i][0];
        for (unsigned lane = 1; lane < leaf->count; lane++) {
            out->lo[i] = leaf->lo[i][lane] < out->lo[i] ? leaf->lo[i][lane] : out->lo[i];
            out->hi[i] = leaf->hi[i][lane] > out->hi[i] ? leaf->hi[i][lane] : out->hi[i];
        }
    }
}

static inline float least_lane(f32x8 x)
{
    float least = x[0];
    for (int lane = 1; lane < 8; lane++)
        least = x[lane] < least ? x[lane] : least;
    return least;
}

static inline f32x8 end_of_a(const tri_leaf *a, const f32x8 n[3])
{
    return max3(dot3(n, a->corner), dot3(n, a->corner + 3), dot3(n, a->corner + 6));
}

/* n: one for each lane of a, towards b. */
BVPI_INLINE void offer_to_leaf(const tri_leaf *a, const tri_leaf *b, f32x8 n[3], front_planes *best)
{
    f32x8 least = f32x8_splat(INFINITY);
    unit_normals(n);
    for (unsigned j = 0; j < b->count; j++)
        for (int k = 0; k < 9; k += 3)
            least = f32x8_min(n[0] * b->corner[k][j] + n[1] * b->corner[k + 1][j] +
                                  n[2] * b->corner[k + 2][j],
                              least);
    offer_planes(best, n, end_of_a(a, n), least);
}

/* v: one for all lanes, towards b. */
BVPI_INLINE void offer_one_to_leaf(const tri_leaf *a, const tri_leaf *b, const float v[3],
                                   front_planes *best)
{
    const f32x8 *c = b->corner;
    f32x8 n[3] = {f32x8_splat(v[0]), f32x8_splat(v[1]), f32x8_splat(v[2])};
    unit_normals(n);
    const float least = least_lane(min3(dot3(n, c), dot3(n, c + 3), dot3(n, c + 6)));
    offer_planes(best, n, end_of_a(a, n), f32x8_splat(least));
}

/* Normals of small triangles are scaled so that their squares do not vanish. */
#define NORMAL_SCALE 0x1p20f

/* Between each triangle of a and all of b. Normals tried: the triangle's; from gap to gap along a's
 * axes; those of b's triangles; the aim. */
static inline void planes_of_leaves(const tri_leaf *a, const tri_leaf *b, const float aim[3],
                                    front_planes *best)
{
    const f32x8 zero = {0};
    front_hull hull;
    f32x8 n[3], d[3];
    planes_init(best);
    hull_of(b, &hull);
    for (int k = 0; k < 3; k++)
        d[k] = b->corner[k][0] - a->corner[k];
    const i32x8 behind = f32x8_lt(dot3(a->normal, d), zero);
    for (int k = 0; k < 3; k++)
        n[k] = f32x8_select(behind, -a->normal[k], a->normal[k]) * NORMAL_SCALE;
    offer_to_leaf(a, b, n, best);
    for (int k = 0; k < 3; k++)
        n[k] = f32x8_max(hull.lo[k] - a->hi[k], zero) - f32x8_max(a->lo[k] - hull.hi[k], zero);
    offer_to_leaf(a, b, n, best);
    offer_one_to_leaf(a, b, aim, best);
    for (unsigned j = 0; j < b->count; j++) {
        const f32x8 *m = b->normal;
        const float side = m[0][j] * d[0][0] + m[1][j] * d[1][0] + m[2][j] * d[2][0];
        const float scale = side < 0 ? -NORMAL_SCALE : NORMAL_SCALE;
        offer_one_to_leaf(a, b, (float[3]){m[0][j] * scale, m[1][j] * scale, m[2][j] * scale},
                          best);
    }
}

#endif
