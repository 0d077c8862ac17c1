/* SPDX-License-Identifier: MIT
 * check_mesh.c: refuses a caller's mesh that cannot be read.
 *
 * Everything that takes a bvp_mesh begins here: packing (intake.c), welding (weld.c) and the search
 * for strays (find_strays.c). What it accepts can be read at the addresses that its strides give,
 * if the caller's arrays are as large as the counts say.
 *
 * Held by tests/unit/test_weld.c, and tests/property/test_builder.c and test_strays.c.
 */
#include "pack/mesh/check_mesh.h"

#include "base/checked.h"
#include "base/parallel.h"
#include "base/status.h"

#include <assert.h>
#include <inttypes.h>

/* Strides that are too short, or so long that the array would not fit in memory. */
static bvp_status check_strides(const bvp_mesh *m, bvp_error *error)
{
    const uint64_t size = m->is_double ? 24 : 12;
    const uint64_t stride = m->position_stride ? m->position_stride : size;
    uint64_t last, triangle, rows = m->vertex_count, step = stride;
    if (stride < size)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "position_stride is %zu bytes, less than a vertex's %" PRIu64,
                              m->position_stride, size);
    bool fits = bvpi_mul(stride, 2, &triangle) && bvpi_add(triangle, size, &triangle);
    if (fits && m->triangle_stride != 0 && m->triangle_stride < triangle)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "triangle_stride is %zu bytes, less than a triangle's %" PRIu64,
                              m->triangle_stride, triangle);
    if (!m->indices && m->triangle_stride != 0) {
        rows = m->triangle_count;
        step = m->triangle_stride;
    }
    fits =
        fits && bvpi_mul(rows, step, &last) && bvpi_add(last, triangle, &last) && last <= SIZE_MAX;
    if (!fits)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "strides of %zu and %zu bytes lead out of memory", m->position_stride,
                              m->triangle_stride);
    return BVP_OK;
}

bvp_status bvpi_check_mesh(const bvp_mesh *m, bvp_error *error)
{
    if (m->triangle_count >= UINT32_MAX || m->vertex_count >= UINT32_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "the mesh has %" PRIu64 " triangles and %" PRIu64
                              " vertices; a part holds less than 2^32 - 1 of each: split it",
                              m->triangle_count, m->vertex_count);
    if (m->triangle_count > 0 && !m->positions)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the mesh has triangles but no positions");
    const bvp_status status = check_strides(m, error);
    if (status != BVP_OK)
        return status;
    if (!m->indices && 3 * m->triangle_count > m->vertex_count)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "%" PRIu64 " triangles without indices need %" PRIu64
                              " vertices; there are %" PRIu64,
                              m->triangle_count, 3 * m->triangle_count, m->vertex_count);
    return BVP_OK;
}

enum { INDEX_PIECE = 1 << 18 };

typedef struct index_check {
    const bvp_mesh *mesh;
    uint32_t found; /* atomic: an index is too large */
} index_check;

static void find_largest(void *user, uint32_t piece)
{
    index_check *c = user;
    const uint64_t begin = (uint64_t)piece * INDEX_PIECE;
    const uint64_t left = 3 * c->mesh->triangle_count - begin;
    const uint64_t end = begin + (left < INDEX_PIECE ? left : INDEX_PIECE);
    uint32_t largest = 0;
    for (uint64_t k = begin; k < end; k++)
        largest = c->mesh->indices[k] > largest ? c->mesh->indices[k] : largest;
    if (largest >= c->mesh->vertex_count)
        __atomic_store_n(&c->found, 1, __ATOMIC_RELAXED);
}

bvp_status bvpi_check_indices(const bvp_mesh *m, uint32_t thread_count, bvp_error *error)
{
    index_check c = {.mesh = m};
    const uint64_t pieces = (3 * m->triangle_count + INDEX_PIECE - 1) / INDEX_PIECE;
    assert(m->triangle_count < UINT32_MAX); /* bvpi_check_mesh has looked */
    if (m->indices)
        bvpi_parallel(thread_count, (uint32_t)pieces, find_largest, &c);
    if (!c.found)
        return BVP_OK;
    for (uint64_t k = 0; k < 3 * m->triangle_count; k++)
        if (m->indices[k] >= m->vertex_count)
            return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                  "triangle %" PRIu64 " refers to vertex %" PRIu32
                                  "; the mesh has %" PRIu64 " vertices (counted from 0)",
                                  k / 3, m->indices[k], m->vertex_count);
    return BVP_OK;
}
