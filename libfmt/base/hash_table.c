/* SPDX-License-Identifier: MIT
 * hash_table.c: makes a hash table larger.
 */
#include "base/hash_table.h"

#include "base/large_array.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 64 };

bool bvpi_hash_reserve(bvpi_hash_table *table, uint64_t count)
{
    uint64_t slot_count = table->slots ? table->mask + 1 : LEAST;
    assert(count >= table->count);
    if (count >= BVPI_HASH_NONE)
        return false;
    while (3 * slot_count < 4 * count)
        slot_count *= 2;
    if (table->slots && slot_count == table->mask + 1)
        return true;
    bvpi_hash_table larger = {.mask = slot_count - 1,
                              .shift = 64 - (unsigned)__builtin_ctzll(slot_count)};
    larger.slots = bvpi_allocate(slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    memset(larger.slots, 0, slot_count * sizeof *larger.slots);
    /* The upper bits choose the slot, so both tables are passed through from front to end. */
    for (uint64_t at = 0; table->slots && at <= table->mask; at++)
        if (table->slots[at] != 0)
            bvpi_hash_put(&larger, (uint32_t)(table->slots[at] >> 32),
                          (uint32_t)table->slots[at] - 1);
    assert(larger.count == table->count);
    free(table->slots);
    *table = larger;
    return true;
}

void bvpi_hash_free(bvpi_hash_table *table)
{
    free(table->slots);
    *table = (bvpi_hash_table){0};
}
