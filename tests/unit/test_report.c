/* SPDX-License-Identifier: MIT
 * test_report.c: how violations of rules are passed on.
 */
#include "base/report.h"
#include "suite.h"

#include <string.h>

static int stop_at_third(void *user, const bvp_finding *finding)
{
    ck_assert_ptr_nonnull(finding->message);
    return ++*(int *)user == 3;
}

START_TEST(test_first_and_stop)
{
    int calls = 0;
    bvp_error error = {0};
    bvpi_report report = {.callback = stop_at_third, .user = &calls, .error = &error};
    ck_assert(BVPI_SOUND(&report, "", 1, 1 + 1 == 2, "never"));
    ck_assert_int_eq(report.status, BVP_OK);
    ck_assert(!BVPI_KNOWN(&report, "A", 5, false, "bit %d", 3));
    for (int i = 0; i < 9; i++)
        ck_assert(!BVPI_SOUND(&report, "B", 6, false, "later"));
    ck_assert_int_eq(calls, 3);
    ck_assert(report.stopped);
    ck_assert_int_eq(report.status, BVP_ERR_NEWER);
    ck_assert_str_eq(error.rule, "A");
    ck_assert_str_eq(error.message, "bit 3");
    ck_assert_uint_eq(error.offset, 5);
}
END_TEST

START_TEST(test_without_callback)
{
    bvpi_report report = {.callback = NULL};
    BVPI_SOUND(&report, "A", 0, report.stopped, "first");
    ck_assert(report.stopped);
    ck_assert_int_eq(report.status, BVP_ERR_CORRUPT);
}
END_TEST

START_TEST(test_zero)
{
    uint8_t bytes[40] = {0};
    for (size_t size = 0; size <= sizeof bytes; size++)
        ck_assert(bvpi_is_zero(bytes, size));
    for (size_t at = 0; at < sizeof bytes; at++) {
        bytes[at] = 1;
        for (size_t size = 0; size <= sizeof bytes; size++)
            ck_assert_int_eq(bvpi_is_zero(bytes, size), size <= at);
        bytes[at] = 0;
    }
}
END_TEST

SUITE(test_report)
{
    const TTest *const tests[] = {test_first_and_stop, test_without_callback, test_zero, NULL};
    return suite_run("report", tests);
}
