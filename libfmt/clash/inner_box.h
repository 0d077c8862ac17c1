/* SPDX-License-Identifier: MIT
 * inner_box.h: balls and boxes inside a body.
 * Spec: exactness.md, chapter 12, "Penetration"
 */
#ifndef BVPI_CLASH_INNER_BOX_H
#define BVPI_CLASH_INNER_BOX_H

#include "clash/moving_pair.h"

/* A ball, or a box: no point of it is on the surface or outside; certain. */
typedef struct bvpi_inner_box {
    double centre[3];
    double radius;              /* of the ball; 0: a box, or nothing if half[0] is 0, too */
    double axis[3][3], half[3]; /* of the box: unit, perpendicular, but for rounding */
} bvpi_inner_box;

/* A point of a body's surface. */
typedef struct bvpi_inner_seed {
    bool is_of_a;
    double point[3], inward[3]; /* a unit vector */
    double along[3];            /* not parallel to it: an edge of the face */
    double most;                /* no ball in the body is larger */
} bvpi_inner_seed;

/* The ball that touches the surface there from inside. Some few nearest points and a ray. */
bvp_status bvpi_inner_ball(bvpi_moving_pair *pair, const bvpi_inner_seed *seed,
                           bvpi_inner_box *out);
/* A box about a ball's centre, along the face. Six rays, and the triangles of the box that they
 * reach. */
bvp_status bvpi_inner_box_about(bvpi_moving_pair *pair, const bvpi_inner_seed *seed,
                                const bvpi_inner_box *ball, bvpi_inner_box *out);

#endif
