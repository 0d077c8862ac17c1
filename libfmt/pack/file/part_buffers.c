/* SPDX-License-Identifier: MIT
 * part_buffers.c: parts whose triangles stay in the caller's buffers (bvp_build_options.share).
 *
 * The hierarchy is built over the mesh as ever; only the coordinates are left out of it. So each
 * triangle of the mesh is held against the corners that a reader will find under its number, bit
 * for bit: a hierarchy over other triangles would miss contacts.
 *
 * Held by tests/property/test_outside.c.
 * Spec: format.md, chapter "Triangles outside"
 */
#include "pack/file/builder.h"

#include "base/status.h"
#include "format/outside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bvp_status refuse(bvp_error *error, uint32_t k, const char *text)
{
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "", "buffers %" PRIu32 ": %s", k,
                          text);
}

static bvp_status check_buffers(const bvp_mesh *mesh, uint64_t *vertices, uint64_t *triangles,
                                bvp_error *error)
{
    *vertices = *triangles = 0;
    if (!mesh->buffers || mesh->buffer_count == 0)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "with the option share a mesh needs its buffers");
    for (uint32_t k = 0; k < mesh->buffer_count; k++) {
        const bvp_buffers *given = &mesh->buffers[k];
        const char *fault = bvpi_buffers_fault(given);
        const bool is_placed = given->position_offset != BVP_NOWHERE;
        *vertices += fault ? 0 : given->vertex_count;
        *triangles += fault ? 0 : given->triangle_count;
        if (!fault && (*vertices > UINT32_MAX || *triangles > UINT32_MAX))
            fault = "there are 2^32 vertices or triangles, or more";
        if (!fault && given->position_stride > UINT32_MAX)
            fault = "the stride is 2^32 or more";
        if (!fault && ((given->index_offset != BVP_NOWHERE) != (is_placed && given->indices) ||
                       is_placed != (mesh->buffers[0].position_offset != BVP_NOWHERE)))
            fault = "either all offsets are given, or all are BVP_NOWHERE";
        if (fault)
            return refuse(error, k, fault);
    }
    return BVP_OK;
}

/* All triangles of the buffers, as a soup that is welded like any other. */
static bvp_status make_soup(const bvp_mesh *mesh, uint64_t triangles, bvp_mesh *made,
                            bvp_error *error)
{
    float *positions = malloc((size_t)triangles * 36 + 1), *at = positions;
    if (!positions || triangles > SIZE_MAX / 36 || 3 * triangles > UINT32_MAX) {
        free(positions);
        return 3 * triangles > UINT32_MAX
                   ? bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                                    "the buffers have over 1,431,655,765 triangles; give "
                                    "positions and indices as well, or split the mesh")
                   : bvpi_error_memory(error, triangles * 36);
    }
    for (uint32_t k = 0; k < mesh->buffer_count; k++) {
        bvpi_buffers b;
        bvpi_buffers_take(&mesh->buffers[k], 0, &b);
        for (uint32_t i = 0; i < b.triangle_count; i++, at += 9) {
            uint32_t vertex[3];
            bvpi_buffers_vertices(&b, i, vertex);
            for (int c = 0; c < 3; c++)
                if (vertex[c] >= b.vertex_count) {
                    free(positions);
                    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                          "buffers %" PRIu32 ": triangle %" PRIu32
                                          ": index %" PRIu32 " lies beyond its %" PRIu32
                                          " vertices",
                                          k, i, vertex[c], b.vertex_count);
                }
            bvpi_buffers_triangle(&b, i, at);
        }
    }
    made->positions = positions;
    made->vertex_count = 3 * triangles;
    made->triangle_count = triangles;
    return BVP_OK;
}

bvp_status bvpi_mesh_over_buffers(const bvp_mesh *mesh, bvp_mesh *made, bvp_error *error)
{
    uint64_t vertices, triangles;
    bvp_status status = check_buffers(mesh, &vertices, &triangles, error);
    if (status != BVP_OK)
        return status;
    if (mesh->is_double)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the option share needs positions in floats");
    return mesh->positions ? BVP_OK : make_soup(mesh, triangles, made, error);
}

void bvpi_free_made(const bvp_mesh *mesh, bvp_mesh *made)
{
    if (made->positions != mesh->positions)
        free((void *)made->positions);
}

/* ---- a mesh that was taken in ---------------------------------------------------------------- */

bvp_status bvpi_check_corners(const bvp_mesh *mesh, const bvpi_mesh *taken, bvp_error *error)
{
    bvpi_buffers *buffers = calloc(mesh->buffer_count, sizeof *buffers);
    if (!buffers)
        return bvpi_error_memory(error, mesh->buffer_count * sizeof *buffers);
    bvpi_outside o = {.count = mesh->buffer_count, .buffers = buffers};
    for (uint32_t k = 0; k < o.count; k++) {
        bvpi_buffers_take(&mesh->buffers[k], o.number_count, &buffers[k]);
        o.number_count += buffers[k].triangle_count;
    }
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < taken->triangle_count && status == BVP_OK; i++) {
        const uint32_t number = taken->ids ? taken->ids[i] : i;
        float given[9], found[9];
        for (int k = 0; k < 3; k++)
            memcpy(given + 3 * k, taken->positions + 3 * (size_t)taken->indices[3 * (size_t)i + k],
                   3 * sizeof *given);
        bvpi_outside_triangle(&o, number, found);
        if (number >= o.number_count || memcmp(given, found, sizeof given) != 0)
            status = bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                    "triangle %" PRIu32 " of the mesh, number %" PRIu32
                                    ", has other corners in its buffers",
                                    i, number);
    }
    free(buffers);
    return status;
}

bvp_status bvpi_keep_buffers(bvp_builder *b, const bvp_mesh *mesh, uint32_t part, bvp_error *error)
{
    bvpd_buffers *records;
    uint32_t first = 0;
    const bvp_status status =
        bvpi_array_add(&b->buffers, mesh->buffer_count, sizeof *records, &records, error);
    for (uint32_t k = 0; k < mesh->buffer_count && status == BVP_OK; k++) {
        const bvp_buffers *given = &mesh->buffers[k];
        bvpi_buffers taken;
        bvpi_buffers_take(given, first, &taken);
        records[k] = (bvpd_buffers){.part = part,
                                    .first_triangle = first,
                                    .position_off = given->position_offset,
                                    .index_off = given->index_offset,
                                    .vertex_count = taken.vertex_count,
                                    .triangle_count = taken.triangle_count,
                                    .position_stride = (uint32_t)taken.stride,
                                    .position_type = taken.position_type,
                                    .index_type = taken.index_type,
                                    .normalized = taken.normalized};
        if (!bvpi_buffers_hash(&taken, b->options.control, records[k].hash)) {
            bvpi_drop_buffers(b, part);
            return bvpi_error_cancelled(error);
        }
        first += taken.triangle_count;
    }
    return status;
}

void bvpi_drop_buffers(bvp_builder *b, uint32_t part)
{
    const bvpd_buffers *records = b->buffers.data;
    while (b->buffers.count > 0 && records[b->buffers.count - 1].part >= part)
        b->buffers.count--;
}
