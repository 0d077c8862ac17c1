/* SPDX-License-Identifier: MIT
 * arena.c: addresses for files whose bytes come from sources.
 *
 * All of them lie in one range, the arena, which is reserved when the first one is opened, so that
 * for a mapped file the question whether its bytes are here is one comparison (base/arena.h). A
 * file gets a slice of it, as long as itself, or several that each hold some of its chunks
 * (source_chunks.c).
 *
 * Locks: `gate` guards the list of slices.
 *
 * Held by tests/property/test_source*.c.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, madvise */
#include "format/slice.h"

#include "base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __wasm__
/* of 4 GiB, with room for the rest; what is longer is read through windows */
#define ARENA_WHOLE ((uint64_t)1 << 30)
#else
#define ARENA_MOST  ((uintptr_t)1 << (sizeof(void *) > 4 ? 38 : 30))
#define ARENA_WHOLE ((uint64_t)ARENA_MOST / 4)
#endif
#define ARENA_LEAST ((uintptr_t)1 << 28)

bvpi_arena bvpi_the_arena = {.whole = ARENA_WHOLE};

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static bvpi_slice *slices; /* by address; in a module for browsers the latest first */

static uint64_t bytes_of(const bvpi_slice *slice)
{
    return slice->count << BVPI_CHUNK_SHIFT;
}

static bvp_status refuse_size(const bvpi_slice *slice, bvp_error *error)
{
    return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                          "there is no room in the address space for %" PRIu64
                          " bytes from a source",
                          bytes_of(slice));
}

/* Out of the list. */
static void unlink_slice(bvpi_slice *slice)
{
    bvpi_slice **at = &slices;
    while (*at != slice)
        at = &(*at)->next;
    *at = slice->next;
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

void bvpi_drop_chunks(uint8_t *chunk, uint64_t count)
{
    memset(chunk, 0, (size_t)count << BVPI_CHUNK_SHIFT);
}

bvp_status bvpi_slice_take(bvpi_slice *slice, bvp_error *error)
{
    const uint64_t used = (uint64_t)__builtin_wasm_memory_size(0) << BVPI_CHUNK_SHIFT;
    /* one chunk more: the last one's neighbour may be read, and is not used */
    const bool fits = bytes_of(slice) < UINTPTR_MAX - 4 * BVPI_CHUNK_SIZE;
    slice->bytes = fits && reserve_arena()
                       ? aligned_alloc(BVPI_CHUNK_SIZE, (size_t)bytes_of(slice) + BVPI_CHUNK_SIZE)
                       : NULL;
    if (!slice->bytes)
        return refuse_size(slice, error);
    const uintptr_t from = (uintptr_t)slice->bytes;
    if (from < used) /* what lies behind is new, and zero */
        memset(slice->bytes, 0,
               (size_t)(bytes_of(slice) < used - from ? bytes_of(slice) : used - from));
    slice->state = bvpi_the_arena.state + (from >> BVPI_CHUNK_SHIFT);
    memset(slice->state, BVPI_CHUNK_ABSENT, (size_t)slice->count);
    slice->next = slices;
    slices = slice;
    return BVP_OK;
}

void bvpi_slice_return(bvpi_slice *slice)
{
    if (!slice->bytes)
        return;
    unlink_slice(slice);
    memset(slice->state, BVPI_CHUNK_KEPT, (size_t)slice->count);
    free(slice->bytes);
    slice->bytes = NULL;
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

void bvpi_drop_chunks(uint8_t *chunk, uint64_t count)
{
    madvise(chunk, count << BVPI_CHUNK_SHIFT, MADV_DONTNEED);
}

/* The first gap that is large enough, with a chunk between neighbours that belongs to none. */
bvp_status bvpi_slice_take(bvpi_slice *slice, bvp_error *error)
{
    pthread_mutex_lock(&gate);
    const bool is_reserved = reserve_arena();
    bool has_room = false, is_placed = false;
    bvpi_slice **at = &slices;
    uintptr_t from = bvpi_the_arena.base;
    const uintptr_t end = from + bvpi_the_arena.size;
    for (; is_reserved && *at; at = &(*at)->next) {
        const uintptr_t begin = (uintptr_t)(*at)->bytes;
        if (begin > from && (begin - from) >> BVPI_CHUNK_SHIFT > slice->count)
            break;
        from = begin + (((*at)->count + 1) << BVPI_CHUNK_SHIFT);
    }
    has_room = end >= from && (end - from) >> BVPI_CHUNK_SHIFT > slice->count;
    is_placed = is_reserved && has_room &&
                mprotect((void *)from, bytes_of(slice), PROT_READ | PROT_WRITE) == 0;
    if (is_placed) {
        slice->bytes = (uint8_t *)from;
        slice->state = bvpi_the_arena.state + ((from - bvpi_the_arena.base) >> BVPI_CHUNK_SHIFT);
        slice->next = *at;
        *at = slice;
    }
    const int reason = errno;
    pthread_mutex_unlock(&gate);
    if (is_placed)
        return BVP_OK;
    if (is_reserved && !has_room)
        return refuse_size(slice, error);
    errno = reason;
    return bvpi_error_system(error, "cannot reserve addresses for %" PRIu64 " bytes from a source",
                             bytes_of(slice));
}

void bvpi_slice_return(bvpi_slice *slice)
{
    if (!slice->bytes)
        return;
    pthread_mutex_lock(&gate);
    unlink_slice(slice);
    memset(slice->state, BVPI_CHUNK_ABSENT, slice->count);
    mmap(slice->bytes, bytes_of(slice), PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    pthread_mutex_unlock(&gate);
    slice->bytes = NULL;
}
#endif

bvpi_slice *bvpi_slice_of(const void *byte)
{
    pthread_mutex_lock(&gate);
    bvpi_slice *slice = slices;
    while (slice && (uintptr_t)byte - (uintptr_t)slice->bytes >= bytes_of(slice))
        slice = slice->next;
    pthread_mutex_unlock(&gate);
    return slice;
}
