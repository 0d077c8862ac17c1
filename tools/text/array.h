/* SPDX-License-Identifier: MIT
 * array.h: the only growing array of the program.
 */
#ifndef ARRAY_H
#define ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `wanted` elements in an array from malloc, or NULL of capacity 0; what it has
 * stays. array: the address of the pointer to it. 0, or -1: there is no memory, and nothing has
 * changed. Amortised O(1) an element. */
static inline int array_grow(void *array, size_t *capacity, size_t wanted, size_t element_size)
{
    void *data;
    if (wanted <= *capacity)
        return 0;
    size_t larger = *capacity < 16 ? 16 : *capacity * 2;
    if (larger < wanted)
        larger = wanted;
    if (larger > SIZE_MAX / 2 / element_size)
        return -1;
    memcpy(&data, array, sizeof data);
    data = realloc(data, larger * element_size);
    if (!data)
        return -1;
    memcpy(array, &data, sizeof data);
    *capacity = larger;
    return 0;
}

#endif
