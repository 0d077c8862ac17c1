/* SPDX-License-Identifier: MIT
 * spill.h: memory that lies in a file without a name, for what may be larger than the machine's.
 *
 * The kernel writes its pages to the disk and takes them back as it needs to. The file goes with
 * the process, however that ends.
 */
#ifndef SPILL_H
#define SPILL_H

#include <stddef.h>
#include <stdint.h>

typedef struct spill {
    int is_open, fd;
    void *data; /* of `size` bytes, readable and writable; NULL: none yet */
    size_t size;
} spill;

/* A file without a name in `folder`, for reading and writing; -1: errno says why. */
int spill_file(const char *folder);
/* Makes room for `wanted` bytes, whose disk space is then reserved; what is there stays, but may
 * move. s: zeroed at first. 0, or errno: ENOSPC ... */
int spill_grow(spill *s, const char *folder, size_t wanted);
/* Takes the pages that lie in memory from this process; they come back when they are used. */
void spill_release(const spill *s);
void spill_close(spill *s);

#endif
