/* SPDX-License-Identifier: MIT
 * source.c: files whose bytes a source gives when they are first read: the cache of their chunks.
 *
 * Such a file lies in a slice of the arena (arena.h), as long as itself. Chunk 0 is the head; chunk
 * k + 1 is block k of the hashed range, so that a chunk can be checked as it arrives, and begins on
 * a page. Bytes that have not arrived read as zeros.
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
 * Walks say first what they will want after an absent chunk (bvpi_expect). What is next to it comes
 * with it; of the rest the source is told one chunk (hint), which is read alone when it is wanted.
 *
 * Bounds: a file holds at most `limit` chunks. When a call begins and more than half of them are
 * taken, those not used lately begin to leave: they may no longer be read without asking, but their
 * bytes stay until every call has ended that began before, because such a call may be reading them.
 * So a call finds half of the cache for itself. One that needs more fails.
 *
 * Locks: `lock` of each source guards all that is in it. States of chunks are also read without a
 * lock (arena.h): they become readable only after their bytes have arrived. A source's functions
 * run under its lock.
 *
 * Held by tests/property/test_source.c, test_first_pick.c.
 * Spec: format.md, chapter "Hashes"
 * Measured: decisions.md, "Sources of bytes", "First picks"
 */
#include "format/source.h"

#include "base/checked.h"
#include "base/status.h"
#include "format/slice.h"
#include "format/header.h"
#include "format/lazy.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUN_MOST = 64, /* chunks that are read at once: 1 MiB */
    SCANS = 16,    /* that are told apart: tables are read side by side, and between jumps */
    CHUNKS_LEAST = 32,
    FEW = 48,     /* chunks that come one by one: a first question waits for few bytes */
    GROUP = 4,    /* chunks that come together afterwards: who goes on asking waits for few reads */
    EXPECTED = 8, /* chunks that are expected at a time */
    HINTED = 16,  /* chunks that the source was told, and may have */
    WINDOW = 64,  /* a window has a multiple of so many chunks: small parts share one */
    RECENT = 64   /* windows that are found at once */
};
#define DEFAULT_CACHE (UINT64_C(64) << 20)

/* Chunks that were wanted one after the other. */
typedef struct scan {
    uint64_t next;   /* the chunk after the last one that was read */
    uint64_t window; /* how many were read at once */
    unsigned length; /* how often it went on */
} scan;

struct bvpi_source {
    bvp_source given;
    uint64_t offset; /* of the bvpack file in the source */
    const bvp_file *file;
    uint64_t count;   /* chunks */
    uint64_t grain;   /* chunks that the source reads for the price of one */
    bvpi_slice front; /* all of the file, or what is before DATA; the first one in the list */
    bvpi_slice back;  /* what is behind BINH, if there are windows */
    bool is_windowed;
    uint64_t window_chunks; /* of all windows */
    bvpi_slice *recent[RECENT];
    uint64_t held, kept, limit;
    uint64_t goal;               /* of held chunks when a call begins */
    uint64_t expected[EXPECTED]; /* chunks, until the next read */
    unsigned expected_count;
    uint64_t hinted[HINTED]; /* chunks; 0: none, the head is never one */
    unsigned hinted_at;      /* the one to forget when there are more */
    scan scans[SCANS];       /* the latest first */
    bvpi_slice *hand_at;     /* where the next chunk to leave is looked for, */
    uint64_t hand;           /* and its number in the slice */
    bvpi_span first; /* while it is opened: the bytes that the source begins with, or none */
    bool is_checked; /* HASH is good, and chunks are checked against it */
    bool is_failing; /* the call that asked last may not ask again */
    uint64_t misses; /* atomic */
    bvp_error last;  /* of the latest miss */
    /* Calls run in turns. Those of the turn before the current one are known to end first: what
     * began to leave then is out of use when they have. */
    unsigned turn;
    uint64_t running[2]; /* calls, by the lowest bit of their turn */
    uint64_t leaving;    /* chunks */
    pthread_mutex_t lock;
};

/* ---- chunks ---------------------------------------------------------------------------------- */

static unsigned char state_of(const bvpi_slice *slice, uint64_t k)
{
    assert(k < slice->count);
    return __atomic_load_n(&slice->state[k], __ATOMIC_RELAXED);
}

static void set_state(bvpi_slice *slice, uint64_t k, enum bvpi_chunk_state state)
{
    assert(k < slice->count);
    __atomic_store_n(&slice->state[k], state, __ATOMIC_RELEASE);
}

static void keep(bvpi_source *s, bvpi_slice *slice, uint64_t k)
{
    s->kept += state_of(slice, k) != BVPI_CHUNK_KEPT;
    set_state(slice, k, BVPI_CHUNK_KEPT);
}

/* Where a chunk begins in the file, and where it ends. */
static uint64_t offset_of(uint64_t chunk)
{
    return chunk == 0 ? 0 : BVPD_HEADER_SIZE + (chunk - 1) * BVPD_BLOCK_SIZE;
}

static uint64_t end_of(const bvpi_source *s, uint64_t chunk)
{
    const uint64_t end = offset_of(chunk + 1);
    return end < s->file->size ? end : s->file->size;
}

static uint64_t chunk_of(uint64_t offset)
{
    return offset < BVPD_HEADER_SIZE ? 0 : 1 + (offset - BVPD_HEADER_SIZE) / BVPD_BLOCK_SIZE;
}

/* Where the byte at an offset lies, whose chunk the slice has. */
static const uint8_t *address_of(const bvpi_slice *slice, uint64_t offset)
{
    const uint64_t chunk = chunk_of(offset);
    assert(chunk - slice->first < slice->count);
    return slice->bytes + ((chunk - slice->first) << BVPI_CHUNK_SHIFT) +
           (offset - offset_of(chunk)) + (chunk == 0 ? BVPI_CHUNK_SIZE - BVPD_HEADER_SIZE : 0);
}

static_assert(BVPD_BLOCK_SIZE == 1 << BVPI_CHUNK_SHIFT, "a chunk is a block");

/* Notes that bytes are missing; what the source said is what the call will return. */
static void note_miss(bvpi_source *s, bvp_status status, uint64_t offset, const bvp_error *said)
{
    s->is_failing = true;
    s->last = *said;
    s->last.status = status;
    if (s->last.offset == BVPI_NO_OFFSET)
        s->last.offset = offset;
    __atomic_add_fetch(&s->misses, 1, __ATOMIC_RELAXED);
}

static bvp_status refuse_chunk(uint64_t chunk, bvp_error *error)
{
    return bvpi_error_set(error, BVP_ERR_CORRUPT, offset_of(chunk), "HSH-2",
                          "block %" PRIu64 " is not what its hash says: the bytes are damaged, or "
                          "those of another file",
                          chunk - 1);
}

/* What arrived before there was something to check it against. Digests have none of their own. */
static bvp_status check_arrived(const bvpi_source *s, bvp_error *error)
{
    const bvp_file *file = s->file;
    const uint64_t end = bvpi_source_offset(
        file, file->is_digest_trusted ? file->digests.data : file->section[BVPD_HASH].data);
    bvp_status status = BVP_OK;
    for (const bvpi_slice *slice = &s->front; slice; slice = slice->sibling)
        for (uint64_t k = slice->first == 0; k < slice->count && status == BVP_OK; k++) {
            const uint64_t chunk = slice->first + k, offset = offset_of(chunk);
            if (state_of(slice, k) >= BVPI_CHUNK_LEAVING && offset < end &&
                !bvpi_block_is(file, chunk - 1, address_of(slice, offset)))
                status = refuse_chunk(chunk, error);
        }
    return status;
}

bvp_status bvpi_source_check_arrived(const bvp_file *file, bvp_error *error)
{
    return check_arrived(file->source, error);
}

static bool is_as_hashed(const bvpi_source *s, const bvpi_slice *slice, uint64_t k)
{
    const uint8_t *bytes = slice->bytes + (k << BVPI_CHUNK_SHIFT);
    return !s->is_checked || bvpi_block_is(s->file, slice->first + k - 1, bytes);
}

/* Reads chunks first .. last of a slice, all absent. They become readable when they are checked.
 * Those after `needed` are read ahead: what is wrong with them is told to whoever needs them. */
static bvp_status read_chunks(bvpi_source *s, bvpi_slice *slice, uint64_t first, uint64_t needed,
                              uint64_t last, bvp_error *error)
{
    const uint64_t from = offset_of(slice->first + first), to = end_of(s, slice->first + last);
    uint8_t *out = (uint8_t *)address_of(slice, from);
    bvp_status status = BVP_OK;
    if (to <= s->first.size)
        memcpy(out, s->first.data + from, (size_t)(to - from));
    else
        status = s->given.read(s->given.user, s->offset + from, to - from, out, error);
    if (status != BVP_OK && error->message[0] == 0)
        bvpi_error_set(error, status, from, "",
                       "the source gave no bytes %" PRIu64 " to %" PRIu64 " (%s)", from, to,
                       bvp_status_name(status));
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
        set_state(slice, k, BVPI_CHUNK_USED);
    s->held += good - first;
    return status;
}

/* ---- leaving --------------------------------------------------------------------------------- */

/* Frees what began to leave, when no call runs that began before. */
static void let_go(bvpi_source *s)
{
    if (s->leaving == 0 || s->running[~s->turn & 1] > 0)
        return;
    for (bvpi_slice *slice = &s->front; slice; slice = slice->sibling)
        for (uint64_t k = 0; k < slice->count; k++)
            if (state_of(slice, k) == BVPI_CHUNK_LEAVING) {
                bvpi_drop_chunks(slice->bytes + (k << BVPI_CHUNK_SHIFT), 1);
                set_state(slice, k, BVPI_CHUNK_ABSENT);
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

/* Makes chunks leave until at most half of the cache is taken: those not asked for since they were
 * last passed over (second chance). Two rounds at most: in the second, all are unused. */
static void make_room(bvpi_source *s)
{
    let_go(s);
    if (s->leaving > 0 || s->running[~s->turn & 1] > 0)
        return;
    while (s->held - s->leaving > s->goal && s->held - s->leaving > s->kept) {
        const unsigned char state = state_of(s->hand_at, s->hand);
        if (state == BVPI_CHUNK_USED)
            set_state(s->hand_at, s->hand, BVPI_CHUNK_UNUSED);
        else if (state == BVPI_CHUNK_UNUSED) {
            set_state(s->hand_at, s->hand, BVPI_CHUNK_LEAVING);
            s->leaving++;
        }
        move_hand(s);
    }
    if (s->leaving > 0)
        s->turn++; /* calls that begin from now on cannot know these chunks */
    let_go(s);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* With what is in it. */
static void close_window(bvpi_source *s, bvpi_slice *window)
{
    for (uint64_t k = 0; k < window->count; k++) {
        const unsigned char state = state_of(window, k);
        s->held -= state != BVPI_CHUNK_ABSENT;
        s->leaving -= state == BVPI_CHUNK_LEAVING;
        s->kept -= state == BVPI_CHUNK_KEPT;
    }
    s->window_chunks -= window->count;
    bvpi_slice_return(window);
    free(window);
}

/* The oldest windows, until half of them is left. Only while no call runs, which may know one. */
static void close_windows(bvpi_source *s)
{
    const uint64_t most = bvpi_the_arena.whole / 2 >> BVPI_CHUNK_SHIFT;
    if (s->window_chunks <= most || s->running[0] + s->running[1] > 0)
        return;
    for (bvpi_slice **at = &s->back.sibling; *at && s->window_chunks > most / 2;) {
        bvpi_slice *window = *at;
        *at = window->sibling;
        close_window(s, window);
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
        note_miss(s, status, offset_of(first), &error);
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
    const uint64_t first = chunk_of(offset);
    const uint64_t last = chunk_of((end < file->size ? end : file->size) - 1);
    pthread_mutex_lock(&s->lock);
    bvpi_slice **recent = &s->recent[first / WINDOW % RECENT], *slice = *recent;
    if (!slice || !has_chunks(slice, first, last)) {
        slice = &s->front;
        while (slice && !has_chunks(slice, first, last))
            slice = slice->sibling;
        if (!slice)
            slice = open_window(s, first, last);
        *recent = slice;
    }
    pthread_mutex_unlock(&s->lock);
    return slice ? address_of(slice, offset) : NULL;
}

uint64_t bvpi_source_offset(const bvp_file *file, const uint8_t *byte)
{
    const bvpi_slice *slice = file->source->is_windowed ? bvpi_slice_of(byte) : NULL;
    if (!slice)
        slice = &file->source->front;
    const uint64_t at = (uint64_t)(byte - slice->bytes) + (slice->first << BVPI_CHUNK_SHIFT);
    return at - (BVPI_CHUNK_SIZE - BVPD_HEADER_SIZE);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* Of a chunk that is wanted, and those behind it that are: how many to read at once. Whoever goes
 * on where a scan ended is a scan; from the third time on it gets ever more: tables come in
 * few reads. A walk through a hierarchy jumps, and gets what it wants. */
static uint64_t window_of(bvpi_source *s, const bvpi_slice *slice, uint64_t first, uint64_t wanted)
{
    const uint64_t chunk = slice->first + first;
    unsigned k = 0;
    while (k < SCANS - 1 && s->scans[k].next != chunk)
        k++;
    const unsigned length = s->scans[k].next == chunk ? s->scans[k].length + 1 : 0;
    const uint64_t last = s->scans[k].window;
    const uint64_t twice = length <= 2 ? 1 : last < GROUP ? GROUP : 2 * last;
    const uint64_t room = (s->limit - s->held) / 4;
    uint64_t window = twice < RUN_MOST ? twice : RUN_MOST, count = 1;
    window = window < room ? window : room;
    window = window > wanted ? window : wanted;
    while (count < window && first + count < slice->count &&
           state_of(slice, first + count) == BVPI_CHUNK_ABSENT)
        count++;
    for (; k > 0; k--)
        s->scans[k] = s->scans[k - 1];
    s->scans[0] = (scan){chunk + count, count, length};
    return count;
}

/* A chunk that is wanted comes with those of its group, as far as they are absent. The chunk to
 * begin at; *last: grows to the one to end with. Both are numbers in the slice. */
static uint64_t group_of(const bvpi_source *s, const bvpi_slice *slice, uint64_t k, uint64_t *last)
{
    const uint64_t few = s->held - s->kept < FEW ? 1 : GROUP;
    const uint64_t size = few > s->grain ? few : s->grain;
    /* groups begin behind chunk 0 of the file, the head */
    const uint64_t before = (slice->first + size - 1) % size;
    const uint64_t begin = (k + before) / size * size;
    const uint64_t end = ((*last + before) / size + 1) * size - before;
    if ((s->limit - s->held) / 4 < size || *last + before - begin >= RUN_MOST)
        return k;
    while (k > 0 && k + before > begin && state_of(slice, k - 1) == BVPI_CHUNK_ABSENT)
        k--;
    while (*last + 1 < end && *last + 1 < slice->count &&
           state_of(slice, *last + 1) == BVPI_CHUNK_ABSENT)
        (*last)++;
    return k;
}

/* The place of a chunk that the source was told, or HINTED. */
static unsigned find_hinted(const bvpi_source *s, uint64_t chunk)
{
    unsigned k = 0;
    while (k < HINTED && s->hinted[k] != chunk)
        k++;
    return k;
}

static void expect_chunk(bvpi_source *s, uint64_t chunk)
{
    unsigned k = 0;
    while (k < s->expected_count && s->expected[k] != chunk)
        k++;
    if (k == s->expected_count && k < EXPECTED)
        s->expected[s->expected_count++] = chunk;
}

/* Chunks *first .. *last of a slice will be read: with expected ones that are next to them. */
static void grow_by_expected(const bvpi_source *s, const bvpi_slice *slice, uint64_t *first,
                             uint64_t *last)
{
    const uint64_t room = (s->limit - s->held) / 4;
    for (unsigned k = 0; k < s->expected_count; k++) {
        const uint64_t at = s->expected[k] - slice->first;
        if (*last - *first + 1 >= room || s->expected[k] < slice->first || at >= slice->count ||
            state_of(slice, at) != BVPI_CHUNK_ABSENT || find_hinted(s, s->expected[k]) < HINTED ||
            (at + 1 != *first && at != *last + 1))
            continue;
        *first = at < *first ? at : *first;
        *last = at > *last ? at : *last;
        k = UINT_MAX; /* it may have neighbours among those before */
    }
}

/* Tells the source the first chunk that is expected, and not among those that will be read now:
 * more at a time would rarely be wanted, for walks end early. */
static void hint_expected(bvpi_source *s, uint64_t first, uint64_t last)
{
    for (unsigned k = 0; k < s->expected_count && s->given.hint; k++) {
        const uint64_t chunk = s->expected[k];
        if ((chunk >= first && chunk <= last) || find_hinted(s, chunk) < HINTED)
            continue;
        unsigned place = find_hinted(s, 0);
        if (place == HINTED) {
            place = s->hinted_at;
            s->hinted_at = (s->hinted_at + 1) % HINTED;
        }
        s->hinted[place] = chunk;
        s->given.hint(s->given.user, s->offset + offset_of(chunk),
                      end_of(s, chunk) - offset_of(chunk));
        break;
    }
    s->expected_count = 0;
}

/* Fetches what is absent of chunks first .. last of a slice, in runs. */
static void fetch(bvpi_source *s, bvpi_slice *slice, uint64_t first, uint64_t last)
{
    for (uint64_t k = first; k <= last; k++) {
        const unsigned char state = state_of(slice, k);
        bvp_error error = {.status = BVP_OK, .offset = BVPI_NO_OFFSET};
        if (state == BVPI_CHUNK_LEAVING)
            s->leaving--;
        if (state == BVPI_CHUNK_LEAVING || state == BVPI_CHUNK_UNUSED)
            set_state(slice, k, BVPI_CHUNK_USED);
        if (state != BVPI_CHUNK_ABSENT)
            continue;
        const uint64_t offset = offset_of(slice->first + k);
        uint64_t end = k;
        while (end < last && end - k < RUN_MOST - 1 &&
               state_of(slice, end + 1) == BVPI_CHUNK_ABSENT)
            end++;
        bvp_status status = BVP_OK;
        if (s->is_failing) { /* a walk that goes on over zeros asks for anything */
            __atomic_add_fetch(&s->misses, 1, __ATOMIC_RELAXED);
            return;
        }
        const unsigned hinted = find_hinted(s, slice->first + k);
        uint64_t needed = end, from = k;
        if (hinted < HINTED) {
            needed = end = k;
        } else {
            from = group_of(s, slice, k, &end);
            end = k + window_of(s, slice, k, end - k + 1) - 1;
            grow_by_expected(s, slice, &from, &end);
        }
        end = end - from < RUN_MOST ? end : from + RUN_MOST - 1;
        if (end - from >= s->limit - s->held)
            let_go(s);
        if (end - from >= s->limit - s->held)
            status = bvpi_error_set(&error, BVP_ERR_LIMIT, offset, "",
                                    "one call needs more than there is room for in the cache of "
                                    "%" PRIu64 " bytes; open the source with a larger cache",
                                    s->limit << BVPI_CHUNK_SHIFT);
        if (status == BVP_OK) {
            hint_expected(s, slice->first + from, slice->first + end);
            status = read_chunks(s, slice, from, needed, end, &error);
            if (status == BVP_OK && hinted < HINTED)
                s->hinted[hinted] = 0;
        }
        if (status != BVP_OK) {
            note_miss(s, status, offset, &error);
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
        expect_chunk(slice->owner, slice->first + first);
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
        if (state_of(slice, k) >= BVPI_CHUNK_UNUSED)
            keep(s, slice, k);
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
        note_miss(s, BVP_ERR_LIMIT, BVPI_NO_OFFSET, &error);
    } else
        fetch(s, &s->front, 0, s->count - 1);
    const bvp_status status = s->misses == misses ? BVP_OK : s->last.status;
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* ---- calls ----------------------------------------------------------------------------------- */

void bvpi_source_enter(bvpi_call *call, int which)
{
    bvpi_source *s = call->source[which];
    pthread_mutex_lock(&s->lock);
    make_room(s);
    close_windows(s);
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
    let_go(s);
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
    bvp_status status = read_chunks(s, &s->front, 0, UINT64_MAX, s->count > 1 ? 1 : 0, error);
    if (status == BVP_OK)
        status = bvpi_check_head(file, address_of(&s->front, 0), error);
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
    s->front.count = chunk_of(begin) + 1;
    s->front.count = s->front.count < there ? there : s->front.count;
    s->front.count = s->front.count < s->count ? s->front.count : s->count;
    s->back.owner = s;
    s->back.first = chunk_of(end < file->size ? end : file->size - 1);
    s->back.count = s->count - s->back.first;
    bvp_status status = bvpi_slice_take(&s->front, error);
    if (status == BVP_OK)
        status = bvpi_slice_take(&s->back, error);
    if (status == BVP_OK) {
        memcpy(s->front.bytes, bytes, size);
        for (uint64_t k = 0; k < there; k++)
            set_state(&s->front, k, BVPI_CHUNK_USED);
        file->base = address_of(&s->front, 0);
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
        span->data = address_of(chunk_of(offset) >= s->back.first ? &s->back : &s->front, offset);
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
    const uint64_t first = chunk_of(hashed);
    uint64_t absent = first - slice->first;
    bvp_status status = BVP_OK;
    /* A head that lies must not make us read gigabytes. */
    if (file->size - hashed > 8 * first + 2 * BVPI_CHUNK_SIZE)
        return bvpi_error_set(error, BVP_ERR_CORRUPT, hashed, "HSH-1",
                              "%" PRIu64 " bytes follow where the hashes of %" PRIu64
                              " blocks begin",
                              file->size - hashed, first);
    while (absent < slice->count && state_of(slice, absent) != BVPI_CHUNK_ABSENT)
        absent++;
    if (absent < slice->count)
        status = read_chunks(s, slice, absent, UINT64_MAX, slice->count - 1, error);
    if (status != BVP_OK)
        return status;
    if (!bvpi_hashes_are_good(file))
        return bvpi_error_set(error, BVP_ERR_CORRUPT, offsetof(bvpd_header, root_hash), "HSH-1",
                              "the block hashes are not what the header's root hash says");
    s->is_checked = true;
    keep(s, &s->front, 0);
    for (uint64_t k = first - slice->first; k < slice->count; k++)
        keep(s, slice, k);
    return check_arrived(s, error);
}

static void set_limits(bvpi_source *s)
{
    const uint64_t given = s->given.cache > 0 ? s->given.cache : DEFAULT_CACHE;
    const uint64_t grain = s->given.grain >> BVPI_CHUNK_SHIFT;
    const uint64_t chunks = given >> BVPI_CHUNK_SHIFT;
    const uint64_t most = chunks > CHUNKS_LEAST ? chunks : CHUNKS_LEAST;
    s->limit = s->kept + most;
    s->goal = s->kept + most / 2;
    s->grain = grain < 1 ? 1 : grain < RUN_MOST ? grain : RUN_MOST;
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
    s->count = chunk_of(file->size - 1) + 1;
    s->is_windowed = s->count > 2 && file->size > bvpi_the_arena.whole;
    s->front = (bvpi_slice){.owner = s, .count = s->is_windowed ? 2 : s->count};
    s->hand_at = &s->front;
    status = bvpi_slice_take(&s->front, error);
    if (status != BVP_OK)
        return status;
    file->base = address_of(&s->front, 0);
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
        close_window(s, window);
    }
    bvpi_slice_return(&s->front);
    bvpi_slice_return(&s->back);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
