/* SPDX-License-Identifier: MIT
 * welded.c: tells whether a mesh is welded already, as importers leave it.
 *
 * Such a mesh is built in the caller's memory, which saves a copy of it. First the order is looked
 * at, which needs no memory and ends early for most others. Then all vertices are entered in hash
 * tables. There is a table for each of up to SHARE_MAX values of the hash's lowest bits, and a
 * thread works at one of them at a time, passing over all vertices: so no table is as large as all
 * of them together, and equal vertices meet in one table.
 *
 * Held by tests/unit/test_weld.c: whatever it says yes to, welding leaves as it is, and only that.
 * Measured: decisions.md, "Memory of a build"
 */
#include "pack/mesh/welded.h"

#include "base/hash_table.h"
#include "base/large_array.h"
#include "base/parallel.h"
#include "pack/mesh/vertex_hash.h"

#include <assert.h>
#include <stdlib.h>

enum {
    CORNER_PIECE = 1 << 18,
    BLOCK = 64,
    SHARE_MAX = 16,
    SHARE_MOST = 1 << 20,  /* vertices of a share, if there are less than SHARE_MAX */
    SHARE_LEAST = 1 << 13, /* a smaller share is not worth a thread */
};

/* ---- the order of first use ------------------------------------------------------------------ */

typedef struct ordering {
    const uint32_t *indices;
    uint64_t count;
    uint32_t *next; /* for each piece: one more than its largest index; then than the largest before
                       it */
    uint32_t is_unordered; /* atomic */
} ordering;

static uint64_t end_of(const ordering *o, uint64_t begin)
{
    return o->count - begin < CORNER_PIECE ? o->count : begin + CORNER_PIECE;
}

static void find_largest(void *user, uint32_t piece)
{
    const ordering *o = user;
    const uint64_t begin = (uint64_t)piece * CORNER_PIECE, end = end_of(o, begin);
    uint32_t most = 0;
    for (uint64_t k = begin; k < end; k++)
        most = o->indices[k] > most ? o->indices[k] : most;
    o->next[piece] = most + 1;
}

static void check_order(void *user, uint32_t piece)
{
    ordering *o = user;
    const uint64_t begin = (uint64_t)piece * CORNER_PIECE, end = end_of(o, begin);
    uint32_t next = o->next[piece];
    bool is_ordered = true;
    for (uint64_t k = begin; k < end && is_ordered; k++) {
        is_ordered = o->indices[k] <= next;
        next += o->indices[k] == next;
    }
    if (!is_ordered)
        __atomic_store_n(&o->is_unordered, 1, __ATOMIC_RELAXED);
}

/* Do all numbers below `count` occur, each for the first time in its turn? */
static bool is_in_order(ordering *o, uint32_t thread_count, uint32_t count)
{
    const uint32_t pieces = (uint32_t)((o->count + CORNER_PIECE - 1) / CORNER_PIECE);
    uint32_t next = 0;
    bvpi_parallel(thread_count, pieces, find_largest, o);
    for (uint32_t p = 0; p < pieces; p++) {
        const uint32_t before = next;
        next = o->next[p] > next ? o->next[p] : next;
        o->next[p] = before;
    }
    bvpi_parallel(thread_count, pieces, check_order, o);
    return !o->is_unordered && next == count;
}

/* ---- equal vertices -------------------------------------------------------------------------- */

typedef struct searching {
    const bvpi_vertices *vertices;
    uint32_t share_count; /* a power of two */
    uint32_t is_found;    /* atomic: two are equal */
    uint32_t failed;      /* atomic */
} searching;

typedef struct wanted {
    const bvpi_vertices *vertices;
    const uint8_t *vertex;
} wanted;

static inline bool is_same(const void *user, uint32_t number)
{
    const wanted *w = user;
    return memcmp(bvpi_vertex_at(w->vertices, number), w->vertex, w->vertices->size) == 0;
}

static void search_share(void *user, uint32_t share)
{
    searching *s = user;
    const bvpi_vertices *v = s->vertices;
    bvpi_hash_table table = {.slots = NULL};
    bool ok = bvpi_hash_reserve(&table, v->count / s->share_count + BLOCK), is_found = false;
    for (uint32_t begin = 0; begin < v->count && ok && !is_found; begin += BLOCK) {
        const uint32_t size = v->count - begin < BLOCK ? v->count - begin : BLOCK;
        uint32_t hashes[BLOCK], numbers[BLOCK], count = 0;
        const uint8_t *vertex = bvpi_vertex_at(v, begin);
        for (uint32_t k = 0; k < size; k++, vertex += v->stride) {
            const uint32_t hash = bvpi_hash_vertex(vertex, v->size);
            hashes[count] = hash;
            numbers[count] = begin + k;
            count += (hash & (s->share_count - 1)) == share;
        }
        for (uint32_t k = 0; k < count; k++)
            __builtin_prefetch(bvpi_hash_home(&table, hashes[k]));
        for (uint32_t k = 0; k < count; k++) {
            const wanted w = {v, bvpi_vertex_at(v, numbers[k])};
            is_found |= bvpi_hash_enter(&table, hashes[k], numbers[k], is_same, &w) != numbers[k];
        }
        ok = bvpi_hash_reserve(&table, table.count + BLOCK);
        if (v->count - begin <= BLOCK) /* begin + BLOCK may exceed 32 bits */
            break;
        is_found = is_found || __atomic_load_n(&s->is_found, __ATOMIC_RELAXED) != 0;
    }
    bvpi_hash_free(&table);
    if (is_found)
        __atomic_store_n(&s->is_found, 1, __ATOMIC_RELAXED);
    if (!ok)
        __atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
}

/* Enough shares for the threads and for small tables. */
static uint32_t count_shares(uint32_t vertex_count, uint32_t thread_count)
{
    uint32_t count = 1;
    while (count < SHARE_MAX && (vertex_count / count > SHARE_MOST ||
                                 (count < thread_count && vertex_count / count > SHARE_LEAST)))
        count *= 2;
    return count;
}

bool bvpi_is_welded(const bvpi_vertices *vertices, const uint32_t *indices, uint64_t corner_count,
                    uint32_t thread_count, bool *is_welded)
{
    ordering o = {.indices = indices, .count = corner_count};
    searching s = {.vertices = vertices,
                   .share_count = count_shares(vertices->count, thread_count)};
    assert(vertices->triangle_stride == 3 * vertices->stride);
    *is_welded = false;
    o.next = bvpi_allocate(corner_count / CORNER_PIECE + 1, sizeof *o.next);
    if (!o.next)
        return false;
    const bool is_ordered = is_in_order(&o, thread_count, vertices->count);
    free(o.next);
    if (is_ordered)
        bvpi_parallel(thread_count, s.share_count, search_share, &s);
    *is_welded = is_ordered && !s.is_found && !s.failed;
    return !s.failed;
}
