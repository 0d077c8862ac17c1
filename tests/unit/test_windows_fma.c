/* SPDX-License-Identifier: MIT
 * test_windows_fma.c: x * y + z rounded once, in integers, as the C library does it; on Windows as
 * the processor does, and as os/windows gives it.
 */
#include <math.h>
#include <stdlib.h>

#include "os/windows/windows_fma.h"
#include "build_case.h"
#include "suite.h"

static uint64_t state;

static int below(int limit)
{
    return (int)(case_uniform(&state) * limit);
}

/* Few or many bits set, from the least double to the largest. */
static double number(int least, int most)
{
    uint64_t mantissa = (uint64_t)(case_uniform(&state) * 0x1p53) | UINT64_C(1) << 52;
    mantissa &= ~UINT64_C(0) << below(53);
    return ldexp((double)mantissa, least - 52 + below(most - least + 1)) * (below(2) ? 1 : -1);
}

static int is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void check(double x, double y, double z)
{
    const double expected = fma(x, y, z), found = bvpi_fma_by_integers(x, y, z);
    ck_assert_msg(is_same(expected, found), "%.17g * %.17g + %.17g is %.17g, not %.17g", x, y, z,
                  expected, found);
}

START_TEST(anywhere)
{
    state = case_seed();
    for (int i = 0; i < 300000; i++) {
        const double x = number(-540, 500), y = number(-540, 500), product = x * y;
        int exponent;
        frexp(product, &exponent);
        check(x, y, number(-1074, 1023));
        /* near the product, where bits cancel, and near half of its last bit */
        check(x, y, -product);
        check(x, y, ldexp(number(0, 1), exponent - below(120)));
        check(x, y, nextafter(-product, number(-3, 3)));
        check(x, y, ldexp(below(2) ? 1 : -1, exponent - 53 - below(60)));
    }
}
END_TEST

START_TEST(at_the_ends)
{
    static const double ends[] = {0,
                                  -0.0,
                                  1,
                                  -1,
                                  0x1p-1074,
                                  -0x1p-1074,
                                  3e-320,
                                  0x1p-1022,
                                  0x1p1023,
                                  INFINITY,
                                  -INFINITY,
                                  NAN,
                                  0x1.fffffffffffffp1023,
                                  0x1.fffffffffffffp-1022,
                                  0x1p-537};
    enum { COUNT = sizeof ends / sizeof *ends };
    for (int i = 0; i < COUNT * COUNT * COUNT; i++)
        check(ends[i % COUNT], ends[i / COUNT % COUNT], ends[i / COUNT / COUNT]);
}
END_TEST

/* What mingw-w64's gives is one unit in the last place away. */
START_TEST(the_compiler_calls_the_right_one)
{
    volatile double x = 1 + 0x1p-30, y = 1 + 0x1p-23;
    volatile double z = -0x1p-120 - 0x1p-53;
    ck_assert(is_same(__builtin_fma(x, y, z), bvpi_fma_by_integers(x, y, z)));
}
END_TEST

SUITE(test_windows_fma)
{
    const TTest *const tests[] = {anywhere, at_the_ends, the_compiler_calls_the_right_one, NULL};
    return suite_run("windows_fma", tests);
}
