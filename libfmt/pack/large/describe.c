/* SPDX-License-Identifier: MIT
 * describe.c: hashes a mesh in runs, counts its defects and strays, and chooses its grid.
 *
 * Two passes over the runs, because the hash has all positions before all indices:
 * 1. positions of vertices that no earlier run has; samples of triangles for the grid's turn and
 *    for strays;
 * 2. indices, numbered over the whole mesh; edges; strays, if the samples say that there may be
 * any. Numbers that are not 0, 1, 2 ... are hashed in a third one; a turned grid needs its own
 * bounds.
 *
 * Slow twin: mesh/intake.c and tree/turn_choice.c on the same mesh, tests/unit/test_large.c.
 */
#include "pack/large/describe.h"

#include "base/large_array.h"
#include "base/status.h"
#include "format/identity.h"
#include "pack/large/edge_count.h"
#include "pack/large/vertex_ranks.h"
#include "pack/mesh/find_strays.h"
#include "pack/tree/turn_choice.h"

#include <assert.h>
#include <math.h>

typedef struct describing {
    const bvpi_spool *spool;
    const bvpi_large_means *means;
    bvpi_description *out;
    bvpi_ranks ranks;
    bvpi_rank_cursor cursor;
    bvpi_edge_count *edges;
    bvpi_stray_search *strays; /* NULL: there are none */
    bvpi_hasher hasher;
    uint32_t turn_step;
    float *turn_corners; /* nine for each triangle of the turn's sample */
    uint32_t *turn_indices;
    uint64_t turn_count;
    float stray_samples[BVPI_STRAY_SAMPLES][3];
    int16_t turn[4];
    double lo[3], hi[3]; /* turned */
} describing;

static const float *corner_of(const bvpi_run *run, uint64_t corner)
{
    return (const float *)(const void *)run->positions + 3 * (size_t)run->indices[corner];
}

/* ---- the first pass -------------------------------------------------------------------------- */

static void take_samples(describing *d, const bvpi_run *run, uint64_t begin)
{
    const uint64_t end = begin + run->triangle_count, all = d->spool->triangle_count;
    for (; d->turn_count * d->turn_step < end; d->turn_count++) {
        const uint64_t local = d->turn_count * d->turn_step - begin;
        for (uint64_t k = 0; k < 3; k++)
            memcpy(d->turn_corners + 9 * d->turn_count + 3 * k, corner_of(run, 3 * local + k), 12);
    }
    for (uint32_t k = 0; k < BVPI_STRAY_SAMPLES; k++) {
        const uint64_t triangle = bvpi_stray_sample(all, k);
        if (triangle >= begin && triangle < end)
            memcpy(d->stray_samples[k], corner_of(run, 3 * (triangle - begin)), 12);
    }
}

static bvp_status hash_positions(void *user, bvpi_run *runs, uint64_t first, uint32_t count,
                                 bvp_error *error)
{
    describing *d = user;
    float *kept = malloc(3 * (size_t)d->means->run_size * 12);
    if (!kept)
        return bvpi_error_memory(error, 3 * (size_t)d->means->run_size * 12);
    for (uint32_t k = 0; k < count; k++) {
        const uint64_t place = d->ranks.first[first + k];
        uint32_t kept_count = 0;
        for (uint32_t v = 0; v < runs[k].vertex_count; v++)
            if (bvpi_rank_bit(d->ranks.is_first, place + v))
                memcpy(kept + 3 * (size_t)kept_count++, runs[k].positions + 12 * (size_t)v, 12);
        bvpi_content_add(&d->hasher, kept, 12 * (size_t)kept_count);
        take_samples(d, &runs[k], (first + k) * d->means->run_size);
    }
    free(kept);
    return BVP_OK;
}

/* ---- the second ------------------------------------------------------------------------------ */

static void map_indices(const bvpi_run *run, const uint32_t *numbers, uint32_t *out)
{
    for (uint64_t k = 0; k < 3 * (uint64_t)run->triangle_count; k++)
        out[k] = numbers[run->indices[k]];
}

static bvp_status hash_indices(void *user, bvpi_run *runs, uint64_t first, uint32_t count,
                               bvp_error *error)
{
    describing *d = user;
    uint32_t *numbers[BVPI_RUN_GROUP] = {NULL};
    uint32_t *mapped = malloc(3 * (size_t)d->means->run_size * sizeof *mapped);
    bvp_status status = mapped ? BVP_OK : bvpi_error_memory(error, d->means->run_size * 12);
    for (uint32_t k = 0; k < count && status == BVP_OK; k++) {
        status = bvpi_rank_cursor_next(&d->cursor, &numbers[k], error);
        if (status != BVP_OK)
            break;
        map_indices(&runs[k], numbers[k], mapped);
        bvpi_content_add(&d->hasher, mapped, 12 * (size_t)runs[k].triangle_count);
        const bvpi_mesh mesh = bvpi_run_mesh(&runs[k]);
        if (d->strays)
            bvpi_stray_search_add(d->strays, &mesh);
    }
    if (status == BVP_OK)
        status = bvpi_edge_count_add(d->edges, runs, first, count, numbers, error);
    for (uint32_t k = 0; k < count; k++)
        free(numbers[k]);
    free(mapped);
    bvpi_watch *watch = d->means->watch;
    if (watch->progress && status == BVP_OK)
        watch->progress(watch->user, "hash", first + count, d->spool->runs.count);
    return status;
}

static bvp_status hash_ids(void *user, bvpi_run *runs, uint64_t first, uint32_t count,
                           bvp_error *error)
{
    describing *d = user;
    (void)first;
    (void)error;
    for (uint32_t k = 0; k < count; k++)
        bvpi_content_add(&d->hasher, runs[k].ids, 4 * (size_t)runs[k].triangle_count);
    return BVP_OK;
}

/* ---- the grid -------------------------------------------------------------------------------- */

static bvp_status turn_bounds(void *user, bvpi_run *runs, uint64_t first, uint32_t count,
                              bvp_error *error)
{
    describing *d = user;
    (void)first;
    (void)error;
    for (uint32_t k = 0; k < count; k++)
        bvpi_turn_bounds(d->turn, (const float *)(const void *)runs[k].positions,
                         runs[k].vertex_count, d->lo, d->hi);
    return BVP_OK;
}

static bvp_status choose_grid(describing *d, bvp_error *error)
{
    double lo[3], hi[3];
    bvp_status status = BVP_OK;
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = (double)d->spool->lo[axis];
        hi[axis] = (double)d->spool->hi[axis];
        d->lo[axis] = INFINITY;
        d->hi[axis] = -INFINITY;
    }
    const bvpi_mesh sample = {.positions = d->turn_corners,
                              .indices = d->turn_indices,
                              .vertex_count = (uint32_t)(3 * d->turn_count),
                              .triangle_count = (uint32_t)d->turn_count};
    bvpi_grid_choose(lo, hi, &d->out->grid);
    if (!bvpi_turn_choose(&sample, d->turn_step, &d->out->grid, d->turn))
        return status;
    status = bvpi_spool_visit(&d->spool->runs, d->means, turn_bounds, d, error);
    if (status == BVP_OK)
        bvpi_turn_grid_make(d->turn, d->lo, d->hi, &d->out->grid);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static bvp_status make_room(describing *d, bvp_error *error)
{
    d->turn_step = bvpi_turn_step((uint32_t)d->spool->triangle_count);
    const uint64_t count = d->spool->triangle_count / d->turn_step + 1;
    d->turn_corners = malloc(count * 9 * sizeof *d->turn_corners);
    d->turn_indices = malloc(count * 3 * sizeof *d->turn_indices);
    if (!d->turn_corners || !d->turn_indices)
        return bvpi_error_memory(error, count * 48);
    for (uint64_t k = 0; k < 3 * count; k++)
        d->turn_indices[k] = (uint32_t)k;
    return BVP_OK;
}

static bvp_status describe(describing *d, bool keep_ids, bvp_error *error)
{
    const bvpi_spool *spool = d->spool;
    const bvpi_run_file *runs = &spool->runs;
    bvp_status status = make_room(d, error);
    if (status == BVP_OK)
        status = bvpi_ranks_make(spool, d->means, &d->ranks, error);
    if (status != BVP_OK)
        return status;
    d->out->vertex_count = d->ranks.vertex_count;
    bvpi_content_start(&d->hasher, d->ranks.vertex_count, spool->triangle_count, spool->origin);
    status = bvpi_spool_visit(runs, d->means, hash_positions, d, error);
    const double size[3] = {(double)spool->hi[0] - (double)spool->lo[0],
                            (double)spool->hi[1] - (double)spool->lo[1],
                            (double)spool->hi[2] - (double)spool->lo[2]};
    if (status == BVP_OK)
        status = bvpi_stray_search_start(spool->triangle_count, size, d->stray_samples, &d->strays,
                                         error);
    if (status == BVP_OK)
        status = bvpi_rank_cursor_start(&d->ranks, &d->cursor, error);
    if (status == BVP_OK)
        status = bvpi_edge_count_new(&d->ranks, spool->triangle_count, d->means, &d->edges, error);
    if (status == BVP_OK)
        status = bvpi_spool_visit(runs, d->means, hash_indices, d, error);
    if (status == BVP_OK && keep_ids && !spool->ids_are_plain)
        status = bvpi_spool_visit(runs, d->means, hash_ids, d, error);
    if (status == BVP_OK)
        status = bvpi_edge_count_end(d->edges, &d->out->defects, error);
    bvpi_content_end(&d->hasher, d->out->content_hash);
    if (d->strays)
        d->out->stray_count = bvpi_stray_search_end(d->strays, &d->out->stray_factor);
    return status == BVP_OK ? choose_grid(d, error) : status;
}

bvp_status bvpi_describe(const bvpi_spool *spool, bool keep_ids, const bvpi_large_means *means,
                         bvpi_description *out, bvp_error *error)
{
    assert(spool->triangle_count >= BVPI_DESCRIBE_MIN);
    *out = (bvpi_description){.vertex_count = 0};
    describing *d = bvpi_allocate(1, sizeof *d);
    if (!d)
        return bvpi_error_memory(error, sizeof *d);
    *d = (describing){.spool = spool, .means = means, .out = out, .ranks.repeats = BVPI_NO_SCRATCH};
    const bvp_status status = describe(d, keep_ids, error);
    bvpi_rank_cursor_end(&d->cursor);
    bvpi_edge_count_free(d->edges);
    bvpi_ranks_close(&d->ranks);
    free(d->strays);
    free(d->turn_corners);
    free(d->turn_indices);
    free(d);
    return status;
}
