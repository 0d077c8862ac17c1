/* SPDX-License-Identifier: MIT
 * sets.h: deals the triangles of a large mesh to sets that fit in memory, each of several batches.
 */
#ifndef BVPI_PACK_LARGE_SETS_H
#define BVPI_PACK_LARGE_SETS_H

#include "node/grid.h"
#include "pack/large/spool.h"
#include "pack/tree/sample.h"

/* Triangles that are near one another: those of the batches `first_leaf` and following. */
typedef struct bvpi_set {
    uint32_t first_leaf, leaf_count;
    uint64_t first, triangle_count; /* in the order of the batches */
    uint64_t *runs;                 /* owned; their numbers in bvpi_sets.runs */
    uint64_t run_count, run_capacity;
} bvpi_set;

typedef struct bvpi_sets {
    bvpi_run_file runs;
    bvpi_set *sets; /* owned */
    uint32_t set_count;
    bvpi_sample_tree tree; /* owned; its leaves are batches, with box, first and count of all
                              triangles */
} bvpi_sets;

/* most: of a batch. The tree is that of bvpi_batches_make, whatever the memory. The spool's runs
 * are given back as they are dealt. The caller closes *out in either case. */
bvp_status bvpi_sets_make(const bvpi_spool *spool, const bvpi_grid *grid, uint32_t most,
                          const bvpi_large_means *means, bvpi_sets *out, bvp_error *error);
void bvpi_sets_close(bvpi_sets *sets);

/* A set's triangles in the stream's order, with all their vertices, welded. */
typedef struct bvpi_set_mesh {
    bvpi_mesh mesh;        /* owns its arrays */
    uint32_t *batch_of;    /* owned; of each triangle: its leaf, counted from the set's first */
    uint32_t *counts;      /* owned; of each leaf of the set: its triangles */
    bvpi_batch_box *boxes; /* owned; of each: their box */
} bvpi_set_mesh;

bvp_status bvpi_set_load(const bvpi_sets *sets, const bvpi_grid *grid, uint32_t idx,
                         const bvpi_large_means *means, bvpi_set_mesh *out, bvp_error *error);
void bvpi_set_mesh_free(bvpi_set_mesh *mesh);

#endif
