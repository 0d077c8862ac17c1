/* SPDX-License-Identifier: MIT
 * tri_tri_filter.h: template of the certified triangle-triangle tests. Include it with the macros
 * below defined, once for floats and once for doubles.
 *
 * A verdict counts only if no rounding error could turn it: every sign is compared with a bound
 * that grows with the magnitudes of its terms (the permanent) and with eta, the error of B's
 * coordinates. What no test here can prove is left for a later stage.
 * Spec: exactness.md, chapter 5, which derives every bound
 * Based on: Guigue, Devillers, Fast and robust triangle-triangle overlap test using orientation
 * predicates, 2003.
 */

/* VEC, MASK, OP, SPLAT, NAME: as in vec.h; MOVEMASK(m): bits of a mask; UNIT: half an ulp of 1;
 * LOST: more than underflow can lose from one determinant or projection. */
#if !defined(VEC) || !defined(NAME) || !defined(MOVEMASK) || !defined(UNIT) || !defined(LOST)
#error "tri_tri_filter.h needs VEC, MASK, OP, SPLAT, NAME, MOVEMASK, UNIT and LOST"
#endif

/* Eight or four pairs, relative to corner 0 of A, in units in which all coordinates are below 1.
 * Corners of A are exact, edges of A rounded once; corners of B err by eta in addition, edges of B
 * by twice that. */
typedef struct NAME(bvpi_pairs) {
    VEC a1[3], a2[3], a12[3];          /* corners 1, 2; edge 1 2 */
    VEC b[3][3], f1[3], f2[3], f12[3]; /* corners; edges 0 1, 0 2, 1 2 */
    VEC eta;
} NAME(bvpi_pairs);

typedef struct NAME(bvpi_verdict) {
    unsigned hit, miss; /* certain verdicts; every hit is proper */
} NAME(bvpi_verdict);

/* The determinant of the magnitudes, all terms positive. */
BVPI_INLINE_LONG VEC NAME(permanent)(const VEC a[3], const VEC b[3], const VEC c[3])
{
    return (a[1] * b[2] + a[2] * b[1]) * c[0] + (a[2] * b[0] + a[0] * b[2]) * c[1] +
           (a[0] * b[1] + a[1] * b[0]) * c[2];
}

/* Norms of a pair, for the error bounds. */
typedef struct NAME(bvpi_norms) {
    VEC a1[3], a2[3], f1[3], f2[3]; /* magnitudes */
    VEC a[3], b[3], b0[3]; /* largest magnitude of a corner of A, and of B; corner 0 of B */
    VEC xa, mf, mw, me;    /* see exactness.md, chapter 5 */
} NAME(bvpi_norms);

BVPI_INLINE_LONG void NAME(measure)(const NAME(bvpi_pairs) * p, NAME(bvpi_norms) * n)
{
    VEC b1[3], b2[3], xa[3], xf[3];
    NAME(magnitudes)(p->a1, n->a1);
    NAME(magnitudes)(p->a2, n->a2);
    NAME(magnitudes)(p->f1, n->f1);
    NAME(magnitudes)(p->f2, n->f2);
    NAME(magnitudes)(p->b[0], n->b0);
    NAME(magnitudes)(p->b[1], b1);
    NAME(magnitudes)(p->b[2], b2);
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        n->a[x] = xa[x] = OP(max)(n->a1[x], n->a2[x]);
        n->b[x] = NAME(max3)(n->b0[x], b1[x], b2[x]);
        xf[x] = OP(max)(n->f1[x], n->f2[x]);
    }
    n->xa = NAME(max3)(xa[0], xa[1], xa[2]);
    n->mf = NAME(max3)(xf[0], xf[1], xf[2]) * SPLAT(2) + p->eta * SPLAT(4);
    n->mw = n->xa + NAME(max3)(n->b[0], n->b[1], n->b[2]) + p->eta;
    n->me = n->xa * SPLAT(2);
}

/* Signs of three numbers: certainly positive, certainly negative, or neither. */
typedef struct NAME(bvpi_signs) {
    MASK plus[3], minus[3];
} NAME(bvpi_signs);

BVPI_INLINE_LONG void NAME(signs)(const VEC x[3], VEC err, NAME(bvpi_signs) * s)
{
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        s->plus[i] = OP(gt)(x[i], err);
        s->minus[i] = OP(lt)(x[i], -err);
    }
}

BVPI_INLINE_LONG MASK NAME(one_sided)(const NAME(bvpi_signs) * s)
{
    return (s->plus[0] & s->plus[1] & s->plus[2]) | (s->minus[0] & s->minus[1] & s->minus[2]);
}

BVPI_INLINE_LONG MASK NAME(all_certain)(const NAME(bvpi_signs) * s)
{
    return (s->plus[0] | s->minus[0]) & (s->plus[1] | s->minus[1]) & (s->plus[2] | s->minus[2]);
}

/* On which side of A's plane each corner of B lies. */
BVPI_INLINE_LONG void NAME(sides_of_b)(const NAME(bvpi_pairs) * p, const NAME(bvpi_norms) * n,
                                       NAME(bvpi_signs) * s)
{
    VEC normal[3], x[3];
    NAME(cross)(p->a1, p->a2, normal);
    BVPI_UNROLL
    for (int i = 0; i < 3; i++)
        x[i] = NAME(dot)(normal, p->b[i]);
    VEC err = NAME(permanent)(n->a1, n->a2, n->b) * SPLAT(12 * UNIT) +
              n->xa * n->xa * p->eta * SPLAT(8) + SPLAT(LOST);
    NAME(signs)(x, err, s);
}

/* On which side of B's plane each corner of A lies. */
BVPI_INLINE_LONG void NAME(sides_of_a)(const NAME(bvpi_pairs) * p, const NAME(bvpi_norms) * n,
                                       NAME(bvpi_signs) * s)
{
    VEC normal[3], x[3], reach[3];
    NAME(cross)(p->f1, p->f2, normal);
    x[0] = -NAME(dot)(normal, p->b[0]);
    x[1] = x[0] + NAME(dot)(normal, p->a1);
    x[2] = x[0] + NAME(dot)(normal, p->a2);
    BVPI_UNROLL
    for (int i = 0; i < 3; i++)
        reach[i] = n->a[i] + n->b0[i];
    VEC err = NAME(permanent)(n->f1, n->f2, reach) * SPLAT(12 * UNIT) +
              n->mf * (n->mw * SPLAT(4) + n->mf) * p->eta * SPLAT(8) + SPLAT(LOST);
    NAME(signs)(x, err, s);
}

/* Which corner is alone on its side: *zero: corner 0, *one: corner 1, neither: corner 2. *side:
 * that corner is above. */
BVPI_INLINE_LONG void NAME(lone_corner)(const NAME(bvpi_signs) * s, MASK *zero, MASK *one,
                                        MASK *side)
{
    MASK d01 = s->plus[0] ^ s->plus[1], d02 = s->plus[0] ^ s->plus[2];
    *zero = d01 & d02;
    *one = d01 & ~d02;
    *side = (*zero & s->plus[0]) | (*one & s->plus[1]) | (~(*zero | *one) & s->plus[2]);
}

/* det(e, f, w) and its error bound, for an edge e of A, an edge f of B, and w = q - p. */
BVPI_INLINE_LONG VEC NAME(edge_side)(const VEC e[3], const VEC f[3], const VEC w[3],
                                     const VEC reach[3], VEC eta_term, VEC *err)
{
    VEC c[3], em[3], fm[3];
    NAME(cross)(e, f, c);
    NAME(magnitudes)(e, em);
    NAME(magnitudes)(f, fm);
    *err = NAME(permanent)(em, fm, reach) * SPLAT(12 * UNIT) + eta_term;
    return NAME(dot)(c, w);
}

/* Both triangles cut the common line of their planes in an interval: do the intervals overlap?
 * Needs six certain sides, and neither triangle on one side. */
BVPI_INLINE_LONG NAME(bvpi_verdict)
    NAME(intervals)(const NAME(bvpi_pairs) * p, const NAME(bvpi_norms) * n,
                    const NAME(bvpi_signs) * sa, const NAME(bvpi_signs) * sb)
{
    MASK i0, i1, l0, l1, up_a, up_b;
    NAME(lone_corner)(sa, &i0, &i1, &up_a);
    NAME(lone_corner)(sb, &l0, &l1, &up_b);
    VEC zero[3] = {SPLAT(0), SPLAT(0), SPLAT(0)}, t[3], u[3];
    VEC ej[3], ek[3], corner_a[3], fm[3], fn[3], corner_b[3], w[3], reach[3];
    NAME(negate)(p->a2, t);
    NAME(choose3)(i1, p->a12, t, ej);
    NAME(choose3)(i0, p->a1, ej, ej); /* from the lone corner to the next one: 0 1, 1 2, 2 0 */
    NAME(choose3)(i1, p->a1, p->a12, u);
    NAME(negate)(u, u);
    NAME(choose3)(i0, p->a2, u, ek); /* and to the previous one: 0 2, 1 0, 2 1 */
    NAME(choose3)(i1, p->a1, p->a2, corner_a);
    NAME(choose3)(i0, zero, corner_a, corner_a);
    NAME(negate)(p->f2, t);
    NAME(choose3)(l1, p->f12, t, fm);
    NAME(choose3)(l0, p->f1, fm, fm);
    NAME(choose3)(l1, p->f1, p->f12, u);
    NAME(negate)(u, u);
    NAME(choose3)(l0, p->f2, u, fn);
    NAME(choose3)(l1, p->b[1], p->b[2], corner_b);
    NAME(choose3)(l0, p->b[0], corner_b, corner_b);
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        w[x] = corner_b[x] - corner_a[x];
        reach[x] = OP(abs)(corner_b[x]) + OP(abs)(corner_a[x]);
    }
    MASK opposite = up_a ^ up_b;
    NAME(choose3)(opposite, fn, fm, t);
    NAME(choose3)(opposite, fm, fn, u);
    VEC eta_term = n->me * (n->mw * SPLAT(2) + n->mf) * p->eta * SPLAT(8) + SPLAT(LOST);
    VEC err1, err2;
    VEC first = NAME(edge_side)(ej, t, w, reach, eta_term, &err1);
    VEC second = NAME(edge_side)(ek, u, w, reach, eta_term, &err2);
    first = OP(select)(up_b, first, -first);
    second = OP(select)(up_b, second, -second);
    NAME(bvpi_verdict) v;
    v.hit = MOVEMASK(OP(gt)(first, err1) & OP(lt)(second, -err2));
    v.miss = MOVEMASK(OP(lt)(first, -err1) | OP(gt)(second, err2));
    return v;
}

/* Tests the planes, then the intervals on their common line. */
BVPI_INLINE_LONG NAME(bvpi_verdict) NAME(by_signs)(const NAME(bvpi_pairs) * p, unsigned lanes)
{
    NAME(bvpi_norms) n;
    NAME(bvpi_signs) sa, sb;
    NAME(bvpi_verdict) v = {0, 0};
    NAME(measure)(p, &n);
    NAME(sides_of_b)(p, &n, &sb);
    v.miss = MOVEMASK(NAME(one_sided)(&sb)) & lanes;
    if (v.miss == lanes)
        return v;
    NAME(sides_of_a)(p, &n, &sa);
    v.miss |= MOVEMASK(NAME(one_sided)(&sa)) & lanes;
    unsigned certain = MOVEMASK(NAME(all_certain)(&sa) & NAME(all_certain)(&sb)) & lanes & ~v.miss;
    if (certain == 0)
        return v;
    NAME(bvpi_verdict) cut = NAME(intervals)(p, &n, &sa, &sb);
    v.hit = cut.hit & certain;
    v.miss |= cut.miss & certain;
    return v;
}

/* The lanes whose triangles are certainly apart along `axis`. Valid for any vector. */
BVPI_INLINE_LONG MASK NAME(apart_along)(const NAME(bvpi_pairs) * p, const VEC axis[3],
                                        const VEC size[3])
{
    VEC zero = SPLAT(0), m[3];
    VEC x1 = NAME(dot)(axis, p->a1), x2 = NAME(dot)(axis, p->a2);
    VEC y0 = NAME(dot)(axis, p->b[0]), y1 = NAME(dot)(axis, p->b[1]);
    VEC y2 = NAME(dot)(axis, p->b[2]);
    NAME(magnitudes)(axis, m);
    VEC err = NAME(dot)(m, size) * SPLAT(12 * UNIT) + (m[0] + m[1] + m[2]) * p->eta * SPLAT(2) +
              SPLAT(LOST);
    VEC above = NAME(min3)(y0, y1, y2) - NAME(max3)(zero, x1, x2);
    VEC below = NAME(min3)(zero, x1, x2) - NAME(max3)(y0, y1, y2);
    return OP(gt)(above, err) | OP(gt)(below, err);
}

/* Separating axes: both normals, their products with the edges, and the products of edges. The
 * error bound is linear in the axis, so needles and coplanar pairs are separated as well. Returns
 * the lanes that miss. */
BVPI_INLINE_LONG unsigned NAME(by_axes)(const NAME(bvpi_pairs) * p, unsigned lanes)
{
    const VEC *ea[3] = {p->a1, p->a2, p->a12}, *eb[3] = {p->f1, p->f2, p->f12};
    VEC size[3], na[3], nb[3], axis[3];
    BVPI_UNROLL
    for (int x = 0; x < 3; x++) {
        VEC a = OP(max)(OP(abs)(p->a1[x]), OP(abs)(p->a2[x]));
        VEC b = NAME(max3)(OP(abs)(p->b[0][x]), OP(abs)(p->b[1][x]), OP(abs)(p->b[2][x]));
        size[x] = OP(max)(a, b);
    }
    NAME(cross)(p->a1, p->a2, na);
    NAME(cross)(p->f1, p->f2, nb);
    MASK apart = NAME(apart_along)(p, na, size) | NAME(apart_along)(p, nb, size);
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        NAME(cross)(na, ea[i], axis);
        apart |= NAME(apart_along)(p, axis, size);
        NAME(cross)(nb, eb[i], axis);
        apart |= NAME(apart_along)(p, axis, size);
    }
    if ((MOVEMASK(apart) & lanes) == lanes)
        return lanes;
    BVPI_UNROLL
    for (int k = 0; k < 9; k++) {
        NAME(cross)(ea[k / 3], eb[k % 3], axis);
        apart |= NAME(apart_along)(p, axis, size);
    }
    return MOVEMASK(apart) & lanes;
}

#undef VEC
#undef MASK
#undef OP
#undef SPLAT
#undef NAME
#undef MOVEMASK
#undef UNIT
#undef LOST
