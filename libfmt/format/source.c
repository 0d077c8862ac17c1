/* SPDX-License-Identifier: MIT
 * source.c: files whose bytes a source gives when they are first read: the cache of their chunks.
 *
 * All such files lie in one range of addresses, the arena, which is reserved when the first one is
 * opened. A file gets a slice of it, as long as itself. Chunk 0 is the head; chunk k + 1 is block k
 * of the hashed range, so that a chunk can be checked as it arrives, and begins on a page. Bytes
 * that have not arrived read as zeros.
 *
 * Opening reads the head with the first block, and everything from the block in which HASH begins:
 * these stay. HASH is checked against the root hash, and then each chunk against HASH: bytes that
 * are damaged, or of another file, are never read by a query.
 *
 * Bounds: a file holds at most `limit` chunks. When a call begins and more than half of them are
 * taken, those not used lately begin to leave: they may no longer be read without asking, but their
 * bytes stay until every call has ended that began before, because such a call may be reading them.
 * So a call finds half of the cache for itself. One that needs more fails.
 *
 * Locks: `gate` guards the list of sources, `lock` of each source all that is in it. States of
 * chunks are also read without a lock (arena.h): they become readable only after their bytes have
 * arrived. A source's functions run under its lock, so they are never called twice at a time.
 *
 * Held by tests/property/test_source.c.
 * Spec: format.md, chapter "Hashes"
 * Measured: decisions.md, "Sources of bytes"
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, madvise */
#include "format/source.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/status.h"
#include "format/header.h"
#include "format/lazy.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bvpi_arena bvpi_the_arena;

#ifdef __wasm__
#define ARENA_MOST ((uintptr_t)0xf0000000) /* of 4 GiB, with room for the rest */
#else
#define ARENA_MOST ((uintptr_t)1 << (sizeof(void *) > 4 ? 38 : 30))
#endif
#define ARENA_LEAST ((uintptr_t)1 << 28)
enum {
    RUN_MOST = 16, /* chunks that are read at once: 1 MiB */
    SCANS = 16,    /* that are told apart: tables are read side by side, and between jumps */
    CHUNKS_LEAST = 8
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
    uint8_t *slice; /* chunk k lies at k << BVPI_CHUNK_SHIFT */
    unsigned char *state;
    uint64_t count; /* chunks */
    uint64_t held, kept, limit;
    uint64_t goal;     /* of held chunks when a call begins */
    scan scans[SCANS]; /* the latest first */
    uint64_t hand;     /* where the next chunk to leave is looked for */
    bvpi_span first;   /* while it is opened: the bytes that the source begins with, or none */
    bool is_checked;   /* HASH is good, and chunks are checked against it */
    bool is_failing;   /* the call that asked last may not ask again */
    uint64_t misses;   /* atomic */
    bvp_error last;    /* of the latest miss */
    /* Calls run in turns. Those of the turn before the current one are known to end first: what
     * began to leave then is out of use when they have. */
    unsigned turn;
    uint64_t running[2]; /* calls, by the lowest bit of their turn */
    uint64_t leaving;    /* chunks */
    pthread_mutex_t lock;
    bvpi_source *next;
};

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static bvpi_source *sources; /* by address */

/* ---- the arena ------------------------------------------------------------------------------- */

static bvp_status refuse_size(uint64_t size, bvp_error *error)
{
    return bvpi_error_set(
        error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
        "there is no room in the address space for %" PRIu64 " bytes from a source", size);
}

#ifdef __wasm__
/* There are no pages: the arena is all memory, whose chunks may be read but for those of slices.
 * A slice is an allocation. Memory that was never used takes no place, so that a slice costs what
 * arrives, not the file's size. What is dropped is zeroed, and stays the module's. */
static bool reserve_arena(void)
{
    const size_t count = (UINTPTR_MAX >> BVPI_CHUNK_SHIFT) + 1;
    if (bvpi_the_arena.size > 0)
        return true;
    bvpi_the_arena.state = malloc(count);
    if (!bvpi_the_arena.state)
        return false;
    memset(bvpi_the_arena.state, BVPI_CHUNK_KEPT, count);
    bvpi_the_arena.size = UINTPTR_MAX;
    return true;
}

static void drop_bytes(uint8_t *chunk, uint64_t count)
{
    memset(chunk, 0, (size_t)count << BVPI_CHUNK_SHIFT);
}

static bvp_status take_slice(bvpi_source *s, bvp_error *error)
{
    const size_t size = (size_t)s->count << BVPI_CHUNK_SHIFT;
    const uint64_t used = (uint64_t)__builtin_wasm_memory_size(0) << BVPI_CHUNK_SHIFT;
    /* one chunk more: the last one's neighbour may be read, and is not used */
    s->slice = reserve_arena() ? aligned_alloc(BVPI_CHUNK_SIZE, size + BVPI_CHUNK_SIZE) : NULL;
    if (!s->slice)
        return refuse_size(s->file->size, error);
    const uintptr_t from = (uintptr_t)s->slice;
    if (from < used) /* what lies behind is new, and zero */
        memset(s->slice, 0, size < used - from ? size : (size_t)(used - from));
    s->state = bvpi_the_arena.state + (from >> BVPI_CHUNK_SHIFT);
    memset(s->state, BVPI_CHUNK_ABSENT, s->count);
    s->next = sources;
    sources = s;
    return BVP_OK;
}

static void return_slice(bvpi_source *s)
{
    if (!s->slice)
        return;
    bvpi_source **at = &sources;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    memset(s->state, BVPI_CHUNK_KEPT, s->count);
    free(s->slice);
}
#else
/* Under the gate. */
static bool reserve_arena(void)
{
    if (bvpi_the_arena.size > 0)
        return true;
    for (uintptr_t size = ARENA_MOST; size >= ARENA_LEAST; size /= 2) {
        void *range = mmap(NULL, size + BVPI_CHUNK_SIZE, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED)
            continue;
        /* one more than there are: the last chunk's neighbour may be asked for */
        void *state = mmap(NULL, (size >> BVPI_CHUNK_SHIFT) + 1, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (state == MAP_FAILED) {
            munmap(range, size + BVPI_CHUNK_SIZE);
            continue;
        }
        bvpi_the_arena.base = ((uintptr_t)range + BVPI_CHUNK_SIZE - 1) & ~(BVPI_CHUNK_SIZE - 1);
        bvpi_the_arena.state = state;
        __atomic_store_n(&bvpi_the_arena.size, size, __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

static void drop_bytes(uint8_t *chunk, uint64_t count)
{
    madvise(chunk, count << BVPI_CHUNK_SHIFT, MADV_DONTNEED);
}

/* The first gap that is large enough, with a chunk between neighbours that belongs to none. */
static bvp_status take_slice(bvpi_source *s, bvp_error *error)
{
    pthread_mutex_lock(&gate);
    const bool is_reserved = reserve_arena();
    bool has_room = false, is_placed = false;
    bvpi_source **at = &sources;
    uintptr_t from = bvpi_the_arena.base;
    const uintptr_t end = from + bvpi_the_arena.size;
    for (; is_reserved && *at; at = &(*at)->next) {
        const uintptr_t begin = (uintptr_t)(*at)->slice;
        if (begin > from && (begin - from) >> BVPI_CHUNK_SHIFT > s->count)
            break;
        from = begin + (((*at)->count + 1) << BVPI_CHUNK_SHIFT);
    }
    has_room = end >= from && (end - from) >> BVPI_CHUNK_SHIFT > s->count;
    is_placed = is_reserved && has_room &&
                mprotect((void *)from, s->count << BVPI_CHUNK_SHIFT, PROT_READ | PROT_WRITE) == 0;
    if (is_placed) {
        s->slice = (uint8_t *)from;
        s->state = bvpi_the_arena.state + ((from - bvpi_the_arena.base) >> BVPI_CHUNK_SHIFT);
        s->next = *at;
        *at = s;
    }
    const int reason = errno;
    pthread_mutex_unlock(&gate);
    if (is_placed)
        return BVP_OK;
    if (is_reserved && !has_room)
        return refuse_size(s->file->size, error);
    errno = reason;
    return bvpi_error_system(error, "cannot reserve addresses for %" PRIu64 " bytes from a source",
                             s->file->size);
}

static void return_slice(bvpi_source *s)
{
    if (!s->slice)
        return;
    pthread_mutex_lock(&gate);
    bvpi_source **at = &sources;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    memset(s->state, BVPI_CHUNK_ABSENT, s->count);
    mmap(s->slice, s->count << BVPI_CHUNK_SHIFT, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    pthread_mutex_unlock(&gate);
}
#endif

/* The source whose slice has this byte, or NULL. */
static bvpi_source *find_source(const void *byte)
{
    pthread_mutex_lock(&gate);
    bvpi_source *s = sources;
    while (s && (uintptr_t)byte - (uintptr_t)s->slice >= s->count << BVPI_CHUNK_SHIFT)
        s = s->next;
    pthread_mutex_unlock(&gate);
    return s;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static unsigned char state_of(const bvpi_source *s, uint64_t chunk)
{
    assert(chunk < s->count);
    return __atomic_load_n(&s->state[chunk], __ATOMIC_RELAXED);
}

static void set_state(bvpi_source *s, uint64_t chunk, enum bvpi_chunk_state state)
{
    assert(chunk < s->count);
    __atomic_store_n(&s->state[chunk], state, __ATOMIC_RELEASE);
}

static void keep(bvpi_source *s, uint64_t chunk)
{
    s->kept += state_of(s, chunk) != BVPI_CHUNK_KEPT;
    set_state(s, chunk, BVPI_CHUNK_KEPT);
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
    const uint8_t *end =
        file->is_digest_trusted ? file->digests.data : file->section[BVPD_HASH].data;
    bvp_status status = BVP_OK;
    for (uint64_t chunk = 1; chunk < s->count && status == BVP_OK; chunk++)
        if (state_of(s, chunk) >= BVPI_CHUNK_LEAVING &&
            offset_of(chunk) < (uint64_t)(end - file->base))
            status = bvpi_block_is_good(file, chunk - 1) ? BVP_OK : refuse_chunk(chunk, error);
    return status;
}

bvp_status bvpi_source_check_arrived(const bvp_file *file, bvp_error *error)
{
    return check_arrived(file->source, error);
}

/* Reads chunks first .. last, all absent. They become readable when they are checked. Those after
 * `needed` are read ahead: what is wrong with them is told to whoever needs them. */
static bvp_status read_chunks(bvpi_source *s, uint64_t first, uint64_t needed, uint64_t last,
                              bvp_error *error)
{
    const uint64_t from = offset_of(first), to = end_of(s, last);
    uint8_t *out = s->slice + (BVPI_CHUNK_SIZE - BVPD_HEADER_SIZE) + from;
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
    while (status == BVP_OK && good <= last &&
           (!s->is_checked || bvpi_block_is_good(s->file, good - 1)))
        good++;
    if (status == BVP_OK && good <= last && good <= needed)
        status = refuse_chunk(good, error);
    if (status != BVP_OK)
        good = first;
    if (good <= last) /* what has arrived of it must not be read */
        drop_bytes(s->slice + (good << BVPI_CHUNK_SHIFT), last - good + 1);
    for (uint64_t chunk = first; chunk < good; chunk++)
        set_state(s, chunk, BVPI_CHUNK_USED);
    s->held += good - first;
    return status;
}

/* ---- leaving --------------------------------------------------------------------------------- */

/* Frees what began to leave, when no call runs that began before. */
static void let_go(bvpi_source *s)
{
    if (s->leaving == 0 || s->running[~s->turn & 1] > 0)
        return;
    for (uint64_t chunk = 0; chunk < s->count; chunk++)
        if (state_of(s, chunk) == BVPI_CHUNK_LEAVING) {
            drop_bytes(s->slice + (chunk << BVPI_CHUNK_SHIFT), 1);
            set_state(s, chunk, BVPI_CHUNK_ABSENT);
            s->held--;
        }
    s->leaving = 0;
}

/* Makes chunks leave until at most half of the cache is taken: those not asked for since they were
 * last passed over (second chance). Two rounds at most: in the second, all are unused. */
static void make_room(bvpi_source *s)
{
    let_go(s);
    if (s->leaving > 0 || s->running[~s->turn & 1] > 0)
        return;
    while (s->held - s->leaving > s->goal && s->held - s->leaving > s->kept) {
        const uint64_t chunk = s->hand;
        const unsigned char state = state_of(s, chunk);
        s->hand = chunk + 1 < s->count ? chunk + 1 : 0;
        if (state == BVPI_CHUNK_USED)
            set_state(s, chunk, BVPI_CHUNK_UNUSED);
        else if (state == BVPI_CHUNK_UNUSED) {
            set_state(s, chunk, BVPI_CHUNK_LEAVING);
            s->leaving++;
        }
    }
    if (s->leaving > 0)
        s->turn++; /* calls that begin from now on cannot know these chunks */
    let_go(s);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* Of a chunk that is wanted, and those behind it that are: how many to read at once. Whoever goes
 * on where a scan ended is a scan; from the second time on it gets twice as many: tables come in
 * few reads. A walk through a hierarchy jumps, and gets what it wants. */
static uint64_t window_of(bvpi_source *s, uint64_t chunk, uint64_t wanted)
{
    unsigned k = 0;
    while (k < SCANS - 1 && s->scans[k].next != chunk)
        k++;
    const unsigned length = s->scans[k].next == chunk ? s->scans[k].length + 1 : 0;
    const uint64_t twice = length > 1 ? 2 * s->scans[k].window : 1;
    const uint64_t room = (s->limit - s->held) / 4;
    uint64_t window = twice < RUN_MOST ? twice : RUN_MOST, count = 1;
    window = window < room ? window : room;
    window = window > wanted ? window : wanted;
    while (count < window && chunk + count < s->count &&
           state_of(s, chunk + count) == BVPI_CHUNK_ABSENT)
        count++;
    for (; k > 0; k--)
        s->scans[k] = s->scans[k - 1];
    s->scans[0] = (scan){chunk + count, count, length};
    return count;
}

/* Fetches what is absent of chunks first .. last, in runs. */
static void fetch(bvpi_source *s, uint64_t first, uint64_t last)
{
    for (uint64_t chunk = first; chunk <= last; chunk++) {
        const unsigned char state = state_of(s, chunk);
        bvp_error error = {.status = BVP_OK, .offset = BVPI_NO_OFFSET};
        if (state == BVPI_CHUNK_LEAVING)
            s->leaving--;
        if (state == BVPI_CHUNK_LEAVING || state == BVPI_CHUNK_UNUSED)
            set_state(s, chunk, BVPI_CHUNK_USED);
        if (state != BVPI_CHUNK_ABSENT)
            continue;
        uint64_t end = chunk;
        while (end < last && end - chunk < RUN_MOST - 1 &&
               state_of(s, end + 1) == BVPI_CHUNK_ABSENT)
            end++;
        bvp_status status = BVP_OK;
        if (s->is_failing) { /* a walk that goes on over zeros asks for anything */
            __atomic_add_fetch(&s->misses, 1, __ATOMIC_RELAXED);
            return;
        }
        const uint64_t needed = end;
        end = chunk + window_of(s, chunk, end - chunk + 1) - 1;
        if (end - chunk >= s->limit - s->held)
            let_go(s);
        if (end - chunk >= s->limit - s->held)
            status = bvpi_error_set(&error, BVP_ERR_LIMIT, offset_of(chunk), "",
                                    "one call needs more than there is room for in the cache of "
                                    "%" PRIu64 " bytes; open the source with a larger cache",
                                    s->limit << BVPI_CHUNK_SHIFT);
        if (status == BVP_OK)
            status = read_chunks(s, chunk, needed, end, &error);
        if (status != BVP_OK) {
            note_miss(s, status, offset_of(chunk), &error);
            return;
        }
        chunk = end;
    }
}

/* The part of these bytes that lies in the file. */
static bool chunks_of(const bvpi_source *s, const void *bytes, uint64_t size, uint64_t *first,
                      uint64_t *last)
{
    const uint64_t at = (uint64_t)((const uint8_t *)bytes - s->slice);
    const uint64_t end = s->count << BVPI_CHUNK_SHIFT;
    if (size == 0 || at >= end)
        return false;
    *first = at >> BVPI_CHUNK_SHIFT;
    *last = (size < end - at ? at + size - 1 : end - 1) >> BVPI_CHUNK_SHIFT;
    return true;
}

void bvpi_fetch(const void *bytes, size_t size)
{
    bvpi_source *s = find_source(bytes);
    uint64_t first, last;
    if (!s || !chunks_of(s, bytes, size, &first, &last))
        return;
    pthread_mutex_lock(&s->lock);
    fetch(s, first, last);
    pthread_mutex_unlock(&s->lock);
}

void bvpi_source_keep(const bvp_file *file, const void *bytes, uint64_t size)
{
    bvpi_source *s = file->source;
    uint64_t first, last;
    if (!s || !chunks_of(s, bytes, size, &first, &last))
        return;
    pthread_mutex_lock(&s->lock);
    fetch(s, first, last);
    for (uint64_t chunk = first; chunk <= last; chunk++)
        if (state_of(s, chunk) >= BVPI_CHUNK_UNUSED)
            keep(s, chunk);
    pthread_mutex_unlock(&s->lock);
}

void bvpi_source_hint(const bvp_file *file, const void *bytes, uint64_t size)
{
    const bvpi_source *s = file->source;
    if (s && s->given.hint && size > 0)
        s->given.hint(s->given.user, s->offset + (uint64_t)((const uint8_t *)bytes - file->base),
                      size);
}

bvp_status bvpi_source_fetch_all(const bvp_file *file)
{
    bvpi_source *s = file->source;
    if (!s)
        return BVP_OK;
    const uint64_t misses = __atomic_load_n(&s->misses, __ATOMIC_RELAXED);
    pthread_mutex_lock(&s->lock);
    fetch(s, 0, s->count - 1);
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
    s->is_failing = false;
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
    return given->size > ARENA_MOST ? refuse_size(given->size, error) : BVP_OK;
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
    bvp_status status = read_chunks(s, 0, UINT64_MAX, s->count > 1 ? 1 : 0, error);
    if (status == BVP_OK)
        status = bvpi_check_head(file, s->slice + BVPI_CHUNK_SIZE - BVPD_HEADER_SIZE, error);
    return status;
}

/* Everything from the block in which HASH begins; then the first block is checked, too. */
static bvp_status read_hashes(bvpi_source *s, bvp_file *file, bvp_error *error)
{
    const uint64_t hashed = (uint64_t)(file->section[BVPD_HASH].data - file->base);
    const uint64_t first = chunk_of(hashed), absent = first > 1 ? first : 2;
    bvp_status status = BVP_OK;
    /* A head that lies must not make us read gigabytes. */
    if (file->size - hashed > 8 * first + 2 * BVPI_CHUNK_SIZE)
        return bvpi_error_set(error, BVP_ERR_CORRUPT, hashed, "HSH-1",
                              "%" PRIu64 " bytes follow where the hashes of %" PRIu64
                              " blocks begin",
                              file->size - hashed, first);
    if (absent < s->count)
        status = read_chunks(s, absent, UINT64_MAX, s->count - 1, error);
    if (status != BVP_OK)
        return status;
    if (!bvpi_hashes_are_good(file))
        return bvpi_error_set(error, BVP_ERR_CORRUPT, offsetof(bvpd_header, root_hash), "HSH-1",
                              "the block hashes are not what the header's root hash says");
    s->is_checked = true;
    keep(s, 0);
    for (uint64_t chunk = first; chunk < s->count; chunk++)
        keep(s, chunk);
    return check_arrived(s, error);
}

static void set_limits(bvpi_source *s)
{
    const uint64_t given = s->given.cache > 0 ? s->given.cache : DEFAULT_CACHE;
    const uint64_t chunks = given >> BVPI_CHUNK_SHIFT;
    const uint64_t most = chunks > CHUNKS_LEAST ? chunks : CHUNKS_LEAST;
    s->limit = s->kept + most;
    s->goal = s->kept + most / 2;
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
    status = take_slice(s, error);
    if (status != BVP_OK)
        return status;
    file->base = s->slice + BVPI_CHUNK_SIZE - BVPD_HEADER_SIZE;
    status = read_head(s, file, error);
    if (status == BVP_OK)
        bvpi_set_spans(file);
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
    return_slice(s);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
