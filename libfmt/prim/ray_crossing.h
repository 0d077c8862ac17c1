/* SPDX-License-Identifier: MIT
 * ray_crossing.h: does a ray cross a triangle, and which way, with ties on edges decided so that
 * the crossings of a closed surface add up to its winding number.
 * Spec: exactness.md, chapter 7, "Crossings"
 */
#ifndef BVPI_PRIM_RAY_CROSSING_H
#define BVPI_PRIM_RAY_CROSSING_H

/* Of a closed triangle, not seen edge-on, that the ray's line meets; tri: as stored, m: its
 * placement. 1: the line leaves through its front (its corners turn left as seen from there); -1:
 * it enters; 0: the line moved by the symbolic shift passes beside it. */
int bvpi_ray_crossing(const double origin[3], const double direction[3], const float tri[9],
                      const double m[12]);
/* The same by exact arithmetic alone. */
int bvpi_ray_crossing_exactly(const double origin[3], const double direction[3], const float tri[9],
                              const double m[12]);

#endif
