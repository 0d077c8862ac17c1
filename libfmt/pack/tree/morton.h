/* SPDX-License-Identifier: MIT
 * morton.h: binary hierarchies over boxes, in the order of their centres along a Morton curve.
 * Based on: Lauterbach et al., Fast BVH construction on GPUs, 2009.
 */
#ifndef BVPI_PACK_TREE_MORTON_H
#define BVPI_PACK_TREE_MORTON_H

#include "pack/tree/sah_split.h"

enum { BVPI_MORTON_MAX = 1 << 15 }; /* items */

/* As bvpi_split_rest, for leaves of at most BVPI_MORTON_MAX items whose boxes are set. scratch:
 * bvpi_morton_scratch_size of the largest leaf in bytes, aligned to 32. */
uint32_t bvpi_morton_rest(bvpi_item *items, uint32_t leaf_size, bvpi_build_node *nodes,
                          uint32_t node_count, void *scratch);
uint64_t bvpi_morton_scratch_size(uint32_t count);

#endif
