/* SPDX-License-Identifier: MIT
 * match_files.h: matches the parts and nodes of two files.
 */
#ifndef MATCH_FILES_H
#define MATCH_FILES_H

#include "match/match_side.h"

/* Sets partners, always the same ones for the same two files. The roots are partners. Children of
 * partners are matched by what they have in common, in passes: everything; names and ids, of up to
 * 256 equal ones the nearest to each other; the placement. Nodes that are then unmatched, in any
 * sub-assembly, are matched by their placement in the world or by their id. Parts are matched by
 * content, by name, by part number. No node or part has two partners. O(n log n). 0, or says that
 * memory is out and returns the exit code. */
int match_files(match_side *a, match_side *b);

#endif
