/* SPDX-License-Identifier: MIT
 * codec.h: decompression of sections that an earlier writer compressed.
 * Spec: format.md, chapter "Provenance"
 */
#ifndef BVPI_FORMAT_CODEC_H
#define BVPI_FORMAT_CODEC_H

#include "bvpack.h"

enum {
    /* No compressed section is larger; limits the work that a forged size can cause. */
    BVPI_RAW_SIZE_MAX = 64 << 20,
    BVPI_FRAME_SIZE_MAX = 65 << 20, /* the worst case of an encoder for that size */
    BVPI_WINDOW_LOG_MAX = 22        /* limits the decoder's memory to slightly over 4 MiB */
};

/* Decompresses one frame of `size` bytes, which must contain exactly raw_size bytes. `out` receives
 * at most the first `capacity` of them; the rest is then not decoded. BVP_ERR_LIMIT: raw_size, size
 * or window above the limits; BVP_ERR_CORRUPT: rule PRV-2. */
bvp_status bvpi_decompress(const void *data, size_t size, uint64_t raw_size, void *out,
                           size_t capacity, bvp_error *error);

#endif
