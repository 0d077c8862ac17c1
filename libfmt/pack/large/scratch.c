/* SPDX-License-Identifier: MIT
 * scratch.c: temporary files, without a name where nobody goes on with them.
 *
 * A file without a name cannot be left behind, however the process ends. Writes go through pwrite,
 * so that a full disk is an error and no signal; a mapping is made only of bytes that were written.
 *
 * Held by tests/unit/test_large.c.
 */
#define _GNU_SOURCE /* O_TMPFILE, fallocate */
#include "pack/large/scratch.h"

#include "base/status.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_nameless(const char *folder)
{
#ifdef O_TMPFILE
    const int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
#endif
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/.bvpack-XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int made = mkostemp(path, O_CLOEXEC);
    if (made >= 0)
        unlink(path);
    return made;
}

static int open_named(const char *folder, const char *name)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

bvp_status bvpi_scratch_open(const char *folder, const char *name, uint64_t size, bvpi_scratch *out,
                             bvp_error *error)
{
    struct stat info;
    *out = BVPI_NO_SCRATCH;
    const int fd = name ? open_named(folder, name) : open_nameless(folder);
    if (fd < 0)
        return bvpi_error_system(error, "cannot create a temporary file in %s", folder);
    bvp_status status = BVP_OK;
    if (fstat(fd, &info) != 0 || ftruncate(fd, (off_t)size) != 0)
        status = bvpi_error_system(error, "cannot cut the temporary file %s/%s", folder, name);
    else if ((uint64_t)info.st_size < size)
        status = bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                "%s/%s has %jd bytes, and the state beside it says %ju; remove the "
                                "folder to start again",
                                folder, name, (intmax_t)info.st_size, (uintmax_t)size);
    if (status != BVP_OK) {
        close(fd);
        return status;
    }
    *out = (bvpi_scratch){.fd = fd, .size = size};
    return BVP_OK;
}

void bvpi_scratch_close(bvpi_scratch *file)
{
    if (file->map)
        munmap(file->map, file->map_size);
    if (file->fd >= 0)
        close(file->fd);
    *file = BVPI_NO_SCRATCH;
}

bvp_status bvpi_scratch_append(bvpi_scratch *file, const void *data, size_t size, bvp_error *error)
{
    const uint8_t *bytes = data;
    assert(file->fd >= 0 && !file->map);
    while (size > 0) {
        const ssize_t n = pwrite(file->fd, bytes, size, (off_t)file->size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return bvpi_error_system(error, "cannot write a temporary file");
        bytes += n;
        size -= (size_t)n;
        file->size += (uint64_t)n;
    }
    return BVP_OK;
}

bvp_status bvpi_scratch_read(const bvpi_scratch *file, uint64_t offset, void *data, size_t size,
                             bvp_error *error)
{
    uint8_t *bytes = data;
    while (size > 0) {
        const ssize_t n = pread(file->fd, bytes, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO; /* somebody has cut it */
        if (n <= 0)
            return bvpi_error_system(error, "cannot read a temporary file");
        bytes += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return BVP_OK;
}

bvp_status bvpi_scratch_copy(const bvpi_scratch *from, bvpi_scratch *to, bvp_error *error)
{
    enum { BLOCK = 1 << 20 };
    uint8_t *block = malloc(BLOCK);
    bvp_status status = block ? BVP_OK : bvpi_error_memory(error, BLOCK);
    for (uint64_t offset = 0; offset < from->size && status == BVP_OK;) {
        const uint64_t left = from->size - offset;
        const size_t size = left < BLOCK ? (size_t)left : BLOCK;
        status = bvpi_scratch_read(from, offset, block, size, error);
        if (status == BVP_OK)
            status = bvpi_scratch_append(to, block, size, error);
        offset += size;
    }
    free(block);
    return status;
}

bvp_status bvpi_scratch_map(bvpi_scratch *file, bvp_error *error)
{
    assert(!file->map);
    if (file->size == 0)
        return BVP_OK;
    void *map = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
    if (map == MAP_FAILED)
        return bvpi_error_system(error, "cannot map a temporary file");
    file->map = map;
    file->map_size = file->size;
    return BVP_OK;
}

void bvpi_scratch_forget(const bvpi_scratch *file, uint64_t offset, uint64_t size)
{
#ifdef FALLOC_FL_PUNCH_HOLE
    (void)!fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                     (off_t)size);
#else
    (void)file, (void)offset, (void)size;
#endif
}

bvp_status bvpi_scratch_sync(const bvpi_scratch *file, bvp_error *error)
{
#if HAVE_DECL_FDATASYNC
    const int failed = fdatasync(file->fd);
#else /* macOS */
    const int failed = fsync(file->fd);
#endif
    return failed == 0 ? BVP_OK : bvpi_error_system(error, "cannot write a temporary file");
}
