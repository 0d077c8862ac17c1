/* SPDX-License-Identifier: MIT
 * clash_issues.h: which clashing pairs are one thing for whoever has to solve them.
 */
#ifndef CLASH_ISSUES_H
#define CLASH_ISSUES_H

#include <stddef.h>
#include <stdint.h>

/* What decides which pairs belong together. */
typedef struct clash_contact {
    const uint8_t *id;    /* 16 bytes, the pair's: breaks ties */
    uint64_t elements[2]; /* the two instances, as numbers of the run */
    uint64_t families[2]; /* equal: elements of like names in the same sub-assembly */
    uint64_t parts[2];    /* whose geometry the elements have */
    double at[3], size;   /* where the pair meets; size of the larger element */
    double apart;         /* distance of the elements' middles: the same in the same relation */
    int32_t rule;
    uint8_t verdict;
    uint32_t issue; /* the answer: a number of an issue */
} clash_contact;

typedef enum clash_issue_kind {
    CLASH_ISSUE_STAR,   /* one element against several */
    CLASH_ISSUE_FAMILY, /* elements of one family against those of another one, near one another */
    CLASH_ISSUE_DETAIL, /* the same pair of parts in the same relation, wherever */
    CLASH_ISSUE_SINGLE  /* one pair */
} clash_issue_kind;

typedef struct clash_cluster {
    clash_issue_kind kind;
    uint64_t centre; /* of a star: the element */
    uint32_t count;  /* of pairs */
    uint32_t lowest; /* the contact with the smallest id */
} clash_cluster;

/* Gives each contact its issue. Pairs of an issue have the same verdict and rule, and are a star,
 * a family, a detail or single. The largest set is taken first, then the largest of what is left;
 * of equally large ones in the order of their kinds, then the one whose smallest id, then largest
 * id, is smaller. Issues are numbered in the order in which contacts come. *clusters is the
 * caller's to free. Depends on the order of the contacts in nothing but the numbers. 0, or no
 * memory: that has been said. count <= CLASH_CONTACTS_MOST. O(n log n). */
#define CLASH_CONTACTS_MOST (UINT32_MAX / 4)
int clash_issues_find(clash_contact *contacts, size_t count, clash_cluster **clusters,
                      uint32_t *cluster_count);

#endif
