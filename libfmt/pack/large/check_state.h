/* SPDX-License-Identifier: MIT
 * check_state.h: what a folder of a state says, held against what the builder relies on.
 */
#ifndef BVPI_PACK_LARGE_CHECK_STATE_H
#define BVPI_PACK_LARGE_CHECK_STATE_H

#include "pack/large/sets.h"
#include "pack/large/state.h"
#include "pack/tree/cluster_cut.h"

/* Each: false: somebody has changed it. bvpi_changed says so. */
bvp_status bvpi_changed(const bvpi_large_means *means, bvp_error *error);
bool bvpi_check_grid(const bvpi_grid *grid);
/* sets: with numbers of nodes, leaves, sets and runs that the file has room for. */
bool bvpi_check_sets(const bvpi_sets *sets, const bvpi_grid *grid, uint64_t triangle_count,
                     uint64_t file_size);
/* The batch's own numbers, without its arrays; triangle_count: what it must have. */
bool bvpi_check_batch(const bvpi_batch *batch, uint32_t triangle_count);
/* And its arrays. */
bool bvpi_check_arrays(const bvpi_batch *batch);

#endif
