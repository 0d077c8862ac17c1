/* SPDX-License-Identifier: MIT
 * growing_array.h: makes room in a growing array, of elements of any size.
 */
#ifndef BVPI_BASE_GROWING_ARRAY_H
#define BVPI_BASE_GROWING_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `wanted` elements in an array from malloc, or NULL of capacity 0; what it has
 * stays. array: the address of the pointer to it. False: there is no memory, and nothing has
 * changed. Amortised O(1) an element. */
static inline bool bvpi_grow(void *array, uint64_t *capacity, uint64_t wanted, size_t element_size)
{
    void *data;
    if (wanted <= *capacity)
        return true;
    uint64_t larger = *capacity + *capacity / 2 + 16;
    if (larger < wanted)
        larger = wanted;
    if (larger > SIZE_MAX / element_size)
        return false;
    memcpy(&data, array, sizeof data);
    data = realloc(data, larger * element_size);
    if (!data)
        return false;
    memcpy(array, &data, sizeof data);
    *capacity = larger;
    return true;
}

#endif
