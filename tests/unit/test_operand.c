/* SPDX-License-Identifier: MIT
 * test_operand.c: numbers, placements and lengths of the command line.
 */
#include <check.h>
#include <math.h>
#include <string.h>
#include "text/message.h"
#include "cli/operand.h"
#include "suite.h"

START_TEST(numbers)
{
    double v[4];
    ck_assert_int_eq(parse_numbers("1,-2.5 3e2;0x10\n", v, 4), 4);
    ck_assert(v[0] == 1 && v[1] == -2.5 && v[2] == 300 && v[3] == 16);
    ck_assert_int_eq(parse_numbers("", v, 4), 0);
    ck_assert_int_eq(parse_numbers(" 7 ", v, 4), 1);
    ck_assert_int_eq(parse_numbers("1,2,3,4,5", v, 4), -1);
    ck_assert_int_eq(parse_numbers("1,x", v, 4), -1);
    ck_assert_int_eq(parse_numbers("nan", v, 4), -1);
    ck_assert_int_eq(parse_numbers("1 inf", v, 4), -1);
    ck_assert_int_eq(parse_numbers("1m", v, 4), -1);
}
END_TEST

static void check_placement(const char *text, const double expected[12])
{
    double m[12];
    ck_assert_int_eq(parse_placement("placement", text, m), 0);
    for (int i = 0; i < 12; i++)
        ck_assert_msg(m[i] == expected[i], "%s: entry %d is %.17g", text, i, m[i]);
}

/* Multiples of 90 degrees are exact; the order is x, then y, then z. */
START_TEST(placements)
{
    check_placement("1,2,3", (double[]){1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3});
    check_placement("0 0 0 90 0 0", (double[]){1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0});
    check_placement("0 0 0 0 90 0", (double[]){0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0});
    check_placement("0 0 0 0 0 -270", (double[]){0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0});
    /* x axis: fixed by the first turn, to y by the second (about z) */
    check_placement("5,6,7,90,0,90", (double[]){0, 0, 1, 5, 1, 0, 0, 6, 0, 1, 0, 7});
    check_placement("1,2,3,4,5,6,7,8,9,10,11,12",
                    (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}
END_TEST

START_TEST(any_angle_is_a_rotation)
{
    double m[12];
    ck_assert_int_eq(parse_placement("placement", "0,0,0,10,20,30", m), 0);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double dot =
                m[4 * i] * m[4 * k] + m[4 * i + 1] * m[4 * k + 1] + m[4 * i + 2] * m[4 * k + 2];
            ck_assert(fabs(dot - (i == k)) < 1e-15);
        }
}
END_TEST

START_TEST(bad_placements)
{
    double m[12];
    ck_assert_int_eq(parse_placement("placement", "1,2", m), EXIT_USAGE);
    ck_assert_int_eq(parse_placement("placement", "", m), EXIT_USAGE);
    ck_assert_int_eq(parse_placement("placement", "a,b,c", m), EXIT_USAGE);
    ck_assert_int_eq(parse_placement("placement", "1,2,3,4", m), EXIT_USAGE);
    ck_assert_int_eq(parse_placement("placement", "1,2,3,4,5,6,7,8,9,10,11,12,13", m), EXIT_USAGE);
}
END_TEST

START_TEST(lengths)
{
    const bvp_file_info metres = {.unit_in_metres = 1}, inches = {.unit_in_metres = 0.0254};
    const bvp_file_info unknown = {.unit_in_metres = 0};
    double length;
    ck_assert_int_eq(parse_length("--delta", "5mm", &metres, &length), 0);
    ck_assert(fabs(length - 0.005) < 1e-18);
    ck_assert_int_eq(parse_length("--delta", "2in", &inches, &length), 0);
    ck_assert(length == 2);
    ck_assert_int_eq(parse_length("--delta", "1.5", &unknown, &length), 0);
    ck_assert(length == 1.5);
    ck_assert_int_eq(parse_length("--delta", "5mm", &unknown, &length), EXIT_USAGE);
    ck_assert_int_eq(parse_length("--delta", "-1", &metres, &length), EXIT_USAGE);
    ck_assert_int_eq(parse_length("--delta", "5 parsecs", &metres, &length), EXIT_USAGE);
    ck_assert_int_eq(parse_length("--delta", "nan", &metres, &length), EXIT_USAGE);
    ck_assert_int_eq(parse_length("--delta", "", &metres, &length), EXIT_USAGE);
}
END_TEST

START_TEST(composition)
{
    const double a[12] = {0, -1, 0, 10, 1, 0, 0, 20, 0, 0, 2, 30};
    const double b[12] = {1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3};
    const double expected[12] = {0, -1, 0, 8, 1, 0, 0, 21, 0, 0, 2, 36};
    double m[12];
    compose(a, b, m);
    for (int i = 0; i < 12; i++)
        ck_assert(m[i] == expected[i]);
    memcpy(m, a, sizeof m);
    compose(m, b, m); /* the output may be an input */
    for (int i = 0; i < 12; i++)
        ck_assert(m[i] == expected[i]);
}
END_TEST

SUITE(test_operand)
{
    const TTest *const list[] = {
        numbers, placements, any_angle_is_a_rotation, bad_placements, lengths, composition, NULL};
    return suite_run("operand", list);
}
