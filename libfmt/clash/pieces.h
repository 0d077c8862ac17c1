/* SPDX-License-Identifier: MIT
 * pieces.h: the connected pieces of parts, and a few points of each. Computed on first use, once
 * for each part, and kept; safe to use from any thread.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_PIECES_H
#define BVPI_CLASH_PIECES_H

#include "clash/part_cache.h"

/* If there are more pieces, as in a soup, this many are kept, spread over the part. */
enum { BVPI_PIECES_MOST = 1 << 16, BVPI_PIECE_GROUP = 64 };

/* Triangles are connected if they share a corner position. */
typedef struct bvpi_pieces {
    uint32_t count;
    bool is_sampled; /* there are more pieces */
    struct bvpi_piece_group {
        float lo[3], hi[3];
    } * groups; /* the boxes of each BVPI_PIECE_GROUP consecutive pieces; stored behind the pieces
                 */
    struct bvpi_piece {
        float corners[9];    /* of its first triangle, as stored */
        float extreme[6][3]; /* the corners with the least x, y, z, then the largest */
    } at[];
} bvpi_pieces;

/* cache: used for pieces only. The first call for a part takes O(triangles) time and, temporarily,
 * some 30 bytes for each triangle. control: may cancel that, or NULL. */
bvp_status bvpi_pieces_get(bvpi_part_cache *cache, uint32_t part, const bvp_control *control,
                           const bvpi_pieces **out);

#endif
