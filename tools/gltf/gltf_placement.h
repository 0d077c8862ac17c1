/* SPDX-License-Identifier: MIT
 * gltf_placement.h: where a node of a glTF file stands, relative to its parent.
 */
#ifndef GLTF_PLACEMENT_H
#define GLTF_PLACEMENT_H

#include "gltf/gltf_document.h"

/* The node's matrix, or its translation, rotation and scale. It may be singular. */
bvp_status gltf_placement_read(gltf_document *d, uint64_t index, const json_value *node,
                               double out[12]);

/* "NAME: nodes[3]: "its name" WHAT": a node that can't be placed. */
bvp_status gltf_placement_refuse(gltf_document *d, uint64_t index, const char *what);

#endif
