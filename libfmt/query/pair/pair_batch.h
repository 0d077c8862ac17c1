/* SPDX-License-Identifier: MIT
 * pair_batch.h: one question about two bodies for each of many placements of the second one.
 */
#ifndef BVPI_QUERY_PAIR_PAIR_BATCH_H
#define BVPI_QUERY_PAIR_PAIR_BATCH_H

#include "base/meter.h"
#include "bvpack.h"

typedef struct bvpi_pair_batch_of {
    /* Asks one; meter: that of the batch, or NULL; out: an element of `answers`. */
    bvp_status (*ask)(const struct bvpi_pair_batch_of *of, const bvp_body *a, const bvp_body *b,
                      bvpi_meter *meter, void *out, bvp_stats *stats);
    bvp_const_array placements;
    bvp_array answers;
    size_t answer_size; /* of one, where they are densely packed */
    double limit, tolerance;
    bvp_warm_start *warm;
} bvpi_pair_batch_of;

/* A batch as the public ones are; *done may be NULL. */
bvp_status bvpi_pair_batch(const bvp_body *a, const bvp_body *b, const bvpi_pair_batch_of *of,
                           size_t *done, bvp_stats *stats);

#endif
