/* SPDX-License-Identifier: MIT
 * gltf_accessors.h: a glTF file's accessors, dense and sparse, checked against their views.
 */
#ifndef GLTF_ACCESSORS_H
#define GLTF_ACCESSORS_H

#include "gltf/accessor.h"
#include "gltf/gltf_views.h"

typedef struct gltf_slot gltf_slot;

typedef struct gltf_accessors {
    gltf_document *doc;
    gltf_views views;
    gltf_slot *slots; /* one for each of doc->accessors */
} gltf_accessors;

bvp_status gltf_accessors_open(gltf_document *doc, gltf_accessors *a);
void gltf_accessors_close(gltf_accessors *a);

/* The accessor of that index, whose elements exist; valid until gltf_accessors_close. */
bvp_status gltf_accessor_open(gltf_accessors *a, uint64_t index, const accessor **out);

#endif
