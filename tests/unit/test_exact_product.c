/* SPDX-License-Identifier: MIT
 * test_exact_product.c: what stands for the processor's instruction gives its bits: the rounding
 * errors of products of all sizes, and at the ends of the range.
 */
#include "base/exact_product.h"
#include "suite.h"

#include <math.h>
#include <stdbool.h>

static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* 1 .. 2 times a power of two, of either sign; the last `zeros` bits are 0. */
static double number(int exponent, int zeros)
{
    const double fraction = (double)((random_bits() >> 12) & ~((UINT64_C(1) << zeros) - 1));
    return ldexp(1 + fraction * 0x1p-52, exponent) * (random_bits() & 1 ? 1 : -1);
}

static bool is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void check(double a, double b)
{
    const double product = a * b, expected = fma(a, b, -product);
    const double found = bvpi_product_rest_by_parts(a, b, product);
    ck_assert_msg(is_same(expected, found), "%a * %a - %a is %a, not %a", a, b, product, expected,
                  found);
}

START_TEST(test_random)
{
    for (int i = 0; i < 2000000; i++) {
        const int x = (int)(random_bits() % 60) - 30, y = (int)(random_bits() % 60) - 30;
        check(number(x, (int)(random_bits() % 40)), number(y, (int)(random_bits() % 40)));
        check(number(x, 0), number(y, 0));
    }
}
END_TEST

START_TEST(test_ends)
{
    static const double ends[] = {
        0,          -0.0,      1,        -1,         0x1p-1074,
        -0x1p-1074, 0x1p-1022, 0x1p-537, 0x1.8p-450, 0x1.fffffffffffffp-451,
        0x1p450,    0x1p511,   0x1p960,  0x1p1023,   0x1.fffffffffffffp1023,
        INFINITY,   -INFINITY, NAN};
    const size_t count = sizeof ends / sizeof *ends;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            check(ends[i], ends[j]);
    for (int i = 0; i < 500000; i++)
        check(number((int)(random_bits() % 2040) - 1020, 0),
              number((int)(random_bits() % 2040) - 1020, 0));
}
END_TEST

SUITE(test_exact_product)
{
    const TTest *const tests[] = {test_random, test_ends, NULL};
    return suite_run("exact_product", tests);
}
