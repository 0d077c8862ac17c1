/* SPDX-License-Identifier: MIT
 * stray_names.h: the property that marks a node with strays, triangles far outside the part of
 * another node.
 */
#ifndef STRAY_NAMES_H
#define STRAY_NAMES_H

/* A property of such nodes, "yes". The other node has the same parent, name, source id and
 * placement, and not this property: both together are what the source calls one. */
#define STRAYS_KEY "bvpack_strays"

#endif
