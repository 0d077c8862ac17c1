/* SPDX-License-Identifier: MIT
 * match_instances.h: which instance of a newer file is which of an older one.
 */
#ifndef MATCH_INSTANCES_H
#define MATCH_INSTANCES_H

#include "match/match_side.h"

typedef struct match_instances {
    uint32_t *was; /* of each instance of the newer file: the number in the older, or BVP_NONE */
    uint32_t *is;  /* of each instance of the older file: the number in the newer, or BVP_NONE */
    uint32_t was_count, is_count;
} match_instances;

/* Matches as match_files does, with one exception: of several equal nodes without an id, one that
 * is farther from its old place than its part is large is another one, not a moved one.
 * scale: of the newer file's unit in the older one's. O(n log n). 0, or says what is wrong and
 * returns the exit code; to be freed in either case. */
int match_instances_make(match_instances *m, const char *was_path, const bvp_file *was,
                         const char *path, const bvp_file *file, double scale);
void match_instances_free(match_instances *m);

#endif
