/* SPDX-License-Identifier: MIT
 * progress.c: one line on the terminal that shows the progress of a long job, its rate and the time
 * left.
 */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double first_after = 1.0; /* seconds: shorter jobs show nothing */
static const double redraw_after = 0.2;

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(progress *p, int quiet)
{
    memset(p, 0, sizeof *p);
    atomic_flag_clear(&p->busy);
    p->shown = !quiet && isatty(STDERR_FILENO);
    p->began = p->stage_began = seconds_now();
}

void progress_update(void *user, const char *stage, uint64_t done, uint64_t total)
{
    progress *p = user;
    if (!p->shown || atomic_flag_test_and_set(&p->busy))
        return;
    double now = seconds_now();
    if (strncmp(p->stage, stage, sizeof p->stage - 1) != 0) {
        snprintf(p->stage, sizeof p->stage, "%s", stage);
        p->stage_began = now;
    }
    if (now - p->began >= first_after && now - p->drawn >= redraw_after) {
        double elapsed = now - p->stage_began;
        double rate = elapsed > 0 ? (double)done / elapsed : 0;
        char speed[32];
        /* 2345678 as "2.35 M". */
        double value = rate;
        static const char prefix[] = " kMGT";
        int i = 0;
        for (; value >= 999.5 && prefix[i + 1]; i++)
            value /= 1000;
        snprintf(speed, sizeof speed, "%.*f %c", value < 9.95 ? 1 : 0, value, prefix[i]);
        fprintf(stderr, "\r\033[K%s", p->stage);
        if (total > 0)
            fprintf(stderr, " %3.0f%%", 100.0 * (double)done / (double)total);
        if (done > 0)
            fprintf(stderr, ", %s/s", speed);
        if (total > done && rate > 0)
            fprintf(stderr, ", %.0f s left", (double)(total - done) / rate);
        fflush(stderr);
        p->drawn = now;
        p->visible = 1;
    }
    atomic_flag_clear(&p->busy);
}

void progress_stop(progress *p)
{
    if (p->visible)
        fputs("\r\033[K", stderr);
    p->visible = 0;
}
