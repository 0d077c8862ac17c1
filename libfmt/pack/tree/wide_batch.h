/* SPDX-License-Identifier: MIT
 * wide_batch.h: from the triangles of one batch to wide nodes and cluster records.
 * Spec: format.md, chapters "Hierarchies", "Nodes", "Cluster records"
 */
#ifndef BVPI_PACK_TREE_WIDE_BATCH_H
#define BVPI_PACK_TREE_WIDE_BATCH_H

#include "bvpack_build.h"
#include "node/grid.h"
#include "pack/tree/cluster_cut.h"
#include "pack/tree/morton.h"

enum { BVPI_BATCH_TRIANGLES = BVPI_MORTON_MAX }; /* 2 MiB with its boxes and binary nodes */

/* Builds batches, on as many threads as it has workspaces. */
typedef struct bvpi_batch_builder {
    const bvpi_grid *grid;
    uint32_t leaf_size;
    bool is_morton, is_full;
    float node_price;
    struct bvpi_batch_workspace *workspaces; /* owned */
    uint32_t workspace_count;
} bvpi_batch_builder;

/* spec: complete. triangle_count: of the whole mesh. most: of a batch, at most
 * BVPI_BATCH_TRIANGLES. False: out of memory. The caller ends it in either case. */
bool bvpi_batch_builder_start(const bvp_hierarchy_spec *spec, const bvpi_grid *grid,
                              uint64_t triangle_count, uint32_t most, uint32_t thread_count,
                              bvpi_batch_builder *out);
void bvpi_batch_builder_end(bvpi_batch_builder *builder);

/* Builds the batch of `root` from its triangles of the mesh; triangles NULL: from all of them.
 * frame: the root's. order: room for the triangles in stored order, or NULL. False: out of memory;
 * the caller frees *batch in either case. */
bool bvpi_batch_build(const bvpi_batch_builder *builder, const bvpi_mesh *mesh,
                      const bvpi_build_node *root, const uint32_t *triangles,
                      const bvpi_frame *frame, uint32_t *order, bvpi_batch *batch);

#endif
