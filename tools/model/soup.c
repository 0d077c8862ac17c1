/* SPDX-License-Identifier: MIT
 * soup.c: triangles without shared vertices on their way to a welded mesh.
 *
 * Chunks of triangles that fit into the cache are welded as they come, and only their vertices are
 * kept. At the end the vertices that chunks have in common are welded. Both steps number vertices
 * in the order of their first use, so the mesh is the one that welding all triangles at once would
 * give.
 */
#include "model/soup.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "model/triangle_sink.h"
#include "text/array.h"

enum { CHUNK = 1 << 15 }; /* triangles: few enough for the cache, and so for one thread */

static size_t vertex_size(const soup *s)
{
    return 3 * (s->is_double ? sizeof(double) : sizeof(float));
}

void *soup_next(soup *s)
{
    size_t size = 3 * vertex_size(s);
    if (array_grow(&s->pending, &s->pending_capacity, s->pending_count + 1, size) != 0)
        return NULL;
    return (char *)s->pending + s->pending_count * size;
}

/* Welds the pending triangles and appends them. */
static bvp_status weld_chunk(soup *s)
{
    size_t corners = 3 * s->pending_count, used = 3 * s->triangle_count;
    assert(s->pending_count > 0 && s->pending_count <= CHUNK);
    bvp_mesh chunk = {.positions = s->pending,
                      .is_double = s->is_double,
                      .vertex_count = corners,
                      .triangle_count = s->pending_count};
    void *positions = NULL;
    uint64_t count = 0;
    if (array_grow(&s->indices, &s->index_capacity, used + corners, sizeof *s->indices) != 0)
        return import_no_memory(s->im);
    uint32_t *indices = s->indices + used;
    bvp_status status =
        bvp_weld(&chunk, s->im->options->thread_count, &indices, &positions, &count, s->im->error);
    if (status == BVP_OK && s->vertex_count + count >= UINT32_MAX)
        status = import_refuse(s->im, BVP_ERR_LIMIT, "a part has over 2^32 - 2 vertices; split it");
    if (status == BVP_OK && array_grow(&s->positions, &s->vertex_capacity, s->vertex_count + count,
                                       vertex_size(s)) != 0)
        status = import_no_memory(s->im);
    if (status == BVP_OK) {
        assert(count <= corners); /* welding adds none */
        memcpy(s->positions + s->vertex_count * vertex_size(s), positions, count * vertex_size(s));
        for (size_t i = 0; i < corners; i++)
            indices[i] += (uint32_t)s->vertex_count;
        s->vertex_count += count;
        s->triangle_count += s->pending_count;
        s->pending_count = 0;
    }
    free(positions);
    return status;
}

/* The pending triangle is the only one. */
static bvp_status sink_pending(soup *s, uint64_t id)
{
    triangle_sink *sink = s->im->options->sink;
    bvp_status status = BVP_OK;
    assert(s->pending_count == 0);
    if (s->sunk_count == 0)
        status = sink_begin(s->im, s->is_double, 0);
    if (status != BVP_OK)
        return status;
    memcpy(sink_next(sink), s->pending, 3 * vertex_size(s));
    s->sunk_count++;
    return sink_keep(s->im, id);
}

/* Ids are kept only from the first triangle on whose id is not its number. */
bvp_status soup_keep(soup *s, uint64_t id)
{
    const size_t number = soup_count(s);
    if (s->im->options->sink && !s->is_piece)
        return sink_pending(s, id);
    assert(s->pending_count < CHUNK || s->im->options->sink);
    if (number >= UINT32_MAX / 3)
        return import_refuse(s->im, BVP_ERR_LIMIT,
                             "a part has over 1,431,655,765 triangles; split it");
    if (s->ids || id != number) {
        const int first = !s->ids;
        if (array_grow(&s->ids, &s->id_capacity, number + 1, sizeof *s->ids) != 0)
            return import_no_memory(s->im);
        for (size_t i = 0; first && i < number; i++)
            s->ids[i] = (uint32_t)i;
        s->ids[number] = (uint32_t)id;
    }
    s->pending_count++;
    return s->pending_count < CHUNK || s->im->options->sink ? BVP_OK : weld_chunk(s);
}

bvp_status soup_settle(soup *piece)
{
    assert(piece->is_piece && !piece->ids);
    return piece->pending_count > 0 && !piece->im->options->sink ? weld_chunk(piece) : BVP_OK;
}

/* The pending triangles of a piece, each by itself. */
static bvp_status sink_piece(soup *s, const soup *piece, uint64_t first_id)
{
    const size_t width = 3 * vertex_size(piece);
    bvp_status status = BVP_OK;
    for (size_t i = 0; i < piece->pending_count && status == BVP_OK; i++) {
        void *corners = soup_next(s);
        if (!corners)
            return import_no_memory(s->im);
        memcpy(corners, (const char *)piece->pending + i * width, width);
        status = soup_keep(s, first_id + i);
    }
    return status;
}

bvp_status soup_append(soup *s, const soup *piece, uint64_t first_id)
{
    bvp_status status = BVP_OK;
    assert(s->is_double == piece->is_double);
    if (s->im->options->sink)
        return sink_piece(s, piece, first_id);
    if (s->pending_count > 0)
        status = weld_chunk(s);
    const size_t had = s->triangle_count, count = piece->triangle_count;
    if (status != BVP_OK || count == 0)
        return status;
    if (had + count > UINT32_MAX / 3)
        return import_refuse(s->im, BVP_ERR_LIMIT,
                             "a part has over 1,431,655,765 triangles; split it");
    if (s->vertex_count + piece->vertex_count >= UINT32_MAX)
        return import_refuse(s->im, BVP_ERR_LIMIT, "a part has over 2^32 - 2 vertices; split it");
    if (array_grow(&s->indices, &s->index_capacity, 3 * (had + count), sizeof *s->indices) ||
        array_grow(&s->positions, &s->vertex_capacity, s->vertex_count + piece->vertex_count,
                   vertex_size(s)))
        return import_no_memory(s->im);
    if (s->ids || first_id != had) {
        const int first = !s->ids;
        if (array_grow(&s->ids, &s->id_capacity, had + count, sizeof *s->ids) != 0)
            return import_no_memory(s->im);
        for (size_t i = 0; first && i < had; i++)
            s->ids[i] = (uint32_t)i;
        for (size_t i = 0; i < count; i++)
            s->ids[had + i] = (uint32_t)(first_id + i);
    }
    for (size_t i = 0; i < 3 * count; i++)
        s->indices[3 * had + i] = piece->indices[i] + (uint32_t)s->vertex_count;
    memcpy(s->positions + s->vertex_count * vertex_size(s), piece->positions,
           piece->vertex_count * vertex_size(s));
    s->vertex_count += piece->vertex_count;
    s->triangle_count += count;
    return BVP_OK;
}

bvp_status soup_finish(soup *s, char *name)
{
    bvp_status status = BVP_OK;
    int one_chunk = s->triangle_count == 0;
    if (s->im->options->sink) {
        s->sunk_count = 0;
        return sink_end(s->im, name);
    }
    model_mesh *mesh = import_add_mesh(s->im);
    if (!mesh) {
        free(name);
        return import_no_memory(s->im);
    }
    mesh->name = name;
    if (s->pending_count > 0)
        status = weld_chunk(s);
    mesh->is_double = s->is_double;
    mesh->positions = s->positions;
    mesh->vertex_count = s->vertex_count;
    mesh->indices = s->indices;
    mesh->triangle_count = s->triangle_count;
    mesh->ids = s->ids;
    s->positions = NULL;
    s->indices = s->ids = NULL;
    s->vertex_count = s->vertex_capacity = s->triangle_count = s->index_capacity = 0;
    s->id_capacity = 0;
    if (status == BVP_OK && !one_chunk) {
        /* Vertices that chunks have in common. */
        bvp_mesh all = {.positions = mesh->positions,
                        .is_double = mesh->is_double,
                        .vertex_count = mesh->vertex_count,
                        .indices = mesh->indices,
                        .triangle_count = mesh->triangle_count};
        void *positions = NULL;
        status = bvp_weld(&all, s->im->options->thread_count, &mesh->indices, &positions,
                          &mesh->vertex_count, s->im->error);
        if (status == BVP_OK) {
            free(mesh->positions);
            mesh->positions = positions;
        }
    }
    return status;
}

void soup_free(soup *s)
{
    free(s->pending);
    free(s->positions);
    free(s->indices);
    free(s->ids);
}
