/* SPDX-License-Identifier: MIT
 * memory.c: large arrays ask for large pages: fewer of them are missed, and fewer are cleared one
 * by one.
 */
#include "build/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { LARGE = 1 << 22, LARGE_PAGE = 1 << 21 };

void *bvpi_allocate(uint64_t count, size_t size)
{
    if (count > SIZE_MAX / size - 64)
        return NULL;
    const uint64_t bytes = (count * size + 64) & ~(uint64_t)63;
    void *array = NULL; /* not aligned_alloc: C11 has its sizes be multiples of the alignment */
    if (posix_memalign(&array, bytes >= LARGE ? LARGE_PAGE : 64, bytes) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (bytes >= LARGE) /* advice: that it may fail does not matter */
        madvise(array, bytes, MADV_HUGEPAGE);
#endif
    return array;
}
