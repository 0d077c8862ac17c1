/* SPDX-License-Identifier: MIT
 * surface.c: vertices and polygons that an importer collects, and the meshes made of them.
 */
#include "model/surface.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/triangle_sink.h"
#include "text/array.h"

/* ---- collecting ------------------------------------------------------------------------------ */

enum { POSITIONS, CORNERS, SIZES }; /* spills */

/* array_grow, but in a file where there is a sink. */
static int grow(surface *s, int which, void *array, size_t *capacity, size_t wanted, size_t size)
{
    const triangle_sink *sink = s->im->options->sink;
    spill *to = &s->spills[which];
    void *data;
    if (!sink) {
        const size_t had = *capacity;
        if (array_grow(array, capacity, wanted, size) != 0)
            return -1;
        memcpy(&data, array, sizeof data);
        if (*capacity > had)
            large_advise(data, *capacity * size);
        return 0;
    }
    if (wanted <= *capacity)
        return 0;
    if (wanted > SIZE_MAX / 2 / size)
        return -1;
    s->error = spill_grow(to, sink->folder, wanted * size);
    if (s->error != 0)
        return -1;
    memcpy(array, &to->data, sizeof to->data);
    *capacity = to->size / size;
    return 0;
}

int surface_reserve(surface *s, size_t vertices, size_t corners, size_t polygons)
{
    if (vertices >= UINT32_MAX || vertices > SIZE_MAX / 3)
        return -1;
    return grow(s, POSITIONS, &s->positions, &s->coordinate_capacity, 3 * vertices,
                sizeof(double)) ||
                   grow(s, CORNERS, &s->corners, &s->corner_capacity, corners, sizeof(uint32_t)) ||
                   grow(s, SIZES, &s->sizes, &s->size_capacity, polygons, sizeof(uint32_t))
               ? -1
               : 0;
}

bvp_status surface_refuse(const surface *s)
{
    if (s->error == 0 || s->error == ENOMEM)
        return import_no_memory(s->im);
    bvp_status status = import_refuse(s->im, BVP_ERR_SYSTEM,
                                      "no room for its vertices in a temporary file in %.200s: %s; "
                                      "name a folder on another disk with --tmp",
                                      s->im->options->sink->folder, strerror(s->error));
    s->im->error->sys_errno = s->error;
    return status;
}

int surface_add_vertex(surface *s, const double position[3], const void *at)
{
    size_t used = 3 * s->vertex_count;
    assert(used <= s->coordinate_capacity);
    if (s->vertex_count >= UINT32_MAX - 1 ||
        grow(s, POSITIONS, &s->positions, &s->coordinate_capacity, used + 3, sizeof(double)) != 0)
        return -1;
    memcpy(s->positions + used, position, 3 * sizeof(double));
    if (!s->odd_at && !(isfinite(position[0]) && isfinite(position[1]) && isfinite(position[2]))) {
        s->odd_at = at;
        s->odd_vertex = s->vertex_count;
    }
    s->vertex_count++;
    return 0;
}

/* ---- making meshes --------------------------------------------------------------------------- */

/* A mesh under construction. */
typedef struct making {
    importer *im;
    surface *surface;
    uint64_t most;           /* triangles, if no polygon is left out */
    uint32_t *indices, *ids; /* NULL where triangles go into a sink */
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

/* Does it exist, too? */
static int is_finite_vertex(const surface *s, uint32_t vertex)
{
    if (vertex >= s->vertex_count)
        return 0;
    const double *at = s->positions + 3 * (size_t)vertex;
    return isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]);
}

/* *is_whole: 0: the polygon is left out, as a corner does not exist, or is not finite and invalid
 * ones are dropped. */
static bvp_status check_polygon(making *m, size_t polygon, const uint32_t *corners, uint32_t size,
                                int *is_whole)
{
    surface *s = m->surface;
    *is_whole = 0;
    if (size < 3) {
        s->small++;
        return BVP_OK;
    }
    for (uint32_t i = 0; i < size; i++) {
        if (is_finite_vertex(s, corners[i]))
            continue;
        if (corners[i] < s->vertex_count && !m->im->options->drop_invalid)
            return refuse_vertex(m->im, s, polygon, corners[i]);
        s->dropped++;
        return BVP_OK;
    }
    *is_whole = 1;
    return BVP_OK;
}

/* Cuts the polygon into triangles, whose vertices get their numbers in the mesh. */
static bvp_status add_polygon(making *m, size_t polygon, const uint32_t *corners, uint32_t size)
{
    surface *s = m->surface;
    int is_whole;
    const bvp_status status = check_polygon(m, polygon, corners, size, &is_whole);
    if (status != BVP_OK || !is_whole)
        return status;
    uint32_t *triangles = m->indices + 3 * m->triangle_count;
    const polygon_result result = polygon_cut(&s->work, s->positions, corners, size, triangles);
    if (result == POLYGON_NO_MEMORY)
        return import_no_memory(m->im);
    for (size_t i = 0; i < 3 * (size_t)(size - 2); i++) {
        uint32_t *name = &s->renamed[triangles[i]];
        if (*name == UINT32_MAX) {
            if (array_grow(&m->originals, &m->original_capacity, m->vertex_count + 1,
                           sizeof(uint32_t)) != 0)
                return import_no_memory(m->im);
            m->originals[m->vertex_count] = triangles[i];
            *name = (uint32_t)m->vertex_count++;
        }
        assert(*name < m->vertex_count);
        triangles[i] = *name;
    }
    s->fans += result == POLYGON_FAN;
    for (uint32_t i = 0; i < size - 2; i++)
        m->ids[m->triangle_count++] = (uint32_t)polygon;
    return BVP_OK;
}

/* The mesh with the used vertices, dense. The names are free for the next mesh. */
static bvp_status finish(making *m, const surface_range *range)
{
    surface *s = m->surface;
    const size_t width = 3 * (s->needs_double ? sizeof(double) : sizeof(float));
    const int has_name = range->name && range->name_size > 0;
    model_mesh *mesh = import_add_mesh(m->im);
    if (!mesh)
        return import_no_memory(m->im);
    char *out = large_malloc(m->vertex_count * width);
    for (size_t i = 0; i < m->vertex_count; i++) {
        const double *from = s->positions + 3 * (size_t)m->originals[i];
        float narrow[3] = {(float)from[0], (float)from[1], (float)from[2]};
        if (out)
            memcpy(out + i * width, s->needs_double ? (const void *)from : narrow, width);
        s->renamed[m->originals[i]] = UINT32_MAX;
    }
    mesh->is_double = s->needs_double;
    mesh->positions = out;
    mesh->vertex_count = m->vertex_count;
    mesh->indices = m->indices;
    mesh->triangle_count = m->triangle_count;
    m->indices = NULL;
    int is_plain = 1; /* ids that are the triangles' numbers need not be kept */
    for (uint64_t i = 0; m->ids && i < m->triangle_count && is_plain; i++)
        is_plain = m->ids[i] == i;
    if (!is_plain) {
        mesh->ids = m->ids;
        m->ids = NULL;
    }
    if (has_name)
        mesh->name = import_text(range->name, range->name_size);
    return mesh->positions && (mesh->name || !has_name) ? BVP_OK : import_no_memory(m->im);
}

/* ---- nothing but triangles ------------------------------------------------------------------- */

/* Are all polygons of the range triangles whose vertices exist and are finite? Then none is left
 * out or cut, and ids ascend by one: what add_polygon does of each comes to much less. */
static int is_triangles(const surface *s, const surface_range *range, const uint32_t *sizes)
{
    uint32_t odd = 0, largest = 0;
    const uint32_t *corners = s->corners + range->first_corner;
    if (s->odd_at)
        return 0;
    for (size_t i = 0; i < range->polygon_count; i++)
        odd |= sizes[i] ^ 3;
    for (size_t i = 0; odd == 0 && i < 3 * range->polygon_count; i++)
        largest = corners[i] > largest ? corners[i] : largest;
    return odd == 0 && largest < s->vertex_count;
}

/* As add_polygon for each; first_id: of the first one. */
static bvp_status add_triangles(making *m, const uint32_t *corners, size_t count, size_t first_id)
{
    uint32_t *renamed = m->surface->renamed, *originals, vertex_count = 0;
    const size_t most = 3 * count < m->surface->vertex_count ? 3 * count : m->surface->vertex_count;
    m->originals = originals = large_malloc(most * sizeof *originals);
    if (!originals)
        return import_no_memory(m->im);
    for (size_t i = 0; i < 3 * count; i++) {
        const uint32_t vertex = corners[i];
        uint32_t name = renamed[vertex];
        if (name == UINT32_MAX) {
            renamed[vertex] = name = vertex_count;
            originals[vertex_count++] = vertex;
        }
        m->indices[i] = name;
    }
    m->vertex_count = vertex_count;
    m->triangle_count = count;
    if (first_id == 0)
        return BVP_OK;
    m->ids = malloc(count * sizeof *m->ids);
    for (size_t i = 0; m->ids && i < count; i++)
        m->ids[i] = (uint32_t)(first_id + i);
    return m->ids ? BVP_OK : import_no_memory(m->im);
}

/* ---- into a sink ----------------------------------------------------------------------------- */

enum {
    SUNK_MOST = 1 << 24,     /* corners of a polygon: what it is cut with lies in memory */
    RELEASED_AFTER = 1 << 14 /* polygons, whose vertices may each lie in a page of its own */
};

static void put_vertex(const surface *s, uint32_t vertex, void *to)
{
    const double *from = s->positions + 3 * (size_t)vertex;
    const float narrow[3] = {(float)from[0], (float)from[1], (float)from[2]};
    if (s->needs_double)
        memcpy(to, from, 3 * sizeof *from);
    else
        memcpy(to, narrow, sizeof narrow);
}

/* Cuts the polygon into triangles, which go into the sink. */
static bvp_status sink_polygon(making *m, size_t polygon, const uint32_t *corners, uint32_t size)
{
    surface *s = m->surface;
    const triangle_sink *sink = m->im->options->sink;
    const size_t width = 3 * (s->needs_double ? sizeof(double) : sizeof(float));
    int is_whole;
    bvp_status status = check_polygon(m, polygon, corners, size, &is_whole);
    if (status != BVP_OK || !is_whole)
        return status;
    if (size > SUNK_MOST)
        return import_refuse(m->im, BVP_ERR_LIMIT,
                             "polygon %zu has over 16,777,216 corners; cut it into triangles, or "
                             "leave out --memory",
                             polygon);
    if (array_grow(&m->originals, &m->original_capacity, 3 * (size_t)(size - 2),
                   sizeof(uint32_t)) != 0)
        return import_no_memory(m->im);
    const polygon_result result = polygon_cut(&s->work, s->positions, corners, size, m->originals);
    if (result == POLYGON_NO_MEMORY)
        return import_no_memory(m->im);
    s->fans += result == POLYGON_FAN;
    if (m->triangle_count == 0)
        status = sink_begin(m->im, s->needs_double, m->most);
    for (uint32_t i = 0; i < size - 2 && status == BVP_OK; i++) {
        char *to = sink_next(sink);
        for (uint32_t k = 0; k < 3; k++)
            put_vertex(s, m->originals[3 * i + k], to + k * width);
        status = sink_keep(m->im, polygon);
        m->triangle_count++;
    }
    return status;
}

static bvp_status sink_range(making *m, const surface_range *range, const uint32_t *sizes)
{
    surface *s = m->surface;
    bvp_status status = BVP_OK;
    size_t corner = range->first_corner;
    char *name = NULL;
    if (m->most > TRIANGLES_MOST)
        return sink_refuse_size(m->im);
    for (size_t i = 0; i < range->polygon_count && status == BVP_OK; i++) {
        status = sink_polygon(m, range->first_polygon + i, s->corners + corner, sizes[i]);
        corner += sizes[i];
        for (int k = 0; i % RELEASED_AFTER == 0 && k < 3; k++)
            spill_release(&s->spills[k]);
    }
    if (status != BVP_OK || m->triangle_count == 0)
        return status;
    if (range->name && range->name_size > 0 && !(name = import_text(range->name, range->name_size)))
        return import_no_memory(m->im);
    return sink_end(m->im, name);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

bvp_status surface_make_mesh(importer *im, surface *s, const surface_range *range)
{
    making m = {.im = im, .surface = s};
    if (s->corner_count == 0) { /* nothing but empty faces, if any */
        s->small += range->polygon_count;
        return BVP_OK;
    }
    const uint32_t *sizes = s->sizes + range->first_polygon;
    for (size_t i = 0; i < range->polygon_count; i++)
        m.most += sizes[i] > 2 ? sizes[i] - 2 : 0;
    if (im->options->sink) {
        const bvp_status sunk = sink_range(&m, range, sizes);
        free(m.originals);
        return sunk;
    }
    if (m.most > UINT32_MAX / 3)
        return import_refuse(im, BVP_ERR_LIMIT,
                             "a part has over 1,431,655,765 triangles; split it");
    bvp_status status = BVP_OK;
    const int is_plain = is_triangles(s, range, sizes);
    if (m.most > 0) {
        m.indices = large_malloc(m.most * 3 * sizeof(uint32_t));
        if (!is_plain)
            m.ids = malloc(m.most * sizeof(uint32_t));
        if (!s->renamed) {
            s->renamed = large_malloc((s->vertex_count + 1) * sizeof(uint32_t));
            if (s->renamed)
                memset(s->renamed, 0xff, (s->vertex_count + 1) * sizeof(uint32_t));
        }
        if (!m.indices || !(m.ids || is_plain) || !s->renamed)
            status = import_no_memory(im);
    }
    size_t corner = range->first_corner;
    if (is_plain && m.most > 0 && status == BVP_OK)
        status = add_triangles(&m, s->corners + corner, range->polygon_count, range->first_polygon);
    for (size_t i = 0; !is_plain && status == BVP_OK && i < range->polygon_count; i++) {
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

/* Is a polygon of the range whole? */
static int has_polygon(const surface *s, const surface_range *range)
{
    const uint32_t *corners = s->corners + range->first_corner;
    for (size_t i = 0; i < range->polygon_count; i++) {
        const uint32_t size = s->sizes[range->first_polygon + i];
        uint32_t whole = 0;
        while (whole < size && is_finite_vertex(s, corners[whole]))
            whole++;
        if (size >= 3 && whole == size)
            return 1;
        corners += size;
    }
    return 0;
}

bvp_status surface_check_single(const surface *s, const surface_range *ranges, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count && found < 2; i++)
        found += (size_t)has_polygon(s, &ranges[i]);
    return found > 1 ? sink_refuse_parts(s->im) : BVP_OK;
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
    if (s->spills[POSITIONS].is_open || s->spills[CORNERS].is_open || s->spills[SIZES].is_open) {
        for (int i = 0; i < 3; i++)
            spill_close(&s->spills[i]);
    } else {
        free(s->positions);
        free(s->corners);
        free(s->sizes);
    }
    free(s->renamed);
    polygon_free(&s->work);
}
