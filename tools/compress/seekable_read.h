/* SPDX-License-Identifier: MIT
 * seekable_read.h: a file in zstd's seekable format as a source of what was compressed.
 */
#ifndef SEEKABLE_READ_H
#define SEEKABLE_READ_H

#include <stdbool.h>
#include "bvpack.h"

enum {
    SEEKABLE_FRAME_MAX = 1 << 20, /* bytes of one frame, decompressed */
    SEEKABLE_COUNT_MAX = 1 << 22  /* frames: 256 GiB in frames of 64 KiB */
};

/* Does `packed` begin as what zstd has compressed? */
bvp_status seekable_look(const bvp_source *packed, bool *is_compressed, bvp_error *error);

/* *out: a source of what the frames of `packed` hold, which may be anything: every size in the seek
 * table is checked before it is used, and each frame must have the size and the checksum that the
 * table says. Memory: 24 bytes a frame, and twice the largest frame. What `packed` says, such as
 * BVP_ERR_AGAIN, is what a read returns. *packed is copied, and closed with *out; when this fails,
 * it is still the caller's. error: not NULL. One read of 16 KiB, and another where there are more
 * than 1,300 frames. BVP_ERR_ARGUMENT: it does not end with a seek table; BVP_ERR_CORRUPT;
 * BVP_ERR_LIMIT: larger frames or more of them than above; BVP_ERR_NEWER. */
bvp_status seekable_source(const bvp_source *packed, bvp_source *out, bvp_error *error);

#endif
