/* SPDX-License-Identifier: MIT
 * part_cache.c: values computed once for each part, without a lock.
 *
 * Two threads that need the same value at the same time both compute it, and a compare-and-swap
 * keeps the first. That wastes work rarely and never blocks. A value must be a pure function of the
 * part, or results would depend on timing.
 *
 * Held by the thread sanitizer in tests/property/test_threads.c.
 * Measured: decisions.md, "Races planted by hand"
 */
#include "clash/part_cache.h"

#include <assert.h>
#include <stdlib.h>

bvp_status bvpi_part_cache_init(bvpi_part_cache *cache, const bvp_file *file)
{
    const uint32_t count = file->header.part_count;
    cache->file = file;
    cache->values = calloc(count ? count : 1, sizeof *cache->values);
    return cache->values ? BVP_OK : BVP_ERR_NO_MEMORY;
}

void bvpi_part_cache_free(bvpi_part_cache *cache)
{
    for (uint32_t i = 0; cache->values && i < cache->file->header.part_count; i++)
        free(cache->values[i]);
    free(cache->values);
    cache->values = NULL;
}

bvp_status bvpi_part_cache_get(bvpi_part_cache *cache, uint32_t part, bvpi_part_compute *compute,
                               const bvp_control *control, const void **out)
{
    assert(part < cache->file->header.part_count);
    void **slot = &cache->values[part];
    void *kept = __atomic_load_n(slot, __ATOMIC_ACQUIRE), *computed = NULL;
    *out = NULL;
    if (!kept) {
        const bvp_status status = compute(cache->file, part, control, &computed);
        if (status != BVP_OK)
            return status;
        if (__atomic_compare_exchange_n(slot, &kept, computed, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            kept = computed;
        else
            free(computed);
    }
    assert(kept != NULL);
    *out = kept;
    return BVP_OK;
}
