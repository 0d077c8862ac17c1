/* SPDX-License-Identifier: MIT
 * defects.c: counts open edges, non-manifold edges, duplicate triangles; decides degeneracy
 * exactly.
 *
 * Every edge goes into the bucket of its smaller vertex, with a key made of the other vertex (upper
 * half) and the third corner of its triangle (lower half). Sorting a bucket brings equal edges
 * together: one is an open edge, three or more are non-manifold. Equal keys are the same edge of
 * triangles with the same three corners: duplicates. Each triangle is counted once there, by the
 * key whose third corner is not before the other vertex. Most buckets need no sorting: in
 * defects_kernel.c a glance tells that all their edges have two triangles.
 *
 * Counting sort, in parallel passes: each piece of triangles counts its keys for each vertex,
 * prefix sums turn counts into places, each piece writes its keys. A piece's places follow those of
 * the pieces before it, so the result is the same for any number of threads. Welded meshes number
 * neighbours alike, so buckets are filled almost in order.
 *
 * Degeneracy: doubles prove an area in one of three projections for nearly all triangles; the rest
 * is decided by exact sums.
 *
 * Slow twin: a plain count of all edges, tests/unit/test_defects.c.
 * Spec: format.md, chapter "Parts" (counts)
 * Measured: decisions.md, "Building"
 */
#include "pack/mesh/defects.h"

#include "base/isa.h"
#include "base/sum.h"
#include "base/large_array.h"
#include "pack/mesh/defects_kernel.h"
#include "pack/work.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSERTION_MAX = 24,
    PIECE_MAX = 8, /* each has a counter for each vertex */
    SERIAL = 1 << 14
};

/* ---- degenerate triangles -------------------------------------------------------------------- */

/* Do doubles prove that the triangle has an area when projected to the axes u and v? */
static bool has_area(const float *a, const float *b, const float *c, int u, int v)
{
    const double bu = (double)b[u] - a[u], bv = (double)b[v] - a[v];
    const double cu = (double)c[u] - a[u], cv = (double)c[v] - a[v];
    return fabs(bu * cv - bv * cu) > 0x1p-48 * (fabs(bu * cv) + fabs(bv * cu));
}

/* Is the projection exactly a line or a point? Products of two floats are exact doubles. */
static bool is_flat(const float *a, const float *b, const float *c, int u, int v)
{
    const double terms[6] = {(double)b[u] * c[v],  -(double)b[u] * a[v], -(double)a[u] * c[v],
                             -(double)b[v] * c[u], (double)b[v] * a[u],  (double)a[v] * c[u]};
    return bvpi_sum_sign(terms, 6) == 0;
}

bool bvpi_is_degenerate(const float *a, const float *b, const float *c)
{
    if (has_area(a, b, c, 0, 1) || has_area(a, b, c, 1, 2) || has_area(a, b, c, 2, 0))
        return false;
    return is_flat(a, b, c, 0, 1) && is_flat(a, b, c, 1, 2) && is_flat(a, b, c, 2, 0);
}

/* ---- sorting -------------------------------------------------------------------------------- */

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

/* ---- buckets -------------------------------------------------------------------------------- */

/* State of the count. A piece is a run of triangles, and in other passes a run of vertices. Keys of
 * one piece come after those of the pieces before it in the same bucket. */
typedef struct counting {
    const bvpi_mesh *mesh;
    uint32_t piece_count;
    uint64_t *next; /* for each piece and vertex: first the number of keys, then where the next one
                       goes */
    uint64_t *keys;
    uint64_t begin[PIECE_MAX + 1]; /* for the vertices of each piece: where their keys begin */
    bvpi_defects out[PIECE_MAX];
} counting;

static uint32_t cut(uint32_t count, uint32_t piece, const counting *c)
{
    return (uint32_t)((uint64_t)count * piece / c->piece_count);
}

static uint64_t *next_of(const counting *c, uint32_t piece)
{
    return c->next + (uint64_t)piece * c->mesh->vertex_count;
}

static void order3(const uint32_t *index, uint32_t out[3])
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
static inline bool has_edges(const uint32_t v[3])
{
    return v[0] != v[1] && v[1] != v[2];
}

static void count_keys(void *user, uint32_t piece)
{
    const counting *c = user;
    const bvpi_mesh *m = c->mesh;
    const uint32_t end = cut(m->triangle_count, piece + 1, c);
    uint64_t *count = next_of(c, piece);
    memset(count, 0, m->vertex_count * sizeof *count);
    for (uint32_t i = cut(m->triangle_count, piece, c); i < end; i++) {
        uint32_t v[3];
        order3(m->indices + 3 * (uint64_t)i, v);
        const bool edges = has_edges(v);
        count[v[0]] += edges ? 2 : 1;
        count[v[1]] += edges;
    }
}

/* The number of keys of the piece's vertices. */
static void sum_keys(void *user, uint32_t piece)
{
    counting *c = user;
    const uint32_t begin = cut(c->mesh->vertex_count, piece, c);
    const uint32_t end = cut(c->mesh->vertex_count, piece + 1, c);
    uint64_t sum = 0;
    for (uint32_t p = 0; p < c->piece_count; p++)
        for (uint32_t k = begin; k < end; k++)
            sum += next_of(c, p)[k];
    c->begin[piece + 1] = sum;
}

static void place_buckets(void *user, uint32_t piece)
{
    const counting *c = user;
    const uint32_t end = cut(c->mesh->vertex_count, piece + 1, c);
    uint64_t sum = c->begin[piece];
    for (uint32_t k = cut(c->mesh->vertex_count, piece, c); k < end; k++)
        for (uint32_t p = 0; p < c->piece_count; p++) {
            uint64_t *next = next_of(c, p) + k;
            const uint64_t count = *next;
            *next = sum;
            sum += count;
        }
}

static uint64_t key_of(uint32_t other, uint32_t third)
{
    return (uint64_t)other << 32 | third;
}

/* Afterwards, the last piece's `next` of a vertex is the end of its bucket. */
static void put_keys(void *user, uint32_t piece)
{
    const counting *c = user;
    const bvpi_mesh *m = c->mesh;
    const uint32_t end = cut(m->triangle_count, piece + 1, c);
    uint64_t *next = next_of(c, piece);
    for (uint32_t i = cut(m->triangle_count, piece, c); i < end; i++) {
        uint32_t v[3];
        order3(m->indices + 3 * (uint64_t)i, v);
        c->keys[next[v[0]]++] = key_of(v[1], v[2]);
        if (!has_edges(v))
            continue;
        c->keys[next[v[0]]++] = key_of(v[2], v[1]);
        c->keys[next[v[1]]++] = key_of(v[2], v[0]);
    }
}

/* ---- counting ------------------------------------------------------------------------------- */

/* Counts from the sorted keys of one vertex. Exactly one of a triangle's keys has its third corner
 * not before the other vertex; that key stands for the triangle. */
static void count_bucket(const uint64_t *keys, uint64_t count, uint32_t vertex, bvpi_defects *out)
{
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

static void count_buckets(void *user, uint32_t piece)
{
    counting *c = user;
    const uint64_t *ends = next_of(c, c->piece_count - 1);
    const uint32_t last = cut(c->mesh->vertex_count, piece + 1, c);
    uint64_t begin = c->begin[piece];
    bvpi_defects out = {0};
    const bvpi_defects_kernel *kernel = BVPI_ISA_CHOOSE(bvpi_defects_kernel, bvpi_isa_of_cpu());
    for (uint32_t k = cut(c->mesh->vertex_count, piece, c); k < last; k++) {
        k = kernel->pass(c->keys, ends, k, last, &begin);
        if (k == last)
            break;
        assert(begin <= ends[k]);
        sort_keys(c->keys + begin, ends[k] - begin);
        count_bucket(c->keys + begin, ends[k] - begin, k, &out);
        begin = ends[k];
    }
    assert(begin == c->begin[piece + 1]); /* every key was put */
    c->out[piece] = out;
}

bool bvpi_count_defects(const bvpi_mesh *mesh, uint32_t thread_count, bvpi_defects *out)
{
    counting c = {.mesh = mesh, .piece_count = thread_count < PIECE_MAX ? thread_count : PIECE_MAX};
    *out = (bvpi_defects){0};
    if (mesh->triangle_count < SERIAL || c.piece_count == 0)
        c.piece_count = 1;
    const uint32_t pieces = c.piece_count;
    c.next = bvpi_allocate((uint64_t)pieces * mesh->vertex_count, sizeof *c.next);
    if (c.next) {
        bvpi_parallel(thread_count, pieces, count_keys, &c);
        bvpi_parallel(thread_count, pieces, sum_keys, &c);
        for (uint32_t p = 0; p < pieces; p++)
            c.begin[p + 1] += c.begin[p];
        assert(c.begin[pieces] <= 3 * (uint64_t)mesh->triangle_count); /* a key for each edge */
        c.keys = bvpi_allocate(c.begin[pieces] + BVPI_BUCKET_MAX, sizeof *c.keys);
    }
    const bool ok = c.keys != NULL;
    if (ok) {
        memset(c.keys + c.begin[pieces], 0, BVPI_BUCKET_MAX * sizeof *c.keys);
        bvpi_parallel(thread_count, pieces, place_buckets, &c);
        bvpi_parallel(thread_count, pieces, put_keys, &c);
        bvpi_parallel(thread_count, pieces, count_buckets, &c);
    }
    for (uint32_t k = 0; k < c.piece_count; k++) {
        out->duplicate_count += c.out[k].duplicate_count;
        out->open_edge_count += c.out[k].open_edge_count;
        out->nonmanifold_edge_count += c.out[k].nonmanifold_edge_count;
    }
    free(c.next);
    free(c.keys);
    return ok;
}
