/* SPDX-License-Identifier: MIT
 * bench_rounds.h: several libraries asked the same questions, in turn, round after round; medians,
 * how much the ratio of two of them moves from round to round, and the question at which it is
 * worst.
 */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

enum { BENCH_ROUNDS = 5 };

/* Question number `idx`; returns the answer. */
typedef double (*bench_ask_fn)(const void *user, int idx);

typedef struct bench_contender {
    const char *name;
    bench_ask_fn ask;
    const void *user;
    double *answers; /* made by bench_rounds, freed by bench_rounds_free */
    double
        *fastest; /* of each question, processor time, the least of some; made and freed likewise */
    double seconds[BENCH_ROUNDS]; /* processor time of all questions */
    int repeats;                  /* of the questions in a turn */
    int stopped;                  /* by bench_probe: it takes no part in rounds */
    double stopped_seconds;       /* then: a question, at least */
} bench_contender;

typedef struct bench_quartiles {
    double q1, median, q3;
} bench_quartiles;

/* Seconds that one table row may take: the environment's BENCH_LIMIT, 2 without. */
double bench_limit(void);

/* Asks each contender questions 0 .. count - 1, a dozen at most, in a process of its own, which
 * ends at the first question that takes longer than `limit` seconds: that contender is then
 * stopped. */
void bench_probe(bench_contender *all, int contender_count, int count, double limit);

/* Asks everybody questions 0, 1, .. as long as that takes no more than a round's share of `limit`
 * seconds, or four shares for the first dozen, at least one and at most `count`; then BENCH_ROUNDS
 * rounds of these, the contenders in turn, and two in which each question is timed. Returns how
 * many questions that were. Put others between two contenders that share data, lest the second find
 * it in the caches. */
int bench_rounds(bench_contender *all, int contender_count, int count, double limit);
void bench_rounds_free(bench_contender *all, int contender_count);

/* Microseconds a question, over the rounds. */
bench_quartiles bench_us(const bench_contender *who, int count);
/* Of their time over ours, round by round. */
bench_quartiles bench_ratio(const bench_contender *ours, const bench_contender *theirs, int count);
/* The least of a question's: where we stand worst. */
double bench_worst(const bench_contender *ours, const bench_contender *theirs, int count);
/* Sorts the values. */
bench_quartiles bench_quartiles_of(double *values, int count);

#endif
