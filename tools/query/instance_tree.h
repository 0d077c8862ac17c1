/* SPDX-License-Identifier: MIT
 * instance_tree.h: what identifies the instances of a file: paths in its product tree, their
 * hashes, part numbers.
 */
#ifndef INSTANCE_TREE_H
#define INSTANCE_TREE_H

#include "bvpack.h"

typedef struct clash_tree {
    const bvp_file *file;
    bvp_file_info info;
    uint8_t (*hashes)[16]; /* of each node's path and source ids, the root's name left out */
    uint32_t *ordinals;    /* which of the siblings with the same name and source id: 1, 2 ... */
    struct clash_indexed {
        uint64_t hash; /* of the path */
        uint32_t instance;
    } * index; /* ascending; NULL until clash_tree_index */
} clash_tree;

/* Text that grows; data is NUL-terminated once something has been added. Zero-initialise. */
typedef struct clash_text {
    char *data;
    size_t size, capacity;
} clash_text;

/* 0, or says what is wrong and returns the exit code. The file stays the caller's. */
int clash_tree_open(clash_tree *t, const bvp_file *file);
void clash_tree_close(clash_tree *t);

/* The node of an instance; the root when the file names none. */
uint32_t clash_tree_node(const clash_tree *t, uint32_t instance);
/* BVP_NONE of the root. */
uint32_t clash_tree_parent(const clash_tree *t, uint32_t node);
/* The node's name, else its part's, else "unnamed". */
bvp_string clash_tree_label(const clash_tree *t, uint32_t node);
bvp_string clash_tree_part_number(const clash_tree *t, uint32_t node);
/* Nonzero: node has this property, or one of several of that name is accepted. */
typedef int (*clash_value_fn)(void *user, bvp_string value);
int clash_tree_property(const clash_tree *t, uint32_t node, const char *key, clash_value_fn accept,
                        void *user);

/* Labels below the root, "a/b[2]": see clash_side.path. 0, or no memory. */
int clash_tree_path(const clash_tree *t, uint32_t node, clash_text *out);

/* Makes clash_tree_find possible; 0, or the exit code, as above. */
int clash_tree_index(clash_tree *t);
/* The instance with this path, or BVP_NONE. */
uint32_t clash_tree_find(const clash_tree *t, const char *path);

int clash_text_add(clash_text *text, const char *data, size_t size); /* 0, or no memory */
void clash_text_clear(clash_text *text);
void clash_text_free(clash_text *text);

#endif
