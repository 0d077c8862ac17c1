/* SPDX-License-Identifier: MIT
 * seekable_format.h: zstd's seekable format, as its reader and its writer need it: frames, each of
 * which can be decompressed alone, and behind them a skippable frame with the seek table.
 *
 *   table:  magic, size of what follows, an entry for each frame, footer
 *   entry:  compressed size, decompressed size, and, if the descriptor says so, a checksum: the low
 *           32 bits of XXH64 of what was compressed
 *   footer: number of frames, descriptor, magic
 *
 * Numbers are little-endian, of 32 bits; the descriptor is a byte.
 *
 * Based on: Facebook, "Zstandard Seekable Format" 0.1.0, 2017
 */
#ifndef SEEKABLE_FORMAT_H
#define SEEKABLE_FORMAT_H

#include <stdint.h>

#define SEEKABLE_TABLE_MAGIC  0x184D2A5Eu
#define SEEKABLE_FOOTER_MAGIC 0x8F92EAB1u
#define SEEKABLE_FRAME_MAGIC  0xFD2FB528u /* of a frame that is compressed */

enum {
    SEEKABLE_HEAD_SIZE = 8, /* of the table, before its entries */
    SEEKABLE_FOOTER_SIZE = 9,
    SEEKABLE_ENTRY_SIZE = 8, /* without a checksum */
    SEEKABLE_CHECKSUM_SIZE = 4,
    SEEKABLE_HAS_CHECKSUMS = 0x80, /* bits of the descriptor */
    SEEKABLE_RESERVED = 0x7c
};

static inline uint32_t seekable_get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline void seekable_put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

#endif
