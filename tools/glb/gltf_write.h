/* SPDX-License-Identifier: MIT
 * gltf_write.h: the JSON text of a glTF file, for writers: what the export of a model and the
 * report of a clash have in common.
 *
 * Mesh `i` in the order of writing has views and accessors 2i (its positions) and 2i + 1 (its
 * indices), and its data follow those of the mesh before it.
 */
#ifndef GLTF_WRITE_H
#define GLTF_WRITE_H

#include "text/json.h"

/* A mesh's size, and its positions: 3 floats each. */
typedef struct gltf_extent {
    const float *positions;
    uint64_t vertex_count, triangle_count;
} gltf_extent;

/* Begins the document, whose object the caller ends: its asset, and a scene of node 0. */
void gltf_put_head(json *j, FILE *out);
/* A node's matrix, from a placement by rows. */
void gltf_put_matrix(json *j, const double placement[12]);
/* The two accessors of the mesh `number`, into the array "accessors". */
void gltf_put_accessors(json *j, uint64_t number, const gltf_extent *mesh);
/* Its two views, into the array "bufferViews". Returns the offset after its data. */
uint64_t gltf_put_views(json *j, uint64_t offset, const gltf_extent *mesh);
/* An accessor of some of the triangles whose indices the view holds. */
void gltf_put_run(json *j, uint64_t view, uint64_t first, uint64_t count);
/* A primitive of these accessors. material: -1: none. */
void gltf_put_piece(json *j, uint64_t positions, uint64_t indices, int material);
/* The one primitive of a mesh that shows the mesh `number`. material: -1: none. */
void gltf_put_primitive(json *j, uint64_t number, int material);

#endif
