/* SPDX-License-Identifier: MIT
 * caller_array.h: elements of the caller's arrays, bvp_array and bvp_const_array.
 */
#ifndef BVPI_QUERY_BODY_CALLER_ARRAY_H
#define BVPI_QUERY_BODY_CALLER_ARRAY_H

#include <assert.h>
#include <stdbool.h>

#include "bvpack.h"

/* Are both arrays there, and is there room for an answer to each question? */
static inline bool bvpi_arrays_match(const bvp_const_array *asked, const bvp_array *answers)
{
    return asked->count <= answers->count &&
           (asked->count == 0 || (asked->base != NULL && answers->base != NULL));
}

/* Element `idx`; `size` is its size, the stride of a densely packed array. */
static inline const void *bvpi_const_element(const bvp_const_array *array, size_t size, size_t idx)
{
    assert(idx < array->count);
    return (const char *)array->base + idx * (array->stride != 0 ? array->stride : size);
}

static inline void *bvpi_element(const bvp_array *array, size_t size, size_t idx)
{
    assert(idx < array->count);
    return (char *)array->base + idx * (array->stride != 0 ? array->stride : size);
}

#endif
