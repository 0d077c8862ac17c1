/* SPDX-License-Identifier: MIT
 * measure.h: asks several hierarchies the same questions, in turn, and compares their answers.
 */
#ifndef PAPERS_MEASURE_H
#define PAPERS_MEASURE_H

#include "base_tree.h"

/* Of a and b at a placement; or of a alone: a ray's origin and direction, a point. */
typedef enum question { ASK_COLLIDE, ASK_PAIRS, ASK_DISTANCE, ASK_RAY, ASK_CLOSEST } question;

enum { SUBJECT_MAX = 16 };

/* Two parts in one kind of hierarchy: of the library, or a baseline's. */
typedef struct subject {
    char name[64];
    bvp_file *a, *b; /* NULL: a baseline */
    const base_tree *base_a, *base_b;
    uint64_t (*base_pairs)(const base_tree *, const base_tree *, const double *, bool, bvp_stats *);
    /* results of measure(): over all placements, of one pass */
    double seconds; /* median over the rounds */
    bvp_stats stats;
    double sum;         /* of the answers */
    uint64_t differing; /* answers that differ from the first subject's */
} subject;

subject subject_of_file(const char *name, bvp_file *a, bvp_file *b);
/* Closes a library's files (one, when both are the same). */
void subject_close(subject *subject);

/* Each subject at the first ones of `count` placements of b, as many as `budget` seconds allow, in
 * several rounds, subjects interleaved. Returns how many placements. */
int measure(subject *subjects, int subject_count, question question, const double *placements,
            int count, double budget);
/* Counts the answer if it differs by more than that share. */
void measure_compare(subject *subject, double expected, double got, double share);
/* Answers that differed in all calls; must be 0. */
uint64_t measure_differing(void);

#endif
