/* SPDX-License-Identifier: MIT
 * spill.c: memory that lies in a file without a name.
 *
 * Disk space is reserved before it is mapped: a full disk is an error here, and not SIGBUS at some
 * later store. The mapping grows by a constant, so that the pages that one growth leaves mapped are
 * few.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "files/spill.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STEP = 8 << 20 };

int spill_file(const char *folder)
{
    int fd = -1;
#ifdef O_TMPFILE
    fd = open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
#endif
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/.bvpack-spill-XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkstemp(path);
    if (fd >= 0) {
        unlink(path);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
}

/* An error number, or 0. */
static int reserve(int fd, off_t offset, off_t size)
{
#if HAVE_POSIX_FALLOCATE
    int error;
    do
        error = posix_fallocate(fd, offset, size);
    while (error == EINTR);
    return error;
#else /* macOS: what is written has its place */
    static const char zeros[1 << 16];
    for (off_t done = 0; done < size;) {
        const off_t left = size - done, most = (off_t)sizeof zeros;
        const ssize_t some = pwrite(fd, zeros, (size_t)(left < most ? left : most), offset + done);
        if (some == 0 || (some < 0 && errno != EINTR))
            return some == 0 ? EIO : errno;
        done += some > 0 ? some : 0;
    }
    return 0;
#endif
}

int spill_grow(spill *s, const char *folder, size_t wanted)
{
    if (wanted <= s->size)
        return 0;
    if (wanted > SIZE_MAX / 2)
        return ENOMEM;
    const size_t larger = (wanted + STEP - 1) / STEP * STEP;
    if (!s->is_open) {
        s->fd = spill_file(folder);
        if (s->fd < 0)
            return errno;
        s->is_open = 1;
    }
    const int error = reserve(s->fd, (off_t)s->size, (off_t)(larger - s->size));
    if (error != 0)
        return error;
    void *data = mmap(NULL, larger, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    if (data == MAP_FAILED)
        return errno;
    if (s->data)
        munmap(s->data, s->size);
    s->data = data;
    s->size = larger;
    return 0;
}

void spill_release(const spill *s)
{
    if (s->data)
        madvise(s->data, s->size, MADV_DONTNEED); /* of a shared mapping: nothing is lost */
}

void spill_close(spill *s)
{
    if (s->data)
        munmap(s->data, s->size);
    if (s->is_open)
        close(s->fd);
    *s = (spill){0};
}
