/* SPDX-License-Identifier: MIT
 * vertex_ranks.h: the number that each vertex of a run has in the whole mesh, where equal vertices
 * are one, in the order of first use.
 */
#ifndef BVPI_PACK_LARGE_VERTEX_RANKS_H
#define BVPI_PACK_LARGE_VERTEX_RANKS_H

#include "pack/large/spool.h"

/* Vertices of all runs are counted through: the place of a vertex. */
typedef struct bvpi_ranks {
    uint64_t *first;       /* of each run, and of one behind the last: its first vertex's place */
    uint64_t *is_first;    /* bit p: no earlier place has the same vertex */
    uint64_t *is_shared;   /* bit p: another place has the same vertex */
    uint32_t *before;      /* of each word of is_first: the bits set before it */
    uint64_t vertex_count; /* different ones */
    bvpi_scratch repeats; /* for each bucket, pairs (place, place of the same vertex that is_first),
                             by place */
    uint64_t *bucket_end; /* in `repeats`, bytes */
    uint32_t bucket_count;
} bvpi_ranks;

/* The caller closes *out in either case. The result does not depend on memory or threads. */
bvp_status bvpi_ranks_make(const bvpi_spool *spool, const bvpi_large_means *means, bvpi_ranks *out,
                           bvp_error *error);
void bvpi_ranks_close(bvpi_ranks *ranks);

static inline bool bvpi_rank_bit(const uint64_t *bits, uint64_t place)
{
    return bits[place / 64] >> place % 64 & 1;
}

/* Goes through the runs in order. */
typedef struct bvpi_rank_cursor {
    const bvpi_ranks *ranks;
    uint64_t next_run;
    struct bvpi_repeat_reader *readers; /* owned; one for each bucket */
} bvpi_rank_cursor;

bvp_status bvpi_rank_cursor_start(const bvpi_ranks *ranks, bvpi_rank_cursor *out, bvp_error *error);
/* The numbers of the next run's vertices, below 2^32: an array to be freed. */
bvp_status bvpi_rank_cursor_next(bvpi_rank_cursor *cursor, uint32_t **numbers, bvp_error *error);
void bvpi_rank_cursor_end(bvpi_rank_cursor *cursor);

#endif
