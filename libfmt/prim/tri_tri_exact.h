/* SPDX-License-Identifier: MIT
 * tri_tri_exact.h: do two closed triangles meet? Exact and total: any finite floats and doubles.
 * Spec: exactness.md, chapter 5
 */
#ifndef BVPI_PRIM_TRI_TRI_EXACT_H
#define BVPI_PRIM_TRI_TRI_EXACT_H

#include <stdbool.h>

enum {
    BVPI_MEET = 1, /* they have a point in common */
    BVPI_PROPER =
        2 /* neither is degenerate, their planes differ and their relative interiors meet */
};

/* a, b: 3 corners each, part coordinates; ma, mb: their placements, or both NULL for a common one.
 * Returns 0, BVPI_MEET, or both bits. Symmetric in A and B and in the order of corners. */
unsigned bvpi_tri_tri_exact(const float a[9], const float b[9], const double *ma, const double *mb);

#endif
