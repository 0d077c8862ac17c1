/* SPDX-License-Identifier: MIT
 * edge_count.c: counts the defects of a mesh that is not in memory.
 *
 * An edge of which one end is in one run only has all its triangles in that run: it is counted
 * there. The others, whose two ends are in several runs, are dealt to buckets by their smaller end
 * and counted when all runs are through. Which edges these are depends on the vertices alone, so
 * all triangles of an edge, and all copies of a triangle, go the same way.
 *
 * In a run, vertices are renamed so that small numbers keep the order that they have in the mesh;
 * so a triangle's keys are the same in both ways.
 *
 * Slow twin: mesh/defects.c, tests/unit/test_large.c.
 */
#include "pack/large/edge_count.h"

#include "base/large_array.h"
#include "base/parallel.h"
#include "base/status.h"
#include "pack/mesh/edge_keys.h"

#include <stdlib.h>

enum {
    BUCKETS_MAX = 256,
    KEY_COST = 24, /* bytes of memory for each key of a bucket that is being counted */
    BUFFER = 1 << 12
};

typedef struct spilled {
    uint32_t vertex, other, third;
} spilled;

typedef struct bucket {
    bvpi_scratch file;
    spilled *buffer;
    uint32_t buffered;
} bucket;

/* What one run leaves. */
typedef struct of_run {
    spilled *keys; /* owned */
    uint32_t count;
    bvpi_defects defects;
    bool failed;
} of_run;

struct bvpi_edge_count {
    const bvpi_ranks *ranks;
    const bvpi_large_means *means;
    uint32_t bucket_count;
    bucket buckets[BUCKETS_MAX];
    bvpi_defects defects;
    /* of the group that is being added */
    const bvpi_run *runs;
    uint64_t first;
    uint32_t *const *numbers;
    of_run of[BVPI_RUN_GROUP];
};

static void add_defects(bvpi_defects *sum, const bvpi_defects *more)
{
    sum->duplicate_count += more->duplicate_count;
    sum->open_edge_count += more->open_edge_count;
    sum->nonmanifold_edge_count += more->nonmanifold_edge_count;
}

/* ---- in one run ------------------------------------------------------------------------------ */

typedef struct named {
    uint32_t number, vertex;
} named;

static int by_number(const void *a, const void *b)
{
    const uint32_t x = ((const named *)a)->number, y = ((const named *)b)->number;
    return (x > y) - (x < y);
}

/* ranks[v]: the place of vertex v among the run's vertices by number. Those that an earlier run has
 * come before those that are new, which ascend. */
static bool rank_vertices(const bvpi_ranks *all, uint64_t place, const uint32_t *numbers,
                          uint32_t count, uint32_t *ranks)
{
    uint32_t old_count = 0;
    named *old = malloc(count * sizeof *old + 1);
    if (!old)
        return false;
    for (uint32_t v = 0; v < count; v++)
        if (!bvpi_rank_bit(all->is_first, place + v))
            old[old_count++] = (named){numbers[v], v};
    qsort(old, old_count, sizeof *old, by_number);
    for (uint32_t i = 0; i < old_count; i++)
        ranks[old[i].vertex] = i;
    for (uint32_t v = 0, next = old_count; v < count; v++)
        if (bvpi_rank_bit(all->is_first, place + v))
            ranks[v] = next++;
    free(old);
    return true;
}

/* Sorts keys by their vertices, lo .. hi - 1, and counts. ends: room for hi - lo counters; keys:
 * for all keys. `put` is called twice with the same keys. */
typedef struct sorting {
    uint32_t lo, hi;
    uint64_t *ends, *keys;
} sorting;

static bool start_sorting(sorting *s, uint32_t lo, uint32_t hi, uint64_t key_count)
{
    s->lo = lo;
    s->hi = hi;
    s->ends = calloc((uint64_t)(hi - lo) + 1, sizeof *s->ends);
    s->keys = malloc(key_count * sizeof *s->keys + 1);
    return s->ends && s->keys;
}

/* Counts become places. */
static void place_buckets(sorting *s)
{
    uint64_t sum = 0;
    for (uint64_t v = 0; v <= s->hi - s->lo; v++) {
        const uint64_t count = s->ends[v];
        s->ends[v] = sum;
        sum += count;
    }
}

static void end_sorting(sorting *s, bvpi_defects *out)
{
    uint64_t begin = 0;
    for (uint64_t v = 0; v < s->hi - s->lo && out; v++) {
        bvpi_count_edges(s->keys + begin, s->ends[v] - begin, s->lo + (uint32_t)v, out);
        begin = s->ends[v];
    }
    free(s->ends);
    free(s->keys);
}

static void count_run(void *user, uint32_t piece)
{
    bvpi_edge_count *c = user;
    const bvpi_run *run = &c->runs[piece];
    const uint32_t *numbers = c->numbers[piece], vertex_count = run->vertex_count;
    const uint64_t place = c->ranks->first[c->first + piece];
    of_run *out = &c->of[piece];
    *out = (of_run){.failed = true};
    uint32_t *ranks = malloc(vertex_count * sizeof *ranks + 1);
    uint32_t *vertex_of = malloc(vertex_count * sizeof *vertex_of + 1);
    sorting s;
    bool ok = start_sorting(&s, 0, vertex_count, 3 * (uint64_t)run->triangle_count) && ranks &&
              vertex_of && rank_vertices(c->ranks, place, numbers, vertex_count, ranks);
    out->keys = ok ? malloc(3 * (uint64_t)run->triangle_count * sizeof *out->keys + 1) : NULL;
    ok = ok && out->keys;
    for (uint32_t v = 0; v < vertex_count && ok; v++)
        vertex_of[ranks[v]] = v;
    for (int pass = 0; pass < 2 && ok; pass++) {
        for (uint32_t i = 0; i < run->triangle_count; i++) {
            const uint32_t *index = run->indices + 3 * (size_t)i;
            const uint32_t by_rank[3] = {ranks[index[0]], ranks[index[1]], ranks[index[2]]};
            bvpi_edge_key keys[3];
            const uint32_t count = bvpi_edge_keys(by_rank, keys);
            for (uint32_t k = 0; k < count; k++) {
                const uint32_t v = vertex_of[keys[k].vertex];
                const uint32_t other = vertex_of[keys[k].key >> 32];
                const bool is_spilled = bvpi_rank_bit(c->ranks->is_shared, place + v) &&
                                        bvpi_rank_bit(c->ranks->is_shared, place + other);
                if (pass == 0 && is_spilled)
                    out->keys[out->count++] = (spilled){numbers[v], numbers[other],
                                                        numbers[vertex_of[(uint32_t)keys[k].key]]};
                if (!is_spilled && pass == 0)
                    s.ends[keys[k].vertex]++;
                else if (!is_spilled)
                    s.keys[s.ends[keys[k].vertex]++] = keys[k].key;
            }
        }
        if (pass == 0)
            place_buckets(&s);
    }
    end_sorting(&s, ok ? &out->defects : NULL);
    free(ranks);
    free(vertex_of);
    out->failed = !ok;
}

/* ---- across runs ----------------------------------------------------------------------------- */

/* Bucket k has the vertices from k * all / buckets, rounded up, on. */
static uint32_t bucket_begin(const bvpi_edge_count *c, uint32_t k)
{
    return (uint32_t)((c->ranks->vertex_count * k + c->bucket_count - 1) / c->bucket_count);
}

static bvp_status flush_bucket(bucket *b, bvp_error *error)
{
    const size_t size = b->buffered * sizeof *b->buffer;
    b->buffered = 0;
    return bvpi_scratch_append(&b->file, b->buffer, size, error);
}

static bvp_status spill(bvpi_edge_count *c, const of_run *of, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < of->count && status == BVP_OK; i++) {
        const uint64_t k = (uint64_t)of->keys[i].vertex * c->bucket_count / c->ranks->vertex_count;
        bucket *b = &c->buckets[k];
        b->buffer[b->buffered++] = of->keys[i];
        if (b->buffered == BUFFER)
            status = flush_bucket(b, error);
    }
    return status;
}

bvp_status bvpi_edge_count_add(bvpi_edge_count *c, const bvpi_run *runs, uint64_t first,
                               uint32_t count, uint32_t *const *numbers, bvp_error *error)
{
    bvp_status status = BVP_OK;
    c->runs = runs;
    c->first = first;
    c->numbers = numbers;
    bvpi_parallel(c->means->thread_count, count, count_run, c);
    for (uint32_t k = 0; k < count; k++) {
        if (status == BVP_OK && c->of[k].failed)
            status = bvpi_error_memory(error, 24 * (uint64_t)runs[k].triangle_count);
        add_defects(&c->defects, &c->of[k].defects);
        if (status == BVP_OK)
            status = spill(c, &c->of[k], error);
        free(c->of[k].keys);
        c->of[k].keys = NULL;
    }
    return status;
}

static bvp_status count_bucket(bvpi_edge_count *c, uint32_t idx, bvp_error *error)
{
    bucket *b = &c->buckets[idx];
    bvp_status status = flush_bucket(b, error);
    const uint64_t count = b->file.size / sizeof(spilled);
    const uint32_t lo = bucket_begin(c, idx), hi = bucket_begin(c, idx + 1);
    sorting s;
    if (status != BVP_OK || count == 0)
        return status;
    spilled *keys = malloc(count * sizeof *keys);
    const bool ok = start_sorting(&s, lo, hi, count) && keys;
    status = ok ? bvpi_scratch_read(&b->file, 0, keys, count * sizeof *keys, error)
                : bvpi_error_memory(error, count * KEY_COST);
    bvpi_scratch_close(&b->file);
    for (int pass = 0; pass < 2 && status == BVP_OK; pass++) {
        for (uint64_t i = 0; i < count; i++) {
            uint64_t *end = &s.ends[keys[i].vertex - lo];
            if (pass == 1)
                s.keys[*end] = bvpi_edge_key_of(keys[i].other, keys[i].third);
            ++*end;
        }
        if (pass == 0)
            place_buckets(&s);
    }
    end_sorting(&s, status == BVP_OK ? &c->defects : NULL);
    free(keys);
    return status;
}

bvp_status bvpi_edge_count_end(bvpi_edge_count *c, bvpi_defects *out, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < c->bucket_count && status == BVP_OK; k++)
        status = bvpi_watch_goes_on(c->means->watch) ? count_bucket(c, k, error)
                                                     : bvpi_error_cancelled(error);
    *out = c->defects;
    return status;
}

bvp_status bvpi_edge_count_new(const bvpi_ranks *ranks, uint64_t triangle_count,
                               const bvpi_large_means *means, bvpi_edge_count **out,
                               bvp_error *error)
{
    const uint64_t wanted = 3 * triangle_count * KEY_COST / (means->memory / 2 + 1) + 1;
    bvpi_edge_count *c = calloc(1, sizeof *c);
    bvp_status status = BVP_OK;
    *out = c;
    if (!c)
        return bvpi_error_memory(error, sizeof *c);
    c->ranks = ranks;
    c->means = means;
    c->bucket_count = wanted < BUCKETS_MAX ? (uint32_t)wanted : BUCKETS_MAX;
    for (uint32_t k = 0; k < c->bucket_count; k++)
        c->buckets[k].file = BVPI_NO_SCRATCH;
    for (uint32_t k = 0; k < c->bucket_count && status == BVP_OK; k++) {
        c->buckets[k].buffer = malloc(BUFFER * sizeof(spilled));
        status = c->buckets[k].buffer
                     ? bvpi_scratch_open(means->folder, NULL, 0, &c->buckets[k].file, error)
                     : bvpi_error_memory(error, BUFFER * sizeof(spilled));
    }
    return status;
}

void bvpi_edge_count_free(bvpi_edge_count *c)
{
    for (uint32_t k = 0; c && k < c->bucket_count; k++) {
        free(c->buckets[k].buffer);
        bvpi_scratch_close(&c->buckets[k].file);
    }
    free(c);
}
