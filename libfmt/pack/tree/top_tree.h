/* SPDX-License-Identifier: MIT
 * top_tree.h: the hierarchies over an assembly's instances: one, unless some are far from the
 * others.
 * Spec: format.md, chapters "Instances", "Hierarchies over the instances"
 */
#ifndef BVPI_PACK_TREE_TOP_TREE_H
#define BVPI_PACK_TREE_TOP_TREE_H

#include "bvpack.h"
#include "format/layout.h"
#include "prim/place_bounds.h"

typedef struct bvpi_top {
    bvpd_node *nodes; /* of one hierarchy after the other */
    uint32_t *order;  /* instances in leaf order */
    bvpd_hierarchy hierarchies[BVPD_TOP_MAX];
    uint32_t hierarchy_count;
    uint64_t size; /* bytes of the nodes */
} bvpi_top;

/* count > 0; no number above BVPI_COORDINATE_MAX. On success the caller frees both arrays.
 * BVP_ERR_LIMIT, before the bounds are read: 2^31 instances or more. */
bvp_status bvpi_top_build(const bvpi_bounds *bounds, uint32_t count, bvpi_top *out,
                          bvp_error *error);

#endif
