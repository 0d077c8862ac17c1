/* SPDX-License-Identifier: MIT
 * source_cache.h: what is in the cache of a file from a source, for the four files that keep it:
 * source_chunks.c, which reads chunks and lets them go, source_beside.c, source_ahead.c, which says
 * what comes with a chunk that is wanted, and source.c, which opens it and counts the calls on it.
 *
 * All functions here run under the source's lock.
 */
#ifndef BVPI_FORMAT_SOURCE_CACHE_H
#define BVPI_FORMAT_SOURCE_CACHE_H

#include "format/source.h"
#include "format/slice.h"

#include <assert.h>
#include <pthread.h>

enum {
    BVPI_RUN_MOST = 64, /* chunks that are read at once: 1 MiB */
    BVPI_SCANS = 16,    /* that are told apart: tables are read side by side, and between jumps */
    BVPI_EXPECTED = 8,  /* chunks that are expected at a time */
    BVPI_HINTED = 16,   /* chunks that the source was told, and may have */
    BVPI_RECENT = 64    /* windows that are found at once */
};

/* Chunks that were wanted one after the other. */
typedef struct bvpi_scan {
    uint64_t next;   /* the chunk after the last one that was read */
    uint64_t window; /* how many were read at once */
    unsigned length; /* how often it went on */
} bvpi_scan;

/* The binary chunk of the GLB that the file lies in: source_beside.c. */
typedef struct bvpi_beside {
    uint8_t *bytes;         /* NULL: there is none */
    uint64_t offset, size;  /* in the source */
    unsigned char *arrived; /* of each BVPI_CHUNK_SIZE bytes */
} bvpi_beside;

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
    bvpi_slice *recent[BVPI_RECENT];
    uint64_t held, kept, limit;
    uint64_t goal;                    /* of held chunks when a call begins */
    uint64_t expected[BVPI_EXPECTED]; /* chunks, until the next read */
    unsigned expected_count;
    uint64_t hinted[BVPI_HINTED]; /* chunks; 0: none, the head is never one */
    unsigned hinted_at;           /* the one to forget when there are more */
    bvpi_scan scans[BVPI_SCANS];  /* the latest first */
    bvpi_slice *hand_at;          /* where the next chunk to leave is looked for, */
    uint64_t hand;                /* and its number in the slice */
    bvpi_beside beside;
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

/* ---- chunks, by number ----------------------------------------------------------------------- */

static inline unsigned char bvpi_chunk_state_of(const bvpi_slice *slice, uint64_t k)
{
    assert(k < slice->count);
    return __atomic_load_n(&slice->state[k], __ATOMIC_RELAXED);
}

static inline void bvpi_chunk_set_state(bvpi_slice *slice, uint64_t k, enum bvpi_chunk_state state)
{
    assert(k < slice->count);
    __atomic_store_n(&slice->state[k], state, __ATOMIC_RELEASE);
}

static inline void bvpi_chunk_keep(bvpi_source *s, bvpi_slice *slice, uint64_t k)
{
    s->kept += bvpi_chunk_state_of(slice, k) != BVPI_CHUNK_KEPT;
    bvpi_chunk_set_state(slice, k, BVPI_CHUNK_KEPT);
}

/* Where a chunk begins in the file, and where it ends. */
static inline uint64_t bvpi_chunk_off(uint64_t chunk)
{
    return chunk == 0 ? 0 : BVPD_HEADER_SIZE + (chunk - 1) * BVPD_BLOCK_SIZE;
}

static inline uint64_t bvpi_chunk_end(const bvpi_source *s, uint64_t chunk)
{
    const uint64_t end = bvpi_chunk_off(chunk + 1);
    return end < s->file->size ? end : s->file->size;
}

static inline uint64_t bvpi_chunk_at(uint64_t offset)
{
    return offset < BVPD_HEADER_SIZE ? 0 : 1 + (offset - BVPD_HEADER_SIZE) / BVPD_BLOCK_SIZE;
}

/* Where the byte at an offset lies, whose chunk the slice has. */
static inline const uint8_t *bvpi_chunk_address(const bvpi_slice *slice, uint64_t offset)
{
    const uint64_t chunk = bvpi_chunk_at(offset);
    assert(chunk - slice->first < slice->count);
    return slice->bytes + ((chunk - slice->first) << BVPI_CHUNK_SHIFT) +
           (offset - bvpi_chunk_off(chunk)) + (chunk == 0 ? BVPI_CHUNK_SIZE - BVPD_HEADER_SIZE : 0);
}

static_assert(BVPD_BLOCK_SIZE == 1 << BVPI_CHUNK_SHIFT, "a chunk is a block");

/* ---- source_chunks.c ------------------------------------------------------------------------- */

/* Notes that bytes are missing; what the source said is what the call will return. */
void bvpi_source_note_miss(bvpi_source *s, bvp_status status, uint64_t offset,
                           const bvp_error *said);
/* Reads bytes of the source, offset as there, and says which if it gives none and says nothing. */
bvp_status bvpi_source_ask(bvpi_source *s, uint64_t offset, uint64_t size, uint8_t *out,
                           bvp_error *error);
/* Reads chunks first .. last of a slice, all absent. They become readable when they are checked.
 * Those after `needed` are read ahead: what is wrong with them is told to whoever needs them. */
bvp_status bvpi_source_read(bvpi_source *s, bvpi_slice *slice, uint64_t first, uint64_t needed,
                            uint64_t last, bvp_error *error);
/* Frees what began to leave, when no call runs that began before. */
void bvpi_source_let_go(bvpi_source *s);
/* Makes chunks leave until at most half of the cache is taken. */
void bvpi_source_make_room(bvpi_source *s);
/* With what is in it. */
void bvpi_source_close_window(bvpi_source *s, bvpi_slice *window);
/* The oldest windows, until half of them is left. Only while no call runs, which may know one. */
void bvpi_source_close_windows(bvpi_source *s);

/* ---- source_ahead.c -------------------------------------------------------------------------- */

/* Of a chunk that is wanted, and those behind it that are: how many to read at once. */
uint64_t bvpi_ahead_scan(bvpi_source *s, const bvpi_slice *slice, uint64_t first, uint64_t wanted);
/* A chunk that is wanted comes with those of its group, as far as they are absent. The chunk to
 * begin at; *last: grows to the one to end with. Both are numbers in the slice. */
uint64_t bvpi_ahead_group(const bvpi_source *s, const bvpi_slice *slice, uint64_t k,
                          uint64_t *last);
/* The place of a chunk that the source was told, or BVPI_HINTED. */
unsigned bvpi_ahead_find_hinted(const bvpi_source *s, uint64_t chunk);
/* A walk will want this chunk. */
void bvpi_ahead_expect(bvpi_source *s, uint64_t chunk);
/* Chunks *first .. *last of a slice will be read: with expected ones that are next to them. */
void bvpi_ahead_grow(const bvpi_source *s, const bvpi_slice *slice, uint64_t *first,
                     uint64_t *last);
/* Tells the source the first chunk that is expected, and not among those that will be read now. */
void bvpi_ahead_hint(bvpi_source *s, uint64_t first, uint64_t last);

#endif
