/* SPDX-License-Identifier: MIT
 * issue_title.h: what an issue is called: "tank_1 is crossed by 6 pipes".
 */
#ifndef ISSUE_TITLE_H
#define ISSUE_TITLE_H

#include "bvpack_clash.h"
#include "query/instance_tree.h"

/* The beginning of a name without the number at its end: "pipe" of "pipe_12", "Wall" of "Wall:77".
 * The whole name if nothing else is in front. */
bvp_string issue_title_stem(bvp_string name);

/* Who meets whom. */
typedef struct issue_words {
    bvp_verdict verdict;
    const bvp_string
        *names[2];         /* each element's once; the inner ones, where some are inside, first */
    size_t counts[2];      /* 0 second ones: the first ones meet one another */
    int is_star;           /* one side is one element, against several */
    const char *clearance; /* "5 mm" */
} issue_words;

/* Replaces what *out has. 0, or no memory. O(n log n) in names. */
int issue_title_make(const issue_words *words, growing_text *out);

#endif
