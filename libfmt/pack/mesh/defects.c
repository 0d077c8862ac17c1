/* SPDX-License-Identifier: MIT
 * defects.c: counts open edges, non-manifold edges, duplicate triangles; decides degeneracy
 * exactly.
 *
 * Every edge goes into the bucket of its smaller vertex, with a key made of the other vertex (upper
 * half) and the third corner of its triangle (lower half): edge_keys.h. Most buckets need no
 * sorting: in defects_kernel.c a glance tells that all their edges have two triangles.
 *
 * The keys of all edges would take 24 bytes a triangle. So they are made in rounds, each over a
 * range of vertices whose keys and counters fit in BYTES a triangle. A first pass finds what lies
 * in each bin of vertices, from which the ranges are cut, and the vertices that each run of
 * triangles refers to: a round passes over the runs that refer to its range only. Welded meshes
 * number neighbours alike, so that is little more than one pass in all rounds together.
 *
 * A round is a counting sort, in parallel passes: each piece of its triangles counts its keys for
 * each vertex, prefix sums turn counts into places, each piece writes its keys. A piece's places
 * follow those of the pieces before it, so the result is the same for any number of threads.
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
#include "base/parallel.h"
#include "base/sum.h"
#include "base/large_array.h"
#include "pack/mesh/defects_kernel.h"
#include "pack/mesh/edge_keys.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE_MAX = 8, /* each has a counter for each vertex of a round */
    RUN = 1 << 10, /* triangles of which it is known to which vertices they refer */
    BIN_MAX = 1 << 14,
    BYTES = 6,            /* of a round's keys and counters, for each triangle of the mesh */
    ROUND_LEAST = 1 << 21 /* bytes; a smaller round is not worth a pass */
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

/* ---- runs and rounds ------------------------------------------------------------------------- */

/* The vertices that may get keys from a run of triangles: begin .. end - 1. */
typedef struct run_range {
    uint32_t begin, end;
} run_range;

/* State of the count. A piece is a part of a round's triangles, and in other passes of its
 * vertices. Keys of one piece come after those of the pieces before it in the same bucket. */
typedef struct counting {
    const bvpi_mesh *mesh;
    uint32_t piece_count;
    run_range *runs;
    uint32_t run_count;
    uint32_t bin_shift, bin_count; /* a bin has 1 << bin_shift vertices */
    uint64_t *bins;                /* for each piece: how many keys the vertices of each bin have */
    uint32_t begin, end;           /* the vertices of the round */
    uint32_t *round_runs;          /* the runs that may have keys for them */
    uint32_t round_run_count;
    uint32_t *next; /* for each piece and vertex: first the number of keys, then where the next one
                       goes */
    uint64_t *keys;
    uint32_t first[PIECE_MAX + 1]; /* for the vertices of each piece: where their keys begin */
    bvpi_defects out[PIECE_MAX];
} counting;

static uint32_t cut(uint32_t count, uint32_t piece, const counting *c)
{
    return (uint32_t)((uint64_t)count * piece / c->piece_count);
}

static uint32_t vertex_cut(const counting *c, uint32_t piece)
{
    return cut(c->end - c->begin, piece, c);
}

static uint32_t *next_of(const counting *c, uint32_t piece)
{
    return c->next + (uint64_t)piece * (c->end - c->begin);
}

static uint64_t run_end(const counting *c, uint32_t run)
{
    const uint64_t end = RUN * ((uint64_t)run + 1);
    return end < c->mesh->triangle_count ? end : c->mesh->triangle_count;
}

/* Sets the ranges of the piece's runs and counts its keys for each bin. */
static void survey_runs(void *user, uint32_t piece)
{
    const counting *c = user;
    const bvpi_mesh *m = c->mesh;
    uint64_t *bins = c->bins + (uint64_t)piece * c->bin_count;
    const uint32_t last = cut(c->run_count, piece + 1, c);
    for (uint32_t run = cut(c->run_count, piece, c); run < last; run++) {
        uint32_t least = UINT32_MAX, most = 0;
        for (uint64_t i = RUN * (uint64_t)run; i < run_end(c, run); i++) {
            uint32_t v[3];
            bvpi_edge_order(m->indices + 3 * i, v);
            const bool edges = bvpi_edge_exists(v);
            bins[v[0] >> c->bin_shift] += edges ? 2 : 1;
            bins[v[1] >> c->bin_shift] += edges;
            least = v[0] < least ? v[0] : least;
            most = v[1] > most ? v[1] : most;
        }
        c->runs[run] = (run_range){least, most + 1};
    }
}

static uint64_t round_size(const counting *c, uint64_t key_count, uint64_t vertex_count)
{
    return key_count * sizeof *c->keys + c->piece_count * vertex_count * sizeof *c->next;
}

/* Sets c->end: from c->begin on as many bins as fit in `most` bytes, but at least one. Returns how
 * many keys their vertices have. */
static uint64_t cut_round(counting *c, uint64_t most)
{
    uint64_t count = 0, end = c->begin;
    for (uint32_t bin = c->begin >> c->bin_shift; bin < c->bin_count; bin++) {
        uint64_t here = 0;
        for (uint32_t piece = 0; piece < c->piece_count; piece++)
            here += c->bins[(uint64_t)piece * c->bin_count + bin];
        const uint64_t after = ((uint64_t)bin + 1) << c->bin_shift;
        if (bin > c->begin >> c->bin_shift && round_size(c, count + here, after - c->begin) > most)
            break;
        count += here;
        end = after < c->mesh->vertex_count ? after : c->mesh->vertex_count;
    }
    c->end = (uint32_t)end;
    return count;
}

/* ---- buckets -------------------------------------------------------------------------------- */

static void count_keys(void *user, uint32_t piece)
{
    const counting *c = user;
    const uint32_t begin = c->begin, size = c->end - c->begin;
    const uint32_t last = cut(c->round_run_count, piece + 1, c);
    uint32_t *count = next_of(c, piece);
    memset(count, 0, size * sizeof *count);
    for (uint32_t k = cut(c->round_run_count, piece, c); k < last; k++) {
        const uint64_t end = run_end(c, c->round_runs[k]);
        for (uint64_t i = RUN * (uint64_t)c->round_runs[k]; i < end; i++) {
            uint32_t v[3];
            bvpi_edge_order(c->mesh->indices + 3 * i, v);
            const bool edges = bvpi_edge_exists(v);
            if (v[0] - begin < size)
                count[v[0] - begin] += edges ? 2 : 1;
            if (v[1] - begin < size)
                count[v[1] - begin] += edges;
        }
    }
}

/* The number of keys of the piece's vertices. */
static void sum_keys(void *user, uint32_t piece)
{
    counting *c = user;
    uint32_t sum = 0;
    for (uint32_t p = 0; p < c->piece_count; p++)
        for (uint32_t k = vertex_cut(c, piece); k < vertex_cut(c, piece + 1); k++)
            sum += next_of(c, p)[k];
    c->first[piece + 1] = sum;
}

static void place_buckets(void *user, uint32_t piece)
{
    const counting *c = user;
    uint32_t sum = c->first[piece];
    for (uint32_t k = vertex_cut(c, piece); k < vertex_cut(c, piece + 1); k++)
        for (uint32_t p = 0; p < c->piece_count; p++) {
            uint32_t *next = next_of(c, p) + k;
            const uint32_t count = *next;
            *next = sum;
            sum += count;
        }
}

/* Afterwards, the last piece's `next` of a vertex is the end of its bucket. */
static void put_keys(void *user, uint32_t piece)
{
    const counting *c = user;
    const uint32_t begin = c->begin, size = c->end - c->begin;
    const uint32_t last = cut(c->round_run_count, piece + 1, c);
    uint32_t *next = next_of(c, piece);
    for (uint32_t k = cut(c->round_run_count, piece, c); k < last; k++) {
        const uint64_t end = run_end(c, c->round_runs[k]);
        for (uint64_t i = RUN * (uint64_t)c->round_runs[k]; i < end; i++) {
            uint32_t v[3];
            bvpi_edge_order(c->mesh->indices + 3 * i, v);
            const bool edges = bvpi_edge_exists(v);
            if (v[0] - begin < size) {
                uint32_t *at = &next[v[0] - begin];
                c->keys[*at] = bvpi_edge_key_of(v[1], v[2]);
                if (edges)
                    c->keys[*at + 1] = bvpi_edge_key_of(v[2], v[1]);
                *at += edges ? 2 : 1;
            }
            if (edges && v[1] - begin < size)
                c->keys[next[v[1] - begin]++] = bvpi_edge_key_of(v[2], v[0]);
        }
    }
}

/* ---- counting ------------------------------------------------------------------------------- */

static void count_buckets(void *user, uint32_t piece)
{
    counting *c = user;
    const uint32_t *ends = next_of(c, c->piece_count - 1);
    const uint32_t last = vertex_cut(c, piece + 1);
    uint64_t begin = c->first[piece];
    bvpi_defects out = c->out[piece];
    const bvpi_defects_kernel *kernel = BVPI_ISA_CHOOSE(bvpi_defects_kernel, bvpi_isa_of_cpu());
    for (uint32_t k = vertex_cut(c, piece); k < last; k++) {
        k = kernel->pass(c->keys, ends, k, last, &begin);
        if (k == last)
            break;
        assert(begin <= ends[k]);
        bvpi_count_edges(c->keys + begin, ends[k] - begin, c->begin + k, &out);
        begin = ends[k];
    }
    assert(begin == c->first[piece + 1]); /* every key was put */
    c->out[piece] = out;
}

/* key_count: from cut_round */
static void count_round(counting *c, uint32_t thread_count, uint64_t key_count)
{
    const uint32_t pieces = c->piece_count;
    c->round_run_count = 0;
    for (uint32_t run = 0; run < c->run_count; run++)
        if (c->runs[run].begin < c->end && c->runs[run].end > c->begin)
            c->round_runs[c->round_run_count++] = run;
    bvpi_parallel(thread_count, pieces, count_keys, c);
    bvpi_parallel(thread_count, pieces, sum_keys, c);
    for (uint32_t p = 0; p < pieces; p++)
        c->first[p + 1] += c->first[p];
    assert(c->first[pieces] == key_count);
    memset(c->keys + key_count, 0, BVPI_BUCKET_MAX * sizeof *c->keys);
    bvpi_parallel(thread_count, pieces, place_buckets, c);
    bvpi_parallel(thread_count, pieces, put_keys, c);
    bvpi_parallel(thread_count, pieces, count_buckets, c);
}

/* Makes the arrays as large as the largest round needs. A round of 2^32 keys is refused: it would
 * take more than 2^30 triangles at the vertices of one bin, and 34 GB. */
static bool make_room(counting *c, uint64_t most)
{
    uint64_t keys = 0, vertices = 0;
    for (c->begin = 0; c->begin < c->mesh->vertex_count; c->begin = c->end) {
        const uint64_t count = cut_round(c, most);
        keys = count > keys ? count : keys;
        vertices = c->end - c->begin > vertices ? c->end - c->begin : vertices;
    }
    if (keys > UINT32_MAX)
        return false;
    c->keys = bvpi_allocate(keys + BVPI_BUCKET_MAX, sizeof *c->keys);
    c->next = bvpi_allocate(c->piece_count * vertices, sizeof *c->next);
    c->round_runs = bvpi_allocate(c->run_count, sizeof *c->round_runs);
    return c->keys && c->next && c->round_runs;
}

bool bvpi_count_defects(const bvpi_mesh *mesh, uint32_t thread_count, bvpi_defects *out)
{
    counting c = {.mesh = mesh, .run_count = mesh->triangle_count / RUN + 1};
    c.piece_count = thread_count < PIECE_MAX ? thread_count : PIECE_MAX;
    if (c.piece_count > c.run_count / 16)
        c.piece_count = c.run_count / 16;
    if (c.piece_count == 0)
        c.piece_count = 1;
    while (mesh->vertex_count >> c.bin_shift >= BIN_MAX)
        c.bin_shift++;
    c.bin_count = (mesh->vertex_count >> c.bin_shift) + 1;
    uint64_t most = BYTES * (uint64_t)mesh->triangle_count;
    most = most < ROUND_LEAST ? ROUND_LEAST : most;
    c.runs = bvpi_allocate(c.run_count, sizeof *c.runs);
    c.bins = calloc((uint64_t)c.piece_count * c.bin_count, sizeof *c.bins);
    bool ok = c.runs && c.bins;
    if (ok) {
        bvpi_parallel(thread_count, c.piece_count, survey_runs, &c);
        ok = make_room(&c, most);
    }
    for (c.begin = 0; ok && c.begin < mesh->vertex_count; c.begin = c.end) {
        const uint64_t key_count = cut_round(&c, most);
        count_round(&c, thread_count, key_count);
    }
    *out = (bvpi_defects){0};
    for (uint32_t k = 0; k < c.piece_count; k++) {
        out->duplicate_count += c.out[k].duplicate_count;
        out->open_edge_count += c.out[k].open_edge_count;
        out->nonmanifold_edge_count += c.out[k].nonmanifold_edge_count;
    }
    free(c.runs);
    free(c.bins);
    free(c.round_runs);
    free(c.next);
    free(c.keys);
    return ok;
}
