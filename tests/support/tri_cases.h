/* SPDX-License-Identifier: MIT
 * tri_cases.h: seeded random triangles and placements that are hard on geometric predicates.
 */
#ifndef TRI_CASES_H
#define TRI_CASES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tri_case {
    float a[9], b[9];
    double ma[12], mb[12];
    int family, placing;
} tri_case;

/* ---- random numbers -------------------------------------------------------------------------- */

static uint64_t case_state;

static inline uint64_t case_random(void)
{
    uint64_t z = (case_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The seed of a test program: BVP_SEED or `fallback`; printed. */
static inline void case_seed(uint64_t fallback)
{
    const char *text = getenv("BVP_SEED");
    case_state = text ? strtoull(text, NULL, 0) : fallback;
    printf("BVP_SEED=%llu\n", (unsigned long long)case_state);
}

/* 0 .. n - 1 */
static inline int case_int(int n)
{
    return (int)(case_random() >> 33) % n;
}

/* In [-1, 1). */
static inline double case_unit(void)
{
    return (double)(int64_t)case_random() * 0x1p-63;
}

/* ---- triangles ------------------------------------------------------------------------------- */

enum {
    CASE_RANDOM, /* in the unit cube */
    CASE_CLOSE,  /* small, around a common point */
    CASE_SHARED_VERTEX,
    CASE_SHARED_EDGE,
    CASE_COPLANAR,     /* on the grid of a coordinate plane */
    CASE_VERTEX_FACE,  /* a corner of B lies in A, exactly */
    CASE_EDGE_EDGE,    /* two edges cross, exactly */
    CASE_VERTEX_PLANE, /* a corner of B lies in A's plane */
    CASE_NEEDLE,       /* 1 : 1e6 */
    CASE_DEGENERATE,   /* segments and points on a small grid */
    CASE_IDENTICAL,
    CASE_GRID,   /* integers 0 .. 4 */
    CASE_OFFSET, /* near 1e7 */
    CASE_WIDE,   /* coordinates of very different size */
    CASE_TINY,   /* scaled down, down to denormals */
    CASE_HUGE,   /* scaled up, up to the largest float */
    CASE_FAMILIES
};

static inline void case_fill(float *t, int n, double scale)
{
    for (int i = 0; i < n; i++)
        t[i] = (float)(case_unit() * scale);
}

static inline void case_grid(float *t, int n, int size)
{
    for (int i = 0; i < n; i++)
        t[i] = (float)case_int(size);
}

/* out = p + (q - p) k/8, exact for small integers. */
static inline void case_between(float *out, const float *p, const float *q, int k)
{
    for (int x = 0; x < 3; x++)
        out[x] = p[x] + (q[x] - p[x]) * (float)k / 8;
}

/* Between the corners for 0 <= k, l <= 8; else elsewhere in A's plane. */
static inline void case_vertex_face(tri_case *c, int least, int count)
{
    float p[3];
    int k = least + case_int(count), l = least + case_int(count);
    case_grid(c->a, 9, 65);
    case_grid(c->b, 9, 65);
    for (int i = 0; i < 9; i++)
        c->a[i] *= 8;
    case_between(p, c->a, c->a + 3, k);
    case_between(c->b, p, c->a + 6, l);
}

static inline void case_edge_edge(tri_case *c)
{
    float p[3];
    case_grid(c->a, 9, 65);
    case_grid(c->b, 9, 65);
    for (int i = 0; i < 9; i++)
        c->a[i] *= 8;
    case_between(p, c->a, c->a + 3, case_int(9));
    for (int x = 0; x < 3; x++)
        c->b[3 + x] = 2 * p[x] - c->b[x]; /* p is the middle of B's first edge */
}

static inline void case_needle(float *t)
{
    float d[3];
    case_fill(t, 3, 1);
    case_fill(d, 3, 1);
    float along = (float)case_unit();
    for (int x = 0; x < 3; x++) {
        t[3 + x] = t[x] + d[x];
        t[6 + x] = t[x] + d[x] * along + (float)(case_unit() * 1e-6);
    }
}

static inline void case_degenerate(float *t)
{
    int kind = case_int(4);
    case_grid(t, 9, 5);
    if (kind == 0)
        memcpy(t + 3, t, 12), memcpy(t + 6, t, 12);
    if (kind == 1)
        memcpy(t + 3 * case_int(2), t + 6, 12);
    if (kind == 2)
        for (int x = 0; x < 3; x++)
            t[6 + x] = 2 * t[3 + x] - t[x];
}

/* Moves one triangle's corners round, or mirrors their order. */
static inline void case_turn(float *t)
{
    float s[9];
    memcpy(s, t, sizeof s);
    int first = case_int(3), step = 1 + case_int(2);
    for (int i = 0; i < 3; i++)
        memcpy(t + 3 * i, s + 3 * ((first + step * i) % 3), 12);
}

static inline void case_triangles(tri_case *c)
{
    double scale = 1;
    case_fill(c->a, 9, 1);
    case_fill(c->b, 9, 1);
    switch (c->family) {
    case CASE_CLOSE:
        case_fill(c->a, 9, 0.1), case_fill(c->b, 9, 0.1);
        break;
    case CASE_SHARED_VERTEX:
        memcpy(c->b, c->a, 12);
        break;
    case CASE_SHARED_EDGE:
        memcpy(c->b, c->a, 24);
        break;
    case CASE_COPLANAR:
        case_grid(c->a, 9, 9), case_grid(c->b, 9, 9);
        for (int i = 2; i < 9; i += 3)
            c->a[i] = c->b[i] = 3;
        break;
    case CASE_VERTEX_FACE:
        case_vertex_face(c, 0, 9);
        break;
    case CASE_EDGE_EDGE:
        case_edge_edge(c);
        break;
    case CASE_VERTEX_PLANE:
        case_vertex_face(c, -12, 33);
        break;
    case CASE_NEEDLE:
        case_needle(c->a), case_needle(c->b);
        if (case_int(2))
            for (int i = 0; i < 9; i++)
                c->b[i] += c->a[i % 3] - c->b[i % 3];
        break;
    case CASE_DEGENERATE:
        case_degenerate(c->a), case_degenerate(c->b);
        break;
    case CASE_IDENTICAL:
        memcpy(c->b, c->a, sizeof c->a);
        break;
    case CASE_GRID:
        case_grid(c->a, 9, 5), case_grid(c->b, 9, 5);
        break;
    case CASE_OFFSET:
        for (int i = 0; i < 9; i++) {
            c->a[i] = 1e7f + (float)case_int(5);
            c->b[i] = 1e7f + (float)case_int(5);
        }
        break;
    case CASE_WIDE:
        for (int i = 0; i < 9; i++) {
            c->a[i] = ldexpf(c->a[i], case_int(60) - 30);
            c->b[i] = ldexpf(c->b[i], case_int(60) - 30);
        }
        break;
    case CASE_TINY:
        scale = ldexp(1, -100 - case_int(48));
        break;
    case CASE_HUGE:
        scale = ldexp(1, 100 + case_int(29));
        break;
    default:
        break;
    }
    for (int i = 0; i < 9; i++) {
        c->a[i] = (float)(c->a[i] * scale);
        c->b[i] = (float)(c->b[i] * scale);
    }
    case_turn(c->a);
    case_turn(c->b);
}

/* ---- placements ------------------------------------------------------------------------------ */

enum {
    PLACE_IDENTITY,
    PLACE_SAME,       /* one rigid placement for both */
    PLACE_SHIFT,      /* integer translations */
    PLACE_PERMUTE,    /* signed permutations and integer translations */
    PLACE_RIGID,      /* A at the identity, B rotated about the origin */
    PLACE_RIGID_BOTH, /* and translated */
    PLACE_SCALED,     /* rotation times uniform scale, maybe mirrored */
    PLACE_SHEARED,    /* any linear part */
    PLACE_FLAT,       /* ill-conditioned, 1 : 1e9 */
    PLACE_FAR,        /* rigid, translations of 1e7 */
    PLACE_QUARTER,    /* quarter turns by sine and cosine, with their 6e-17 */
    PLACE_NEAR_A,     /* A rotated, B its image, rounded: contacts become near misses */
    PLACE_COUNT
};

static inline void case_identity(double m[12])
{
    for (int i = 0; i < 12; i++)
        m[i] = i % 5 == 0;
}

static inline void case_rotation(double m[12])
{
    double q[4], l = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = case_unit();
        l += q[i] * q[i];
    }
    l = 1 / sqrt(l);
    double x = q[0] * l, y = q[1] * l, z = q[2] * l, w = q[3] * l;
    double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                   2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                   2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++)
        m[4 * (i / 3) + i % 3] = r[i];
    m[3] = m[7] = m[11] = 0;
}

static inline void case_translate(double m[12], double scale)
{
    for (int i = 3; i < 12; i += 4)
        m[i] = case_unit() * scale;
}

static inline void case_shift(double m[12])
{
    for (int i = 3; i < 12; i += 4)
        m[i] = case_int(9) - 4;
}

static inline void case_permutation(double m[12])
{
    int p[3] = {0, 1, 2}, i = case_int(3), t = p[0];
    p[0] = p[i], p[i] = t;
    i = 1 + case_int(2), t = p[1];
    p[1] = p[i], p[i] = t;
    memset(m, 0, 12 * sizeof *m);
    for (int x = 0; x < 3; x++)
        m[4 * x + p[x]] = case_int(2) ? 1 : -1;
}

static inline void case_linear(double m[12], double scale)
{
    for (int i = 0; i < 12; i++)
        m[i] = i % 4 == 3 ? 0 : case_unit() * scale;
}

static inline void case_quarter(double m[12])
{
    double angle = M_PI_2 * case_int(4), s = sin(angle), c = cos(angle);
    int x = case_int(3), y = (x + 1) % 3;
    case_identity(m);
    m[5 * x] = m[5 * y] = c;
    m[4 * x + y] = -s;
    m[4 * y + x] = s;
}

static inline void case_scale(double m[12], double scale)
{
    for (int i = 0; i < 12; i++)
        m[i] *= i % 4 == 3 ? 1 : scale;
}

/* B's corners become those of the image of B's corners under ma: contacts survive but for rounding.
 */
static inline void case_follow(tri_case *c)
{
    for (int i = 0; i < 3; i++) {
        float p[3];
        for (int x = 0; x < 3; x++) {
            const double *r = c->ma + 4 * x;
            p[x] = (float)(r[0] * c->b[3 * i] + r[1] * c->b[3 * i + 1] + r[2] * c->b[3 * i + 2] +
                           r[3]);
            if (!isfinite(p[x]))
                p[x] = 0;
        }
        memcpy(c->b + 3 * i, p, sizeof p);
    }
}

static inline void case_placements(tri_case *c)
{
    case_identity(c->ma);
    case_identity(c->mb);
    switch (c->placing) {
    case PLACE_SAME:
        case_rotation(c->ma), case_translate(c->ma, 10);
        memcpy(c->mb, c->ma, sizeof c->ma);
        break;
    case PLACE_SHIFT:
        case_shift(c->ma), case_shift(c->mb);
        break;
    case PLACE_PERMUTE:
        case_permutation(c->ma), case_permutation(c->mb);
        case_shift(c->ma), case_shift(c->mb);
        break;
    case PLACE_RIGID:
        case_rotation(c->mb);
        break;
    case PLACE_RIGID_BOTH:
        case_rotation(c->ma), case_translate(c->ma, 1);
        case_rotation(c->mb), case_translate(c->mb, 1);
        break;
    case PLACE_SCALED:
        case_rotation(c->ma), case_scale(c->ma, case_unit()), case_translate(c->ma, 0.5);
        case_rotation(c->mb), case_scale(c->mb, -25.4), case_translate(c->mb, 0.5);
        break;
    case PLACE_SHEARED:
        case_linear(c->ma, 1), case_translate(c->ma, 0.2);
        case_linear(c->mb, 1), case_translate(c->mb, 0.2);
        break;
    case PLACE_FLAT:
        case_rotation(c->ma), case_rotation(c->mb);
        for (int x = 0; x < 3; x++)
            c->ma[4 * x + 2] *= 1e-9, c->mb[4 * x + 1] *= 1e-9;
        break;
    case PLACE_FAR:
        case_rotation(c->ma), case_translate(c->ma, 1e7);
        case_rotation(c->mb);
        for (int i = 3; i < 12; i += 4)
            c->mb[i] = c->ma[i] + case_unit() * 0.5;
        break;
    case PLACE_QUARTER:
        case_quarter(c->ma), case_quarter(c->mb);
        case_shift(c->ma), case_shift(c->mb);
        break;
    case PLACE_NEAR_A:
        case_rotation(c->ma), case_translate(c->ma, 1);
        case_follow(c);
        break;
    default:
        break;
    }
}

static inline void case_make(tri_case *c, int family, int placing)
{
    c->family = family;
    c->placing = placing;
    case_triangles(c);
    case_placements(c);
}

/* ---- flush faces -----------------------------------------------------------------------------

 * Two triangles of one plane, as faces of mates are, under placements that a program computed. */

enum {
    FLUSH_ALIGNED, /* axes go to axes: exactly coplanar */
    FLUSH_ULP,     /* the same, B's translation an ulp off */
    FLUSH_SLIDING, /* the same, but an edge or corner of one ends in the plane */
    FLUSH_TURNED,  /* one rotation for both: off by rounding */
    FLUSH_FAR,     /* the same, kilometres away */
    FLUSH_TWICE,   /* each with a rotation of its own: off by rounding */
    FLUSH_SUBNORMAL /* aligned, and as small as numbers are */,
    FLUSH_KINDS
};

/* A coordinate as CAD programs leave them: round, on a circle, or what is left of a zero. */
static inline float case_cad(void)
{
    static const double radius[3] = {0.0085, 0.12, 0.25};
    int kind = case_int(6);
    double angle = M_PI / 12 * case_int(24), on_circle = radius[case_int(3)] * cos(angle);
    return kind == 0   ? (float)(case_unit() * 1e-17)
           : kind == 1 ? 0
           : kind == 2 ? (float)(0.05 * (case_int(9) - 4))
                       : (float)on_circle;
}

/* In the plane z = height, but for `off` corners, from the last on. */
static inline void case_flat(float *t, float height, int off)
{
    for (int i = 0; i < 9; i++)
        t[i] = i % 3 == 2 ? height : case_cad();
    for (int k = 3 - off; k < 3; k++)
        t[3 * k + 2] += (float)(case_int(3) - 1) * 0.4f;
    if (case_int(8) == 0) /* a segment */
        memcpy(t + 3 * case_int(2), t + 6, 12);
}

/* m = rotation times (m, shifted by z) */
static inline void case_turn_placement(double m[12], const double r[12], double z)
{
    double s[12];
    memcpy(s, m, sizeof s);
    s[11] += z;
    for (int i = 0; i < 12; i++)
        m[i] = r[i / 4 * 4] * s[i % 4] + r[i / 4 * 4 + 1] * s[4 + i % 4] +
               r[i / 4 * 4 + 2] * s[8 + i % 4];
}

/* An angle about z: both faces keep their plane. */
static inline void case_spin(double m[12])
{
    double angle = case_unit() * 4;
    case_identity(m);
    m[0] = m[5] = cos(angle);
    m[1] = -(m[4] = sin(angle));
}

static inline void case_flush(tri_case *c, int kind)
{
    const double far = kind == FLUSH_FAR ? 1e4 : 10;
    const float height = 0.05f * (float)case_int(5), gap = 0.25f * (float)case_int(9);
    double r[12];
    c->family = -1;
    c->placing = kind;
    case_flat(c->a, height + gap, kind == FLUSH_SLIDING ? case_int(3) : 0);
    case_flat(c->b, height, kind == FLUSH_SLIDING ? case_int(3) : 0);
    case_permutation(r);
    case_identity(c->ma);
    case_identity(c->mb);
    for (int i = 3; i < 12; i += 4)
        c->ma[i] = c->mb[i] = floor(case_unit() * far * 1e5) * 1e-5;
    if (kind == FLUSH_TWICE)
        case_spin(c->ma), case_spin(c->mb);
    if (kind >= FLUSH_TURNED && kind <= FLUSH_TWICE)
        case_rotation(r);
    case_turn_placement(c->ma, r, 0);
    case_turn_placement(c->mb, r, (double)(height + gap) - (double)height);
    if (kind == FLUSH_ULP) {
        double *t = &c->mb[3 + 4 * case_int(3)];
        *t = nextafter(*t, case_int(2) ? INFINITY : -INFINITY);
    }
    if (kind == FLUSH_SUBNORMAL)
        for (int i = 0; i < 9; i++) {
            c->a[i] = ldexpf(c->a[i], -130);
            c->b[i] = ldexpf(c->b[i], -130);
            c->ma[i % 3 * 4 + 3] = c->mb[i % 3 * 4 + 3] = 0x1p-1074 * case_int(3);
        }
}

/* Prints a case so that it can be pasted into a test. */
static inline void case_print(const tri_case *c)
{
    printf("family %d placing %d\n", c->family, c->placing);
    for (int i = 0; i < 18; i++)
        printf("%a%s", (double)(i < 9 ? c->a[i] : c->b[i - 9]), i % 9 == 8 ? "\n" : ", ");
    for (int i = 0; i < 24; i++)
        printf("%a%s", i < 12 ? c->ma[i] : c->mb[i - 12], i % 12 == 11 ? "\n" : ", ");
}

#endif
