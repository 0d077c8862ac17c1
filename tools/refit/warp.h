/* SPDX-License-Identifier: MIT
 * warp.h: deforms a part's vertices by formula.
 */
#ifndef WARP_H
#define WARP_H

#include <stdint.h>

/* Applied in this order, about the middle of the vertices' box and its longest side; the same for
 * vertices at the same place. */
typedef struct deformation {
    double stretch; /* factor along the longest side; 1: none */
    double twist;   /* degrees for each unit along the longest side, about it */
    double noise;   /* largest displacement along each axis */
    uint64_t seed;  /* of the noise */
} deformation;

/* count * 3 floats. The result does not depend on the machine. */
void deform(const deformation *d, float *positions, uint64_t count);

#endif
