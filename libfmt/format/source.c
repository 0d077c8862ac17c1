/* SPDX-License-Identifier: MIT
 * source.c: files whose bytes a source gives when they are first read: opening, and
 * the calls on them. What is read, and when it goes, is in source_chunks.c; what comes with it, in
 * source_ahead.c.
 *
 * Such a file lies in a slice of the arena (arena.h), as long as itself.
 *
 * A file that is too long for the addresses, as in a browser, has several slices: one for the
 * tables before DATA, one for those behind BINH, and windows, for a part's bytes each or for those
 * of small neighbours. A window comes when a part is opened (bvpi_source_window), stays as long as
 * a call may know it, and goes when the windows have become too many and no call runs. So a file
 * needs addresses for its tables and for the parts that one call looks at.
 *
 * Opening reads the head with the first block, and everything from the block in which HASH begins:
 * these stay. HASH is checked against the root hash, and then each chunk against HASH: bytes that
 * are damaged, or of another file, are never read by a query.
 *
 * Locks: `lock` of each source guards all that is in it. States of chunks are also read without a
 * lock (arena.h): they become readable only after their bytes have arrived. A source's functions
 * run under its lock.
 *
 * Held by tests/property/test_source*.c.
 * Spec: format.md, chapter "Hashes"
 * Measured: decisions.md, "Sources of bytes"
 */
#include "format/source_cache.h"

#include "base/checked.h"
#include "base/status.h"
#include "format/header.h"
#include "format/lazy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS_LEAST = 32 };
#define DEFAULT_CACHE (UINT64_C(64) << 20)

/* ---- calls ----------------------------------------------------------------------------------- */

void bvpi_source_enter(bvpi_call *call, int which)
{
    bvpi_source *s = call->source[which];
    pthread_mutex_lock(&s->lock);
    bvpi_source_make_room(s);
    bvpi_source_close_windows(s);
    s->is_failing = false;
    s->expected_count = 0;
    call->turn[which] = s->turn;
    call->misses[which] = s->misses;
    s->running[s->turn & 1]++;
    pthread_mutex_unlock(&s->lock);
}

bvp_status bvpi_source_leave(bvpi_call *call, int which, bvp_status status)
{
    bvpi_source *s = call->source[which];
    pthread_mutex_lock(&s->lock);
    assert(s->running[call->turn[which] & 1] > 0);
    s->running[call->turn[which] & 1]--;
    bvpi_source_let_go(s);
    if (s->misses != call->misses[which])
        status = s->last.status;
    pthread_mutex_unlock(&s->lock);
    return status;
}

bool bvpi_source_missed(const bvpi_call *call)
{
    for (int i = 0; i < 2; i++)
        if (call->source[i] &&
            __atomic_load_n(&call->source[i]->misses, __ATOMIC_RELAXED) != call->misses[i])
            return true;
    return false;
}

bvp_status bvp_get_source_error(const bvp_file *file, bvp_error *error)
{
    bvpi_source *s = file->source;
    if (!s)
        return BVP_ERR_ARGUMENT;
    pthread_mutex_lock(&s->lock);
    *error = s->last;
    pthread_mutex_unlock(&s->lock);
    return BVP_OK;
}

bvp_status bvpi_source_explain(const bvp_file *file, bvp_error *error)
{
    bvp_error last;
    (void)bvp_get_source_error(file, &last);
    if (error)
        *error = last;
    return last.status;
}

bvp_status bvpi_source_refuse(const bvp_file *file, bvp_error *error)
{
    if (!file->source)
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "the bytes of a file from a source cannot be copied from here: copy the "
                          "source, and open the copy");
}

/* ---- opening --------------------------------------------------------------------------------- */

bvp_status bvpi_source_check(const bvp_source *given, const bvp_open_options *options,
                             bvp_error *error)
{
    if (!given || !given->read)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the source has no function to read with");
    if (!bvpi_is_zero(given->reserved, sizeof given->reserved))
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "reserved fields of the source are not zero");
    if (options->overlay)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "a file from a source cannot be refitted: open a copy of it");
    return BVP_OK;
}

bvp_status bvpi_source_failed(bvp_error *said, bvp_status status, bvp_error *error)
{
    if (said->message[0] == '\0')
        bvpi_error_set(said, status, said->offset, "", "the source gave no bytes (%s)",
                       bvp_status_name(status));
    said->status = status;
    if (error)
        *error = *said;
    return status;
}

/* Of the head and the first block, which come together. */
static bvp_status read_head(bvpi_source *s, bvp_file *file, bvp_error *error)
{
    bvp_status status = bvpi_source_read(s, &s->front, 0, UINT64_MAX, s->count > 1 ? 1 : 0, error);
    if (status == BVP_OK)
        status = bvpi_check_head(file, bvpi_chunk_address(&s->front, 0), error);
    return status;
}

static bool is_in_windows(enum bvpd_section_index kind)
{
    return kind == BVPD_DATA || kind == BVPD_TIDS || kind == BVPD_BINH;
}

/* Slices for what comes before and behind the sections that have windows; the head and the first
 * block move into the former. */
static bvp_status take_tables(bvpi_source *s, bvp_file *file, bvp_error *error)
{
    const bvpd_header *h = &file->header;
    uint64_t begin = file->size, end = 0; /* of what has windows */
    for (enum bvpd_section_index kind = BVPD_DATA; kind <= BVPD_BINH; kind++) {
        const uint32_t entry = bvpi_find_section(h, kind);
        if (entry >= h->section_count)
            continue;
        const bvpd_section *section = &h->sections[entry];
        begin = section->offset < begin ? section->offset : begin;
        end = section->offset + section->size > end ? section->offset + section->size : end;
    }
    const uint64_t there = s->front.count;
    const size_t size = (size_t)there << BVPI_CHUNK_SHIFT;
    uint8_t *bytes = malloc(size);
    if (!bytes)
        return bvpi_error_memory(error, size);
    memcpy(bytes, s->front.bytes, size);
    bvpi_slice_return(&s->front);
    s->front.sibling = &s->back;
    s->front.count = bvpi_chunk_at(begin) + 1;
    s->front.count = s->front.count < there ? there : s->front.count;
    s->front.count = s->front.count < s->count ? s->front.count : s->count;
    s->back.owner = s;
    s->back.first = bvpi_chunk_at(end < file->size ? end : file->size - 1);
    s->back.count = s->count - s->back.first;
    bvp_status status = bvpi_slice_take(&s->front, error);
    if (status == BVP_OK)
        status = bvpi_slice_take(&s->back, error);
    if (status == BVP_OK) {
        memcpy(s->front.bytes, bytes, size);
        for (uint64_t k = 0; k < there; k++)
            bvpi_chunk_set_state(&s->front, k, BVPI_CHUNK_USED);
        file->base = bvpi_chunk_address(&s->front, 0);
    }
    free(bytes);
    return status;
}

/* The slices of a file with windows are none that base + offset finds. */
static void place_span(const bvpi_source *s, bvpi_span *span, uint64_t offset, bool in_windows)
{
    if (span->size == 0)
        span->data = s->file->base;
    else if (in_windows)
        span->data = NULL;
    else
        span->data = bvpi_chunk_address(
            bvpi_chunk_at(offset) >= s->back.first ? &s->back : &s->front, offset);
}

static void place_spans(const bvpi_source *s, bvp_file *file)
{
    const bvpd_header *h = &file->header;
    for (enum bvpd_section_index kind = BVPD_PART; kind < BVPD_SECTION_COUNT; kind++) {
        const uint32_t entry = bvpi_find_section(h, kind);
        place_span(s, &file->section[kind],
                   entry < h->section_count ? h->sections[entry].offset : 0, is_in_windows(kind));
    }
    const uint32_t digests = bvpi_find_digests(h);
    place_span(s, &file->digests, digests < h->section_count ? h->sections[digests].offset : 0,
               false);
}

/* Everything from the block in which HASH begins; then the first block is checked, too. */
static bvp_status read_hashes(bvpi_source *s, bvp_file *file, bvp_error *error)
{
    bvpi_slice *slice = s->is_windowed ? &s->back : &s->front;
    const uint64_t hashed = bvpi_source_offset(file, file->section[BVPD_HASH].data);
    const uint64_t first = bvpi_chunk_at(hashed);
    uint64_t absent = first - slice->first;
    bvp_status status = BVP_OK;
    /* A head that lies must not make us read gigabytes. */
    if (file->size - hashed > 8 * first + 2 * BVPI_CHUNK_SIZE)
        return bvpi_error_set(error, BVP_ERR_CORRUPT, hashed, "HSH-1",
                              "%" PRIu64 " bytes follow where the hashes of %" PRIu64
                              " blocks begin",
                              file->size - hashed, first);
    while (absent < slice->count && bvpi_chunk_state_of(slice, absent) != BVPI_CHUNK_ABSENT)
        absent++;
    if (absent < slice->count)
        status = bvpi_source_read(s, slice, absent, UINT64_MAX, slice->count - 1, error);
    if (status != BVP_OK)
        return status;
    if (!bvpi_hashes_are_good(file))
        return bvpi_error_set(error, BVP_ERR_CORRUPT, offsetof(bvpd_header, root_hash), "HSH-1",
                              "the block hashes are not what the header's root hash says");
    s->is_checked = true;
    bvpi_chunk_keep(s, &s->front, 0);
    for (uint64_t k = first - slice->first; k < slice->count; k++)
        bvpi_chunk_keep(s, slice, k);
    return bvpi_source_check_arrived(file, error);
}

static void set_limits(bvpi_source *s)
{
    const uint64_t given = s->given.cache > 0 ? s->given.cache : DEFAULT_CACHE;
    const uint64_t grain = s->given.grain >> BVPI_CHUNK_SHIFT;
    const uint64_t chunks = given >> BVPI_CHUNK_SHIFT;
    const uint64_t most = chunks > CHUNKS_LEAST ? chunks : CHUNKS_LEAST;
    s->limit = s->kept + most;
    s->goal = s->kept + most / 2;
    s->grain = grain < 1 ? 1 : grain < BVPI_RUN_MOST ? grain : BVPI_RUN_MOST;
}

bvp_status bvpi_source_open(bvp_file *file, const bvp_source *given,
                            const bvp_open_options *options, const bvpi_span *first,
                            bvp_error *error)
{
    bvp_status status;
    bvpi_source *s = calloc(1, sizeof *s);
    if (!s)
        return bvpi_error_memory(error, sizeof *s);
    file->source = s;
    file->isa = BVPI_ISA_BASELINE; /* the kernels that ask before they read */
    pthread_mutex_init(&s->lock, NULL);
    s->given = *given;
    s->offset = options->offset;
    s->file = file;
    s->first = *first;
    file->size = given->size < options->offset ? 0 : given->size - options->offset;
    if (options->size != 0 && options->size < file->size)
        file->size = options->size;
    if (file->size < BVPD_HEADER_SIZE)
        return bvpi_error_set(error, BVP_ERR_NOT_OURS, BVPI_NO_OFFSET, "HDR-1",
                              "the source has %" PRIu64 " bytes: too few for a bvpack file",
                              file->size);
    s->count = bvpi_chunk_at(file->size - 1) + 1;
    s->is_windowed = s->count > 2 && file->size > bvpi_the_arena.whole;
    s->front = (bvpi_slice){.owner = s, .count = s->is_windowed ? 2 : s->count};
    s->hand_at = &s->front;
    status = bvpi_slice_take(&s->front, error);
    if (status != BVP_OK)
        return status;
    file->base = bvpi_chunk_address(&s->front, 0);
    status = read_head(s, file, error);
    if (status == BVP_OK && s->is_windowed)
        status = take_tables(s, file, error);
    if (status == BVP_OK)
        bvpi_set_spans(file);
    if (status == BVP_OK && s->is_windowed)
        place_spans(s, file);
    if (status == BVP_OK)
        status = read_hashes(s, file, error);
    s->first = (bvpi_span){0};
    set_limits(s);
    return status;
}

void bvpi_source_close(bvpi_source *s)
{
    if (!s)
        return;
    assert(s->running[0] == 0 && s->running[1] == 0);
    if (s->given.close)
        s->given.close(s->given.user);
    for (bvpi_slice *window = s->back.sibling, *next; window; window = next) {
        next = window->sibling;
        bvpi_source_close_window(s, window);
    }
    bvpi_slice_return(&s->front);
    bvpi_slice_return(&s->back);
    free(s->beside.bytes);
    free(s->beside.arrived);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
