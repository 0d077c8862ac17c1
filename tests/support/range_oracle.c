/* SPDX-License-Identifier: MIT
 * range_oracle.c: extended precision first, rational arithmetic for what that leaves open.
 *
 * A long double of 64 bits has 15 bits of exponent, so that no product of coordinates leaves its
 * range. Where it is no more than a double, overflow makes what is not a number, and nothing is
 * certain then. "Certain" is always written as x > bound, which is false for such.
 */
#include "range_oracle.h"
#include "oracle_gmp.h"

#include <float.h>
#include <math.h>

typedef long double real;

#define U LDBL_EPSILON

uint64_t range_exact_count;

static real larger(real a, real b)
{
    return a > b ? a : b;
}

static real smaller(real a, real b)
{
    return a < b ? a : b;
}

static void sub(const real a[3], const real b[3], real out[3])
{
    for (int x = 0; x < 3; x++)
        out[x] = a[x] - b[x];
}

static void cross(const real a[3], const real b[3], real out[3])
{
    for (int x = 0; x < 3; x++)
        out[x] = a[(x + 1) % 3] * b[(x + 2) % 3] - a[(x + 2) % 3] * b[(x + 1) % 3];
}

static real dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static real norm_1(const real a[3])
{
    return fabsl(a[0]) + fabsl(a[1]) + fabsl(a[2]);
}

static real longest(const real a[3])
{
    return larger(fabsl(a[0]), larger(fabsl(a[1]), fabsl(a[2])));
}

/* Three products and three sums: six roundings of at most the terms' sum. */
void range_place(range_tri *out, const float stored[9], const double placement[12])
{
    out->stored = stored;
    out->placement = placement;
    out->size = 0;
    for (int k = 0; k < 3; k++)
        for (int x = 0; x < 3; x++) {
            const double *row = placement + 4 * x;
            real sum = row[3], terms = fabsl((real)row[3]);
            for (int j = 0; j < 3; j++) {
                const real term = (real)row[j] * (real)stored[3 * k + j];
                sum += term;
                terms += fabsl(term);
            }
            out->p[k][x] = sum;
            out->size = larger(out->size, terms);
        }
    out->err = 8 * U * out->size;
    for (int x = 0; x < 3; x++) {
        out->lo[x] = smaller(out->p[0][x], smaller(out->p[1][x], out->p[2][x])) - out->err;
        out->hi[x] = larger(out->p[0][x], larger(out->p[1][x], out->p[2][x])) + out->err;
    }
}

/* ---- do they meet? --------------------------------------------------------------------------- */

/* How far apart along an axis, which is taken as exact, at least. Corners err by e in all, and
 * their projections by four roundings of terms below |axis|_1 m. */
static real axis_gap(const range_tri *a, const range_tri *b, const real origin[3],
                     const real axis[3], real e, real m)
{
    real lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 6; k++) {
        real v[3], d;
        sub(k < 3 ? a->p[k] : b->p[k - 3], origin, v);
        d = dot(axis, v);
        lo[k / 3] = smaller(lo[k / 3], d);
        hi[k / 3] = larger(hi[k / 3], d);
    }
    return larger(lo[0] - hi[1], lo[1] - hi[0]) - norm_1(axis) * (2 * e + 12 * U * m);
}

/* What several tests need of a pair: corners relative to one of them. */
typedef struct pair_frame {
    real e, m; /* error of a coordinate; the largest difference to corner 0 of a */
    real edge[6][3], normal[2][3];
} pair_frame;

static void frame_init(pair_frame *f, const range_tri *a, const range_tri *b)
{
    real v[3];
    f->m = 0;
    for (int k = 0; k < 3; k++) {
        sub(a->p[k], a->p[0], v);
        f->m = larger(f->m, longest(v));
        sub(b->p[k], a->p[0], v);
        f->m = larger(f->m, longest(v));
        sub(a->p[(k + 1) % 3], a->p[k], f->edge[k]);
        sub(b->p[(k + 1) % 3], b->p[k], f->edge[3 + k]);
    }
    cross(f->edge[0], f->edge[1], f->normal[0]);
    cross(f->edge[3], f->edge[4], f->normal[1]);
    f->e = a->err + b->err + 4 * U * f->m;
}

static int is_apart(const pair_frame *f, const range_tri *a, const range_tri *b)
{
    real axis[3];
    for (int x = 0; x < 3; x++)
        if (a->lo[x] > b->hi[x] || b->lo[x] > a->hi[x])
            return 1;
    for (int k = 0; k < 2; k++)
        if (axis_gap(a, b, a->p[0], f->normal[k], f->e, f->m) > 0)
            return 1;
    for (int k = 0; k < 9; k++) {
        cross(f->edge[k / 3], f->edge[3 + k % 3], axis);
        if (axis_gap(a, b, a->p[0], axis, f->e, f->m) > 0)
            return 1;
    }
    for (int k = 0; k < 6; k++) { /* coplanar ones */
        cross(f->normal[k / 3], f->edge[k], axis);
        if (axis_gap(a, b, a->p[0], axis, f->e, f->m) > 0)
            return 1;
    }
    return 0;
}

/* The certain sign of a volume of four corners, or 0. Factors err by 2 e, are below 2 m; six terms.
 */
static int volume_sign(const pair_frame *f, const real o[3], const real p[3], const real q[3],
                       const real r[3])
{
    real a[3], b[3], c[3], n[3];
    sub(p, o, a), sub(q, o, b), sub(r, o, c);
    cross(b, c, n);
    const real volume = dot(a, n), m = 2 * f->m + 2 * f->e;
    const real bound = 6 * m * m * (3 * 2 * f->e + 8 * U * m) * 2;
    return volume > bound ? 1 : -volume > bound ? -1 : 0;
}

/* Is a triangle certainly more than a segment? */
static int is_true(const pair_frame *f, int which)
{
    const real m = 2 * f->m + 2 * f->e;
    return longest(f->normal[which]) > 2 * m * (2 * 2 * f->e + 8 * U * m) * 2;
}

/* Does an edge of one certainly pass through the other's inside? Then both insides meet. */
static int is_pierced(const pair_frame *f, const range_tri *edges, const range_tri *face)
{
    int side[3];
    const real(*t)[3] = face->p;
    for (int k = 0; k < 3; k++)
        side[k] = volume_sign(f, t[0], t[1], t[2], edges->p[k]);
    for (int k = 0; k < 3; k++) {
        const real *p = edges->p[k], *q = edges->p[(k + 1) % 3];
        if (side[k] * side[(k + 1) % 3] >= 0)
            continue;
        const int first = volume_sign(f, p, q, t[0], t[1]);
        if (first != 0 && first == volume_sign(f, p, q, t[1], t[2]) &&
            first == volume_sign(f, p, q, t[2], t[0]))
            return 1;
    }
    return 0;
}

int range_meet(const range_tri *a, const range_tri *b)
{
    pair_frame f;
    for (int x = 0; x < 3; x++)
        if (a->lo[x] > b->hi[x] || b->lo[x] > a->hi[x])
            return 0;
    frame_init(&f, a, b);
    if (is_apart(&f, a, b))
        return 0;
    if (is_true(&f, 0) && is_true(&f, 1) && (is_pierced(&f, a, b) || is_pierced(&f, b, a)))
        return ORACLE_MEET | ORACLE_PROPER;
    range_exact_count++;
    return oracle_tri_tri(a->stored, b->stored, a->placement, b->placement);
}

/* ---- how far apart? -------------------------------------------------------------------------- */

static real clamp(real x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}

static void along(const real p[3], const real d[3], real s, real out[3])
{
    for (int x = 0; x < 3; x++)
        out[x] = p[x] + s * d[x];
}

/* The point of a segment that is nearest to p. */
static void on_segment(const real p[3], const real a[3], const real b[3], real out[3])
{
    real d[3], w[3];
    sub(b, a, d), sub(p, a, w);
    const real length = dot(d, d);
    along(a, d, length > 0 ? clamp(dot(w, d) / length) : 0, out);
}

/* Some points of two segments, the nearest ones where that is well-conditioned. */
static void on_segments(const real a[3], const real b[3], const real c[3], const real d[3],
                        real x[3], real y[3])
{
    real e[3], f[3], w[3];
    sub(b, a, e), sub(d, c, f), sub(c, a, w);
    const real ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), det = ee * ff - ef * ef;
    const real s = det > 0 ? clamp((dot(w, e) * ff - dot(w, f) * ef) / det) : 0;
    along(a, e, s, x);
    on_segment(x, c, d, y);
    on_segment(y, a, b, x);
}

/* The foot of p in the triangle's plane, moved into the triangle. */
static void on_face(const real p[3], const range_tri *tri, real out[3])
{
    const real(*t)[3] = tri->p;
    real a[3], b[3], n[3], w[3], g[3];
    sub(t[1], t[0], a), sub(t[2], t[0], b), sub(p, t[0], w);
    cross(a, b, n);
    const real nn = dot(n, n);
    cross(w, b, g);
    real u = nn > 0 ? clamp(dot(g, n) / nn) : 0;
    cross(a, w, g);
    real v = nn > 0 ? clamp(dot(g, n) / nn) : 0;
    if (u + v > 1) {
        const real sum = u + v;
        u /= sum, v /= sum;
    }
    for (int x = 0; x < 3; x++)
        out[x] = t[0][x] + u * a[x] + v * b[x];
}

/* The shortest connection so far, and what is certain of the distance. */
typedef struct shortest {
    const range_tri *a, *b;
    const real *point; /* instead of b */
    real e, m, lo, hi;
} shortest;

static void offer(shortest *s, const real x[3], const real y[3])
{
    real w[3], v[3], gap = 0;
    sub(y, x, w);
    const real length = sqrtl(dot(w, w));
    /* x and y are combinations of corners: some ten roundings of coordinates below 4 m */
    s->hi = smaller(s->hi, length * (1 + 16 * U) + 2 * s->e + 128 * U * s->m);
    if (!(length > 0))
        return;
    real least = INFINITY, most = -INFINITY;
    for (int k = 0; k < 3; k++) {
        sub(s->a->p[k], s->a->p[0], v);
        most = larger(most, dot(w, v));
        sub(s->point ? s->point : s->b->p[k], s->a->p[0], v);
        least = smaller(least, dot(w, v));
    }
    gap = least - most - norm_1(w) * (2 * s->e + 12 * U * s->m);
    s->lo = larger(s->lo, gap / length * (1 - 16 * U));
}

void range_distance(const range_tri *a, const range_tri *b, real *lo, real *hi)
{
    pair_frame f;
    frame_init(&f, a, b);
    shortest s = {.a = a, .b = b, .e = f.e, .m = f.m, .hi = INFINITY};
    for (int i = 0; i < 3; i++) {
        real x[3], y[3];
        on_face(a->p[i], b, y);
        offer(&s, a->p[i], y);
        on_face(b->p[i], a, x);
        offer(&s, x, b->p[i]);
        for (int j = 0; j < 3; j++) {
            on_segments(a->p[i], a->p[(i + 1) % 3], b->p[j], b->p[(j + 1) % 3], x, y);
            offer(&s, x, y);
        }
    }
    *lo = s.lo;
    *hi = s.hi;
}

void range_point_distance(const range_tri *a, const double point[3], real *lo, real *hi)
{
    const real p[3] = {point[0], point[1], point[2]};
    real v[3];
    shortest s = {.a = a, .point = p, .hi = INFINITY};
    for (int k = 0; k < 3; k++) {
        sub(a->p[k], a->p[0], v);
        s.m = larger(s.m, longest(v));
    }
    sub(p, a->p[0], v);
    s.m = larger(s.m, longest(v));
    s.e = a->err + 4 * U * s.m;
    for (int i = 0; i < 3; i++) {
        real x[3];
        on_segment(p, a->p[i], a->p[(i + 1) % 3], x);
        offer(&s, x, p);
        on_face(p, a, x);
        offer(&s, x, p);
    }
    *lo = s.lo;
    *hi = s.hi;
}

real range_box_gap(const range_tri *a, const range_tri *b)
{
    real square = 0;
    for (int x = 0; x < 3; x++) {
        const real gap = larger(0, larger(a->lo[x] - b->hi[x], b->lo[x] - a->hi[x]));
        square += gap * gap;
    }
    return sqrtl(square) * (1 - 16 * U);
}

static int exactly(const range_tri *a, const range_tri *b, const double *point, double lo,
                   double hi)
{
    mpq_t d;
    range_exact_count++;
    mpq_init(d);
    if (point)
        oracle_point_tri_distance_sq(d, point, a->stored, a->placement);
    else
        oracle_tri_tri_distance_sq(d, a->stored, b->stored, a->placement, b->placement);
    const int is = oracle_sqrt_between(d, lo, hi);
    mpq_clear(d);
    return is;
}

int range_at_least(const range_tri *a, const range_tri *b, double lo)
{
    real least, most;
    if (range_box_gap(a, b) >= lo)
        return 1;
    range_distance(a, b, &least, &most);
    return least >= lo ? 1 : most < lo ? 0 : exactly(a, b, NULL, lo, INFINITY);
}

int range_at_most(const range_tri *a, const range_tri *b, double hi)
{
    real least, most;
    if (range_box_gap(a, b) > hi)
        return 0;
    range_distance(a, b, &least, &most);
    return most <= hi ? 1 : least > hi ? 0 : exactly(a, b, NULL, 0, hi);
}

int range_point_at_least(const range_tri *a, const double point[3], double lo)
{
    real least, most;
    range_point_distance(a, point, &least, &most);
    return least >= lo ? 1 : most < lo ? 0 : exactly(a, NULL, point, lo, INFINITY);
}

int range_point_at_most(const range_tri *a, const double point[3], double hi)
{
    real least, most;
    range_point_distance(a, point, &least, &most);
    return most <= hi ? 1 : least > hi ? 0 : exactly(a, NULL, point, 0, hi);
}

/* ---- rays and regions ------------------------------------------------------------------------ */

/* Volumes of the direction and two corners, relative to the origin; a line between them misses. A
 * corner errs by e; six products of below 6 m^2 |d|. */
int range_ray(mpq_t t, const range_tri *a, const double origin[3], const double direction[3])
{
    const real d[3] = {direction[0], direction[1], direction[2]};
    const real o[3] = {origin[0], origin[1], origin[2]};
    real v[3][3], n[3], m = 0;
    int left = 0, right = 0;
    for (int k = 0; k < 3; k++) {
        sub(a->p[k], o, v[k]);
        m = larger(m, longest(v[k]));
    }
    const real e = a->err + U * m, bound = 12 * norm_1(d) * (m + e) * (e + 4 * U * (m + e));
    for (int k = 0; k < 3; k++) {
        cross(v[k], v[(k + 1) % 3], n);
        const real volume = dot(d, n);
        left |= volume > bound;
        right |= -volume > bound;
    }
    if (left && right)
        return 0;
    range_exact_count++;
    return oracle_ray_tri(t, origin, direction, a->stored, a->placement);
}

int range_box(const range_tri *a, const double lo[3], const double hi[3])
{
    int inside = 1;
    for (int x = 0; x < 3; x++) {
        if (a->lo[x] > (real)hi[x] || (real)lo[x] > a->hi[x])
            return 0;
        inside = inside && a->lo[x] >= (real)lo[x] && a->hi[x] <= (real)hi[x];
    }
    if (inside)
        return 1;
    range_exact_count++;
    return oracle_tri_box(a->stored, a->placement, lo, hi);
}

int range_region(const range_tri *a, const double *planes, int plane_count)
{
    int inside = 1;
    for (int i = 0; i < plane_count; i++) {
        const double *plane = planes + 4 * i;
        const real n[3] = {plane[0], plane[1], plane[2]};
        const real bound = norm_1(n) * (a->err + 8 * U * a->size) + 8 * U * fabsl((real)plane[3]);
        int in = 0, out = 0;
        for (int k = 0; k < 3; k++) {
            const real value = dot(n, a->p[k]) + (real)plane[3];
            in += value > bound;
            out += -value > bound;
        }
        if (out == 3)
            return 0;
        inside = inside && in == 3;
    }
    if (inside)
        return 1;
    range_exact_count++;
    return oracle_tri_region(a->stored, a->placement, planes, plane_count);
}

void range_shape(const range_tri *a, real *altitude, real *longest_edge)
{
    real e[3], f[3], n[3], sq = 0;
    for (int k = 0; k < 3; k++) {
        sub(a->p[(k + 1) % 3], a->p[k], e);
        sq = larger(sq, dot(e, e));
    }
    sub(a->p[1], a->p[0], e), sub(a->p[2], a->p[0], f);
    cross(e, f, n);
    *longest_edge = sqrtl(sq);
    *altitude = sq > 0 ? sqrtl(dot(n, n)) / *longest_edge : 0;
}
