/* SPDX-License-Identifier: MIT
 * binary_tree.h: a mesh into a binary hierarchy of any kind: volumes, leaves, blocks.
 * Spec: format.md, chapter "Binary hierarchies".
 */
#ifndef BVPI_PACK_TREE_BINARY_TREE_H
#define BVPI_PACK_TREE_BINARY_TREE_H

#include "pack/work.h"
#include "node/grid.h"
#include "pack/tree/cluster_cut.h"
#include "pack/tree/volume.h"
#include "bvpack_build.h"

/* A volume above the blocks, before it has a place. */
typedef struct bvpi_upper {
    uint8_t payload[BVPI_PAYLOAD_MAX];
    uint32_t link; /* its left child, whose neighbour is the right one; or, see below, what takes
                      its place */
    bool is_end;   /* of the list above the pieces: link is a piece; of a piece's: a block */
} bvpi_upper;

/* A subtree that is stored in one run of bytes. */
typedef struct bvpi_block {
    uint32_t first, count; /* triangles, in the piece's order */
    uint32_t level;        /* of its root; 0: the hierarchy's */
    uint64_t offset;       /* of its header in the piece's bytes */
} bvpi_block;

/* A subtree of at most some ten thousand triangles, built by itself. */
typedef struct bvpi_piece {
    uint32_t first, count; /* triangles, in the hierarchy's order */
    bvpi_upper *uppers;    /* the first is the root */
    bvpi_block *blocks;
    uint32_t upper_count, block_count;
    uint8_t *bytes; /* blocks one after the other, without their `first` */
    uint64_t size;
    uint32_t node_count, leaf_count, depth; /* depth: levels, those above it counted */
    double area;                            /* of all volumes */
    bvpi_batch clusters; /* its records, when the triangles are stored in this order; wide[k]:
                            block k's place */
} bvpi_piece;

/* A hierarchy before its blocks know where their triangles are. */
typedef struct bvpi_binary_build {
    bvpi_binary form; /* what a reader knows of it */
    bvp_split split;
    uint32_t *order; /* triangles, in leaf order */
    uint32_t triangle_count;
    bvpi_upper *top; /* above the pieces; the first is the root */
    uint32_t top_count;
    bvpi_piece *pieces; /* in leaf order */
    uint32_t piece_count;
    double top_area, root_area;
    uint64_t degenerate_count; /* triangles without a surface */
} bvpi_binary_build;

/* mesh: not empty. spec: complete, of a binary kind. Clusters are made when `owns_order`. False:
 * out of memory. Freed by the caller in either case. watch: gets the mesh's triangles. */
bool bvpi_binary_make(const bvpi_mesh *mesh, const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                      uint32_t thread_count, bool owns_order, bvpi_watch *watch,
                      bvpi_binary_build *out);
void bvpi_binary_free(bvpi_binary_build *build);

/* The hierarchy's bytes and record. references: of each triangle of the mesh, as bvpi_binary_item
 * gives them, for the order stream; NULL: there is none, and firsts[k] is the first triangle's of
 * the k-th block of all. The caller fills in record->part and data_off, and frees *bytes. */
bvp_status bvpi_binary_write(const bvpi_binary_build *build, const uint32_t *references,
                             const uint32_t *firsts, bvpd_hierarchy *record, uint8_t **bytes,
                             bvp_error *error);

#endif
