/* SPDX-License-Identifier: MIT
 * stray_names.h: how a packed file says that a node carries what lies far outside the part of
 * another.
 */
#ifndef STRAY_NAMES_H
#define STRAY_NAMES_H

/* A property of such nodes, "yes". The other node has the same parent, name, source id and
 * placement, and not this property: both together are what the source calls one. */
#define STRAYS_KEY "bvpack_strays"

#endif
