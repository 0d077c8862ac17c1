/* SPDX-License-Identifier: MIT
 * file_source.c: files, and bytes in memory, as sources of bytes.
 */
#include "files/file_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bvp_status refuse(bvp_error *error, uint64_t offset, int reason, const char *what)
{
    *error = (bvp_error){.status = BVP_ERR_SYSTEM, .sys_errno = reason, .offset = offset};
    snprintf(error->message, sizeof error->message, "can't read: %s", what);
    return BVP_ERR_SYSTEM;
}

/* A descriptor fits in a pointer; nothing has to be allocated for it. */
static int fd_of(void *user)
{
    return (int)(intptr_t)user;
}

static bvp_status read_file(void *user, uint64_t offset, uint64_t size, void *out, bvp_error *error)
{
    for (uint64_t done = 0; done < size;) {
        const ssize_t got =
            pread(fd_of(user), (char *)out + done, (size_t)(size - done), (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse(error, offset + done, errno, strerror(errno));
        if (got == 0)
            return refuse(error, offset + done, 0, "the file has become shorter");
        done += (uint64_t)got;
    }
    return BVP_OK;
}

static void close_file(void *user)
{
    close(fd_of(user));
}

/* A pipe of this name must not block. */
bvp_status file_source(const char *path, bvp_source *out, bvp_error *error)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return refuse(error, UINT64_MAX, errno, strerror(errno));
    const int reason = fstat(fd, &info) != 0 ? errno : 0;
    if (reason != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return refuse(error, UINT64_MAX, reason,
                      reason != 0 ? strerror(reason) : "it is not a regular file");
    }
    *out = (bvp_source){.size = (uint64_t)info.st_size,
                        .read = read_file,
                        .close = close_file,
                        .user = (void *)(intptr_t)fd};
    return BVP_OK;
}

static bvp_status read_memory(void *user, uint64_t offset, uint64_t size, void *out,
                              bvp_error *error)
{
    (void)error;
    memcpy(out, (const char *)user + offset, (size_t)size);
    return BVP_OK;
}

bvp_source memory_source(const void *data, size_t size)
{
    return (bvp_source){.size = size, .read = read_memory, .user = (void *)(uintptr_t)data};
}
