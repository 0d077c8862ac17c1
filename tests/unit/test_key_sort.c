/* SPDX-License-Identifier: MIT
 * test_key_sort.c: keys sorted as by qsort, and by their upper bits alone without changing the
 * order of equal ones.
 */
#include "broad/key_sort.h"
#include "build_case.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, ROUNDS = 400 };

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

START_TEST(whole_keys)
{
    static uint64_t keys[MOST], scratch[MOST], expected[MOST];
    uint64_t state = case_seed();
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t count = case_random(&state) % (round % 2 == 0 ? 100 : MOST);
        const uint64_t mask = case_random(&state) & case_random(&state);
        for (uint64_t i = 0; i < count; i++)
            expected[i] = keys[i] = case_random(&state) & mask;
        bvpi_sort_keys(keys, count, 0, scratch);
        qsort(expected, count, sizeof *expected, compare);
        ck_assert_mem_eq(keys, expected, count * sizeof *keys);
    }
}
END_TEST

/* The lower half is the number in the order before. */
START_TEST(upper_bits)
{
    static uint64_t keys[MOST], scratch[MOST];
    uint64_t state = case_seed();
    int wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t count = 1 + case_random(&state) % (round % 2 == 0 ? 100 : MOST);
        for (uint64_t i = 0; i < count; i++)
            keys[i] = case_random(&state) % 500 << 40 | i;
        bvpi_sort_keys(keys, count, 32, scratch);
        for (uint64_t i = 1; i < count; i++)
            wrong += keys[i - 1] >= keys[i];
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

SUITE(test_key_sort)
{
    const TTest *const tests[] = {whole_keys, upper_bits, NULL};
    return suite_run("key_sort", tests);
}
