/* SPDX-License-Identifier: MIT
 * axis_codes_kernel.h: what axis_codes.c does for each axis. Every instruction set gives the same
 * result.
 */
#ifndef BVPI_PACK_MESH_AXIS_CODES_KERNEL_H
#define BVPI_PACK_MESH_AXIS_CODES_KERNEL_H

#include "pack/mesh/axis_codes.h"

typedef struct bvpi_axis_kernel {
    /* As bvpi_pack_axis. values: room for 256; what is behind the last one is overwritten. */
    void (*pack)(float *values, uint32_t count, bool raw, bvpi_packed_axis *out);
} bvpi_axis_kernel;

extern const bvpi_axis_kernel bvpi_axis_kernel_base, bvpi_axis_kernel_avx2;

#endif
