/* SPDX-License-Identifier: MIT
 * intake.c: checks, cleans, rebases, welds and hashes one mesh.
 *
 * From the caller's arrays to a bvpi_mesh, in this order:
 * 1. arguments and indices are checked, before anything is allocated;
 * 2. triangles with non-finite corners are refused, or dropped if the caller asks;
 * 3. doubles become floats relative to an origin. The origin is chosen with few significant bits so
 *    that differences are exact where the input allows; the largest error made is reported. An axis
 *    whose coordinates are floats already keeps origin 0 and stays exact;
 * 4. vertices with equal bits are welded (weld.c), unless they are already (welded.c);
 * 5. defects are counted and the content is hashed.
 *
 * `vertices` and `indices` always describe the current state: the caller's arrays at first, owned
 * ones after a step that had to copy. Only owned arrays are freed. Where no step has to copy, the
 * result refers to the caller's arrays.
 *
 * The result depends on the mesh and options only, not on the number of threads.
 *
 * Held by tests/property/test_builder.c: what goes in comes out, bit for bit.
 * Spec: format.md, chapter "Parts"
 */
#include "pack/mesh/intake.h"

#include "base/parallel.h"
#include "base/simd.h"
#include "base/status.h"
#include "pack/mesh/check_mesh.h"
#include "pack/mesh/defects.h"
#include "pack/mesh/rebase.h"
#include "node/grid.h"
#include "base/large_array.h"
#include "pack/mesh/weld.h"
#include "pack/mesh/welded.h"
#include "format/identity.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mesh on its way in. */
typedef struct intake {
    const bvp_mesh *source;
    uint32_t thread_count;
    bool drop_invalid;
    bvpi_vertices vertices; /* the caller's, or `floats` */
    const uint32_t
        *indices; /* the caller's (NULL: every three vertices are a triangle), or `kept` */
    uint64_t triangle_count;
    float *floats;  /* owned, if the source has doubles */
    uint32_t *kept; /* owned, if triangles were dropped */
    bvpi_intake *out;
} intake;

static uint32_t corner_of(const intake *in, uint64_t corner)
{
    return in->indices ? in->indices[corner] : (uint32_t)corner;
}

/* ---- non-finite corners ---------------------------------------------------------------------- */

static void load_vertex(const intake *in, uint32_t vertex, double out[3])
{
    const uint8_t *p = bvpi_vertex_at(&in->vertices, vertex);
    float floats[3];
    if (in->vertices.size == 24) {
        memcpy(out, p, 24);
        return;
    }
    assert(in->vertices.size == 12);
    memcpy(floats, p, sizeof floats);
    for (int axis = 0; axis < 3; axis++)
        out[axis] = floats[axis];
}

static bool is_finite_vertex(const intake *in, uint32_t vertex)
{
    double x[3];
    load_vertex(in, vertex, x);
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

enum { FINITE_PIECE = 1 << 16 };

typedef struct examination {
    const intake *in;
    uint32_t found; /* atomic: a vertex is not finite */
} examination;

/* True if the exponent of every float is below the largest one. */
static bool are_finite(const uint8_t *floats, uint64_t count)
{
    const bvpi_i32x4 exponent = {0x7f800000, 0x7f800000, 0x7f800000, 0x7f800000};
    bvpi_i32x4 four, found = {0};
    uint64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        memcpy(&four, floats + 4 * i, sizeof four);
        found |= (four & exponent) == exponent;
    }
    four = (bvpi_i32x4){0};
    memcpy(&four, floats + 4 * i, 4 * (count - i));
    found |= (four & exponent) == exponent;
    return (found[0] | found[1] | found[2] | found[3]) == 0;
}

static void examine_finite(void *user, uint32_t piece)
{
    examination *e = user;
    const uint64_t begin = (uint64_t)piece * FINITE_PIECE, left = e->in->vertices.count - begin;
    const uint64_t end = begin + (left < FINITE_PIECE ? left : FINITE_PIECE);
    const bvpi_vertices *v = &e->in->vertices;
    bool finite = true;
    if (v->triangle_stride == 36 && v->size == 12)
        finite = are_finite(v->data + 12 * begin, 3 * (end - begin));
    else
        for (uint64_t i = begin; i < end && finite; i++)
            finite = is_finite_vertex(e->in, (uint32_t)i);
    if (!finite)
        __atomic_store_n(&e->found, 1, __ATOMIC_RELAXED);
}

/* The first corner that is not finite, 0 .. 2; 3: all are finite. */
static int bad_corner(const intake *in, uint64_t triangle)
{
    int k = 0;
    while (k < 3 && is_finite_vertex(in, corner_of(in, 3 * triangle + k)))
        k++;
    return k;
}

/* Copies the indices and numbers of the triangles whose corners are finite. */
static bvp_status keep_finite(intake *in, bvp_error *error)
{
    const uint64_t size = 3 * in->triangle_count * sizeof *in->kept;
    uint32_t *ids = malloc(size / 3 + 1);
    in->kept = malloc(size + 1);
    in->out->mesh.ids = in->out->owned[2] = ids;
    if (!in->kept || !ids)
        return bvpi_error_memory(error, size);
    uint64_t count = 0;
    for (uint64_t i = 0; i < in->triangle_count; i++) {
        if (bad_corner(in, i) < 3)
            continue;
        for (int k = 0; k < 3; k++)
            in->kept[3 * count + k] = corner_of(in, 3 * i + k);
        ids[count++] = in->source->ids ? in->source->ids[i] : (uint32_t)i;
    }
    in->out->dropped_count = in->triangle_count - count;
    in->triangle_count = count;
    in->indices = in->kept;
    return BVP_OK;
}

static bvp_status check_finite(intake *in, bvp_error *error)
{
    examination e = {.in = in};
    const uint64_t pieces = ((uint64_t)in->vertices.count + FINITE_PIECE - 1) / FINITE_PIECE;
    bvpi_parallel(in->thread_count, (uint32_t)pieces, examine_finite, &e);
    if (e.found == 0)
        return BVP_OK;
    if (in->drop_invalid)
        return keep_finite(in, error);
    for (uint64_t i = 0; i < in->triangle_count; i++) {
        const int corner = bad_corner(in, i);
        if (corner == 3)
            continue;
        double x[3];
        const uint32_t vertex = corner_of(in, 3 * i + corner);
        load_vertex(in, vertex, x);
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "triangle %" PRIu64 ": vertex %" PRIu32
                              " is not finite (%g, %g, %g); repair it, or drop invalid triangles",
                              i, vertex, x[0], x[1], x[2]);
    }
    return BVP_OK; /* only vertices that no triangle uses are not finite */
}

/* ---- doubles -------------------------------------------------------------------------------- */

static bvp_status convert_doubles(intake *in, bvp_error *error)
{
    const uint64_t size = (uint64_t)in->vertices.count * 12;
    bvpi_corners_range r = {.has_corners = false};
    for (uint64_t k = 0; k < 3 * in->triangle_count; k++) {
        double x[3];
        load_vertex(in, corner_of(in, k), x);
        bvpi_corners_range_add(&r, x);
    }
    bvpi_corners_range_origin(&r, in->out->origin);
    in->floats = calloc(size + 1, 1);
    if (!in->floats)
        return bvpi_error_memory(error, size);
    for (uint64_t k = 0; k < 3 * in->triangle_count; k++) {
        const uint32_t vertex = corner_of(in, k);
        double x[3];
        load_vertex(in, vertex, x);
        if (!bvpi_rebase(x, in->out->origin, in->floats + 3 * (uint64_t)vertex,
                         &in->out->rounding_error))
            return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                                  "triangle %" PRIu64 ": vertex %" PRIu32
                                  " is farther from the part's centre than a float can hold",
                                  k / 3, vertex);
    }
    in->vertices = (bvpi_vertices){(uint8_t *)in->floats, 12, 12, in->vertices.count, 36};
    return BVP_OK;
}

/* ---- welding -------------------------------------------------------------------------------- */

/* Takes the arrays as they are, if they are welded. False: out of memory. */
static bool take_welded(intake *in, bool *is_welded)
{
    bvpi_intake *out = in->out;
    const bvpi_vertices *v = &in->vertices;
    *is_welded = false;
    if (!in->indices || in->triangle_count == 0 || v->stride != 12 ||
        (uintptr_t)v->data % sizeof(float) != 0)
        return true;
    if (!bvpi_is_welded(v, in->indices, 3 * in->triangle_count, in->thread_count, is_welded))
        return false;
    if (!*is_welded)
        return true;
    out->mesh.positions = (const float *)(const void *)v->data;
    out->mesh.indices = in->indices;
    out->mesh.vertex_count = v->count;
    out->mesh.triangle_count = (uint32_t)in->triangle_count;
    out->owned[0] = in->floats;
    out->owned[1] = in->kept;
    in->floats = NULL;
    in->kept = NULL;
    return true;
}

static bvp_status weld(intake *in, bvp_error *error)
{
    const uint64_t corners = 3 * in->triangle_count;
    bool is_welded;
    if (!take_welded(in, &is_welded))
        return bvpi_error_memory(error, 8 * (uint64_t)in->vertices.count);
    if (is_welded)
        return BVP_OK;
    uint32_t *indices = bvpi_allocate(corners, sizeof *indices);
    uint8_t *positions = NULL;
    uint32_t count = UINT32_MAX;
    assert(in->vertices.size == 12); /* doubles were converted */
    if (indices)
        count =
            bvpi_weld(&in->vertices, in->indices, corners, in->thread_count, indices, &positions);
    in->out->mesh.indices = in->out->owned[1] = indices;
    in->out->owned[0] = positions;
    in->out->mesh.positions = (float *)positions;
    if (count == UINT32_MAX)
        return bvpi_error_memory(error, 4 * corners + 12 * (uint64_t)in->vertices.count);
    in->out->mesh.vertex_count = count;
    in->out->mesh.triangle_count = (uint32_t)in->triangle_count;
    return BVP_OK;
}

/* ---- identity ------------------------------------------------------------------------------- */

static bvp_status take_in(intake *in, bool keep_ids, bvp_error *error)
{
    bvp_status status = check_finite(in, error);
    if (status == BVP_OK && keep_ids && !in->out->mesh.ids)
        in->out->mesh.ids = in->source->ids;
    if (status == BVP_OK && in->vertices.size == 24)
        status = convert_doubles(in, error);
    if (status == BVP_OK)
        status = weld(in, error);
    return status;
}

bvp_status bvpi_intake_examine(bvpi_intake *out, bool keep_ids, uint32_t thread_count,
                               bvp_error *error)
{
    const bvpi_mesh *m = &out->mesh;
    const bvpi_content content = {.origin = out->origin,
                                  .positions = m->positions,
                                  .indices = m->indices,
                                  .numbers = keep_ids ? m->ids : NULL,
                                  .vertex_count = m->vertex_count,
                                  .triangle_count = m->triangle_count};
    bvpi_defects defects;
    assert(m->triangle_count > 0 && m->vertex_count > 0);
    if (!bvpi_count_defects(m, thread_count, &defects) ||
        !bvpi_content_hash(&content, out->content_hash, NULL))
        return bvpi_error_memory(error, 8 * (uint64_t)out->mesh.triangle_count);
    out->duplicate_count = defects.duplicate_count;
    out->open_edge_count = defects.open_edge_count;
    out->nonmanifold_edge_count = defects.nonmanifold_edge_count;
    return BVP_OK;
}

bvp_status bvpi_intake_mesh(const bvp_mesh *source, const bvp_build_options *options,
                            bvpi_intake *out, bvp_error *error)
{
    *out = (bvpi_intake){0};
    bvp_status status = bvpi_check_mesh(source, error);
    if (status == BVP_OK)
        status = bvpi_check_indices(source, options->thread_count, error);
    if (status != BVP_OK)
        return status;
    intake in = {.source = source,
                 .thread_count = options->thread_count,
                 .drop_invalid = options->drop_invalid != 0,
                 .indices = source->indices,
                 .triangle_count = source->triangle_count,
                 .out = out};
    in.vertices = bvpi_vertices_of(source);
    status = take_in(&in, !options->no_ids, error);
    if (status == BVP_OK && out->mesh.triangle_count > 0)
        status = bvpi_intake_examine(out, !options->no_ids, options->thread_count, error);
    free(in.floats);
    free(in.kept);
    out->mesh.has_ids = !options->no_ids;
    out->mesh.is_deformable = options->deformable != 0;
    out->mesh.is_outside = options->share != 0;
    if (options->no_ids)
        out->mesh.ids = NULL;
    if (status != BVP_OK)
        bvpi_intake_free(out);
    return status;
}

void bvpi_intake_free(bvpi_intake *intake)
{
    for (int k = 0; k < 3; k++) {
        free(intake->owned[k]);
        intake->owned[k] = NULL;
    }
    intake->mesh = (bvpi_mesh){0};
}
