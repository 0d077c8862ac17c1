/* SPDX-License-Identifier: MIT
 * edge_keys.c: counts equal edges and equal triangles among the keys of one vertex.
 *
 * One key of its kind is an open edge, three or more are a non-manifold edge. Equal keys are the
 * same edge of triangles with the same three corners: duplicates. Each triangle is counted once
 * there, by the key whose third corner is not before the other vertex.
 *
 * Slow twin: a plain count of all edges, tests/unit/test_defects.c.
 */
#include "pack/mesh/edge_keys.h"

enum { INSERTION_MAX = 24 };

static void sift(uint64_t *keys, uint64_t root, uint64_t count)
{
    for (uint64_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && keys[child] < keys[child + 1])
            child++;
        if (keys[root] >= keys[child])
            return;
        const uint64_t swapped = keys[root];
        keys[root] = keys[child];
        keys[child] = swapped;
    }
}

/* Heapsort for the rare large bucket of a vertex with many triangles, so that none is worse than n
 * log n. */
static void sort_keys(uint64_t *keys, uint64_t count)
{
    if (count <= INSERTION_MAX) {
        for (uint64_t i = 1; i < count; i++) {
            const uint64_t key = keys[i];
            uint64_t k = i;
            for (; k > 0 && keys[k - 1] > key; k--)
                keys[k] = keys[k - 1];
            keys[k] = key;
        }
        return;
    }
    for (uint64_t i = count / 2; i-- > 0;)
        sift(keys, i, count);
    for (uint64_t end = count - 1; end > 0; end--) {
        const uint64_t swapped = keys[0];
        keys[0] = keys[end];
        keys[end] = swapped;
        sift(keys, 0, end);
    }
}

/* Exactly one of a triangle's keys has its third corner
 * not before the other vertex; that key stands for the triangle. */
void bvpi_count_edges(uint64_t *keys, uint64_t count, uint32_t vertex, bvpi_defects *out)
{
    sort_keys(keys, count);
    for (uint64_t i = 0; i < count;) {
        const uint32_t other = (uint32_t)(keys[i] >> 32);
        uint64_t edges = 0, last = UINT64_MAX; /* not a valid key: its vertex does not exist */
        for (; i < count && keys[i] >> 32 == other; last = keys[i++]) {
            const uint32_t third = (uint32_t)keys[i];
            edges += third != other;
            out->duplicate_count += keys[i] == last && third >= other;
        }
        out->open_edge_count += edges == 1 && other != vertex;
        out->nonmanifold_edge_count += edges > 2 && other != vertex;
    }
}
