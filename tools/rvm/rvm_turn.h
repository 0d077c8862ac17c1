/* SPDX-License-Identifier: MIT
 * rvm_turn.h: sines, cosines and half angles that are the same on every machine.
 */
#ifndef RVM_TURN_H
#define RVM_TURN_H

#include <stdint.h>

#define RVM_PI 3.14159265358979323846

/* cs: cosine and sine of `angle` radians, of at most RVM_ANGLE_MOST either way. */
#define RVM_ANGLE_MOST 64.
void rvm_turn(double angle, double cs[2]);
/* Of step k of n on a full circle, k < n; multiples of a quarter are exact. */
void rvm_turn_step(uint32_t k, uint32_t n, double cs[2]);
/* The angle, 0 to pi / 2, whose tangent is y / x; both are at least 0, and one is above. */
double rvm_turn_angle(double y, double x);

#endif
