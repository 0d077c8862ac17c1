/* SPDX-License-Identifier: MIT
 * box_box.c: the set-up of box tests between two hierarchies, computed once for each pair of them.
 *
 * The tests in box_box.h are a separating axis test in float with error bounds built in. This file
 * prepares what they share: the map between the two grids in work units, the 15 axes, how far a
 * unit of half extent reaches along each axis, and the slack that makes rounding harmless.
 *
 * The invariant of every table entry: a box is never judged smaller or farther away than it is. So
 * reaches and slacks are rounded up, scales of distances down (SHRINK), and an axis is whatever
 * float vector was stored, not the ideal one: any vector is a valid separating axis, so only the
 * projections on it need to be right.
 *
 * Gaps along several axes can be combined to a longer distance, but not naively, because axes are
 * not orthogonal after a shear. world_norm() divides by the largest singular value of the axes'
 * matrix.
 *
 * If numbers are out of range, init_unknown() makes every test answer "may meet".
 *
 * Held by tests/unit/test_box_box.c: boxes with a common point are never separated, distances never
 * overstated, and slack and shrink are needed.
 * Spec: exactness.md, chapter 10; box_box.h derives the slack
 * Based on: Gottschalk, Lin, Manocha, OBBTree, 1996 (the 15 axes).
 */
#include "prim/box_box.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"

#define ROUNDING   0x1p-24 /* u: error of one float operation */
#define SLACK      (16 * ROUNDING)
#define SHRINK     (1 - 0x1p-20) /* for the roundings after a gap has been certified */
#define TINY       0x1p-60       /* smaller matrix entries count as 0: at most 2^-37 work units */
#define HUGE_SCALE 0x1p40
enum { LARGEST_EXPONENT = 480 }; /* so that the sum of two exponents is one of a double */

/* e such that |x| is in [2^(e-1), 2^e), clamped to exponents that can be scaled by. */
static int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52 & 0x7ff) - 1022;
    return e < -LARGEST_EXPONENT ? -LARGEST_EXPONENT : e > LARGEST_EXPONENT ? LARGEST_EXPONENT : e;
}

/* 2^e, e in -1022 .. 1023. */
static double power_of_2(int e)
{
    assert(e >= -1022 && e <= 1023);
    uint64_t bits = (uint64_t)(1023 + e) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double norm_1(const double v[3])
{
    return fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
}

/* Nothing is known: no pair of boxes is ever separated. */
static void init_unknown(bvpi_box_pair *p, const bvpi_grid_box *a, const bvpi_grid_box *b)
{
    for (int k = 0; k < BVPI_AXES; k++)
        p->slack[k] = INFINITY;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        p->unit_a[i] = p->unit_b[i] = p->size_b[i] = 1;
        p->centre_a[i] = p->half_a[i] = (float)a->extent[i] * 0.5f;
        p->centre_b[i] = p->half_b[i] = (float)b->extent[i] * 0.5f;
    }
    p->world_unit = 1;
}

static void init_root(double unit, uint32_t extent, float *step, float *centre, float *half)
{
    *step = (float)unit;
    *centre = *half = (float)(unit * extent * 0.5);
}

/* Columns of the matrix in work units, each scaled to entries of at most 1. exponents: of b's
 * units. */
static void init_matrix(bvpi_box_pair *p, const double map[12], int exponents[3], double r[3][3])
{
    BVPI_UNROLL
    for (int j = 0; j < 3; j++) {
        double top = bvpi_larger(bvpi_larger(fabs(map[j]), fabs(map[4 + j])), fabs(map[8 + j]));
        exponents[j] = exponent_of(top);
        double scale = power_of_2(-exponents[j]);
        BVPI_UNROLL
        for (int i = 0; i < 3; i++) {
            r[i][j] = map[4 * i + j] * scale;
            if (fabs(r[i][j]) < TINY)
                r[i][j] = 0;
            p->r[i][j] = (float)r[i][j];
            p->reach_b[j][BVPI_AXIS_A + i] = fabsf(p->r[i][j]);
            p->size_b[j] += p->r[i][j] * p->r[i][j];
        }
    }
}

/* The length of a direction in a's frame, measured as a covector of the world. */
BVPI_INLINE double world_length(const double direction[3], const double world[9])
{
    double length_sq = 0;
    BVPI_UNROLL
    for (int k = 0; k < 3; k++) {
        double c =
            direction[0] * world[k] + direction[1] * world[3 + k] + direction[2] * world[6 + k];
        length_sq += c * c;
    }
    return sqrt(length_sq);
}

/* 1 / length, rounded down and bounded; 0 for the zero vector. */
static double scale_of(double length)
{
    return length > 0 ? bvpi_smaller(SHRINK / length, HUGE_SCALE) : 0;
}

/* The rows of `directions` become unit covectors v[i] of the world. Gaps along these combine to
 * sqrt(sum of squares) divided by the largest singular value of their matrix. Returns the square of
 * the reciprocal of that value, rounded down. The largest eigenvalue of v v^T is that value's
 * square; Gershgorin's bound of it, the largest sum of a row's magnitudes, replaces it. */
static float world_norm(double directions[3][3], const double world[9])
{
    double v[3][3];
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            v[i][k] = directions[i][0] * world[k] + directions[i][1] * world[3 + k] +
                      directions[i][2] * world[6 + k];
        double length = sqrt(bvpi_dot(v[i], v[i]));
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            v[i][k] = length > 0 ? v[i][k] / length : 0;
    }
    double most = 1;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++)
        most = bvpi_larger(most, fabs(bvpi_dot(v[i], v[0])) + fabs(bvpi_dot(v[i], v[1])) +
                                     fabs(bvpi_dot(v[i], v[2])));
    return (float)(SHRINK / most);
}

/* Normals of b's faces, scaled so that gaps along them are lengths: in a's frame, or in the
 * world. */
static void init_normals(bvpi_box_pair *p, double r[3][3], const double half_b[3],
                         const double *world, double error)
{
    double n[3][3];
    BVPI_UNROLL
    for (int j = 0; j < 3; j++) {
        int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        BVPI_UNROLL
        for (int i = 0; i < 3; i++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            n[j][i] = r[i1][j1] * r[i2][j2] - r[i2][j1] * r[i1][j2];
        }
        double scale =
            scale_of(world != NULL ? world_length(n[j], world) : sqrt(bvpi_dot(n[j], n[j])));
        double others = 0;
        BVPI_UNROLL
        for (int i = 0; i < 3; i++) {
            p->n[j][i] = (float)(n[j][i] * scale);
            p->reach_a[i][BVPI_AXIS_B + j] = fabsf(p->n[j][i]);
            n[j][i] = p->n[j][i]; /* from here on, the axis is the rounded vector */
        }
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            double column[3] = {r[0][k], r[1][k], r[2][k]};
            /* In exact numbers the normal is orthogonal to b's other two axes. The rounded one is
             * not quite, so what they reach along it is added to the slack. */
            if (k == j)
                p->reach_b[j][BVPI_AXIS_B + j] = (float)fabs(bvpi_dot(n[j], column));
            else
                others += fabs(bvpi_dot(n[j], column)) * half_b[k];
        }
        p->slack[BVPI_AXIS_B + j] = (float)(norm_1(n[j]) * error + others * (1 + 0x1p-20));
    }
    if (world != NULL)
        p->norm_b = world_norm(n, world);
}

/* Axis (i, j) is unit vector i times column j of r. */
static void init_edges(bvpi_box_pair *p, double r[3][3], const double *world, double error)
{
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        BVPI_UNROLL
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            int number = BVPI_AXIS_EDGE + 3 * i + j;
            /* e_i x r_j: its component i is 0, and column j of b does not reach along it, but for
             * rounding; so two reaches of each box are left */
            double axis[3] = {0};
            axis[i1] = -p->r[i2][j];
            axis[i2] = p->r[i1][j];
            p->reach_a[i1][number] = fabsf(p->r[i2][j]);
            p->reach_a[i2][number] = fabsf(p->r[i1][j]);
            p->reach_b[j1][number] = (float)fabs(r[i1][j] * r[i2][j1] - r[i2][j] * r[i1][j1]);
            p->reach_b[j2][number] = (float)fabs(r[i1][j] * r[i2][j2] - r[i2][j] * r[i1][j2]);
            p->slack[number] = (float)(norm_1(axis) * error);
            p->edges |= axis[i1] != 0 && axis[i2] != 0;
            if (world != NULL)
                p->world_e[i][j] = (float)scale_of(world_length(axis, world));
        }
    }
}

void bvpi_box_pair_init(bvpi_box_pair *p, const bvpi_grid_box *a, const bvpi_grid_box *b,
                        const double map[12], double map_error, const double world[9])
{
    /* offset: from a's grid origin to b's, in a's frame; most: no coordinate of either root box is
     * farther from a's grid origin; rounding: of offset */
    double offset[3], most = 0, rounding = 0;
    *p = (bvpi_box_pair){0};
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const double *row = map + 4 * i;
        double reach = a->unit * a->extent[i];
        double terms = fabs(row[3]) + fabs(a->origin[i]);
        offset[i] = row[3] - a->origin[i];
        BVPI_UNROLL
        for (int j = 0; j < 3; j++) {
            offset[i] += row[j] * b->origin[j];
            terms += fabs(row[j] * b->origin[j]);
            reach += fabs(row[j]) * b->unit * b->extent[j];
        }
        rounding = bvpi_larger(rounding, terms * 0x1p-50);
        most = bvpi_larger(most, fabs(offset[i]) + reach);
    }
    double error_sum = map_error + rounding;
    if (!(most + error_sum < power_of_2(LARGEST_EXPONENT))) {
        init_unknown(p, a, b);
        return;
    }
    /* exponents of the work unit, in which every coordinate is below 2^23, and of b's units */
    int work = exponent_of(most) - 23, columns[3];
    double to_work = power_of_2(-work);
    double r[3][3], half_b[3];
    double error = (2 * error_sum + SLACK * most) * to_work + 0x1p-100; /* underflow */
    init_matrix(p, map, columns, r);
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        p->t[i] = (float)(offset[i] * to_work);
        init_root(a->unit * to_work, a->extent[i], &p->unit_a[i], &p->centre_a[i], &p->half_a[i]);
        init_root(b->unit * power_of_2(columns[i] - work), b->extent[i], &p->unit_b[i],
                  &p->centre_b[i], &p->half_b[i]);
        half_b[i] = p->half_b[i];
    }
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        p->reach_a[i][BVPI_AXIS_A + i] = 1;
        p->slack[BVPI_AXIS_A + i] = (float)error;
    }
    if (world != NULL) {
        double top = 0;
        for (int k = 0; k < 9; k++)
            top = bvpi_larger(top, fabs(world[k]));
        int scale = exponent_of(top);
        for (int k = 0; k < 9; k++)
            p->world[k] = world[k] * power_of_2(-scale);
        p->world_unit = power_of_2(work - scale);
        world = p->world;
        double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        BVPI_UNROLL
        for (int i = 0; i < 3; i++)
            p->world_a[i] = (float)scale_of(world_length(axes[i], world));
        p->norm_a = world_norm(axes, world);
    }
    init_normals(p, r, half_b, world, error);
    init_edges(p, r, world, error);
}

void bvpi_box_pair_aim(bvpi_box_pair *p, const double axis[3])
{
    double scale = scale_of(world_length(axis, p->world)), length = 0;
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        p->aim[i] = (float)(axis[i] * scale);
        p->reach_a[i][BVPI_AXIS_AIM] = fabsf(p->aim[i]);
        length += fabs((double)p->aim[i]);
    }
    BVPI_UNROLL
    for (int j = 0; j < 3; j++)
        p->reach_b[j][BVPI_AXIS_AIM] =
            fabsf(p->aim[0] * p->r[0][j] + p->aim[1] * p->r[1][j] + p->aim[2] * p->r[2][j]);
    p->slack[BVPI_AXIS_AIM] = (float)(length * p->slack[BVPI_AXIS_A] * 1.25);
}
