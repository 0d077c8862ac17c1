/* SPDX-License-Identifier: MIT
 * stamp.c: what the file system records of a file.
 *
 * The time of the last change of any kind, which no call can set, reveals files that were replaced
 * or written to and then given their old times.
 * Based on: the Git project, "Use of index and Racy Git problem".
 */
#include "files/stamp.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#ifdef __APPLE__ /* other names for what POSIX has */
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif
#define SECOND UINT64_C(1000000000)

enum { TICK = 2 }; /* seconds: FAT counts in these, older network file systems in one */

static uint64_t nanoseconds(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

static int stamp_of(int failed, const struct stat *info, stamp *out)
{
    *out = (stamp){0};
    if (failed || !S_ISREG(info->st_mode))
        return -1;
    *out = (stamp){.inode = info->st_ino,
                   .size = (uint64_t)info->st_size,
                   .modified = nanoseconds(&info->st_mtim),
                   .changed = nanoseconds(&info->st_ctim)};
    return 0;
}

int stamp_take(const char *path, stamp *out)
{
    struct stat info;
    return stamp_of(stat(path, &info) != 0, &info, out);
}

int stamp_take_fd(int fd, stamp *out)
{
    struct stat info;
    return stamp_of(fstat(fd, &info) != 0, &info, out);
}

int stamp_is_equal(const stamp *a, const stamp *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

int stamp_is_settled(const stamp *s)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return s->changed + TICK * SECOND < nanoseconds(&now);
}
