/* SPDX-License-Identifier: MIT
 * edge_count.h: open edges, non-manifold edges and duplicate triangles of a mesh in runs.
 */
#ifndef BVPI_PACK_LARGE_EDGE_COUNT_H
#define BVPI_PACK_LARGE_EDGE_COUNT_H

#include "pack/large/vertex_ranks.h"
#include "pack/mesh/defects.h"

typedef struct bvpi_edge_count bvpi_edge_count;

bvp_status bvpi_edge_count_new(const bvpi_ranks *ranks, uint64_t triangle_count,
                               const bvpi_large_means *means, bvpi_edge_count **out,
                               bvp_error *error);
void bvpi_edge_count_free(bvpi_edge_count *count);
/* Runs first .. first + count - 1, all of them once, in order. numbers: of each run's vertices in
 * the mesh. */
bvp_status bvpi_edge_count_add(bvpi_edge_count *c, const bvpi_run *runs, uint64_t first,
                               uint32_t count, uint32_t *const *numbers, bvp_error *error);
/* After all runs. */
bvp_status bvpi_edge_count_end(bvpi_edge_count *c, bvpi_defects *out, bvp_error *error);

#endif
