/* SPDX-License-Identifier: MIT
 * part_cache.h: what is computed from a part when it is first asked for, once for each part, and
 * kept. Any thread may ask.
 */
#ifndef BVPI_CLASH_PART_CACHE_H
#define BVPI_CLASH_PART_CACHE_H

#include "format/map.h"

/* One value for each part of a file: a single block of memory from malloc. */
typedef struct bvpi_part_cache {
    const bvp_file *file;
    void **values; /* atomic; NULL: not computed yet */
} bvpi_part_cache;

/* Computes a part's value; on success *out is it, on failure *out is NULL. control: what may cancel
 * that, or NULL. */
typedef bvp_status bvpi_part_compute(const bvp_file *file, uint32_t part,
                                     const bvp_control *control, void **out);

/* 8 bytes a part. To be freed even when it fails. */
bvp_status bvpi_part_cache_init(bvpi_part_cache *cache, const bvp_file *file);
void bvpi_part_cache_free(bvpi_part_cache *cache);

/* The value of a part, which belongs to the cache. Threads that ask for the same part at the same
 * time may each compute it: the first value is kept. A failure is not kept. */
bvp_status bvpi_part_cache_get(bvpi_part_cache *cache, uint32_t part, bvpi_part_compute *compute,
                               const bvp_control *control, const void **out);

#endif
