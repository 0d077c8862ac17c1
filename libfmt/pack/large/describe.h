/* SPDX-License-Identifier: MIT
 * describe.h: what a part's record says of its mesh, for a mesh that is not in memory, and the grid
 * of its hierarchy.
 */
#ifndef BVPI_PACK_LARGE_DESCRIBE_H
#define BVPI_PACK_LARGE_DESCRIBE_H

#include "node/grid.h"
#include "pack/large/spool.h"
#include "pack/mesh/defects.h"

typedef struct bvpi_description {
    uint64_t vertex_count; /* different ones */
    uint8_t content_hash[16];
    bvpi_defects defects;
    uint64_t stray_count;
    double stray_factor;
    bvpi_grid grid; /* turned where that pays */
} bvpi_description;

/* keep_ids: the part has source numbers. The spool must have BVPI_DESCRIBE_MIN triangles. */
enum { BVPI_DESCRIBE_MIN = 1 << 12 };
bvp_status bvpi_describe(const bvpi_spool *spool, bool keep_ids, const bvpi_large_means *means,
                         bvpi_description *out, bvp_error *error);

#endif
