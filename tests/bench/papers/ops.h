/* SPDX-License-Identifier: MIT
 * ops.h: what box tests cost: copies of them whose every addition, multiplication, magnitude and
 * comparison is counted while they run, on a worst case and on the pairs of a real traversal.
 */
#ifndef PAPERS_OPS_H
#define PAPERS_OPS_H

#include "papers_volumes.h"

typedef struct ops {
    uint64_t add, mul, abs, cmp; /* differences count as additions */
} ops;

uint64_t ops_sum(const ops *ops);

/* The tests between two restricted boxes, incremental from the parents': how many of the 15 axes.
 */
typedef enum ops_axes { OPS_ALIGNED = 3, OPS_SAT_LITE = 6, OPS_SAT = 15 } ops_axes;

/* Section 3.3: each child's own work is done once for all of its pairs; or again for each pair. */
typedef enum ops_sharing { OPS_EACH, OPS_SHARED } ops_sharing;

/* Operations of a pair of children that each move one plane, and that all overlap, so that nothing
 * ends early: of the four pairs of a walk of two such nodes. */
double ops_boxtree_worst(ops_axes axes, ops_sharing sharing);
/* Two spheres, boxes with a prepared rotation (lite: six axes), boxes with own rotations, 24-DOPs,
 * that overlap. */
void ops_sphere_worst(ops *all);
void ops_aabb_worst(bool is_lite, ops *all);
void ops_obb_worst(ops *all);
void ops_dop_worst(ops *all);
/* The 15 axes alone, of boxes and of rectangles, whose third extent is known to be 0. */
void ops_axes_worst(bool a_is_rectangle, bool b_is_rectangle, ops *all);

/* What a traversal of two trees did. */
typedef struct ops_walk {
    ops ops;
    uint64_t pairs;    /* tested */
    uint64_t apart;    /* of these */
    uint64_t nodes;    /* boxtree: whose own work was done */
    uint64_t exit[16]; /* axis at which the full test ends; 15: overlap */
    uint64_t leaves;   /* pairs of leaves that were not told apart */
} ops_walk;

/* Both children of both nodes, as in Zachmann 2002, section 3; trees of boxes that are parallel to
 * the axes. Ends after pair_max pairs. */
void ops_walk_boxtree(const volume_tree *a, const volume_tree *b, const double placement[12],
                      ops_axes axes, ops_sharing sharing, uint64_t pair_max, ops_walk *walk);
/* The larger box is descended, as in van den Bergen 1997, section 3; own_rotations: each pair
 * composes its rotation (OBB), else it is prepared once (AABB). The first 6 or all 15 axes in their
 * order. */
void ops_walk_boxes(const volume_tree *a, const volume_tree *b, const double placement[12],
                    bool own_rotations, ops_axes axes, uint64_t pair_max, ops_walk *walk);

#endif
