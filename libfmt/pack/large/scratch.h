/* SPDX-License-Identifier: MIT
 * scratch.h: temporary files of a build that is larger than memory.
 */
#ifndef BVPI_PACK_LARGE_SCRATCH_H
#define BVPI_PACK_LARGE_SCRATCH_H

#include "bvpack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that grows at its end. */
typedef struct bvpi_scratch {
    int fd; /* -1: not open */
    uint64_t size;
    uint8_t *map; /* of map_size bytes, or NULL */
    uint64_t map_size;
} bvpi_scratch;

#define BVPI_NO_SCRATCH ((bvpi_scratch){.fd = -1})

/* Opens an empty file in `folder`. name NULL: the file has none, and is gone when it is closed or
 * the process ends. Else the file of that name, which stays; it is cut to, or must have, `size`
 * bytes: what a process that was killed had finished. BVP_ERR_SYSTEM. */
bvp_status bvpi_scratch_open(const char *folder, const char *name, uint64_t size, bvpi_scratch *out,
                             bvp_error *error);
void bvpi_scratch_close(bvpi_scratch *file);

/* Returns when the system has the bytes; a full disk is BVP_ERR_SYSTEM with ENOSPC. */
bvp_status bvpi_scratch_append(bvpi_scratch *file, const void *data, size_t size, bvp_error *error);
bvp_status bvpi_scratch_read(const bvpi_scratch *file, uint64_t offset, void *data, size_t size,
                             bvp_error *error);
/* Appends all of `from`. */
bvp_status bvpi_scratch_copy(const bvpi_scratch *from, bvpi_scratch *to, bvp_error *error);
/* Maps the whole file, to read and write; appending ends. Its blocks exist, so that a write to the
 * mapping cannot meet a full disk. */
bvp_status bvpi_scratch_map(bvpi_scratch *file, bvp_error *error);
/* Gives the blocks of a range back that will not be read again. A hint. */
void bvpi_scratch_forget(const bvpi_scratch *file, uint64_t offset, uint64_t size);
/* On the disk: a state that refers to the file may be written. */
bvp_status bvpi_scratch_sync(const bvpi_scratch *file, bvp_error *error);

#endif
