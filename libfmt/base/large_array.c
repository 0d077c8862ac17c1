/* SPDX-License-Identifier: MIT
 * large_array.c: large arrays ask the system for large pages, which saves page faults and TLB
 * misses.
 * Measured: decisions.md, "Building"
 */
#include "base/large_array.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { LARGE = 1 << 22, LARGE_PAGE = 1 << 21 };

void *bvpi_allocate(uint64_t count, size_t size)
{
    if (count > SIZE_MAX / 2 / size)
        return NULL;
    const uint64_t wanted = count * size;
    const uint64_t alignment = wanted >= LARGE ? LARGE_PAGE : 64;
    const uint64_t bytes =
        (wanted + alignment) & ~(alignment - 1); /* C11: must be a multiple of the alignment */
    void *array = aligned_alloc(alignment, bytes);
#ifdef MADV_HUGEPAGE
    if (array && wanted >= LARGE) /* only advice: failure does not matter */
        madvise(array, bytes, MADV_HUGEPAGE);
#endif
    return array;
}
