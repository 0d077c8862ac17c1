/* SPDX-License-Identifier: MIT
 * model.h: a model as read from a file, before packing: unique meshes and a product tree.
 */
#ifndef MODEL_H
#define MODEL_H

#include "bvpack.h"
#include "bvpack_build.h"

typedef struct model_mesh {
    char *name;
    void *positions; /* vertex_count * 3 floats, or doubles when is_double */
    int is_double;
    uint64_t vertex_count;
    uint32_t *indices; /* triangle_count * 3, all < vertex_count */
    uint64_t triangle_count;
    uint32_t *ids; /* source number of each triangle (of its polygon), or NULL: 0, 1, 2 ... */
} model_mesh;

typedef struct model_property {
    char *key, *value;
} model_property;

typedef struct model_node {
    char *name, *source_id; /* or NULL */
    uint32_t parent;        /* an earlier node, or BVP_NONE */
    uint32_t mesh;          /* or BVP_NONE */
    double placement[12];
    model_property *properties;
    uint32_t property_count;
} model_node;

/* Things left out or odd, by kind: shown in the summary and kept in the provenance record. */
typedef struct model_warning {
    char *text; /* "2 point elements skipped" */
    uint64_t count;
} model_warning;

/* A file that the model needs besides its own, such as a glTF's buffer. */
typedef struct model_file {
    char *name; /* as the model writes it, relative */
    uint64_t size;
    uint8_t hash[16]; /* bvp_hash */
} model_file;

typedef struct model {
    model_mesh *meshes;
    uint32_t mesh_count;
    model_node *nodes; /* parents first; may be empty: one root node a mesh */
    uint32_t node_count;
    double unit_in_metres; /* 0 unknown; glTF: 1 */
    uint32_t up_axis;      /* 0 x, 1 y, 2 z, 3 unknown */
    model_warning *warnings;
    uint32_t warning_count;
    model_file *files;
    uint32_t file_count;
    char *format; /* "STL (binary)" ... */
} model;

typedef struct import_options {
    uint32_t thread_count; /* 0: one per CPU */
    int drop_invalid; /* leave out triangles with non-finite vertices or bad indices, with a warning
                       */
    const char
        *format; /* "stl", "obj", "ply", "off", "gltf", "glb" or NULL: by content, then name */
    void (*progress)(void *user, const char *stage, uint64_t done, uint64_t total);
    void *progress_user;
} import_options;

/* Reads a model in memory; `name` is for messages and the format guess ("-": standard input). `dir`
 * is where a glTF's buffers may lie, or NULL. On failure *error has the name, line or byte offset,
 * what was expected, found, and what to do. The model is freed with model_free. */
bvp_status model_import_memory(const void *data, size_t size, const char *name, const char *dir,
                               const import_options *options, model *out, bvp_error *error);
void model_free(model *m);

#endif
