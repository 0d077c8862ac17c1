/* SPDX-License-Identifier: MIT
 * linear.h: the stored form of linear parts, and the placement of an instance.
 * Spec: format.md, chapters "Linear parts" and "Instances"
 */
#ifndef BVPI_FORMAT_LINEAR_H
#define BVPI_FORMAT_LINEAR_H

#include "format/layout.h"

#include <stdbool.h>

/* Writes a word and up to 9 magnitudes. Returns the number of words. m: row-major 3x4, finite. */
unsigned bvpi_linear_encode(const double m[12], uint64_t words[1 + BVPD_LINEAR_MAX]);

/* Sets the 9 entries of the linear part in the 3x4 matrix `out`; column 3 is unchanged. words:
 * word_count of them, at least 1. False: a field refers to a missing magnitude; its entry is then
 * 0. */
bool bvpi_linear_decode(const void *words, uint64_t word_count, double out[12]);

/* The number of magnitudes after a word, from its largest field. */
unsigned bvpi_linear_count(uint64_t word);

/* From part coordinates to the world, rounded after every operation as the spec says. local: the
 * node relative to its parent; frame: the parent in the world, NULL for the identity; out may be
 * local. */
void bvpi_place_instance(const double *frame, const double local[12], const double origin[3],
                         double out[12]);

#endif
