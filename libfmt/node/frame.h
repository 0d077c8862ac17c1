/* SPDX-License-Identifier: MIT
 * frame.h: boxes of a hierarchy as integers of its grid, one child at a time: the plain version of
 * node/wide_node.h's boxes.
 * Spec: format.md, chapter "Nodes"
 */
#ifndef BVPI_NODE_FRAME_H
#define BVPI_NODE_FRAME_H

#include "base/load.h"
#include "format/record.h"

#include <stdbool.h>

/* A box in grid steps. A node's box is the frame of its children. */
typedef struct bvpi_frame {
    uint32_t lo[3], hi[3];
} bvpi_frame;

static inline void bvpi_frame_root(const bvpi_tree *tree, bvpi_frame *out)
{
    for (int axis = 0; axis < 3; axis++) {
        out->lo[axis] = 0;
        out->hi[axis] = tree->grid_extent[axis];
    }
}

/* The shift of a child's 8-bit numbers: max(0, floor(log2(extent)) - 7). */
static inline unsigned bvpi_frame_shift(uint32_t extent)
{
    return extent < 256 ? 0 : 24u - (unsigned)__builtin_clz(extent);
}

/* The box of child `lane`. In a valid node it is inside the frame; in a forged one the numbers
 * still stay below 2^32. */
static inline void bvpi_frame_child(const bvpi_frame *frame, const bvpd_node *node, int lane,
                                    bvpi_frame *out)
{
    for (int axis = 0; axis < 3; axis++) {
        const unsigned shift = bvpi_frame_shift(frame->hi[axis] - frame->lo[axis]);
        out->lo[axis] = frame->lo[axis] + ((uint32_t)node->bounds[axis][lane] << shift);
        out->hi[axis] = frame->lo[axis] + ((uint32_t)node->bounds[axis][8 + lane] << shift);
    }
}

/* lo <= hi, and inside `outer`. */
static inline bool bvpi_frame_is_within(const bvpi_frame *inner, const bvpi_frame *outer)
{
    for (int axis = 0; axis < 3; axis++)
        if (inner->lo[axis] > inner->hi[axis] || inner->lo[axis] < outer->lo[axis] ||
            inner->hi[axis] > outer->hi[axis])
            return false;
    return true;
}

/* A grid corner as a coordinate; exact. */
static inline double bvpi_grid_corner(const bvpi_tree *tree, int axis, uint32_t steps)
{
    return tree->grid_origin[axis] + (double)steps * tree->grid_unit;
}

/* ---- a node's lanes ------------------------------------------------------------------------- */

static inline bool bvpi_meta_is_inner(uint8_t meta)
{
    return meta == BVPD_META_INNER;
}

static inline bool bvpi_meta_is_leaf(uint8_t meta)
{
    return meta >= 1 && meta <= BVPD_LEAF_MAX;
}

static inline uint32_t bvpi_inner_count(const bvpd_node *node)
{
    uint32_t count = 0;
    for (int lane = 0; lane < BVPD_WIDTH; lane++)
        count += bvpi_meta_is_inner(node->meta[lane]);
    return count;
}

/* Copies unit `unit`. False if it or a child is outside the blob, or a child does not come after
 * it. These checks keep walks inside the blob and make them end. */
static inline bool bvpi_node_load(const bvpi_tree *tree, uint32_t unit, bvpd_node *out)
{
    if (unit >= tree->unit_count)
        return false;
    bvpi_load_record(out, tree->units + (uint64_t)unit * BVPD_UNIT, sizeof *out);
    const uint32_t inner = bvpi_inner_count(out);
    return inner == 0 || (out->child > unit && inner <= tree->unit_count &&
                          out->child <= tree->unit_count - inner);
}

#endif
