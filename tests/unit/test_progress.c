/* SPDX-License-Identifier: MIT
 * test_progress.c: when the progress line is drawn, what it says, that it goes away.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/progress.h"
#include "suite.h"

static char text[1000];

/* What two calls draw on standard error when the job began `age` seconds ago. */
static void drawn(progress *p, double age, int shown)
{
    FILE *file = tmpfile();
    int old = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    progress_start(p, 0);
    p->shown = shown;
    p->began -= age;
    progress_update(p, "build", 1000000, 4000000);
    p->stage_began -= 2;
    p->drawn = 0;
    progress_update(p, "build", 2000000, 4000000);
    progress_stop(p);
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(old);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
}

START_TEST(long_job)
{
    progress p;
    drawn(&p, 5, 1);
    ck_assert_ptr_nonnull(strstr(text, "build  25%"));
    ck_assert_ptr_nonnull(strstr(text, "build  50%, 1.0 M/s, 2 s left"));
    ck_assert_str_eq(text + strlen(text) - 4, "\r\033[K");
}
END_TEST

START_TEST(short_job_or_no_terminal)
{
    progress p;
    drawn(&p, 0.1, 1);
    ck_assert_str_eq(text, "");
    drawn(&p, 5, 0);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(quiet)
{
    progress p;
    progress_start(&p, 1);
    ck_assert_int_eq(p.shown, 0);
}
END_TEST

SUITE(test_progress)
{
    const TTest *const list[] = {long_job, short_job_or_no_terminal, quiet, NULL};
    return suite_run("progress", list);
}
