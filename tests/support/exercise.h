/* SPDX-License-Identifier: MIT
 * exercise.h: everything a reader can ask of a file that may lie.
 */
#ifndef EXERCISE_H
#define EXERCISE_H

#include "bvpack.h"

/* Reads all tables and strings (up to some number of each), asks every kind of query. */
void exercise(const bvp_file *file);
/* Has its bytes explained, which costs as much as all that. */
void exercise_annotations(const bvp_file *file);

#endif
