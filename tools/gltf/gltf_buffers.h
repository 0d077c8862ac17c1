/* SPDX-License-Identifier: MIT
 * gltf_buffers.h: the bytes behind a glTF file's buffers.
 */
#ifndef GLTF_BUFFERS_H
#define GLTF_BUFFERS_H

#include "gltf/gltf_document.h"

typedef struct gltf_buffer gltf_buffer;

typedef struct gltf_buffers {
    gltf_document *doc;
    gltf_buffer *buffers; /* one for each of doc->files */
} gltf_buffers;

bvp_status gltf_buffers_open(gltf_document *doc, gltf_buffers *b);
void gltf_buffers_close(gltf_buffers *b);

/* Whether the file says where the buffer's bytes are: a placeholder has none. */
int gltf_buffer_has_bytes(const gltf_buffers *b, uint64_t index);
/* The bytes that `object`, of the view of that index, names: "buffer", "byteOffset", "byteLength".
 */
bvp_status gltf_range_open(gltf_buffers *b, uint64_t index, const json_value *object,
                           const uint8_t **data, uint64_t *size);

#endif
