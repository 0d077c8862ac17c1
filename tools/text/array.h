/* SPDX-License-Identifier: MIT
 * array.h: the only growing array of the program.
 */
#ifndef ARRAY_H
#define ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Of the array's memory, if it is large, pages should be large ones: there are then fewer to get.
 */
static inline void large_advise(void *data, size_t size)
{
#ifdef MADV_HUGEPAGE
    enum { PAGE = 4096, LARGE = 8 << 20 };
    const uintptr_t begin = ((uintptr_t)data + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = ((uintptr_t)data + size) / PAGE * PAGE;
    if (data && size >= LARGE)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)data;
    (void)size;
#endif
}

/* malloc, of what may be large. */
static inline void *large_malloc(size_t size)
{
    void *data = malloc(size > 0 ? size : 1);
    large_advise(data, size);
    return data;
}

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
