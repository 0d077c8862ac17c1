/* SPDX-License-Identifier: MIT
 * match_side.h: one of two files that are compared: its tree and parts as hashes of the properties
 * by which they are matched.
 */
#ifndef MATCH_SIDE_H
#define MATCH_SIDE_H

#include "query/instance_tree.h"

typedef struct match_node {
    uint32_t parent, child, next; /* first child, next sibling; or BVP_NONE */
    uint32_t part;                /* or BVP_NONE */
    uint32_t instance_count;      /* here and below */
    uint32_t partner;             /* in the other file, or BVP_NONE */
    int is_guess;                 /* the partner is the nearest of several that are equal */
    uint64_t name, id;            /* of the label; of a source id that no other node has, else 0 */
    uint64_t kin;                 /* of label and source id */
    uint64_t local, world;        /* of the placement in the parent, in the world */
    uint64_t shape;               /* of the part and of all that is below */
    uint64_t properties;          /* in any order */
} match_node;

typedef struct match_part {
    uint32_t node;           /* the first that has it, or BVP_NONE */
    uint32_t instance_count; /* of the file */
    uint32_t partner;        /* in the other file, or BVP_NONE */
    uint64_t content;        /* of content_hash */
    uint64_t name, number;   /* of the name, of the part number; 0: it has none */
    uint8_t content_hash[16], address[16];
} match_part;

typedef struct match_side {
    const char *path;
    instance_tree tree;
    match_node *nodes;
    match_part *parts;
    double (*placements)[12]; /* of each node, to world, in units of the first file */
    double scale;             /* of the file's unit in the first one's */
    uint32_t node_count, part_count;
} match_side;

/* 0, or says what is wrong and returns the exit code. The file stays the caller's. Nobody has a
 * partner yet. With a scale that is not 1, no part has a mesh of the first file: the same numbers
 * are another size. */
int match_side_open(match_side *s, const char *path, const bvp_file *file, double scale);
void match_side_close(match_side *s);

/* Is the property of that key one of the product? Not how it looks, nor its numbers in an asset. */
int match_is_compared(bvp_string key);

#endif
