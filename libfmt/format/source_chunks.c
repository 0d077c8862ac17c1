/* SPDX-License-Identifier: MIT
 * source_chunks.c: chunks of a file from a source: read when they are wanted, checked, and let go.
 *
 * Chunk 0 is the head; chunk k + 1 is block k of the hashed range, so that a chunk can be checked
 * as it arrives, and begins on a page. Bytes that have not arrived read as zeros.
 *
 * Bounds: a file holds at most `limit` chunks. When a call begins and more than half of them are
 * taken, those not used lately begin to leave: they may no longer be read without asking, but their
 * bytes stay until every call has ended that began before, because such a call may be reading them.
 * So a call finds half of the cache for itself. One that needs more fails.
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

enum { WINDOW = 64 }; /* a window has a multiple of so many chunks: small parts share one */

/* ---- reading --------------------------------------------------------------------------------- */

void bvpi_source_note_miss(bvpi_source *s, bvp_status status, uint64_t offset,
                           const bvp_error *said)
{
    s->is_failing = true;
    s->last = *said;
    s->last.status = status;
    if (s->last.offset == BVPI_NO_OFFSET)
        s->last.offset = offset;
    __atomic_add_fetch(&s->misses, 1, __ATOMIC_RELAXED);
}

bvp_status bvpi_source_ask(bvpi_source *s, uint64_t offset, uint64_t size, uint8_t *out,
                           bvp_error *error)
{
    const bvp_status status = s->given.read(s->given.user, offset, size, out, error);
    if (status != BVP_OK && error->message[0] == 0)
        bvpi_error_set(error, status, offset, "",
                       "the source gave no bytes %" PRIu64 " to %" PRIu64 " (%s)", offset,
                       offset + size, bvp_status_name(status));
    return status;
}

static bvp_status refuse_chunk(uint64_t chunk, bvp_error *error)
{
    return bvpi_error_set(error, BVP_ERR_CORRUPT, bvpi_chunk_off(chunk), "HSH-2",
                          "block %" PRIu64 " is not what its hash says: the bytes are damaged, or "
                          "those of another file",
                          chunk - 1);
}

/* What arrived before there was something to check it against. Digests have none of their own. */
bvp_status bvpi_source_check_arrived(const bvp_file *file, bvp_error *error)
{
    const bvpi_source *s = file->source;
    const uint64_t end = bvpi_source_offset(
        file, file->is_digest_trusted ? file->digests.data : file->section[BVPD_HASH].data);
    bvp_status status = BVP_OK;
    for (const bvpi_slice *slice = &s->front; slice; slice = slice->sibling)
        for (uint64_t k = slice->first == 0; k < slice->count && status == BVP_OK; k++) {
            const uint64_t chunk = slice->first + k, offset = bvpi_chunk_off(chunk);
            if (bvpi_chunk_state_of(slice, k) >= BVPI_CHUNK_LEAVING && offset < end &&
                !bvpi_block_is(file, chunk - 1, bvpi_chunk_address(slice, offset)))
                status = refuse_chunk(chunk, error);
        }
    return status;
}

static bool is_as_hashed(const bvpi_source *s, const bvpi_slice *slice, uint64_t k)
{
    const uint8_t *bytes = slice->bytes + (k << BVPI_CHUNK_SHIFT);
    return !s->is_checked || bvpi_block_is(s->file, slice->first + k - 1, bytes);
}

bvp_status bvpi_source_read(bvpi_source *s, bvpi_slice *slice, uint64_t first, uint64_t needed,
                            uint64_t last, bvp_error *error)
{
    const uint64_t from = bvpi_chunk_off(slice->first + first),
                   to = bvpi_chunk_end(s, slice->first + last);
    uint8_t *out = (uint8_t *)bvpi_chunk_address(slice, from);
    bvp_status status = BVP_OK;
    if (to <= s->first.size)
        memcpy(out, s->first.data + from, (size_t)(to - from));
    else
        status = bvpi_source_ask(s, s->offset + from, to - from, out, error);
    uint64_t good = first; /* the chunk after those that may be read */
    while (status == BVP_OK && good <= last && is_as_hashed(s, slice, good))
        good++;
    if (status == BVP_OK && good <= last && good <= needed)
        status = refuse_chunk(slice->first + good, error);
    if (status != BVP_OK)
        good = first;
    if (good <= last) /* what has arrived of it must not be read */
        bvpi_drop_chunks(slice->bytes + (good << BVPI_CHUNK_SHIFT), last - good + 1);
    for (uint64_t k = first; k < good; k++)
        bvpi_chunk_set_state(slice, k, BVPI_CHUNK_USED);
    s->held += good - first;
    return status;
}

/* ---- leaving --------------------------------------------------------------------------------- */

void bvpi_source_let_go(bvpi_source *s)
{
    if (s->leaving == 0 || s->running[~s->turn & 1] > 0)
        return;
    for (bvpi_slice *slice = &s->front; slice; slice = slice->sibling)
        for (uint64_t k = 0; k < slice->count; k++)
            if (bvpi_chunk_state_of(slice, k) == BVPI_CHUNK_LEAVING) {
                bvpi_drop_chunks(slice->bytes + (k << BVPI_CHUNK_SHIFT), 1);
                bvpi_chunk_set_state(slice, k, BVPI_CHUNK_ABSENT);
                s->held--;
            }
    s->leaving = 0;
}

/* The next chunk of all, in turn. */
static void move_hand(bvpi_source *s)
{
    if (++s->hand < s->hand_at->count)
        return;
    s->hand_at = s->hand_at->sibling ? s->hand_at->sibling : &s->front;
    s->hand = 0;
}

/* Those that leave are those not asked for since they were
 * last passed over (second chance). Two rounds at most: in the second, all are unused. */
void bvpi_source_make_room(bvpi_source *s)
{
    bvpi_source_let_go(s);
    if (s->leaving > 0 || s->running[~s->turn & 1] > 0)
        return;
    while (s->held - s->leaving > s->goal && s->held - s->leaving > s->kept) {
        const unsigned char state = bvpi_chunk_state_of(s->hand_at, s->hand);
        if (state == BVPI_CHUNK_USED)
            bvpi_chunk_set_state(s->hand_at, s->hand, BVPI_CHUNK_UNUSED);
        else if (state == BVPI_CHUNK_UNUSED) {
            bvpi_chunk_set_state(s->hand_at, s->hand, BVPI_CHUNK_LEAVING);
            s->leaving++;
        }
        move_hand(s);
    }
    if (s->leaving > 0)
        s->turn++; /* calls that begin from now on cannot know these chunks */
    bvpi_source_let_go(s);
}

/* ---- windows --------------------------------------------------------------------------------- */

void bvpi_source_close_window(bvpi_source *s, bvpi_slice *window)
{
    for (uint64_t k = 0; k < window->count; k++) {
        const unsigned char state = bvpi_chunk_state_of(window, k);
        s->held -= state != BVPI_CHUNK_ABSENT;
        s->leaving -= state == BVPI_CHUNK_LEAVING;
        s->kept -= state == BVPI_CHUNK_KEPT;
    }
    s->window_chunks -= window->count;
    bvpi_slice_return(window);
    free(window);
}

void bvpi_source_close_windows(bvpi_source *s)
{
    const uint64_t most = bvpi_the_arena.whole / 2 >> BVPI_CHUNK_SHIFT;
    if (s->window_chunks <= most || s->running[0] + s->running[1] > 0)
        return;
    for (bvpi_slice **at = &s->back.sibling; *at && s->window_chunks > most / 2;) {
        bvpi_slice *window = *at;
        *at = window->sibling;
        bvpi_source_close_window(s, window);
    }
    memset(s->recent, 0, sizeof s->recent);
    s->hand_at = &s->front;
    s->hand = 0;
}

static bool has_chunks(const bvpi_slice *slice, uint64_t first, uint64_t last)
{
    return slice->first <= first && last - slice->first < slice->count;
}

/* Chunks first .. last, with neighbours. NULL: there is no room, which is noted. */
static bvpi_slice *open_window(bvpi_source *s, uint64_t first, uint64_t last)
{
    bvp_error error = {.status = BVP_OK, .offset = BVPI_NO_OFFSET};
    bvpi_slice *window = calloc(1, sizeof *window), **end = &s->back.sibling;
    bvp_status status = window ? BVP_OK : bvpi_error_memory(&error, sizeof *window);
    if (window) {
        const uint64_t to = (last | (WINDOW - 1)) + 1;
        window->owner = s;
        window->first = first & ~(uint64_t)(WINDOW - 1);
        window->count = (to < s->count ? to : s->count) - window->first;
        status = bvpi_slice_take(window, &error);
    }
    if (status != BVP_OK) {
        free(window);
        bvpi_source_note_miss(s, status, bvpi_chunk_off(first), &error);
        return NULL;
    }
    s->window_chunks += window->count;
    while (*end)
        end = &(*end)->sibling;
    *end = window;
    return window;
}

const uint8_t *bvpi_source_window(const bvp_file *file, enum bvpd_section_index section,
                                  uint64_t offset, uint64_t size)
{
    bvpi_source *s = file->source;
    const uint32_t entry = bvpi_find_section(&file->header, section);
    assert(s && s->is_windowed && entry < file->header.section_count && size > 0);
    offset += file->header.sections[entry].offset;
    /* decoders may read on behind the last byte */
    const uint64_t end = offset + size + BVPD_DATA_TAIL;
    const uint64_t first = bvpi_chunk_at(offset);
    const uint64_t last = bvpi_chunk_at((end < file->size ? end : file->size) - 1);
    pthread_mutex_lock(&s->lock);
    bvpi_slice **recent = &s->recent[first / WINDOW % BVPI_RECENT], *slice = *recent;
    if (!slice || !has_chunks(slice, first, last)) {
        slice = &s->front;
        while (slice && !has_chunks(slice, first, last))
            slice = slice->sibling;
        if (!slice)
            slice = open_window(s, first, last);
        *recent = slice;
    }
    pthread_mutex_unlock(&s->lock);
    return slice ? bvpi_chunk_address(slice, offset) : NULL;
}

uint64_t bvpi_source_offset(const bvp_file *file, const uint8_t *byte)
{
    const bvpi_slice *slice = file->source->is_windowed ? bvpi_slice_of(byte) : NULL;
    if (!slice)
        slice = &file->source->front;
    const uint64_t at = (uint64_t)(byte - slice->bytes) + (slice->first << BVPI_CHUNK_SHIFT);
    return at - (BVPI_CHUNK_SIZE - BVPD_HEADER_SIZE);
}

/* ---- wanting --------------------------------------------------------------------------------- */

/* Fetches what is absent of chunks first .. last of a slice, in runs. */
static void fetch(bvpi_source *s, bvpi_slice *slice, uint64_t first, uint64_t last)
{
    for (uint64_t k = first; k <= last; k++) {
        const unsigned char state = bvpi_chunk_state_of(slice, k);
        bvp_error error = {.status = BVP_OK, .offset = BVPI_NO_OFFSET};
        if (state == BVPI_CHUNK_LEAVING)
            s->leaving--;
        if (state == BVPI_CHUNK_LEAVING || state == BVPI_CHUNK_UNUSED)
            bvpi_chunk_set_state(slice, k, BVPI_CHUNK_USED);
        if (state != BVPI_CHUNK_ABSENT)
            continue;
        const uint64_t offset = bvpi_chunk_off(slice->first + k);
        uint64_t end = k;
        while (end < last && end - k < BVPI_RUN_MOST - 1 &&
               bvpi_chunk_state_of(slice, end + 1) == BVPI_CHUNK_ABSENT)
            end++;
        bvp_status status = BVP_OK;
        if (s->is_failing) { /* a walk that goes on over zeros asks for anything */
            __atomic_add_fetch(&s->misses, 1, __ATOMIC_RELAXED);
            return;
        }
        const unsigned hinted = bvpi_ahead_find_hinted(s, slice->first + k);
        uint64_t needed = end, from = k;
        if (hinted < BVPI_HINTED) {
            needed = end = k;
        } else {
            from = bvpi_ahead_group(s, slice, k, &end);
            end = k + bvpi_ahead_scan(s, slice, k, end - k + 1) - 1;
            bvpi_ahead_grow(s, slice, &from, &end);
        }
        end = end - from < BVPI_RUN_MOST ? end : from + BVPI_RUN_MOST - 1;
        if (end - from >= s->limit - s->held)
            bvpi_source_let_go(s);
        if (end - from >= s->limit - s->held)
            status = bvpi_error_set(&error, BVP_ERR_LIMIT, offset, "",
                                    "one call needs more than there is room for in the cache of "
                                    "%" PRIu64 " bytes; open the source with a larger cache",
                                    s->limit << BVPI_CHUNK_SHIFT);
        if (status == BVP_OK) {
            bvpi_ahead_hint(s, slice->first + from, slice->first + end);
            status = bvpi_source_read(s, slice, from, needed, end, &error);
            if (status == BVP_OK && hinted < BVPI_HINTED)
                s->hinted[hinted] = 0;
        }
        if (status != BVP_OK) {
            bvpi_source_note_miss(s, status, offset, &error);
            return;
        }
        k = end;
    }
}

/* The chunks of these bytes that lie in the slice. */
static bool chunks_of(const bvpi_slice *slice, const void *bytes, uint64_t size, uint64_t *first,
                      uint64_t *last)
{
    const uint64_t at = (uint64_t)((const uint8_t *)bytes - slice->bytes);
    const uint64_t end = slice->count << BVPI_CHUNK_SHIFT;
    if (size == 0 || at >= end)
        return false;
    *first = at >> BVPI_CHUNK_SHIFT;
    *last = (size < end - at ? at + size - 1 : end - 1) >> BVPI_CHUNK_SHIFT;
    return true;
}

void bvpi_expect(const void *byte)
{
    bvpi_slice *slice = bvpi_is_absent(byte) ? bvpi_slice_of(byte) : NULL;
    uint64_t first, last;
    if (!slice || !chunks_of(slice, byte, 1, &first, &last))
        return;
    pthread_mutex_lock(&slice->owner->lock);
    if (!slice->owner->is_failing)
        bvpi_ahead_expect(slice->owner, slice->first + first);
    pthread_mutex_unlock(&slice->owner->lock);
}

void bvpi_fetch(const void *bytes, size_t size)
{
    bvpi_slice *slice = bvpi_slice_of(bytes);
    uint64_t first, last;
    if (!slice || !chunks_of(slice, bytes, size, &first, &last))
        return;
    pthread_mutex_lock(&slice->owner->lock);
    fetch(slice->owner, slice, first, last);
    pthread_mutex_unlock(&slice->owner->lock);
}

void bvpi_source_keep(const bvp_file *file, const void *bytes, uint64_t size)
{
    bvpi_source *s = file->source;
    bvpi_slice *slice = s ? bvpi_slice_of(bytes) : NULL;
    uint64_t first, last;
    if (!slice || slice->owner != s || !chunks_of(slice, bytes, size, &first, &last))
        return;
    pthread_mutex_lock(&s->lock);
    fetch(s, slice, first, last);
    for (uint64_t k = first; k <= last; k++)
        if (bvpi_chunk_state_of(slice, k) >= BVPI_CHUNK_UNUSED)
            bvpi_chunk_keep(s, slice, k);
    pthread_mutex_unlock(&s->lock);
}

bvp_status bvpi_source_fetch_all(const bvp_file *file)
{
    bvpi_source *s = file->source;
    if (!s)
        return BVP_OK;
    const uint64_t misses = __atomic_load_n(&s->misses, __ATOMIC_RELAXED);
    pthread_mutex_lock(&s->lock);
    if (s->is_windowed) {
        bvp_error error = {.status = BVP_OK, .offset = BVPI_NO_OFFSET};
        bvpi_source_note_miss(s, BVP_ERR_LIMIT, BVPI_NO_OFFSET, &error);
    } else
        fetch(s, &s->front, 0, s->count - 1);
    const bvp_status status = s->misses == misses ? BVP_OK : s->last.status;
    pthread_mutex_unlock(&s->lock);
    return status;
}
