/* SPDX-License-Identifier: MIT
 * weld.h: which vertices are the same, bit for bit.
 */
#ifndef BVPI_BUILD_WELD_H
#define BVPI_BUILD_WELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Vertices in the caller's memory, at any alignment. */
typedef struct bvpi_vertices {
    const uint8_t *data;
    size_t stride; /* bytes from one to the next */
    size_t size;   /* bytes that are compared: 12 or 24 */
    uint32_t count;
} bvpi_vertices;

/* first[i]: the smallest j whose vertex has the same bits as vertex i. False: out of memory.
 * expected: a guess of how many differ; a wrong one costs time only. */
bool bvpi_find_first(const bvpi_vertices *vertices, uint32_t expected, uint32_t thread_count,
                     uint32_t *first);
/* A good guess for a soup of so many corners: six triangles meet in most vertices. */
static inline uint32_t bvpi_expected_in_soup(uint64_t corner_count)
{
    return (uint32_t)(corner_count / 5);
}

/* Numbers the vertices that `indices` (NULL: 0, 1, 2 ...) uses in the order of their first use.
 * first: as above; it is overwritten. indices_out[k]: new number of corner k; may be `indices`, or,
 * without indices, `first`. positions_out: dense, in the new order, room for all. Returns how many;
 * UINT32_MAX: out of memory. */
uint32_t bvpi_renumber(const bvpi_vertices *vertices, const uint32_t *indices,
                       uint64_t corner_count, uint32_t *first, uint32_t *indices_out,
                       uint8_t *positions_out);

#endif
