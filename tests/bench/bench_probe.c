/* SPDX-License-Identifier: MIT
 * bench_probe.c: who answers in time? Each contender is asked in a process of its own, which can be
 * ended in the middle of a question, whatever library it is in.
 */
#include "bench.h"
#include "bench_rounds.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Says when each question is answered. */
static void answer(const bench_contender *who, int count, int to)
{
    for (int i = 0; i < count; i++) {
        who->ask(who->user, i);
        if (write(to, "", 1) != 1)
            _exit(1);
    }
    _exit(0);
}

/* Does another byte come within that many seconds? */
static int comes(int from, double limit)
{
    struct pollfd wait = {.fd = from, .events = POLLIN};
    char byte;
    return poll(&wait, 1, (int)(limit * 1e3)) == 1 && read(from, &byte, 1) == 1;
}

static void probe(bench_contender *who, int count, double limit)
{
    int ends[2], done = 0;
    fflush(NULL);
    if (pipe(ends) != 0)
        bench_require(BVP_ERR_SYSTEM, "pipe");
    const double start = bench_now();
    const pid_t child = fork();
    if (child < 0)
        bench_require(BVP_ERR_SYSTEM, "fork");
    if (child == 0)
        answer(who, count, ends[1]);
    close(ends[1]);
    while (done < count && comes(ends[0], limit))
        done++;
    const double seconds = bench_now() - start;
    if (done < count)
        kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ends[0]);
    who->stopped = done < count;
    who->stopped_seconds = seconds / (done + 1);
}

void bench_probe(bench_contender *all, int contender_count, int count, double limit)
{
    enum { DOZEN = 12 };
    for (int c = 0; c < contender_count; c++)
        probe(&all[c], count < DOZEN ? count : DOZEN, limit);
}
