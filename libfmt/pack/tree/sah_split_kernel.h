/* SPDX-License-Identifier: MIT
 * sah_split_kernel.h: what sah_split.c does on the items themselves. Every instruction set gives
 * the same result.
 */
#ifndef BVPI_PACK_TREE_SAH_SPLIT_KERNEL_H
#define BVPI_PACK_TREE_SAH_SPLIT_KERNEL_H

#include "pack/tree/sah_split.h"

typedef struct bvpi_split_kernel {
    /* Sets the node's box, around all items. */
    void (*bound)(const bvpi_item *items, uint32_t count, bvpi_build_node *node);
    /* bvpi_split_once */
    void (*once)(bvpi_item *items, uint32_t leaf_size, const bvpi_build_node *node,
                 bvpi_build_node *left, bvpi_build_node *right);
} bvpi_split_kernel;

extern const bvpi_split_kernel bvpi_split_kernel_base, bvpi_split_kernel_avx2;

#endif
