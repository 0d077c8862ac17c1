/* SPDX-License-Identifier: MIT
 * part_cache.h: values computed from parts on first use, once for each part, and kept. Safe to use
 * from any thread.
 */
#ifndef BVPI_CLASH_PART_CACHE_H
#define BVPI_CLASH_PART_CACHE_H

#include "format/map.h"

/* One value for each part of a file: a single block of memory from malloc. */
typedef struct bvpi_part_cache {
    const bvp_file *file;
    void **values; /* atomic; NULL: not computed yet */
} bvpi_part_cache;

/* Computes a part's value. On success *out is a malloc'ed block, on failure NULL. control: may
 * cancel the computation, or NULL. */
typedef bvp_status bvpi_part_compute(const bvp_file *file, uint32_t part,
                                     const bvp_control *control, void **out);

/* Takes 8 bytes for each part. Call bvpi_part_cache_free even after a failure. */
bvp_status bvpi_part_cache_init(bvpi_part_cache *cache, const bvp_file *file);
void bvpi_part_cache_free(bvpi_part_cache *cache);

/* The value of a part; the cache owns it. Threads that ask at the same time may each compute it,
 * and the first result is kept. A failure is not kept. */
bvp_status bvpi_part_cache_get(bvpi_part_cache *cache, uint32_t part, bvpi_part_compute *compute,
                               const bvp_control *control, const void **out);

#endif
