/* SPDX-License-Identifier: MIT
 * gltf_views.h: the bytes of a glTF file's buffer views, plain or packed by meshopt.
 */
#ifndef GLTF_VIEWS_H
#define GLTF_VIEWS_H

#include "gltf/gltf_buffers.h"

typedef struct gltf_unpacked gltf_unpacked;

typedef struct gltf_views {
    gltf_document *doc;
    gltf_buffers buffers;
    gltf_unpacked *unpacked; /* one for each of doc->views */
} gltf_views;

bvp_status gltf_views_open(gltf_document *doc, gltf_views *v);
void gltf_views_close(gltf_views *v);

/* The bytes of a view from `offset` on, at least `size` of them; *stride: 0 when it has none. */
bvp_status gltf_view_open(gltf_views *v, uint64_t index, uint64_t offset, const uint8_t **data,
                          uint64_t *size, uint64_t *stride);

#endif
