/* SPDX-License-Identifier: MIT
 * surface_fit.h: do two parts that meet fit one another, as a shaft its hole, or do they cross?
 */
#ifndef SURFACE_FIT_H
#define SURFACE_FIT_H

#include "bvpack.h"

/* Of the surface of either that is inside the other or within the gap of it. */
typedef struct surface_fit {
    double area;   /* how much of it there is; 0: none was found */
    double facing; /* the share that faces the other's surface: normals nearly opposite. Two parts
                      that cross have little of it; so has a pipe through a wall without a hole */
    double turned; /* of the facing one: 1 minus the length of the mean of its normals. 0: a plane;
                      1: all around, so that no move across takes the two apart */
    double sunk;   /* the deepest of it inside the other that was looked at */
} surface_fit;

/* Looks at some thousand points of either surface, the same ones in each run: an estimate, for
 * proposals, never for a verdict. Normals point outward, as the triangles are wound. A status as of
 * bvp_closest, or BVP_ERR_NO_MEMORY. */
bvp_status surface_fit_measure(const bvp_body bodies[2], double gap, surface_fit *out);

#endif
