/* SPDX-License-Identifier: MIT
 * source.h: the cache of a file that is opened from a source of bytes, and the calls on it.
 *
 * A call begins with bvpi_call_begin() and ends with bvpi_call_end(), which makes it fail if bytes
 * were missing. In between, missing bytes read as zeros: a walk stays inside and ends whatever it
 * reads, so it need not stop at once. Only callbacks must not see what came of them: BVPI_GUARD.
 */
#ifndef BVPI_FORMAT_SOURCE_H
#define BVPI_FORMAT_SOURCE_H

#include "format/map.h"

typedef struct bvpi_source bvpi_source;

/* Can a file be opened from it, with these options? */
bvp_status bvpi_source_check(const bvp_source *given, const bvp_open_options *options,
                             bvp_error *error);
/* Fills *file, whose options are set, as bvpi_map_fd() does: two reads, or one if `first` has the
 * bytes that the source begins with. The file owns the cache, also after a failure: bvpi_unmap().
 * `given` is copied, and closed with the file. */
bvp_status bvpi_source_open(bvp_file *file, const bvp_source *given,
                            const bvp_open_options *options, const bvpi_span *first,
                            bvp_error *error);
/* Makes of what a source said of a failure an error that has a text. error: may be NULL. */
bvp_status bvpi_source_failed(bvp_error *said, bvp_status status, bvp_error *error);
void bvpi_source_close(bvpi_source *source);
/* These bytes stay until the file is closed: the caller gets pointers to them. */
void bvpi_source_keep(const bvp_file *file, const void *bytes, uint64_t size);
/* What has arrived so far, against digests that have come to be trusted. */
bvp_status bvpi_source_check_arrived(const bvp_file *file, bvp_error *error);
/* Where a part's bytes in DATA, TIDS or BINH lie, of a file whose section has no address (data is
 * NULL): until the call ends. NULL: there is no room for them, and the call will say so. */
const uint8_t *bvpi_source_window(const bvp_file *file, enum bvpd_section_index section,
                                  uint64_t offset, uint64_t size);
/* The offset in the file of a byte of one from a source. */
uint64_t bvpi_source_offset(const bvp_file *file, const uint8_t *byte);
/* Fetches the whole file, for whoever reads it directly. For a mapped file nothing. Within a call.
 */
bvp_status bvpi_source_fetch_all(const bvp_file *file);

/* Makes room for bytes of the source that lie beside the file, offset and size as in the source,
 * and sets file->chunk. They have yet to be fetched. */
bvp_status bvpi_source_take_beside(bvp_file *file, uint64_t offset, uint64_t size,
                                   bvp_error *error);
/* Fetches what is absent of these, bytes of file->chunk: until the file is closed. Within a call,
 * which says what the source said. */
bvp_status bvpi_source_fetch_beside(const bvp_file *file, const uint8_t *bytes, uint64_t size);

/* BVP_ERR_ARGUMENT for a file from a source: for calls that copy a file's bytes where they lie. */
bvp_status bvpi_source_refuse(const bvp_file *file, bvp_error *error);
/* Sets *error (may be NULL) to what the source said last, and returns its status. */
bvp_status bvpi_source_explain(const bvp_file *file, bvp_error *error);

/* A call on one file, or on two. */
typedef struct bvpi_call {
    bvpi_source *source[2]; /* or NULL */
    uint64_t misses[2];     /* that the source had when the call began */
    unsigned turn[2];
} bvpi_call;

void bvpi_source_enter(bvpi_call *call, int which);
/* status, or what the source said if bytes were missing. */
bvp_status bvpi_source_leave(bvpi_call *call, int which, bvp_status status);
bool bvpi_source_missed(const bvpi_call *call);

static inline bvpi_call bvpi_call_begin(const bvp_file *a, const bvp_file *b)
{
    bvpi_call call;
    call.source[0] = a ? a->source : NULL;
    call.source[1] = b ? b->source : NULL;
    if (__builtin_expect(call.source[0] != NULL, 0))
        bvpi_source_enter(&call, 0);
    if (__builtin_expect(call.source[1] != NULL, 0))
        bvpi_source_enter(&call, 1);
    return call;
}

static inline bvpi_call bvpi_call_begin_bodies(const bvp_body *a, const bvp_body *b)
{
    return bvpi_call_begin(a ? a->file : NULL, b ? b->file : NULL);
}

/* Of files of which one at least may come from a source: were bytes missing so far? */
static inline bool bvpi_call_missed(const bvpi_call *call)
{
    return (call->source[0] || call->source[1]) && bvpi_source_missed(call);
}

/* Returns `status`, unless bytes were missing. */
static inline bvp_status bvpi_call_end(bvpi_call *call, bvp_status status)
{
    if (__builtin_expect(call->source[1] != NULL, 0))
        status = bvpi_source_leave(call, 1, status);
    if (__builtin_expect(call->source[0] != NULL, 0))
        status = bvpi_source_leave(call, 0, status);
    return status;
}

/* A caller's function that is called with one item: while no bytes are missing. NAME_guard is what
 * to hand over instead of it, NAME_guarded the function. */
#define BVPI_GUARD(name, function, item)                                                           \
    typedef struct name##_guard {                                                                  \
        const bvpi_call *call;                                                                     \
        function each;                                                                             \
        void *user;                                                                                \
    } name##_guard;                                                                                \
    static int name##_guarded(void *user, const item *of)                                          \
    {                                                                                              \
        const name##_guard *guard = (const name##_guard *)user;                                    \
        return bvpi_call_missed(guard->call) || guard->each(guard->user, of);                      \
    }

#endif
