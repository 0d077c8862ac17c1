/* SPDX-License-Identifier: MIT
 * tri_dist_exact.c: the squared distance of two triangles as an exact quotient of integers.
 *
 * Last resort of tri_dist.c and point_tri.c, for needles, for skew edges that are nearly parallel,
 * and for coordinates that differ by many orders of magnitude. The caller has already excluded
 * triangles that meet.
 *
 * The nearest points of disjoint triangles lie on two features: two corners, a corner and an edge,
 * a corner and a face, or two edges. For each of the 42 pairs of features the squared distance
 * between the lines or planes is a quotient of polynomials in the coordinates (chapter 6 lists
 * them). It counts only if the feet lie inside the features, which is again a question of signs. So
 * every number here is an integer until the very end:
 * - offer_*() computes each valid quotient, rounds it once, and keeps the least;
 * - keep_*() compute witness points for the winner only;
 * - bound() takes the root and adds the rounding errors.
 *
 * A candidate is always the distance of two points of the triangles, hence never too small.
 * Rounding may prefer the wrong one of two nearly equal quotients; the error of 3.1 * 2^-53 covers
 * that.
 *
 * The highest degree is six: 14,400 bits, which fit bvpi_big. Values of degree two and more are
 * recomputed instead of stored, and functions are noinline, because a bvpi_big has 2 KB and the
 * stack of a query is bounded (tests/house/check_stack.sh).
 *
 * Slow twin: squared distances in rationals, tests/unit/test_tri_dist.c and test_point_tri.c.
 * Spec: exactness.md, chapter 6, "In integers"
 * Measured: decisions.md, "The same, in integers"
 */
#include "prim/tri_dist_exact.h"

#include <assert.h>
#include <math.h>

#include "prim/points.h"

/* ---- quotients ------------------------------------------------------------------------------- */

/* of * 2^exponent, because the value may be outside of a double's range. */
typedef struct number {
    double of;
    int exponent;
} number;

static number number_of(const bvpi_big *a)
{
    const int bits = bvpi_big_bits(a);
    return (number){bvpi_big_to_double(a, bits), bits};
}

/* Relative error: 3.1 * 2^-53. */
static number quotient(const bvpi_big *a, const bvpi_big *b)
{
    assert(b->sign > 0);
    const number x = number_of(a), y = number_of(b);
    number out = {x.of / y.of, x.exponent - y.exponent};
    int more;
    out.of = frexp(out.of, &more);
    out.exponent += more;
    return out;
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* Differences of corners have degree one and are stored as sums. Everything of a higher degree is
 * recomputed where it is needed: stored, it would take most of a query's stack. */

__attribute__((noinline)) static void difference(bvpi_big_sum out[3], const bvpi_points *p, int to,
                                                 int from)
{
    bvpi_big d;
    for (int x = 0; x < 3; x++) {
        bvpi_big_sub_sums(&d, &p->big[to][x], &p->big[from][x]);
        bvpi_big_to_sum(&out[x], &d);
    }
}

__attribute__((noinline)) static void dot(bvpi_big *out, const bvpi_big_sum a[3],
                                          const bvpi_big_sum b[3])
{
    bvpi_big term;
    bvpi_big_mul_sums(out, &a[0], &b[0]);
    for (int x = 1; x < 3; x++) {
        bvpi_big_mul_sums(&term, &a[x], &b[x]);
        bvpi_big_add(out, out, &term);
    }
}

/* A coordinate of a x b. */
__attribute__((noinline)) static void cross(bvpi_big *out, const bvpi_big_sum a[3],
                                            const bvpi_big_sum b[3], int x)
{
    const int y = (x + 1) % 3, z = (x + 2) % 3;
    bvpi_big right;
    bvpi_big_mul_sums(out, &a[y], &b[z]);
    bvpi_big_mul_sums(&right, &a[z], &b[y]);
    bvpi_big_sub(out, out, &right);
}

/* (a x b) . c */
__attribute__((noinline)) static void triple(bvpi_big *out, const bvpi_big_sum a[3],
                                             const bvpi_big_sum b[3], const bvpi_big_sum c[3])
{
    bvpi_big side, term;
    bvpi_big_zero(out);
    for (int x = 0; x < 3; x++) {
        cross(&side, a, b, x);
        bvpi_big_mul_sum(&term, &side, &c[x]);
        bvpi_big_add(out, out, &term);
    }
}

/* (a x b) . (c x d) = (a . c) (b . d) - (a . d) (b . c) */
__attribute__((noinline)) static void dot_crosses(bvpi_big *out, const bvpi_big_sum a[3],
                                                  const bvpi_big_sum b[3], const bvpi_big_sum c[3],
                                                  const bvpi_big_sum d[3])
{
    bvpi_big one, other, product;
    dot(&one, a, c);
    dot(&other, b, d);
    bvpi_big_mul(out, &one, &other);
    dot(&one, a, d);
    dot(&other, b, c);
    bvpi_big_mul(&product, &one, &other);
    bvpi_big_sub(out, out, &product);
}

/* 0 <= a <= b */
__attribute__((noinline)) static bool is_between(const bvpi_big *a, const bvpi_big *b)
{
    bvpi_big d;
    if (a->sign < 0)
        return false;
    bvpi_big_sub(&d, b, a);
    return d.sign >= 0;
}

/* ---- features -------------------------------------------------------------------------------- */

/* Corners 0 to 2 belong to A, 3 to 5 to B. An edge or a face is named by its first corner. */

typedef enum feature { CORNERS, CORNER_EDGE, CORNER_FACE, EDGES } feature;

/* The nearest pair of features so far. At the end, `anchor` is the witness point on the first
 * feature and `aside` is the vector from there to the witness point on the second. */
typedef struct search {
    bvpi_points p;
    bool any;
    feature kind;
    int first, second;
    number distance_sq, anchor[3], aside[3];
} search;

static int next_corner(int i)
{
    return i % 3 == 2 ? i - 2 : i + 1;
}

static const bvpi_big one = {.sign = 1, .size = 1, .limb = {1}};

/* Offers two features whose squared distance is a / b. Zero is ignored: it would mean that the
 * triangles meet, and the caller has excluded that. */
static void offer(search *s, feature kind, int first, int second, const bvpi_big *a,
                  const bvpi_big *b)
{
    assert(first / 3 != second / 3);
    if (a->sign <= 0)
        return;
    const number distance_sq = quotient(a, b);
    if (s->any) {
        /* both are positive, and `of` is in [1/2, 1): exponents come first */
        const number best = s->distance_sq;
        if (distance_sq.exponent != best.exponent ? distance_sq.exponent > best.exponent
                                                  : distance_sq.of >= best.of)
            return;
    }
    s->any = true;
    s->kind = kind;
    s->first = first;
    s->second = second;
    s->distance_sq = distance_sq;
}

__attribute__((noinline)) static void offer_corners(search *s, int a, int b)
{
    bvpi_big_sum w[3];
    bvpi_big value;
    difference(w, &s->p, b, a);
    dot(&value, w, w);
    offer(s, CORNERS, a, b, &value, &one);
}

/* A corner and the edge from t: |w|^2 - (w . e)^2 / |e|^2, if the foot is inside: 0 <= w . e <=
 * |e|^2. */
__attribute__((noinline)) static void offer_edge(search *s, int corner, int t)
{
    bvpi_big_sum w[3], e[3];
    bvpi_big ee, along;
    difference(w, &s->p, corner, t);
    difference(e, &s->p, next_corner(t), t);
    dot(&ee, e, e);
    dot(&along, w, e);
    if (ee.sign == 0 || !is_between(&along, &ee))
        return;
    /* |w|^2 |e|^2 - (w . e)^2 = |w x e|^2 */
    dot_crosses(&along, w, e, w, e);
    offer(s, CORNER_EDGE, corner, t, &along, &ee);
}

/* Features whose common normal is n = e x f: (n . w)^2 / |n|^2. */
__attribute__((noinline)) static void offer_normal(search *s, feature kind, int first, int second,
                                                   const bvpi_big_sum w[3], const bvpi_big_sum e[3],
                                                   const bvpi_big_sum f[3], const bvpi_big *nn)
{
    bvpi_big height, square;
    triple(&height, e, f, w);
    bvpi_big_mul(&square, &height, &height);
    offer(s, kind, first, second, &square, nn);
}

/* A corner and the face t, if the foot is inside. u and v are its barycentric coordinates times
 * |n|^2. */
__attribute__((noinline)) static void offer_face(search *s, int corner, int t)
{
    bvpi_big_sum w[3], e[3], f[3];
    bvpi_big nn, u, v;
    assert(t % 3 == 0 && corner / 3 != t / 3);
    difference(w, &s->p, corner, t);
    difference(e, &s->p, t + 1, t);
    difference(f, &s->p, t + 2, t);
    dot_crosses(&nn, e, f, e, f);
    dot_crosses(&u, w, f, e, f);
    dot_crosses(&v, e, w, e, f);
    if (nn.sign == 0 || u.sign < 0 || v.sign < 0)
        return;
    bvpi_big_add(&u, &u, &v);
    if (is_between(&u, &nn))
        offer_normal(s, CORNER_FACE, corner, t, w, e, f, &nn);
}

/* Two edges, if both feet are inside. */
__attribute__((noinline)) static void offer_edges(search *s, int a, int b)
{
    bvpi_big_sum w[3], e[3], f[3];
    bvpi_big nn, at;
    difference(w, &s->p, b, a);
    difference(e, &s->p, next_corner(a), a);
    difference(f, &s->p, next_corner(b), b);
    dot_crosses(&nn, e, f, e, f);
    dot_crosses(&at, w, e, e, f);
    if (nn.sign == 0 || !is_between(&at, &nn))
        return;
    dot_crosses(&at, w, f, e, f);
    if (is_between(&at, &nn))
        offer_normal(s, EDGES, a, b, w, e, f, &nn);
}

/* ---- witness points -------------------------------------------------------------------------- */

__attribute__((noinline)) static void keep_corner(search *s, int corner)
{
    bvpi_big x;
    for (int i = 0; i < 3; i++) {
        bvpi_big_of_sum(&x, &s->p.big[corner][i]);
        s->anchor[i] = quotient(&x, &one);
    }
}

__attribute__((noinline)) static void keep_corners(search *s)
{
    bvpi_big w;
    for (int i = 0; i < 3; i++) {
        bvpi_big_sub_sums(&w, &s->p.big[s->second][i], &s->p.big[s->first][i]);
        s->aside[i] = quotient(&w, &one);
    }
}

/* The vector from the corner to its foot: ((w . e) e - |e|^2 w) / |e|^2. */
__attribute__((noinline)) static void keep_edge(search *s)
{
    bvpi_big_sum w[3], e[3];
    bvpi_big ee, along, step, back;
    difference(w, &s->p, s->first, s->second);
    difference(e, &s->p, next_corner(s->second), s->second);
    dot(&ee, e, e);
    dot(&along, w, e);
    for (int i = 0; i < 3; i++) {
        bvpi_big_mul_sum(&step, &along, &e[i]);
        bvpi_big_mul_sum(&back, &ee, &w[i]);
        bvpi_big_sub(&step, &step, &back);
        s->aside[i] = quotient(&step, &ee);
    }
}

__attribute__((noinline)) static number normal_times(const bvpi_big_sum e[3],
                                                     const bvpi_big_sum f[3], int x,
                                                     const bvpi_big *times, const bvpi_big *by)
{
    bvpi_big n, product;
    cross(&n, e, f, x);
    bvpi_big_mul(&product, &n, times);
    return quotient(&product, by);
}

/* The vector between the features, (n . w) n / |n|^2; sign is -1 where w points from the second
 * feature to the first. */
__attribute__((noinline)) static void keep_normal(search *s, const bvpi_big_sum w[3],
                                                  const bvpi_big_sum e[3], const bvpi_big_sum f[3],
                                                  int sign)
{
    bvpi_big nn, height;
    assert(sign == 1 || sign == -1);
    dot_crosses(&nn, e, f, e, f);
    triple(&height, e, f, w);
    height.sign *= sign;
    for (int i = 0; i < 3; i++)
        s->aside[i] = normal_times(e, f, i, &height, &nn);
}

__attribute__((noinline)) static void keep_face(search *s)
{
    bvpi_big_sum w[3], e[3], f[3];
    difference(w, &s->p, s->first, s->second);
    difference(e, &s->p, s->second + 1, s->second);
    difference(f, &s->p, s->second + 2, s->second);
    keep_normal(s, w, e, f, -1);
}

/* p + e at / by */
__attribute__((noinline)) static number point_along(const bvpi_big_sum *p, const bvpi_big_sum *e,
                                                    const bvpi_big *at, const bvpi_big *by)
{
    bvpi_big point, step;
    bvpi_big_mul_sum(&point, by, p);
    bvpi_big_mul_sum(&step, at, e);
    bvpi_big_add(&point, &point, &step);
    return quotient(&point, by);
}

/* The foot on A's edge: p + (w x f . n) e / |n|^2. */
__attribute__((noinline)) static void keep_foot(search *s, const bvpi_big_sum w[3],
                                                const bvpi_big_sum e[3], const bvpi_big_sum f[3])
{
    bvpi_big nn, at;
    dot_crosses(&nn, e, f, e, f);
    dot_crosses(&at, w, f, e, f);
    for (int i = 0; i < 3; i++)
        s->anchor[i] = point_along(&s->p.big[s->first][i], &e[i], &at, &nn);
}

__attribute__((noinline)) static void keep_edges(search *s)
{
    bvpi_big_sum w[3], e[3], f[3];
    difference(w, &s->p, s->second, s->first);
    difference(e, &s->p, next_corner(s->first), s->first);
    difference(f, &s->p, next_corner(s->second), s->second);
    keep_foot(s, w, e, f);
    keep_normal(s, w, e, f, 1);
}

/* ---- the distance ---------------------------------------------------------------------------- */

/* The root of a quotient has a relative error of 2.6 * 2^-53; underflow may cost less than 2^-1073.
 * The bounds added here are larger. */
static void bound(number square, int unit, double *lo, double *hi)
{
    assert(square.of >= 0.5 && square.of < 1);
    if (square.exponent % 2 != 0) {
        square.of *= 2;
        square.exponent--;
    }
    const double root = sqrt(square.of);
    const int exponent = square.exponent / 2 + unit;
    *lo = ldexp(root * (1 - 0x1p-50), exponent);
    *hi = ldexp(root * (1 + 0x1p-50), exponent);
    if (*lo < 0x1p-1000) {
        *lo = fmax(*lo - 0x1p-1073, 0);
        *hi += 0x1p-1073;
    }
}

__attribute__((noinline)) static bool take_corners(bvpi_points *out, const float a[9],
                                                   const float b[9], const double *ma,
                                                   const double *mb)
{
    bvpi_terms terms[6][3];
    bvpi_terms_of_triangle(terms, 0, a, ma);
    bvpi_terms_of_triangle(terms, 3, b, mb);
    return bvpi_points_init(out, terms, 6);
}

bool bvpi_tri_dist_exact(const float a[9], const float b[9], const double *ma, const double *mb,
                         double scale, bvpi_nearest_exact *out)
{
    search s;
    if (!take_corners(&s.p, a, b, ma, mb))
        return false;
    s.any = false;
    /* 9 pairs of corners, 18 of a corner and an edge, 9 of edges, 6 of a corner and a face. What is
     * offered first wins among equals, so this order decides which witness points are reported. */
    for (int i = 0; i < 3; i++) {
        for (int j = 3; j < 6; j++) {
            offer_corners(&s, i, j);
            offer_edge(&s, i, j);
            offer_edge(&s, j, i);
            offer_edges(&s, i, j);
        }
        offer_face(&s, i, 3);
        offer_face(&s, 3 + i, 0);
    }
    if (!s.any)
        return false;
    /* the witness points of the features that won */
    if (s.kind != EDGES)
        keep_corner(&s, s.first);
    if (s.kind == CORNERS)
        keep_corners(&s);
    else if (s.kind == CORNER_EDGE)
        keep_edge(&s);
    else if (s.kind == CORNER_FACE)
        keep_face(&s);
    else
        keep_edges(&s);
    bound(s.distance_sq, s.p.unit, &out->lo, &out->hi);
    for (int i = 0; i < 3; i++) {
        /* One point, and the exact difference to the other: so the two are no farther apart than
         * the distance, however far both are from the origin. `scale` is a power of two. */
        const int unit = s.p.unit + ilogb(scale);
        const bvpi_dd anchor = bvpi_dd_of(ldexp(s.anchor[i].of, s.anchor[i].exponent + unit));
        const bvpi_dd aside = bvpi_dd_of(ldexp(s.aside[i].of, s.aside[i].exponent + unit));
        const bvpi_dd other = bvpi_dd_add(anchor, aside);
        out->x[i] = s.first < 3 ? anchor : other;
        out->y[i] = s.first < 3 ? other : anchor;
    }
    return true;
}
