/* SPDX-License-Identifier: MIT
 * model.h: a model as read from a file, before packing: unique meshes and a product tree.
 */
#ifndef MODEL_H
#define MODEL_H

#include "bvpack.h"
#include "bvpack_build.h"
#include "files/stamp.h"

typedef struct model_mesh {
    char *name;
    void *positions; /* vertex_count * 3 floats, or doubles when is_double */
    int is_double;
    uint64_t vertex_count;
    uint32_t *indices; /* triangle_count * 3, all < vertex_count */
    uint64_t triangle_count;
    uint32_t *ids; /* source number of each triangle (of its polygon), or NULL: 0, 1, 2 ... */
    char *colours; /* of its triangles, by their ids, as text/colour_runs.h writes it, or NULL: for
                      nodes that have no such property of their own */
    int is_packed; /* it lies in a store; of the above there are the name and the count of
                      triangles: 0: there is no part */
    bvp_part_info packed;      /* what is known of it there, without texts and sizes */
    stamp sound;               /* of its file when that was found sound; zeros: never */
    int is_new;                /* this process put it there */
    uint64_t dropped_count;    /* triangles left out in packing */
    struct model_mesh *strays; /* triangles far outside of it, which are packed as a separate part
                                  with the same placements; they may have strays, too; or NULL */
    uint32_t part;             /* of strays: in the builder, or BVP_NONE */
    uint32_t first_buffers,
        buffer_count; /* of the model's: where the triangles lie in the source */
    int is_looked_at; /* for strays */
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
    bvp_up up;             /* which axis is that */
    double tolerance;      /* of curved surfaces cut into triangles, in units; 0 unknown */
    model_warning *warnings;
    uint32_t warning_count;
    model_file *files;
    uint32_t file_count;
    char *format;         /* "STL (binary)" ... */
    int is_makeshift;     /* read by a stand-in for what was not found: a store does not keep it */
    bvp_buffers *buffers; /* with import_options.is_over_buffers: of each primitive, in the bytes
                             that the model was read from, which must outlive it */
    uint32_t buffer_count;
} model;

/* What happens to triangles that lie far outside the others of their mesh: bvp_find_strays. */
typedef enum model_strays {
    MODEL_STRAYS_IGNORE, /* they are not searched for */
    MODEL_STRAYS_KEEP,   /* they stay where they are, with a warning */
    MODEL_STRAYS_PART    /* they go into model_mesh.strays, with a warning */
} model_strays;

typedef struct import_options {
    uint32_t thread_count; /* 0: one per CPU */
    int drop_invalid; /* leave out triangles with non-finite vertices or bad indices, with a warning
                       */
    const char *format;   /* "stl", "obj", "ply", "off", "gltf", "glb", "manifest", "urdf", "3mf",
                             "step", "iges", "dae" ... or NULL: by content, then name */
    const char *pipe_dir; /* the folder of a manifest or URDF that comes without one, or NULL */
    int any_path;         /* files may be named anywhere, not only in the model's own folder */
    int is_with_spaces;   /* a building's spaces and openings, too: what is no body */
    int urdf_visual;      /* a robot's visual shapes instead of those for collision */
    const char *joints;   /* "name=value, ...", or "@file" with these; NULL: all at zero */
    const char *package_path; /* folders with ROS packages, or packages, separated as in PATH */
    model_strays strays;
    struct triangle_sink *sink; /* where triangles go instead of into meshes, or NULL */
    int is_share;               /* of what the model names most is left out, perhaps all */
    int is_over_buffers;        /* a GLB's meshes are to refer to its buffers, or be refused */
    int is_nested;              /* another model names this one, which may then not name others */
    double chord, angle; /* of surfaces that are cut into triangles: mm, degrees; 0: the default */
    const char *path;    /* where the bytes lie as a file, or NULL; for names only */
    const int *file;     /* the open file that has them, or NULL: importers that are processes of
                            their own get that, or a copy */
    double seconds;      /* that such a process may take; 0: by the model's size */
    uint64_t megabytes;  /* of memory that it may take; 0: likewise */
    void (*progress)(void *user, const char *stage, uint64_t done, uint64_t total);
    void *progress_user;
    const struct import_hooks *hooks; /* or NULL */
} import_options;

/* Functions for a file to which a model refers: called before it is read, and instead of
 * model_import_memory. Each may be NULL. */
typedef struct import_hooks {
    void *user;
    /* Nonzero: the file at `path` is known without reading it: *out, and what there is to note of
     * it; *noted comes zeroed. */
    int (*find)(void *user, const char *path, const char *format, model_file *noted, model *out);
    /* hash: of the bytes; path: as it is named. The other arguments are model_import_memory's. */
    bvp_status (*import)(void *user, const void *data, size_t size, const uint8_t hash[16],
                         const char *path, const char *dir, const import_options *options,
                         model *out, bvp_error *error);
} import_hooks;

/* Reads a model in memory; `name` is for messages and the format guess ("-": standard input). `dir`
 * is where a glTF's buffers may lie, or NULL. On failure *error has the name, line or byte offset,
 * what was expected, found, and what to do. The model is freed with model_free. */
bvp_status model_import_memory(const void *data, size_t size, const char *name, const char *dir,
                               const import_options *options, model *out, bvp_error *error);
/* What the bytes of a model are read as without --format: a word of that option, or NULL. The name
 * decides where the bytes do not. */
const char *model_format(const void *data, size_t size, const char *name);
void model_free(model *m);
/* Frees the mesh's arrays; its counts stay. */
void model_mesh_forget(model_mesh *mesh);
/* Frees what a mesh owns. */
void model_mesh_free(model_mesh *mesh);
/* Frees what a node owns. */
void model_node_free(model_node *node);

#endif
