/* SPDX-License-Identifier: MIT
 * timeout.c: a timer whose signal ends the program, wherever it is: in a query, in a library that
 * imports, or in a read that waits.
 */
#include "cli/timeout.h"

#include <stddef.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "text/message.h"
#include "files/temporary.h"

static struct timespec began;
static volatile sig_atomic_t *volatile asked;

void timeout_begin(void)
{
    clock_gettime(CLOCK_MONOTONIC, &began);
}

/* Calls only async-signal-safe functions. */
static void end(int signal_number)
{
    static const char text[] = "bvpack: --timeout: the time is up; there is no output; allow more "
                               "seconds, or ask for less\n";
    (void)signal_number;
    if (asked) {
        *asked = 1;
        return;
    }
    temporary_remove_all();
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(EXIT_STOPPED);
    _exit(EXIT_STOPPED);
}

void timeout_set(double seconds)
{
    static const double longest = 1e8; /* three years */
    const struct sigaction action = {.sa_handler = end, .sa_flags = SA_RESTART};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double left = (seconds < longest ? seconds : longest) - (double)(now.tv_sec - began.tv_sec) -
                  (double)(now.tv_nsec - began.tv_nsec) * 1e-9;
    left = left > 1e-6 ? left : 1e-6; /* a timer of 0 would never fire */
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)left,
                     .tv_usec = (suseconds_t)((left - (double)(time_t)left) * 1e6)}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

void timeout_ask(volatile sig_atomic_t *flag)
{
    asked = flag;
}
