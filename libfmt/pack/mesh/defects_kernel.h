/* SPDX-License-Identifier: MIT
 * defects_kernel.h: what defects.c does for most vertices. Every instruction set gives the same
 * result.
 */
#ifndef BVPI_PACK_MESH_DEFECTS_KERNEL_H
#define BVPI_PACK_MESH_DEFECTS_KERNEL_H

#include <stdint.h>

enum { BVPI_BUCKET_MAX = 8 }; /* keys of a vertex that are looked at at once */

typedef struct bvpi_defects_kernel {
    /* Passes the vertices from `vertex` on, below `last`, that have no defect. Their keys are
     * keys[*begin] .. keys[ends[vertex] - 1], in any order; BVPI_BUCKET_MAX more must be readable.
     * Returns the first vertex whose keys have to be counted, or `last`; *begin: where its keys
     * begin. */
    uint32_t (*pass)(const uint64_t *keys, const uint32_t *ends, uint32_t vertex, uint32_t last,
                     uint64_t *begin);
} bvpi_defects_kernel;

extern const bvpi_defects_kernel bvpi_defects_kernel_base, bvpi_defects_kernel_avx2;

#endif
