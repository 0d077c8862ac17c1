/* SPDX-License-Identifier: MIT
 * tri_ball.h: does a placed triangle meet a closed ball in the world? Exact.
 * Spec: exactness.md, chapter 9
 */
#ifndef BVPI_PRIM_TRI_BALL_H
#define BVPI_PRIM_TRI_BALL_H

#include <stdbool.h>

/* tri: part coordinates; m: its placement, or NULL; radius >= 0. All finite. */
bool bvpi_tri_meets_ball(const float tri[9], const double *m, const double centre[3],
                         double radius);

#endif
