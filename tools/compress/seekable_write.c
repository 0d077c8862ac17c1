/* SPDX-License-Identifier: MIT
 * seekable_write.c: frames and the seek table of a file in zstd's seekable format.
 *
 * Each frame ends with a checksum, so that every program that decompresses it checks it. This is
 * the checksum that the seek table has for readers of single frames.
 *
 * Based on: Facebook, "Zstandard Seekable Format" 0.1.0, 2017
 */
#include "compress/seekable_write.h"

#include "compress/seekable_format.h"

#include <assert.h>
#include <zstd.h>

/* The name is this file's only: it is zstd's own context. */
static ZSTD_CCtx *context_of(seekable_encoder *encoder)
{
    return (ZSTD_CCtx *)encoder;
}

seekable_encoder *seekable_encoder_new(int level)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert(level >= 1 && level <= SEEKABLE_LEVEL_MAX);
    if (context) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    }
    return (seekable_encoder *)context;
}

void seekable_encoder_free(seekable_encoder *encoder)
{
    ZSTD_freeCCtx(context_of(encoder));
}

const char *seekable_encoder_version(void)
{
    return ZSTD_versionString();
}

size_t seekable_frame_room(size_t content_size)
{
    return ZSTD_compressBound(content_size);
}

int seekable_frame(seekable_encoder *encoder, const void *content, size_t content_size, void *out,
                   size_t room, seekable_entry *entry)
{
    assert(room >= seekable_frame_room(content_size));
    const size_t size = ZSTD_compress2(context_of(encoder), out, room, content, content_size);
    if (ZSTD_isError(size))
        return -1;
    assert(size >= SEEKABLE_CHECKSUM_SIZE && size <= room);
    *entry = (seekable_entry){(uint32_t)size, (uint32_t)content_size,
                              seekable_get32((const uint8_t *)out + size - SEEKABLE_CHECKSUM_SIZE)};
    return 0;
}

size_t seekable_table_size(uint32_t count)
{
    return SEEKABLE_HEAD_SIZE + (size_t)count * (SEEKABLE_ENTRY_SIZE + SEEKABLE_CHECKSUM_SIZE) +
           SEEKABLE_FOOTER_SIZE;
}

void seekable_table(const seekable_entry *entries, uint32_t count, uint8_t *out)
{
    seekable_put32(out, SEEKABLE_TABLE_MAGIC);
    seekable_put32(out + 4, (uint32_t)(seekable_table_size(count) - SEEKABLE_HEAD_SIZE));
    uint8_t *at = out + SEEKABLE_HEAD_SIZE;
    for (uint32_t i = 0; i < count; i++, at += SEEKABLE_ENTRY_SIZE + SEEKABLE_CHECKSUM_SIZE) {
        seekable_put32(at, entries[i].size);
        seekable_put32(at + 4, entries[i].content_size);
        seekable_put32(at + SEEKABLE_ENTRY_SIZE, entries[i].checksum);
    }
    seekable_put32(at, count);
    at[4] = SEEKABLE_HAS_CHECKSUMS;
    seekable_put32(at + 5, SEEKABLE_FOOTER_MAGIC);
}
