/* SPDX-License-Identifier: MIT
 * flat_oracle.h: the distance of two convex polygons, the plain way, in long double; and what the
 * tests of oriented volumes share.
 */
#ifndef FLAT_ORACLE_H
#define FLAT_ORACLE_H

#include "build_case.h"

#include <math.h>
#include <string.h>

/* Corners in order; three or four of them, any of which may coincide. */
typedef struct polygon {
    long double c[4][3];
    int count;
} polygon;

static inline long double dot_l(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sub_l(const long double a[3], const long double b[3], long double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static inline void cross_l(const long double a[3], const long double b[3], long double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline long double clamp_l(long double x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}

/* Squared distance of point q to segment a b. */
static inline long double point_segment_sq(const long double q[3], const long double a[3],
                                           const long double b[3])
{
    long double e[3], w[3];
    sub_l(b, a, e);
    sub_l(q, a, w);
    const long double t = dot_l(e, e) > 0 ? clamp_l(dot_l(w, e) / dot_l(e, e)) : 0;
    for (int k = 0; k < 3; k++)
        w[k] -= t * e[k];
    return dot_l(w, w);
}

/* Segments: the ends against the other, and where the lines come nearest. */
static inline long double segments_sq(const long double a[3], const long double b[3],
                                      const long double p[3], const long double q[3])
{
    long double e[3], f[3], w[3];
    long double best = fminl(fminl(point_segment_sq(a, p, q), point_segment_sq(b, p, q)),
                             fminl(point_segment_sq(p, a, b), point_segment_sq(q, a, b)));
    sub_l(b, a, e);
    sub_l(q, p, f);
    sub_l(p, a, w);
    const long double ee = dot_l(e, e), ff = dot_l(f, f), ef = dot_l(e, f);
    const long double det = ee * ff - ef * ef;
    if (!(det > 1e-25L * ee * ff))
        return best;
    const long double s = (dot_l(e, w) * ff - dot_l(f, w) * ef) / det;
    const long double t = (dot_l(e, w) * ef - dot_l(f, w) * ee) / det;
    if (s <= 0 || s >= 1 || t <= 0 || t >= 1)
        return best;
    for (int k = 0; k < 3; k++)
        w[k] += t * f[k] - s * e[k];
    return fminl(best, dot_l(w, w));
}

static inline void polygon_normal(const polygon *p, long double out[3])
{
    long double e[3], f[3];
    sub_l(p->c[1], p->c[0], e);
    sub_l(p->c[2], p->c[0], f);
    cross_l(e, f, out);
}

/* Is the point of the plane within all sides? */
static inline bool polygon_has(const polygon *p, const long double normal[3],
                               const long double point[3])
{
    for (int i = 0; i < p->count; i++) {
        long double e[3], w[3], n[3];
        sub_l(p->c[(i + 1) % p->count], p->c[i], e);
        sub_l(point, p->c[i], w);
        cross_l(e, w, n);
        if (dot_l(n, normal) < 0)
            return false;
    }
    return true;
}

/* Squared distance of the corners of `a` to the inside of `p`, 0 if an edge goes through. */
static inline long double corners_face_sq(const polygon *a, const polygon *p)
{
    long double n[3], height[4], best = INFINITY;
    polygon_normal(p, n);
    const long double nn = dot_l(n, n);
    if (!(nn > 0))
        return best;
    for (int i = 0; i < a->count; i++) {
        long double w[3];
        sub_l(a->c[i], p->c[0], w);
        height[i] = dot_l(w, n);
        for (int k = 0; k < 3; k++)
            w[k] = a->c[i][k] - height[i] / nn * n[k];
        if (polygon_has(p, n, w))
            best = fminl(best, height[i] * height[i] / nn);
    }
    for (int i = 0; i < a->count; i++) {
        const int j = (i + 1) % a->count;
        long double w[3];
        if (height[i] * height[j] >= 0)
            continue;
        const long double t = height[i] / (height[i] - height[j]);
        for (int k = 0; k < 3; k++)
            w[k] = a->c[i][k] + t * (a->c[j][k] - a->c[i][k]);
        if (polygon_has(p, n, w))
            return 0;
    }
    return best;
}

static inline long double polygon_distance(const polygon *a, const polygon *b)
{
    long double best = fminl(corners_face_sq(a, b), corners_face_sq(b, a));
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            best = fminl(best, segments_sq(a->c[i], a->c[(i + 1) % a->count], b->c[j],
                                           b->c[(j + 1) % b->count]));
    return sqrtl(best);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static inline double case_between(uint64_t *state, double lo, double hi)
{
    return lo + (hi - lo) * case_uniform(state);
}

/* A rotation: of any kind, or one that only turns by quarters, or nearly so. Rows. */
static inline void case_rotation(uint64_t *state, double m[9])
{
    const int kind = (int)(case_random(state) % 4);
    double q[4], sum = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = kind < 2 ? case_between(state, -1, 1) : (double)(case_random(state) % 2);
        if (kind == 3)
            q[k] += case_between(state, -1e-9, 1e-9);
        sum += q[k] * q[k];
    }
    if (sum < 1e-3) {
        q[0] = sum = 1;
        q[1] = q[2] = q[3] = 0;
    }
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(sum);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(m, r, sizeof r);
}

/* An affine map, row-major 3x4; rigid: rotation, perhaps mirrored, and scale. *stretch: what
 * lengths grow by, at most. */
static inline void case_map(uint64_t *state, bool rigid, double reach, double m[12],
                            double *stretch)
{
    double r[9], s[9], scale[3], norm = 0;
    case_rotation(state, r);
    case_rotation(state, s);
    const double size = ldexp(case_between(state, 1, 2), (int)(case_random(state) % 6) - 3);
    for (int k = 0; k < 3; k++) {
        scale[k] = rigid ? size : size * case_between(state, .1, 2);
        norm = fmax(norm, scale[k]);
    }
    if (case_random(state) % 2)
        for (int k = 0; k < 3; k++)
            scale[k] = -scale[k];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            m[4 * i + j] = r[3 * i] * scale[0] * s[j] + r[3 * i + 1] * scale[1] * s[3 + j] +
                           r[3 * i + 2] * scale[2] * s[6 + j];
        m[4 * i + 3] = case_between(state, -reach, reach);
    }
    *stretch = norm * (1 + 1e-12);
}

#endif
