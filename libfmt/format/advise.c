/* SPDX-License-Identifier: MIT
 * advise.c: tells the system how a mapped file will be read. Advice is a hint, so failures are
 * ignored.
 *
 * A query touches few pages, far apart. With the usual read-ahead each fault would load its
 * neighbours as well, so MADV_RANDOM turns it off. The exceptions are read in any case: the tables,
 * and the start of DATA with the upper nodes. A full scan, as verification does, switches to normal
 * read-ahead and back.
 * Measured: decisions.md, "Opening"
 */
#define _DEFAULT_SOURCE /* madvise */
#include "format/advise.h"

#include <sys/mman.h>
#include <unistd.h>

/* This much of the tables and of DATA is read at once: 16 pages take no longer than one. */
enum { HEAD_SIZE = 64 * 1024 };

static void advise(const bvp_file *file, const uint8_t *begin, uint64_t size, int advice)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t slack = (uintptr_t)begin % page;
    if (file->mapping && !file->owned && !file->read_ahead && size > 0)
        (void)madvise((void *)((uintptr_t)begin - slack), size + slack, advice);
}

static uint64_t head_of(uint64_t size)
{
    return size < HEAD_SIZE ? size : HEAD_SIZE;
}

void bvpi_advise_queries(const bvp_file *file)
{
    const bvpi_span *data = &file->section[BVPD_DATA], *tables = &file->section[BVPD_PART];
    const uint64_t left = file->size - (uint64_t)(tables->data - file->base);
    advise(file, file->base, file->size, MADV_RANDOM);
    advise(file, tables->data, head_of(left), MADV_WILLNEED);
    advise(file, data->data, head_of(data->size), MADV_WILLNEED);
}

void bvpi_advise_scan(const bvp_file *file, bool begins)
{
    advise(file, file->base, file->size, begins ? MADV_NORMAL : MADV_RANDOM);
}
