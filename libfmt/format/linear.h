/* SPDX-License-Identifier: MIT
 * linear.h: linear parts of placements as they are stored, and where they put an instance.
 * Spec: format.md, chapters "Linear parts" and "Instances"
 */
#ifndef BVPI_FORMAT_LINEAR_H
#define BVPI_FORMAT_LINEAR_H

#include "format/layout.h"

#include <stdbool.h>

/* Writes a word and up to 9 magnitudes; returns how many words. m: row-major 3x4, finite. */
unsigned bvpi_linear_encode(const double m[12], uint64_t words[1 + BVPD_LINEAR_MAX]);

/* The 9 entries into the 3x4 matrix `out`, whose column 3 is left alone. words: word_count of them,
 * at least 1. False: a field names no magnitude; its entry is then 0. */
bool bvpi_linear_decode(const void *words, uint64_t word_count, double out[12]);

/* Magnitudes behind a word, by its greatest field. */
unsigned bvpi_linear_count(uint64_t word);

/* Part coordinates to the world, rounded at every step as the spec says. local: the node in its
 * parent, frame: the parent in the world, NULL for the identity; out may be local. */
void bvpi_place_instance(const double *frame, const double local[12], const double origin[3],
                         double out[12]);

#endif
