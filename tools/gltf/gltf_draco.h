/* SPDX-License-Identifier: MIT
 * gltf_draco.h: a glTF file's primitives that are compressed with Draco.
 */
#ifndef GLTF_DRACO_H
#define GLTF_DRACO_H

#include "gltf/gltf_accessors.h"

typedef struct gltf_draco_key gltf_draco_key;

typedef struct gltf_draco {
    gltf_accessors *accessors;
    int is_decoded;
    gltf_draco_key *keys; /* the file's streams, sorted; what each decodes to is mesh i of: */
    size_t count;
    model decoded;
} gltf_draco;

void gltf_draco_open(gltf_accessors *accessors, gltf_draco *c);
void gltf_draco_close(gltf_draco *c);

/* The extension of a primitive whose geometry the file holds in no other form; NULL: it is none. */
const json_value *gltf_draco_of(const gltf_document *d, const json_value *primitive);

/* What that primitive, of the mesh of that index, decodes to: positions, and the indices of a list
 * of triangles. Valid until gltf_draco_close. */
bvp_status gltf_draco_read(gltf_draco *c, uint64_t mesh, const json_value *primitive,
                           accessor *positions, accessor *indices);

#endif
