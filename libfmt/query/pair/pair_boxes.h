/* SPDX-License-Identifier: MIT
 * pair_boxes.h: the set-up of box tests between two placed hierarchies, from their grids and pose.
 */
#ifndef BVPI_QUERY_PAIR_PAIR_BOXES_H
#define BVPI_QUERY_PAIR_PAIR_BOXES_H

#include <math.h>

#include "node/turn.h"
#include "prim/box_box.h"
#include "query/body/placed_body.h"

static inline bvpi_grid_box grid_box(const bvpi_tree *tree)
{
    bvpi_grid_box box = {.unit = tree->grid_unit};
    memcpy(box.origin, tree->grid_origin, sizeof box.origin);
    memcpy(box.extent, tree->grid_extent, sizeof box.extent);
    return box;
}

/* The inverse of a's linear map, for exact lengths of gaps; or, where a keeps shapes or the inverse
 * is too inexact, a scaled identity that overstates no length. */
static inline void world_of(const bvpi_placed_tree *a, double world[9])
{
    const bvpi_placement *placement = &a->placement;
    bool good = !placement->is_similar;
    for (int k = 0; k < 9; k++) {
        world[k] = placement->inverse[k];
        good = good && placement->inverse_err[k] * placement->size_min < 0x1p-30;
    }
    for (int k = 0; !good && k < 9; k++)
        world[k] = k % 4 == 0 ? 1 / placement->size_min : 0;
}

/* Relative position of the boxes of two placed hierarchies. pad: how far geometry of b may be out
 * of its boxes, in a's units, in addition to the bodies' own errors. */
static inline void init_boxes(bvpi_box_pair *out, const bvpi_pose *pose, const bvpi_placed_tree *a,
                              const bvpi_placed_tree *b, bool by_distance, double pad)
{
    const double *map = pose->x;
    double world[9], turned[12], error = 0;
    bvpi_grid_box box_a = grid_box(&a->tree), box_b = grid_box(&b->tree);
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const double *row = pose->x + 4 * i, *row_err = pose->x_err + 4 * i;
        double sum = row_err[3] + a->slack;
        BVPI_UNROLL
        for (int j = 0; j < 3; j++)
            sum += row_err[j] * b->bound[j] + fabs(row[j]) * b->slack;
        error = bvpi_larger(error, sum);
    }
    if (by_distance)
        world_of(a, world);
    if (a->tree.is_turned || b->tree.is_turned) {
        error = bvpi_turn_map(pose->x, &a->tree, &b->tree, b->bound, error, turned);
        pad *= 2;
        map = turned;
        if (by_distance && !a->placement.is_similar)
            bvpi_turn_world(&a->tree, world);
    }
    bvpi_box_pair_init(out, &box_a, &box_b, map, error + pad, by_distance ? world : NULL);
}

#endif
