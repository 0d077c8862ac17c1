/* SPDX-License-Identifier: MIT
 * tri_box.h: does a placed triangle meet a closed box or convex region in the world? Exact.
 * Spec: exactness.md, chapter 9
 */
#ifndef BVPI_PRIM_TRI_BOX_H
#define BVPI_PRIM_TRI_BOX_H

#include <stdbool.h>
#include <stdint.h>

#define BVPI_REGION_PLANES_MAX 16

/* tri: part coordinates; m: its placement, or NULL; lo <= hi. All finite. */
bool bvpi_tri_meets_box(const float tri[9], const double *m, const double lo[3],
                        const double hi[3]);
/* planes: plane_count (1 .. 16) times n, d; a point x is inside if n . x + d >= 0 for all of
 * them. */
bool bvpi_tri_meets_region(const float tri[9], const double *m, const double *planes,
                           uint32_t plane_count);

#endif
