/* SPDX-License-Identifier: MIT
 * body_cases.h: bodies to ask questions of one body: meshes, placements, files, and the list of all
 * their placed triangles for answers by brute force.
 */
#ifndef BODY_CASES_H
#define BODY_CASES_H

#include "oracle.h"
#include "query/body/placed_body.h"
#include "tri_cases.h"

#include <check.h>

/* ---- meshes ---------------------------------------------------------------------------------- */

typedef struct body_mesh {
    float *tri; /* 9 floats each */
    uint64_t count;
} body_mesh;

static inline body_mesh mesh_new(uint64_t count)
{
    body_mesh m = {calloc(count, 9 * sizeof(float)), count};
    ck_assert_ptr_nonnull(m.tri);
    return m;
}

static inline void mesh_quad(body_mesh *m, uint64_t *next, const float p[4][3])
{
    static const int corners[6] = {0, 1, 2, 0, 2, 3};
    for (int k = 0; k < 6; k++)
        memcpy(m->tri + 9 * *next + 3 * k, p[corners[k]], 3 * sizeof(float));
    *next += 2;
}

/* A closed box from 0 to about (3, 2, 1) with n x n quads a face; coordinates are not dyadic. */
static inline body_mesh mesh_box(int n)
{
    const float size[3] = {3.3f, 1.9f, 1.1f};
    body_mesh m = mesh_new((uint64_t)n * n * 12);
    uint64_t next = 0;
    for (int face = 0; face < 6; face++)
        for (int cell = 0; cell < n * n; cell++) {
            const int z = face / 2, x = (z + 1) % 3, y = (z + 2) % 3, top = face & 1;
            float p[4][3];
            for (int k = 0; k < 4; k++) {
                int i = cell % n + (k == 1 || k == 2), j = cell / n + (k >= 2);
                p[k][x] = size[x] * (float)i / (float)n;
                p[k][y] = size[y] * (float)(top ? j : n - j) / (float)n;
                p[k][z] = top ? size[z] : 0;
            }
            mesh_quad(&m, &next, (const float(*)[3])p);
        }
    return m;
}

static inline void sphere_point(int n, int i, int j, float out[3])
{
    const double u = 2 * M_PI * (i % (2 * n)) / (2 * n), v = M_PI * j / n;
    out[0] = j == 0 || j == n ? 0 : (float)(sin(v) * cos(u));
    out[1] = j == 0 || j == n ? 0 : (float)(sin(v) * sin(u));
    out[2] = (float)cos(v);
}

/* A closed unit ball of n rings; the triangles at its poles are degenerate on one side. */
static inline body_mesh mesh_sphere(int n)
{
    body_mesh m = mesh_new((uint64_t)n * 2 * n * 2);
    uint64_t next = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 2 * n; i++) {
            float p[4][3];
            sphere_point(n, i, j, p[0]);
            sphere_point(n, i, j + 1, p[1]);
            sphere_point(n, i + 1, j + 1, p[2]);
            sphere_point(n, i + 1, j, p[3]);
            mesh_quad(&m, &next, (const float(*)[3])p);
        }
    return m;
}

/* Triangles of all sizes, one in eight a segment or a point, one in eight twice there. */
static inline body_mesh mesh_soup(uint64_t count)
{
    body_mesh m = mesh_new(count);
    for (uint64_t i = 0; i < count; i++) {
        float *t = m.tri + 9 * i;
        const double size = exp2(-8 * fabs(case_unit()));
        double c[3] = {case_unit(), case_unit(), case_unit()};
        for (int k = 0; k < 9; k++)
            t[k] = (float)(c[k % 3] + size * case_unit());
        if (i % 8 == 3)
            memcpy(t + 3, t, 3 * sizeof *t);
        if (i % 16 == 3)
            memcpy(t + 6, t, 3 * sizeof *t);
        if (i % 8 == 6)
            memcpy(t, t - 9, 9 * sizeof *t);
    }
    return m;
}

/* Squares at every integer 0 .. n of every axis, from 0 to n, of two triangles each. */
static inline body_mesh mesh_planes(int n)
{
    body_mesh m = mesh_new((uint64_t)(n + 1) * 6);
    uint64_t next = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int at = 0; at <= n; at++) {
            float p[4][3];
            for (int k = 0; k < 4; k++) {
                p[k][axis] = (float)at;
                p[k][(axis + 1) % 3] = (float)(k == 1 || k == 2 ? n : 0);
                p[k][(axis + 2) % 3] = (float)(k >= 2 ? n : 0);
            }
            mesh_quad(&m, &next, (const float(*)[3])p);
        }
    return m;
}

/* Turns a mesh by 40 degrees about (1, 2, 3), and moves it off the origin. */
static inline void mesh_oblique(body_mesh *m)
{
    const double s = sin(40 * M_PI / 180), t = 1 - cos(40 * M_PI / 180), l = sqrt(14);
    const double n[3] = {1 / l, 2 / l, 3 / l}, away[3] = {0.7, -0.4, 0.3};
    for (uint64_t i = 0; i < 3 * m->count; i++) {
        float *p = m->tri + 3 * i;
        const double x[3] = {(double)p[0], (double)p[1], (double)p[2]};
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            const double along = n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
            p[a] = (float)(x[a] + s * (n[b] * x[c] - n[c] * x[b]) + t * (n[a] * along - x[a]) +
                           away[a]);
        }
    }
}

/* An oblique corrugated sheet of edge 2: n long thin strips of two triangles each. */
static inline body_mesh mesh_strips(int n)
{
    body_mesh m = mesh_new(2 * (uint64_t)n);
    uint64_t next = 0;
    for (int i = 0; i < n; i++) {
        const float y[2] = {2 * (float)i / (float)n - 1, 2 * (float)(i + 1) / (float)n - 1};
        const float z[2] = {i % 2 ? 0.02f : 0, i % 2 ? 0 : 0.02f};
        const float p[4][3] = {
            {-1, y[0], z[0]}, {1, y[0], z[0]}, {1, y[1], z[1]}, {-1, y[1], z[1]}};
        mesh_quad(&m, &next, p);
    }
    mesh_oblique(&m);
    return m;
}

/* An oblique tube of radius r without ends, of n long facets. */
static inline body_mesh mesh_tube(int n, double r)
{
    body_mesh m = mesh_new(2 * (uint64_t)n);
    uint64_t next = 0;
    for (int i = 0; i < n; i++) {
        float p[4][3];
        for (int k = 0; k < 4; k++) {
            const double u = 2 * M_PI * ((i + (k == 1 || k == 2)) % n) / n;
            p[k][0] = (float)(r * cos(u));
            p[k][1] = (float)(r * sin(u));
            p[k][2] = k >= 2 ? 2 : -2;
        }
        mesh_quad(&m, &next, (const float(*)[3])p);
    }
    mesh_oblique(&m);
    return m;
}

/* The triangles of a binary STL file of the sample models. */
static inline body_mesh mesh_sample(const char *name)
{
    char path[4096];
    unsigned char head[84], record[50];
    const char *root = getenv("BVP_SRCDIR");
    snprintf(path, sizeof path, "%s/samples/models/%s", root ? root : "..", name);
    FILE *in = fopen(path, "rb");
    ck_assert_msg(in != NULL, "%s: can't be read", path);
    ck_assert_uint_eq(fread(head, 1, sizeof head, in), sizeof head);
    uint32_t count;
    memcpy(&count, head + 80, sizeof count);
    body_mesh m = mesh_new(count);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_uint_eq(fread(record, 1, sizeof record, in), sizeof record);
        memcpy(m.tri + 9 * (size_t)i, record + 12, 36);
    }
    fclose(in);
    return m;
}

/* ---- placements ------------------------------------------------------------------------------ */

enum {
    PLACED_NOT,
    PLACED_RIGID,
    PLACED_SCALED,
    PLACED_MIRRORED,
    PLACED_STRETCHED,
    PLACED_SHEARED,
    PLACED_FAR, /* 10,000 km in millimetres */
    PLACED_TINY,
    PLACED_QUARTER,
    PLACED_FLAT, /* 1 : 1e-12, in a direction that is no axis: coordinates cancel */
    PLACED_KINDS
};

/* m: a rotation. Flattens it along an axis of the part. */
static inline void place_flat(double m[12])
{
    double turn[12], flat[12];
    case_rotation(turn);
    for (int i = 0; i < 12; i++)
        flat[i] = turn[i] * (i / 4 == 2 ? 1e-12 : 1);
    for (int i = 0; i < 12; i++)
        turn[i] = i % 4 == 3 ? 0
                             : m[i / 4 * 4] * flat[i % 4] + m[i / 4 * 4 + 1] * flat[4 + i % 4] +
                                   m[i / 4 * 4 + 2] * flat[8 + i % 4];
    memcpy(m, turn, sizeof turn);
}

static inline void place_random(int kind, double m[12])
{
    case_rotation(m);
    switch (kind) {
    case PLACED_NOT:
        case_identity(m);
        return;
    case PLACED_SCALED:
        case_scale(m, 25.4);
        break;
    case PLACED_MIRRORED:
        case_scale(m, -1);
        break;
    case PLACED_STRETCHED:
        for (int i = 0; i < 12; i++)
            m[i] *= i % 4 == 2 ? 7 : i % 4 == 1 ? 0.3 : 1;
        break;
    case PLACED_SHEARED:
        for (int i = 0; i < 12; i += 4)
            m[i] += 1.5 * m[i + 1];
        break;
    case PLACED_TINY:
        case_scale(m, 1e-6);
        break;
    case PLACED_QUARTER:
        case_quarter(m);
        break;
    case PLACED_FLAT:
        place_flat(m);
        break;
    default:
        break;
    }
    case_translate(m, kind == PLACED_FAR ? 1e10 : kind == PLACED_TINY ? 1e-5 : 5);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* One mesh and an assembly of `instance_count` of several meshes, each opened for both instruction
 * sets: file[0] as the CPU can, file[1] baseline. */
typedef struct body_scene {
    bvp_file *file[2];
} body_scene;

static inline body_scene scene_of(const body_mesh *meshes, uint32_t count, const uint32_t *parts,
                                  const double *placements, uint32_t node_count)
{
    body_scene s;
    oracle_soup soups[8];
    ck_assert(count <= 8);
    for (uint32_t i = 0; i < count; i++)
        soups[i] = (oracle_soup){meshes[i].tri, meshes[i].count, NULL};
    for (int i = 0; i < 2; i++)
        s.file[i] = oracle_open(soups, count, parts, placements, node_count, i == 1);
    return s;
}

static inline body_scene scene_of_one(body_mesh mesh)
{
    return scene_of(&mesh, 1, NULL, NULL, 0);
}

/* `n` instances of a box, a ball and a soup, placed by all kinds but the far one, or near one
 * another far away. */
static inline body_scene scene_assembly(uint32_t n, bool far)
{
    body_mesh meshes[3] = {mesh_box(3), mesh_sphere(6), mesh_soup(60)};
    uint32_t *parts = calloc(n, sizeof *parts);
    double *placements = calloc(n, 12 * sizeof *placements);
    const double away[3] = {case_unit() * 1e10, case_unit() * 1e10, case_unit() * 1e10};
    for (uint32_t i = 0; i < n; i++) {
        double *m = placements + 12 * i;
        parts[i] = (uint32_t)case_int(3);
        place_random(case_int(PLACED_FAR), m);
        case_scale(m, 0.5);
        case_translate(m, 8);
        for (int a = 0; a < 3; a++)
            m[4 * a + 3] += far ? away[a] : 0;
        if (i % 5 == 4) {
            parts[i] = parts[i - 1];
            memcpy(m, m - 12, 12 * sizeof *m);
        }
    }
    body_scene s = scene_of(meshes, 3, parts, placements, n);
    for (int i = 0; i < 3; i++)
        free(meshes[i].tri);
    free(parts);
    free(placements);
    return s;
}

static inline void scene_close(body_scene *s)
{
    bvp_close(s->file[0]);
    bvp_close(s->file[1]);
}

/* ---- all triangles --------------------------------------------------------------------------- */

/* One instance of a body, or the part that it is. */
typedef struct body_item {
    bvpi_placed_part placed;
    float *tri; /* in part coordinates, 9 each */
    uint64_t *ids;
    uint64_t count;
} body_item;

typedef struct body_list {
    bvpi_placed_body placed;
    body_item *items;
    uint32_t count;
} body_list;

static inline body_list list_of(const bvp_body *body)
{
    body_list list;
    bvp_file_info info;
    bvp_get_info(body->file, &info);
    ck_assert_int_eq(bvpi_placed_body_init(&list.placed, body), BVP_OK);
    list.count = body->part == BVP_ASSEMBLY ? info.instance_count : 1;
    list.items = calloc(list.count ? list.count : 1, sizeof *list.items);
    for (uint32_t i = 0; i < list.count; i++) {
        body_item *item = &list.items[i];
        item->placed = list.placed.one;
        if (body->part == BVP_ASSEMBLY)
            ck_assert_int_eq(bvpi_placed_body_instance(&list.placed, i, &item->placed), BVP_OK);
        item->count = item->placed.part.triangle_count;
        item->tri = calloc(item->count, 9 * sizeof(float));
        item->ids = calloc(item->count, sizeof *item->ids);
        uint64_t got;
        ck_assert_int_eq(bvp_get_triangles(body->file, item->placed.part_idx,
                                           (bvp_range){0, item->count}, item->tri, item->ids, &got),
                         BVP_OK);
        ck_assert_uint_eq(got, item->count);
    }
    return list;
}

static inline void list_free(body_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->items[i].tri);
        free(list->items[i].ids);
    }
    free(list->items);
}

/* A corner of a random triangle (or a random point of it) in the world. */
static inline void point_of_body(const body_list *list, bool corner, double out[3])
{
    const body_item *item = &list->items[case_int((int)list->count)];
    const float *t = item->tri + 9 * (size_t)case_int((int)item->count);
    double u = corner ? 0 : fabs(case_unit()), v = corner ? 0 : (1 - u) * fabs(case_unit()), p[3];
    for (int a = 0; a < 3; a++)
        p[a] = t[a] + u * (t[3 + a] - t[a]) + v * (t[6 + a] - t[a]);
    bvpi_placement_point_to_world(&item->placed.at.placement, p, out);
}

/* Half the diagonal of the body's bounds, roughly, from two random points. */
static inline double size_of_body(const body_list *list)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, p[3];
    for (int i = 0; i < 64; i++) {
        point_of_body(list, true, p);
        for (int a = 0; a < 3; a++) {
            lo[a] = fmin(lo[a], p[a]);
            hi[a] = fmax(hi[a], p[a]);
        }
    }
    return sqrt((hi[0] - lo[0]) * (hi[0] - lo[0]) + (hi[1] - lo[1]) * (hi[1] - lo[1]) +
                (hi[2] - lo[2]) * (hi[2] - lo[2])) /
           2;
}

/* Calls `ask` for bodies of every mesh and placement, and for assemblies near and far, placed and
 * not. */
typedef void (*body_ask)(const bvp_body *body, const bvp_body *baseline);

static inline void ask_scene(body_scene *s, uint32_t part, int kind, body_ask ask)
{
    double m[12];
    place_random(kind, m);
    bvp_body body = {.file = s->file[0], .part = part, .placement = kind == PLACED_NOT ? NULL : m};
    bvp_body baseline = {.file = s->file[1], .part = part, .placement = body.placement};
    ask(&body, &baseline);
}

static inline void for_all_bodies(body_ask ask)
{
    body_mesh meshes[] = {mesh_box(8), mesh_sphere(16), mesh_soup(900), mesh_planes(9),
                          mesh_sample("plate_holes.STL")};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        body_scene s = scene_of_one(meshes[i]);
        for (int kind = 0; kind < PLACED_KINDS; kind++)
            ask_scene(&s, 0, kind, ask);
        scene_close(&s);
        free(meshes[i].tri);
    }
    for (int far = 0; far < 2; far++) {
        body_scene s = scene_assembly(40, far != 0);
        for (int kind = 0; kind < PLACED_KINDS; kind++)
            ask_scene(&s, BVP_ASSEMBLY, kind, ask);
        scene_close(&s);
    }
}

#endif
