/* SPDX-License-Identifier: MIT
 * diff_match.h: matches the parts and nodes of two files.
 */
#ifndef DIFF_MATCH_H
#define DIFF_MATCH_H

#include "diff/diff_side.h"

/* Sets partners, always the same ones for the same two files. The roots are partners. Children of
 * partners are matched by what they have in common, in passes: everything; names and ids, of up to
 * 256 equal ones the nearest to each other; the placement. Nodes that are then unmatched, in any
 * sub-assembly, are matched by their placement in the world or by their id. Parts are matched by
 * content, by name, by part number. No node or part has two partners. O(n log n). 0, or says that
 * memory is out and returns the exit code. */
int diff_match(diff_side *a, diff_side *b);

#endif
