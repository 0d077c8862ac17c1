/* SPDX-License-Identifier: MIT
 * diff_rows.h: the differences between two files whose parts and nodes are matched.
 */
#ifndef DIFF_ROWS_H
#define DIFF_ROWS_H

#include <stddef.h>
#include "match/match_side.h"

/* In the order of the rows. */
typedef enum diff_change {
    DIFF_REMOVED,
    DIFF_ADDED,
    DIFF_CHANGED,    /* another mesh */
    DIFF_MOVED,      /* nodes only */
    DIFF_RENAMED,    /* parts: another name; nodes: another name or another parent */
    DIFF_PROPERTIES, /* nodes only */
    DIFF_CHANGES
} diff_change;

typedef struct diff_row {
    diff_change change;
    uint32_t a, b;           /* parts or nodes; BVP_NONE where there is none */
    uint32_t instance_count; /* of the part; of the node and below, as far as it is theirs, too */
    double distance;         /* moved: how far the corner of a part's box that moved farthest */
    double translation[3];   /* and the middle of that box */
} diff_row;

typedef struct diff_rows {
    diff_row *items; /* by change, then as in the files */
    size_t count, capacity;
    uint64_t counts[DIFF_CHANGES]; /* parts, or instances; of several changes: in each */
    uint64_t same_count;
    uint64_t repacked_count; /* of these, parts: the same mesh, packed in another way */
} diff_rows;

const char *diff_change_name(diff_change change);

/* Both: 0, or says that memory is out and returns the exit code. */
int diff_rows_of_parts(diff_rows *out, const match_side *a, const match_side *b);
/* tolerance: moves of at most this length do not count. A change of a node and everything below it
 * is one row, unless `all`: then each instance has its own. */
int diff_rows_of_nodes(diff_rows *out, const match_side *a, const match_side *b, double tolerance,
                       int all);
void diff_rows_free(diff_rows *rows);

#endif
