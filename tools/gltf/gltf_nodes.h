/* SPDX-License-Identifier: MIT
 * gltf_nodes.h: the nodes of a glTF file's default scene, into the model.
 */
#ifndef GLTF_NODES_H
#define GLTF_NODES_H

#include "gltf/gltf_meshes.h"

/* Parents first, and the meshes that they refer to. */
bvp_status gltf_nodes_read(gltf_meshes *meshes);

#endif
