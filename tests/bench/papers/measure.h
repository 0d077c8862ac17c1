/* SPDX-License-Identifier: MIT
 * measure.h: asks several hierarchies the same questions, in turn, and compares their answers.
 */
#ifndef PAPERS_MEASURE_H
#define PAPERS_MEASURE_H

#include "base_tree.h"
#include "fcl_tree.h"

/* Of a and b at a placement; or of a alone: a ray's origin and direction, a point. */
typedef enum question { ASK_COLLIDE, ASK_PAIRS, ASK_DISTANCE, ASK_RAY, ASK_CLOSEST } question;

enum { SUBJECT_MAX = 16 };

/* Two parts in one kind of hierarchy: of the library, a baseline's, or FCL's. */
typedef struct subject {
    char name[64];
    bvp_file *a, *b; /* NULL: not of the library */
    const base_tree *base_a, *base_b;
    uint64_t (*base_pairs)(const base_tree *, const base_tree *, const double *, bool, bvp_stats *);
    const fcl_tree *fcl_a, *fcl_b;
    /* results of measure(): of one placement, but for stats, sum and differing, which are of all */
    double seconds; /* median over the rounds; NaN: not timed */
    double least, most;
    bvp_stats stats;
    double sum;         /* of the answers */
    uint64_t differing; /* answers that differ from the first subject's */
} subject;

subject subject_of_file(const char *name, bvp_file *a, bvp_file *b);
/* Closes a library's files (one, when both are the same). */
void subject_close(subject *subject);

/* Each subject at all `count` placements of b: the answers and counts first, which are the same in
 * every run; then `rounds` passes (0: none) that are timed, subjects in turn. */
void measure(subject *subjects, int subject_count, question question, const double *placements,
             int count, int rounds);
enum { ROUNDS = 5, ROUNDS_MAX = 9 };
/* From now on nothing is timed: only counts are wanted. */
void measure_only_counts(void);
bool measure_is_timing(void);
/* Half of the range of the rounds in percent of the median: the largest one of some subjects. */
double measure_spread(const subject *subjects, int subject_count);
/* Counts the answer if it differs by more than that share. */
void measure_compare(subject *subject, double expected, double got, double share);
/* Answers of the library and of the baselines that differed in all calls, which must be 0; and of
 * FCL, which decides by rounded arithmetic. */
uint64_t measure_differing(void);
uint64_t measure_fcl_differing(void);

#endif
