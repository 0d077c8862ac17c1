/* SPDX-License-Identifier: MIT
 * seekable_read.c: frames of zstd as a source of what was compressed.
 *
 * The packed file may be forged. The seek table bounds all memory and all work before a frame is
 * read: a frame decompresses to at most 1 MiB, into a buffer of exactly the size that the table
 * says, in one call that needs no window; so there is nothing that a frame could make larger. Only
 * frames of the current format are given to zstd, which may know older ones.
 *
 * The frame that was decompressed last is kept: a reader of less at a time decompresses it once.
 *
 * Held by tests/unit/test_seekable.c and tests/cli/test_compress.sh.
 * Based on: Facebook, "Zstandard Seekable Format" 0.1.0, 2017
 */
#include "compress/seekable_read.h"

#include "compress/seekable_format.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum {
    READ_MOST = 1 << 20, /* what a source is asked for at once */
    TAIL_SIZE = 16 << 10 /* of the file's end: the whole table of most files, in one read */
};

typedef struct frame {
    uint64_t from;     /* of its content in the whole */
    uint64_t at;       /* in the packed file */
    uint32_t checksum; /* of its content */
} frame;

typedef struct seekable {
    bvp_source packed;
    ZSTD_DCtx *decoder;
    frame *frames; /* and one behind the last, where both end */
    uint32_t count;
    bool has_checksums;
    uint8_t *input, *content; /* of the frame that is held; as large as the largest */
    uint32_t held;            /* count: none */
} seekable;

static bvp_status refuse(bvp_error *error, bvp_status status, uint64_t offset, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));
static bvp_status refuse(bvp_error *error, bvp_status status, uint64_t offset, const char *format,
                         ...)
{
    va_list arguments;
    *error = (bvp_error){.status = status, .offset = offset};
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

static bvp_status refuse_memory(bvp_error *error, uint64_t size)
{
    return refuse(error, BVP_ERR_NO_MEMORY, UINT64_MAX, "no memory for %" PRIu64 " bytes", size);
}

static bvp_status refuse_table(bvp_error *error)
{
    return refuse(error, BVP_ERR_ARGUMENT, UINT64_MAX,
                  "is compressed, but has no seek table at its end: it is cut off, or not "
                  "compressed by \"bvpack compress\"; fetch it again, or decompress it: zstd -d");
}

static bvp_status read_packed(const bvp_source *packed, uint64_t offset, uint64_t size, void *out,
                              bvp_error *error)
{
    bvp_status status = BVP_OK;
    assert(offset <= packed->size && size <= packed->size - offset);
    for (uint64_t done = 0; done < size && status == BVP_OK; done += READ_MOST) {
        const uint64_t more = size - done < READ_MOST ? size - done : READ_MOST;
        status = packed->read(packed->user, offset + done, more, (uint8_t *)out + done, error);
    }
    return status;
}

/* The first frame may be one to skip. */
bvp_status seekable_look(const bvp_source *packed, bool *is_compressed, bvp_error *error)
{
    uint8_t start[4];
    *is_compressed = false;
    if (packed->size < sizeof start)
        return BVP_OK;
    const bvp_status status = read_packed(packed, 0, sizeof start, start, error);
    const uint32_t magic = status == BVP_OK ? seekable_get32(start) : 0;
    *is_compressed = magic == SEEKABLE_FRAME_MAGIC || magic >> 4 == SEEKABLE_TABLE_MAGIC >> 4;
    return status;
}

/* ---- the seek table -------------------------------------------------------------------------- */

/* Of the table's last bytes: how many entries, of which size. *table_size: of the whole. */
static bvp_status take_footer(seekable *s, const uint8_t footer[SEEKABLE_FOOTER_SIZE],
                              uint64_t *entry_size, uint64_t *table_size, bvp_error *error)
{
    const uint64_t size = s->packed.size, from = size - SEEKABLE_FOOTER_SIZE;
    s->count = seekable_get32(footer);
    s->has_checksums = footer[4] & SEEKABLE_HAS_CHECKSUMS;
    if (seekable_get32(footer + 5) != SEEKABLE_FOOTER_MAGIC)
        return refuse_table(error);
    if (footer[4] & SEEKABLE_RESERVED)
        return refuse(error, BVP_ERR_NEWER, from + 4,
                      "the seek table has bits set (0x%02x) that a later format may define",
                      footer[4] & SEEKABLE_RESERVED);
    *entry_size = SEEKABLE_ENTRY_SIZE + (s->has_checksums ? SEEKABLE_CHECKSUM_SIZE : 0);
    *table_size = SEEKABLE_HEAD_SIZE + s->count * *entry_size + SEEKABLE_FOOTER_SIZE;
    if (*table_size > size)
        return refuse(error, BVP_ERR_CORRUPT, from,
                      "the seek table says that there are %" PRIu32 " frames, for which it would "
                      "need %" PRIu64 " bytes; the file has %" PRIu64,
                      s->count, *table_size, size);
    if (s->count > SEEKABLE_COUNT_MAX)
        return refuse(error, BVP_ERR_LIMIT, from,
                      "the file has %" PRIu32 " frames; at most %d are read where it is compressed",
                      s->count, SEEKABLE_COUNT_MAX);
    return BVP_OK;
}

/* Where the frames lie. `table` begins at byte `end`, where they must end. *largest: sizes of the
 * largest frame, compressed and not. */
static bvp_status place_frames(seekable *s, const uint8_t *table, uint64_t end, uint64_t entry_size,
                               uint64_t largest[2], bvp_error *error)
{
    const uint64_t most = ZSTD_compressBound(SEEKABLE_FRAME_MAX);
    const uint8_t *entry = table + SEEKABLE_HEAD_SIZE;
    uint64_t at = 0, from = 0;
    for (uint32_t i = 0; i < s->count; i++, entry += entry_size) {
        const uint32_t size = seekable_get32(entry), content = seekable_get32(entry + 4);
        const uint64_t where = end + (uint64_t)(entry - table);
        s->frames[i] = (frame){from, at, s->has_checksums ? seekable_get32(entry + 8) : 0};
        if (size > end - at)
            return refuse(error, BVP_ERR_CORRUPT, where,
                          "frame %" PRIu32 " begins at byte %" PRIu64 " and has %" PRIu32
                          " bytes, but the seek table begins at byte %" PRIu64,
                          i, at, size, end);
        if (content > SEEKABLE_FRAME_MAX)
            return refuse(error, BVP_ERR_LIMIT, where,
                          "frame %" PRIu32 " has %" PRIu32 " bytes decompressed, at most %d are "
                          "read where it is compressed; decompress the file first: zstd -d",
                          i, content, SEEKABLE_FRAME_MAX);
        if (content > 0 && size > most)
            return refuse(error, BVP_ERR_CORRUPT, where,
                          "frame %" PRIu32 " has %" PRIu32 " bytes compressed; at most %" PRIu64
                          " can come of what a frame may hold",
                          i, size, most);
        if (content > 0 && size > largest[0])
            largest[0] = size;
        if (content > largest[1])
            largest[1] = content;
        at += size;
        from += content;
    }
    s->frames[s->count] = (frame){from, at, 0};
    if (at != end)
        return refuse(error, BVP_ERR_CORRUPT, end,
                      "the frames of the seek table end at byte %" PRIu64
                      ", but it begins at byte %" PRIu64,
                      at, end);
    return BVP_OK;
}

static bvp_status read_table(seekable *s, uint64_t largest[2], bvp_error *error)
{
    uint8_t tail[TAIL_SIZE];
    uint64_t entry_size = 0, size = 0;
    const uint64_t whole = s->packed.size, have = whole < sizeof tail ? whole : sizeof tail;
    if (whole < SEEKABLE_HEAD_SIZE + SEEKABLE_FOOTER_SIZE)
        return refuse_table(error);
    bvp_status status = read_packed(&s->packed, whole - have, have, tail, error);
    if (status == BVP_OK)
        status = take_footer(s, tail + have - SEEKABLE_FOOTER_SIZE, &entry_size, &size, error);
    if (status != BVP_OK)
        return status;
    /* both in proportion to the file, for the table is in it */
    uint8_t *table = malloc(size);
    s->frames = malloc(((size_t)s->count + 1) * sizeof *s->frames);
    if (!table || !s->frames) {
        free(table);
        return refuse_memory(error, size + s->count * sizeof *s->frames);
    }
    const uint64_t at = whole - size, known = size < have ? size : have;
    memcpy(table + (size - known), tail + (have - known), (size_t)known);
    if (known < size)
        status = read_packed(&s->packed, at, size - known, table, error);
    if (status == BVP_OK && (seekable_get32(table) != SEEKABLE_TABLE_MAGIC ||
                             seekable_get32(table + 4) != size - SEEKABLE_HEAD_SIZE))
        status = refuse(error, BVP_ERR_CORRUPT, at,
                        "expected at byte %" PRIu64 " a seek table of %" PRIu32
                        " frames, found something else",
                        at, s->count);
    if (status == BVP_OK)
        status = place_frames(s, table, at, entry_size, largest, error);
    free(table);
    return status;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* What is wrong with the frame of `size` bytes at s->input, which should decompress to `whole`
 * bytes in s->content; or NULL. */
static const char *decompress(seekable *s, size_t size, size_t whole, uint32_t checksum)
{
    if (size < 4 || seekable_get32(s->input) != SEEKABLE_FRAME_MAGIC)
        return "it does not begin as a frame of zstd does";
    if (ZSTD_findFrameCompressedSize(s->input, size) != size)
        return "it is not one whole frame";
    /* zstd's own writer of seekable files leaves the size out */
    const unsigned long long declared = ZSTD_getFrameContentSize(s->input, size);
    if (declared != whole && declared != ZSTD_CONTENTSIZE_UNKNOWN)
        return "its own size is not that of the seek table";
    const size_t got = ZSTD_decompressDCtx(s->decoder, s->content, whole, s->input, size);
    if (ZSTD_isError(got))
        return ZSTD_getErrorName(got);
    if (got != whole)
        return "it is shorter than the seek table says";
    if (s->has_checksums && (uint32_t)XXH64(s->content, whole, 0) != checksum)
        return "its checksum is not that of the seek table";
    return NULL;
}

static bvp_status hold(seekable *s, uint32_t i, bvp_error *error)
{
    const frame *f = &s->frames[i];
    const uint64_t size = f[1].at - f->at, whole = f[1].from - f->from;
    if (s->held == i)
        return BVP_OK;
    s->held = s->count;
    const bvp_status status = read_packed(&s->packed, f->at, size, s->input, error);
    if (status != BVP_OK)
        return status;
    const char *wrong = decompress(s, (size_t)size, (size_t)whole, f->checksum);
    if (wrong)
        return refuse(error, BVP_ERR_CORRUPT, f->at,
                      "frame %" PRIu32 ", at byte %" PRIu64
                      " of the compressed file, cannot be decompressed: %s",
                      i, f->at, wrong);
    s->held = i;
    return BVP_OK;
}

/* The frame that has this byte: the last one that begins at or before it. */
static uint32_t find_frame(const seekable *s, uint64_t offset)
{
    uint32_t low = 0, high = s->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->frames[middle].from <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bvp_status read_content(void *user, uint64_t offset, uint64_t size, void *out,
                               bvp_error *error)
{
    seekable *s = user;
    uint8_t *to = out;
    while (size > 0) {
        const uint32_t i = find_frame(s, offset);
        const frame *f = &s->frames[i];
        assert(f->from <= offset && offset < f[1].from);
        const bvp_status status = hold(s, i, error);
        if (status != BVP_OK)
            return status;
        const uint64_t rest = f[1].from - offset, more = size < rest ? size : rest;
        memcpy(to, s->content + (offset - f->from), (size_t)more);
        to += more;
        offset += more;
        size -= more;
    }
    return BVP_OK;
}

static void hint_content(void *user, uint64_t offset, uint64_t size)
{
    const seekable *s = user;
    const uint64_t whole = s->frames[s->count].from;
    if (size == 0 || offset >= whole)
        return;
    const uint64_t last = size < whole - offset ? offset + size - 1 : whole - 1;
    const uint64_t at = s->frames[find_frame(s, offset)].at;
    const uint64_t end = s->frames[find_frame(s, last) + 1].at;
    s->packed.hint(s->packed.user, at, end - at);
}

/* ---- the source ------------------------------------------------------------------------------ */

static void free_seekable(seekable *s)
{
    ZSTD_freeDCtx(s->decoder);
    free(s->frames);
    free(s->input);
    free(s->content);
    free(s);
}

static void close_seekable(void *user)
{
    seekable *s = user;
    if (s->packed.close)
        s->packed.close(s->packed.user);
    free_seekable(s);
}

bvp_status seekable_source(const bvp_source *packed, bvp_source *out, bvp_error *error)
{
    uint64_t largest[2] = {0, 0};
    seekable *s = calloc(1, sizeof *s);
    if (!s)
        return refuse_memory(error, sizeof *s);
    s->packed = *packed;
    bvp_status status = read_table(s, largest, error);
    if (status == BVP_OK) {
        s->decoder = ZSTD_createDCtx();
        s->input = malloc(largest[0] + 1);
        s->content = malloc(largest[1] + 1);
        s->held = s->count;
        if (!s->decoder || !s->input || !s->content)
            status = refuse_memory(error, largest[0] + largest[1]);
    }
    if (status != BVP_OK) {
        free_seekable(s);
        return status;
    }
    *out = (bvp_source){.size = s->frames[s->count].from,
                        .grain = largest[1],
                        .read = read_content,
                        .hint = packed->hint ? hint_content : NULL,
                        .close = close_seekable,
                        .user = s};
    return BVP_OK;
}
