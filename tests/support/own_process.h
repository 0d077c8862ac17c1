/* SPDX-License-Identifier: MIT
 * own_process.h: functions of a test that run in a process of their own: a fork, or, on Windows,
 * the test's program once more.
 */
#ifndef OWN_PROCESS_H
#define OWN_PROCESS_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef _WIN32
#include <process.h>
#endif

typedef int (*apart_body)(void);

#ifdef _WIN32

/* number: of one of the bodies that the suite gives to apart_answer. */
static inline intptr_t apart_start(const char *suite, const apart_body *bodies, int number)
{
    char text[16];
    (void)bodies;
    snprintf(text, sizeof text, "%d", number);
    setenv("BVP_APART", text, 1);
    const intptr_t child = _spawnl(_P_NOWAIT, _pgmptr, "apart", suite, NULL);
    unsetenv("BVP_APART");
    return child;
}

/* Its exit status; 128 more than the signal if it was killed. */
static inline int apart_await(intptr_t child)
{
    int status = -1;
    return _cwait(&status, child, 0) == child ? status : -1;
}

/* Such a process ends here. */
static inline void apart_answer(const apart_body *bodies)
{
    const char *number = getenv("BVP_APART");
    if (number)
        _exit(bodies[atoi(number)]());
}

static inline int apart_kill_self(void)
{
    return windows_kill_self();
}

#else

static inline intptr_t apart_start(const char *suite, const apart_body *bodies, int number)
{
    (void)suite;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(bodies[number]());
    return child;
}

static inline int apart_await(intptr_t child)
{
    int status = 0;
    if (waitpid((pid_t)child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void apart_answer(const apart_body *bodies)
{
    (void)bodies;
}

static inline int apart_kill_self(void)
{
    return raise(SIGKILL);
}

#endif
#endif
