/* SPDX-License-Identifier: MIT
 * vertex_hash.h: a hash of a vertex's bits, for tables of vertices (base/hash_table.h).
 */
#ifndef BVPI_PACK_MESH_VERTEX_HASH_H
#define BVPI_PACK_MESH_VERTEX_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bvpi_mix(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio */
    return x ^ x >> 32;
}

static inline uint64_t bvpi_word_at(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* size: 12 or 24. Half of the last mixture: the half that depends on all bits. */
static inline uint32_t bvpi_hash_vertex(const uint8_t *vertex, size_t size)
{
    uint32_t z;
    if (size == 12) {
        memcpy(&z, vertex + 8, sizeof z);
        return (uint32_t)(bvpi_mix(bvpi_mix(bvpi_word_at(vertex)) + z) >> 32);
    }
    const uint64_t first = bvpi_mix(bvpi_mix(bvpi_word_at(vertex)) + bvpi_word_at(vertex + 8));
    return (uint32_t)(bvpi_mix(first + bvpi_word_at(vertex + 16)) >> 32);
}

#endif
