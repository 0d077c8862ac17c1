/* SPDX-License-Identifier: MIT
 * clash_gather.h: the issues of a run: which kept pairs are one, and what an issue is called.
 */
#ifndef CLASH_GATHER_H
#define CLASH_GATHER_H

#include "found/clash_issues.h"
#include "found/clash_kept.h"
#include "query/instance_tree.h"
#include "report/clash_report.h"
#include "zones/clash_places.h"

/* Of whose pairs. */
typedef struct clash_trees {
    const instance_tree *a, *b; /* equal within one file */
    const double *placement_b;  /* NULL: as it is */
    const clash_places *places; /* NULL: only what the trees tell */
} clash_trees;

/* Zero-initialise. */
typedef struct clash_gathered {
    clash_contact *contacts; /* of each kept item, in its order */
    struct clash_extent {
        double volume; /* that both have in common, at most */
        int is_b_smaller;
    } * extents; /* likewise */
    clash_cluster *clusters;
    uint32_t issue_count;
    uint32_t *order;    /* numbers of items, by issue, the most severe first */
    uint32_t *first;    /* of each issue in `order`, and the end */
    uint8_t (*ids)[16]; /* of each issue */
    uint32_t *past_of;  /* of each issue: the baseline's whose id it has, or BVP_NONE */
    uint32_t *heirs;    /* of each issue of the baseline: who has its id, or BVP_NONE */
    growing_text title, where, name;
    bvp_string *names; /* of the issue that was asked last */
    growing_text made; /* those of them that are no label of the tree */
} clash_gathered;

/* The issues of a baseline, or none. */
typedef struct clash_past_issues {
    const uint8_t (*ids)[16]; /* ascending */
    uint32_t count;
} clash_past_issues;

/* The kept pairs are sorted. 0, or says what is wrong and returns the exit code. */
int clash_gather(clash_gathered *g, const clash_kept *kept, const clash_trees *trees,
                 const clash_past_issues *past);
/* The issue of a number below issue_count, with texts that are valid until the next call. limits:
 * of its most severe pair. 0, or the exit code. */
int clash_gather_issue(clash_gathered *g, const clash_kept *kept, const clash_trees *trees,
                       uint32_t number, const char *clearance, clash_issue *out);
/* Is an item's A on the side of the B of the issue's most severe pair? */
int clash_gather_is_turned(const clash_gathered *g, uint32_t item);
void clash_gather_close(clash_gathered *g);

#endif
