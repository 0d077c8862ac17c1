/* SPDX-License-Identifier: MIT
 * manifest_tree.h: the product tree that a manifest's lines make; no mesh is read.
 * Spec: manifest.md
 */
#ifndef MANIFEST_TREE_H
#define MANIFEST_TREE_H

#include "model/import.h"

/* A mesh file, however many parts name it. */
typedef struct manifest_file {
    char *path, *format; /* as written; format NULL: by content */
    const char *at;      /* where the manifest first names it */
} manifest_file;

typedef struct manifest_part {
    model_node common; /* name, source_id, properties: what its instances inherit */
    uint32_t file;
    double unit_in_metres; /* 0: what the file says */
    uint64_t instance_count;
} manifest_part;

typedef struct manifest_node {
    const char *at; /* its line */
    uint32_t part;  /* or BVP_NONE */
    uint32_t child_count;
} manifest_node;

typedef struct manifest_tree {
    manifest_file *files;
    manifest_part *parts;
    manifest_node *nodes; /* one for each of the model's */
    size_t file_count, part_count, node_count;
    size_t file_capacity, part_capacity, node_capacity;
    double unit_in_metres; /* of placements; 0: the header does not say it */
    bvp_up up;
} manifest_tree;

/* The nodes go into im->out, parents first and otherwise in the order of their lines, without
 * meshes. The tree is freed by the caller in any case. */
bvp_status manifest_tree_read(importer *im, manifest_tree *out);
void manifest_tree_free(manifest_tree *t);

#endif
