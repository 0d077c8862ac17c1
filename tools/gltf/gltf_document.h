/* SPDX-License-Identifier: MIT
 * gltf_document.h: the JSON document of a glTF file: its arrays, their elements, what they may
 * cost.
 */
#ifndef GLTF_DOCUMENT_H
#define GLTF_DOCUMENT_H

#include "model/import.h"
#include "text/json_list.h"

typedef struct gltf_document {
    importer *im;
    int is_binary; /* a GLB */
    json_value *root;
    const uint8_t *chunk; /* the GLB's binary chunk, or NULL */
    uint64_t chunk_size;
    json_list nodes;
    uint64_t text_off;                                    /* where the JSON text begins */
    const json_value *meshes, *accessors, *views, *files; /* arrays, or NULL */
    uint64_t budget; /* bytes that may still be made of the file's bytes */
} gltf_document;

/* Reads im's bytes, glTF or GLB, of a version and with extensions that are supported. Closed by the
 * caller in any case. */
bvp_status gltf_document_open(importer *im, gltf_document *d);
void gltf_document_close(gltf_document *d);

/* "NAME: accessors[3]: MESSAGE" */
bvp_status gltf_refuse(gltf_document *d, bvp_status status, const char *kind, uint64_t index,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

/* array[index], kind names the array, as an object; object[key] as a count, `otherwise` when it is
 * missing. */
bvp_status gltf_element(gltf_document *d, const char *kind, const json_value *array, uint64_t index,
                        const json_value **out);
bvp_status gltf_count(gltf_document *d, const char *kind, uint64_t index, const json_value *object,
                      const char *key, uint64_t otherwise, uint64_t *out);

/* nodes[index], which exists. */
bvp_status gltf_node(gltf_document *d, uint64_t index, const json_value **out);

/* The object's name into *out, which stays as it is when there is none. */
bvp_status gltf_name(gltf_document *d, const json_value *object, char **out);

/* Takes bytes from the budget. */
bvp_status gltf_charge(gltf_document *d, const char *kind, uint64_t index, uint64_t bytes);

#endif
