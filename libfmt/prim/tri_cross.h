/* SPDX-License-Identifier: MIT
 * tri_cross.h: do two triangles certainly cross? In double, for pairs that crossed in the previous
 * query.
 */
#ifndef BVPI_PRIM_TRI_CROSS_H
#define BVPI_PRIM_TRI_CROSS_H

#include <stdbool.h>

/* a, b: three corners each, in the world; each coordinate errs by at most `error`. True: the
 * triangles meet, whatever the errors are. False: not known. */
bool bvpi_tri_cross_sure(const double a[9], const double b[9], double error);

#endif
