/* SPDX-License-Identifier: MIT
 * oracle_gmp.c: the definitions, computed with rational numbers. Integers where a sign is all that
 * is asked (coordinates on a common grid), rationals elsewhere.
 */
#include "oracle_gmp.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

#define NO_EXPONENT 100000 /* of zero */

/* ---- points on a common grid ----------------------------------------------------------------- */

typedef mpz_t zvec[3];
typedef mpq_t qvec[3];

static zvec corner[8]; /* triangle A: 0..2; triangle B: 3..5 or another operand */
static int ready;

static void setup(void)
{
    if (ready)
        return;
    ready = 1;
    for (int i = 0; i < 8; i++)
        for (int x = 0; x < 3; x++)
            mpz_init(corner[i][x]);
}

/* x = mantissa * 2^exponent, the mantissa odd. */
static double split(double x, int *exponent)
{
    int e;
    int64_t m = (int64_t)ldexp(frexp(x, &e), 53);
    int zeros = m == 0 ? 0 : __builtin_ctzll((uint64_t)m);
    *exponent = e - 53 + zeros;
    return (double)(m / (INT64_C(1) << zeros));
}

static int low_exponent(double x)
{
    int e = NO_EXPONENT;
    if (x != 0)
        split(x, &e);
    return e;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static int triangle_unit(const float t[9], const double *m)
{
    int unit = NO_EXPONENT, q = NO_EXPONENT;
    for (int k = 0; k < 9; k++)
        q = min_int(q, low_exponent(t[k]));
    if (m == NULL)
        return q;
    for (int k = 0; k < 12; k++)
        unit = min_int(unit, low_exponent(m[k]) + (k % 4 == 3 ? 0 : q));
    return unit;
}

/* out += a b 2^-unit */
static void add_product(mpz_t out, double a, double b, int unit)
{
    static mpz_t x, y;
    static int init;
    int ea, eb;
    if (!init) {
        mpz_init(x);
        mpz_init(y);
        init = 1;
    }
    if (a == 0 || b == 0)
        return;
    mpz_set_d(x, split(a, &ea)); /* a long has 32 bits on Windows */
    mpz_set_d(y, split(b, &eb));
    mpz_mul(x, x, y);
    mpz_mul_2exp(x, x, (mp_bitcnt_t)(ea + eb - unit));
    mpz_add(out, out, x);
}

static void place_triangle(int first, const float t[9], const double *m, int unit)
{
    for (int i = 0; i < 3; i++)
        for (int x = 0; x < 3; x++) {
            mpz_set_ui(corner[first + i][x], 0);
            for (int j = 0; j < 3; j++)
                add_product(corner[first + i][x], m ? m[4 * x + j] : j == x, t[3 * i + j], unit);
            if (m)
                add_product(corner[first + i][x], m[4 * x + 3], 1, unit);
        }
}

static void place_pair(const float a[9], const float b[9], const double *ma, const double *mb)
{
    setup();
    int unit = min_int(triangle_unit(a, ma), triangle_unit(b, mb));
    place_triangle(0, a, ma, unit);
    place_triangle(3, b, mb, unit);
}

static int orient(int a, int b, int c, int d)
{
    static mpz_t v[3][3], t, det;
    static int init;
    const int i[3] = {b, c, d};
    if (!init) {
        for (int k = 0; k < 9; k++)
            mpz_init(v[k / 3][k % 3]);
        mpz_inits(t, det, NULL);
        init = 1;
    }
    for (int k = 0; k < 3; k++)
        for (int x = 0; x < 3; x++)
            mpz_sub(v[k][x], corner[i[k]][x], corner[a][x]);
    mpz_set_ui(det, 0);
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        mpz_mul(t, v[1][y], v[2][z]);
        mpz_submul(t, v[1][z], v[2][y]);
        mpz_addmul(det, t, v[0][x]);
    }
    return mpz_sgn(det);
}

/* ---- rational vectors ------------------------------------------------------------------------ */

static void qvec_init(qvec v)
{
    mpq_inits(v[0], v[1], v[2], NULL);
}

static void qvec_clear(qvec v)
{
    mpq_clears(v[0], v[1], v[2], NULL);
}

/* r = a - b, of grid points */
static void qvec_difference(qvec r, int a, int b)
{
    mpz_t t;
    mpz_init(t);
    for (int x = 0; x < 3; x++) {
        mpz_sub(t, corner[a][x], corner[b][x]);
        mpq_set_z(r[x], t);
    }
    mpz_clear(t);
}

static void qvec_dot(mpq_t r, const qvec a, const qvec b)
{
    mpq_t t, s;
    mpq_inits(t, s, NULL);
    for (int x = 0; x < 3; x++) {
        mpq_mul(t, a[x], b[x]);
        mpq_add(s, s, t);
    }
    mpq_set(r, s);
    mpq_clears(t, s, NULL);
}

static void qvec_cross(qvec r, const qvec a, const qvec b)
{
    mpq_t t;
    mpq_init(t);
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        mpq_mul(r[x], a[y], b[z]);
        mpq_mul(t, a[z], b[y]);
        mpq_sub(r[x], r[x], t);
    }
    mpq_clear(t);
}

/* r = a + s b */
static void qvec_add_scaled(qvec r, const qvec a, const mpq_t s, const qvec b)
{
    mpq_t t;
    mpq_init(t);
    for (int x = 0; x < 3; x++) {
        mpq_mul(t, s, b[x]);
        mpq_add(r[x], a[x], t);
    }
    mpq_clear(t);
}

static void clamp01(mpq_t s)
{
    if (mpq_sgn(s) < 0)
        mpq_set_ui(s, 0, 1);
    if (mpq_cmp_ui(s, 1, 1) > 0)
        mpq_set_ui(s, 1, 1);
}

/* ---- squared distances ----------------------------------------------------------------------- */

static void take_min(mpq_t best, const mpq_t d, int *any)
{
    if (!*any || mpq_cmp(d, best) < 0)
        mpq_set(best, d);
    *any = 1;
}

/* Distance of point p and segment a b. */
static void point_segment(mpq_t best, int *any, int p, int a, int b)
{
    qvec e, w;
    mpq_t s, l;
    qvec_init(e), qvec_init(w), mpq_inits(s, l, NULL);
    qvec_difference(e, b, a);
    qvec_difference(w, p, a);
    qvec_dot(s, w, e);
    qvec_dot(l, e, e);
    if (mpq_sgn(l) != 0)
        mpq_div(s, s, l);
    clamp01(s);
    mpq_neg(s, s);
    qvec_add_scaled(w, w, s, e);
    qvec_dot(l, w, w);
    take_min(best, l, any);
    qvec_clear(e), qvec_clear(w), mpq_clears(s, l, NULL);
}

/* Distance of point p and the inside of triangle t, when p's foot lies in it. */
static void point_face(mpq_t best, int *any, int p, int t)
{
    qvec a, b, n, w, g;
    mpq_t u, v, nn, s;
    qvec_init(a), qvec_init(b), qvec_init(n), qvec_init(w), qvec_init(g);
    mpq_inits(u, v, nn, s, NULL);
    qvec_difference(a, t + 1, t);
    qvec_difference(b, t + 2, t);
    qvec_difference(w, p, t);
    qvec_cross(n, a, b);
    qvec_dot(nn, n, n);
    if (mpq_sgn(nn) != 0) {
        qvec_cross(g, w, b);
        qvec_dot(u, g, n);
        qvec_cross(g, a, w);
        qvec_dot(v, g, n);
        mpq_add(s, u, v);
        if (mpq_sgn(u) >= 0 && mpq_sgn(v) >= 0 && mpq_cmp(s, nn) <= 0) {
            qvec_dot(s, w, n);
            mpq_mul(s, s, s);
            mpq_div(s, s, nn);
            take_min(best, s, any);
        }
    }
    qvec_clear(a), qvec_clear(b), qvec_clear(n), qvec_clear(w), qvec_clear(g);
    mpq_clears(u, v, nn, s, NULL);
}

static void point_triangle(mpq_t best, int *any, int p, int t)
{
    for (int e = 0; e < 3; e++)
        point_segment(best, any, p, t + e, t + (e + 1) % 3);
    point_face(best, any, p, t);
}

/* Distance of the insides of segments a b and c d, where they are not parallel. */
static void segment_segment(mpq_t best, int *any, int a, int b, int c, int d)
{
    qvec e, f, w, n, g;
    mpq_t s, t, nn;
    qvec_init(e), qvec_init(f), qvec_init(w), qvec_init(n), qvec_init(g);
    mpq_inits(s, t, nn, NULL);
    qvec_difference(e, b, a);
    qvec_difference(f, d, c);
    qvec_difference(w, c, a);
    qvec_cross(n, e, f);
    qvec_dot(nn, n, n);
    if (mpq_sgn(nn) != 0) {
        qvec_cross(g, w, f);
        qvec_dot(s, g, n);
        qvec_cross(g, w, e);
        qvec_dot(t, g, n);
        if (mpq_sgn(s) >= 0 && mpq_cmp(s, nn) <= 0 && mpq_sgn(t) >= 0 && mpq_cmp(t, nn) <= 0) {
            qvec_dot(s, w, n);
            mpq_mul(s, s, s);
            mpq_div(s, s, nn);
            take_min(best, s, any);
        }
    }
    qvec_clear(e), qvec_clear(f), qvec_clear(w), qvec_clear(n), qvec_clear(g);
    mpq_clears(s, t, nn, NULL);
}

/* The grid's unit squared. */
static void scale_sq(mpq_t d, int unit)
{
    if (unit >= 0)
        mpq_mul_2exp(d, d, (mp_bitcnt_t)(2 * unit));
    else
        mpq_div_2exp(d, d, (mp_bitcnt_t)(-2 * unit));
}

/* ---- segments through faces ------------------------------------------------------------------ */

/* Does segment a b meet the closed, true triangle t, whose plane it crosses or touches in a point?
 */
static int pierces(int a, int b, int t)
{
    int side_a = orient(t, t + 1, t + 2, a), side_b = orient(t, t + 1, t + 2, b);
    if (side_a * side_b > 0 || (side_a == 0 && side_b == 0))
        return 0;
    qvec e, n, w, p, q, g;
    mpq_t s, x, nn;
    int inside = 1;
    qvec_init(e), qvec_init(n), qvec_init(w), qvec_init(p), qvec_init(q), qvec_init(g);
    mpq_inits(s, x, nn, NULL);
    qvec_difference(p, t + 1, t);
    qvec_difference(q, t + 2, t);
    qvec_cross(n, p, q);
    qvec_difference(w, a, t);
    qvec_difference(e, b, a);
    qvec_dot(s, w, n);
    qvec_dot(x, e, n);
    mpq_div(s, s, x);
    mpq_neg(s, s);
    qvec_add_scaled(w, w, s, e); /* the point in the plane, relative to corner t */
    qvec_dot(nn, n, n);
    qvec_cross(g, w, q);
    qvec_dot(s, g, n);
    qvec_cross(g, p, w);
    qvec_dot(x, g, n);
    inside = mpq_sgn(s) >= 0 && mpq_sgn(x) >= 0;
    mpq_add(s, s, x);
    inside = inside && mpq_cmp(s, nn) <= 0;
    qvec_clear(e), qvec_clear(n), qvec_clear(w), qvec_clear(p), qvec_clear(q), qvec_clear(g);
    mpq_clears(s, x, nn, NULL);
    return inside;
}

static int is_degenerate(int t)
{
    qvec a, b, n;
    qvec_init(a), qvec_init(b), qvec_init(n);
    qvec_difference(a, t + 1, t);
    qvec_difference(b, t + 2, t);
    qvec_cross(n, a, b);
    int zero = mpq_sgn(n[0]) == 0 && mpq_sgn(n[1]) == 0 && mpq_sgn(n[2]) == 0;
    qvec_clear(a), qvec_clear(b), qvec_clear(n);
    return zero;
}

/* Smallest over the features whose distance is attained without piercing. */
static void feature_distance(mpq_t best)
{
    int any = 0;
    for (int i = 0; i < 3; i++) {
        point_triangle(best, &any, i, 3);
        point_triangle(best, &any, 3 + i, 0);
        for (int j = 0; j < 3; j++)
            segment_segment(best, &any, i, (i + 1) % 3, 3 + j, 3 + (j + 1) % 3);
    }
}

static int any_edge_pierces(void)
{
    int flat_a = is_degenerate(0), flat_b = is_degenerate(3);
    for (int i = 0; i < 3; i++) {
        if (!flat_b && pierces(i, (i + 1) % 3, 3))
            return 1;
        if (!flat_a && pierces(3 + i, 3 + (i + 1) % 3, 0))
            return 1;
    }
    return 0;
}

/* ---- triangle against triangle: is the origin in A - B? -------------------------------------- */

static void zvec_sub(zvec r, const zvec a, const zvec b)
{
    for (int x = 0; x < 3; x++)
        mpz_sub(r[x], a[x], b[x]);
}

static void zvec_cross(zvec r, const zvec a, const zvec b)
{
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        mpz_mul(r[x], a[y], b[z]);
        mpz_submul(r[x], a[z], b[y]);
    }
}

static int zvec_is_zero(const zvec a)
{
    return mpz_sgn(a[0]) == 0 && mpz_sgn(a[1]) == 0 && mpz_sgn(a[2]) == 0;
}

/* Edges and normals of both triangles; room for an axis and projections. */
static struct {
    zvec edge[6], normal[2], axis;
    mpz_t low[2], high[2], value;
    int ready;
} sat;

static void sat_init(void)
{
    for (int x = 0; x < 3 && !sat.ready; x++) {
        for (int i = 0; i < 6; i++)
            mpz_init(sat.edge[i][x]);
        mpz_inits(sat.normal[0][x], sat.normal[1][x], sat.axis[x], NULL);
    }
    if (!sat.ready)
        mpz_inits(sat.low[0], sat.low[1], sat.high[0], sat.high[1], sat.value, NULL);
    sat.ready = 1;
    for (int i = 0; i < 6; i++)
        zvec_sub(sat.edge[i], corner[i % 3 == 2 ? i - 2 : i + 1], corner[i]);
    zvec_cross(sat.normal[0], sat.edge[0], sat.edge[1]);
    zvec_cross(sat.normal[1], sat.edge[3], sat.edge[4]);
}

/* Takes from *bits what the projections on an axis disprove: PROPER when they only touch, both when
 * they are apart. */
static void project(const zvec axis, int *bits)
{
    if (zvec_is_zero(axis))
        return;
    for (int i = 0; i < 6; i++) {
        mpz_t *low = &sat.low[i / 3], *high = &sat.high[i / 3];
        mpz_mul(sat.value, axis[0], corner[i][0]);
        mpz_addmul(sat.value, axis[1], corner[i][1]);
        mpz_addmul(sat.value, axis[2], corner[i][2]);
        if (i % 3 == 0 || mpz_cmp(sat.value, *low) < 0)
            mpz_set(*low, sat.value);
        if (i % 3 == 0 || mpz_cmp(sat.value, *high) > 0)
            mpz_set(*high, sat.value);
    }
    int c = mpz_cmp(sat.high[0], sat.low[1]), d = mpz_cmp(sat.high[1], sat.low[0]);
    if (c < 0 || d < 0)
        *bits = 0;
    else if (c == 0 || d == 0)
        *bits &= ORACLE_MEET;
}

/* Of two true triangles. A - B is a polytope whose facets are orthogonal to a normal, to an edge of
 * each or, when it is flat, to a normal and an edge. */
static int true_triangles(void)
{
    int bits = ORACLE_MEET | ORACLE_PROPER;
    project(sat.normal[0], &bits);
    project(sat.normal[1], &bits);
    zvec_cross(sat.axis, sat.normal[0], sat.normal[1]);
    int parallel = zvec_is_zero(sat.axis);
    for (int i = 0; i < 6 && bits && parallel; i++) {
        zvec_cross(sat.axis, sat.normal[0], sat.edge[i]);
        project(sat.axis, &bits);
    }
    for (int i = 0; i < 9 && bits && !parallel; i++) {
        zvec_cross(sat.axis, sat.edge[i / 3], sat.edge[3 + i % 3]);
        project(sat.axis, &bits);
    }
    return parallel ? bits & ORACLE_MEET : bits;
}

int oracle_tri_tri(const float a[9], const float b[9], const double *ma, const double *mb)
{
    place_pair(a, b, ma, mb);
    sat_init();
    if (!zvec_is_zero(sat.normal[0]) && !zvec_is_zero(sat.normal[1]))
        return true_triangles();
    mpq_t d;
    mpq_init(d);
    feature_distance(d);
    int meet = mpq_sgn(d) == 0 || any_edge_pierces();
    mpq_clear(d);
    return meet ? ORACLE_MEET : 0;
}

void oracle_tri_tri_distance_sq(mpq_t out, const float a[9], const float b[9], const double *ma,
                                const double *mb)
{
    place_pair(a, b, ma, mb);
    if (any_edge_pierces()) {
        mpq_set_ui(out, 0, 1);
        return;
    }
    feature_distance(out);
    scale_sq(out, min_int(triangle_unit(a, ma), triangle_unit(b, mb)));
}

/* ---- a point, a ray -------------------------------------------------------------------------- */

static int point_unit(const double p[3])
{
    return min_int(low_exponent(p[0]), min_int(low_exponent(p[1]), low_exponent(p[2])));
}

static void place_point(int i, const double p[3], int unit)
{
    for (int x = 0; x < 3; x++) {
        mpz_set_ui(corner[i][x], 0);
        add_product(corner[i][x], p[x], 1, unit);
    }
}

void oracle_point_tri_distance_sq(mpq_t out, const double point[3], const float tri[9],
                                  const double *m)
{
    int any = 0, unit = min_int(triangle_unit(tri, m), point_unit(point));
    setup();
    place_triangle(0, tri, m, unit);
    place_point(3, point, unit);
    point_triangle(out, &any, 3, 0);
    scale_sq(out, unit);
}

int oracle_ray_tri(mpq_t t, const double origin[3], const double direction[3], const float tri[9],
                   const double *m)
{
    int unit = min_int(triangle_unit(tri, m), min_int(point_unit(origin), point_unit(direction)));
    setup();
    place_triangle(0, tri, m, unit);
    place_point(3, origin, unit);
    place_point(4, direction, unit);
    for (int x = 0; x < 3; x++)
        mpz_add(corner[4][x], corner[4][x], corner[3][x]);
    int left = 0, right = 0;
    for (int e = 0; e < 3; e++) {
        int s = orient(3, 4, e, (e + 1) % 3);
        left |= s > 0;
        right |= s < 0;
    }
    qvec p, q, n;
    mpq_t x;
    qvec_init(p), qvec_init(q), qvec_init(n), mpq_init(x);
    qvec_difference(p, 1, 0), qvec_difference(q, 2, 0), qvec_cross(n, p, q);
    qvec_difference(p, 4, 3);
    qvec_dot(x, p, n);
    int hit = !(left && right) && mpq_sgn(x) != 0;
    if (hit) {
        qvec_difference(q, 0, 3);
        qvec_dot(t, q, n);
        mpq_div(t, t, x);
    }
    qvec_clear(p), qvec_clear(q), qvec_clear(n), mpq_clear(x);
    return hit;
}

/* ---- regions: the triangle, clipped by each half-space in turn ------------------------------- */

typedef struct polygon {
    int count;
    qvec point[32];
} polygon;

static void exact_corners(polygon *out, const float tri[9], const double *m)
{
    setup();
    int unit = triangle_unit(tri, m);
    place_triangle(0, tri, m, unit);
    out->count = 3;
    for (int i = 0; i < 32; i++)
        qvec_init(out->point[i]);
    for (int i = 0; i < 3; i++)
        for (int x = 0; x < 3; x++) {
            mpq_set_z(out->point[i][x], corner[i][x]);
            if (unit >= 0)
                mpq_mul_2exp(out->point[i][x], out->point[i][x], (mp_bitcnt_t)unit);
            else
                mpq_div_2exp(out->point[i][x], out->point[i][x], (mp_bitcnt_t)-unit);
        }
}

static void plane_value(mpq_t out, const double plane[4], const qvec p)
{
    mpq_t t;
    mpq_init(t);
    mpq_set_d(out, plane[3]);
    for (int x = 0; x < 3; x++) {
        mpq_set_d(t, plane[x]);
        mpq_mul(t, t, p[x]);
        mpq_add(out, out, t);
    }
    mpq_clear(t);
}

static void push(polygon *out, const qvec p)
{
    for (int x = 0; x < 3; x++)
        mpq_set(out->point[out->count][x], p[x]);
    out->count++;
}

static void clip(polygon *out, const polygon *in, const double plane[4])
{
    mpq_t f, g;
    qvec e, p;
    mpq_inits(f, g, NULL), qvec_init(e), qvec_init(p);
    out->count = 0;
    for (int i = 0; i < in->count; i++) {
        int j = (i + 1) % in->count;
        plane_value(f, plane, in->point[i]);
        plane_value(g, plane, in->point[j]);
        if (mpq_sgn(f) >= 0)
            push(out, in->point[i]);
        if (mpq_sgn(f) * mpq_sgn(g) < 0) {
            for (int x = 0; x < 3; x++)
                mpq_sub(e[x], in->point[j][x], in->point[i][x]);
            mpq_sub(g, f, g);
            mpq_div(f, f, g);
            qvec_add_scaled(p, in->point[i], f, e);
            push(out, p);
        }
    }
    mpq_clears(f, g, NULL), qvec_clear(e), qvec_clear(p);
}

int oracle_tri_region(const float tri[9], const double *m, const double *planes, int plane_count)
{
    polygon p[2];
    exact_corners(&p[0], tri, m);
    exact_corners(&p[1], tri, m);
    for (int i = 0; i < plane_count; i++)
        clip(&p[(i + 1) % 2], &p[i % 2], planes + 4 * i);
    int meet = p[plane_count % 2].count != 0;
    for (int i = 0; i < 64; i++)
        qvec_clear(p[i / 32].point[i % 32]);
    return meet;
}

int oracle_tri_box(const float tri[9], const double *m, const double lo[3], const double hi[3])
{
    double planes[24] = {0};
    for (int x = 0; x < 3; x++) {
        planes[8 * x + x] = 1;
        planes[8 * x + 3] = -lo[x];
        planes[8 * x + 4 + x] = -1;
        planes[8 * x + 7] = hi[x];
    }
    return oracle_tri_region(tri, m, planes, 6);
}

int oracle_tri_ball(const float tri[9], const double *m, const double centre[3], double radius)
{
    mpq_t d;
    mpq_init(d);
    oracle_point_tri_distance_sq(d, centre, tri, m);
    int meet = oracle_sqrt_between(d, 0, radius);
    mpq_clear(d);
    return meet;
}

int oracle_sqrt_between(const mpq_t d_sq, double lo, double hi)
{
    mpq_t x;
    mpq_init(x);
    mpq_set_d(x, lo);
    mpq_mul(x, x, x);
    int ok = mpq_cmp(x, d_sq) <= 0;
    if (isfinite(hi)) {
        mpq_set_d(x, hi);
        mpq_mul(x, x, x);
        ok = ok && mpq_cmp(d_sq, x) <= 0;
    }
    mpq_clear(x);
    return ok;
}
