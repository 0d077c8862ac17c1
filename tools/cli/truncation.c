/* SPDX-License-Identifier: MIT
 * truncation.c: ends the program when a mapped file is truncated. A read behind its end is a
 * SIGBUS, in any thread, after which no computed result can be trusted.
 */
#include "cli/truncation.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "text/message.h"
#include "files/temporary.h"

/* Calls only async-signal-safe functions. */
static void end(int signal_number)
{
    static int
        is_ending; /* threads that read the same file may arrive together: one prints the message */
    static const char text[] = "bvpack: a file was truncated, or its disk failed, while it was "
                               "read; its output was removed; run the command again\n";
    (void)signal_number;
    while (__atomic_exchange_n(&is_ending, 1, __ATOMIC_ACQ_REL))
        pause();
    temporary_remove_all();
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(EXIT_INPUT);
    _exit(EXIT_INPUT);
}

void truncation_watch(void)
{
    const struct sigaction action = {.sa_handler = end};
    sigaction(SIGBUS, &action, NULL);
}
