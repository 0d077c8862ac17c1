/* SPDX-License-Identifier: MIT
 * region_of.h: template: the point of a triangle nearest to the origin, several triangles side by
 * side, in a type of vectors. Include it once for each type, with the macros below defined, and
 * undefine them.
 *
 * The signs that choose the region are not certified: any region yields a point of the triangle,
 * and the interval that is proved from it (exactness.md, chapter 6) is wide if the region was
 * wrong.
 * Based on: Ericson, Real-Time Collision Detection, 2004, 5.1.5.
 */

/* V: the vectors, MASK: their masks; OP(x): the name of operation x; NAME(x): x with the type's
 * suffix. */

BVPI_INLINE V NAME(bvpi_dot)(const V a[3], const V b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Numerators and denominator of the nearest point's coordinates along the edges from corner 0.
 * d[k]: products of both edges with minus corner k. Later selections override earlier ones. */
BVPI_INLINE void NAME(bvpi_region)(V d[3][2], V *s, V *r, V *sum)
{
    const V zero = OP(splat)(0), one = OP(splat)(1);
    const V along = d[1][1] - d[1][0], back = d[2][0] - d[2][1];
    const V va = d[1][0] * d[2][1] - d[2][0] * d[1][1];
    const V vb = d[2][0] * d[0][1] - d[0][0] * d[2][1];
    const V vc = d[0][0] * d[1][1] - d[1][0] * d[0][1];
    MASK in = OP(gt)(va, zero) & OP(gt)(vb, zero) & OP(gt)(vc, zero);
    *s = OP(select)(in, vb, zero);
    *r = OP(select)(in, vc, zero);
    *sum = OP(select)(in, va + vb + vc, one);
    in = OP(le)(va, zero) & OP(ge)(along, zero) & OP(ge)(back, zero) & OP(gt)(along + back, zero);
    *s = OP(select)(in, back, *s);
    *r = OP(select)(in, along, *r);
    *sum = OP(select)(in, along + back, *sum);
    in = OP(le)(vb, zero) & OP(gt)(d[0][1], zero) & OP(lt)(d[2][1], zero);
    *s = OP(select)(in, zero, *s);
    *r = OP(select)(in, d[0][1], *r);
    *sum = OP(select)(in, d[0][1] - d[2][1], *sum);
    in = OP(le)(vc, zero) & OP(gt)(d[0][0], zero) & OP(lt)(d[1][0], zero);
    *s = OP(select)(in, d[0][0], *s);
    *r = OP(select)(in, zero, *r);
    *sum = OP(select)(in, d[0][0] - d[1][0], *sum);
    const MASK at_2 = OP(ge)(d[2][1], zero) & OP(le)(back, zero);
    const MASK at_1 = OP(ge)(d[1][0], zero) & OP(le)(along, zero);
    const MASK at_0 = OP(le)(d[0][0], zero) & OP(le)(d[0][1], zero);
    *r = OP(select)(at_2, one, *r);
    *s = OP(select)(at_1, one, OP(select)(at_2, zero, *s));
    *r = OP(select)(at_1 | at_0, zero, *r);
    *s = OP(select)(at_0, zero, *s);
    *sum = OP(select)(at_0 | at_1 | at_2, one, *sum);
}

/* c[corner][axis]. The point errs by at most 14 u M, with M the largest coordinate of a corner: two
 * each for the edges, their multiples and the sums, eight for the multiples' sum beyond 1. */
BVPI_INLINE void NAME(bvpi_nearest_to_zero)(V c[3][3], V nearest[3])
{
    V e[3], f[3], d[3][2], s, r, sum;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        e[x] = c[1][x] - c[0][x];
        f[x] = c[2][x] - c[0][x];
    }
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        d[k][0] = -NAME(bvpi_dot)(e, c[k]);
        d[k][1] = -NAME(bvpi_dot)(f, c[k]);
    }
    NAME(bvpi_region)(d, &s, &r, &sum);
    s /= sum;
    r /= sum;
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        nearest[x] = c[0][x] + s * e[x] + r * f[x];
}
