/* SPDX-License-Identifier: MIT
 * uio.h: writing from several places. */
#ifndef BVPI_OS_UIO_H
#define BVPI_OS_UIO_H

#include <sys/types.h>

struct iovec {
    void *iov_base;
    size_t iov_len;
};

ssize_t writev(int fd, const struct iovec *range, int count);

#endif
