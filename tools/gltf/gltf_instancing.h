/* SPDX-License-Identifier: MIT
 * gltf_instancing.h: where a node of a glTF file has the instances of its mesh.
 * Spec: EXT_mesh_gpu_instancing
 */
#ifndef GLTF_INSTANCING_H
#define GLTF_INSTANCING_H

#include "gltf/gltf_accessors.h"

/* The accessors that place the instances; NULL: not given. */
typedef struct gltf_instancing {
    const accessor *translations, *rotations, *scales;
    uint64_t count; /* of instances; 0: the node has no such extension */
} gltf_instancing;

bvp_status gltf_instancing_open(gltf_accessors *accessors, uint64_t index, const json_value *node,
                                gltf_instancing *out);
/* Instance i < count, relative to the node. It may be singular. */
void gltf_instance_place(const gltf_instancing *n, uint64_t i, double out[12]);

#endif
