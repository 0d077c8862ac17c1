/* SPDX-License-Identifier: MIT
 * late_folder.c: loaded into programs, gives the folder LATE_FOLDER what a mounted object store
 * has: no files without names, no links, no rename into another folder; a rename that replaces a
 * file removes it first, and for a while there is none; listings do not show the last two seconds.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LATE_SECONDS = 2, GAP_MICROSECONDS = 20000 };

static int is_late(const char *path)
{
    char full[4096];
    const char *folder = getenv("LATE_FOLDER");
    if (!folder)
        return 0;
    if (*path != '/') {
        char here[2048];
        if (!getcwd(here, sizeof here))
            return 0;
        snprintf(full, sizeof full, "%s/%s", here, path);
        path = full;
    }
    return strncmp(path, folder, strlen(folder)) == 0;
}

static size_t folder_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
    va_end(arguments);
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    if ((flags & O_TMPFILE) == O_TMPFILE && is_late(path)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return real(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return open(path, flags, mode);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    int (*real)(int, const char *, int, const char *, int) =
        (int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT, "linkat");
    if (is_late(to)) {
        errno = EPERM;
        return -1;
    }
    return real(from_folder, from, to_folder, to, flags);
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *) =
        (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    if (!is_late(to))
        return real(from, to);
    const size_t size = folder_size(from);
    if (size != folder_size(to) || strncmp(from, to, size) != 0) {
        errno = EXDEV;
        return -1;
    }
    if (unlink(to) == 0)
        usleep(GAP_MICROSECONDS);
    return real(from, to);
}

struct dirent *readdir(DIR *folder)
{
    struct dirent *(*real)(DIR *) = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
    char path[64], target[4096];
    struct dirent *entry;
    struct stat about;
    snprintf(path, sizeof path, "/proc/self/fd/%d", dirfd(folder));
    const ssize_t size = readlink(path, target, sizeof target - 1);
    target[size < 0 ? 0 : size] = '\0';
    do
        entry = real(folder);
    while (entry && is_late(target) && fstatat(dirfd(folder), entry->d_name, &about, 0) == 0 &&
           about.st_ctime + LATE_SECONDS > time(NULL));
    return entry;
}

struct dirent64 *readdir64(DIR *folder)
{
    return (struct dirent64 *)readdir(folder);
}
