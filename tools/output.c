/* SPDX-License-Identifier: MIT
 * output.c: an output file that has its name only when it is complete.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "message.h"

/* The files to remove when a signal ends the program; each set while its `pending` is. */
enum { DOOMED_MORE = 64 }; /* of other threads' */
static char doomed[OUTPUT_MAX + DOOMED_MORE][PATH_MAX + 64];
static volatile sig_atomic_t pending[OUTPUT_MAX + DOOMED_MORE];
static int taken[DOOMED_MORE]; /* atomic */

void output_remove_all(void)
{
    for (int i = 0; i < OUTPUT_MAX + DOOMED_MORE; i++)
        if (pending[i])
            unlink(doomed[i]);
}

static void remove_and_die(int signal_number)
{
    output_remove_all();
    /* SA_RESETHAND: now the default action, so that the shell sees the signal. */
    raise(signal_number);
}

/* Once, so that a handler that a verb puts in front stays. */
static void watch_signals(void)
{
    static int watching;
    if (watching++)
        return;
    static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGXFSZ, SIGPIPE};
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        struct sigaction old,
            action = {.sa_handler = remove_and_die, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
        if (sigaction(fatal[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(fatal[i], &action, NULL);
    }
}

int output_doom(const char *path)
{
    watch_signals();
    for (int i = OUTPUT_MAX; i < OUTPUT_MAX + DOOMED_MORE; i++)
        if (!__atomic_exchange_n(&taken[i - OUTPUT_MAX], 1, __ATOMIC_ACQ_REL)) {
            snprintf(doomed[i], sizeof doomed[i], "%s", path);
            pending[i] = 1;
            return i;
        }
    return -1;
}

void output_spare(int slot)
{
    if (slot < 0)
        return;
    pending[slot] = 0;
    __atomic_store_n(&taken[slot - OUTPUT_MAX], 0, __ATOMIC_RELEASE);
}

static int refuse(const char *path, const char *advice)
{
    complain(path, "can't write: %s%s", strerror(errno), advice);
    return EXIT_OUTPUT;
}

int output_failure(const char *path, bvp_status status, const bvp_error *error)
{
    const int code = complain_status(path, status, error);
    return status == BVP_ERR_SYSTEM ? EXIT_OUTPUT : code;
}

static int open_standard_output(output *o)
{
    if (isatty(STDOUT_FILENO)) {
        complain("standard output", "is a terminal; send it to a file or a pipe, or name a file "
                                    "with -o");
        return EXIT_USAGE;
    }
    o->direct = 1;
    o->fd = STDOUT_FILENO;
    return 0;
}

/* Follows a symbolic link, so that the link stays and its target is replaced. */
static int resolve(output *o, const char *path)
{
    char real[PATH_MAX];
    const char *use = realpath(path, real) ? real : path;
    if (strlen(use) >= sizeof o->path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(o->path, use);
    return 0;
}

static int free_slot(void)
{
    for (int i = 0; i < OUTPUT_MAX; i++)
        if (!pending[i])
            return i;
    errno = EMFILE;
    return -1;
}

static int open_temporary(output *o, mode_t mode)
{
    o->slot = free_slot();
    if (o->slot < 0)
        return -1;
    const char *slash = strrchr(o->path, '/');
    int folder = slash ? (int)(slash - o->path) + 1 : 0;
    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(o->temporary, sizeof o->temporary, "%.*s.bvpack-%ld-%d.tmp", folder, o->path,
                 (long)getpid(), attempt);
        strcpy(doomed[o->slot], o->temporary);
        o->fd = open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (o->fd >= 0)
            pending[o->slot] = 1;
        if (o->fd >= 0 || errno != EEXIST)
            break;
    }
    return o->fd >= 0 ? 0 : -1;
}

int output_open(output *o, const char *path)
{
    struct stat old;
    mode_t mode = 0666;

    memset(o, 0, sizeof *o);
    o->fd = -1;
    if (strcmp(path, "-") == 0)
        return open_standard_output(o);
    if (resolve(o, path) != 0)
        return refuse(path, "");
    if (stat(o->path, &old) == 0) {
        if (S_ISDIR(old.st_mode)) {
            errno = EISDIR;
            return refuse(path, "; name a file in it");
        }
        o->direct = !S_ISREG(old.st_mode);
        mode = old.st_mode & 0777;
    }
    if (o->direct) {
        o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
        return o->fd >= 0 ? 0 : refuse(path, "");
    }
    watch_signals();
    if (open_temporary(o, mode) != 0)
        return refuse(path, "; does the folder exist, and may you write there?");
    return 0;
}

static int finish_direct(output *o)
{
    int fd = o->fd;
    o->fd = -1;
    if (fd != STDOUT_FILENO && close(fd) != 0)
        return refuse(o->path, "");
    return 0;
}

/* Makes the rename survive a power cut. Some file systems can't sync folders: not an error. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int size = slash ? (int)(slash - path) + 1 : 0;
    snprintf(folder, sizeof folder, "%.*s", size ? size : 1, size ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

int output_commit(output *o)
{
    if (o->direct)
        return finish_direct(o);
    int failed = fsync(o->fd) != 0;
    failed |= close(o->fd) != 0;
    o->fd = -1;
    if (failed || rename(o->temporary, o->path) != 0) {
        int code = refuse(o->path, "");
        output_discard(o);
        return code;
    }
    pending[o->slot] = 0;
    sync_folder(o->path);
    return 0;
}

void output_discard(output *o)
{
    if (o->direct) {
        finish_direct(o);
        return;
    }
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
    if (pending[o->slot])
        unlink(o->temporary);
    pending[o->slot] = 0;
}
