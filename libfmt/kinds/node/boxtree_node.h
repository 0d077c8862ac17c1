/* SPDX-License-Identifier: MIT
 * boxtree_node.h: restricted boxtree: a node is its parent's box, less what one to three planes cut
 * off.
 * Spec: format.md, chapter "Boxtree".
 * Based on: Zachmann, Minimal hierarchical collision detection, 2002, section 3.1.
 */
#ifndef BVPI_KINDS_NODE_BOXTREE_NODE_H
#define BVPI_KINDS_NODE_BOXTREE_NODE_H

#include "node/binary_node.h"
#include "node/frame.h"

/* Payload: a byte whose bits 0..2 say which lower sides move (x, y, z) and bits 3..5 which upper
 * ones; then an offset for each set bit, lowest first: how far, from the parent's side. Offsets of
 * 8 and 16 bits are in units of the parent's extent's step; of 32 bits a float of whole grid steps.
 */

/* Grid steps in an offset's unit: 1 << this. */
static inline unsigned bvpi_boxtree_shift(uint32_t extent, unsigned offset_size)
{
    const unsigned bits = 8 * offset_size;
    const unsigned needed = extent == 0 ? 0 : 32u - (unsigned)__builtin_clz(extent);
    return needed > bits ? needed - bits : 0;
}

/* Offset `idx` behind the mask byte, in grid steps; whatever the bytes say it is below 2^31. */
static inline uint32_t bvpi_boxtree_offset(const bvpi_binary *tree, const uint8_t *payload,
                                           uint32_t idx, uint32_t extent)
{
    const uint8_t *at = payload + 1 + idx * tree->offset_size;
    if (tree->offset_size == 1)
        return (uint32_t)bvpi_load_u8(at) << bvpi_boxtree_shift(extent, 1);
    if (tree->offset_size == 2)
        return (uint32_t)bvpi_peek_u16(at) << bvpi_boxtree_shift(extent, 2);
    const float steps = bvpi_float_of_bits(bvpi_peek_u32(at));
    return steps >= 0 && steps < 0x1p22f ? (uint32_t)steps : 0;
}

/* The node's box: `parent`'s with the planes applied. Of a valid node lo <= hi; of a forged one a
 * side stops at the other. */
static inline void bvpi_boxtree_box(const bvpi_binary *tree, const bvpi_frame *parent,
                                    const uint8_t *payload, bvpi_frame *out)
{
    const unsigned mask = bvpi_load_u8(payload) & 63u;
    uint32_t idx = 0;
    *out = *parent;
    for (unsigned side = 0; side < 6; side++) {
        if ((mask >> side & 1) == 0 || idx == tree->plane_max)
            continue;
        const unsigned axis = side % 3;
        const uint32_t extent = parent->hi[axis] - parent->lo[axis];
        uint32_t offset = bvpi_boxtree_offset(tree, payload, idx++, extent);
        if (offset > out->hi[axis] - out->lo[axis])
            offset = out->hi[axis] - out->lo[axis];
        if (side < 3)
            out->lo[axis] += offset;
        else
            out->hi[axis] -= offset;
    }
}

#endif
