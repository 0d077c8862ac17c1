/* SPDX-License-Identifier: MIT
 * outside.c: the buffers that an open file's triangles lie in: bound by the caller, or by itself
 * where the file lies in the GLB whose buffers they are.
 *
 * One object for each part, made when the file is opened and filled in when its buffers are bound:
 * so what was prepared from a part before stays right. Records of BUFS are copied once, then
 * checked (bvpi_buffers_fault), then used.
 *
 * Buffers that bvp_bind gives are hashed at once. Those of a GLB would have to be read for that
 * when it is opened, which is to take the same time for every size: they are hashed by the first
 * query of the part (state), as block hashes are with verify_lazily.
 *
 * Held by tests/property/test_outside.c, test_outside_glb.c.
 * Spec: format.md, chapter "Triangles outside"
 */
#include "format/outside.h"

#include "base/checked.h"
#include "base/load.h"
#include "base/status.h"
#include "format/lazy.h"
#include "format/record.h"
#include "format/source.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_outside(const bvp_file *file)
{
    return (file->header.feature_incompatible & BVPD_FEATURE_OUTSIDE) != 0;
}

static void load_buffers(const bvp_file *file, uint64_t idx, bvpd_buffers *out)
{
    assert(idx < file->buffers.count);
    bvpi_load_record(out, file->buffers.data + idx * sizeof *out, sizeof *out);
}

const bvpi_outside *bvpi_outside_of(const bvp_file *file, uint32_t part)
{
    if (!is_outside(file))
        return NULL;
    return file->outside && part < file->section[BVPD_PART].count ? &file->outside[part]
                                                                  : &bvpi_no_buffers;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* What a record says, with pointers into the GLB's buffer where `chunk` is that. False: it leaves
 * the buffer. */
static bool describe(const bvpd_buffers *r, const bvpi_span *chunk, bvp_buffers *out)
{
    *out = (bvp_buffers){.position_stride = r->position_stride,
                         .position_type = (bvp_component)r->position_type,
                         .normalized = r->normalized != 0,
                         .vertex_count = r->vertex_count,
                         .index_type = (bvp_component)r->index_type,
                         .triangle_count = r->triangle_count,
                         .position_offset = r->position_off,
                         .index_offset = r->index_off};
    const uint64_t element = 3 * (uint64_t)bvpi_component_size(r->position_type);
    const uint64_t positions =
        r->vertex_count > 0 ? (r->vertex_count - UINT64_C(1)) * r->position_stride + element : 0;
    const uint64_t indices = 3 * (uint64_t)r->triangle_count * bvpi_component_size(r->index_type);
    if (!chunk)
        return true;
    if (!bvpi_fits(r->position_off, positions, chunk->size) ||
        (r->index_type != 0 && !bvpi_fits(r->index_off, indices, chunk->size)))
        return false;
    out->positions = chunk->data + r->position_off;
    out->indices = r->index_type != 0 ? chunk->data + r->index_off : NULL;
    return true;
}

/* Binds the buffers of the GLB. */
static bvp_status bind_chunk(bvp_file *file, uint32_t part, bvp_error *error)
{
    bvpi_outside *o = &file->outside[part];
    uint64_t first = 0;
    for (uint32_t k = 0; k < o->room; k++) {
        bvpd_buffers r;
        bvp_buffers given;
        load_buffers(file, o->first + (uint64_t)k, &r);
        if (r.position_off == BVPD_NOWHERE)
            return BVP_OK; /* they are for the caller to bind */
        if (!describe(&r, &file->chunk, &given))
            return bvpi_error_set(error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "BUF-5",
                                  "part %" PRIu32 ": buffers %" PRIu32 " leave the GLB's binary "
                                  "chunk of %" PRIu64 " bytes: its asset was changed; attach the "
                                  "hierarchy again",
                                  part, k, file->chunk.size);
        /* of a caller 0 means dense; what describe() has measured would be less than that */
        const char *fault =
            r.position_stride == 0 ? "their stride is 0" : bvpi_buffers_fault(&given);
        if (fault || first + r.triangle_count > UINT32_MAX)
            return bvpi_error_set(error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "BUF-3",
                                  "part %" PRIu32 ": buffers %" PRIu32 ": %s", part, k,
                                  fault ? fault : "they have 2^32 triangles or more");
        bvpi_buffers_take(&given, (uint32_t)first, &o->buffers[k]);
        first += r.triangle_count;
    }
    o->state = BVPI_HASH_UNKNOWN;
    o->is_absent = file->source != NULL;
    if (o->is_absent)
        return BVP_OK;
    o->number_count = (uint32_t)first;
    o->count = o->room;
    if (file->mode == BVP_OPEN_TRUSTED)
        o->state = BVPI_HASH_GOOD;
    return BVP_OK;
}

/* Which records are whose. They are in the parts' order; what is not, is nobody's. */
static void share_out(bvp_file *file, bvpi_buffers *room)
{
    uint32_t part = 0;
    for (uint64_t idx = 0; idx < file->buffers.count; idx++) {
        bvpd_buffers r;
        load_buffers(file, idx, &r);
        if (r.part < part || r.part >= file->section[BVPD_PART].count)
            continue;
        bvpi_outside *o = &file->outside[r.part];
        part = r.part;
        if (o->room == 0) {
            o->first = (uint32_t)idx;
            o->buffers = room + idx;
        }
        if (o->first + (uint64_t)o->room == idx)
            o->room++;
    }
}

static bvp_status open_parts(bvp_file *file, bvp_error *error)
{
    bvp_status status = BVP_OK;
    if (file->overlay)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "a file over buffers cannot be refitted; pack the model without "
                              "--share, and with --deformable");
    const uint64_t parts = file->section[BVPD_PART].count, records = file->buffers.count;
    bvpi_outside *outside = calloc(parts + 1, sizeof *outside);
    bvpi_buffers *room = calloc(records + 1, sizeof *room);
    file->outside = outside;
    file->buffer_room = room;
    if (!outside || !room)
        return bvpi_error_memory(error, parts * sizeof *outside + records * sizeof *room);
    share_out(file, room);
    for (uint32_t part = 0; part < parts && status == BVP_OK; part++) {
        bvpi_part view;
        if (bvpi_get_part_here(file, part, &view) != BVP_OK) {
            outside[part].room = 0; /* what is wrong is said when it is asked for */
            continue;
        }
        outside[part].ids = view.ids;
        outside[part].ids_size = view.ids_size;
        if (file->chunk.data)
            status = bind_chunk(file, part, error);
    }
    return status;
}

bvp_status bvpi_outside_open(bvp_file *file, bvp_error *error)
{
    if (!is_outside(file))
        return BVP_OK;
    if (!file->source)
        return open_parts(file, error);
    if (file->section[BVPD_PART].count > 0 && !file->section[BVPD_TIDS].data)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "a file over buffers of %" PRIu64 " bytes is too long for a source: "
                              "open a copy of it",
                              file->size);
    bvp_error said = {.status = BVP_OK, .offset = BVPI_NO_OFFSET};
    bvpi_call call = bvpi_call_begin(file, NULL);
    bvpi_source_keep(file, file->buffers.data, file->buffers.size);
    bvp_status status = bvpi_call_missed(&call) ? BVP_ERR_CORRUPT : open_parts(file, &said);
    const bool has_missed = bvpi_call_missed(&call);
    status = bvpi_call_end(&call, status);
    if (has_missed) /* what it made of zeros says nothing */
        return bvpi_source_explain(file, error);
    if (status != BVP_OK && error)
        *error = said;
    return status;
}

void bvpi_outside_close(bvp_file *file)
{
    free(file->outside);
    free(file->buffer_room);
    file->outside = NULL;
    file->buffer_room = NULL;
}

/* ---- fetching -------------------------------------------------------------------------------- */

static uint64_t positions_size(const bvpi_buffers *b)
{
    const uint64_t element = 3 * (uint64_t)bvpi_component_size(b->position_type);
    return b->vertex_count > 0 ? (b->vertex_count - UINT64_C(1)) * b->stride + element : 0;
}

static uint64_t indices_size(const bvpi_buffers *b)
{
    return b->indices ? 3 * (uint64_t)b->triangle_count * bvpi_component_size(b->index_type) : 0;
}

/* Threads that arrive at the same time do the same, one after the other. */
bvp_status bvpi_outside_fetch(const bvp_file *file, uint32_t part)
{
    assert(part < file->section[BVPD_PART].count);
    bvpi_outside *o = &file->outside[part];
    if (__atomic_load_n(&o->count, __ATOMIC_ACQUIRE) > 0)
        return BVP_OK;
    if (!o->is_absent || o->room == 0)
        return BVP_ERR_ARGUMENT;
    const bvpi_buffers *last = &o->buffers[o->room - 1];
    bvp_status status = BVP_OK;
    for (const bvpi_buffers *b = o->buffers; b <= last && status == BVP_OK; b++) {
        status = bvpi_source_fetch_beside(file, b->positions, positions_size(b));
        if (status == BVP_OK)
            status = bvpi_source_fetch_beside(file, b->indices, indices_size(b));
    }
    if (status != BVP_OK)
        return status;
    __atomic_store_n(&o->number_count, last->first_triangle + last->triangle_count,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&o->count, o->room, __ATOMIC_RELEASE);
    return BVP_OK;
}

bvp_status bvpi_outside_fetch_all(const bvp_file *file)
{
    bvp_status status = BVP_OK;
    for (uint64_t part = 0;
         file->source && file->outside && status == BVP_OK && part < file->section[BVPD_PART].count;
         part++)
        if (file->outside[part].is_absent)
            status = bvpi_outside_fetch(file, (uint32_t)part);
    return status;
}

/* ---- are they those that were packed? -------------------------------------------------------- */

static bvp_status compare(const bvp_file *file, const bvpi_outside *o, const bvpi_buffers *b,
                          uint32_t k, const bvp_control *control)
{
    uint8_t hash[16];
    bvpd_buffers r;
    load_buffers(file, o->first + (uint64_t)k, &r);
    if (!bvpi_buffers_hash(b, control, hash))
        return BVP_ERR_CANCELLED;
    return memcmp(hash, r.hash, sizeof hash) == 0 ? BVP_OK : BVP_ERR_CORRUPT;
}

/* Threads that arrive at the same time compute the same result, so no lock is needed. */
bvp_status bvpi_outside_touch(const bvp_file *file, uint32_t part, const bvp_control *control)
{
    if (part >= file->section[BVPD_PART].count)
        return BVP_ERR_ARGUMENT;
    bvpi_outside *o = &file->outside[part];
    const unsigned char state = __atomic_load_n(&o->state, __ATOMIC_ACQUIRE);
    bvp_status status = bvpi_outside_fetch(file, part);
    if (status != BVP_OK || state == BVPI_HASH_GOOD)
        return status;
    const bool is_trusted = file->mode == BVP_OPEN_TRUSTED;
    for (uint32_t k = 0;
         k < o->room && !is_trusted && status == BVP_OK && state == BVPI_HASH_UNKNOWN; k++)
        status = compare(file, o, &o->buffers[k], k, control);
    if (state == BVPI_HASH_BAD)
        status = BVP_ERR_CORRUPT;
    if (status != BVP_ERR_CANCELLED)
        __atomic_store_n(&o->state, status == BVP_OK ? BVPI_HASH_GOOD : BVPI_HASH_BAD,
                         __ATOMIC_RELEASE);
    return status;
}

bvp_status bvpi_outside_explain(const bvp_file *file, uint32_t part, bvp_status status,
                                bvp_error *error)
{
    const bvpi_outside *o = bvpi_outside_of(file, part);
    if (status == BVP_ERR_CANCELLED)
        return bvpi_error_cancelled(error);
    if (o->count == 0 && status != BVP_ERR_ARGUMENT)
        return bvpi_source_explain(file, error);
    if (o->count == 0)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the triangles of part %" PRIu32 " lie in buffers outside of this "
                              "file, which are not bound: open the GLB that it is attached to, or "
                              "call bvp_bind",
                              part);
    uint32_t k = 0;
    while (k + 1 < o->count && compare(file, o, &o->buffers[k], k, NULL) == BVP_OK)
        k++;
    return bvpi_error_set(error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "BUF-5",
                          "part %" PRIu32 ": buffers %" PRIu32 " are not those that it was packed "
                          "over: the asset has changed; attach the hierarchy again",
                          part, k);
}

bvp_status bvpi_outside_refuse(const bvp_file *file, bvp_error *error)
{
    if (!is_outside(file))
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "the file's triangles lie in buffers outside of it; pack the model "
                          "without --share");
}

/* ---- binding --------------------------------------------------------------------------------- */

static bvp_status refuse(bvp_error *error, bvp_status status, uint32_t part, uint32_t k,
                         const char *text)
{
    return bvpi_error_set(error, status, BVPI_NO_OFFSET, "",
                          "part %" PRIu32 ": buffers %" PRIu32 ": %s", part, k, text);
}

/* Have they the form that the record tells? What differs in form has another hash, too: this says
 * more. */
static bvp_status check_form(const bvpi_buffers *b, const bvpd_buffers *r, uint32_t part,
                             uint32_t k, bvp_error *error)
{
    if (b->vertex_count != r->vertex_count || b->triangle_count != r->triangle_count)
        return bvpi_error_set(
            error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
            "part %" PRIu32 ": buffers %" PRIu32 " have %" PRIu32 " vertices and %" PRIu32
            " triangles; it was packed over %" PRIu32 " and %" PRIu32,
            part, k, b->vertex_count, b->triangle_count, r->vertex_count, r->triangle_count);
    if (b->position_type == r->position_type && b->normalized == (r->normalized != 0) &&
        b->index_type == r->index_type)
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "part %" PRIu32 ": buffers %" PRIu32 " are of type %u, %snormalized, "
                          "with indices of type %u; it was packed over %u, %snormalized, and %u",
                          part, k, b->position_type, b->normalized ? "" : "not ", b->index_type,
                          r->position_type, r->normalized ? "" : "not ", r->index_type);
}

bvp_status bvp_bind(bvp_file *file, uint32_t part, const bvp_buffers *buffers, uint32_t count,
                    bvp_error *error)
{
    uint64_t first = 0;
    if (!is_outside(file))
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the file holds its triangles itself: there is nothing to bind");
    if (part >= file->section[BVPD_PART].count)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "there is no part %" PRIu32, part);
    bvpi_outside *o = &file->outside[part];
    if (o->room == 0)
        return bvpi_error_set(error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "BUF-2",
                              "the file does not say what part %" PRIu32 " was packed over", part);
    if (count != o->room)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "part %" PRIu32 " was packed over %" PRIu32 " buffers, and %" PRIu32
                              " are given",
                              part, o->room, count);
    bvpi_buffers *taken = calloc(count, sizeof *taken);
    if (!taken)
        return bvpi_error_memory(error, count * sizeof *taken);
    bvpi_call call = bvpi_call_begin(file, NULL);
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < count && status == BVP_OK; k++) {
        const char *fault = bvpi_buffers_fault(&buffers[k]);
        bvpd_buffers r;
        load_buffers(file, o->first + (uint64_t)k, &r);
        if (fault || first + buffers[k].triangle_count > UINT32_MAX) {
            status = refuse(error, BVP_ERR_ARGUMENT, part, k,
                            fault ? fault : "they have 2^32 triangles or more");
            break;
        }
        bvpi_buffers_take(&buffers[k], (uint32_t)first, &taken[k]);
        first += buffers[k].triangle_count;
        status = check_form(&taken[k], &r, part, k, error);
        if (status != BVP_OK || file->mode == BVP_OPEN_TRUSTED)
            continue;
        status = compare(file, o, &taken[k], k, file->control);
        if (status == BVP_ERR_CORRUPT)
            refuse(error, status, part, k,
                   "other positions or indices than it was packed over; pack the mesh again");
        if (status == BVP_ERR_CANCELLED)
            bvpi_error_cancelled(error);
    }
    status = bvpi_call_end(&call, status);
    if (status == BVP_OK) {
        memcpy(o->buffers, taken, count * sizeof *taken);
        o->number_count = (uint32_t)first;
        o->count = count;
        o->state = BVPI_HASH_GOOD;
    }
    free(taken);
    return status;
}

bvp_status bvp_get_buffers(const bvp_file *file, uint32_t part, bvp_buffers *buffers,
                           uint32_t capacity, uint32_t *count)
{
    *count = 0;
    if (part >= file->section[BVPD_PART].count)
        return BVP_ERR_ARGUMENT;
    if (!file->outside)
        return BVP_OK;
    bvpi_call call = bvpi_call_begin(file, NULL);
    const bvpi_outside *o = &file->outside[part];
    *count = o->room;
    for (uint32_t k = 0; k < o->room && k < capacity; k++) {
        bvpd_buffers r;
        load_buffers(file, o->first + (uint64_t)k, &r);
        describe(&r, NULL, &buffers[k]);
    }
    return bvpi_call_end(&call, BVP_OK);
}
