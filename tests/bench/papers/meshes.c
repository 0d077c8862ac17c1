/* SPDX-License-Identifier: MIT
 * meshes.c: the models of the papers' experiments: loaded or generated.
 */
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void start(mesh *m, const char *name, uint64_t capacity)
{
    snprintf(m->name, sizeof m->name, "%s", name);
    m->tri = scene_allocate(capacity * 36);
    m->count = 0;
}

void mesh_shuffle(mesh *m, uint64_t seed)
{
    for (uint64_t k = m->count; k > 1; k--) {
        float keep[9], *last = m->tri + 9 * (k - 1);
        float *other = m->tri + 9 * (uint64_t)(scene_random(&seed) * (double)k);
        memcpy(keep, last, sizeof keep);
        memmove(last, other, sizeof keep);
        memcpy(other, keep, sizeof keep);
    }
}

void mesh_free(mesh *m)
{
    free(m->tri);
    *m = (mesh){.tri = NULL};
}

/* ---- models ---------------------------------------------------------------------------------- */

static void apply(const double m[12], const float in[3], double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] =
            m[4 * row] * in[0] + m[4 * row + 1] * in[1] + m[4 * row + 2] * in[2] + m[4 * row + 3];
}

/* A stored triangle and its number in the source. */
typedef struct sourced {
    uint64_t id, at;
} sourced;

static int compare_sources(const void *a, const void *b)
{
    const sourced *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* A part's triangles in the order of their source, whatever order the file keeps them in. */
static float *in_source_order(const bvp_file *file, uint32_t part, uint64_t count)
{
    float *stored = scene_allocate(count * 36), *out = scene_allocate(count * 36);
    uint64_t *ids = scene_allocate(count * sizeof *ids);
    sourced *order = scene_allocate(count * sizeof *order);
    if (bvp_get_triangles(file, part, (bvp_range){0, count}, stored, ids, &count) != BVP_OK)
        exit(1);
    for (uint64_t k = 0; k < count; k++)
        order[k] = (sourced){ids[k], k};
    qsort(order, count, sizeof *order, compare_sources);
    for (uint64_t k = 0; k < count; k++)
        memcpy(out + 9 * k, stored + 9 * order[k].at, 36);
    free(stored);
    free(ids);
    free(order);
    return out;
}

/* Every instance's triangles in the world, 9 doubles each. */
static double *flatten(const bvp_file *file, const bvp_file_info *info)
{
    double *world = scene_allocate(info->triangle_count * 9 * sizeof *world), *next = world;
    for (uint32_t i = 0; i < info->instance_count; i++) {
        bvp_instance_info instance;
        bvp_part_info part;
        if (bvp_get_instance(file, i, &instance) != BVP_OK ||
            bvp_get_part(file, instance.part, &part) != BVP_OK)
            exit(1);
        float *local = in_source_order(file, instance.part, part.triangle_count);
        for (uint64_t k = 0; k < 3 * part.triangle_count; k++, next += 3)
            apply(instance.placement, local + 3 * k, next);
        free(local);
    }
    return world;
}

static void fit(mesh *m, const double *world, uint64_t count, double side)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint64_t k = 0; k < 9 * count; k++) {
        lo[k % 3] = fmin(lo[k % 3], world[k]);
        hi[k % 3] = fmax(hi[k % 3], world[k]);
    }
    const double size = fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
    const double scale = side > 0 ? side / size : 1;
    for (uint64_t k = 0; k < 9 * count; k++)
        m->tri[k] = (float)((world[k] - (lo[k % 3] + hi[k % 3]) / 2) * scale);
    m->count = count;
}

bool mesh_load(mesh *m, const char *path, const char *name, double side)
{
    bvp_file *file;
    bvp_file_info info;
    if (bvp_open(path, NULL, &file, NULL) != BVP_OK)
        return false;
    bvp_get_info(file, &info);
    start(m, name, info.triangle_count);
    double *world = flatten(file, &info);
    fit(m, world, info.triangle_count, side);
    free(world);
    bvp_close(file);
    return true;
}

/* ---- surfaces over a grid -------------------------------------------------------------------- */

typedef void (*surface)(const void *user, double u, double v, double out[3]);

static void emit(mesh *m, double a[3], double b[3], double c[3])
{
    float *out = m->tri + 9 * m->count++;
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = (float)a[axis];
        out[3 + axis] = (float)b[axis];
        out[6 + axis] = (float)c[axis];
    }
}

static bool same(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* u and v over [0, 1] in u_count by v_count quads; triangles that shrink to an edge are left out.
 */
static void sweep(mesh *m, int u_count, int v_count, surface at, const void *user)
{
    for (int i = 0; i < u_count; i++)
        for (int j = 0; j < v_count; j++) {
            double p[4][3];
            for (int k = 0; k < 4; k++)
                at(user, (double)(i + (k & 1)) / u_count, (double)(j + (k >> 1)) / v_count, p[k]);
            if (!same(p[0], p[1]))
                emit(m, p[0], p[1], p[3]);
            if (!same(p[2], p[3]))
                emit(m, p[0], p[3], p[2]);
        }
}

static const double two_pi = 6.283185307179586;

static void on_sphere(const void *user, double u, double v, double out[3])
{
    const double radius = *(const double *)user;
    const double z = v == 0 ? 1 : v == 1 ? -1 : cos(v * two_pi / 2);
    const double r = sqrt(1 - z * z), angle = u == 1 ? 0 : u * two_pi;
    out[0] = radius * r * cos(angle);
    out[1] = radius * r * sin(angle);
    out[2] = radius * z;
}

void mesh_sphere(mesh *m, uint64_t wanted, double radius)
{
    const int v = (int)ceil(sqrt((double)wanted / 4)), u = 2 * v;
    start(m, "sphere", 2 * (uint64_t)u * (uint64_t)v);
    sweep(m, u, v, on_sphere, &radius);
}

typedef struct torus {
    double ring, tube, wrinkle;
    int twists;
} torus;

static void on_torus(const void *user, double u, double v, double out[3])
{
    const torus *t = user;
    const double along = u * two_pi, around = v * two_pi;
    const double tube =
        t->tube * (1 + t->wrinkle * sin(7 * around + t->twists * along) * cos(9 * along));
    const double r = t->ring + tube * cos(around);
    out[0] = r * cos(along);
    out[1] = r * sin(along);
    out[2] = tube * sin(around);
}

void mesh_torus(mesh *m, uint64_t wanted, double ring_radius, double tube_radius)
{
    const torus shape = {.ring = ring_radius, .tube = tube_radius};
    const int v = (int)ceil(sqrt((double)wanted / 4)), u = 2 * v;
    start(m, "torus", 2 * (uint64_t)u * (uint64_t)v);
    sweep(m, u, v, on_torus, &shape);
}

void mesh_wrinkled_torus(mesh *m, uint64_t wanted)
{
    const torus shape = {.ring = 0.7, .tube = 0.25, .wrinkle = 0.15, .twists = 5};
    const int v = (int)ceil(sqrt((double)wanted / 4)), u = 2 * v;
    start(m, "wrinkled torus", 2 * (uint64_t)u * (uint64_t)v);
    sweep(m, u, v, on_torus, &shape);
}

static void on_spikes(const void *user, double u, double v, double out[3])
{
    const double spikes = *(const double *)user;
    const double a = u * spikes, b = v * spikes;
    const double inside = fmax(fabs(a - floor(a) - 0.5), fabs(b - floor(b) - 0.5));
    const double bowl = (2 * u - 1) * (2 * u - 1) + (2 * v - 1) * (2 * v - 1);
    out[0] = 6 * u - 3;
    out[1] = 6 * v - 3;
    out[2] = 0.5 * bowl + 0.35 * fmax(0, 1 - 4 * inside);
}

void mesh_spikes(mesh *m, uint64_t wanted)
{
    const int side = (int)sqrt((double)wanted / 2);
    const double spikes = side / 8.0;
    start(m, "spikes", 2 * (uint64_t)side * (uint64_t)side);
    sweep(m, side, side, on_spikes, &spikes);
}

/* ---- pipes ----------------------------------------------------------------------------------- */

typedef struct pipe {
    double from[3], length, radius;
    int axis;
} pipe;

static void on_pipe(const void *user, double u, double v, double out[3])
{
    const pipe *p = user;
    const int side = (p->axis + 1) % 3, up = (p->axis + 2) % 3;
    out[p->axis] = p->from[p->axis] + u * p->length;
    out[side] = p->from[side] + p->radius * cos(v * two_pi);
    out[up] = p->from[up] + p->radius * sin(v * two_pi);
}

void mesh_pipes(mesh *m, uint64_t wanted, int around, int along, uint64_t seed)
{
    start(m, "pipes", wanted + 2 * (uint64_t)around * (uint64_t)along);
    while (m->count < wanted) {
        pipe p = {.axis = (int)(scene_random(&seed) * 3),
                  .length = 0.2 + 0.6 * scene_random(&seed)};
        p.radius = 0.006 + 0.01 * scene_random(&seed);
        for (int axis = 0; axis < 3; axis++) {
            const double room = 2 - (axis == p.axis ? p.length : 0);
            p.from[axis] = -1 + floor(scene_random(&seed) * 40) / 40 * room;
        }
        sweep(m, along, around, on_pipe, &p);
    }
}
