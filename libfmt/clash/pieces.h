/* SPDX-License-Identifier: MIT
 * pieces.h: the connected pieces of parts, one triangle of each. Found when first asked for, once
 * for each part, and kept; any thread may ask.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_PIECES_H
#define BVPI_CLASH_PIECES_H

#include "clash/part_cache.h"

/* Of more pieces, as a soup may have them, so many are kept, spread over the part. */
enum { BVPI_PIECES_MOST = 1 << 16, BVPI_PIECE_GROUP = 64 };

/* Triangles hang together by corners at equal positions. */
typedef struct bvpi_pieces {
    uint32_t count;
    bool is_sampled; /* there are more */
    struct bvpi_piece_group {
        float lo[3], hi[3];
    } * groups; /* the boxes of each BVPI_PIECE_GROUP in a row; behind the pieces */
    struct bvpi_piece {
        float corners[9];    /* of its first triangle, as stored */
        float extreme[6][3]; /* corners: the least of each axis, then the largest */
    } at[];
} bvpi_pieces;

/* cache: of pieces alone. O(triangles) time and, while it lasts, memory (some 30 bytes a triangle)
 * the first time. control: what may end that, or NULL. */
bvp_status bvpi_pieces_get(bvpi_part_cache *cache, uint32_t part, const bvp_control *control,
                           const bvpi_pieces **out);

#endif
