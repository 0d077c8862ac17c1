/* SPDX-License-Identifier: MIT
 * checked.h: offset arithmetic on numbers that a file made up; comparisons are subtractive, so that
 * nothing can wrap.
 */
#ifndef BVPI_BASE_CHECKED_H
#define BVPI_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Are the `length` bytes at `offset` within the first `size` bytes? */
static inline bool bvpi_fits(uint64_t offset, uint64_t length, uint64_t size)
{
    return length <= size && offset <= size - length;
}

/* Each of these returns false, and leaves *out alone, when the result needs more than 64 bits. */
static inline bool bvpi_add(uint64_t a, uint64_t b, uint64_t *out)
{
    if (b > UINT64_MAX - a)
        return false;
    *out = a + b;
    return true;
}

static inline bool bvpi_mul(uint64_t a, uint64_t b, uint64_t *out)
{
    if (a != 0 && b > UINT64_MAX / a)
        return false;
    *out = a * b;
    return true;
}

/* The next multiple of `alignment`, a power of two. */
static inline bool bvpi_align(uint64_t offset, uint64_t alignment, uint64_t *out)
{
    if (offset > UINT64_MAX - (alignment - 1))
        return false;
    *out = (offset + alignment - 1) & ~(alignment - 1);
    return true;
}

#endif
