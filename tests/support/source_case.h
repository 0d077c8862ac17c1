/* SPDX-License-Identifier: MIT
 * source_case.h: a source of bytes in memory that counts, refuses, damages and makes wait; and what
 * has not been fetched made garbage, so that a reader that did not ask gets wrong answers.
 */
#ifndef SOURCE_CASE_H
#define SOURCE_CASE_H

#include "base/arena.h"
#include "build_case.h"
#include "format/source.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

typedef struct source_case {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t reads, bytes_read, largest; /* that were answered */
    uint64_t refused;
    int closed, hints;
    bvp_status answer;    /* OK, or what every read says */
    uint64_t good_reads;  /* before it says so */
    unsigned char *there; /* or NULL: of each 64 KiB, whether it is here; else BVP_ERR_AGAIN */
    uint64_t wanted, wanted_end;
    uint64_t damage; /* offset of a bit that is wrong, or UINT64_MAX */
} source_case;

static inline bvp_status source_case_read(void *user, uint64_t offset, uint64_t size, void *out,
                                          bvp_error *error)
{
    source_case *s = user;
    ck_assert_uint_gt(size, 0);
    ck_assert(offset <= s->size && size <= s->size - offset);
    if (s->answer != BVP_OK && s->good_reads == 0) {
        s->refused++;
        memset(out, 0x5a, (size_t)size / 2); /* what comes of a read that fails is not used */
        strcpy(error->message, "the line is cut");
        return s->answer;
    }
    for (uint64_t at = offset >> 16; s->there && at <= (offset + size - 1) >> 16; at++)
        if (!s->there[at]) {
            s->refused++;
            s->wanted = offset;
            s->wanted_end = offset + size;
            return BVP_ERR_AGAIN;
        }
    s->good_reads -= s->good_reads > 0;
    s->reads++;
    s->bytes_read += size;
    s->largest = size > s->largest ? size : s->largest;
    memcpy(out, s->bytes + offset, (size_t)size);
    if (s->damage - offset < size)
        ((uint8_t *)out)[s->damage - offset] ^= 4;
    return BVP_OK;
}

static inline void source_case_hint(void *user, uint64_t offset, uint64_t size)
{
    source_case *s = user;
    ck_assert(size > 0 && offset <= s->size && size <= s->size - offset);
    s->hints++;
}

static inline void source_case_close(void *user)
{
    ((source_case *)user)->closed++;
}

static inline source_case source_case_of(const void *bytes, uint64_t size)
{
    return (source_case){.bytes = bytes, .size = size, .damage = UINT64_MAX};
}

/* What was waited for is now here, and what follows. */
static inline void source_case_arrives(source_case *s)
{
    for (uint64_t at = s->wanted >> 16; at <= (s->wanted_end - 1) >> 16 || at % 4 != 0; at++)
        s->there[at] = 1;
}

static inline bvp_source source_case_source(source_case *s, uint64_t cache)
{
    return (bvp_source){.size = s->size,
                        .read = source_case_read,
                        .hint = source_case_hint,
                        .close = source_case_close,
                        .user = s,
                        .cache = cache};
}

static inline uint64_t source_case_chunks(const bvp_file *file)
{
    return 1 + (file->size - BVPD_HEADER_SIZE + BVPD_BLOCK_SIZE - 1) / BVPD_BLOCK_SIZE;
}

static inline uint8_t *source_case_slice(const bvp_file *file)
{
    return (uint8_t *)file->base + BVPD_HEADER_SIZE - BVPI_CHUNK_SIZE;
}

static inline unsigned source_case_state(const bvp_file *file, uint64_t chunk)
{
    const uintptr_t at = (uintptr_t)source_case_slice(file) - bvpi_the_arena.base;
    return bvpi_the_arena.state[(at >> BVPI_CHUNK_SHIFT) + chunk];
}

static inline uint64_t source_case_held(const bvp_file *file)
{
    uint64_t held = 0;
    for (uint64_t chunk = 0; chunk < source_case_chunks(file); chunk++)
        held += source_case_state(file, chunk) != BVPI_CHUNK_ABSENT;
    return held;
}

/* All that is absent. */
static inline void source_case_spoil(const bvp_file *file)
{
    uint64_t state = 77;
    for (uint64_t chunk = 0; chunk < source_case_chunks(file); chunk++) {
        uint64_t *at = (uint64_t *)(source_case_slice(file) + (chunk << BVPI_CHUNK_SHIFT));
        for (uint64_t k = 0;
             k < BVPI_CHUNK_SIZE / 8 && source_case_state(file, chunk) == BVPI_CHUNK_ABSENT; k++)
            at[k] = case_random(&state);
    }
}

static inline bvp_file *source_case_open(source_case *s, uint64_t cache,
                                         const bvp_open_options *options)
{
    const bvp_source source = source_case_source(s, cache);
    bvp_error error = {0};
    bvp_file *file;
    ck_assert_msg(bvp_open_source(&source, options, &file, &error) == BVP_OK, "%s", error.message);
    return file;
}

#endif
