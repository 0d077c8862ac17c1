/* SPDX-License-Identifier: MIT
 * large_wide.h: the 8-wide hierarchy of a mesh that is not in memory.
 * Spec: format.md, chapters "Hierarchies", "Nodes"
 */
#ifndef BVPI_PACK_LARGE_LARGE_WIDE_H
#define BVPI_PACK_LARGE_LARGE_WIDE_H

#include "pack/large/sets.h"
#include "pack/tree/wide_tree.h"

/* What the batches of such a hierarchy point to: temporary files, mapped. */
typedef struct bvpi_batch_store {
    bvpi_scratch bytes, ids, wide, records;
} bvpi_batch_store;

void bvpi_batch_store_close(bvpi_batch_store *store);

/* kept: what of the mesh is stored (has_ids, is_deformable); it has no arrays. spec: complete. The
 * result is that of bvpi_wide_make, but that out->batches point to *store; the array itself is the
 * caller's to free. The caller frees *out and closes *store in either case. */
bvp_status bvpi_large_wide_make(const bvpi_spool *spool, const bvpi_mesh *kept,
                                const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                                const bvpi_large_means *means, bvpi_wide_build *out,
                                bvpi_batch_store *store, bvp_error *error);

/* Builds the sets index - 1, index - 1 + count ... of the state, in which all are dealt, for
 * another process that makes the whole. triangle_count: of the mesh. */
bvp_status bvpi_large_wide_share(uint64_t triangle_count, const bvpi_mesh *kept,
                                 const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                                 const bvpi_large_means *means, uint32_t index, uint32_t count,
                                 bvp_error *error);

#endif
