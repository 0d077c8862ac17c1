/* SPDX-License-Identifier: MIT
 * kind_table.h: the functions by which queries use a binary hierarchy of any kind. Queries name no
 * kind but wide; kinds/query/kind_table.c lists the kinds that are built in.
 */
#ifndef BVPI_QUERY_BODY_KIND_TABLE_H
#define BVPI_QUERY_BODY_KIND_TABLE_H

#include "node/binary_node.h"
#include "node/frame.h"

struct bvpi_pair_query;
struct bvpi_placed_part;

/* What the payloads of a node's children are relative to. The kind determines which member is set.
 */
typedef union bvpi_body_frame {
    bvpi_frame box;
    struct {
        double centre[3], reach;
    } oriented;
} bvpi_body_frame;

/* A box in grid steps. */
typedef struct bvpi_body_box {
    double lo[3], hi[3];
} bvpi_body_box;

typedef struct bvpi_kind_functions {
    /* What the root's payload is relative to. */
    void (*root)(const bvpi_binary *tree, bvpi_body_frame *out);
    /* The box around a node's volume, and what its children are relative to. */
    void (*box)(const bvpi_binary *tree, const bvpi_body_frame *parent, const uint8_t *payload,
                bvpi_body_frame *out_frame, bvpi_body_box *out);
    /* Asks a query of two parts; by instruction set (bvpi_isa). */
    void (*pair[2])(struct bvpi_pair_query *query, const struct bvpi_placed_part *a,
                    const struct bvpi_placed_part *b);
} bvpi_kind_functions;

/* By enum bvpd_kind. NULL: wide, which queries know themselves, and kinds that this library was
 * built without; a query of such a hierarchy is BVP_ERR_LIMIT. */
extern const bvpi_kind_functions *const bvpi_kind_table[BVPD_KIND_END];

/* Part coordinates to grid steps. What a hierarchy bounds lies in its grid. */
static inline void bvpi_body_clip(const bvpi_binary *tree, int axis, double lo, double hi,
                                  bvpi_body_box *out)
{
    const double extent = tree->grid_extent[axis];
    const double from = (lo - tree->grid_origin[axis]) / tree->grid_unit;
    const double to = (hi - tree->grid_origin[axis]) / tree->grid_unit;
    out->lo[axis] = from > 0 ? from : 0;
    out->hi[axis] = to < extent ? to : extent;
}

#endif
