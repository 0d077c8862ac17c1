/* SPDX-License-Identifier: MIT
 * statvfs.h: free space of a disk. */
#ifndef BVPI_OS_STATVFS_H
#define BVPI_OS_STATVFS_H

#include <stdint.h>

struct statvfs {
    uint64_t f_frsize, f_bsize, f_bavail, f_bfree, f_blocks;
};

int statvfs(const char *path, struct statvfs *out);

#endif
