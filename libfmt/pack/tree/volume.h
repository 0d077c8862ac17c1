/* SPDX-License-Identifier: MIT
 * volume.h: the volume of a set of triangles, for any binary kind: its payload, and what a reader
 * decodes from it.
 */
#ifndef BVPI_PACK_TREE_VOLUME_H
#define BVPI_PACK_TREE_VOLUME_H

#include "bvpack_build.h"
#include "pack/mesh/mesh.h"
#include "pack/tree/sah_split.h"
#include "node/frame.h"
#include "kinds/node/oriented_node.h"

enum { BVPI_PAYLOAD_MAX = 24 };

/* What the payloads of a volume's children are relative to. Kind aabb: nothing. */
typedef union bvpi_volume {
    bvpi_frame frame;       /* boxtree */
    bvpi_oriented oriented; /* obb, rss */
} bvpi_volume;

/* `tree` is what a reader knows about the hierarchy: its kind, form and grid. */

static inline bool bvpi_volume_is_oriented(const bvpi_binary *tree)
{
    return tree->kind == BVPD_KIND_OBB || tree->kind == BVPD_KIND_RSS;
}

/* What the root's payload is relative to. */
void bvpi_volume_outermost(const bvpi_binary *tree, bvpi_volume *out);

/* Bytes of scratch that bvpi_volume_fit needs for so many triangles. */
uint64_t bvpi_volume_scratch_size(const bvpi_binary *tree, uint32_t triangle_count);

/* Sets payload and volume of node->count triangles, whose box is the node's. triangles: their
 * numbers. Kind aabb: sets nothing, because its payloads are made bottom-up
 * (pack/tree/aabb_boxes.h). False: out of memory. */
bool bvpi_volume_fit(const bvpi_binary *tree, const bvpi_mesh *mesh, const bvpi_build_node *node,
                     const uint32_t *triangles, const bvpi_volume *parent, bvp_fit fit,
                     uint8_t payload[BVPI_PAYLOAD_MAX], bvpi_volume *out, void *scratch);

/* The same for both children of a node of a boxtree at once, in the form of the paper. */
void bvpi_volume_fit_siblings(const bvpi_binary *tree, const bvpi_build_node *const node[2],
                              const bvpi_volume *parent, uint8_t *const payload[2],
                              bvpi_volume *const out[2]);

/* The axes of an oriented volume as rows, in descending order of its sides. */
void bvpi_volume_axes(const bvpi_binary *tree, const bvpi_volume *volume, double axes[9]);

/* Half of the volume's surface; for a swept rectangle, half of its box's. In grid steps or units of
 * length: only ratios are meaningful. */
double bvpi_volume_area(const bvpi_binary *tree, const uint8_t *payload, const bvpi_volume *volume);

#endif
