/* SPDX-License-Identifier: MIT
 * batches.h: sets of triangles that are built independently, and the hierarchy above them.
 */
#ifndef BVPI_PACK_TREE_BATCHES_H
#define BVPI_PACK_TREE_BATCHES_H

#include "pack/mesh/mesh.h"
#include "pack/tree/sah_split.h"
#include "node/grid.h"

typedef struct bvpi_batches {
    uint32_t *triangles; /* numbers of all triangles, batch by batch */
    bvpi_build_node
        *build_nodes; /* a leaf is a batch; node 0 is the root, children come after their parents */
    uint32_t build_node_count, build_node_capacity;
} bvpi_batches;

/* Makes batches of at most `most` triangles. mesh: of more than that. False: out of memory. The
 * caller frees *out in either case. The result does not depend on thread_count. */
bool bvpi_batches_make(const bvpi_mesh *mesh, const bvpi_grid *grid, uint32_t most,
                       uint32_t leaf_size, uint32_t thread_count, bvpi_batches *out);
void bvpi_batches_free(bvpi_batches *batches);

/* Splits the batch of leaf `idx` of out->build_nodes until none has more than `most`. triangles:
 * its numbers in the mesh, which are put in the new batches' order. out->triangles is not used.
 * False: out of memory. */
bool bvpi_batch_split(const bvpi_mesh *mesh, const bvpi_grid *grid, uint32_t most,
                      uint32_t leaf_size, uint32_t thread_count, uint32_t *triangles,
                      bvpi_batches *out, uint32_t idx);

#endif
