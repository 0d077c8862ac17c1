/* SPDX-License-Identifier: MIT
 * gltf_meshes.h: a glTF file's meshes, put into the model when a node first refers to them.
 */
#ifndef GLTF_MESHES_H
#define GLTF_MESHES_H

#include "gltf/gltf_draco.h"
#include "gltf/gltf_materials.h"

typedef struct gltf_mesh gltf_mesh;

typedef struct gltf_meshes {
    gltf_document *doc;
    gltf_accessors accessors;
    gltf_draco draco;
    gltf_materials materials;
    gltf_mesh *meshes; /* one for each of doc->meshes */
    /* vertices of the primitive that is being read: local number of each source vertex */
    uint32_t *renamed, *stamps;
    size_t renamed_capacity, stamps_capacity;
    uint32_t stamp;
} gltf_meshes;

bvp_status gltf_meshes_open(gltf_document *doc, gltf_meshes *m);
void gltf_meshes_close(gltf_meshes *m);

/* *out: number in the model of the file's mesh of that index, or BVP_NONE: it has no triangles. */
bvp_status gltf_mesh_read(gltf_meshes *m, uint64_t index, uint32_t *out);

/* What is known of that mesh's primitives, once it has been read: JSON text, for each the number of
 * its first triangle and its material, the value of the property "bvpack_primitives"; NULL: nothing
 * but that there is one. */
const char *gltf_mesh_primitives(const gltf_meshes *m, uint64_t index);

#endif
