/* SPDX-License-Identifier: MIT
 * diff_match.h: which parts and nodes of two files are the same ones.
 */
#ifndef DIFF_MATCH_H
#define DIFF_MATCH_H

#include "diff/diff_side.h"

/* Gives partners, the same for the same two files. The roots are partners; children of partners are
 * matched by what they have in common, the most telling first: all of it, then names and ids,
 * the nearest to each other of up to 256, then the place; what is left over then, in other
 * sub-assemblies, by its place in the world or by its id. Parts: by content, by name, by part
 * number. Nobody has two partners. O(n log n). 0, or says that memory is out and returns the exit
 * code. */
int diff_match(diff_side *a, diff_side *b);

#endif
