/* SPDX-License-Identifier: MIT
 * remesh.h: meshes of any size, and the same surfaces cut into other triangles.
 */
#ifndef REMESH_H
#define REMESH_H

#include <stdio.h>

#include "clash_case.h"
#include "rigid_places.h"

typedef struct remesh {
    float *soup; /* to be freed */
    uint32_t count, capacity;
} remesh;

static inline void remesh_add(remesh *m, const float tri[9])
{
    if (m->count == m->capacity) {
        m->capacity = m->capacity ? 2 * m->capacity : 64;
        m->soup = realloc(m->soup, 36 * (size_t)m->capacity);
        ck_assert_ptr_nonnull(m->soup);
    }
    memcpy(m->soup + 9 * (size_t)m->count++, tri, 36);
}

static inline void remesh_copy(const remesh *from, remesh *out)
{
    *out = (remesh){NULL, 0, 0};
    for (uint32_t i = 0; i < from->count; i++)
        remesh_add(out, from->soup + 9 * (size_t)i);
}

static inline void remesh_take_solid(remesh *m, const solid *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        remesh_add(m, s->soup + 9 * i);
}

/* Bands of a sphere with corners on it. */
static inline void remesh_take_sphere(remesh *m, double radius, int around, int along)
{
    for (int i = 0; i < along; i++)
        for (int k = 0; k < around; k++) {
            float c[4][3], tri[9];
            for (int j = 0; j < 4; j++) {
                const double up = M_PI * (i + (j >= 2)) / along;
                const double turn = 2 * M_PI * ((k + (j == 1 || j == 2)) % around) / around;
                const double size = (i == 0 && j < 2) || (i + 1 == along && j >= 2) ? 0 : sin(up);
                c[j][0] = (float)(radius * size * cos(turn));
                c[j][1] = (float)(radius * size * sin(turn));
                c[j][2] = (float)(-radius * cos(up));
            }
            memcpy(tri, c[0], sizeof c[0]);
            memcpy(tri + 3, c[1], sizeof c[0]);
            memcpy(tri + 6, c[2], sizeof c[0]);
            if (i > 0)
                remesh_add(m, tri);
            memcpy(tri + 3, c[2], sizeof c[0]);
            memcpy(tri + 6, c[3], sizeof c[0]);
            if (i + 1 < along)
                remesh_add(m, tri);
        }
}

/* A binary STL. False: it cannot be read. */
static inline bool remesh_read_stl(remesh *m, const char *path)
{
    unsigned char head[84], record[50];
    FILE *file = fopen(path, "rb");
    bool is_read = file && fread(head, 1, sizeof head, file) == sizeof head;
    while (is_read && fread(record, 1, sizeof record, file) == sizeof record) {
        float tri[9];
        memcpy(tri, record + 12, sizeof tri);
        remesh_add(m, tri);
    }
    if (file)
        fclose(file);
    return is_read && m->count > 0;
}

static inline double remesh_size(const remesh *m)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 9 * m->count; i++) {
        lo[i % 3] = fmin(lo[i % 3], (double)m->soup[i]);
        hi[i % 3] = fmax(hi[i % 3], (double)m->soup[i]);
    }
    return fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
}

/* So that the middle of its box is where coordinates begin, as far as floats go. */
static inline void remesh_centre(remesh *m)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 9 * m->count; i++) {
        lo[i % 3] = fmin(lo[i % 3], (double)m->soup[i]);
        hi[i % 3] = fmax(hi[i % 3], (double)m->soup[i]);
    }
    for (uint32_t i = 0; i < 9 * m->count; i++)
        m->soup[i] = (float)((double)m->soup[i] - 0.5 * lo[i % 3] - 0.5 * hi[i % 3]);
}

/* ---- the same surface ------------------------------------------------------------------------ */

/* Triangles change places, and corners turn. */
static inline void remesh_permute(uint64_t *state, remesh *m)
{
    for (uint32_t i = m->count; i-- > 0;) {
        float *a = m->soup + 9 * (size_t)i, *b = m->soup + 9 * (case_random(state) % (i + 1));
        float kept[9];
        const unsigned turn = (unsigned)(case_random(state) % 3);
        memcpy(kept, a, sizeof kept);
        memmove(a, b, sizeof kept);
        for (unsigned k = 0; k < 3; k++)
            memcpy(b + 3 * k, kept + 3 * ((k + turn) % 3), 3 * sizeof *b);
    }
}

/* Some triangles are cut from a corner to the other side: each at most `deep` times in turn. */
static inline void remesh_split(uint64_t *state, remesh *m, int deep)
{
    for (int round = 0; round < deep; round++) {
        const uint32_t count = m->count;
        for (uint32_t i = 0; i < count; i++) {
            const unsigned k = (unsigned)(case_random(state) % 3);
            const double t = random_between(state, .2, .8);
            float one[9], other[9], *tri = m->soup + 9 * (size_t)i;
            if (case_random(state) % 3 == 0)
                continue;
            memcpy(one, tri, sizeof one);
            memcpy(other, tri, sizeof other);
            for (unsigned j = 0; j < 3; j++) {
                const double from = (double)tri[3 * k + j], to = (double)tri[3 * ((k + 1) % 3) + j];
                one[3 * k + j] = other[3 * ((k + 1) % 3) + j] = (float)(from + t * (to - from));
            }
            memcpy(tri, one, sizeof one);
            remesh_add(m, other);
        }
    }
}

static inline bool remesh_is_flat(const float *a, const float *b, const float *c, const float *d,
                                  double *turn)
{
    double e[3], f[3], g[3];
    for (int i = 0; i < 3; i++) {
        e[i] = (double)b[i] - (double)a[i];
        f[i] = (double)c[i] - (double)a[i];
        g[i] = (double)d[i] - (double)a[i];
    }
    const double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2],
                         e[0] * f[1] - e[1] * f[0]};
    const double o[3] = {f[1] * g[2] - f[2] * g[1], f[2] * g[0] - f[0] * g[2],
                         f[0] * g[1] - f[1] * g[0]};
    *turn = n[0] * o[0] + n[1] * o[1] + n[2] * o[2];
    return n[0] * g[0] + n[1] * g[1] + n[2] * g[2] == 0;
}

/* Two triangles that make up a flat convex quadrilateral get its other diagonal. */
static inline void remesh_flip(remesh *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t k = i + 1; k < m->count; k++)
            for (int e = 0; e < 9; e++) {
                float *p = m->soup + 9 * (size_t)i, *q = m->soup + 9 * (size_t)k;
                const float *a = p + 3 * (e / 3), *b = p + 3 * ((e / 3 + 1) % 3),
                            *c = p + 3 * ((e / 3 + 2) % 3), *d = q + 3 * ((e % 3 + 2) % 3);
                double one, other;
                if (memcmp(b, q + 3 * (e % 3), 12) != 0 ||
                    memcmp(a, q + 3 * ((e % 3 + 1) % 3), 12) != 0 ||
                    !remesh_is_flat(a, d, b, c, &one) || !remesh_is_flat(d, b, c, a, &other) ||
                    one <= 0 || other <= 0)
                    continue;
                float first[9], second[9];
                memcpy(first, a, 12);
                memcpy(first + 3, d, 12);
                memcpy(first + 6, c, 12);
                memcpy(second, d, 12);
                memcpy(second + 3, b, 12);
                memcpy(second + 6, c, 12);
                memcpy(p, first, sizeof first);
                memcpy(q, second, sizeof second);
                break;
            }
}

static inline uint32_t remesh_part(assembly *all, const remesh *m)
{
    const bvp_mesh mesh = case_mesh(m->soup, m->count);
    uint32_t part;
    ck_assert_int_eq(bvp_builder_add_part(all->builder, &mesh, &part, NULL), BVP_OK);
    return part;
}

#endif
