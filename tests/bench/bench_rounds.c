/* SPDX-License-Identifier: MIT
 * bench_rounds.c: contenders in turn, medians of rounds, the worst question.
 */
#include "bench_rounds.h"
#include "bench.h"

#include <math.h>
#include <stdlib.h>

double bench_limit(void)
{
    const char *text = getenv("BENCH_LIMIT");
    const double limit = text ? atof(text) : 0;
    return limit > 0 ? limit : 2;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_quartiles bench_quartiles_of(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return (bench_quartiles){values[count / 4], values[count / 2], values[count - 1 - count / 4]};
}

/* Everybody in turn at each question: what fits into the time is what the rounds ask; a dozen,
 * which stand for all of them, may take four times as long. */
static int first_round(bench_contender *all, int contender_count, int count, double limit)
{
    enum { DOZEN = 12 };
    const double start = bench_thread_now();
    double spent = 0;
    int asked = 0;
    while (asked < count && (asked == 0 || spent < (asked < DOZEN ? 4 * limit : limit))) {
        for (int c = 0; c < contender_count; c++)
            if (!all[c].stopped)
                all[c].answers[asked] = all[c].ask(all[c].user, asked);
        asked++;
        spent = bench_thread_now() - start;
    }
    return asked;
}

/* All of them as often as `repeats` says; seconds of one time. */
static double take_turn(const bench_contender *who, int asked, int repeats)
{
    const double start = bench_thread_now();
    for (int k = 0; k < repeats; k++)
        for (int i = 0; i < asked; i++)
            who->answers[i] = who->ask(who->user, i);
    return (bench_thread_now() - start) / repeats;
}

/* How often in a turn, so that it lasts longer than the clock's grain and what goes on beside it.
 */
static int repeats_of(const bench_contender *who, int asked)
{
    const double turn = take_turn(who, asked, 1);
    return turn > 1e-3 ? 1 : (int)(2e-3 / fmax(turn, 1e-6));
}

/* The others have emptied the caches since the last turn. In a long turn that is lost in the sum;
 * before a short one, some of the questions that are not in it are asked, untimed. */
static void warm_up(const bench_contender *who, int asked, int count, double turn)
{
    const double start = bench_thread_now();
    if (turn > 0.05)
        return;
    for (int i = asked % count; bench_thread_now() - start < 0.005; i = (i + 1) % count)
        who->ask(who->user, i);
}

/* What reading the clock adds to a question. */
static double clock_seconds(void)
{
    double least = 1;
    for (int i = 0; i < 100; i++) {
        const double start = bench_thread_now();
        least = fmin(least, bench_thread_now() - start);
    }
    return least;
}

static void time_each(bench_contender *who, int asked, double clock)
{
    for (int i = 0; i < asked; i++) {
        const double start = bench_thread_now();
        who->answers[i] = who->ask(who->user, i);
        const double seconds = fmax(bench_thread_now() - start - clock, 1e-9);
        who->fastest[i] = who->fastest[i] > 0 ? fmin(who->fastest[i], seconds) : seconds;
    }
}

/* Short turns several times: an interruption is not the fastest then. */
static void time_questions(bench_contender *all, int contender_count, int asked)
{
    enum { LEAST = 2, MOST = 20 };
    const double clock = clock_seconds();
    for (int pass = 0; pass < MOST; pass++)
        for (int c = 0; c < contender_count; c++)
            if (!all[c].stopped && pass < LEAST + all[c].repeats / 4)
                time_each(&all[c], asked, clock);
}

static void new_answers(bench_contender *all, int contender_count, int count)
{
    for (int c = 0; c < contender_count; c++) {
        all[c].answers = calloc((size_t)count, sizeof *all[c].answers);
        all[c].fastest = calloc((size_t)count, sizeof *all[c].fastest);
        if (!all[c].answers || !all[c].fastest)
            bench_require(BVP_ERR_NO_MEMORY, "answers");
    }
}

int bench_rounds(bench_contender *all, int contender_count, int count, double limit)
{
    enum { MORE = 4 }; /* the first round, the repeats, two that time each question */
    new_answers(all, contender_count, count);
    const int asked = first_round(all, contender_count, count, limit / (BENCH_ROUNDS + MORE));
    for (int c = 0; c < contender_count; c++)
        if (!all[c].stopped)
            all[c].repeats = repeats_of(&all[c], asked);
    for (int round = 0; round < BENCH_ROUNDS; round++)
        for (int c = 0; c < contender_count; c++) {
            if (all[c].stopped)
                continue;
            warm_up(&all[c], asked, count, round ? all[c].seconds[round - 1] : 0);
            all[c].seconds[round] = take_turn(&all[c], asked, all[c].repeats);
        }
    time_questions(all, contender_count, asked);
    return asked;
}

void bench_rounds_free(bench_contender *all, int contender_count)
{
    for (int c = 0; c < contender_count; c++)
        free(all[c].answers), free(all[c].fastest);
}

bench_quartiles bench_us(const bench_contender *who, int count)
{
    double us[BENCH_ROUNDS];
    if (who->stopped)
        return (bench_quartiles){who->stopped_seconds * 1e6, who->stopped_seconds * 1e6,
                                 who->stopped_seconds * 1e6};
    for (int round = 0; round < BENCH_ROUNDS; round++)
        us[round] = who->seconds[round] * 1e6 / count;
    return bench_quartiles_of(us, BENCH_ROUNDS);
}

/* A question's seconds in a round; of one that was stopped what it took at least. */
static double a_question(const bench_contender *who, int round, int count)
{
    return who->stopped ? who->stopped_seconds : who->seconds[round] / count;
}

bench_quartiles bench_ratio(const bench_contender *ours, const bench_contender *theirs, int count)
{
    double ratio[BENCH_ROUNDS];
    for (int round = 0; round < BENCH_ROUNDS; round++)
        ratio[round] = a_question(theirs, round, count) / a_question(ours, round, count);
    return bench_quartiles_of(ratio, BENCH_ROUNDS);
}

double bench_worst(const bench_contender *ours, const bench_contender *theirs, int count)
{
    double worst = INFINITY;
    for (int i = 0; i < count; i++) {
        const double our_own = ours->stopped ? ours->stopped_seconds : ours->fastest[i];
        const double their_own = theirs->stopped ? theirs->stopped_seconds : theirs->fastest[i];
        worst = fmin(worst, their_own / our_own);
    }
    return worst;
}
