/* SPDX-License-Identifier: MIT
 * edge_keys.h: the edges of triangles as keys. Sorting the keys of one vertex brings equal edges
 * together, and triangles with the same three corners.
 */
#ifndef BVPI_PACK_MESH_EDGE_KEYS_H
#define BVPI_PACK_MESH_EDGE_KEYS_H

#include "pack/mesh/defects.h"

#include <assert.h>

/* An edge, in the bucket of its smaller vertex. The key is made of the other vertex (upper half)
 * and the third corner of its triangle (lower half). */
typedef struct bvpi_edge_key {
    uint32_t vertex;
    uint64_t key;
} bvpi_edge_key;

static inline uint64_t bvpi_edge_key_of(uint32_t other, uint32_t third)
{
    return (uint64_t)other << 32 | third;
}

static inline void bvpi_edge_order(const uint32_t index[3], uint32_t out[3])
{
    const uint32_t a = index[0], b = index[1], c = index[2];
    const uint32_t least = a < b ? a : b, most = a > b ? a : b;
    out[0] = least < c ? least : c;
    out[2] = most > c ? most : c;
    out[1] = a ^ b ^ c ^ out[0] ^ out[2];
    assert(out[0] <= out[1] && out[1] <= out[2]);
}

/* v: ascending. A triangle with two equal corners has no edges, but may be a duplicate. It gets one
 * key, which leads to its own vertex or to the third corner. */
static inline bool bvpi_edge_exists(const uint32_t v[3])
{
    return v[0] != v[1] && v[1] != v[2];
}

/* A triangle's keys; returns how many. */
static inline uint32_t bvpi_edge_keys(const uint32_t index[3], bvpi_edge_key out[3])
{
    uint32_t v[3];
    bvpi_edge_order(index, v);
    out[0] = (bvpi_edge_key){v[0], bvpi_edge_key_of(v[1], v[2])};
    if (!bvpi_edge_exists(v))
        return 1;
    out[1] = (bvpi_edge_key){v[0], bvpi_edge_key_of(v[2], v[1])};
    out[2] = (bvpi_edge_key){v[1], bvpi_edge_key_of(v[2], v[0])};
    return 3;
}

/* Sorts one vertex's keys, and adds what they tell to *out. */
void bvpi_count_edges(uint64_t *keys, uint64_t count, uint32_t vertex, bvpi_defects *out);

#endif
