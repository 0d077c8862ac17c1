/* SPDX-License-Identifier: MIT
 * test_exact_product.c: what stands for the processor's instruction gives its bits: the rounding
 * errors of products of all sizes, and at the ends of the range; and double-doubles two at a time
 * have the bits of single ones.
 */
#include "base/dd2.h"
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

/* ---- two at a time --------------------------------------------------------------------------- */

static bvpi_dd moderate(void)
{
    const double hi = number((int)(random_bits() % 160) - 80, (int)(random_bits() % 40));
    return bvpi_dd_fast_sum(hi, number(ilogb(hi) - 54 - (int)(random_bits() % 30), 0));
}

static void same_lane(const char *what, bvpi_dd2 found, int lane, bvpi_dd expected)
{
    const bvpi_dd one = bvpi_dd2_lane(found, lane);
    ck_assert_msg(is_same(one.hi, expected.hi) && is_same(one.lo, expected.lo),
                  "%s: %a + %a, not %a + %a", what, one.hi, one.lo, expected.hi, expected.lo);
}

START_TEST(test_two_at_a_time)
{
    for (int i = 0; i < 200000; i++) {
        bvpi_dd a[2] = {moderate(), moderate()}, b[2] = {moderate(), moderate()};
        if (i % 16 == 0)
            a[i / 16 % 2] = bvpi_dd_of(i % 32 ? 0.0 : -0.0);
        const bvpi_dd2 x = bvpi_dd2_of(a[0], a[1]), y = bvpi_dd2_of(b[0], b[1]);
        for (int n = 0; n < 2; n++) {
            same_lane("sum", bvpi_dd2_sum(x.hi, y.hi), n, bvpi_dd_sum(a[n].hi, b[n].hi));
            same_lane("product", bvpi_dd2_product(x.hi, y.hi), n,
                      bvpi_dd_product(a[n].hi, b[n].hi));
            same_lane("add", bvpi_dd2_add(x, y), n, bvpi_dd_add(a[n], b[n]));
            same_lane("mul", bvpi_dd2_mul(x, y), n, bvpi_dd_mul(a[n], b[n]));
            same_lane("scale", bvpi_dd2_scale(x, y.hi), n, bvpi_dd_scale(a[n], b[n].hi));
            same_lane("div", bvpi_dd2_div(x, y), n, bvpi_dd_div(a[n], b[n]));
        }
    }
    ck_assert(bvpi_dd2_is_moderate(0, 1, 2) && bvpi_dd2_is_moderate(-2, 1, 2));
    ck_assert(!bvpi_dd2_is_moderate(0.5, 1, 2) && !bvpi_dd2_is_moderate(3, 1, 2));
    ck_assert(!bvpi_dd2_is_moderate(NAN, 1, 2));
}
END_TEST

SUITE(test_exact_product)
{
    const TTest *const tests[] = {test_random, test_ends, test_two_at_a_time, NULL};
    return suite_run("exact_product", tests);
}
