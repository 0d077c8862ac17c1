/* SPDX-License-Identifier: MIT
 * test_place_bounds.c: an image's end is compared with a bound exactly, at any size of numbers, and
 * bounds contain what they are of.
 * Spec: format.md, rules HDR-22 and TOP-3.
 */
#include "prim/place_bounds.h"

#include "build_case.h"
#include "suite.h"

#include <float.h>
#include <math.h>

/* Of a point. */
static int compare(const double row[4], float x, float y, float z, double bound)
{
    const float at[3] = {x, y, z};
    const int upper = bvpi_place_compare(row, at, at, true, bound);
    ck_assert_int_eq(upper, bvpi_place_compare(row, at, at, false, bound));
    return upper;
}

START_TEST(products_below_all_doubles_count)
{
    const float least = 0x1p-149f;
    ck_assert_int_eq(compare((double[]){0x1p-1074, 0, 0, 0}, least, 0, 0, 0), 1);
    ck_assert_int_eq(compare((double[]){-0x1p-1074, 0, 0, 0}, least, 0, 0, 0), -1);
    ck_assert_int_eq(compare((double[]){0x1p-1074, 0, 0, -0x1p-1074}, least, 0, 0, 0), -1);
    ck_assert_int_eq(compare((double[]){0x1p-1074, 0, 0, 0x1p-1074}, least, 0, 0, 0x1p-1074), 1);
    ck_assert_int_eq(compare((double[]){0x1p-1000, -0x1p-1000, 0, 0}, least, least, 0, 0), 0);
    const float x = 0x1.000002p-50f; /* the second product is less by 2^-52 of it */
    ck_assert_int_eq(compare((double[]){0x1.0000000000001p-1000, -0x1p-1000, 0, 0}, x, x, 0, 0), 1);
}
END_TEST

START_TEST(bounds_beyond_everything)
{
    const double row[4] = {0x1p200, -0x1p200, 0x1p200, 0x1p300};
    for (int i = 0; i < 3; i++) {
        const double far[3] = {DBL_MAX, INFINITY, 0x1p401};
        ck_assert_int_eq(compare(row, FLT_MAX, -FLT_MAX, FLT_MAX, far[i]), -1);
        ck_assert_int_eq(compare(row, FLT_MAX, -FLT_MAX, FLT_MAX, -far[i]), 1);
    }
    ck_assert_int_eq(compare(row, FLT_MAX, -FLT_MAX, FLT_MAX, 0x1p329), 1);
    ck_assert_int_eq(compare(row, FLT_MAX, -FLT_MAX, FLT_MAX, 0x1p330), -1);
}
END_TEST

/* Numbers of few bits: the sign is that of whole numbers, whatever power of two they are scaled by.
 */
START_TEST(scaling_changes_nothing)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 20000; round++) {
        int whole[8];
        float x[3];
        double row[4];
        for (int i = 0; i < 8; i++)
            whole[i] = (int)(case_random(&state) % 15) - 7;
        const int row_shift = -1070 + (int)(case_random(&state) % 1200);
        const int shift = -140 + (int)(case_random(&state) % 200), sum_shift = row_shift + shift;
        int sum = sum_shift < -1070 ? 0 : whole[3];
        const double bound = sum_shift < -1070 ? 0 : ldexp(whole[7], sum_shift);
        row[3] = ldexp(sum, sum_shift < -1070 ? 0 : sum_shift);
        sum -= sum_shift < -1070 ? 0 : whole[7];
        for (int k = 0; k < 3; k++) {
            row[k] = ldexp(whole[k], row_shift);
            x[k] = ldexpf((float)whole[4 + k], shift);
            sum += whole[k] * whole[4 + k];
        }
        ck_assert_int_eq(compare(row, x[0], x[1], x[2], bound), (sum > 0) - (sum < 0));
    }
}
END_TEST

START_TEST(bounds_contain_the_image)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 20000; round++) {
        double m[12];
        float lo[3], hi[3];
        bvpi_bounds bounds;
        const int shift = (int)(case_random(&state) % 1100);
        for (int i = 0; i < 12; i++)
            m[i] = ldexp(case_uniform(&state) - 0.5, -shift);
        for (int k = 0; k < 3; k++) {
            lo[k] = ldexpf((float)case_uniform(&state) - 0.5f, -(int)(case_random(&state) % 149));
            hi[k] = lo[k] + ldexpf((float)case_uniform(&state), -(int)(case_random(&state) % 149));
        }
        bvpi_place_bounds(m, lo, hi, &bounds);
        for (int axis = 0; axis < 3; axis++) {
            ck_assert_int_ge(bvpi_place_compare(m + 4 * axis, lo, hi, false, bounds.lo[axis]), 0);
            ck_assert_int_le(bvpi_place_compare(m + 4 * axis, lo, hi, true, bounds.hi[axis]), 0);
        }
    }
}
END_TEST

SUITE(test_place_bounds)
{
    const TTest *const tests[] = {products_below_all_doubles_count, bounds_beyond_everything,
                                  scaling_changes_nothing, bounds_contain_the_image, NULL};
    return suite_run("place_bounds", tests);
}
