/* SPDX-License-Identifier: MIT
 * spool.c: from a stream of triangles to runs of floats in a temporary file.
 *
 * The stream is read into a group of blocks by one thread; then the group's blocks become runs on
 * all of them, and the runs are appended in order. So the file does not depend on the number of
 * threads.
 *
 * Doubles are kept as they are until the end, because the origin follows from all of them. Then a
 * second pass turns each run into floats, as intake.c does with a mesh in memory.
 *
 * Invariants: all runs but the last have run_size triangles, so that a triangle's run is known from
 * its place; ids ascend.
 *
 * Held by tests/unit/test_large.c: the same as intake of the same mesh in memory.
 */
#include "pack/large/spool.h"

#include "base/parallel.h"
#include "base/status.h"
#include "format/checksum.h"
#include "pack/large/check_state.h"
#include "pack/large/state.h"
#include "pack/mesh/rebase.h"
#include "pack/mesh/weld.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* ---- passes ---------------------------------------------------------------------------------- */

bvp_status bvpi_spool_visit(const bvpi_run_file *file, const bvpi_large_means *means,
                            bvpi_visit_runs *visit, void *user, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint64_t begin = 0; begin < file->count && status == BVP_OK; begin += means->group) {
        bvpi_run runs[BVPI_RUN_GROUP];
        const uint64_t left = file->count - begin;
        const uint32_t count = left < means->group ? (uint32_t)left : means->group;
        if (!bvpi_watch_goes_on(means->watch))
            return bvpi_error_cancelled(error);
        status = bvpi_runs_read(file, begin, count, means->thread_count, runs, error);
        if (status == BVP_OK)
            status = visit(user, runs, begin, count, error);
        for (uint32_t k = 0; k < count; k++)
            bvpi_run_free(&runs[k]);
    }
    return status;
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* A run's triangles as they come. */
typedef struct block {
    uint8_t *corners;
    uint32_t *ids;
    uint32_t count;
    bvpi_run run;
    uint8_t *bytes;
    bvpi_run_place place;
    float lo[3], hi[3];
    bvpi_corners_range range; /* of doubles */
    uint64_t hash;            /* of the corners */
} block;

typedef struct taking {
    const bvp_triangle_stream *stream;
    const bvpi_large_means *means;
    bool drop_invalid;
    uint32_t vertex_size;
    bvpi_spool *out;
    block blocks[BVPI_RUN_GROUP];
    uint64_t read_count;               /* triangles that the stream has given */
    uint64_t block_count, known_count; /* blocks so far; those that an earlier process has put */
    uint64_t chain;                    /* hash of all blocks so far */
    bvpi_corners_range range;
    bool is_ended;
    uint32_t failed; /* atomic */
} taking;

static bvp_status make_blocks(taking *t, bvp_error *error)
{
    const uint64_t size = (uint64_t)t->means->run_size * 3 * t->vertex_size;
    for (uint32_t k = 0; k < t->means->group; k++) {
        t->blocks[k].corners = malloc(size);
        t->blocks[k].ids = malloc(t->means->run_size * sizeof(uint32_t));
        if (!t->blocks[k].corners || !t->blocks[k].ids)
            return bvpi_error_memory(error, size);
    }
    return BVP_OK;
}

static void free_blocks(taking *t)
{
    for (uint32_t k = 0; k < BVPI_RUN_GROUP; k++) {
        free(t->blocks[k].corners);
        free(t->blocks[k].ids);
        free(t->blocks[k].bytes);
        bvpi_run_free(&t->blocks[k].run);
    }
}

static void load(const uint8_t *corner, uint32_t vertex_size, double out[3])
{
    float floats[3];
    if (vertex_size == 24) {
        memcpy(out, corner, 24);
        return;
    }
    memcpy(floats, corner, sizeof floats);
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (double)floats[axis];
}

/* The first corner that is not finite, 0 .. 2; 3: all are finite. */
static int bad_corner(const uint8_t *triangle, uint32_t vertex_size, double x[3])
{
    int k = 0;
    for (; k < 3; k++) {
        load(triangle + (size_t)k * vertex_size, vertex_size, x);
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
            break;
    }
    return k;
}

/* Checks the triangles that were read behind those that the block has, and keeps the good ones. */
static bvp_status keep_finite(taking *t, block *b, uint32_t read, bvp_error *error)
{
    const size_t size = 3 * (size_t)t->vertex_size;
    const uint32_t end = b->count + read;
    for (uint32_t i = b->count; i < end; i++) {
        const uint8_t *triangle = b->corners + i * size;
        double x[3];
        const int corner = bad_corner(triangle, t->vertex_size, x);
        if (corner < 3 && !t->drop_invalid)
            return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                  "triangle %" PRIu32 ": corner %d is not finite (%g, %g, %g); "
                                  "repair it, or drop invalid triangles",
                                  b->ids[i], corner, x[0], x[1], x[2]);
        if (corner < 3) {
            t->out->dropped_count++;
            continue;
        }
        if (i != b->count) {
            memmove(b->corners + b->count * size, triangle, size);
            b->ids[b->count] = b->ids[i];
        }
        t->out->ids_are_plain = t->out->ids_are_plain && b->ids[b->count] == t->out->triangle_count;
        b->count++;
        t->out->triangle_count++;
    }
    return BVP_OK;
}

static bvp_status fill_block(taking *t, block *b, bvp_error *error)
{
    const size_t size = 3 * (size_t)t->vertex_size;
    b->count = 0;
    while (b->count < t->means->run_size && !t->is_ended) {
        uint32_t read = 0;
        const uint32_t room = t->means->run_size - b->count;
        bvp_status status = t->stream->next(t->stream->user, b->corners + b->count * size,
                                            b->ids + b->count, room, &read, error);
        if (status != BVP_OK)
            return status;
        assert(read <= room);
        t->is_ended = read == 0;
        t->read_count += read;
        if (t->read_count >= UINT32_MAX)
            return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                                  "the mesh has 2^32 - 1 triangles or more; at most 2^32 - 2 fit "
                                  "in a part: split it into several parts");
        status = keep_finite(t, b, read, error);
        if (status != BVP_OK)
            return status;
    }
    return BVP_OK;
}

static void bound(block *b, uint32_t vertex_size)
{
    b->range = (bvpi_corners_range){.has_corners = false};
    for (uint32_t v = 0; v < b->run.vertex_count; v++) {
        double x[3];
        load(b->run.positions + (size_t)v * vertex_size, vertex_size, x);
        if (vertex_size == 24)
            bvpi_corners_range_add(&b->range, x);
        for (int axis = 0; axis < 3; axis++) {
            const float f = (float)x[axis] + 0.0f; /* removes -0 */
            b->lo[axis] = v == 0 || f < b->lo[axis] ? f : b->lo[axis];
            b->hi[axis] = v == 0 || f > b->hi[axis] ? f : b->hi[axis];
        }
    }
}

static void make_run(void *user, uint32_t piece)
{
    taking *t = user;
    block *b = &t->blocks[piece];
    b->hash = bvpi_hash64(b->corners, (size_t)b->count * 3 * t->vertex_size);
    const bool ok = bvpi_run_make(b->corners, t->vertex_size, b->ids, b->count, &b->run);
    if (ok)
        bound(b, t->vertex_size);
    b->bytes = ok ? bvpi_run_encode(&b->run, &b->place) : NULL;
    bvpi_run_free(&b->run);
    if (!b->bytes)
        __atomic_store_n(&t->failed, 1, __ATOMIC_RELAXED);
}

static void join_bounds(bvpi_spool *out, const float lo[3], const float hi[3])
{
    const bool is_first = out->vertex_count == 0;
    for (int axis = 0; axis < 3; axis++) {
        out->lo[axis] = is_first || lo[axis] < out->lo[axis] ? lo[axis] : out->lo[axis];
        out->hi[axis] = is_first || hi[axis] > out->hi[axis] ? hi[axis] : out->hi[axis];
    }
}

static void add_to_chain(taking *t, uint64_t hash)
{
    const uint64_t pair[2] = {t->chain, hash};
    t->chain = bvpi_hash64(pair, sizeof pair);
    t->block_count++;
}

/* The stream gives once more what an earlier process took: is it the same? */
static bvp_status pass_block(taking *t, const block *b, bvp_error *error)
{
    const bvpi_progress *done = &t->means->state->done;
    if (b->count > 0)
        add_to_chain(t, bvpi_hash64(b->corners, (size_t)b->count * 3 * t->vertex_size));
    if (t->block_count < t->known_count && !t->is_ended)
        return BVP_OK;
    if (t->block_count != t->known_count || t->chain != done->chain)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the triangles are not those that the state in %s was begun with; "
                              "remove that folder to start again",
                              t->means->state->folder);
    t->out->vertex_count = done->spool.vertex_count;
    memcpy(t->out->lo, done->spool.lo, sizeof t->out->lo);
    memcpy(t->out->hi, done->spool.hi, sizeof t->out->hi);
    t->range = done->range;
    return BVP_OK;
}

/* Notes what is read so far, or all of it. */
static bvp_status save(taking *t, bvp_error *error)
{
    bvpi_large_state *state = t->means->state;
    if (!state || state->done.stage > BVPI_STAGE_READING ||
        (!t->is_ended && !bvpi_state_is_due(state)))
        return BVP_OK;
    bvp_status status = bvpi_scratch_sync(&t->out->runs.scratch, error);
    state->done.run_count = t->block_count;
    state->done.runs_size = t->out->runs.scratch.size;
    state->done.chain = t->chain;
    state->done.range = t->range;
    state->done.spool = *t->out;
    state->done.spool.runs = (bvpi_run_file){.scratch = BVPI_NO_SCRATCH};
    return status == BVP_OK ? bvpi_state_save(state, error) : status;
}

/* Appends the blocks' runs. */
static bvp_status put_blocks(taking *t, uint32_t count, bvp_error *error)
{
    bvpi_parallel(t->means->thread_count, count, make_run, t);
    if (t->failed)
        return bvpi_error_memory(error, (uint64_t)t->means->run_size * 3 * t->vertex_size);
    for (uint32_t k = 0; k < count; k++) {
        block *b = &t->blocks[k];
        const bvp_status status = bvpi_run_append(&t->out->runs, b->bytes, &b->place, error);
        free(b->bytes);
        b->bytes = NULL;
        if (status != BVP_OK)
            return status;
        bvpi_corners_range_join(&t->range, &b->range);
        add_to_chain(t, b->hash);
        join_bounds(t->out, b->lo, b->hi);
        t->out->vertex_count += b->place.vertex_count;
        bvpi_watch_add(t->means->watch, "read", b->count);
    }
    return BVP_OK;
}

static bvp_status take_all(taking *t, bvp_error *error)
{
    bvp_status status = make_blocks(t, error);
    while (status == BVP_OK && !t->is_ended) {
        uint32_t count = 0;
        if (!bvpi_watch_goes_on(t->means->watch))
            return bvpi_error_cancelled(error);
        while (count < t->means->group && !t->is_ended && status == BVP_OK) {
            const bool is_known = t->block_count + count < t->known_count;
            status = fill_block(t, &t->blocks[count], error);
            if (status == BVP_OK && is_known)
                status = pass_block(t, &t->blocks[count], error);
            else
                count += status == BVP_OK && t->blocks[count].count > 0;
        }
        if (status == BVP_OK)
            status = put_blocks(t, count, error);
        if (status == BVP_OK && t->block_count >= t->known_count)
            status = save(t, error);
    }
    return status;
}

/* ---- doubles --------------------------------------------------------------------------------- */

typedef struct turning {
    const bvpi_large_means *means;
    const bvpi_spool *from;
    bvpi_spool *out;
    bvpi_run *runs;
    block blocks[BVPI_RUN_GROUP];
    double errors[BVPI_RUN_GROUP];
    uint32_t too_far; /* atomic: the number of a triangle, plus 1 */
    uint32_t failed;  /* atomic */
} turning;

/* Replaces the run's doubles by floats, of which more may be equal. */
static bool to_floats(turning *t, bvpi_run *run, double *rounding)
{
    float *floats = malloc((size_t)run->vertex_count * 12);
    if (!floats)
        return false;
    for (uint32_t v = 0; v < run->vertex_count; v++) {
        double x[3];
        memcpy(x, run->positions + (size_t)v * 24, sizeof x);
        if (!bvpi_rebase(x, t->out->origin, floats + 3 * (size_t)v, rounding))
            __atomic_store_n(&t->too_far, 1, __ATOMIC_RELAXED);
    }
    const bvpi_vertices v = {(const uint8_t *)floats, 12, 12, run->vertex_count, 36};
    uint8_t *positions = NULL;
    const uint32_t count =
        bvpi_weld(&v, run->indices, 3 * (uint64_t)run->triangle_count, 1, run->indices, &positions);
    free(floats);
    if (count == UINT32_MAX)
        return false;
    free(run->positions);
    run->positions = positions;
    run->vertex_count = count;
    run->vertex_size = 12;
    return true;
}

static void turn_run(void *user, uint32_t piece)
{
    turning *t = user;
    block *b = &t->blocks[piece];
    t->errors[piece] = 0;
    b->run = t->runs[piece];
    const bool ok = to_floats(t, &b->run, &t->errors[piece]);
    t->runs[piece] = b->run; /* which is freed by the pass */
    if (ok)
        bound(b, 12);
    b->bytes = ok ? bvpi_run_encode(&b->run, &b->place) : NULL;
    if (!b->bytes)
        __atomic_store_n(&t->failed, 1, __ATOMIC_RELAXED);
}

static bvp_status turn_runs(void *user, bvpi_run *runs, uint64_t first, uint32_t count,
                            bvp_error *error)
{
    turning *t = user;
    bvp_status status = BVP_OK;
    t->runs = runs;
    bvpi_parallel(t->means->thread_count, count, turn_run, t);
    if (t->too_far)
        status = bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                                "a vertex is farther from the part's centre than a float can hold");
    else if (t->failed)
        status = bvpi_error_memory(error, (uint64_t)t->means->run_size * 36);
    for (uint32_t k = 0; k < count; k++) {
        block *b = &t->blocks[k];
        if (status == BVP_OK) {
            status = bvpi_run_append(&t->out->runs, b->bytes, &b->place, error);
            join_bounds(t->out, b->lo, b->hi);
            t->out->vertex_count += b->place.vertex_count;
            t->out->rounding_error = fmax(t->out->rounding_error, t->errors[k]);
            if (!t->means->state)
                bvpi_scratch_forget(&t->from->runs.scratch, t->from->runs.places[first + k].offset,
                                    t->from->runs.places[first + k].size);
        }
        free(b->bytes);
        b->bytes = NULL;
    }
    return status;
}

/* Replaces the runs of doubles by runs of floats. */
static bvp_status turn_doubles(const bvpi_large_means *means, const bvpi_corners_range *range,
                               bvpi_spool *spool, bvp_error *error)
{
    bvpi_spool made = *spool;
    turning t = {.means = means, .from = spool, .out = &made};
    made.runs = (bvpi_run_file){.scratch = BVPI_NO_SCRATCH};
    made.vertex_count = 0;
    bvpi_corners_range_origin(range, made.origin);
    bvp_status status = bvpi_large_file(means, "floats", 0, &made.runs.scratch, error);
    if (status == BVP_OK)
        status = bvpi_spool_visit(&spool->runs, means, turn_runs, &t, error);
    bvpi_run_file_close(&spool->runs);
    *spool = made;
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

bvp_status bvpi_large_file(const bvpi_large_means *means, const char *name, uint64_t size,
                           bvpi_scratch *out, bvp_error *error)
{
    return means->state ? bvpi_scratch_open(means->state->folder, name, size, out, error)
                        : bvpi_scratch_open(means->folder, NULL, 0, out, error);
}

/* Opens the file of runs, with what an earlier process has put. */
static bvp_status open_runs(taking *t, bvp_error *error)
{
    const bvpi_large_state *state = t->means->state;
    /* when all sets are dealt, the runs are gone */
    const uint64_t size = state && state->done.stage < BVPI_STAGE_DEALT ? state->done.runs_size : 0;
    bvp_status status = bvpi_large_file(t->means, "runs", size, &t->out->runs.scratch, error);
    t->known_count = state ? state->done.run_count : 0;
    if (status == BVP_OK && size > 0)
        status = bvpi_run_file_scan(&t->out->runs, error);
    return status;
}

/* Are the runs that an earlier process has put those that the record tells of? All but the last
 * have run_size triangles: a triangle's run is known from its number. */
static bool check_runs(const bvpi_spool *spool, const bvpi_large_means *means, uint32_t vertex_size)
{
    uint64_t triangles = 0, vertices = 0;
    for (uint64_t k = 0; k < spool->runs.count; k++) {
        const bvpi_run_place *place = &spool->runs.places[k];
        if (place->vertex_size != vertex_size || place->triangle_count == 0 ||
            (k + 1 < spool->runs.count && place->triangle_count != means->run_size))
            return false;
        triangles += place->triangle_count;
        vertices += place->vertex_count;
    }
    return triangles == spool->triangle_count && vertices == spool->vertex_count;
}

/* The floats that doubles have become, or the stream's own. */
static bvp_status end_reading(const bvpi_large_means *means, bool is_double,
                              const bvpi_corners_range *range, bvpi_spool *out, bvp_error *error)
{
    bvpi_large_state *state = means->state;
    bvp_status status = BVP_OK;
    if (is_double && state && state->done.stage >= BVPI_STAGE_READ) {
        bvpi_run_file_close(&out->runs);
        *out = state->done.spool;
        const bool is_there = state->done.stage < BVPI_STAGE_DEALT;
        status = bvpi_large_file(means, "floats", is_there ? state->done.floats_size : 0,
                                 &out->runs.scratch, error);
        if (status == BVP_OK)
            status = bvpi_run_file_scan(&out->runs, error);
        if (status == BVP_OK && is_there && !check_runs(out, means, 12))
            status = bvpi_changed(means, error);
        return status;
    }
    const bool has_runs = !state || state->done.stage < BVPI_STAGE_DEALT;
    if (has_runs && !check_runs(out, means, is_double ? 24 : 12))
        return bvpi_changed(means, error);
    if (is_double)
        status = turn_doubles(means, range, out, error);
    if (!state || status != BVP_OK || state->done.stage >= BVPI_STAGE_READ)
        return status;
    status = bvpi_scratch_sync(&out->runs.scratch, error);
    state->done.stage = BVPI_STAGE_READ;
    state->done.floats_size = is_double ? out->runs.scratch.size : 0;
    state->done.spool = *out;
    state->done.spool.runs = (bvpi_run_file){.scratch = BVPI_NO_SCRATCH};
    return status == BVP_OK ? bvpi_state_save(state, error) : status;
}

bvp_status bvpi_spool_take(const bvp_triangle_stream *stream, bool drop_invalid,
                           const bvpi_large_means *means, bvpi_spool *out, bvp_error *error)
{
    *out = (bvpi_spool){.runs.scratch = BVPI_NO_SCRATCH, .ids_are_plain = true};
    taking *t = calloc(1, sizeof *t);
    if (!t)
        return bvpi_error_memory(error, sizeof *t);
    *t = (taking){.stream = stream,
                  .means = means,
                  .drop_invalid = drop_invalid,
                  .vertex_size = stream->is_double ? 24 : 12,
                  .out = out};
    bvp_status status = open_runs(t, error);
    if (status == BVP_OK)
        status = take_all(t, error);
    const bvpi_corners_range range = t->range;
    free_blocks(t);
    free(t);
    return status == BVP_OK ? end_reading(means, stream->is_double, &range, out, error) : status;
}

void bvpi_spool_close(bvpi_spool *spool)
{
    bvpi_run_file_close(&spool->runs);
}
