/* SPDX-License-Identifier: MIT
 * gltf_materials.h: the base colours of a glTF file's materials.
 */
#ifndef GLTF_MATERIALS_H
#define GLTF_MATERIALS_H

#include "gltf/gltf_document.h"
#include "text/colour_runs.h"

typedef struct gltf_materials {
    const json_value *list;
    int is_coloured; /* a material names a factor: then others are white, as the standard says */
} gltf_materials;

void gltf_materials_open(const gltf_document *doc, gltf_materials *m);

/* The colour of a primitive: 0, or 1 with *rgba: spec/format.md, chapter 14, "Colours". */
int gltf_primitive_colour(const gltf_materials *m, const json_value *primitive, uint8_t rgba[4]);
/* Warns of what is not kept of the primitive's colours: textures, colours of vertices. */
bvp_status gltf_primitive_warn(const gltf_materials *m, importer *im, const json_value *primitive);

#endif
