/* SPDX-License-Identifier: MIT
 * vertex_ranks.c: numbers the different vertices of all runs, in the order of their first use.
 *
 * A run knows which of its own vertices are equal. To find those that two runs share, all vertices
 * are dealt to buckets by a hash of their bits: equal ones meet in one bucket, and a bucket fits in
 * memory, where weld.c numbers it. What remains is one bit a vertex (is it the first of its kind?)
 * and a list of the others with their firsts. A vertex's number is the number of bits before it.
 *
 * Neighbouring runs share the vertices along their border, some per cent, so the lists are short;
 * where a model is shuffled they have nearly every vertex, and lie on disk as well. They are sorted
 * by place as they are made, so a pass over the runs reads each list once, from front to end.
 *
 * Held by tests/unit/test_large.c: the numbers of weld.c, for shuffled meshes and any memory.
 * Measured: decisions.md, "Larger than memory"
 */
#include "pack/large/vertex_ranks.h"

#include "base/large_array.h"
#include "base/status.h"
#include "pack/mesh/weld.h"

#include <assert.h>

enum {
    BUCKETS_MAX = 256,
    VERTEX_COST = 64,     /* bytes of memory for each vertex of a bucket that is being welded */
    BUFFER = 1 << 12,     /* records of a bucket that are written at once */
    READ_AHEAD = 1 << 11, /* pairs */
};

/* A vertex in its bucket. Places ascend, so 32 bits tell them. */
typedef struct record {
    uint8_t position[12];
    uint32_t place;
} record;

typedef struct repeat {
    uint64_t place, first;
} repeat;

typedef struct bucket {
    bvpi_scratch file;
    record *buffer;
    uint32_t buffered;
} bucket;

typedef struct ranking {
    const bvpi_spool *spool;
    const bvpi_large_means *means;
    bvpi_ranks *out;
    bucket buckets[BUCKETS_MAX];
    repeat buffer[READ_AHEAD];
    uint32_t buffered;
} ranking;

/* ---- buckets --------------------------------------------------------------------------------- */

/* Other bits than those by which weld.c tells vertices apart. */
static uint32_t bucket_of(const uint8_t *position, uint32_t count)
{
    uint32_t x[3];
    memcpy(x, position, sizeof x);
    const uint64_t mixed =
        (x[0] * UINT64_C(0xd6e8feb86659fd93) ^ x[1] * UINT64_C(0xa0761d6478bd642f)) +
        x[2] * UINT64_C(0xe7037ed1a0b428db);
    const uint64_t hash = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)((hash >> 32) * count >> 32);
}

static bvp_status flush_bucket(bucket *b, bvp_error *error)
{
    const size_t size = b->buffered * sizeof *b->buffer;
    b->buffered = 0;
    return bvpi_scratch_append(&b->file, b->buffer, size, error);
}

static bvp_status deal_runs(void *user, bvpi_run *runs, uint64_t first, uint32_t count,
                            bvp_error *error)
{
    ranking *r = user;
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < count; k++) {
        uint64_t place = r->out->first[first + k];
        r->out->first[first + k + 1] = place + runs[k].vertex_count;
        for (uint32_t v = 0; v < runs[k].vertex_count && status == BVP_OK; v++, place++) {
            const uint8_t *position = runs[k].positions + 12 * (size_t)v;
            bucket *b = &r->buckets[bucket_of(position, r->out->bucket_count)];
            record *added = &b->buffer[b->buffered++];
            memcpy(added->position, position, sizeof added->position);
            added->place = (uint32_t)place;
            if (b->buffered == BUFFER)
                status = flush_bucket(b, error);
        }
    }
    return status;
}

static bvp_status open_buckets(ranking *r, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < r->out->bucket_count && status == BVP_OK; k++) {
        bucket *b = &r->buckets[k];
        b->buffer = malloc(BUFFER * sizeof *b->buffer);
        status = b->buffer ? bvpi_scratch_open(r->means->folder, NULL, 0, &b->file, error)
                           : bvpi_error_memory(error, BUFFER * sizeof *b->buffer);
    }
    return status;
}

static void close_bucket(bucket *b)
{
    free(b->buffer);
    bvpi_scratch_close(&b->file);
    *b = (bucket){.file = BVPI_NO_SCRATCH};
}

/* ---- equal vertices -------------------------------------------------------------------------- */

static void set_bit(uint64_t *bits, uint64_t place)
{
    bits[place / 64] |= UINT64_C(1) << place % 64;
}

static bvp_status flush_repeats(ranking *r, bvp_error *error)
{
    const size_t size = r->buffered * sizeof *r->buffer;
    r->buffered = 0;
    return bvpi_scratch_append(&r->out->repeats, r->buffer, size, error);
}

/* numbers: of the records, in the order of first use. places: room for a place for each number. */
static bvp_status note_repeats(ranking *r, const record *records, uint32_t count,
                               const uint32_t *numbers, uint64_t *places, bvp_error *error)
{
    uint32_t seen = 0;
    uint64_t place = 0;
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < count && status == BVP_OK; i++) {
        place += records[i].place - (uint32_t)place; /* modulo 2^32: places ascend */
        assert(numbers[i] <= seen && place < r->spool->vertex_count);
        if (numbers[i] == seen) {
            set_bit(r->out->is_first, place);
            places[seen++] = place;
            continue;
        }
        const uint64_t first = places[numbers[i]];
        set_bit(r->out->is_shared, place);
        set_bit(r->out->is_shared, first);
        r->buffer[r->buffered++] = (repeat){place, first};
        if (r->buffered == READ_AHEAD)
            status = flush_repeats(r, error);
    }
    r->out->vertex_count += seen;
    return status == BVP_OK ? flush_repeats(r, error) : status;
}

static bvp_status weld_bucket(ranking *r, uint32_t idx, bvp_error *error)
{
    bucket *b = &r->buckets[idx];
    bvp_status status = flush_bucket(b, error);
    const uint64_t count = b->file.size / sizeof(record);
    if (status == BVP_OK && count > UINT32_MAX / 2)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "more than 2^31 vertices have one hash");
    record *records = bvpi_allocate(count, sizeof *records);
    uint32_t *numbers = bvpi_allocate(count, sizeof *numbers);
    uint64_t *places = bvpi_allocate(count, sizeof *places);
    if (status == BVP_OK && (!records || !numbers || !places))
        status = bvpi_error_memory(error, count * sizeof *records);
    if (status == BVP_OK)
        status = bvpi_scratch_read(&b->file, 0, records, count * sizeof *records, error);
    close_bucket(b); /* its blocks are free again */
    if (status == BVP_OK) {
        const bvpi_vertices v = {records->position, sizeof *records, 12, (uint32_t)count,
                                 3 * sizeof *records};
        uint8_t *positions = NULL;
        if (bvpi_weld(&v, NULL, count, r->means->thread_count, numbers, &positions) == UINT32_MAX)
            status = bvpi_error_memory(error, count * VERTEX_COST);
        free(positions);
    }
    if (status == BVP_OK)
        status = note_repeats(r, records, (uint32_t)count, numbers, places, error);
    r->out->bucket_end[idx] = r->out->repeats.size;
    free(records);
    free(numbers);
    free(places);
    return status;
}

static bvp_status weld_buckets(ranking *r, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < r->out->bucket_count && status == BVP_OK; k++) {
        status = bvpi_watch_goes_on(r->means->watch) ? weld_bucket(r, k, error)
                                                     : bvpi_error_cancelled(error);
        if (r->means->watch->progress && status == BVP_OK)
            r->means->watch->progress(r->means->watch->user, "weld", k + 1, r->out->bucket_count);
    }
    return status;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static uint64_t words_of(const bvpi_spool *spool)
{
    return spool->vertex_count / 64 + 1;
}

static void count_before(const bvpi_spool *spool, bvpi_ranks *out)
{
    uint64_t sum = 0;
    for (uint64_t word = 0; word < words_of(spool); word++) {
        out->before[word] = (uint32_t)sum;
        sum += (uint64_t)__builtin_popcountll(out->is_first[word]);
    }
    assert(sum == out->vertex_count);
}

static uint32_t rank_of(const bvpi_ranks *ranks, uint64_t place)
{
    const uint64_t below = (UINT64_C(1) << place % 64) - 1;
    return ranks->before[place / 64] +
           (uint32_t)__builtin_popcountll(ranks->is_first[place / 64] & below);
}

static bvp_status make_ranks(ranking *r, bvp_error *error)
{
    bvpi_ranks *out = r->out;
    const uint64_t words = words_of(r->spool);
    out->first = calloc(r->spool->runs.count + 1, sizeof *out->first);
    out->bucket_end = calloc(out->bucket_count, sizeof *out->bucket_end);
    bvp_status status = bvpi_scratch_open(r->means->folder, NULL, 0, &out->repeats, error);
    if (status == BVP_OK && (!out->first || !out->bucket_end))
        status = bvpi_error_memory(error, r->spool->runs.count * sizeof *out->first);
    if (status == BVP_OK)
        status = open_buckets(r, error);
    if (status == BVP_OK)
        status = bvpi_spool_visit(&r->spool->runs, r->means, deal_runs, r, error);
    if (status != BVP_OK)
        return status;
    out->is_first = calloc(words, sizeof *out->is_first);
    out->is_shared = calloc(words, sizeof *out->is_shared);
    out->before = calloc(words, sizeof *out->before);
    if (!out->is_first || !out->is_shared || !out->before)
        return bvpi_error_memory(error, words * sizeof *out->is_first);
    status = weld_buckets(r, error);
    if (status == BVP_OK && out->vertex_count >= UINT32_MAX)
        status = bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                                "the mesh has 2^32 - 1 different vertices or more; split it into "
                                "several parts");
    if (status == BVP_OK)
        count_before(r->spool, out);
    return status;
}

bvp_status bvpi_ranks_make(const bvpi_spool *spool, const bvpi_large_means *means, bvpi_ranks *out,
                           bvp_error *error)
{
    const uint64_t wanted = spool->vertex_count * VERTEX_COST / (means->memory / 2 + 1) + 1;
    *out = (bvpi_ranks){.repeats = BVPI_NO_SCRATCH,
                        .bucket_count = wanted < BUCKETS_MAX ? (uint32_t)wanted : BUCKETS_MAX};
    ranking *r = calloc(1, sizeof *r);
    if (!r)
        return bvpi_error_memory(error, sizeof *r);
    r->spool = spool;
    r->means = means;
    r->out = out;
    for (uint32_t k = 0; k < BUCKETS_MAX; k++)
        r->buckets[k].file = BVPI_NO_SCRATCH;
    const bvp_status status = make_ranks(r, error);
    for (uint32_t k = 0; k < BUCKETS_MAX; k++)
        close_bucket(&r->buckets[k]);
    free(r);
    return status;
}

void bvpi_ranks_close(bvpi_ranks *ranks)
{
    free(ranks->first);
    free(ranks->is_first);
    free(ranks->is_shared);
    free(ranks->before);
    free(ranks->bucket_end);
    bvpi_scratch_close(&ranks->repeats);
    *ranks = (bvpi_ranks){.repeats = BVPI_NO_SCRATCH};
}

/* ---- a pass over the runs -------------------------------------------------------------------- */

/* A bucket's pairs, from front to end. */
typedef struct bvpi_repeat_reader {
    uint64_t offset, end; /* in the file: what is not read yet */
    uint32_t at, count;   /* in `pairs` */
    repeat pairs[READ_AHEAD];
} bvpi_repeat_reader;

bvp_status bvpi_rank_cursor_start(const bvpi_ranks *ranks, bvpi_rank_cursor *out, bvp_error *error)
{
    *out = (bvpi_rank_cursor){.ranks = ranks};
    out->readers = malloc(ranks->bucket_count * sizeof *out->readers);
    if (!out->readers)
        return bvpi_error_memory(error, ranks->bucket_count * sizeof *out->readers);
    for (uint32_t k = 0; k < ranks->bucket_count; k++) {
        bvpi_repeat_reader *reader = &out->readers[k];
        reader->offset = k > 0 ? ranks->bucket_end[k - 1] : 0;
        reader->end = ranks->bucket_end[k];
        reader->at = reader->count = 0;
    }
    return BVP_OK;
}

void bvpi_rank_cursor_end(bvpi_rank_cursor *cursor)
{
    free(cursor->readers);
    *cursor = (bvpi_rank_cursor){.ranks = NULL};
}

/* Fills in the numbers of the places before `end`. */
static bvp_status take_repeats(const bvpi_ranks *ranks, bvpi_repeat_reader *reader, uint64_t begin,
                               uint64_t end, uint32_t *numbers, bvp_error *error)
{
    for (;;) {
        if (reader->at == reader->count) {
            const uint64_t left = (reader->end - reader->offset) / sizeof(repeat);
            reader->at = 0;
            reader->count = left < READ_AHEAD ? (uint32_t)left : READ_AHEAD;
            const size_t size = reader->count * sizeof *reader->pairs;
            const bvp_status status =
                bvpi_scratch_read(&ranks->repeats, reader->offset, reader->pairs, size, error);
            if (status != BVP_OK)
                return status;
            reader->offset += size;
            if (reader->count == 0)
                return BVP_OK;
        }
        const repeat *pair = &reader->pairs[reader->at];
        if (pair->place >= end)
            return BVP_OK;
        assert(pair->place >= begin && pair->first < pair->place);
        numbers[pair->place - begin] = rank_of(ranks, pair->first);
        reader->at++;
    }
}

bvp_status bvpi_rank_cursor_next(bvpi_rank_cursor *cursor, uint32_t **numbers, bvp_error *error)
{
    const bvpi_ranks *ranks = cursor->ranks;
    const uint64_t begin = ranks->first[cursor->next_run], end = ranks->first[cursor->next_run + 1];
    bvp_status status = BVP_OK;
    *numbers = malloc((end - begin) * sizeof **numbers + 1);
    if (!*numbers)
        return bvpi_error_memory(error, (end - begin) * sizeof **numbers);
    cursor->next_run++;
    uint32_t next = rank_of(ranks, begin);
    for (uint64_t place = begin; place < end; place++)
        if (bvpi_rank_bit(ranks->is_first, place))
            (*numbers)[place - begin] = next++;
    for (uint32_t k = 0; k < ranks->bucket_count && status == BVP_OK; k++)
        status = take_repeats(ranks, &cursor->readers[k], begin, end, *numbers, error);
    if (status != BVP_OK) {
        free(*numbers);
        *numbers = NULL;
    }
    return status;
}
