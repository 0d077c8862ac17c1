/* SPDX-License-Identifier: MIT
 * urdf_solids.c: boxes, cylinders and spheres as meshes. Round ones have 32 sides, and a sphere 16
 * bands; their vertices lie on the true surface, the faces within it by at most 0.5 % of the
 * radius, on a sphere 1 %.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "urdf/urdf.h"

enum { SIDES = 32, BANDS = 16, SOLID_MAX = 4096 };

/* A mesh that is large enough for any of them. */
typedef struct solid {
    double positions[3 * SIDES * (BANDS + 1)];
    uint32_t indices[3 * 2 * SIDES * BANDS];
    uint32_t vertex_count, index_count;
} solid;

static uint32_t add_vertex(solid *s, double x, double y, double z)
{
    assert(s->vertex_count < SIDES * (BANDS + 1));
    double *p = s->positions + 3 * (size_t)s->vertex_count;
    p[0] = x;
    p[1] = y;
    p[2] = z;
    return s->vertex_count++;
}

static void add_triangle(solid *s, uint32_t a, uint32_t b, uint32_t c)
{
    assert(s->index_count + 3 <= sizeof s->indices / sizeof *s->indices);
    assert(a < s->vertex_count && b < s->vertex_count && c < s->vertex_count);
    s->indices[s->index_count++] = a;
    s->indices[s->index_count++] = b;
    s->indices[s->index_count++] = c;
}

/* A circle's points: the four on the axes are exact. */
static void add_ring(solid *s, double radius, double z)
{
    for (int i = 0; i < SIDES; i++) {
        const int quarter = i % (SIDES / 4) == 0 ? i / (SIDES / 4) : -1;
        const double angle = i * (2 * 3.14159265358979323846 / SIDES);
        const double x = quarter < 0 ? cos(angle) : quarter == 0 ? 1 : quarter == 2 ? -1 : 0;
        const double y = quarter < 0 ? sin(angle) : quarter == 1 ? 1 : quarter == 3 ? -1 : 0;
        add_vertex(s, radius * x, radius * y, z);
    }
}

/* Between two rings, the second one above the first. */
static void add_band(solid *s, uint32_t low, uint32_t high)
{
    for (uint32_t i = 0; i < SIDES; i++) {
        const uint32_t k = (i + 1) % SIDES;
        add_triangle(s, low + i, low + k, high + k);
        add_triangle(s, low + i, high + k, high + i);
    }
}

/* All dimensions must exist and be positive. */
static bvp_status read_measure(urdf *u, uint32_t element, const char *name, int count, double *out)
{
    const char *text;
    bvp_status status = urdf_text(u, element, name, &text);
    if (status == BVP_OK)
        status = urdf_numbers(u, element, name, count, out);
    for (int i = 0; i < count && status == BVP_OK; i++)
        if (!(out[i] > 0))
            status = xml_refuse(u->im, &u->xml, BVP_ERR_ARGUMENT, element,
                                "\"%s\": expected a size above 0, found %g", name, out[i]);
    return status;
}

/* measures: of a box its size; else the radius, and of a cylinder the length. Faces look outward.
 */
static void make_solid(solid *s, const char *kind, const double measures[3])
{
    static const uint8_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const double radius = measures[0], length = measures[1];
    if (strcmp(kind, "box") == 0) {
        for (int i = 0; i < 8; i++) /* bit k of i: the side of axis k */
            add_vertex(s, (i & 1 ? measures[0] : -measures[0]) / 2,
                       (i & 2 ? measures[1] : -measures[1]) / 2,
                       (i & 4 ? measures[2] : -measures[2]) / 2);
        for (int i = 0; i < 6; i++) {
            add_triangle(s, quads[i][0], quads[i][1], quads[i][2]);
            add_triangle(s, quads[i][0], quads[i][2], quads[i][3]);
        }
    } else if (strcmp(kind, "sphere") == 0) {
        for (int b = 1; b < BANDS; b++) {
            const double angle = (b - BANDS / 2) * (3.14159265358979323846 / BANDS);
            add_ring(s, radius * cos(angle), radius * sin(angle));
        }
        for (uint32_t b = 0; b + 2 < BANDS; b++)
            add_band(s, b * SIDES, (b + 1) * SIDES);
        const uint32_t south = add_vertex(s, 0, 0, -radius), north = add_vertex(s, 0, 0, radius);
        const uint32_t top = (BANDS - 2) * SIDES;
        for (uint32_t i = 0; i < SIDES; i++) {
            add_triangle(s, south, (i + 1) % SIDES, i);
            add_triangle(s, north, top + i, top + (i + 1) % SIDES);
        }
    } else {
        assert(strcmp(kind, "cylinder") == 0);
        add_ring(s, radius, -length / 2);
        add_ring(s, radius, length / 2);
        add_band(s, 0, SIDES);
        for (uint32_t i = 1; i + 1 < SIDES; i++) {
            add_triangle(s, 0, i + 1, i);
            add_triangle(s, SIDES, SIDES + i, SIDES + i + 1);
        }
    }
}

bvp_status urdf_add_solid(urdf *u, uint32_t element, uint32_t *mesh)
{
    const char *kind = xml_name(&u->xml, element);
    const int is_box = strcmp(kind, "box") == 0;
    double measures[3] = {0, 0, 0};
    char key[128];
    bvp_status status = is_box ? read_measure(u, element, "size", 3, measures)
                               : read_measure(u, element, "radius", 1, &measures[0]);
    if (status == BVP_OK && strcmp(kind, "cylinder") == 0)
        status = read_measure(u, element, "length", 1, &measures[1]);
    if (status != BVP_OK)
        return status;
    snprintf(key, sizeof key, "%s %a %a %a", kind, measures[0], measures[1], measures[2]);
    *mesh = name_table_get(&u->solid_names, key);
    if (*mesh != UINT32_MAX)
        return BVP_OK;
    if (u->solid_names.count == SOLID_MAX)
        return xml_refuse(u->im, &u->xml, BVP_ERR_LIMIT, element,
                          "expected at most %d different boxes, cylinders and spheres", SOLID_MAX);
    solid *s = calloc(1, sizeof *s);
    if (!s)
        return import_no_memory(u->im);
    make_solid(s, kind, measures);
    const size_t position_size = 3 * (size_t)s->vertex_count * sizeof *s->positions;
    const size_t index_size = s->index_count * sizeof *s->indices;
    model_mesh *added = import_add_mesh(u->im);
    if (added) {
        added->name = import_text(kind, strlen(kind));
        added->positions = malloc(position_size);
        added->indices = malloc(index_size);
    }
    if (added && added->name && added->positions && added->indices) {
        memcpy(added->positions, s->positions, position_size);
        memcpy(added->indices, s->indices, index_size);
        added->is_double = 1;
        added->vertex_count = s->vertex_count;
        added->triangle_count = s->index_count / 3;
        *mesh = u->im->out->mesh_count - 1;
    } else {
        status = import_no_memory(u->im);
    }
    free(s);
    if (status == BVP_OK && name_table_put(&u->solid_names, key, mesh) != 0)
        return import_no_memory(u->im);
    return status;
}
