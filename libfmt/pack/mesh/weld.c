/* SPDX-License-Identifier: MIT
 * weld.c: gives equal vertices one number, in the order of their first use, with several threads.
 *
 * Each thread has a share: a run of corners. It enters them in a hash table of its own, which
 * numbers the share's different vertices by first use. Then the shares are merged:
 * 1. every vertex of a later share is looked up in the tables of all earlier shares; the first
 *    share that has it is its owner;
 * 2. the vertices that a share owns get final numbers, share after share: together these are in the
 *    order of first use over all corners;
 * 3. other vertices take the number of their owner, and all corners are renumbered.
 * So the result equals that of one thread.
 *
 * Equal means equal bits of all coordinates; the table (base/hash_table.h) compares hashes first,
 * but a match is always confirmed on the coordinates. A cache miss costs as much as hundreds of
 * instructions, hence the blocks: hashes of a block are computed and slots and vertices prefetched
 * before any is looked at.
 *
 * With an index array the given vertices are welded, then the indices are mapped. If that leaves
 * the order of first use intact, as it does for usual files, nothing needs renumbering.
 *
 * Held by tests/unit/test_weld.c: any thread count, and vertices with the same hash.
 * Measured: decisions.md, "Building"
 */
#include "pack/mesh/weld.h"

#include "base/hash_table.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/large_array.h"
#include "pack/mesh/check_mesh.h"
#include "pack/mesh/vertex_hash.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 32,
    SHARE_MAX = 8,         /* a vertex is looked up in the tables of all earlier shares */
    SHARE_LEAST = 1 << 14, /* corners; a smaller share is not worth a thread */
    SOUP_REPEATS = 5,      /* in most vertices six triangles meet */
    PIECES = 8             /* of a share, for the passes after the first */
};

/* ---- the table ------------------------------------------------------------------------------ */

/* A share's different vertices, numbered in the order of their entry. */
typedef struct table {
    bvpi_hash_table numbers;
    size_t size;        /* of a vertex */
    uint8_t *positions; /* of the vertices, in the order of their numbers */
    uint32_t capacity;  /* vertices for which `positions` has room */
} table;

static inline const uint8_t *position(const table *t, uint64_t number, size_t size)
{
    return t->positions + number * size;
}

/* A vertex that is looked for. */
typedef struct wanted {
    const table *table;
    const uint8_t *vertex;
    size_t size;
} wanted;

static inline bool is_same(const void *user, uint32_t number)
{
    const wanted *w = user;
    const uint8_t *other = position(w->table, number, w->size);
    return w->size == 12 ? memcmp(other, w->vertex, 12) == 0 : memcmp(other, w->vertex, 24) == 0;
}

/* The number of a vertex, entered if it is new. There must be room. */
static inline uint32_t enter(table *t, const uint8_t *vertex, uint32_t hash, size_t size)
{
    const wanted w = {t, vertex, size};
    const uint32_t next = (uint32_t)t->numbers.count;
    assert(next < t->capacity);
    const uint32_t number = bvpi_hash_enter(&t->numbers, hash, next, is_same, &w);
    if (number == next)
        memcpy(t->positions + (uint64_t)next * size, vertex, size);
    return number;
}

/* Makes room for one more block. */
static bool grow(table *t)
{
    const uint64_t wanted = t->numbers.count + BLOCK;
    if (wanted > t->capacity) {
        const uint64_t capacity = (uint64_t)t->capacity + t->capacity / 2 + BLOCK;
        uint8_t *grown = realloc(t->positions, capacity * t->size);
        if (!grown)
            return false;
        t->positions = grown;
        t->capacity = capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX;
    }
    return bvpi_hash_reserve(&t->numbers, wanted);
}

/* ---- the shares ----------------------------------------------------------------------------- */

/* A run of corners, handled by one thread. */
typedef struct share {
    table table;
    uint32_t begin, end;
    /* For each vertex of the table; not used by the first share, whose numbers are final. */
    uint8_t *owner;       /* the first share that has it */
    uint32_t *number;     /* its number there; at the end, the final one */
    uint32_t own[PIECES]; /* for each piece: how many vertices the share owns; then the final number
                             of the first of them */
} share;

typedef struct welding {
    const bvpi_vertices *vertices;
    uint32_t *out; /* the number of each vertex */
    uint8_t *positions;
    share shares[SHARE_MAX];
    uint32_t share_count;
    /* How often each vertex is expected to repeat: a guess, for the table's size. */
    uint32_t repeats;
    uint32_t failed; /* atomic */
} welding;

/* Up to BLOCK corners on their way into the table. */
typedef struct entering {
    const uint8_t *at[BLOCK];
    uint32_t hashes[BLOCK];
    uint32_t count;
} entering;

/* Each block goes through three rounds: compute hashes and prefetch slots; prefetch the vertices
 * that the slots name; enter. While one block is in a round, the block before it is in the next, so
 * that what was prefetched has time to arrive. `size` is a constant in each caller, so comparing
 * and copying need no loop. */
static inline __attribute__((always_inline)) bool enter_all(const welding *w, share *s, size_t size)
{
    const bvpi_vertices *v = w->vertices;
    table *t = &s->table;
    const size_t to_next_triangle = v->triangle_stride - 2 * v->stride;
    const uint64_t end = s->end;
    entering blocks[3] = {{.count = 0}, {.count = 0}, {.count = 0}};
    entering *hashing = &blocks[0], *looking = &blocks[1], *last = &blocks[2];
    uint32_t *out = w->out + s->begin, corner = s->begin % 3;
    const uint8_t *next = s->begin < s->end ? bvpi_vertex_at(v, s->begin) : NULL;
    assert(v->size == size && s->begin <= s->end && s->end <= v->count);
    for (uint64_t first = s->begin; first < end + 2 * BLOCK; first += BLOCK) {
        const uint64_t left = first < end ? end - first : 0;
        hashing->count = left < BLOCK ? (uint32_t)left : BLOCK;
        for (uint32_t k = 0; k < hashing->count; k++) {
            const uint32_t hash = bvpi_hash_vertex(next, size);
            hashing->at[k] = next;
            hashing->hashes[k] = hash;
            __builtin_prefetch(bvpi_hash_home(&t->numbers, hash));
            next += corner == 2 ? to_next_triangle : v->stride;
            corner = corner == 2 ? 0 : corner + 1;
        }
        for (uint32_t k = 0; k < looking->count; k++) {
            const uint32_t number = (uint32_t)*bvpi_hash_home(&t->numbers, looking->hashes[k]);
            __builtin_prefetch(position(t, number == 0 ? 0 : number - 1, size));
        }
        if (!grow(t))
            return false;
        for (uint32_t k = 0; k < last->count; k++)
            *out++ = enter(t, last->at[k], last->hashes[k], size);
        entering *free_block = last;
        last = looking;
        looking = hashing;
        hashing = free_block;
    }
    assert(out == w->out + s->end);
    return true;
}

static void enter_share(void *user, uint32_t idx)
{
    welding *w = user;
    share *s = &w->shares[idx];
    const size_t size = w->vertices->size;
    table *t = &s->table;
    *t = (table){.size = size, .capacity = (s->end - s->begin) / w->repeats + BLOCK};
    t->positions = bvpi_allocate(t->capacity, size);
    bool ok = t->positions && bvpi_hash_reserve(&t->numbers, t->capacity);
    if (ok)
        ok = size == 12 ? enter_all(w, s, 12) : enter_all(w, s, 24);
    if (ok && idx > 0) {
        s->owner = malloc(t->numbers.count + 1);
        s->number = malloc(t->numbers.count * sizeof *s->number + 1);
        ok = s->owner && s->number;
    }
    if (!ok)
        __atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED);
}

/* Piece `piece` of a share's `count` elements: begin .. end. */
static void range_of(uint32_t count, uint32_t piece, uint64_t *begin, uint64_t *end)
{
    *begin = (uint64_t)count * piece / PIECES;
    *end = (uint64_t)count * (piece + 1) / PIECES;
}

/* Looks up to BLOCK vertices of share `own` up in the table of share `other`. */
static void find_block(const welding *w, uint32_t own, uint32_t other, uint64_t begin,
                       uint32_t count)
{
    const share *s = &w->shares[own];
    const table *t = &w->shares[other].table;
    const size_t size = s->table.size;
    uint32_t hashes[BLOCK];
    assert(other < own && own < w->share_count && count <= BLOCK);
    for (uint32_t k = 0; k < count; k++) {
        hashes[k] = bvpi_hash_vertex(position(&s->table, begin + k, size), size);
        __builtin_prefetch(bvpi_hash_home(&t->numbers, hashes[k]));
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint8_t *vertex = position(&s->table, begin + k, size);
        const wanted w = {t, vertex, size};
        const uint32_t number = bvpi_hash_find(&t->numbers, hashes[k], is_same, &w);
        if (s->owner[begin + k] != own || number == BVPI_HASH_NONE)
            continue;
        s->owner[begin + k] = (uint8_t)other;
        s->number[begin + k] = number;
    }
}

/* Looks vertices up in the tables of all earlier shares. */
static void find_owners(void *user, uint32_t piece)
{
    welding *w = user;
    const uint32_t own = 1 + piece / PIECES;
    share *s = &w->shares[own];
    uint64_t begin, end;
    uint32_t own_count = 0;
    range_of((uint32_t)s->table.numbers.count, piece % PIECES, &begin, &end);
    memset(s->owner + begin, (int)own, end - begin);
    for (uint64_t k = begin; k < end; k += BLOCK)
        for (uint32_t other = 0; other < own; other++)
            find_block(w, own, other, k, end - k < BLOCK ? (uint32_t)(end - k) : BLOCK);
    for (uint64_t k = begin; k < end; k++)
        own_count += s->owner[k] == own;
    s->own[piece % PIECES] = own_count;
}

/* Assigns final numbers to the vertices that a share owns, and copies their positions. */
static void number_own(void *user, uint32_t piece)
{
    welding *w = user;
    const uint32_t own = piece / PIECES;
    const share *s = &w->shares[own];
    const size_t size = s->table.size;
    uint64_t begin, end;
    range_of((uint32_t)s->table.numbers.count, piece % PIECES, &begin, &end);
    if (own == 0) { /* its numbers are final already */
        memcpy(w->positions + begin * size, position(&s->table, begin, size), (end - begin) * size);
        return;
    }
    uint32_t next = s->own[piece % PIECES];
    for (uint64_t k = begin; k < end; k++)
        if (s->owner[k] == own) {
            memcpy(w->positions + (uint64_t)next * size, position(&s->table, k, size), size);
            s->number[k] = next++;
        }
}

static void number_others(void *user, uint32_t piece)
{
    const welding *w = user;
    const uint32_t own = 1 + piece / PIECES;
    const share *s = &w->shares[own];
    uint64_t begin, end;
    range_of((uint32_t)s->table.numbers.count, piece % PIECES, &begin, &end);
    for (uint64_t k = begin; k < end; k++)
        if (s->owner[k] > 0 && s->owner[k] != own)
            s->number[k] = w->shares[s->owner[k]].number[s->number[k]];
}

static void renumber_share(void *user, uint32_t piece)
{
    const welding *w = user;
    const share *s = &w->shares[1 + piece / PIECES];
    uint64_t begin, end;
    range_of(s->end - s->begin, piece % PIECES, &begin, &end);
    for (uint64_t k = s->begin + begin; k < s->begin + end; k++)
        w->out[k] = s->number[w->out[k]];
}

/* Merges the shares' numberings. Returns the number of vertices, or UINT32_MAX: out of memory. */
static uint32_t merge(welding *w, uint32_t thread_count)
{
    table *first = &w->shares[0].table;
    if (w->share_count == 1) {
        w->positions = first->positions;
        first->positions = NULL;
        return (uint32_t)first->numbers.count;
    }
    const uint32_t later = w->share_count - 1;
    bvpi_parallel(thread_count, later * PIECES, find_owners, w);
    /* counts of owned vertices become final first numbers */
    uint32_t count = (uint32_t)first->numbers.count;
    for (uint32_t p = PIECES; p < w->share_count * PIECES; p++) {
        uint32_t *own = &w->shares[p / PIECES].own[p % PIECES];
        const uint32_t here = *own;
        *own = count;
        count += here;
    }
    assert(count <= w->vertices->count);
    w->positions = bvpi_allocate(count, first->size);
    if (!w->positions)
        return UINT32_MAX;
    bvpi_parallel(thread_count, w->share_count * PIECES, number_own, w);
    bvpi_parallel(thread_count, later * PIECES, number_others, w);
    bvpi_parallel(thread_count, later * PIECES, renumber_share, w);
    return count;
}

static void cut_shares(welding *w, uint32_t thread_count)
{
    const uint64_t count = w->vertices->count;
    w->share_count = (uint32_t)(count / SHARE_LEAST);
    if (w->share_count > thread_count)
        w->share_count = thread_count;
    if (w->share_count > SHARE_MAX)
        w->share_count = SHARE_MAX;
    if (w->share_count == 0)
        w->share_count = 1;
    for (uint32_t p = 0; p < w->share_count; p++) {
        w->shares[p].begin = (uint32_t)(count * p / w->share_count);
        w->shares[p].end = (uint32_t)(count * (p + 1) / w->share_count);
    }
    assert(w->shares[w->share_count - 1].end == count); /* no corner is left out */
}

/* Numbers all vertices, in order of first use. */
static uint32_t weld_all(const bvpi_vertices *v, uint32_t repeats, uint32_t thread_count,
                         uint32_t *out, uint8_t **positions)
{
    welding w = {.vertices = v, .out = out, .repeats = repeats};
    uint32_t count = UINT32_MAX;
    cut_shares(&w, thread_count);
    bvpi_parallel(thread_count, w.share_count, enter_share, &w);
    if (!w.failed)
        count = merge(&w, thread_count);
    for (uint32_t p = 0; p < w.share_count; p++) {
        bvpi_hash_free(&w.shares[p].table.numbers);
        free(w.shares[p].table.positions);
        free(w.shares[p].owner);
        free(w.shares[p].number);
    }
    *positions = w.positions;
    return count;
}

/* ---- indices -------------------------------------------------------------------------------- */

enum { CORNER_PIECE = 1 << 18 };

typedef struct mapping {
    const uint32_t *indices, *number;
    uint32_t *out;
    uint64_t count;
    uint32_t *next; /* for each piece: one more than its largest number; then than the largest
                       before it */
    uint32_t is_unordered; /* atomic */
} mapping;

static uint64_t end_of(const mapping *m, uint64_t begin)
{
    return m->count - begin < CORNER_PIECE ? m->count : begin + CORNER_PIECE;
}

static void map_corners(void *user, uint32_t piece)
{
    const mapping *m = user;
    const uint64_t begin = (uint64_t)piece * CORNER_PIECE, end = end_of(m, begin);
    uint32_t most = 0;
    for (uint64_t k = begin; k < end; k++) {
        const uint32_t number = m->number[m->indices[k]];
        most = number > most ? number : most;
        m->out[k] = number;
    }
    m->next[piece] = most + 1;
}

/* True if each number first occurs in its turn in this piece, given that it does in the pieces
 * before. */
static void check_order(void *user, uint32_t piece)
{
    mapping *m = user;
    const uint64_t begin = (uint64_t)piece * CORNER_PIECE, end = end_of(m, begin);
    uint32_t next = m->next[piece];
    bool is_ordered = true;
    for (uint64_t k = begin; k < end && is_ordered; k++) {
        is_ordered = m->out[k] <= next;
        next += m->out[k] == next;
    }
    if (!is_ordered)
        __atomic_store_n(&m->is_unordered, 1, __ATOMIC_RELAXED);
}

/* Maps the corners. True if the numbers 0 .. count - 1 all occur, and each first occurs in its
 * turn. */
static bool is_in_order(mapping *m, uint32_t piece_count, uint32_t thread_count, uint32_t count)
{
    uint32_t next = 0;
    bvpi_parallel(thread_count, piece_count, map_corners, m);
    for (uint32_t p = 0; p < piece_count; p++) {
        const uint32_t before = next;
        next = m->next[p] > next ? m->next[p] : next;
        m->next[p] = before;
    }
    bvpi_parallel(thread_count, piece_count, check_order, m);
    return !m->is_unordered && next == count;
}

/* Renumbers by first use and drops unused vertices. Returns their number, or UINT32_MAX: out of
 * memory. */
static uint32_t renumber(uint32_t *indices, uint64_t corner_count, uint32_t count, size_t size,
                         uint8_t **positions)
{
    uint32_t used = 0;
    uint8_t *from = *positions, *to = malloc((uint64_t)count * size + 1);
    uint32_t *number = malloc(count * sizeof *number + 1);
    if (to && number) {
        memset(number, 255, count * sizeof *number);
        for (uint64_t k = 0; k < corner_count; k++) {
            const uint32_t vertex = indices[k];
            if (number[vertex] == UINT32_MAX) {
                memcpy(to + (uint64_t)used * size, from + (uint64_t)vertex * size, size);
                number[vertex] = used++;
            }
            indices[k] = number[vertex];
        }
        assert(used <= count);
        *positions = to;
        to = from;
    } else
        used = UINT32_MAX;
    free(to);
    free(number);
    return used;
}

static uint32_t weld_indexed(const bvpi_vertices *v, const uint32_t *indices, uint64_t corner_count,
                             uint32_t thread_count, uint32_t *out, uint8_t **positions)
{
    const uint32_t pieces = (uint32_t)((corner_count + CORNER_PIECE - 1) / CORNER_PIECE);
    uint32_t *number = bvpi_allocate(v->count, sizeof *number), count = UINT32_MAX;
    mapping m = {.indices = indices, .number = number, .out = out, .count = corner_count};
    m.next = bvpi_allocate(pieces, sizeof *m.next);
    if (number && m.next)
        count = weld_all(v, 1, thread_count, number, positions);
    if (count != UINT32_MAX && !is_in_order(&m, pieces, thread_count, count))
        count = renumber(out, corner_count, count, v->size, positions);
    free(number);
    free(m.next);
    return count;
}

uint32_t bvpi_weld(const bvpi_vertices *v, const uint32_t *indices, uint64_t corner_count,
                   uint32_t thread_count, uint32_t *indices_out, uint8_t **positions_out)
{
    *positions_out = NULL;
    assert(v->size == 12 || v->size == 24);
    const uint32_t count =
        indices ? weld_indexed(v, indices, corner_count, thread_count, indices_out, positions_out)
                : weld_all(v, SOUP_REPEATS, thread_count, indices_out, positions_out);
    if (count == UINT32_MAX) {
        free(*positions_out);
        *positions_out = NULL;
    }
    return count;
}

/* ---- the caller's mesh ----------------------------------------------------------------------- */

bvpi_vertices bvpi_vertices_of(const bvp_mesh *mesh)
{
    bvpi_vertices v = {.data = mesh->positions, .size = mesh->is_double ? 24 : 12};
    v.stride = mesh->position_stride ? mesh->position_stride : v.size;
    v.triangle_stride = 3 * v.stride;
    v.count = (uint32_t)mesh->vertex_count;
    if (mesh->indices)
        return v;
    v.count =
        (uint32_t)(3 * mesh->triangle_count); /* vertices that no triangle uses do not count */
    if (mesh->triangle_stride)
        v.triangle_stride = mesh->triangle_stride;
    return v;
}

/* ---- the public call ------------------------------------------------------------------------- */

bvp_status bvp_weld(const bvp_mesh *mesh, uint32_t thread_count, uint32_t **indices_out,
                    void **positions_out, uint64_t *vertex_count_out, bvp_error *error)
{
    const uint64_t corners = 3 * mesh->triangle_count;
    const uint32_t threads = thread_count ? thread_count : bvpi_cpu_count();
    uint32_t count = UINT32_MAX;
    uint8_t *positions;
    bvp_status status = bvpi_check_mesh(mesh, error);
    if (status == BVP_OK)
        status = bvpi_check_indices(mesh, threads, error);
    if (status != BVP_OK)
        return status;
    bvpi_vertices v = bvpi_vertices_of(mesh);
    if (corners == 0)
        v.count = 0; /* positions may be NULL then */
    uint32_t *indices = *indices_out ? *indices_out : bvpi_allocate(corners, sizeof *indices);
    if (indices)
        count = bvpi_weld(&v, mesh->indices, corners, threads, indices, &positions);
    if (count == UINT32_MAX) {
        if (indices != *indices_out)
            free(indices);
        return bvpi_error_memory(error, corners * sizeof *indices + (uint64_t)v.count * v.size);
    }
    *indices_out = indices;
    *positions_out = positions;
    *vertex_count_out = count;
    return BVP_OK;
}
