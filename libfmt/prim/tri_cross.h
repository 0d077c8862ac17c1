/* SPDX-License-Identifier: MIT
 * tri_cross.h: do two triangles certainly cross? In double, from scratch, for a pair that did so a
 * moment ago.
 */
#ifndef BVPI_PRIM_TRI_CROSS_H
#define BVPI_PRIM_TRI_CROSS_H

#include <stdbool.h>

/* a, b: 3 corners each, in the world, each coordinate within `error` of the exact one. True: they
 * meet, whatever the errors are. False says nothing. */
bool bvpi_tri_cross_sure(const double a[9], const double b[9], double error);

#endif
