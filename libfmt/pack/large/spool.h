/* SPDX-License-Identifier: MIT
 * spool.h: takes a stream of triangles in: checked, rebased, as runs in a temporary file.
 */
#ifndef BVPI_PACK_LARGE_SPOOL_H
#define BVPI_PACK_LARGE_SPOOL_H

#include "bvpack_build.h"
#include "pack/large/run.h"
#include "pack/mesh/mesh.h"
#include "pack/work.h"

typedef struct bvpi_large_state bvpi_large_state; /* state.h */

/* What the passes over a large mesh may take. */
typedef struct bvpi_large_means {
    const char *folder;      /* of the temporary files */
    bvpi_large_state *state; /* NULL: they have no names, and no later call goes on with them */
    uint64_t memory;         /* bytes, about */
    uint32_t thread_count;
    uint32_t group;    /* runs that are in memory at once, 1 .. BVPI_RUN_GROUP */
    uint32_t run_size; /* triangles in a run, at most BVPI_RUN_TRIANGLES */
    bvpi_watch *watch;
} bvpi_large_means;

/* A mesh on disk. The triangles are in the stream's order. */
typedef struct bvpi_spool {
    bvpi_run_file runs;      /* of floats */
    uint64_t triangle_count; /* in the runs; may be 0 */
    uint64_t vertex_count;   /* of all runs: a vertex counts in each that has it */
    uint64_t dropped_count;
    bool ids_are_plain; /* 0, 1, 2 ... */
    double origin[3], rounding_error;
    float lo[3], hi[3]; /* no -0 */
} bvpi_spool;

/* Reads the stream to its end. Corners that are not finite are refused, or dropped where asked. The
 * caller closes *out in either case. */
bvp_status bvpi_spool_take(const bvp_triangle_stream *stream, bool drop_invalid,
                           const bvpi_large_means *means, bvpi_spool *out, bvp_error *error);
void bvpi_spool_close(bvpi_spool *spool);

/* Opens a temporary file; `name` and size count where there is a state, see bvpi_scratch_open. */
bvp_status bvpi_large_file(const bvpi_large_means *means, const char *name, uint64_t size,
                           bvpi_scratch *out, bvp_error *error);

/* Calls `visit` for each run in order, in groups of runs that are read on several threads. */
typedef bvp_status bvpi_visit_runs(void *user, bvpi_run *runs, uint64_t first, uint32_t count,
                                   bvp_error *error);
bvp_status bvpi_spool_visit(const bvpi_run_file *file, const bvpi_large_means *means,
                            bvpi_visit_runs *visit, void *user, bvp_error *error);

/* The run as a mesh: until the run is freed. */
static inline bvpi_mesh bvpi_run_mesh(const bvpi_run *run)
{
    return (bvpi_mesh){.positions = (const float *)(const void *)run->positions,
                       .indices = run->indices,
                       .ids = run->ids,
                       .vertex_count = run->vertex_count,
                       .triangle_count = run->triangle_count};
}

#endif
