/* SPDX-License-Identifier: MIT
 * any_volume.h: the decoded volume of a binary hierarchy's node, of any kind, for code that is not
 * critical to speed.
 * Spec: format.md, chapters "Boxtree", "AABB tree", "Oriented volumes".
 */
#ifndef BVPI_KINDS_NODE_ANY_VOLUME_H
#define BVPI_KINDS_NODE_ANY_VOLUME_H

#include "node/aabb_node.h"
#include "kinds/node/boxtree_node.h"
#include "kinds/node/oriented_node.h"

/* The tree's kind determines which member is set. */
typedef union bvpi_decoded {
    bvpi_frame box; /* boxtree */
    bvpi_aabb aabb;
    bvpi_oriented oriented; /* obb, rss */
} bvpi_decoded;

/* What the root's payload is relative to. */
static inline void bvpi_decoded_start(const bvpi_binary *tree, bvpi_decoded *out)
{
    if (tree->kind == BVPD_KIND_BOXTREE)
        for (int axis = 0; axis < 3; axis++) {
            out->box.lo[axis] = 0;
            out->box.hi[axis] = tree->grid_extent[axis];
        }
    else if (tree->kind != BVPD_KIND_AABB)
        bvpi_oriented_frame(tree, &out->oriented);
}

static inline void bvpi_decoded_volume(const bvpi_binary *tree, const bvpi_decoded *parent,
                                       const uint8_t *payload, bvpi_decoded *out)
{
    if (tree->kind == BVPD_KIND_BOXTREE)
        bvpi_boxtree_box(tree, &parent->box, payload, &out->box);
    else if (tree->kind == BVPD_KIND_AABB)
        bvpi_aabb_box(payload, &out->aabb);
    else
        bvpi_oriented_volume(&parent->oriented, payload, &out->oriented);
}

#endif
