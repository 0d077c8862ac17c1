/* SPDX-License-Identifier: MIT
 * refit.h: what moves when a part is deformed: its boxes, and those of the instances that show it.
 * Spec: format.md, chapter "Deformed parts".
 */
#ifndef BVPI_NODE_REFIT_H
#define BVPI_NODE_REFIT_H

#include "format/map.h"
#include "node/grid.h"
#include "prim/place_bounds.h"

#include <string.h>

/* A writable view of bytes of an overlay. */
static inline uint8_t *bvpi_overlay(const bvp_file *file, const uint8_t *data)
{
    return file->overlay + (data - file->base);
}

/* Stores `size` bytes where they differ: a page that keeps its bytes stays shared. */
static inline void bvpi_overlay_store(const bvp_file *file, const uint8_t *at, const void *bytes,
                                      size_t size)
{
    if (memcmp(at, bytes, size) != 0)
        memcpy(bvpi_overlay(file, at), bytes, size);
}

/* content_hash of a part that has been deformed: of its triangles and coordinates as they are
 * stored. */
void bvpi_shape_hash(const bvpi_part *part, uint8_t hash[16]);

/* Writes a hierarchy's grid and cost into its record. */
bvp_status bvpi_refit_record(bvp_file *file, uint32_t hierarchy, const bvpi_grid *grid,
                             double area_cost);

/* What the world's bounds become when `part` gets the box lo .. hi. Writes nothing.
 * BVP_ERR_ARGUMENT: an instance would leave the format's range. */
bvp_status bvpi_refit_world(const bvp_file *file, uint32_t part, const float lo[3],
                            const float hi[3], bvpi_bounds *out);

/* All boxes of the hierarchy over the instances anew, from the parts' records; the world's bounds
 * are `world`. */
bvp_status bvpi_refit_top(bvp_file *file, const bvpi_bounds *world);

#endif
