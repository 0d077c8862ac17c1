/* SPDX-License-Identifier: MIT
 * gltf_skins.h: where skinned meshes of a glTF file stand: in their bind pose.
 */
#ifndef GLTF_SKINS_H
#define GLTF_SKINS_H

#include "gltf/gltf_accessors.h"

typedef struct gltf_skins {
    gltf_document *doc;
    gltf_accessors *accessors;
    double (*worlds)[12]; /* of each node, when a skin has been met; else NULL */
} gltf_skins;

void gltf_skins_open(gltf_accessors *accessors, gltf_skins *s);
void gltf_skins_close(gltf_skins *s);

/* Where the mesh of that node, skinned by that skin, stands relative to the node: as it was bound,
 * with the first joint where it is. *moved: 0 when that is where the node is, as near as floats
 * say. What gltf_node gave before is no longer valid. */
bvp_status gltf_skin_place(gltf_skins *s, uint64_t node, uint64_t skin, int *moved, double out[12]);

#endif
