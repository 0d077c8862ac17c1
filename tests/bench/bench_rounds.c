/* SPDX-License-Identifier: MIT
 * bench_rounds.c: contenders in turn, medians of rounds.
 */
#include "bench_rounds.h"
#include "bench.h"

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
            all[c].answers[asked] = all[c].ask(all[c].user, asked);
        asked++;
        spent = bench_thread_now() - start;
    }
    return asked;
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

static double take_turn(bench_contender *who, int asked)
{
    const double start = bench_thread_now();
    for (int i = 0; i < asked; i++)
        who->answers[i] = who->ask(who->user, i);
    return bench_thread_now() - start;
}

int bench_rounds(bench_contender *all, int contender_count, int count, double limit)
{
    for (int c = 0; c < contender_count; c++) {
        all[c].answers = calloc((size_t)count, sizeof *all[c].answers);
        if (!all[c].answers)
            bench_require(BVP_ERR_NO_MEMORY, "answers");
    }
    const int asked = first_round(all, contender_count, count, limit / (BENCH_ROUNDS + 1));
    for (int round = 0; round < BENCH_ROUNDS; round++)
        for (int c = 0; c < contender_count; c++) {
            warm_up(&all[c], asked, count, round ? all[c].seconds[round - 1] : 0);
            all[c].seconds[round] = take_turn(&all[c], asked);
        }
    return asked;
}

void bench_rounds_free(bench_contender *all, int contender_count)
{
    for (int c = 0; c < contender_count; c++)
        free(all[c].answers);
}

bench_quartiles bench_us(const bench_contender *who, int count)
{
    double us[BENCH_ROUNDS];
    for (int round = 0; round < BENCH_ROUNDS; round++)
        us[round] = who->seconds[round] * 1e6 / count;
    return bench_quartiles_of(us, BENCH_ROUNDS);
}

bench_quartiles bench_ratio(const bench_contender *ours, const bench_contender *theirs)
{
    double ratio[BENCH_ROUNDS];
    for (int round = 0; round < BENCH_ROUNDS; round++)
        ratio[round] = theirs->seconds[round] / ours->seconds[round];
    return bench_quartiles_of(ratio, BENCH_ROUNDS);
}
