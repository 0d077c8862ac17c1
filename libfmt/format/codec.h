/* SPDX-License-Identifier: MIT
 * codec.h: sections that were compressed by an earlier writer.
 * Spec: format.md, chapter "Provenance".
 */
#ifndef BVPI_FORMAT_CODEC_H
#define BVPI_FORMAT_CODEC_H

#include "bvpack.h"

enum {
    BVPI_RAW_SIZE_MAX = 64 << 20,   /* no cold section is larger; caps the work of a forged size */
    BVPI_FRAME_SIZE_MAX = 65 << 20, /* what an encoder at its worst makes of that */
    BVPI_WINDOW_LOG_MAX = 22        /* caps the decompressor's memory at 4 MiB and a little */
};

/* Decompresses one frame of `size` bytes that must hold exactly raw_size bytes. `out` receives the
 * first `capacity` of them at most; with capacity < raw_size the rest is not looked at.
 * BVP_ERR_LIMIT: raw_size, size or window over the caps; BVP_ERR_CORRUPT: rule PRV-2. */
bvp_status bvpi_decompress(const void *data, size_t size, uint64_t raw_size, void *out,
                           size_t capacity, bvp_error *error);

#endif
