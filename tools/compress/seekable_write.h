/* SPDX-License-Identifier: MIT
 * seekable_write.h: frames and the seek table of a file in zstd's seekable format.
 */
#ifndef SEEKABLE_WRITE_H
#define SEEKABLE_WRITE_H

#include <stddef.h>
#include <stdint.h>

enum { SEEKABLE_LEVEL_MAX = 22 };

typedef struct seekable_entry {
    uint32_t size, content_size; /* bytes */
    uint32_t checksum;           /* of the content */
} seekable_entry;

typedef struct seekable_encoder seekable_encoder;

/* level: 1 .. SEEKABLE_LEVEL_MAX. NULL: no memory. A thread needs one of its own. */
seekable_encoder *seekable_encoder_new(int level);
void seekable_encoder_free(seekable_encoder *encoder);
/* Which zstd it is, such as "1.5.4". The frames of another one may have other bytes. */
const char *seekable_encoder_version(void);

/* The most bytes that a frame can take. */
size_t seekable_frame_room(size_t content_size);
/* Compresses `content`, which must not change meanwhile, into a frame at `out`; its bytes depend on
 * nothing but the content, the level and the version. room: at least seekable_frame_room. 0, or -1:
 * no memory. */
int seekable_frame(seekable_encoder *encoder, const void *content, size_t content_size, void *out,
                   size_t room, seekable_entry *entry);

/* What follows the frames. */
size_t seekable_table_size(uint32_t count);
void seekable_table(const seekable_entry *entries, uint32_t count, uint8_t *out);

#endif
