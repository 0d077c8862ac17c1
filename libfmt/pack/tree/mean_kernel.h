/* SPDX-License-Identifier: MIT
 * mean_kernel.h: what partition.c does on the items for rule "mean". Every instruction set gives
 * the same result.
 */
#ifndef BVPI_PACK_TREE_MEAN_KERNEL_H
#define BVPI_PACK_TREE_MEAN_KERNEL_H

#include "pack/mesh/mesh.h"
#include "pack/tree/sah_split.h"

typedef struct bvpi_mean_kernel {
    /* Moves the triangles whose centroids lie below the surface's mean along the axis to the front.
     * Returns their number. */
    uint32_t (*cut)(bvpi_item *items, uint32_t count, const bvpi_mesh *mesh, const double axis[3]);
} bvpi_mean_kernel;

extern const bvpi_mean_kernel bvpi_mean_kernel_base, bvpi_mean_kernel_avx2;

#endif
