/* SPDX-License-Identifier: MIT
 * clash_rules.h: the rules of a clash run: which pairs are left out, which contacts are allowed,
 * and which lengths hold for whom. Of several rules that match a pair the first one decides.
 */
#ifndef CLASH_RULES_H
#define CLASH_RULES_H

#include <stdatomic.h>
#include "bvpack_clash.h"
#include "rules/clash_select.h"

typedef enum clash_action { CLASH_EXCLUDE, CLASH_ALLOW, CLASH_LIMITS } clash_action;

typedef struct clash_rule {
    char *name;
    clash_action action;
    int optional;                    /* selectors may match no instance */
    int comes_along;                 /* of a set: nobody needs to know that it matches nothing */
    clash_selector a, b;             /* without choices: every instance */
    int same_assembly;               /* nonzero: only pairs within one sub-assembly */
    clash_selector assembly;         /* of these; without choices: the one right above the node */
    char *same;                      /* NULL, or a property: only pairs that share its value */
    int same_element;                /* nonzero: only pieces of one element */
    bvp_clash_limits limits;         /* NaN: the run's */
    double share;                    /* of the thinner part's thickness is permitted overlap; NaN */
    uint64_t *same_of[2];            /* hash of the value of each instance; 0: it has none */
    uint64_t *bits_a[2], *bits_b[2]; /* instances of the first and the second file */
    uint32_t *assembly_of;           /* node of the sub-assembly of each instance, or BVP_NONE */
} clash_rule;

enum { CLASH_BUCKET = 16 }; /* instances of the first file whose uses are counted together */

/* Zero-initialise. */
typedef struct clash_rules {
    clash_rule *rules;
    uint32_t rule_count;
    bvp_clash_limits limits;       /* of the rule file for all pairs; NaN: not given */
    uint8_t hash[16];              /* of everything that has been added */
    const instance_tree *trees[2]; /* after clash_rules_bind; equal within one file */
    double scale_b;                /* a length of the second file in the first one's unit; 0: 1 */
    double *thickness[2]; /* of each instance, in the run's world; NULL: no rule needs it */
    uint64_t *strays;     /* within one file: instances that are strays of others; or NULL */
    atomic_uint *uses;    /* [bucket * rule_count + rule] */
    char **warnings;
    uint32_t warning_count;
} clash_rules;

/* Rules that come with the program, by name: a text as of a file (tools/rules). The last one's name
 * is NULL. A pair that several sets match is for the first of them. */
typedef struct clash_rule_set {
    const char *name;
    const unsigned char *text;
    size_t size;
} clash_rule_set;
extern const clash_rule_set clash_rule_sets[];

/* All return 0, or say what is wrong and return the exit code. */
int clash_rules_add_exclude(clash_rules *r, const char *text); /* SELECTOR[:SELECTOR] */
int clash_rules_add_same_assembly(clash_rules *r);
/* name: of a rule set, else of a file. info: of the file whose units bare numbers are in. */
int clash_rules_add_named(clash_rules *r, const char *name, const bvp_file_info *info);
int clash_rules_add_file(clash_rules *r, const char *path, const bvp_file_info *info);
/* Looks up which instances the selectors mean; b == a within one file. One that matches no instance
 * is refused, or, if its rule is optional, a warning. */
int clash_rules_bind(clash_rules *r, const instance_tree *a, const instance_tree *b);
/* After clash_rules_bind: how thick instances are, which clash_rules_bind measures itself when a
 * rule needs it. */
int clash_rules_measure(clash_rules *r);
/* The smallest edge of the box of the instance's part, in the first file's unit. file: 0 or 1. */
double clash_rules_thickness(const clash_rules *r, int file, uint32_t instance);
void clash_rules_free(clash_rules *r);

/* Adds a warning to the coverage statement; 0, or says that memory is out and returns the exit
 * code. */
int clash_rules_warn(clash_rules *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The largest distance at which a pair is still of interest. */
double clash_rules_reach(const clash_rules *r, const bvp_clash_limits *limits);
/* The first rule that matches, or -1. From any thread. */
int clash_rules_match(const clash_rules *r, uint32_t a, uint32_t b);
/* Nonzero: clash_rules_apply has something to decide. */
int clash_rules_decide(const clash_rules *r);
/* A hash of all of an instance that rules look at, its placement and part aside: pairs with equal
 * keys on either side are decided alike by the same rules. 0: there is none, a stray's pairs depend
 * on more. O(rules). */
int clash_rules_key(const clash_rules *r, int file, uint32_t instance, uint8_t out[16]);
/* A bvp_clash_rule_fn: counts the rule's use; user is the clash_rules. */
int clash_rules_apply(void *user, uint32_t a, uint32_t b, bvp_clash_limits *limits);
/* Adds to `sums` (one a rule) the uses by instances first .. end - 1 of the first file: multiples
 * of CLASH_BUCKET, or the end. */
void clash_rules_count(const clash_rules *r, uint32_t first, uint32_t end, uint64_t *sums);
const char *clash_action_name(clash_action action);

#endif
