/* SPDX-License-Identifier: MIT
 * boxtree_planes.h: which planes a node of a restricted boxtree gets.
 * Spec: format.md, chapter "Boxtree".
 * Based on: Zachmann, Minimal hierarchical collision detection, 2002, section 3.1; with up to three
 * planes a node, those that remove most volume.
 */
#ifndef BVPI_KINDS_PACK_BOXTREE_PLANES_H
#define BVPI_KINDS_PACK_BOXTREE_PLANES_H

#include "kinds/node/boxtree_node.h"

/* The payload of a node below `parent` whose triangles lie in `inner`, which lies in the parent;
 * *out: what a reader decodes: it holds `inner`. */
void bvpi_boxtree_fit(const bvpi_binary *tree, const bvpi_frame *parent, const bvpi_frame *inner,
                      uint8_t *payload, bvpi_frame *out);

/* The same for both children of a node: one plane each, also where it cuts off nothing, and both on
 * one axis. */
void bvpi_boxtree_fit_siblings(const bvpi_binary *tree, const bvpi_frame *parent,
                               const bvpi_frame inner[2], uint8_t *const payload[2],
                               bvpi_frame out[2]);

#endif
