/* SPDX-License-Identifier: MIT
 * test_import_confine.c: what an importing process can't do any more: each try in a process of its
 * own.
 */
#include "import/import_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "suite.h"

#if defined __SANITIZE_ADDRESS__
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif
/* MEMORY: the program of all unit tests has 60 MiB of its own */
enum { MEMORY = 160 << 20, SECONDS = 1, DONE = 0, DENIED = 1, REFUSED = 2 };

/* The status of a confined process that tries it. */
static int status_of(int (*try)(void))
{
    int status = 0;
    const pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        if (import_confine(MEMORY, SECONDS) != NULL)
            _exit(REFUSED);
        _exit(try());
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

static int outcome(int (*try)(void))
{
    const int status = status_of(try);
    ck_assert_msg(WIFEXITED(status), "ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

static int has_filter(void)
{
#if defined __x86_64__ || defined __aarch64__
    const int mode = prctl(PR_GET_SECCOMP); /* fails where the filter does not allow it */
    return mode == 2 || (mode < 0 && errno == EPERM) ? DONE : DENIED;
#else
    return DENIED;
#endif
}

static int denied(int result)
{
    return result < 0 && errno == EPERM ? DENIED : DONE;
}

static int open_file(void)
{
    return denied(open("/etc/hostname", O_RDONLY));
}

static int write_file(void)
{
    return denied(open("confine_output", O_WRONLY | O_CREAT, 0600));
}

static int make_socket(void)
{
    return denied(socket(AF_INET, SOCK_STREAM, 0));
}

static int make_process(void)
{
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    return denied(pid);
}

static int run_program(void)
{
    return denied(execl("/bin/true", "true", (char *)NULL));
}

static int remove_file(void)
{
    return denied(unlink("confine_missing"));
}

static int signal_parent(void)
{
    return denied(kill(getppid(), 0));
}

static int make_code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
               ? DENIED
               : DONE;
}

static int raise_limits(void)
{
    const struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
    return denied(setrlimit(RLIMIT_CPU, &more));
}

static int (*const forbidden[])(void) = {open_file,     write_file,  make_socket,
                                         make_process,  run_program, remove_file,
                                         signal_parent, make_code,   raise_limits};

START_TEST(calls)
{
    if (outcome(has_filter) != DONE)
        return; /* no filter on this system; the limits hold by themselves */
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
        ck_assert_msg(outcome(forbidden[i]) == DENIED, "try %zu was not denied", i);
}
END_TEST

static void *nothing(void *argument)
{
    return argument;
}

/* What a library needs. */
static int compute(void)
{
    pthread_t thread;
    char *data = malloc(MEMORY / 4);
    if (!data)
        return DENIED;
    memset(data, 1, MEMORY / 4);
    free(data);
    return pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0
               ? DONE
               : DENIED;
}

static int take_memory(void)
{
    for (int i = 0; i < 64; i++) {
        char *data = malloc(MEMORY / 16);
        if (!data)
            return DENIED;
        memset(data, 1, MEMORY / 16);
    }
    return DONE;
}

static int take_time(void)
{
    volatile unsigned count = 1;
    while (count > 0)
        count = count % 7 + 1;
    return DONE;
}

START_TEST(limits)
{
    ck_assert_int_eq(outcome(compute), DONE);
    if (!IS_SANITIZED)
        ck_assert_int_eq(outcome(take_memory), DENIED);
    const int status = status_of(take_time);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
}
END_TEST

/* A confined process may not confine itself again: the system refuses, and that is not passed over.
 */
static int confine_again(void)
{
    return import_confine(MEMORY, SECONDS) != NULL ? DENIED : DONE;
}

START_TEST(a_refusal_is_told)
{
    if (outcome(has_filter) == DONE)
        ck_assert_int_eq(outcome(confine_again), DENIED);
}
END_TEST

SUITE(test_import_confine)
{
    return suite_run("import_confine", (const TTest *[]){calls, limits, a_refusal_is_told, NULL});
}
