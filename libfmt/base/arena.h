/* SPDX-License-Identifier: MIT
 * arena.h: files whose bytes are not mapped but fetched when they are first read. They lie in one
 * range of addresses, in chunks; whoever reads a file's bytes asks for them first, here. For a
 * mapped file the question is one comparison, in kernels of mapped files (BVPI_MAPPED_ONLY) none.
 *
 * What must stay true: between an address computed from a file and the bytes read there stands a
 * call of bvpi_want() with all that is used of them. Bytes beyond, that are read but not used, may
 * be anything. Held by tests/property/test_source.c: chunks that were not asked for hold garbage.
 * Slow path: format/source.c; addresses: format/arena.c
 */
#ifndef BVPI_BASE_ARENA_H
#define BVPI_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { BVPI_CHUNK_SHIFT = 14 };
#define BVPI_CHUNK_SIZE ((uintptr_t)1 << BVPI_CHUNK_SHIFT)

/* The state of a chunk; what is at least USED may be read. */
enum bvpi_chunk_state {
    BVPI_CHUNK_ABSENT = 0, /* its bytes read as zeros */
    BVPI_CHUNK_LEAVING,    /* its bytes go as soon as no call that may know them runs */
    BVPI_CHUNK_UNUSED,     /* not asked for since some chunks were last dropped */
    BVPI_CHUNK_USED,
    BVPI_CHUNK_KEPT /* the caller has pointers to its bytes, or the library needs them */
};

typedef struct bvpi_arena {
    uintptr_t base;       /* a multiple of the chunks' size */
    uintptr_t size;       /* 0: no file was ever opened from a source */
    unsigned char *state; /* of each chunk, atomic */
    uint64_t whole;       /* longer files get windows, half as long in all: format/source.c */
} bvpi_arena;

/* Set once, and then constant. */
extern bvpi_arena bvpi_the_arena;

/* Fetches what is missing of these bytes. A failure is noted in the source (format/source.h), whose
 * call then fails; the bytes read as zeros. */
void bvpi_fetch(const void *bytes, size_t size);

/* Is this byte of a file from a source, and yet to be fetched? */
static inline int bvpi_is_absent(const void *byte)
{
    const uintptr_t range = __atomic_load_n(&bvpi_the_arena.size, __ATOMIC_ACQUIRE);
    const uintptr_t at = (uintptr_t)byte - bvpi_the_arena.base;
    return at < range && __atomic_load_n(&bvpi_the_arena.state[at >> BVPI_CHUNK_SHIFT],
                                         __ATOMIC_ACQUIRE) == BVPI_CHUNK_ABSENT;
}

/* Said before bytes are wanted that are absent: that this byte is likely to be wanted after them.
 * Its chunk may come with theirs, or be fetched beside it. */
void bvpi_expect(const void *byte);

/* Before bytes of a file are used: 1 .. BVPI_CHUNK_SIZE of them, or any number with bvpi_fetch().
 */
static inline void bvpi_want(const void *bytes, size_t size)
{
#ifndef BVPI_MAPPED_ONLY
    const uintptr_t range = __atomic_load_n(&bvpi_the_arena.size, __ATOMIC_ACQUIRE);
    const uintptr_t at = (uintptr_t)bytes - bvpi_the_arena.base;
    if (__builtin_expect(at < range, 0)) {
        const unsigned char *state = bvpi_the_arena.state;
        const uintptr_t last = at + size - 1;
        if (__atomic_load_n(&state[at >> BVPI_CHUNK_SHIFT], __ATOMIC_ACQUIRE) < BVPI_CHUNK_USED ||
            __atomic_load_n(&state[last >> BVPI_CHUNK_SHIFT], __ATOMIC_ACQUIRE) < BVPI_CHUNK_USED)
            bvpi_fetch(bytes, size);
    }
#else
    (void)bytes;
    (void)size;
#endif
}

#endif
