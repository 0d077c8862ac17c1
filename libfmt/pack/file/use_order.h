/* SPDX-License-Identifier: MIT
 * use_order.h: records of a table by how often they are used; of equals the lower number first.
 */
#ifndef BVPI_PACK_FILE_USE_ORDER_H
#define BVPI_PACK_FILE_USE_ORDER_H

#include <stdint.h>

typedef struct bvpi_use {
    uint32_t number, uses;
} bvpi_use;

/* For qsort, of bvpi_use. */
int bvpi_most_used_first(const void *left, const void *right);
int bvpi_most_used_last(const void *left, const void *right);

#endif
