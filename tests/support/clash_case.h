/* SPDX-License-Identifier: MIT
 * clash_case.h: small assemblies whose clashes are known: solids, placed anywhere.
 */
#ifndef CLASH_CASE_H
#define CLASH_CASE_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build_case.h"
#include "bvpack_clash.h"

enum { CASE_TRIANGLES = 512 };

/* A mesh that grows triangle by triangle. */
typedef struct solid {
    float soup[9 * CASE_TRIANGLES];
    uint32_t count;
} solid;

static inline void solid_triangle(solid *s, const double a[3], const double b[3], const double c[3])
{
    const double *corners[3] = {a, b, c};
    ck_assert_uint_lt(s->count, CASE_TRIANGLES);
    for (int k = 0; k < 9; k++)
        s->soup[9 * s->count + (uint32_t)k] = (float)corners[k / 3][k % 3];
    s->count++;
}

static inline void solid_quad(solid *s, const double a[3], const double b[3], const double c[3],
                              const double d[3])
{
    solid_triangle(s, a, b, c);
    solid_triangle(s, a, c, d);
}

/* Adds a box; `inward`: a cavity. skip: a face that is left open, 0 .. 5, or -1. */
static inline void solid_box(solid *s, const double lo[3], const double hi[3], int inward, int skip)
{
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3, up = face % 2;
        double p[4][3];
        for (int k = 0; k < 4; k++) {
            p[k][axis] = up ? hi[axis] : lo[axis];
            p[k][u] = k == 1 || k == 2 ? hi[u] : lo[u];
            p[k][v] = k >= 2 ? hi[v] : lo[v];
        }
        if (face == skip)
            continue;
        if (up != inward)
            solid_quad(s, p[0], p[1], p[2], p[3]);
        else
            solid_quad(s, p[3], p[2], p[1], p[0]);
    }
}

/* Adds what a closed polygon, counterclockwise, sweeps from z0 to z1; caps by a fan from corner 0.
 */
static inline void solid_prism(solid *s, const double (*polygon)[2], int count, double z0,
                               double z1)
{
    for (int i = 0; i < count; i++) {
        const double *a = polygon[i], *b = polygon[(i + 1) % count];
        const double p[4][3] = {
            {a[0], a[1], z0}, {b[0], b[1], z0}, {b[0], b[1], z1}, {a[0], a[1], z1}};
        solid_quad(s, p[0], p[1], p[2], p[3]);
    }
    for (int i = 1; i + 1 < count; i++) {
        const double *a = polygon[0], *b = polygon[i], *c = polygon[i + 1];
        const double lower[3][3] = {{a[0], a[1], z0}, {b[0], b[1], z0}, {c[0], c[1], z0}};
        const double upper[3][3] = {{a[0], a[1], z1}, {b[0], b[1], z1}, {c[0], c[1], z1}};
        solid_triangle(s, lower[0], lower[2], lower[1]);
        solid_triangle(s, upper[0], upper[1], upper[2]);
    }
}

static inline void solid_cylinder(solid *s, double radius, int sides, double z0, double z1)
{
    double polygon[64][2];
    for (int i = 0; i < sides; i++) {
        polygon[i][0] = radius * cos(2 * M_PI * i / sides);
        polygon[i][1] = radius * sin(2 * M_PI * i / sides);
    }
    solid_prism(s, (const double(*)[2])polygon, sides, z0, z1);
}

/* A square plate of half side `half` with a round hole. */
static inline void solid_plate(solid *s, double half, double radius, int sides, double z0,
                               double z1)
{
    for (int i = 0; i < sides; i++) {
        double in[2][2], out[2][2];
        for (int k = 0; k < 2; k++) {
            const double angle = 2 * M_PI * ((i + k) % sides) / sides;
            const double c = cos(angle), d = sin(angle), most = fmax(fabs(c), fabs(d));
            in[k][0] = radius * c;
            in[k][1] = radius * d;
            out[k][0] = half * c / most;
            out[k][1] = half * d / most;
        }
        const double a0[3] = {in[0][0], in[0][1], z0}, a1[3] = {in[1][0], in[1][1], z0};
        const double b0[3] = {out[0][0], out[0][1], z0}, b1[3] = {out[1][0], out[1][1], z0};
        const double c0[3] = {in[0][0], in[0][1], z1}, c1[3] = {in[1][0], in[1][1], z1};
        const double d0[3] = {out[0][0], out[0][1], z1}, d1[3] = {out[1][0], out[1][1], z1};
        solid_quad(s, a0, a1, b1, b0);
        solid_quad(s, c0, d0, d1, c1);
        solid_quad(s, a1, a0, c0, c1);
        solid_quad(s, b0, b1, d1, d0);
    }
}

/* ---- assemblies ------------------------------------------------------------------------------ */

typedef struct assembly {
    bvp_builder *builder;
    uint32_t part_count;
    double world[12]; /* where all instances are moved to */
} assembly;

static inline assembly assembly_new(const double world[12])
{
    assembly a = {0};
    memcpy(a.world, world, sizeof a.world);
    ck_assert_int_eq(bvp_builder_new(NULL, &a.builder, NULL), BVP_OK);
    return a;
}

static inline uint32_t assembly_part(assembly *a, const solid *s)
{
    const bvp_mesh mesh = case_mesh(s->soup, s->count);
    uint32_t part;
    ck_assert_int_eq(bvp_builder_add_part(a->builder, &mesh, &part, NULL), BVP_OK);
    return part;
}

/* world * m */
static inline void assembly_place(assembly *a, uint32_t part, const double m[12])
{
    double placed[12];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            placed[4 * i + k] = k == 3 ? a->world[4 * i + 3] : 0;
            for (int j = 0; j < 3; j++)
                placed[4 * i + k] += a->world[4 * i + j] * m[4 * j + k];
        }
    ck_assert_int_eq(
        bvp_builder_add_node(a->builder,
                             &(bvp_new_node){.parent = BVP_NONE, .placement = placed, .part = part},
                             NULL, NULL),
        BVP_OK);
}

static inline void assembly_put(assembly *a, const solid *s, double x, double y, double z)
{
    const double m[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    assembly_place(a, assembly_part(a, s), m);
}

#endif
