/* SPDX-License-Identifier: MIT
 * test_hash_table.c: a table finds what a search from the beginning of the array finds.
 */
#include "base/hash_table.h"
#include "build_case.h"
#include "suite.h"

#include <stdlib.h>

enum { COUNT = 5000 };

typedef struct wanted {
    const uint32_t *things;
    uint32_t thing;
} wanted;

static bool is_same(const void *user, uint32_t number)
{
    const wanted *w = user;
    return w->things[number] == w->thing;
}

/* The same as the table's answer, from the array alone. */
static uint32_t search(const uint32_t *things, uint32_t count, uint32_t thing)
{
    for (uint32_t i = 0; i < count; i++)
        if (things[i] == thing)
            return i;
    return BVPI_HASH_NONE;
}

/* Things 0 .. 2999, of which some come twice. bits: of the hash; with few, many things share
 * theirs, and searches go on from the last slot to the first. */
static void fill(uint64_t *state, unsigned bits, bool is_known_to_differ)
{
    static uint32_t things[COUNT];
    bvpi_hash_table table = {0};
    uint32_t count = 0;
    for (uint32_t round = 0; round < COUNT; round++) {
        const uint32_t thing = (uint32_t)(case_random(state) % 3000);
        const uint32_t hash = bits ? thing * UINT32_C(0x9e3779b1) >> (32 - bits) << (32 - bits) : 0;
        const wanted w = {things, thing};
        const uint32_t expected = search(things, count, thing);
        ck_assert_uint_eq(bvpi_hash_find(&table, hash, is_same, &w), expected);
        ck_assert(bvpi_hash_reserve(&table, count + 1));
        ck_assert(4 * (uint64_t)count <= 3 * (table.mask + 1));
        things[count] = thing;
        if (is_known_to_differ && expected == BVPI_HASH_NONE)
            bvpi_hash_put(&table, hash, count);
        else
            ck_assert_uint_eq(bvpi_hash_enter(&table, hash, count, is_same, &w),
                              expected == BVPI_HASH_NONE ? count : expected);
        count += expected == BVPI_HASH_NONE;
        ck_assert_uint_eq(table.count, count);
        ck_assert_uint_eq(bvpi_hash_find(&table, hash, is_same, &w),
                          expected == BVPI_HASH_NONE ? count - 1 : expected);
    }
    bvpi_hash_free(&table);
    ck_assert_ptr_null(table.slots);
}

START_TEST(test_finds_what_a_search_finds)
{
    uint64_t state = case_seed();
    for (int known = 0; known < 2; known++) {
        fill(&state, 0, known);
        fill(&state, 3, known);
        fill(&state, 32, known);
    }
}
END_TEST

/* Hashes that begin their search at the last slot continue at the first. */
START_TEST(test_wraps)
{
    const uint32_t things[6] = {0, 1, 2, 3, 4, 5};
    bvpi_hash_table table = {0};
    ck_assert(bvpi_hash_reserve(&table, 6));
    for (uint32_t i = 0; i < 6; i++)
        bvpi_hash_put(&table, UINT32_MAX - i % 2, i);
    ck_assert_ptr_eq(bvpi_hash_home(&table, UINT32_MAX), table.slots + table.mask);
    for (uint32_t i = 0; i < 6; i++) {
        const wanted w = {things, i};
        ck_assert_uint_eq(bvpi_hash_find(&table, UINT32_MAX - i % 2, is_same, &w), i);
        ck_assert_uint_eq(bvpi_hash_find(&table, UINT32_MAX - 2, is_same, &w), BVPI_HASH_NONE);
    }
    bvpi_hash_free(&table);
}
END_TEST

/* An empty table needs no memory, and a number that 32 bits cannot hold gets no room. */
START_TEST(test_limits)
{
    bvpi_hash_table table = {0};
    ck_assert_uint_eq(bvpi_hash_find(&table, 7, is_same, NULL), BVPI_HASH_NONE);
    ck_assert(!bvpi_hash_reserve(&table, UINT32_MAX));
    ck_assert_ptr_null(table.slots);
    ck_assert(bvpi_hash_reserve(&table, 48));
    const uint64_t *slots = table.slots;
    ck_assert(bvpi_hash_reserve(&table, 1));
    ck_assert_ptr_eq(table.slots, slots);
    ck_assert_uint_eq(table.mask, 63);
    bvpi_hash_free(&table);
}
END_TEST

SUITE(test_hash_table)
{
    const TTest *const tests[] = {test_finds_what_a_search_finds, test_wraps, test_limits, NULL};
    return suite_run("hash_table", tests);
}
