/* SPDX-License-Identifier: MIT
 * large_array.h: large arrays, of the builder and of broad phases.
 */
#ifndef BVPI_BASE_LARGE_ARRAY_H
#define BVPI_BASE_LARGE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Aligned to 64 bytes, to be freed; the size is never 0. NULL: out of memory. */
void *bvpi_allocate(uint64_t count, size_t size);

#endif
