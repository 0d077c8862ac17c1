/* SPDX-License-Identifier: MIT
 * hard_models.c: models that are hard for hierarchies of boxes.
 */
#include "hard_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hard_model model_new(uint64_t triangle_count)
{
    hard_model model = {malloc((size_t)triangle_count * 9 * sizeof(float) + 1), 0};
    if (!model.soup) {
        fprintf(stderr, "hard_models: no memory\n");
        exit(1);
    }
    return model;
}

static void add(hard_model *model, const double a[3], const double b[3], const double c[3])
{
    float *next = model->soup + 9 * (size_t)model->count++;
    for (int axis = 0; axis < 3; axis++) {
        next[axis] = (float)a[axis];
        next[3 + axis] = (float)b[axis];
        next[6 + axis] = (float)c[axis];
    }
}

/* Its corners in turn. */
static void add_quad(hard_model *model, double corners[4][3])
{
    add(model, corners[0], corners[1], corners[2]);
    add(model, corners[0], corners[2], corners[3]);
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double hard_uniform(uint64_t *state)
{
    return (double)(mix(*state += 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
}

/* Rodrigues' formula; 1 - cos as 2 sin^2, which keeps a turn by 1e-9. */
void hard_place(const double axis[3], double angle, const double at[3], double placement[12])
{
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
    const double half = sin(angle / 2), v = 2 * half * half, s = sin(angle);
    const double m[12] = {
        1 - v * (y * y + z * z), v * x * y - s * z,       v * x * z + s * y,       at[0],
        v * x * y + s * z,       1 - v * (x * x + z * z), v * y * z - s * x,       at[1],
        v * x * z - s * y,       v * y * z + s * x,       1 - v * (x * x + y * y), at[2]};
    memcpy(placement, m, sizeof m);
}

void hard_turn(hard_model *model, const double axis[3], double angle)
{
    double m[12];
    hard_place(axis, angle, (double[3]){0, 0, 0}, m);
    for (size_t corner = 0; corner < 3 * (size_t)model->count; corner++) {
        float *p = model->soup + 3 * corner;
        const double x = p[0], y = p[1], z = p[2];
        for (int row = 0; row < 3; row++)
            p[row] = (float)(m[4 * row] * x + m[4 * row + 1] * y + m[4 * row + 2] * z);
    }
}

/* ---- slivers --------------------------------------------------------------------------------- */

hard_model hard_strips(uint32_t strips)
{
    hard_model model = model_new(2 * (uint64_t)strips);
    for (uint32_t i = 0; i < strips; i++) {
        const double from = 1000.0 * i / strips - 500, to = 1000.0 * (i + 1) / strips - 500;
        const double low = i % 2 ? 1 : -1, high = -low;
        double corners[4][3] = {
            {-500, from, low}, {500, from, low}, {500, to, high}, {-500, to, high}};
        add_quad(&model, corners);
    }
    return model;
}

/* Between two points of a profile (radius, height), around z. */
static void add_turned(hard_model *model, uint32_t facets, const double from[2], const double to[2])
{
    for (uint32_t i = 0; i < facets; i++) {
        const double a = 2 * M_PI * i / facets, b = 2 * M_PI * ((i + 1) % facets) / facets;
        double corners[4][3] = {{from[0] * cos(a), from[0] * sin(a), from[1]},
                                {from[0] * cos(b), from[0] * sin(b), from[1]},
                                {to[0] * cos(b), to[0] * sin(b), to[1]},
                                {to[0] * cos(a), to[0] * sin(a), to[1]}};
        if (from[0] > 0)
            add(model, corners[0], corners[1], corners[2]);
        if (to[0] > 0)
            add(model, corners[0], corners[2], corners[3]);
    }
}

hard_model hard_revolved(uint32_t facets, const double (*profile)[2], uint32_t count)
{
    hard_model model = model_new(2 * (uint64_t)facets * (count - 1));
    for (uint32_t i = 0; i + 1 < count; i++)
        add_turned(&model, facets, profile[i], profile[i + 1]);
    return model;
}

hard_model hard_pipe(uint32_t facets, double inner, double outer, double length)
{
    const double end = length / 2;
    const double profile[5][2] = {
        {inner, -end}, {outer, -end}, {outer, end}, {inner, end}, {inner, -end}};
    return hard_revolved(facets, profile, inner > 0 ? 5 : 4);
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void scale_to(double v[3], double length)
{
    const double scale = length / sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] *= scale;
}

static void add_needle(hard_model *model, const double foot[3], const double along[3])
{
    double side[2][3], tip[3], corners[3][3];
    cross(along, (double[3]){0.6, 0.48, 0.64}, side[0]);
    cross(along, side[0], side[1]);
    for (int i = 0; i < 2; i++)
        scale_to(side[i], 0.0005);
    for (int axis = 0; axis < 3; axis++) {
        tip[axis] = foot[axis] + along[axis];
        corners[0][axis] = foot[axis];
        corners[1][axis] = foot[axis] + side[0][axis];
        corners[2][axis] = foot[axis] + side[1][axis];
    }
    for (int i = 0; i < 3; i++)
        add(model, corners[i], corners[(i + 1) % 3], tip);
}

hard_model hard_needles(uint32_t count, uint32_t directions, uint64_t seed)
{
    hard_model model = model_new(3 * (uint64_t)count);
    double direction[3] = {0};
    uint32_t bundle = directions;
    for (uint32_t i = 0; i < count; i++) {
        double foot[3];
        if (bundle != (uint64_t)i * directions / count) {
            bundle = (uint32_t)((uint64_t)i * directions / count);
            for (int axis = 0; axis < 3; axis++)
                direction[axis] = hard_uniform(&seed) - 0.5;
            scale_to(direction, 0.5);
        }
        for (int axis = 0; axis < 3; axis++)
            foot[axis] = (hard_uniform(&seed) - 0.5) * 0.5 - direction[axis] / 2;
        add_needle(&model, foot, direction);
    }
    return model;
}

/* ---- surfaces -------------------------------------------------------------------------------- */

hard_model hard_plate(uint32_t cells)
{
    hard_model model = model_new(2 * (uint64_t)cells * cells);
    for (uint32_t i = 0; i < cells * cells; i++) {
        const double x[2] = {(double)(i % cells) / cells, (double)(i % cells + 1) / cells};
        const double y[2] = {(double)(i / cells) / cells, (double)(i / cells + 1) / cells};
        double corners[4][3] = {{x[0], y[0], 0}, {x[1], y[0], 0}, {x[1], y[1], 0}, {x[0], y[1], 0}};
        add_quad(&model, corners);
    }
    return model;
}

/* Of a corner of the cube's lattice, in [-1, 1): the same on all sides that share it. */
static double noise(const int64_t at[3], uint64_t seed)
{
    uint64_t h = seed;
    for (int axis = 0; axis < 3; axis++)
        h = mix(h + 0x9e3779b97f4a7c15u * (uint64_t)(at[axis] + 4096 * axis + 1));
    return (double)(h >> 11) * 0x1p-52 - 1;
}

typedef struct blown_cube {
    uint32_t cells;
    double radius, bumps, noise; /* of the radius */
    uint64_t seed;
} blown_cube;

/* Corner (i, j) of a side. tan: cells of nearly one size on the sphere. */
static void blow(const blown_cube *cube, int side, int64_t i, int64_t j, double out[3])
{
    const int64_t cells = cube->cells;
    int64_t at[3];
    double p[3];
    at[side % 3] = side < 3 ? cells : -cells;
    at[(side + 1) % 3] = (side < 3 ? 1 : -1) * (2 * i - cells);
    at[(side + 2) % 3] = 2 * j - cells;
    for (int axis = 0; axis < 3; axis++)
        p[axis] = tan(M_PI / 4 * (double)at[axis] / (double)cells);
    scale_to(p, 1);
    const double bumps = sin(9 * p[0] + 1) * cos(11 * p[1]) + 0.5 * sin(23 * p[2] + 5 * p[0]) +
                         0.2 * sin(71 * p[1] + 3) * sin(67 * p[2]);
    scale_to(p, cube->radius * (1 + cube->bumps * bumps + cube->noise * noise(at, cube->seed)));
    memcpy(out, p, sizeof p);
}

static hard_model blow_up(const blown_cube *cube)
{
    const int64_t cells = cube->cells;
    hard_model model = model_new(12 * (uint64_t)(cells * cells));
    for (int side = 0; side < 6; side++)
        for (int64_t i = 0; i < cells; i++)
            for (int64_t j = 0; j < cells; j++) {
                double corners[4][3];
                for (int k = 0; k < 4; k++)
                    blow(cube, side, i + (k == 1 || k == 2), j + (k >= 2), corners[k]);
                add_quad(&model, corners);
            }
    return model;
}

hard_model hard_sphere(uint32_t cells, double radius)
{
    return blow_up(&(blown_cube){.cells = cells, .radius = radius});
}

hard_model hard_scan(uint32_t cells, uint64_t seed)
{
    return blow_up(&(blown_cube){cells, 1, 0.05, 0.3 / cells, seed});
}

void hard_add_stray(hard_model *model, double distance)
{
    hard_model more = model_new((uint64_t)model->count + 1);
    const double to = distance / sqrt(3);
    memcpy(more.soup, model->soup, (size_t)model->count * 9 * sizeof(float));
    more.count = model->count;
    add(&more, (double[3]){to, to, to}, (double[3]){to + 1, to, to}, (double[3]){to, to + 1, to});
    free(model->soup);
    *model = more;
}
