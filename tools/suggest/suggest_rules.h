/* SPDX-License-Identifier: MIT
 * suggest_rules.h: which rules would take away what a run has found and nobody needs to look at.
 */
#ifndef SUGGEST_RULES_H
#define SUGGEST_RULES_H

#include <stdio.h>
#include "bvpack_clash.h"
#include "found/clash_kept.h"
#include "query/instance_tree.h"
#include "text/json.h"

/* A run, and what it has found. */
typedef struct suggest_run {
    const instance_tree *trees[2]; /* equal within one file */
    const double *placement_b;     /* NULL: as it is */
    double scale_b;                /* a length of the second file in the first one's unit; 0: 1 */
    const clash_kept *kept;        /* sorted */
    const bvp_clash_limits *limits;
    const bvp_file_info *info; /* of the first file */
} suggest_run;

/* Two products whose surfaces face one another where they meet. */
typedef struct suggested_fit {
    growing_text a, b; /* selectors: the value of "part", or of "path" */
    int a_is_path, b_is_path;
    uint64_t pair_count;
    double depth; /* of the deepest of them */
    double allow; /* a little more */
} suggested_fit;

/* Zero-initialise. */
typedef struct suggestion {
    suggested_fit *fits; /* most pairs first */
    size_t fit_count, fit_capacity;
    uint64_t *set_counts; /* pairs that each of clash_rule_sets takes away, after the fits */
    uint64_t pair_count, taken_count;
    uint64_t stay_count; /* of those that stay, how many do more than touch */
} suggestion;

/* All return 0, or say what is wrong and return the exit code. */
/* A fit is proposed for pairs that penetrate, of one product and another one, where 9/10 of the
 * surface inside the other, or within the touch gap of it, faces the other's, to a depth of at most
 * 1 % (flat against flat) to 12 % (all around) of the thinner one's thickness; and never so deep
 * that a pair of the same two products that is no fit would be taken away. A set is proposed that
 * takes something away. O(pairs * sets), and some milliseconds for each pair that may be a fit, of
 * at most 64 of two products. */
int suggest_find(suggestion *s, const suggest_run *run);
/* A rule file of all that; "-": standard output. model: named in it. */
int suggest_write(const suggestion *s, const suggest_run *run, const char *model, const char *path);
void suggest_print(const suggestion *s, FILE *out);
/* The object "suggested" of a run's summary. */
void suggest_print_json(const suggestion *s, json *out);
void suggest_free(suggestion *s);

#endif
