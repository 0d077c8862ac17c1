/* SPDX-License-Identifier: MIT
 * pieces.c: union-find over the corners of a part's triangles, which a hash table makes one of
 * where their positions are equal.
 */
#include "clash/pieces.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256, SLOTS_LEAST = 1024 };

typedef struct corner {
    float at[3];
    uint32_t up; /* of the same piece; itself: the piece's first one */
} corner;

typedef struct union_find {
    corner *corners;
    uint32_t *slots; /* numbers of corners plus one; 0: free */
    uint32_t count, slot_count;
} union_find;

static uint32_t hash_of(const float at[3])
{
    uint32_t bits[3];
    memcpy(bits, at, sizeof bits);
    uint32_t h = bits[0] * UINT32_C(0x9E3779B1);
    h = (h ^ h >> 15 ^ bits[1]) * UINT32_C(0x85EBCA77);
    h = (h ^ h >> 13 ^ bits[2]) * UINT32_C(0xC2B2AE3D);
    return h ^ h >> 16;
}

static uint32_t *slot_of(const union_find *u, const float at[3])
{
    uint32_t slot = hash_of(at) & (u->slot_count - 1);
    while (u->slots[slot] != 0 &&
           memcmp(u->corners[u->slots[slot] - 1].at, at, 3 * sizeof *at) != 0)
        slot = (slot + 1) & (u->slot_count - 1);
    return &u->slots[slot];
}

/* At most half of the slots are taken. */
static bool grow(union_find *u)
{
    const uint32_t slot_count = u->slot_count ? 2 * u->slot_count : SLOTS_LEAST;
    if (slot_count == 0) /* 2^31 different corners */
        return false;
    corner *corners = realloc(u->corners, slot_count / 2 * sizeof *corners);
    if (!corners)
        return false;
    u->corners = corners;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    free(u->slots);
    u->slots = slots;
    u->slot_count = slot_count;
    for (uint32_t i = 0; i < u->count; i++)
        *slot_of(u, u->corners[i].at) = i + 1;
    return true;
}

static uint32_t root_of(union_find *u, uint32_t i)
{
    while (u->corners[i].up != i)
        i = u->corners[i].up = u->corners[u->corners[i].up].up;
    return i;
}

/* The number of a corner there; UINT32_MAX: no memory. */
static uint32_t corner_at(union_find *u, const float position[3])
{
    const float at[3] = {position[0] + 0.f, position[1] + 0.f, position[2] + 0.f}; /* no -0 */
    if (u->count == u->slot_count / 2 && !grow(u))
        return UINT32_MAX;
    uint32_t *slot = slot_of(u, at);
    if (*slot == 0) {
        corner *c = &u->corners[u->count];
        memcpy(c->at, at, sizeof c->at);
        c->up = u->count;
        *slot = ++u->count;
    }
    return *slot - 1;
}

/* All corners of a piece lead to the one that came first. */
static bool unite_triangle(union_find *u, const float tri[9])
{
    uint32_t root = UINT32_MAX;
    for (int k = 0; k < 3; k++) {
        const uint32_t i = corner_at(u, tri + 3 * k);
        if (i == UINT32_MAX)
            return false;
        const uint32_t other = root_of(u, i), first = other < root ? other : root;
        u->corners[other].up = first;
        if (root != UINT32_MAX)
            u->corners[root].up = first;
        root = first;
    }
    return true;
}

/* ---- a part's triangles -----------------------------------------------------------------------
 */

/* Called for each triangle; false: no memory. */
typedef bool (*triangle_fn)(void *user, uint64_t number, const float tri[9]);

static bvp_status for_each_triangle(const bvp_file *file, uint32_t part, triangle_fn each,
                                    void *user)
{
    float chunk[9 * CHUNK];
    uint64_t count;
    for (uint64_t first = 0;; first += count) {
        const bvp_status status = bvp_get_triangles(file, part, first, CHUNK, chunk, NULL, &count);
        if (status != BVP_OK)
            return status;
        for (uint64_t i = 0; i < count; i++)
            if (!each(user, first + i, chunk + 9 * i))
                return BVP_ERR_NO_MEMORY;
        if (count < CHUNK)
            return BVP_OK;
    }
}

static bool unite_each(void *user, uint64_t number, const float tri[9])
{
    (void)number;
    return unite_triangle(user, tri);
}

/* A piece's first corner is met first in its first triangle. */
typedef struct collecting {
    union_find *u;
    uint32_t corner_count, piece_count, total; /* of those met so far; of pieces in all */
    bvpi_pieces *out;
} collecting;

static bool is_kept(const collecting *c)
{
    const uint64_t most = BVPI_PIECES_MOST, next = c->piece_count + UINT64_C(1);
    return c->total <= most || next * most / c->total != c->piece_count * most / c->total;
}

static bool collect_each(void *user, uint64_t number, const float tri[9])
{
    collecting *c = user;
    for (int k = 0; k < 3; k++) {
        const uint32_t i = corner_at(c->u, tri + 3 * k);
        if (i < c->corner_count)
            continue;
        c->corner_count = i + 1;
        if (root_of(c->u, i) != i)
            continue;
        if (is_kept(c) && c->out->count < BVPI_PIECES_MOST) {
            struct bvpi_piece *piece = &c->out->at[c->out->count++];
            piece->triangle = number;
            memcpy(piece->corners, tri, sizeof piece->corners);
        }
        c->piece_count++;
    }
    return true;
}

static bvp_status find_pieces(const bvp_file *file, uint32_t part, bvpi_pieces **out)
{
    union_find u = {0};
    collecting c = {.u = &u};
    bvp_status status = for_each_triangle(file, part, unite_each, &u);
    for (uint32_t i = 0; i < u.count; i++)
        c.total += u.corners[i].up == i;
    const uint32_t kept = c.total < BVPI_PIECES_MOST ? c.total : BVPI_PIECES_MOST;
    if (status == BVP_OK) {
        c.out = calloc(1, sizeof *c.out + kept * sizeof c.out->at[0]);
        status = c.out ? for_each_triangle(file, part, collect_each, &c) : BVP_ERR_NO_MEMORY;
    }
    free(u.corners);
    free(u.slots);
    *out = c.out;
    return status;
}

/* ---- kept --------------------------------------------------------------------------------------
 */

bvp_status bvpi_piece_cache_init(bvpi_piece_cache *cache, const bvp_file *file)
{
    const uint32_t count = file->header.part_count;
    cache->file = file;
    cache->parts = calloc(count ? count : 1, sizeof *cache->parts);
    return cache->parts ? BVP_OK : BVP_ERR_NO_MEMORY;
}

void bvpi_piece_cache_free(bvpi_piece_cache *cache)
{
    for (uint32_t i = 0; cache->parts && i < cache->file->header.part_count; i++)
        free(cache->parts[i]);
    free(cache->parts);
    cache->parts = NULL;
}

bvp_status bvpi_pieces_get(bvpi_piece_cache *cache, uint32_t part, const bvpi_pieces **out)
{
    bvpi_pieces **place = &cache->parts[part];
    bvpi_pieces *found = __atomic_load_n(place, __ATOMIC_ACQUIRE), *made = NULL;
    if (!found) {
        const bvp_status status = find_pieces(cache->file, part, &made);
        if (status != BVP_OK) {
            free(made);
            return status;
        }
        if (__atomic_compare_exchange_n(place, &found, made, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            found = made;
        else
            free(made);
    }
    *out = found;
    return BVP_OK;
}
