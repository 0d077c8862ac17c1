/* SPDX-License-Identifier: MIT
 * piece.h: one subtree of a binary hierarchy, built by one thread: nodes, blocks, cluster records.
 * Spec: format.md, chapter "Binary hierarchies"
 */
#ifndef BVPI_PACK_TREE_PIECE_H
#define BVPI_PACK_TREE_PIECE_H

#include "pack/tree/binary_tree.h"
#include "pack/tree/partition.h"

/* What a hierarchy is built from, and how. */
typedef struct bvpi_growth {
    const bvpi_mesh *mesh;
    bvpi_binary form;
    bvp_split split;
    bvp_fit fit; /* oriented volumes */
    bvpi_item *items;
    uint32_t *order; /* as many; scratch memory until a piece is done */
    bool owns_order;
    uint32_t
        *failed; /* atomic; set if memory ran out for a volume; then the result must not be used */
} bvpi_growth;

/* A node and its volume. */
typedef struct bvpi_stem {
    bvpi_build_node node;
    bvpi_volume volume;
    uint8_t payload[BVPI_PAYLOAD_MAX];
} bvpi_stem;

/* The hierarchy's root. scratch, here and below: bvpi_volume_scratch_size of its count. */
void bvpi_grow_root(const bvpi_growth *g, uint32_t count, bvpi_stem *root, void *scratch);

/* The two children of a node. Kind aabb: without payloads. */
void bvpi_grow_once(const bvpi_growth *g, const bvpi_stem *parent, bvpi_stem child[2],
                    void *scratch);

/* Builds everything below `root`. False: out of memory. */
bool bvpi_piece_make(const bvpi_growth *g, const bvpi_stem *root, bvpi_piece *out);
void bvpi_piece_free(bvpi_piece *piece);

#endif
