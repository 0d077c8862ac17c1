/* SPDX-License-Identifier: MIT
 * run.c: runs of triangles as bytes, and back.
 *
 * Neighbours in a model's order share most of their vertices, so a run of 2^15 triangles has about
 * half as many vertices, whose numbers fit in 16 bits: some 13 bytes a triangle, where corners take
 * 36. Numbers in the source are left out where they follow one another.
 *
 * Layout: head, positions, indices (16 or 32 bits), ids. Written and read by one process, or by
 * processes of one version on one machine: no rule of the format concerns it.
 *
 * Held by tests/unit/test_large.c.
 * Measured: decisions.md, "Larger than memory"
 */
#include "pack/large/run.h"

#include "base/large_array.h"
#include "base/parallel.h"
#include "base/status.h"
#include "pack/mesh/weld.h"

#include <assert.h>

enum { NARROW_MAX = 1 << 16 };

typedef struct head {
    uint32_t triangle_count, vertex_count, vertex_size;
    uint32_t first_id; /* of numbers that follow one another; BVP_NONE: they stand at the end */
} head;

bool bvpi_run_make(const void *corners, uint32_t vertex_size, const uint32_t *ids, uint32_t count,
                   bvpi_run *out)
{
    const uint32_t corner_count = 3 * count;
    const bvpi_vertices v = {corners, vertex_size, vertex_size, corner_count, 3 * vertex_size};
    assert(count > 0 && count <= BVPI_RUN_TRIANGLES);
    *out = (bvpi_run){.triangle_count = count, .vertex_size = vertex_size};
    out->indices = malloc(corner_count * sizeof *out->indices);
    out->ids = malloc(count * sizeof *out->ids);
    if (!out->indices || !out->ids)
        return false;
    memcpy(out->ids, ids, count * sizeof *ids);
    out->vertex_count = bvpi_weld(&v, NULL, corner_count, 1, out->indices, &out->positions);
    return out->vertex_count != UINT32_MAX;
}

void bvpi_run_free(bvpi_run *run)
{
    free(run->positions);
    free(run->indices);
    free(run->ids);
    *run = (bvpi_run){0};
}

static bool ids_follow(const bvpi_run *run)
{
    for (uint32_t i = 1; i < run->triangle_count; i++)
        if (run->ids[i] != run->ids[0] + i)
            return false;
    return true;
}

uint8_t *bvpi_run_encode(const bvpi_run *run, bvpi_run_place *place)
{
    const size_t positions = (size_t)run->vertex_count * run->vertex_size;
    const bool is_narrow = run->vertex_count <= NARROW_MAX, follow = ids_follow(run);
    const size_t corner_count = 3 * (size_t)run->triangle_count;
    const size_t indices = corner_count * (is_narrow ? 2 : 4);
    const size_t ids = follow ? 0 : run->triangle_count * sizeof *run->ids;
    const head h = {run->triangle_count, run->vertex_count, run->vertex_size,
                    follow ? run->ids[0] : BVP_NONE};
    uint8_t *bytes = malloc(sizeof h + positions + indices + ids), *at = bytes;
    if (!bytes)
        return NULL;
    memcpy(at, &h, sizeof h);
    at += sizeof h;
    memcpy(at, run->positions, positions);
    at += positions;
    for (size_t k = 0; k < corner_count && is_narrow; k++) {
        const uint16_t narrow = (uint16_t)run->indices[k];
        memcpy(at + 2 * k, &narrow, sizeof narrow);
    }
    if (!is_narrow)
        memcpy(at, run->indices, indices);
    memcpy(at + indices, run->ids, ids);
    *place = (bvpi_run_place){.size = (uint32_t)(sizeof h + positions + indices + ids),
                              .triangle_count = run->triangle_count,
                              .vertex_count = run->vertex_count,
                              .vertex_size = run->vertex_size};
    return bytes;
}

/* The parts of `bytes`, of which the head is known to fit. */
static bool decode(const uint8_t *bytes, const head *h, bvpi_run *out)
{
    const size_t positions = (size_t)h->vertex_count * h->vertex_size;
    const size_t corner_count = 3 * (size_t)h->triangle_count;
    const bool is_narrow = h->vertex_count <= NARROW_MAX;
    *out = (bvpi_run){.triangle_count = h->triangle_count,
                      .vertex_count = h->vertex_count,
                      .vertex_size = h->vertex_size};
    out->positions = malloc(positions);
    out->indices = malloc(corner_count * sizeof *out->indices);
    out->ids = malloc(h->triangle_count * sizeof *out->ids);
    if (!out->positions || !out->indices || !out->ids)
        return false;
    memcpy(out->positions, bytes, positions);
    bytes += positions;
    for (size_t k = 0; k < corner_count && is_narrow; k++) {
        uint16_t narrow;
        memcpy(&narrow, bytes + 2 * k, sizeof narrow);
        out->indices[k] = narrow;
    }
    if (!is_narrow)
        memcpy(out->indices, bytes, corner_count * sizeof *out->indices);
    bytes += corner_count * (is_narrow ? 2 : 4);
    if (h->first_id == BVP_NONE)
        memcpy(out->ids, bytes, h->triangle_count * sizeof *out->ids);
    for (uint32_t i = 0; i < h->triangle_count && h->first_id != BVP_NONE; i++)
        out->ids[i] = h->first_id + i;
    return true;
}

static uint64_t size_of(const head *h)
{
    const uint64_t corners = 3 * (uint64_t)h->triangle_count;
    return sizeof *h + (uint64_t)h->vertex_count * h->vertex_size +
           corners * (h->vertex_count <= NARROW_MAX ? 2 : 4) +
           (h->first_id == BVP_NONE ? 4 * (uint64_t)h->triangle_count : 0);
}

static bvp_status refuse_changed(bvp_error *error)
{
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "a temporary file was changed by another process");
}

static bool indices_exist(const bvpi_run *run)
{
    for (uint64_t k = 0; k < 3 * (uint64_t)run->triangle_count; k++)
        if (run->indices[k] >= run->vertex_count)
            return false;
    return true;
}

bvp_status bvpi_run_read(const bvpi_scratch *file, const bvpi_run_place *place, bvpi_run *out,
                         bvp_error *error)
{
    head h;
    *out = (bvpi_run){0};
    if (place->size < sizeof h)
        return refuse_changed(error);
    uint8_t *bytes = malloc(place->size);
    if (!bytes)
        return bvpi_error_memory(error, place->size);
    bvp_status status = bvpi_scratch_read(file, place->offset, bytes, place->size, error);
    if (status == BVP_OK) {
        memcpy(&h, bytes, sizeof h);
        if (h.triangle_count != place->triangle_count || h.vertex_count != place->vertex_count ||
            h.vertex_size != place->vertex_size || size_of(&h) != place->size)
            status = refuse_changed(error);
    }
    if (status == BVP_OK && !decode(bytes + sizeof h, &h, out))
        status = bvpi_error_memory(error, place->size);
    if (status == BVP_OK && !indices_exist(out))
        status = refuse_changed(error);
    free(bytes);
    return status;
}

/* ---- files of runs --------------------------------------------------------------------------- */

void bvpi_run_file_close(bvpi_run_file *file)
{
    bvpi_scratch_close(&file->scratch);
    free(file->places);
    *file = (bvpi_run_file){.scratch = BVPI_NO_SCRATCH};
}

bvp_status bvpi_run_file_scan(bvpi_run_file *file, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint64_t offset = 0; offset < file->scratch.size && status == BVP_OK;) {
        const uint64_t left = file->scratch.size - offset;
        head h = {.vertex_size = 0};
        if (left >= sizeof h)
            status = bvpi_scratch_read(&file->scratch, offset, &h, sizeof h, error);
        if (status != BVP_OK)
            return status;
        if ((h.vertex_size != 12 && h.vertex_size != 24) || h.triangle_count > BVPI_RUN_TRIANGLES ||
            h.vertex_count > 3 * BVPI_RUN_TRIANGLES || size_of(&h) > left)
            return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                  "a temporary file was changed; remove the folder of the state to "
                                  "start again");
        if (!bvpi_grow(&file->places, &file->capacity, file->count + 1, sizeof *file->places))
            return bvpi_error_memory(error, (file->count + 1) * sizeof *file->places);
        file->places[file->count++] = (bvpi_run_place){.offset = offset,
                                                       .size = (uint32_t)size_of(&h),
                                                       .triangle_count = h.triangle_count,
                                                       .vertex_count = h.vertex_count,
                                                       .vertex_size = h.vertex_size};
        offset += size_of(&h);
    }
    return status;
}

bvp_status bvpi_run_append(bvpi_run_file *file, const uint8_t *bytes, bvpi_run_place *place,
                           bvp_error *error)
{
    if (!bvpi_grow(&file->places, &file->capacity, file->count + 1, sizeof *file->places))
        return bvpi_error_memory(error, (file->count + 1) * sizeof *file->places);
    place->offset = file->scratch.size;
    const bvp_status status = bvpi_scratch_append(&file->scratch, bytes, place->size, error);
    if (status == BVP_OK)
        file->places[file->count++] = *place;
    return status;
}

typedef struct reading {
    const bvpi_run_file *file;
    uint64_t begin;
    bvpi_run *out;
    bvp_status status[BVPI_RUN_GROUP];
    bvp_error errors[BVPI_RUN_GROUP];
} reading;

static void read_one(void *user, uint32_t piece)
{
    reading *r = user;
    r->status[piece] = bvpi_run_read(&r->file->scratch, &r->file->places[r->begin + piece],
                                     &r->out[piece], &r->errors[piece]);
}

bvp_status bvpi_runs_read(const bvpi_run_file *file, uint64_t begin, uint32_t count,
                          uint32_t thread_count, bvpi_run *out, bvp_error *error)
{
    reading r = {.file = file, .begin = begin, .out = out};
    assert(count <= BVPI_RUN_GROUP && begin + count <= file->count);
    for (uint32_t k = 0; k < count; k++)
        out[k] = (bvpi_run){0};
    bvpi_parallel(thread_count, count, read_one, &r);
    for (uint32_t k = 0; k < count; k++)
        if (r.status[k] != BVP_OK) {
            if (error)
                *error = r.errors[k];
            return r.status[k];
        }
    return BVP_OK;
}
