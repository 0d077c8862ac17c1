/* SPDX-License-Identifier: MIT
 * slice.h: addresses for chunks of files from sources: slices of the arena (base/arena.h).
 */
#ifndef BVPI_FORMAT_SLICE_H
#define BVPI_FORMAT_SLICE_H

#include "base/arena.h"
#include "bvpack.h"

/* Chunks of a source's file that lie side by side. Owned by the source. */
typedef struct bvpi_slice {
    struct bvpi_source *owner;
    uint64_t first, count;      /* chunks of the file */
    uint8_t *bytes;             /* where `first` lies; NULL: nowhere */
    unsigned char *state;       /* of each chunk */
    struct bvpi_slice *sibling; /* the owner's next one */
    struct bvpi_slice *next;    /* arena.c's */
} bvpi_slice;

/* Sets bytes and state for slice->count chunks, all absent. BVP_ERR_LIMIT: there are not so many
 * addresses. */
bvp_status bvpi_slice_take(bvpi_slice *slice, bvp_error *error);
/* One that was not taken: nothing. */
void bvpi_slice_return(bvpi_slice *slice);
/* The slice that has this byte, or NULL. */
bvpi_slice *bvpi_slice_of(const void *byte);
/* These chunks read as zeros. */
void bvpi_drop_chunks(uint8_t *chunk, uint64_t count);

#endif
