/* SPDX-License-Identifier: MIT
 * tri_tri_exact.h: do two closed triangles meet? Exact, for any finite floats and doubles.
 * Spec: exactness.md, chapter 5
 */
#ifndef BVPI_PRIM_TRI_TRI_EXACT_H
#define BVPI_PRIM_TRI_TRI_EXACT_H

#include <stdbool.h>

enum {
    BVPI_MEET = 1,  /* they have a point in common */
    BVPI_PROPER = 2 /* neither is degenerate, their planes differ, their interiors meet */
};

/* a, b: three corners each, in part coordinates; ma, mb: their placements, or both NULL if they are
 * equal. Returns 0, BVPI_MEET, or both bits. The answer does not change if A and B, or corners, are
 * exchanged. */
unsigned bvpi_tri_tri_exact(const float a[9], const float b[9], const double *ma, const double *mb);

#endif
