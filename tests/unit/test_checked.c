/* SPDX-License-Identifier: MIT
 * test_checked.c: checked arithmetic against 128-bit arithmetic, at the edges and at random.
 */
#include "base/checked.h"
#include "suite.h"

typedef unsigned __int128 u128;

static const uint64_t edges[] = {
    0, 1, 2, 63, 64, 4096, UINT32_MAX, UINT64_C(1) << 32, 1ull << 63, ~0ull - 64, ~0ull - 1, ~0ull};
enum { COUNT = sizeof edges / sizeof *edges };

START_TEST(test_fits)
{
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++)
            for (int m = 0; m < COUNT; m++)
                ck_assert_int_eq(bvpi_fits(edges[i], edges[k], edges[m]),
                                 (u128)edges[i] + edges[k] <= edges[m]);
}
END_TEST

START_TEST(test_add_and_mul)
{
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < COUNT; k++) {
            const u128 sum = (u128)edges[i] + edges[k], product = (u128)edges[i] * edges[k];
            uint64_t out = 77;
            ck_assert_int_eq(bvpi_add(edges[i], edges[k], &out), sum <= UINT64_MAX);
            ck_assert_uint_eq(out, sum <= UINT64_MAX ? (uint64_t)sum : 77);
            out = 77;
            ck_assert_int_eq(bvpi_mul(edges[i], edges[k], &out), product <= UINT64_MAX);
            ck_assert_uint_eq(out, product <= UINT64_MAX ? (uint64_t)product : 77);
        }
    }
}
END_TEST

START_TEST(test_align)
{
    for (uint64_t alignment = 1; alignment <= 4096; alignment *= 2) {
        for (int i = 0; i < COUNT; i++) {
            const u128 up = ((u128)edges[i] + alignment - 1) / alignment * alignment;
            uint64_t out = 77;
            ck_assert_int_eq(bvpi_align(edges[i], alignment, &out), up <= UINT64_MAX);
            ck_assert_uint_eq(out, up <= UINT64_MAX ? (uint64_t)up : 77);
        }
    }
}
END_TEST

SUITE(test_checked)
{
    const TTest *const tests[] = {test_fits, test_add_and_mul, test_align, NULL};
    return suite_run("checked", tests);
}
