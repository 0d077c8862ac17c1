/* SPDX-License-Identifier: MIT
 * windows_case.h: what tests use of POSIX and the program does not, for Windows. Every test file
 * includes it first there. What cannot be had fails with ENOSYS; the tests that need it are listed
 * in windows_absent.h.
 */
#ifndef WINDOWS_CASE_H
#define WINDOWS_CASE_H

#include "../../libfmt/os/windows/windows_posix.h"

char *mkdtemp(char *path);
int setenv(const char *name, const char *value, int replaces);
int unsetenv(const char *name);
int pipe(int ends[2]);
#define UTIME_OMIT 0 /* of the first time, which is not set anyway */
int utimensat(int folder, const char *path, const struct timespec times[2], int flags);
void srand48(long seed);
double drand48(void);

typedef bvpi_windows_sigset sigset_t;
#define SIG_BLOCK                      0
#define pthread_sigmask(how, set, old) ((void)(set), 0) /* a timer interrupts no call */

#define SIGKILL 9
int windows_kill_self(void);

/* A stream to memory is a temporary file, which is read when it is closed. One at a time. */
FILE *open_memstream(char **text, size_t *size);
int windows_fclose(FILE *stream);
#define fclose windows_fclose

/* ---- what is not there --------------------------------------------------------------------- */

static inline int windows_cannot(void)
{
    errno = ENOSYS;
    return -1;
}

#define fork()                     windows_cannot()
#define waitpid(child, out, flags) windows_cannot()
#define WIFEXITED(status)          ((void)(status), 0)
#define WEXITSTATUS(status)        (status)
#define symlink(to, name)          windows_cannot()
#define mkfifo(name, mode)         windows_cannot()

enum { RLIMIT_NOFILE, RLIMIT_FSIZE, RUSAGE_SELF, RLIM_INFINITY = -1 };
struct rlimit {
    uint64_t rlim_cur, rlim_max;
};
struct rusage {
    long ru_maxrss;
};
#define getrlimit(which, out)   windows_cannot()
#define setrlimit(which, out)   windows_cannot()
#define getrusage(of_whom, out) windows_cannot()

#include "windows_absent.h"

#endif
