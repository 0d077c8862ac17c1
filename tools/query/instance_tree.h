/* SPDX-License-Identifier: MIT
 * instance_tree.h: what identifies the instances of a file: paths in its product tree, their
 * hashes, part numbers.
 */
#ifndef INSTANCE_TREE_H
#define INSTANCE_TREE_H

#include "bvpack.h"

typedef struct instance_tree {
    const bvp_file *file;
    bvp_file_info info;
    uint8_t (*hashes)[16]; /* of each node's path and source ids, the root's name left out */
    int has_properties;    /* any node */
    uint32_t *ordinals;    /* which of the siblings with the same name and source id: 1, 2 ... */
    struct indexed_instance {
        uint64_t hash; /* of the path */
        uint32_t instance;
    } * index; /* ascending; NULL until instance_tree_index */
} instance_tree;

/* Text that grows; data is NUL-terminated once something has been added. Zero-initialise. */
typedef struct growing_text {
    char *data;
    size_t size, capacity;
} growing_text;

/* 0, or says what is wrong and returns the exit code. The file stays the caller's. */
int instance_tree_open(instance_tree *t, const bvp_file *file);
void instance_tree_close(instance_tree *t);

/* The node of an instance; the root when the file names none. */
uint32_t instance_tree_node(const instance_tree *t, uint32_t instance);
/* BVP_NONE of the root. */
uint32_t instance_tree_parent(const instance_tree *t, uint32_t node);
/* The node's name, else its part's, else "unnamed". */
bvp_string instance_tree_label(const instance_tree *t, uint32_t node);
/* The name of its part; empty if it has none. */
bvp_string instance_tree_part_name(const instance_tree *t, uint32_t node);
bvp_string instance_tree_part_number(const instance_tree *t, uint32_t node);
/* Nonzero: node has this property, or one of several of that name is accepted. */
typedef int (*instance_value_fn)(void *user, bvp_string value);
int instance_tree_property(const instance_tree *t, uint32_t node, const char *key,
                           instance_value_fn accept, void *user);
/* The same of an instance's node. O(1) where no node has properties. */
int instance_tree_property_of(const instance_tree *t, uint32_t instance, const char *key,
                              instance_value_fn accept, void *user);

/* Labels below the root, "a/b[2]": see clash_side.path. 0, or no memory. */
int instance_tree_path(const instance_tree *t, uint32_t node, growing_text *out);

/* The same from below another node above it, or from its root on, if that is BVP_NONE. */
int instance_tree_path_from(const instance_tree *t, uint32_t from, uint32_t node,
                            growing_text *out);

/* Makes instance_tree_find possible; 0, or the exit code, as above. */
int instance_tree_index(instance_tree *t);
/* The instance with this path, or BVP_NONE. */
uint32_t instance_tree_find(const instance_tree *t, const char *path);

int growing_text_add(growing_text *text, const char *data, size_t size); /* 0, or no memory */
void growing_text_clear(growing_text *text);
void growing_text_free(growing_text *text);

#endif
