/* SPDX-License-Identifier: MIT
 * stamp.h: what the file system records of a file, which changes when the file's bytes change.
 */
#ifndef STAMP_H
#define STAMP_H

#include <stdint.h>

/* Zeros: of no file. */
typedef struct stamp {
    uint64_t inode, size;
    uint64_t modified, changed; /* content; that or the file's attributes: ns since 1970 */
} stamp;

/* Of a regular file; 0, or -1 and zeros. To be taken before the file is read. */
int stamp_take(const char *path, stamp *out);
int stamp_take_fd(int fd, stamp *out);
int stamp_is_equal(const stamp *a, const stamp *b);
/* Will every later change of the file change the stamp, too? Not soon after the last change: file
 * systems count time in ticks of up to two seconds. */
int stamp_is_settled(const stamp *s);

#endif
