/* SPDX-License-Identifier: MIT
 * test_fma.c: what stands for the processor's instruction gives its bits: products and sums of all
 * sizes, sums that cancel, sums that lie between two doubles, and the ends of the range.
 */
#include "base/fma.h"
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

static void check(double a, double b, double c)
{
    const double expected = fma(a, b, c), found = bvpi_fma_by_parts(a, b, c);
    ck_assert_msg(is_same(expected, found), "%a * %a + %a is %a, not %a", a, b, c, expected, found);
}

START_TEST(test_random)
{
    for (int i = 0; i < 2000000; i++) {
        const int x = (int)(random_bits() % 60) - 30, y = (int)(random_bits() % 60) - 30;
        const double a = number(x, (int)(random_bits() % 40)),
                     b = number(y, (int)(random_bits() % 40));
        check(a, b, number(x + y + (int)(random_bits() % 240) - 120, (int)(random_bits() % 52)));
        check(a, b, -a * b);
        check(a, b, nextafter(-a * b, random_bits() & 1 ? 1e300 : -1e300));
    }
}
END_TEST

/* Half an ulp, and a little more or less: where a second rounding would go wrong. */
START_TEST(test_halves)
{
    for (int i = 0; i < 500000; i++) {
        const double c = number(0, 0), tiny = number(-53 - (int)(random_bits() % 60), 20);
        const double half = random_bits() & 1 ? 0x1p-53 : -0x1p-53;
        check(half, 1 + tiny, c);
        check(half * (1 + tiny), 1, c);
        check(half * (1 + 0x1p-52), 1 - 0x1p-52, c);
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
            for (size_t k = 0; k < count; k++)
                check(ends[i], ends[j], ends[k]);
    for (int i = 0; i < 500000; i++)
        check(number((int)(random_bits() % 2040) - 1020, 0),
              number((int)(random_bits() % 2040) - 1020, 0),
              number((int)(random_bits() % 2040) - 1020, 0));
}
END_TEST

SUITE(test_fma)
{
    const TTest *const tests[] = {test_random, test_halves, test_ends, NULL};
    return suite_run("fma", tests);
}
