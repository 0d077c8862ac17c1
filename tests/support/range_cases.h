/* SPDX-License-Identifier: MIT
 * range_cases.h: seeded meshes with coordinates of 2^-149 .. 2^127, and placements that bring them
 * to one size in the world, whatever their own.
 */
#ifndef RANGE_CASES_H
#define RANGE_CASES_H

#include "tri_cases.h"

enum {
    RANGE_TRIANGLES = 32, /* at most, of a mesh */
    RANGE_LOW = -149,     /* exponents of coordinates */
    RANGE_HIGH = 127,
    RANGE_STRETCH = 197 /* of the relative scale: exactness.md, chapter 1 */
};

/* A mesh; along axis j its coordinates are those of a mesh in [-1, 1], times 2^scale[j]. */
typedef struct range_mesh {
    float tri[9 * RANGE_TRIANGLES];
    uint64_t count;
    int scale[3];
} range_mesh;

/* ---- meshes ---------------------------------------------------------------------------------- */

/* 0 .. n - 1, small ones more often. */
static inline int range_skewed(int n)
{
    return case_int(1 + case_int(n));
}

static inline int range_exponent(void)
{
    switch (case_int(8)) {
    case 0:
        return RANGE_LOW + range_skewed(26);
    case 1:
        return RANGE_HIGH - range_skewed(6);
    case 2:
        return 0;
    default:
        return RANGE_LOW + case_int(RANGE_HIGH - RANGE_LOW + 1);
    }
}

/* One triangle in [-1, 1], of a kind of mesh. */
static inline void range_triangle(float *t, int kind)
{
    float at[3], size = ldexpf(1, -range_skewed(12));
    switch (kind) {
    case 0: /* small ones anywhere */
    case 1:
        case_fill(at, 3, 0.75);
        case_fill(t, 9, 0.25 * (double)size);
        for (int k = 0; k < 9; k++)
            t[k] += at[k % 3];
        return;
    case 2: /* on a coarse grid: contacts are exact */
        for (int k = 0; k < 9; k++)
            t[k] = 0.25f * (float)(case_int(9) - 4);
        return;
    case 3: /* plates: faces are coplanar */
        case_fill(t, 9, 1);
        at[0] = 0.25f * (float)(case_int(5) - 2);
        for (int k = 2; k < 9; k += 3)
            t[k] = at[0];
        return;
    case 4: /* coordinates of very different size */
        case_fill(t, 9, 1);
        for (int k = 0; k < 9; k++)
            t[k] = ldexpf(t[k], -range_skewed(60));
        return;
    case 5:
        case_needle(t);
        for (int k = 0; k < 9; k++)
            t[k] *= 0.4f;
        return;
    default: /* long ones */
        case_fill(t, 9, 1);
    }
}

static inline void range_make(range_mesh *mesh)
{
    const int kind = case_int(8), whole = range_exponent(), skew = case_int(4);
    mesh->count = 1 + (uint64_t)case_int(RANGE_TRIANGLES);
    for (int j = 0; j < 3; j++) {
        mesh->scale[j] = skew == 0 ? range_exponent() : whole;
        if (skew == 1)
            mesh->scale[j] -= case_int(30);
        if (mesh->scale[j] < RANGE_LOW)
            mesh->scale[j] = RANGE_LOW;
    }
    for (uint64_t i = 0; i < mesh->count; i++) {
        float *t = mesh->tri + 9 * i;
        range_triangle(t, kind);
        for (int k = 0; k < 9; k++)
            t[k] = ldexpf(t[k], mesh->scale[k % 3]);
    }
}

/* ---- placements ------------------------------------------------------------------------------ */

/* Which worlds 2^*lo .. 2^*hi the mesh can be brought to. */
static inline void range_worlds(const range_mesh *mesh, int *lo, int *hi)
{
    for (int j = 0; j < 3; j++) {
        const int least = mesh->scale[j] - RANGE_STRETCH, most = mesh->scale[j] + RANGE_STRETCH;
        *lo = *lo > least ? *lo : least;
        *hi = *hi < most ? *hi : most;
    }
}

static inline void range_turn(double m[12])
{
    switch (case_int(6)) {
    case 0:
        case_identity(m);
        break;
    case 1:
        case_permutation(m);
        break;
    case 2:
        case_quarter(m);
        break;
    case 3:
        case_linear(m, 1);
        m[0] += 2, m[5] += 2, m[10] += 2;
        break;
    default:
        case_rotation(m);
    }
}

/* m = turn times what takes the mesh to the size 2^world. */
static inline void range_scale(const range_mesh *mesh, const double turn[12], int world,
                               double m[12])
{
    for (int i = 0; i < 12; i++)
        m[i] = i % 4 == 3 ? 0 : ldexp(turn[i], world - mesh->scale[i % 4]);
}

static inline void range_translate(double m[12], int world, double by)
{
    for (int i = 3; i < 12; i += 4)
        m[i] = ldexp(case_unit() * by, world < 290 ? world : 290);
}

/* Where corner p stands, rounded. */
static inline void range_corner(const double m[12], const float p[3], double out[3])
{
    for (int x = 0; x < 3; x++) {
        const double *row = m + 4 * x;
        out[x] = row[0] * (double)p[0] + row[1] * (double)p[1] + row[2] * (double)p[2] + row[3];
    }
}

/* Moves b so that one of its corners stands, but for rounding, on a point of one of a's triangles.
 */
static inline void range_bring(const range_mesh *a, const double ma[12], const range_mesh *b,
                               double mb[12])
{
    const float *t = a->tri + 9 * ((uint64_t)case_int((int)a->count));
    const float *q = b->tri + 9 * ((uint64_t)case_int((int)b->count));
    const double u = 0.125 * case_int(9), v = (1 - u) * 0.125 * case_int(9);
    double p[3][3], to[3];
    for (int k = 0; k < 3; k++)
        range_corner(ma, t + 3 * k, p[k]);
    range_corner(mb, q, to);
    for (int x = 0; x < 3; x++) {
        const double at = p[0][x] + u * (p[1][x] - p[0][x]) + v * (p[2][x] - p[0][x]);
        if (fabs(mb[4 * x + 3] + at - to[x]) < 0x1p299)
            mb[4 * x + 3] += at - to[x];
    }
}

/* Placements of two meshes: *world is the size that the larger one has. */
static inline void range_place_pair(const range_mesh *a, const range_mesh *b, double ma[12],
                                    double mb[12], int *world)
{
    int lo = -1000, hi = 1000, small = 0;
    double turn[12], other[12];
    range_worlds(a, &lo, &hi);
    range_worlds(b, &lo, &hi);
    *world = lo + case_int(hi - lo + 1);
    if (case_int(3) == 0 && a->scale[0] >= lo && a->scale[0] <= hi)
        *world = a->scale[0];
    if (case_int(3) == 0) /* b is the smaller one */
        small = range_skewed(case_int(4) == 0 ? *world - lo + 1 : 60);
    if (small > *world - lo)
        small = 0;
    range_turn(turn);
    range_turn(other);
    range_scale(a, turn, *world, ma);
    range_scale(b, case_int(3) == 0 ? other : turn, *world - small, mb);
    switch (case_int(6)) {
    case 0:
        break;
    case 1:
        range_translate(ma, *world, 0.3);
        memcpy(mb + 3, ma + 3, sizeof *mb);
        memcpy(mb + 7, ma + 7, sizeof *mb);
        memcpy(mb + 11, ma + 11, sizeof *mb);
        break;
    case 2:
        range_translate(ma, *world, case_int(2) ? 0.3 : 1000);
        /* fall through */
    case 3:
        range_bring(a, ma, b, mb);
        break;
    default:
        range_translate(ma, *world, 0.3);
        range_translate(mb, *world, 0.3);
    }
    if (small > 0)
        range_bring(a, ma, b, mb);
}

#endif
