/* SPDX-License-Identifier: MIT
 * surface.c: vertices and polygons that an importer collects, and the meshes made of them.
 */
#include "model/surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text/array.h"

/* ---- collecting ------------------------------------------------------------------------------ */

int surface_add_vertex(surface *s, const double position[3], const void *at)
{
    size_t used = 3 * s->vertex_count;
    if (s->vertex_count >= UINT32_MAX - 1 ||
        array_grow(&s->positions, &s->coordinate_capacity, used + 3, sizeof(double)) != 0)
        return -1;
    memcpy(s->positions + used, position, 3 * sizeof(double));
    if (!s->odd_at && !(isfinite(position[0]) && isfinite(position[1]) && isfinite(position[2]))) {
        s->odd_at = at;
        s->odd_vertex = s->vertex_count;
    }
    s->vertex_count++;
    return 0;
}

int surface_add_corner(surface *s, uint32_t vertex)
{
    if (array_grow(&s->corners, &s->corner_capacity, s->corner_count + 1, sizeof(uint32_t)) != 0)
        return -1;
    s->corners[s->corner_count++] = vertex;
    return 0;
}

int surface_end_polygon(surface *s, size_t corner_count)
{
    if (corner_count > UINT32_MAX ||
        array_grow(&s->sizes, &s->size_capacity, s->polygon_count + 1, sizeof(uint32_t)) != 0)
        return -1;
    s->sizes[s->polygon_count++] = (uint32_t)corner_count;
    return 0;
}

/* ---- making meshes --------------------------------------------------------------------------- */

/* A mesh under construction. */
typedef struct making {
    importer *im;
    surface *surface;
    uint32_t *indices, *ids;
    uint64_t triangle_count;
    uint32_t *originals; /* vertices of the surface that the mesh uses */
    size_t vertex_count, original_capacity;
} making;

static bvp_status refuse_vertex(importer *im, const surface *s, size_t polygon, uint32_t vertex)
{
    const double *at = s->positions + 3 * (size_t)vertex;
    const uint8_t *where = s->odd_at;
    char text[256];
    snprintf(text, sizeof text,
             "vertex %u, of polygon %zu (from 0): expected finite coordinates, found %g %g %g; "
             "repair it or leave such polygons out with --drop-invalid",
             vertex, polygon, at[0], at[1], at[2]);
    if (vertex != s->odd_vertex)
        return import_refuse(im, BVP_ERR_ARGUMENT, "%s", text);
    if (s->is_binary)
        return import_refuse_byte(im, BVP_ERR_ARGUMENT, (uint64_t)(where - im->data), "%s", text);
    return import_refuse_line(im, BVP_ERR_ARGUMENT, where, "%s", text);
}

/* *usable: all corners exist and are finite. */
static bvp_status check_polygon(making *m, size_t polygon, const uint32_t *corners, uint32_t size,
                                int *usable)
{
    const surface *s = m->surface;
    *usable = 1;
    for (uint32_t i = 0; i < size && *usable; i++) {
        if (corners[i] >= s->vertex_count) {
            *usable = 0;
            continue;
        }
        const double *at = s->positions + 3 * (size_t)corners[i];
        if (isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]))
            continue;
        if (!m->im->options->drop_invalid)
            return refuse_vertex(m->im, s, polygon, corners[i]);
        *usable = 0;
    }
    return BVP_OK;
}

/* Gives the new triangles' vertices their numbers in the mesh. */
static int rename_corners(making *m, uint32_t *corners, size_t count)
{
    surface *s = m->surface;
    for (size_t i = 0; i < count; i++) {
        uint32_t *name = &s->renamed[corners[i]];
        if (*name == UINT32_MAX) {
            if (array_grow(&m->originals, &m->original_capacity, m->vertex_count + 1,
                           sizeof(uint32_t)) != 0)
                return -1;
            m->originals[m->vertex_count] = corners[i];
            *name = (uint32_t)m->vertex_count++;
        }
        corners[i] = *name;
    }
    return 0;
}

static bvp_status add_polygon(making *m, size_t polygon, const uint32_t *corners, uint32_t size)
{
    surface *s = m->surface;
    int usable;
    if (size < 3) {
        s->small++;
        return BVP_OK;
    }
    uint32_t *triangles = m->indices + 3 * m->triangle_count;
    bvp_status status = check_polygon(m, polygon, corners, size, &usable);
    if (status != BVP_OK)
        return status;
    if (!usable) {
        s->dropped++;
        return BVP_OK;
    }
    polygon_result result = polygon_cut(&s->work, s->positions, corners, size, triangles);
    if (result == POLYGON_NO_MEMORY || rename_corners(m, triangles, 3 * (size_t)(size - 2)) != 0)
        return import_no_memory(m->im);
    s->fans += result == POLYGON_FAN;
    for (uint32_t i = 0; i < size - 2; i++)
        m->ids[m->triangle_count++] = (uint32_t)polygon;
    return BVP_OK;
}

/* The used vertices, dense; and the names are free for the next mesh. */
static void *copy_positions(making *m)
{
    const surface *s = m->surface;
    size_t width = 3 * (s->needs_double ? sizeof(double) : sizeof(float));
    char *out = malloc(m->vertex_count * width);
    for (size_t i = 0; i < m->vertex_count; i++) {
        const double *from = s->positions + 3 * (size_t)m->originals[i];
        float narrow[3] = {(float)from[0], (float)from[1], (float)from[2]};
        if (out)
            memcpy(out + i * width, s->needs_double ? (const void *)from : narrow, width);
        s->renamed[m->originals[i]] = UINT32_MAX;
    }
    return out;
}

static int are_plain(const uint32_t *ids, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (ids[i] != i)
            return 0;
    return 1;
}

static bvp_status finish(making *m, const surface_range *range)
{
    model_mesh *mesh = import_add_mesh(m->im);
    if (!mesh)
        return import_no_memory(m->im);
    mesh->is_double = m->surface->needs_double;
    mesh->positions = copy_positions(m);
    mesh->vertex_count = m->vertex_count;
    mesh->indices = m->indices;
    mesh->triangle_count = m->triangle_count;
    m->indices = NULL;
    if (!are_plain(m->ids, m->triangle_count)) {
        mesh->ids = m->ids;
        m->ids = NULL;
    }
    if (range->name && range->name_size > 0)
        mesh->name = import_text(range->name, range->name_size);
    if (!mesh->positions || (range->name && range->name_size > 0 && !mesh->name))
        return import_no_memory(m->im);
    return BVP_OK;
}

static int begin(making *m, uint64_t triangle_count)
{
    surface *s = m->surface;
    m->indices = malloc(triangle_count * 3 * sizeof(uint32_t));
    m->ids = malloc(triangle_count * sizeof(uint32_t));
    if (!s->renamed) {
        s->renamed = malloc((s->vertex_count + 1) * sizeof(uint32_t));
        if (s->renamed)
            memset(s->renamed, 0xff, (s->vertex_count + 1) * sizeof(uint32_t));
    }
    return m->indices && m->ids && s->renamed ? 0 : -1;
}

bvp_status surface_make_mesh(importer *im, surface *s, const surface_range *range)
{
    making m = {.im = im, .surface = s};
    if (s->corner_count == 0) { /* nothing but empty faces, if any */
        s->small += range->polygon_count;
        return BVP_OK;
    }
    const uint32_t *sizes = s->sizes + range->first_polygon;
    uint64_t triangle_count = 0;
    for (size_t i = 0; i < range->polygon_count; i++)
        triangle_count += sizes[i] > 2 ? sizes[i] - 2 : 0;
    if (triangle_count > UINT32_MAX / 3)
        return import_refuse(im, BVP_ERR_LIMIT,
                             "a part has over 1,431,655,765 triangles; split it");
    bvp_status status = BVP_OK;
    if (triangle_count > 0 && begin(&m, triangle_count) != 0)
        status = import_no_memory(im);
    size_t corner = range->first_corner;
    for (size_t i = 0; status == BVP_OK && i < range->polygon_count; i++) {
        status = add_polygon(&m, range->first_polygon + i, s->corners + corner, sizes[i]);
        corner += sizes[i];
    }
    if (status == BVP_OK && m.triangle_count > 0)
        status = finish(&m, range);
    free(m.indices);
    free(m.ids);
    free(m.originals);
    return status;
}

bvp_status surface_warn(importer *im, const surface *s)
{
    bvp_status status =
        import_warn(im, s->dropped, "polygons that are not finite or have bad indices left out");
    if (status == BVP_OK)
        status = import_warn(im, s->small, "faces of fewer than three corners left out");
    if (status == BVP_OK)
        status =
            import_warn(im, s->fans, "polygons that cross themselves or have no area cut as fans");
    return status;
}

void surface_free(surface *s)
{
    free(s->positions);
    free(s->corners);
    free(s->sizes);
    free(s->renamed);
    polygon_free(&s->work);
}
