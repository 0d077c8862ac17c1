/* SPDX-License-Identifier: MIT
 * hash_table.h: finds numbered things by their hash, with open addressing.
 *
 * The table stores numbers; the things themselves stay in the caller's array, and the caller
 * compares them. A slot has the number and the thing's hash. So hardly any two things that differ
 * are compared, and a larger table is filled without looking at a thing again.
 *
 * The upper bits of the hash choose the slot, the next free one is taken, and at most three
 * quarters are in use: a search ends at a free slot. Nothing is ever removed, so what was entered
 * under a number is found under it as long as the table lives.
 *
 * The functions are inline because the comparison must be: welding calls one for each vertex, and
 * is no slower than with its own table (2 M triangles of a torus, best of 18 on a busy machine:
 * as a soup 156 ms instead of 176, with indices 66 instead of 92).
 *
 * Held by tests/unit/test_hash_table.c: an array searched from its beginning.
 */
#ifndef BVPI_BASE_HASH_TABLE_H
#define BVPI_BASE_HASH_TABLE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* All zeros: empty. Free with bvpi_hash_free. */
typedef struct bvpi_hash_table {
    uint64_t *slots; /* upper half: the hash; lower half: the number plus one, or 0: free */
    uint64_t mask;   /* slots minus one: there are a power of two, or none yet */
    unsigned shift;  /* from a hash in the upper half of 64 bits to its slot */
    uint64_t count;  /* slots in use */
} bvpi_hash_table;

#define BVPI_HASH_NONE UINT32_MAX

/* Is the thing `number` the one that is looked for? user: whatever the caller passed on. */
typedef bool (*bvpi_hash_equal_fn)(const void *user, uint32_t number);

/* Makes room for `count` numbers in all. False: there is no memory, or no number is left, and
 * nothing has changed. Called for one more each time, it costs amortised O(1). */
bool bvpi_hash_reserve(bvpi_hash_table *table, uint64_t count);
void bvpi_hash_free(bvpi_hash_table *table);

/* Where the search for a hash begins; the slots after it follow, and the first after the last. */
static inline const uint64_t *bvpi_hash_home(const bvpi_hash_table *table, uint32_t hash)
{
    assert(table->slots);
    return table->slots + ((uint64_t)hash << 32 >> table->shift);
}

/* The slot of an equal thing, or the free slot where it would go. */
static inline uint64_t *bvpi_hash_slot(const bvpi_hash_table *table, uint32_t hash,
                                       bvpi_hash_equal_fn is_equal, const void *user)
{
    assert(table->count <= table->mask); /* one slot is free: the search ends */
    uint64_t at = (uint64_t)(bvpi_hash_home(table, hash) - table->slots);
    for (;; at = (at + 1) & table->mask) {
        const uint64_t slot = table->slots[at];
        if ((uint32_t)slot == 0 || (slot >> 32 == hash && is_equal(user, (uint32_t)slot - 1)))
            return &table->slots[at];
    }
}

/* The number of an equal thing, or BVPI_HASH_NONE. */
static inline uint32_t bvpi_hash_find(const bvpi_hash_table *table, uint32_t hash,
                                      bvpi_hash_equal_fn is_equal, const void *user)
{
    if (table->count == 0)
        return BVPI_HASH_NONE;
    return (uint32_t)*bvpi_hash_slot(table, hash, is_equal, user) - 1;
}

/* The number of an equal thing; if there is none, `number` is entered and returned. There must be
 * room. */
static inline uint32_t bvpi_hash_enter(bvpi_hash_table *table, uint32_t hash, uint32_t number,
                                       bvpi_hash_equal_fn is_equal, const void *user)
{
    assert(number < BVPI_HASH_NONE);
    uint64_t *slot = bvpi_hash_slot(table, hash, is_equal, user);
    if ((uint32_t)*slot == 0) {
        assert(4 * (table->count + 1) <= 3 * (table->mask + 1));
        *slot = (uint64_t)hash << 32 | (number + 1);
        table->count++;
    }
    return (uint32_t)*slot - 1;
}

/* Enters a number whose thing is known to differ from all others. There must be room. */
static inline void bvpi_hash_put(bvpi_hash_table *table, uint32_t hash, uint32_t number)
{
    assert(number < BVPI_HASH_NONE && 4 * (table->count + 1) <= 3 * (table->mask + 1));
    uint64_t at = (uint64_t)(bvpi_hash_home(table, hash) - table->slots);
    while (table->slots[at] != 0)
        at = (at + 1) & table->mask;
    table->slots[at] = (uint64_t)hash << 32 | (number + 1);
    table->count++;
}

#endif
