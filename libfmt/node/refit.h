/* SPDX-License-Identifier: MIT
 * refit.h: what changes when a part is deformed: its boxes, and those of its instances.
 * Spec: format.md, chapter "Deformed parts"
 */
#ifndef BVPI_NODE_REFIT_H
#define BVPI_NODE_REFIT_H

#include "format/record.h"
#include "node/grid.h"
#include "prim/place_bounds.h"

#include <string.h>

/* A writable view of bytes of an overlay. */
static inline uint8_t *bvpi_overlay(const bvp_file *file, const uint8_t *data)
{
    return file->overlay + (data - file->base);
}

/* Stores `size` bytes if they differ: a page whose bytes do not change stays shared. */
static inline void bvpi_overlay_store(const bvp_file *file, const uint8_t *at, const void *bytes,
                                      size_t size)
{
    if (memcmp(at, bytes, size) != 0)
        memcpy(bvpi_overlay(file, at), bytes, size);
}

/* content_hash of a deformed part: over its triangles and coordinates as stored. */
void bvpi_shape_hash(const bvpi_part *part, uint8_t hash[16]);

/* Writes a hierarchy's grid and cost into its record. */
bvp_status bvpi_refit_record(bvp_file *file, uint32_t hierarchy, const bvpi_grid *grid,
                             double area_cost);

/* Computes the world bounds for `part` having the box lo .. hi. Writes nothing. BVP_ERR_ARGUMENT:
 * an instance would leave the format's range. */
bvp_status bvpi_refit_world(const bvp_file *file, uint32_t part, const float lo[3],
                            const float hi[3], bvpi_bounds *out);

/* Recomputes all boxes of the hierarchies over the instances from the parts' records, and sets the
 * world bounds to `world`. */
bvp_status bvpi_refit_top(bvp_file *file, const bvpi_bounds *world);

#endif
