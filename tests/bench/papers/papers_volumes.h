/* SPDX-License-Identifier: MIT
 * papers_volumes.h: a stored binary hierarchy as a plain tree of boxes, for counting what box tests
 * do.
 */
#ifndef PAPERS_VOLUMES_H
#define PAPERS_VOLUMES_H

#include "scenes.h"

typedef struct volume {
    double centre[3], half[3];
    double axis[9];  /* rows: the box's own axes */
    uint32_t child;  /* the left one; the right one follows; 0: leaf */
    uint32_t parent; /* of the root: 0 */
} volume;

typedef struct volume_tree {
    volume *nodes; /* children behind parents */
    uint32_t count;
} volume_tree;

/* Reads the first part's hierarchy of `kind`: boxtree, aabb or obb. */
bool volume_tree_read(volume_tree *tree, const bvp_file *file, bvp_kind kind);
void volume_tree_free(volume_tree *tree);

/* ---- empty space ----------------------------------------------------------------------------- */

/* The share of a parent's box that a child's leaves empty, for every node but the root: the side at
 * which the split was made is left out (the longest axis' side that moved more), and boxes without
 * volume are. inner_only: not of leaves. Sorted; *count of them; to be freed. */
double *volume_tree_empty(const volume_tree *tree, bool inner_only, uint32_t *count);
/* Sides that a box shares with its parent's, to 1e-9 of the root's size: the mean over all nodes
 * but the root. Boxes parallel to the axes. */
double volume_tree_shared_sides(const volume_tree *tree);
/* Over the leaves: how many nodes, itself among them, hold what a leaf does. So many passes over a
 * triangle does a construction take that looks at all triangles of a node. */
double volume_tree_mean_depth(const volume_tree *tree);

#endif
