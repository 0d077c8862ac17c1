/* SPDX-License-Identifier: MIT
 * collapse.h: from binary hierarchies to 8-wide ones with 8-bit boxes.
 * Spec: format.md, chapter "Nodes"
 * Based on: Ylitie, Karras, Laine, Efficient incoherent ray traversal on GPUs through compressed
 * wide BVHs, 2017 (the optimal choice of each node's children).
 */
#ifndef BVPI_PACK_TREE_COLLAPSE_H
#define BVPI_PACK_TREE_COLLAPSE_H

#include "pack/tree/sah_split.h"
#include "node/frame.h"
#include "node/grid.h"

/* A wide node before its place is known: node.child and node.geom are still zero. */
typedef struct bvpi_wide {
    bvpd_node node;
    uint32_t child; /* first of its inner children in the list; they are adjacent */
    uint32_t child_count;
    uint32_t first_item; /* where its subtree's items begin in the order; those of its own leaves
                            come first */
    uint32_t item_count; /* in its own leaves */
    uint32_t level;      /* 1 for the root of the list */
    uint32_t home, slot; /* set by cluster_cut.c: the record that stores it, and its number there */
    uint32_t cluster, local; /* set by cluster_cut.c: where its own leaves' items begin */
} bvpi_wide;

/* A binary leaf with more items than a leaf may have: the root of a hierarchy built separately. */
typedef struct bvpi_stub {
    bvpi_frame frame;
    uint32_t wide;  /* its place in the list */
    uint32_t split; /* the binary leaf */
    uint32_t level; /* 1 for the root */
} bvpi_stub;

typedef struct bvpi_collapse {
    const bvpi_build_node *build_nodes;
    uint32_t build_node_count;
    const bvpi_item *items;
    uint32_t leaf_size;
    bvpi_frame frame; /* of the root */
    float node_price; /* price of a node's bytes, in the unit of areas: half a surface in grid steps
                       */

    bvpi_wide *wide;   /* room for build_node_count + 1; the root comes first */
    uint32_t *visited; /* the same room: places in the list, in the order of their items */
    uint32_t *order; /* room for all items: their ids in leaf order; may be NULL if all are stubs */
    bvpi_stub *stubs; /* room for all stubs, or NULL if there are none; in order */
    uint32_t wide_count, visited_count, item_count, stub_count, leaf_count;
    uint32_t depth; /* levels of nodes, without stubs */
    double area;    /* sum over all lanes of half their boxes' surfaces, in grid steps */
} bvpi_collapse;

/* Half the surface of the grid's box, in grid steps. */
double bvpi_root_area(const bvpi_grid *grid);
/* The value of node_price for a hierarchy over that many items. */
float bvpi_node_price(const bvpi_grid *grid, uint64_t item_count);
/* scratch: bvpi_collapse_scratch_size(build_node_count) bytes, aligned as malloc does. */
void bvpi_collapse_run(bvpi_collapse *collapse, void *scratch);
uint64_t bvpi_collapse_scratch_size(uint32_t build_node_count);

#endif
