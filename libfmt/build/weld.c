/* SPDX-License-Identifier: MIT
 * weld.c: hash tables of vertex numbers, one for each thread, which takes the hashes that are its
 * own. A miss of the cache costs as much as hundreds of instructions: hence blocks, whose table
 * entries and vertices are prefetched before they are looked at.
 */
#include "build/weld.h"

#include "base/status.h"
#include "build/thread.h"
#include "bvpack_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 32,
    TABLE_START = 1 << 10,
    TABLE_MAX = 8, /* each thread reads all vertices: more threads would gain nothing */
    SERIAL = 1 << 15
};
#define FREE UINT32_MAX

/* ---- the table ------------------------------------------------------------------------------ */

typedef struct table {
    uint32_t *slots;
    uint64_t mask, used;
} table;

static inline const uint8_t *vertex_at(const bvpi_vertices *v, uint32_t idx)
{
    return v->data + idx * v->stride;
}

static inline uint64_t mix(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

static inline uint64_t hash_vertex(const bvpi_vertices *v, uint32_t idx)
{
    uint64_t words[3] = {0};
    if (v->size == 12) {
        memcpy(words, vertex_at(v, idx), 12);
        return mix(mix(words[0]) + words[1]);
    }
    memcpy(words, vertex_at(v, idx), 24);
    return mix(mix(mix(words[0]) + words[1]) + words[2]);
}

static inline bool same(const bvpi_vertices *v, uint32_t a, uint32_t b)
{
    if (v->size == 12)
        return memcmp(vertex_at(v, a), vertex_at(v, b), 12) == 0;
    return memcmp(vertex_at(v, a), vertex_at(v, b), 24) == 0;
}

/* The number that stands for vertex `idx`: an earlier one with its bits, else itself. */
static inline uint32_t enter(table *t, const bvpi_vertices *v, uint32_t idx, uint64_t hash)
{
    uint64_t at = hash & t->mask;
    while (t->slots[at] != FREE) {
        if (same(v, t->slots[at], idx))
            return t->slots[at];
        at = (at + 1) & t->mask;
    }
    t->slots[at] = idx;
    t->used++;
    return idx;
}

/* Room for `expected` at a load of two thirds, in a power of two of slots. */
static bool make_table(table *t, uint64_t expected)
{
    uint64_t size = TABLE_START;
    while (2 * size < 3 * expected)
        size *= 2;
    t->slots = malloc(size * sizeof *t->slots);
    if (!t->slots)
        return false;
    memset(t->slots, 255, size * sizeof *t->slots);
    t->mask = size - 1;
    t->used = 0;
    return true;
}

/* Moves entries that are known to differ. */
static void move_block(const bvpi_vertices *v, const uint32_t *entries, uint32_t count, table *to)
{
    uint64_t hashes[BLOCK];
    for (uint32_t k = 0; k < count; k++) {
        hashes[k] = hash_vertex(v, entries[k]);
        __builtin_prefetch(&to->slots[hashes[k] & to->mask], 1);
    }
    for (uint32_t k = 0; k < count; k++) {
        uint64_t at = hashes[k] & to->mask;
        while (to->slots[at] != FREE)
            at = (at + 1) & to->mask;
        to->slots[at] = entries[k];
    }
}

/* Room for a block more. */
static bool grow(table *t, const bvpi_vertices *v)
{
    if (3 * (t->used + BLOCK) <= 2 * (t->mask + 1))
        return true;
    table larger;
    uint32_t entries[BLOCK], count = 0;
    if (!make_table(&larger, 2 * (t->used + BLOCK)))
        return false;
    for (uint64_t at = 0; at <= t->mask; at++) {
        if (t->slots[at] == FREE)
            continue;
        entries[count] = t->slots[at];
        __builtin_prefetch(vertex_at(v, entries[count]));
        if (++count == BLOCK) {
            move_block(v, entries, count, &larger);
            count = 0;
        }
    }
    move_block(v, entries, count, &larger);
    larger.used = t->used;
    free(t->slots);
    *t = larger;
    return true;
}

/* ---- finding -------------------------------------------------------------------------------- */

typedef struct search {
    const bvpi_vertices *vertices;
    uint32_t *first;
    uint32_t table_count, expected;
    uint32_t failed; /* atomic */
} search;

/* The table's share of the vertices begin .. end, which are at most a block. */
static void enter_block(const search *s, table *t, uint32_t share, uint32_t begin, uint32_t end)
{
    uint64_t hashes[BLOCK];
    uint32_t own[BLOCK], count = 0;
    for (uint32_t i = begin; i < end; i++) {
        const uint64_t hash = hash_vertex(s->vertices, i);
        own[count] = i;
        hashes[count] = hash;
        count += s->table_count == 1 || (hash >> 40) % s->table_count == share;
    }
    for (uint32_t k = 0; k < count; k++)
        __builtin_prefetch(&t->slots[hashes[k] & t->mask]);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t idx = t->slots[hashes[k] & t->mask];
        if (idx != FREE)
            __builtin_prefetch(vertex_at(s->vertices, idx));
    }
    for (uint32_t k = 0; k < count; k++)
        s->first[own[k]] = enter(t, s->vertices, own[k], hashes[k]);
}

static void search_share(void *user, uint32_t share)
{
    search *s = user;
    const uint32_t count = s->vertices->count;
    table t;
    if (!make_table(&t, s->expected / s->table_count)) {
        __atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    for (uint64_t begin = 0; begin < count; begin += BLOCK) {
        const uint64_t end = begin + BLOCK < count ? begin + BLOCK : count;
        if (!grow(&t, s->vertices)) {
            __atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
            break;
        }
        enter_block(s, &t, share, (uint32_t)begin, (uint32_t)end);
    }
    free(t.slots);
}

bool bvpi_find_first(const bvpi_vertices *vertices, uint32_t expected, uint32_t thread_count,
                     uint32_t *first)
{
    search s = {
        .vertices = vertices, .first = first, .table_count = thread_count, .expected = expected};
    if (s.table_count > TABLE_MAX)
        s.table_count = TABLE_MAX;
    if (vertices->count < SERIAL || s.table_count == 0)
        s.table_count = 1;
    bvpi_parallel(thread_count, s.table_count, search_share, &s);
    return !s.failed;
}

/* ---- numbering ------------------------------------------------------------------------------ */

static inline void copy_vertex(const bvpi_vertices *v, uint32_t idx, uint32_t number,
                               uint8_t *positions_out)
{
    memcpy(positions_out + (uint64_t)number * v->size, vertex_at(v, idx), v->size);
}

/* Every corner has a vertex of its own, and first[k] <= k: one pass, in place. */
static uint32_t number_soup(const bvpi_vertices *v, uint64_t corner_count, const uint32_t *first,
                            uint32_t *indices_out, uint8_t *positions_out)
{
    uint32_t count = 0;
    for (uint64_t k = 0; k < corner_count; k++) {
        if (first[k] != k) {
            indices_out[k] = indices_out[first[k]];
            continue;
        }
        copy_vertex(v, (uint32_t)k, count, positions_out);
        indices_out[k] = count++;
    }
    return count;
}

uint32_t bvpi_renumber(const bvpi_vertices *v, const uint32_t *indices, uint64_t corner_count,
                       uint32_t *first, uint32_t *indices_out, uint8_t *positions_out)
{
    if (!indices)
        return number_soup(v, corner_count, first, indices_out, positions_out);
    uint32_t count = 0;
    uint32_t *number = malloc((uint64_t)v->count * sizeof *number + 1);
    if (!number)
        return UINT32_MAX;
    memset(number, 255, (uint64_t)v->count * sizeof *number);
    for (uint64_t k = 0; k < corner_count; k++) {
        const uint32_t vertex = first[indices[k]];
        if (number[vertex] == UINT32_MAX) {
            copy_vertex(v, vertex, count, positions_out);
            number[vertex] = count++;
        }
        indices_out[k] = number[vertex];
    }
    free(number);
    return count;
}

/* ---- the public call ------------------------------------------------------------------------- */

/* A soup as large as the indices allow, or an indexed mesh. */
static bvp_status check_mesh(const bvp_mesh *m, bvp_error *error)
{
    if (m->vertex_count >= UINT32_MAX || m->triangle_count >= UINT32_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "%" PRIu64 " vertices, %" PRIu64
                              " triangles: at most 2^32 - 2 of each can be welded",
                              m->vertex_count, m->triangle_count);
    if (!m->indices && 3 * m->triangle_count > m->vertex_count)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "%" PRIu64 " triangles without indices need %" PRIu64
                              " vertices; there are %" PRIu64,
                              m->triangle_count, 3 * m->triangle_count, m->vertex_count);
    for (uint64_t k = 0; m->indices && k < 3 * m->triangle_count; k++)
        if (m->indices[k] >= m->vertex_count)
            return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                  "triangle %" PRIu64 " refers to vertex %" PRIu32
                                  "; the mesh has %" PRIu64 " vertices (counted from 0)",
                                  k / 3, m->indices[k], m->vertex_count);
    return BVP_OK;
}

/* Gives back what the unused end of an array takes. */
static void *shrink(void *array, uint64_t size)
{
    void *smaller = realloc(array, size + 1);
    return smaller ? smaller : array;
}

bvp_status bvp_weld(const bvp_mesh *mesh, uint32_t thread_count, uint32_t **indices_out,
                    void **positions_out, uint64_t *vertex_count_out, bvp_error *error)
{
    const size_t size = mesh->is_double ? 24 : 12;
    const uint64_t corners = 3 * mesh->triangle_count;
    bvpi_vertices v = {mesh->positions, mesh->position_stride ? mesh->position_stride : size, size,
                       (uint32_t)mesh->vertex_count};
    bvp_status status = check_mesh(mesh, error);
    if (status != BVP_OK)
        return status;
    if (!mesh->indices)
        v.count = (uint32_t)corners;
    uint32_t *indices = *indices_out ? *indices_out : malloc(corners * sizeof *indices + 1);
    uint32_t *first = mesh->indices ? malloc((uint64_t)v.count * sizeof *first + 1) : indices;
    uint8_t *positions = malloc((uint64_t)v.count * size + 1);
    uint32_t count = UINT32_MAX;
    if (indices && first && positions &&
        bvpi_find_first(&v, mesh->indices ? v.count : bvpi_expected_in_soup(corners),
                        thread_count ? thread_count : bvpi_cpu_count(), first))
        count = bvpi_renumber(&v, mesh->indices, corners, first, indices, positions);
    if (first != indices)
        free(first);
    if (count == UINT32_MAX) {
        if (indices != *indices_out)
            free(indices);
        free(positions);
        return bvpi_error_memory(error, corners * sizeof *indices + (uint64_t)v.count * size);
    }
    *indices_out = indices;
    *positions_out = shrink(positions, count * size);
    *vertex_count_out = count;
    return BVP_OK;
}
