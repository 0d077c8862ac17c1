/* SPDX-License-Identifier: MIT
 * windows_signals.c: what ends a program early: a user, a timer, a disk.
 */
#include <windows.h>

static void (*at_alarm)(int), (*at_page_error)(int);

static LONG WINAPI page_error(EXCEPTION_POINTERS *what)
{
    if (what->ExceptionRecord->ExceptionCode == (DWORD)EXCEPTION_IN_PAGE_ERROR && at_page_error)
        at_page_error(SIGBUS);
    return EXCEPTION_CONTINUE_SEARCH;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (old)
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    switch (number) {
    case SIGINT:
    case SIGTERM:
        return !action || signal(number, action->sa_handler) != SIG_ERR ? 0 : -1;
    case SIGQUIT: /* Ctrl-Break; the function is called with SIGBREAK */
        return !action || signal(SIGBREAK, action->sa_handler) != SIG_ERR ? 0 : -1;
    case SIGALRM:
        at_alarm = action ? action->sa_handler : at_alarm;
        return 0;
    case SIGBUS:
        if (action && !at_page_error)
            AddVectoredExceptionHandler(1, page_error);
        at_page_error = action ? action->sa_handler : at_page_error;
        return 0;
    default:
        errno = EINVAL;
        return -1;
    }
}

static void CALLBACK alarm_now(void *user, BOOLEAN fired)
{
    (void)user, (void)fired;
    if (at_alarm && at_alarm != SIG_IGN)
        at_alarm(SIGALRM);
}

int setitimer(int which, const struct itimerval *timer, struct itimerval *old)
{
    static HANDLE running;
    (void)which, (void)old;
    const double seconds = (double)timer->it_value.tv_sec + (double)timer->it_value.tv_usec * 1e-6;
    const DWORD milliseconds = seconds * 1000 < 4e9 ? (DWORD)(seconds * 1000 + 1) : 4000000000u;
    if (running)
        DeleteTimerQueueTimer(NULL, running, NULL);
    running = NULL;
    if (seconds <= 0)
        return 0;
    return CreateTimerQueueTimer(&running, NULL, alarm_now, NULL, milliseconds, 0,
                                 WT_EXECUTEONLYONCE)
               ? 0
               : bvpi_windows_fail();
}

int pause(void)
{
    for (;;)
        Sleep(INFINITE);
}
