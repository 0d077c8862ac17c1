/* SPDX-License-Identifier: MIT
 * temporary.c: one list of temporary files, for outputs and stores.
 *
 * A signal handler may run at any moment, in any thread, so it reads a slot's name only while the
 * slot's state says that the name is complete.
 */
#include "files/temporary.h"

#include <assert.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SLOT_COUNT = 80 };                   /* outputs open at a time, and a store's threads */
enum { FREE, IS_SET_UP, STANDS, IS_GOING }; /* a slot that is being removed is not used again */

static char names[SLOT_COUNT][PATH_MAX];
static int states[SLOT_COUNT]; /* atomic */
static int is_ending;          /* atomic */

static int pass(int slot, int from, int to)
{
    return __atomic_compare_exchange_n(&states[slot], &from, to, 0, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

void temporary_remove_all(void)
{
    __atomic_store_n(&is_ending, 1, __ATOMIC_SEQ_CST);
    /* What is going already may not be gone: another thread's handler took it, and this one ends
     * the program. */
    for (int i = 0; i < SLOT_COUNT; i++)
        if (pass(i, STANDS, IS_GOING) || __atomic_load_n(&states[i], __ATOMIC_SEQ_CST) == IS_GOING)
            unlink(names[i]);
}

static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGXFSZ, SIGPIPE};
enum { FATAL_COUNT = sizeof fatal / sizeof fatal[0] };

/* A signal often comes twice: timeout(1) sends it to the program and to its group. So the default
 * action is set only when everything is gone, and all fatal signals wait until the handler returns.
 * Then the one raised here ends the program, and the shell sees it. */
static void remove_and_die(int signal_number)
{
    temporary_remove_all();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void temporary_watch(void)
{
    static int is_watching; /* atomic */
    if (__atomic_exchange_n(&is_watching, 1, __ATOMIC_ACQ_REL))
        return;
    struct sigaction old, action = {.sa_handler = remove_and_die};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < FATAL_COUNT; i++)
        sigaddset(&action.sa_mask, fatal[i]);
    for (int i = 0; i < FATAL_COUNT; i++)
        if (sigaction(fatal[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(fatal[i], &action, NULL);
}

int temporary_doom(const char *path)
{
    temporary_watch();
    for (int i = 0; i < SLOT_COUNT && strlen(path) < sizeof names[i]; i++)
        if (pass(i, FREE, IS_SET_UP)) {
            strcpy(names[i], path);
            __atomic_store_n(&states[i], STANDS, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(&is_ending, __ATOMIC_SEQ_CST)) /* the handler may be past it */
                pause();
            return i;
        }
    return -1;
}

void temporary_redoom(void *slot, const char *path)
{
    temporary_spare(*(int *)slot);
    *(int *)slot = temporary_doom(path);
}

void temporary_spare(int slot)
{
    assert(slot < SLOT_COUNT);
    if (slot >= 0)
        pass(slot, STANDS, FREE);
}
