/* SPDX-License-Identifier: MIT
 * stream_part.c: adds a part from a stream of triangles, in bounded memory.
 *
 * The triangles are spooled to a temporary file in runs. If they turn out to fit in memory, they
 * are loaded and built as any mesh is; else the passes of pack/large do what intake and the
 * building of a part do in memory. Both ways end with the same bytes.
 *
 * Held by tests/property/test_stream.c.
 * Measured: decisions.md, "Larger than memory"
 */
#include "pack/file/builder.h"

#include "base/large_array.h"
#include "base/status.h"
#include "format/checksum.h"
#include "pack/large/check_state.h"
#include "pack/large/describe.h"
#include "pack/large/state.h"
#include "pack/mesh/find_strays.h"
#include "pack/mesh/weld.h"
#include "pack/tree/wide_batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MEMORY_DEFAULT = 1 << 30,
    MEMORY_LEAST = 1 << 24,
    BUILD_COST = 64,      /* bytes of memory a triangle of the build in memory */
    TRIANGLE_BLOCK = 200, /* bytes of memory for each triangle of a group of runs */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bvp_status refuse(bvp_error *error, const char *text)
{
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "", "%s", text);
}

static bvp_status check(const bvp_builder *b, const bvp_triangle_stream *stream, bvp_error *error)
{
    if (b->finished)
        return refuse(error, "the file was finished already");
    if (b->options.share)
        return refuse(error, "share does not go together with a stream of triangles");
    if (b->options.hierarchy_count != 1 || b->specs[0].kind != BVP_KIND_WIDE)
        return refuse(error, "of a stream of triangles only the wide hierarchy can be built; leave "
                             "other kinds and rays out");
    if (b->options.memory > 0 && b->options.memory < MEMORY_LEAST)
        return refuse(error, "memory is less than 16 MiB, with which no stream can be packed");
    if (stream->triangle_count >= UINT32_MAX - 1)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "the mesh has %" PRIu64 " triangles; at most 2^32 - 2 fit in a "
                              "part: split it into several parts",
                              stream->triangle_count);
    return BVP_OK;
}

/* Does nothing else stand in the way of a part of the stream's name? */
static bvp_status check_end(const bvp_builder *b, const bvp_triangle_stream *stream,
                            uint64_t stray_count, bvp_error *error)
{
    bvp_status status = bvpi_check_part_name(stream->name, b->parts.count, error);
    if (status == BVP_OK)
        status = bvpi_check_part_name(stream->source_id, b->parts.count, error);
    if (status == BVP_OK && stray_count > 0 && stream->refuse_strays)
        status = bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                                "%" PRIu64 " triangles lie so far outside the others that queries "
                                "of a part with all of them would be slow",
                                stray_count);
    return status;
}

/* ---- in memory ------------------------------------------------------------------------------- */

/* Joins all runs to one mesh. */
typedef struct joining {
    float *positions;
    uint32_t *indices, *ids;
    uint64_t vertex_count, triangle_count; /* so far */
} joining;

static bvp_status join_runs(void *user, bvpi_run *runs, uint64_t first, uint32_t count,
                            bvp_error *error)
{
    joining *j = user;
    (void)first;
    (void)error;
    for (uint32_t k = 0; k < count; k++) {
        const bvpi_run *run = &runs[k];
        memcpy(j->positions + 3 * j->vertex_count, run->positions, 12 * (size_t)run->vertex_count);
        memcpy(j->ids + j->triangle_count, run->ids, 4 * (size_t)run->triangle_count);
        for (uint64_t i = 0; i < 3 * (uint64_t)run->triangle_count; i++)
            j->indices[3 * j->triangle_count + i] = (uint32_t)(run->indices[i] + j->vertex_count);
        j->vertex_count += run->vertex_count;
        j->triangle_count += run->triangle_count;
    }
    return BVP_OK;
}

static bvp_status load(const bvpi_spool *spool, const bvpi_large_means *means, bool keep_ids,
                       bvpi_intake *in, bvp_error *error)
{
    const uint64_t corners = 3 * spool->triangle_count;
    joining j = {.positions = bvpi_allocate(spool->vertex_count, 12),
                 .indices = bvpi_allocate(corners, sizeof *j.indices),
                 .ids = bvpi_allocate(spool->triangle_count, sizeof *j.ids)};
    uint8_t *positions = NULL;
    uint32_t count = UINT32_MAX;
    bvp_status status = BVP_OK;
    if (!j.positions || !j.indices || !j.ids)
        status = bvpi_error_memory(error, 12 * spool->vertex_count + 4 * corners);
    if (status == BVP_OK)
        status = bvpi_spool_visit(&spool->runs, means, join_runs, &j, error);
    const bvpi_vertices v = {(const uint8_t *)j.positions, 12, 12, (uint32_t)spool->vertex_count,
                             36};
    if (status == BVP_OK)
        count = bvpi_weld(&v, j.indices, corners, means->thread_count, j.indices, &positions);
    if (status == BVP_OK && count == UINT32_MAX)
        status = bvpi_error_memory(error, 12 * spool->vertex_count + 4 * corners);
    free(j.positions);
    in->mesh.positions = (const float *)(const void *)positions;
    in->mesh.indices = j.indices;
    in->mesh.vertex_count = count;
    in->mesh.ids = keep_ids && !spool->ids_are_plain ? j.ids : NULL;
    if (!in->mesh.ids)
        free(j.ids);
    return status == BVP_OK ? bvpi_intake_examine(in, keep_ids, means->thread_count, error)
                            : status;
}

/* ---- on disk --------------------------------------------------------------------------------- */

typedef struct large {
    const bvpi_spool *spool;
    const bvpi_large_means *means;
    bvpi_description description;
} large;

/* A bvpi_build_fn. */
static bvp_status build_large(void *user, bvp_builder *b, const bvpi_intake *in,
                              bvpi_part_bytes *made, bvp_error *error)
{
    const large *l = user;
    bvpi_watch *watch = l->means->watch;
    watch->done = 0;
    watch->total = in->mesh.triangle_count;
    return bvpi_part_build_large(l->spool, &in->mesh, &l->description.grid, &b->specs[0], l->means,
                                 made, error);
}

static bvp_status describe(large *l, bool keep_ids, bvpi_intake *in, bvp_error *error)
{
    bvpi_large_state *state = l->means->state;
    bvp_status status = BVP_OK;
    if (state && state->done.stage >= BVPI_STAGE_DESCRIBED) {
        l->description = state->done.description;
        if (!bvpi_check_grid(&l->description.grid) || l->description.vertex_count >= UINT32_MAX)
            status = bvpi_changed(l->means, error);
    } else {
        status = bvpi_describe(l->spool, keep_ids, l->means, &l->description, error);
        if (status == BVP_OK && state) {
            state->done.description = l->description;
            state->done.stage = BVPI_STAGE_DESCRIBED;
            status = bvpi_state_save(state, error);
        }
    }
    in->mesh.vertex_count = (uint32_t)l->description.vertex_count;
    in->duplicate_count = l->description.defects.duplicate_count;
    in->open_edge_count = l->description.defects.open_edge_count;
    in->nonmanifold_edge_count = l->description.defects.nonmanifold_edge_count;
    memcpy(in->content_hash, l->description.content_hash, sizeof in->content_hash);
    return status;
}

/* Deals the triangles to sets, which shares then build. */
static bvp_status deal(const large *l, bool is_small, bvp_error *error)
{
    bvpi_sets sets;
    if (is_small)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the mesh fits in so much memory, and is built at once: there is "
                              "nothing to share");
    const bvp_status status = bvpi_sets_make(l->spool, &l->description.grid, BVPI_BATCH_TRIANGLES,
                                             l->means, &sets, error);
    bvpi_sets_close(&sets);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static bvp_status add_spooled(bvp_builder *b, const bvp_triangle_stream *stream,
                              const bvpi_spool *spool, const bvpi_large_means *means,
                              uint32_t *part, bvp_error *error)
{
    const bool keep_ids = !b->options.no_ids;
    const bool is_small = spool->triangle_count * BUILD_COST <= means->memory ||
                          spool->triangle_count <= 2 * BVPI_RUN_TRIANGLES;
    bvpi_intake in = {.rounding_error = spool->rounding_error,
                      .dropped_count = spool->dropped_count,
                      .mesh = {.has_ids = keep_ids,
                               .is_deformable = b->options.deformable != 0,
                               .triangle_count = (uint32_t)spool->triangle_count}};
    large l = {.spool = spool, .means = means};
    memcpy(in.origin, spool->origin, sizeof in.origin);
    bvp_status status =
        is_small ? load(spool, means, keep_ids, &in, error) : describe(&l, keep_ids, &in, error);
    if (status == BVP_OK && stream->deal_only) {
        status = check_end(b, stream, l.description.stray_count, error);
        return status == BVP_OK ? deal(&l, is_small, error) : status;
    }
    if (status == BVP_OK) {
        *part = bvpi_find_equal(b, in.content_hash, in.mesh.triangle_count, in.mesh.vertex_count);
        b->shared_part_count += *part != BVP_NONE;
    }
    if (status == BVP_OK && *part == BVP_NONE) {
        uint64_t stray_count = l.description.stray_count;
        if (is_small)
            status = bvpi_count_strays(&in.mesh, &stray_count, &l.description.stray_factor, error);
        if (stream->stray_count)
            *stream->stray_count = stray_count;
        if (stream->stray_factor)
            *stream->stray_factor = l.description.stray_factor;
        if (status == BVP_OK)
            status = check_end(b, stream, stray_count, error);
        if (status == BVP_OK)
            status = bvpi_add_new_part(b, &in, stream->name, stream->source_id,
                                       is_small ? bvpi_build_in_memory : build_large, &l, error);
        if (status == BVP_OK) {
            b->stray_count += stray_count;
            *part = (uint32_t)b->parts.count - 1;
        }
    }
    bvpi_intake_free(&in);
    return status;
}

static uint32_t group_of(uint64_t memory)
{
    const uint64_t runs = memory / 4 / ((uint64_t)BVPI_RUN_TRIANGLES * TRIANGLE_BLOCK);
    return runs < 1 ? 1 : runs > BVPI_RUN_GROUP ? BVPI_RUN_GROUP : (uint32_t)runs;
}

/* What of the options, and of the stream, the state depends on. The address of a part names the
 * options that its bytes depend on. */
static void make_key(const bvp_builder *b, const bvp_triangle_stream *stream,
                     const bvpi_large_means *means, uint8_t key[16])
{
    struct {
        uint8_t packer[16];
        uint64_t memory, drop_invalid, is_double;
        uint8_t stream_key[16];
    } record = {.memory = means->memory,
                .drop_invalid = b->options.drop_invalid != 0,
                .is_double = stream->is_double != 0};
    bvpi_intake none = {
        .mesh = {.has_ids = !b->options.no_ids, .is_deformable = b->options.deformable != 0}};
    bvpd_part part;
    bvpi_identify_part(b, &none, &part);
    memcpy(record.packer, part.packer, sizeof record.packer);
    const char *text = stream->key ? stream->key : "";
    bvpi_hash128(text, strlen(text), record.stream_key);
    bvpi_hash128(&record, sizeof record, key);
}

static bvp_status add_stream(bvp_builder *b, const bvp_triangle_stream *stream,
                             const bvpi_large_means *means, uint32_t *part, bvp_error *error)
{
    bvpi_spool spool;
    bvp_status status = bvpi_spool_take(stream, b->options.drop_invalid != 0, means, &spool, error);
    if (status == BVP_OK && spool.triangle_count > 0)
        status = add_spooled(b, stream, &spool, means, part, error);
    if (status == BVP_OK)
        b->dropped_triangle_count += spool.dropped_count;
    bvpi_spool_close(&spool);
    return status;
}

static bvpi_large_means means_of(const bvp_builder *b, bvpi_watch *watch)
{
    const uint64_t memory = b->options.memory ? b->options.memory : MEMORY_DEFAULT;
    return (bvpi_large_means){.folder = b->options.temporary ? b->options.temporary : ".",
                              .memory = memory,
                              .thread_count = b->options.thread_count,
                              .group = group_of(memory),
                              .run_size = BVPI_RUN_TRIANGLES,
                              .watch = watch};
}

bvp_status bvp_builder_build_share(bvp_builder *b, const bvp_triangle_stream *stream,
                                   uint32_t index, uint32_t count, bvp_error *error)
{
    bvpi_watch watch = {.control = b->options.control,
                        .progress = b->options.progress,
                        .user = b->options.progress_user};
    bvpi_large_means means = means_of(b, &watch);
    bvpi_large_state state;
    uint8_t key[16];
    bvp_status status = check(b, stream, error);
    if (status == BVP_OK && (!stream->state || index < 1 || index > count))
        status = refuse(error, "a share needs a state, and a number of 1 to the count of shares");
    if (status != BVP_OK)
        return status;
    make_key(b, stream, &means, key);
    status = bvpi_state_open(stream->state, key, true, &state, error);
    means.state = &state;
    if (status == BVP_OK && state.done.stage < BVPI_STAGE_DEALT)
        status = refuse(error, "the triangles are not dealt to shares yet");
    if (status == BVP_OK && (!bvpi_check_grid(&state.done.description.grid) ||
                             state.done.spool.triangle_count <= BVPI_BATCH_TRIANGLES ||
                             state.done.spool.triangle_count > UINT32_MAX))
        status = bvpi_changed(&means, error);
    if (status == BVP_OK) {
        const bvpi_mesh kept = {.has_ids = !b->options.no_ids,
                                .is_deformable = b->options.deformable != 0};
        watch.total = state.done.spool.triangle_count / count;
        status = bvpi_large_wide_share(state.done.spool.triangle_count, &kept,
                                       &state.done.description.grid, &b->specs[0], &means, index,
                                       count, error);
    }
    bvpi_state_close(&state);
    return status;
}

bvp_status bvp_builder_add_stream(bvp_builder *b, const bvp_triangle_stream *stream, uint32_t *part,
                                  bvp_error *error)
{
    const double start = now();
    bvpi_watch watch = {.control = b->options.control,
                        .progress = b->options.progress,
                        .user = b->options.progress_user,
                        .total = stream->triangle_count};
    bvpi_large_means means = means_of(b, &watch);
    bvp_status status = check(b, stream, error);
    if (status != BVP_OK)
        return status;
    *part = BVP_NONE;
    if (stream->state) {
        bvpi_large_state state;
        uint8_t key[16];
        make_key(b, stream, &means, key);
        status = bvpi_state_open(stream->state, key, false, &state, error);
        means.state = &state;
        if (status == BVP_OK)
            status = add_stream(b, stream, &means, part, error);
        bvpi_state_close(&state);
    } else {
        status = add_stream(b, stream, &means, part, error);
    }
    b->seconds += now() - start;
    return status;
}

void bvp_builder_remove_state(const char *folder)
{
    bvpi_state_remove(folder);
}
