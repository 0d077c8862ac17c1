/* SPDX-License-Identifier: MIT
 * obj_materials.h: the colours of the material libraries that an OBJ file names.
 * Spec: Wavefront, Advanced Visualizer manual, material library files (.mtl)
 */
#ifndef OBJ_MATERIALS_H
#define OBJ_MATERIALS_H

#include "files/uri.h"
#include "model/import.h"

enum { OBJ_LIBRARIES_MOST = 64 };

/* A name in its library's bytes. */
typedef struct obj_material {
    const char *name;
    size_t name_size;
    uint32_t order; /* the first one of a name holds */
    uint8_t rgba[4];
    int has_colour;
} obj_material;

typedef struct obj_materials {
    importer *im;
    uri_bytes libraries[OBJ_LIBRARIES_MOST];
    int library_count;
    uint64_t missing, textures;
    obj_material *list;
    size_t count, capacity;
    int is_sorted;
} obj_materials;

/* Reads the libraries that a statement mtllib names: one whose name is all the text, or several,
 * with blanks between. They lie in the model's folder; one that is not there is counted. */
bvp_status obj_materials_read(obj_materials *m, const char *names, size_t size);
/* The colour of a material, or NULL. No library is read afterwards. */
const uint8_t *obj_material_colour(obj_materials *m, const char *name, size_t size);
/* Warns of what was not there, or is not kept. */
bvp_status obj_materials_warn(const obj_materials *m);
void obj_materials_free(obj_materials *m);

#endif
