/* SPDX-License-Identifier: MIT
 * beneath.c: opens files that a model names, in the model's folder and below it only.
 */
#include "files/beneath.h"

/* A model is written by somebody else, and so may be the folder that it came in: an archive can
 * hold symbolic links. A check of the path before it is opened would not do, because the folder may
 * change in between. So the kernel holds the walk to the folder (openat2, RESOLVE_BENEATH), or each
 * component is opened by itself and never as a link. */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __linux__ && defined SYS_openat2
#include <linux/openat2.h>
#define HAS_OPENAT2 1
#else
#define HAS_OPENAT2 0
#endif
#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { STOPS_MAX = 80, READING = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

static void close_quietly(int fd)
{
    const int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
}

/* The descriptor if it belongs to a regular file; it was opened in a way that never blocks. */
static int keep_file(int fd)
{
    struct stat file;
    if (fd < 0)
        return -1;
    const int known = fstat(fd, &file) == 0;
    if (known && S_ISREG(file.st_mode))
        return fd;
    if (known)
        errno = EINVAL;
    close_quietly(fd);
    return -1;
}

static int open_folder(const char *folder)
{
    return open(*folder ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* ---- component by component ------------------------------------------------------------------ */

/* What stopped a walk: a component that is a link, or "..". */
typedef struct stop {
    int is_there;
    size_t prefix; /* length of the path before it */
    char link[PATH_MAX];
} stop;

/* One walk over `path`, which ends at the first component that is a link or "..": only then all
 * components before it are known not to be links. Otherwise the file's descriptor, or -1. */
static int walk(int root, const char *path, stop *s)
{
    int at = root, next = -1;
    s->is_there = 0;
    for (const char *part = path;; at = next) {
        char name[NAME_MAX + 1];
        part += strspn(part, "/");
        const size_t size = strcspn(part, "/");
        const int is_last = part[size + strspn(part + size, "/")] == '\0';
        if (size > NAME_MAX) {
            errno = ENAMETOOLONG;
            break;
        }
        snprintf(name, sizeof name, "%.*s", (int)size, size ? part : ".");
        const ssize_t found = readlinkat(at, name, s->link, sizeof s->link - 1);
        if (found >= 0 || strcmp(name, "..") == 0) {
            s->link[found > 0 ? found : 0] = '\0';
            s->prefix = (size_t)(part - path);
            s->is_there = 1;
            break;
        }
        const int how = is_last ? READING : O_PATH | O_DIRECTORY | O_CLOEXEC;
        next = openat(at, *name ? name : ".", how | O_NOFOLLOW);
        if (at != root)
            close_quietly(at);
        if (next < 0 || is_last)
            return next;
        part += size;
    }
    if (at != root)
        close_quietly(at);
    return -1;
}

static int fail(int reason)
{
    errno = reason;
    return -1;
}

/* Replaces the link by its target, and "a/.." by nothing. */
static int take_stop(char path[PATH_MAX], const stop *s)
{
    char whole[PATH_MAX];
    const char *rest = path + s->prefix;
    size_t prefix = s->prefix;
    const int is_up = strncmp(rest, "..", 2) == 0 && (rest[2] == '/' || rest[2] == '\0');
    assert(prefix <= strlen(path));
    rest += strcspn(rest, "/");
    while (is_up && prefix > 0 && path[prefix - 1] == '/')
        prefix--;
    if (*s->link == '/' || (is_up && prefix == 0))
        return fail(EXDEV);
    while (is_up && prefix > 0 && path[prefix - 1] != '/')
        prefix--;
    if (snprintf(whole, sizeof whole, "%.*s%s%s", (int)prefix, path, s->link,
                 is_up ? rest + strspn(rest, "/") : rest) >= PATH_MAX)
        return fail(ENAMETOOLONG);
    memcpy(path, whole, strlen(whole) + 1);
    return 0;
}

static int open_by_steps(int root, const char *path)
{
    char rest[PATH_MAX];
    stop s;
    assert(root >= 0);
    if (*path == '/')
        return fail(EXDEV);
    if (snprintf(rest, sizeof rest, "%s", path) >= PATH_MAX)
        return fail(ENAMETOOLONG);
    for (int stops = 0; stops < STOPS_MAX; stops++) {
        const int fd = walk(root, rest, &s);
        if (!s.is_there)
            return fd;
        if (take_stop(rest, &s) != 0)
            return -1;
    }
    return fail(ELOOP);
}

int beneath_open_stepwise(const char *folder, const char *path)
{
    const int root = open_folder(folder);
    const int fd = root < 0 ? -1 : open_by_steps(root, path);
    close_quietly(root);
    return keep_file(fd);
}

/* ---- by the kernel --------------------------------------------------------------------------- */

int beneath_open(const char *folder, const char *path)
{
    const int root = open_folder(folder);
    int fd = -1;
    if (root < 0)
        return -1;
#if HAS_OPENAT2
    const struct open_how how = {.flags = READING,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    do /* EAGAIN: something was renamed meanwhile */
        fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    while (fd < 0 && (errno == EAGAIN || errno == EINTR));
    /* EPERM: a container's system call filter does not know the call */
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = open_by_steps(root, path);
#else
    fd = open_by_steps(root, path);
#endif
    close_quietly(root);
    return keep_file(fd);
}

int beneath_open_any(const char *path)
{
    return keep_file(open(path, READING));
}
