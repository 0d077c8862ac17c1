/* SPDX-License-Identifier: MIT
 * key_sort.h: growing lists of 64-bit keys, and sorting them.
 */
#ifndef BVPI_BROAD_KEY_SORT_H
#define BVPI_BROAD_KEY_SORT_H

#include <stdint.h>

/* An array from malloc; zero-initialise. */
typedef struct bvpi_keys {
    uint64_t *items;
    uint64_t count, capacity;
} bvpi_keys;

/* Sorts by the bits from `first_bit` on, a multiple of 8; keys that agree in them keep their order.
 * scratch: `count` keys. O(count) for each byte in which keys differ. */
void bvpi_sort_keys(uint64_t *keys, uint64_t count, unsigned first_bit, uint64_t *scratch);

#endif
