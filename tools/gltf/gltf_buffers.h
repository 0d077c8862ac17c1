/* SPDX-License-Identifier: MIT
 * gltf_buffers.h: the bytes behind a glTF file's buffers and their views.
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

/* The bytes of a view from `offset` on, at least `size` of them; *stride: 0 when it has none. */
bvp_status gltf_view_open(gltf_buffers *b, uint64_t index, uint64_t offset, const uint8_t **data,
                          uint64_t *size, uint64_t *stride);

#endif
