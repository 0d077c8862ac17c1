/* SPDX-License-Identifier: MIT
 * pieces.c: the connected pieces of a part: triangles that share a corner's position.
 *
 * Union-find over different positions, found through a hash table with open addressing. It is not
 * base/hash_table.h, because a control may cancel this one while it grows. Every set is led by its
 * smallest corner number (unite_cluster keeps the lesser root), so the pieces come in the order of
 * their first triangle and the result is deterministic. Paths are halved on the way up.
 *
 * Only what enclosed.c needs is kept: for each piece six extreme corners and the first triangle,
 * and a box for each group of 64 pieces, which rejects many at once. Parts with more than 65,536
 * pieces, such as soups, keep an even sample and say so.
 *
 * Spec: exactness.md, chapter 12, "Enclosed"
 */
#include "clash/pieces.h"

#include "base/meter.h"
#include "node/cluster_record.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_LEAST = 1024, LOOK = 4096 };

typedef struct corner {
    float at[3];
    uint32_t up;       /* another corner of the same piece; itself for the first one of a piece */
    uint32_t triangle; /* the first triangle that uses it */
    uint32_t kept;     /* for the first corner of a piece: the piece's index in the result */
} corner;

typedef struct union_find {
    const bvp_control *control; /* may be NULL; checked every some thousand corners */
    bool is_cancelled;
    corner *corners;
    uint32_t *slots; /* corner numbers plus one; 0: free */
    uint32_t count, slot_count;
} union_find;

static uint32_t *slot_of(const union_find *u, const float at[3])
{
    uint32_t bits[3];
    memcpy(bits, at, sizeof bits);
    uint32_t h = bits[0] * UINT32_C(0x9E3779B1);
    h = (h ^ h >> 15 ^ bits[1]) * UINT32_C(0x85EBCA77);
    h = (h ^ h >> 13 ^ bits[2]) * UINT32_C(0xC2B2AE3D);
    const uint32_t mask = u->slot_count - 1;
    assert(u->count <= u->slot_count / 2); /* so the search ends */
    uint32_t slot = (h ^ h >> 16) & mask;
    while (u->slots[slot] != 0 && memcmp(u->corners[u->slots[slot] - 1].at, at, sizeof bits) != 0)
        slot = (slot + 1) & mask;
    return &u->slots[slot];
}

/* False: cancelled. This does not count as steps of a budget, because the result is shared by all
 * pairs and computed once. */
static bool goes_on(union_find *u, uint32_t i)
{
    if (i % LOOK == 0)
        u->is_cancelled = bvpi_is_cancelled(u->control);
    return !u->is_cancelled;
}

/* Keeps at least half of the slots free. */
static bool grow(union_find *u)
{
    const uint32_t slot_count = u->slot_count ? 2 * u->slot_count : SLOTS_LEAST;
    if (slot_count == 0) /* overflow: 2^31 different corners */
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
    for (uint32_t i = 0; i < u->count && goes_on(u, i); i++)
        *slot_of(u, u->corners[i].at) = i + 1;
    return !u->is_cancelled;
}

static uint32_t root_of(union_find *u, uint32_t i)
{
    while (u->corners[i].up != i)
        i = u->corners[i].up = u->corners[u->corners[i].up].up;
    assert(i < u->count);
    return i;
}

/* The number of the corner at a local vertex of a triangle; UINT32_MAX: out of memory, or
 * cancelled.
 */
static uint32_t add_corner(union_find *u, const bvpi_cluster *cluster, uint32_t vertex,
                           uint64_t triangle)
{
    float at[3];
    for (int axis = 0; axis < 3; axis++) /* -0 becomes 0 */
        at[axis] = bvpi_cluster_coordinate(cluster, axis, vertex) + 0.f;
    if (u->count == u->slot_count / 2 && !grow(u))
        return UINT32_MAX;
    uint32_t *slot = slot_of(u, at);
    if (*slot == 0) {
        corner *c = &u->corners[u->count];
        memcpy(c->at, at, sizeof c->at);
        c->up = u->count;
        c->triangle = (uint32_t)triangle;
        *slot = ++u->count;
    }
    return *slot - 1;
}

/* Adds the corners of a cluster's first `count` triangles, if they are new, and unites their
 * pieces. The root of a piece is its corner that came first. A vertex is looked up when the first
 * of the cluster's triangles uses it. False: out of memory, or cancelled. */
static bool unite_cluster(union_find *u, const bvpi_cluster *cluster, uint32_t count)
{
    uint32_t numbers[BVPI_LOCAL_VERTICES];
    memset(numbers, 0xff, sizeof numbers);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root = UINT32_MAX;
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t vertex = bvpi_cluster_corner(cluster, i, k);
            if (numbers[vertex] == UINT32_MAX)
                numbers[vertex] =
                    add_corner(u, cluster, vertex, (uint64_t)cluster->head.first_triangle + i);
            if (numbers[vertex] == UINT32_MAX)
                return false;
            const uint32_t other = root_of(u, numbers[vertex]);
            const uint32_t first = other < root ? other : root;
            u->corners[other].up = first;
            if (root != UINT32_MAX)
                u->corners[root].up = first;
            root = first;
        }
    }
    return true;
}

/* ---- a part's pieces ------------------------------------------------------------------------- */

static bvp_status unite_part(union_find *u, const bvp_file *file, uint32_t part_idx)
{
    bvpi_part part;
    const bvp_status status = bvpi_get_part(file, part_idx, &part);
    uint64_t first = 0;
    for (uint32_t idx = 0; status == BVP_OK && first < part.triangle_count; idx++) {
        bvpi_cluster cluster;
        if (idx >= part.cluster_count || !bvpi_cluster_at(&part, idx, &cluster) ||
            cluster.head.first_triangle != first)
            return BVP_ERR_CORRUPT;
        const uint64_t rest = part.triangle_count - first;
        const uint32_t count =
            cluster.triangle_count < rest ? cluster.triangle_count : (uint32_t)rest;
        u->is_cancelled = bvpi_is_cancelled(u->control);
        if (!u->is_cancelled && !unite_cluster(u, &cluster, count) && !u->is_cancelled)
            return BVP_ERR_NO_MEMORY;
        if (u->is_cancelled)
            return BVP_ERR_CANCELLED;
        first += count;
    }
    return status;
}

/* A piece's first corner precedes its others, so its index is known when they come. Of `total`
 * pieces up to BVPI_PIECES_MOST are kept, spread evenly. */
static bvp_status collect(union_find *u, const bvp_file *file, uint32_t part, uint32_t total,
                          bvpi_pieces *out)
{
    const uint64_t most = BVPI_PIECES_MOST;
    bvp_status status = BVP_OK;
    uint64_t number = 0;
    for (uint32_t i = 0; i < u->count && status == BVP_OK && goes_on(u, i); i++) {
        corner *c = &u->corners[i], *root = &u->corners[root_of(u, i)];
        assert(root <= c);
        if (c == root) {
            const bool is_kept =
                total <= most || (number + 1) * most / total != number * most / total;
            number++;
            c->kept = is_kept ? out->count++ : UINT32_MAX;
            if (!is_kept)
                continue;
            struct bvpi_piece *piece = &out->at[c->kept];
            uint64_t count;
            for (int k = 0; k < 6; k++)
                memcpy(piece->extreme[k], c->at, sizeof piece->extreme[k]);
            status = bvp_get_triangles(file, part, (bvp_range){c->triangle, 1}, piece->corners,
                                       NULL, &count);
        } else if (root->kept != UINT32_MAX) {
            struct bvpi_piece *piece = &out->at[root->kept];
            for (int k = 0; k < 3; k++) {
                if (c->at[k] < piece->extreme[k][k])
                    memcpy(piece->extreme[k], c->at, sizeof piece->extreme[k]);
                if (c->at[k] > piece->extreme[3 + k][k])
                    memcpy(piece->extreme[3 + k], c->at, sizeof piece->extreme[k]);
            }
        }
    }
    assert(number <= total && out->count <= most);
    return u->is_cancelled ? BVP_ERR_CANCELLED : status;
}

static bvp_status find_pieces(const bvp_file *file, uint32_t part, const bvp_control *control,
                              void **out)
{
    union_find u = {.control = control};
    uint32_t total = 0;
    bvp_status status = unite_part(&u, file, part);
    for (uint32_t i = 0; i < u.count && status == BVP_OK; i++) {
        total += u.corners[i].up == i;
        if (!goes_on(&u, i))
            status = BVP_ERR_CANCELLED; /* not later: a callback may say so only once */
    }
    if (status == BVP_OK) {
        const uint32_t kept = total < BVPI_PIECES_MOST ? total : BVPI_PIECES_MOST;
        const size_t groups = kept / BVPI_PIECE_GROUP + 1;
        bvpi_pieces *pieces = calloc(1, sizeof *pieces + kept * sizeof pieces->at[0] +
                                            groups * sizeof *pieces->groups);
        if (pieces)
            pieces->groups = (void *)(pieces->at + kept);
        status = pieces ? collect(&u, file, part, total, pieces) : BVP_ERR_NO_MEMORY;
        for (uint32_t i = 0; status == BVP_OK && i < pieces->count; i++) {
            const struct bvpi_piece *piece = &pieces->at[i];
            struct bvpi_piece_group *group = &pieces->groups[i / BVPI_PIECE_GROUP];
            const bool is_first = i % BVPI_PIECE_GROUP == 0;
            for (int k = 0; k < 3; k++) {
                const float lo = piece->extreme[k][k], hi = piece->extreme[3 + k][k];
                group->lo[k] = is_first || lo < group->lo[k] ? lo : group->lo[k];
                group->hi[k] = is_first || hi > group->hi[k] ? hi : group->hi[k];
            }
        }
        if (status == BVP_OK) {
            pieces->is_sampled = kept < total;
            *out = pieces;
        } else {
            free(pieces);
        }
    }
    free(u.corners);
    free(u.slots);
    return status;
}

bvp_status bvpi_pieces_get(bvpi_part_cache *cache, uint32_t part, const bvp_control *control,
                           const bvpi_pieces **out)
{
    const void *found;
    const bvp_status status = bvpi_part_cache_get(cache, part, find_pieces, control, &found);
    *out = found;
    return status;
}
