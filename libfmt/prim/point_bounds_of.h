/* SPDX-License-Identifier: MIT
 * point_bounds_of.h: template: bounds of the distances of a point and several triangles in float,
 * in a type of vectors.
 *
 * Slow twin: squared distances in rationals, tests/unit/test_point_tri.c.
 * Spec: exactness.md, chapter 8
 * Measured: decisions.md, "In the browser"
 */

/* V: the vectors, MASK: their masks; OP(x): the name of operation x; NAME(x): x with the type's
 * suffix; BITS(x): a mask's bits. */

#include "prim/region_of.h"

enum { BVPI_POINT_LANES = sizeof(V) / sizeof(float) };

/* Corners relative to a point, scaled, and bounds of their coordinates on each axis. */
typedef struct NAME(bvpi_seen) {
    V corner[3][3], size[3];
} NAME(bvpi_seen);

/* tri: nine times eight floats. Two subtractions: each rounds relative to its result, or not at all
 * if the result is smaller than the point. Because of the second one sizes count 1.5 times. */
BVPI_INLINE void NAME(bvpi_see)(NAME(bvpi_seen) * out, const bvpi_point *point, const float *tri)
{
    const V scale = OP(splat)(point->scale_f);
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const V hi = OP(splat)(point->part_hi[x]), lo = OP(splat)(point->part_lo[x]);
        V *size = &out->size[x];
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            V at;
            memcpy(&at, tri + 8 * (3 * k + x), sizeof at);
            out->corner[k][x] = (at * scale - hi) - lo;
            *size = k ? OP(max)(*size, OP(abs)(out->corner[k][x])) : OP(abs)(out->corner[k][x]);
        }
        *size *= OP(splat)(1.5f);
    }
}

/* How far all corners are along v at least, times the length of v, which may be any vector. */
BVPI_INLINE V NAME(bvpi_gap)(const NAME(bvpi_seen) * t, const V v[3], float eta)
{
    V err = OP(splat)(0), sum = err;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        const V m = OP(abs)(v[x]);
        err += m * t->size[x];
        sum += m;
    }
    const V least =
        OP(min)(NAME(bvpi_dot)(v, t->corner[0]),
                OP(min)(NAME(bvpi_dot)(v, t->corner[1]), NAME(bvpi_dot)(v, t->corner[2])));
    return least - err * OP(splat)(12 * 0x1p-24f) - sum * OP(splat)(2 * eta);
}

/* Bits of those of which all corners, in part coordinates, are more than `most` along v. */
BVPI_INLINE unsigned NAME(bvpi_point_beyond)(const float v[3], const float *tri, float most)
{
    V least = OP(splat)(0);
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        V sum = least;
        BVPI_UNROLL
        for (int x = 0; x < 3; x++) {
            V at;
            memcpy(&at, tri + 8 * (3 * k + x), sizeof at);
            at *= OP(splat)(v[x]);
            sum = x ? sum + at : at;
        }
        least = k ? OP(min)(least, sum) : sum;
    }
    return BITS(OP(gt)(least, OP(splat)(most)));
}

/* Not a number means out of range: 0 and infinity. */
BVPI_INLINE void NAME(bvpi_bound)(const bvpi_point *point, NAME(bvpi_seen) * t, V *lo, V *hi)
{
    V v[3];
    NAME(bvpi_nearest_to_zero)(t->corner, v);
    const V zero = OP(splat)(0), square = NAME(bvpi_dot)(v, v), length = OP(sqrt)(square);
    const V gap = NAME(bvpi_gap)(t, v, point->part_eta);
    const MASK usable = OP(gt)(square, OP(splat)(0x1p-80f)) & OP(gt)(gap, zero);
    const V sizes = t->size[0] + t->size[1] + t->size[2];
    *lo = OP(select)(usable, gap / length * OP(splat)(1 - 0x1p-20f), zero) *
          OP(splat)(point->length_lo);
    *hi = (length * OP(splat)(1 + 0x1p-20f) + sizes * OP(splat)(16 * 0x1p-24f) +
           OP(splat)(point->part_eta * 4 + 0x1p-50f)) *
              OP(splat)(point->length_hi) +
          OP(splat)(0x1p-126f);
    const MASK good = OP(le)(*lo, *hi);
    *lo = OP(select)(good, *lo, zero);
    *hi = OP(select)(good, *hi, OP(splat)(__builtin_inff()));
}

BVPI_INLINE void NAME(bvpi_point_bounds)(const bvpi_point *point, const float *tri, float *lo,
                                         float *hi)
{
    NAME(bvpi_seen) t;
    V bounds[2];
    NAME(bvpi_see)(&t, point, tri);
    NAME(bvpi_bound)(point, &t, &bounds[0], &bounds[1]);
    memcpy(lo, &bounds[0], sizeof(V));
    memcpy(hi, &bounds[1], sizeof(V));
}

#undef V
#undef MASK
#undef OP
#undef NAME
#undef BITS
