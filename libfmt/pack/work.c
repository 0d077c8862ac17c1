/* SPDX-License-Identifier: MIT
 * work.c: progress of a part's building, and its end before time.
 */
#include "pack/work.h"

#include "base/meter.h"

bool bvpi_watch_goes_on(bvpi_watch *watch)
{
    if (!__atomic_load_n(&watch->is_cancelled, __ATOMIC_RELAXED)) {
        if (!bvpi_is_cancelled(watch->control))
            return true;
        __atomic_store_n(&watch->is_cancelled, 1, __ATOMIC_RELAXED);
    }
    return false;
}

void bvpi_watch_add(bvpi_watch *watch, const char *stage, uint64_t count)
{
    const uint64_t done = __atomic_add_fetch(&watch->done, count, __ATOMIC_RELAXED);
    if (watch->progress)
        watch->progress(watch->user, stage, done, watch->total);
}
