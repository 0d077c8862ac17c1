/* SPDX-License-Identifier: MIT
 * sweep.h: what a part sweeps when it turns around its axis, as cylinders along that axis.
 * Spec: exactness.md, chapter 12, "What need not be asked again"
 */
#ifndef BVPI_CLASH_SWEEP_H
#define BVPI_CLASH_SWEEP_H

#include <stdbool.h>

#include "bvpack.h"
#include "clash/part_cache.h"

enum {
    BVPI_SWEEP_SLABS = 8,
    BVPI_SWEEP_TRIANGLES = 2048 /* of parts with more, nothing is found out */
};

/* Part coordinates. However the part turns around the axis, its surface is in the slabs. Heights
 * are along the axis, relative to the centre. */
typedef struct bvpi_sweep {
    bool is_round; /* false: the part does not look as if it had an axis; nothing else is set */
    uint32_t slab_count;
    double centre[3], axis[3];
    double half, radius; /* no point of the part is higher, or farther from the axis */
    double volume;       /* of all slabs */
    struct bvpi_sweep_slab {
        double from, to, radius;
    } slab[BVPI_SWEEP_SLABS];
} bvpi_sweep;

/* The sweep of a part; the cache owns it. */
bvp_status bvpi_sweep_get(bvpi_part_cache *cache, uint32_t part, const bvpi_sweep **out);

/* A sweep in another part's coordinates; axis: about a unit vector. */
typedef struct bvpi_placed_sweep {
    const bvpi_sweep *sweep;
    double centre[3], axis[3];
} bvpi_placed_sweep;

/* sweep_clear.c: is every triangle (9 floats each) of that part farther than `margin` from each
 * slab? True is certain; false may be wrong. */
bool bvpi_sweep_is_clear(const bvpi_placed_sweep *placed, double margin, const float *tris,
                         uint64_t count);

#endif
