/* SPDX-License-Identifier: MIT
 * test_transform.c: placements of columns and of translation, rotation and scale.
 */
#include <math.h>
#include <string.h>
#include "suite.h"
#include "model/transform.h"

START_TEST(columns)
{
    static const double in[16] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 1};
    static const double expected[12] = {1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12};
    double out[12], projective[16];
    ck_assert_int_eq(transform_from_columns(in, out), 0);
    ck_assert(memcmp(out, expected, sizeof out) == 0);
    for (int i = 3; i < 16; i += 4) {
        memcpy(projective, in, sizeof in);
        projective[i] += 1;
        ck_assert_int_eq(transform_from_columns(projective, out), -1);
    }
}
END_TEST

START_TEST(trs)
{
    static const double move[3] = {1, 2, 3}, turn[4] = {0, 0, 1, 1}, scale[3] = {2, 3, -4};
    static const double expected[12] = {0, -3, 0, 1, 2, 0, 0, 2, 0, 0, -4, 3};
    double out[12];
    transform_from_trs(move, turn, scale, out); /* a quarter turn about z, not of unit length */
    for (int i = 0; i < 12; i++)
        ck_assert(out[i] == expected[i]);
}
END_TEST

START_TEST(relative)
{
    static const double a[12] = {0, -2, 0, 1, 4, 0, 0, 2, 1, 0, -8, 3};
    static const double b[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    double product[12], out[12];
    transform_multiply(a, b, product);
    transform_relative(a, product, out); /* powers of two: nothing is rounded */
    for (int i = 0; i < 12; i++)
        ck_assert(out[i] == b[i]);
}
END_TEST

START_TEST(usable)
{
    double m[12] = {1, 0, 0, 5, 0, -2, 0, 6, 0, 0, 1e-100, 7};
    ck_assert(transform_is_usable(m));
    m[3] = NAN;
    ck_assert(!transform_is_usable(m));
    m[3] = INFINITY;
    ck_assert(!transform_is_usable(m));
    m[3] = 0;
    m[10] = 0;
    ck_assert(!transform_is_usable(m));
    for (int i = 0; i < 12; i++) /* rank 1 */
        m[i] = i % 4 + 1;
    ck_assert(!transform_is_usable(m));
}
END_TEST

START_TEST(rows_and_products)
{
    static const double rows[16] = {0, -1, 0, 5, 1, 0, 0, 6, 0, 0, 1, 7, 0, 0, 0, 1};
    static const double other[12] = {2, 0, 0, 1, 0, 3, 0, 2, 0, 0, 4, 3};
    static const double product[12] = {0, -3, 0, 3, 2, 0, 0, 7, 0, 0, 4, 10};
    static const double scaled[12] = {0, -3, 0, 5, 2, 0, 0, 6, 0, 0, 4, 7};
    double a[12], b[12], bad[16];
    ck_assert_int_eq(transform_from_rows(rows, 12, a), 0);
    ck_assert_int_eq(transform_from_rows(rows, 16, a), 0);
    memcpy(bad, rows, sizeof bad);
    bad[12] = 1;
    ck_assert_int_eq(transform_from_rows(bad, 16, b), -1);
    transform_multiply(a, other, b);
    for (int i = 0; i < 12; i++)
        ck_assert(b[i] == product[i]);
    transform_scale(a, (double[]){2, 3, 4});
    for (int i = 0; i < 12; i++)
        ck_assert(a[i] == scaled[i]);
}
END_TEST

SUITE(test_transform)
{
    const TTest *const tests[] = {columns, rows_and_products, trs, relative, usable, NULL};
    return suite_run("transform", tests);
}
