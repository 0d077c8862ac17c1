/* SPDX-License-Identifier: MIT
 * binary_tree.h: from a mesh to a binary hierarchy of any kind: volumes, leaves, blocks.
 * Spec: format.md, chapter "Binary hierarchies"
 */
#ifndef BVPI_PACK_TREE_BINARY_TREE_H
#define BVPI_PACK_TREE_BINARY_TREE_H

#include "pack/work.h"
#include "node/grid.h"
#include "pack/tree/cluster_cut.h"
#include "pack/tree/volume.h"
#include "bvpack_build.h"

/* A volume above the blocks, before its place is known. */
typedef struct bvpi_upper {
    uint8_t payload[BVPI_PAYLOAD_MAX];
    uint32_t
        link; /* its left child, which the right one follows; or, at an end, what takes its place */
    bool is_end; /* above the pieces: link is a piece; in a piece: link is a block */
} bvpi_upper;

/* A subtree that is stored in one run of bytes. */
typedef struct bvpi_block {
    uint32_t first, count; /* triangles, counted within the piece */
    uint32_t level;        /* level of its root; 0: the hierarchy's root */
    uint64_t offset;       /* of its header within the piece's bytes */
} bvpi_block;

/* A subtree of at most some ten thousand triangles, built by one thread. */
typedef struct bvpi_piece {
    uint32_t first, count; /* triangles, in the hierarchy's order */
    bvpi_upper *uppers;    /* the first is the root */
    bvpi_block *blocks;
    uint32_t upper_count, block_count;
    uint8_t *bytes; /* the blocks in sequence; `first` in their headers is not set yet */
    uint64_t size;
    uint32_t node_count, leaf_count,
        depth;           /* depth: number of levels, including those above the piece */
    double area;         /* of all volumes */
    bvpi_batch clusters; /* its cluster records, if the triangles are stored in this hierarchy's
                            order; wide[k] tells where block k's triangles are */
} bvpi_piece;

/* A hierarchy whose blocks do not know yet where their triangles are stored. */
typedef struct bvpi_binary_build {
    bvpi_binary form; /* what a reader knows about it */
    bvp_split split;
    uint32_t *order; /* triangles, in leaf order */
    uint32_t triangle_count;
    bvpi_upper *top; /* above the pieces; the first is the root */
    uint32_t top_count;
    bvpi_piece *pieces; /* in leaf order */
    uint32_t piece_count;
    double top_area, root_area;
    uint64_t degenerate_count; /* triangles without area */
} bvpi_binary_build;

/* mesh: not empty. spec: complete, of a binary kind. Makes cluster records if `owns_order`. False:
 * out of memory. The caller frees *out in either case. watch: counts the mesh's triangles. */
bool bvpi_binary_make(const bvpi_mesh *mesh, const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                      uint32_t thread_count, bool owns_order, bvpi_watch *watch,
                      bvpi_binary_build *out);
void bvpi_binary_free(bvpi_binary_build *build);

/* Writes the hierarchy's bytes and record. references: for each triangle of the mesh its place (see
 * bvpi_binary_item), for the order stream; or NULL: no stream, and firsts[k] is the first triangle
 * of block k of all. The caller sets record->part and data_off, and frees *bytes. */
bvp_status bvpi_binary_write(const bvpi_binary_build *build, const uint32_t *references,
                             const uint32_t *firsts, bvpd_hierarchy *record, uint8_t **bytes,
                             bvp_error *error);

#endif
