/* SPDX-License-Identifier: MIT
 * record_stream.h: triangles that lie one after the other in a file or come through a pipe, read in
 * blocks.
 */
#ifndef RECORD_STREAM_H
#define RECORD_STREAM_H

#include "compress/piecewise_hash.h"
#include "import/records.h"

/* Bytes of a descriptor, read once, in blocks. */
typedef struct record_stream {
    importer *im; /* for messages, warnings and options; no bytes */
    const record_layout *layout;
    int fd;
    uint8_t *block;
    size_t used, held; /* of the block: consumed, filled */
    int is_at_end;
    uint64_t consumed; /* bytes, headers included; read from any thread */
    uint64_t count;    /* records that are announced, or UINT64_MAX: until the end */
    uint64_t number, dropped;
    piecewise_hash *hash; /* or NULL; of all that was read */
} record_stream;

/* Bytes of a block. */
enum { RECORD_BLOCK = 1 << 20 };

/* Fills the block; what is not consumed stays. Returns -1 with im->error when reading fails. */
int record_stream_fill(record_stream *r);
/* The header comes first. */
bvp_status record_stream_begin(record_stream *r);
/* At most `most` triangles; *count < most: it has come to its end, with the warnings. */
bvp_status record_stream_next(record_stream *r, float *corners, uint32_t *ids, size_t most,
                              size_t *count);

#endif
