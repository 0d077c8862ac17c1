/* SPDX-License-Identifier: MIT
 * vec_of.h: template of three-dimensional vectors, several side by side; see vec.h.
 */

BVPI_INLINE VEC NAME(dot)(const VEC a[3], const VEC b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

BVPI_INLINE void NAME(cross)(const VEC a[3], const VEC b[3], VEC out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

BVPI_INLINE VEC NAME(max3)(VEC a, VEC b, VEC c)
{
    return OP(max)(a, OP(max)(b, c));
}

BVPI_INLINE VEC NAME(min3)(VEC a, VEC b, VEC c)
{
    return OP(min)(a, OP(min)(b, c));
}

BVPI_INLINE void NAME(magnitudes)(const VEC a[3], VEC out[3])
{
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        out[x] = OP(abs)(a[x]);
}

BVPI_INLINE void NAME(choose3)(MASK mask, const VEC yes[3], const VEC no[3], VEC out[3])
{
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        out[x] = OP(select)(mask, yes[x], no[x]);
}

BVPI_INLINE void NAME(negate)(const VEC a[3], VEC out[3])
{
    BVPI_UNROLL
    for (int x = 0; x < 3; x++)
        out[x] = -a[x];
}

#undef VEC
#undef MASK
#undef OP
#undef SPLAT
#undef NAME
