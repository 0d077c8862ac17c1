/* SPDX-License-Identifier: MIT
 * test_status.c: names of statuses, texts of errors.
 */
#include "base/status.h"
#include "base/utf8.h"
#include "suite.h"

#include <errno.h>
#include <string.h>

START_TEST(test_names)
{
    for (int a = BVP_OK; a <= BVP_ERR_ARGUMENT; a++)
        for (int b = a + 1; b <= BVP_ERR_ARGUMENT + 1; b++)
            ck_assert_str_ne(bvp_status_name(a), bvp_status_name(b));
    ck_assert_str_eq(bvp_status_name((bvp_status)-1), "unknown status");
    ck_assert_int_gt((int)strlen(bvp_version()), 4);
}
END_TEST

START_TEST(test_set)
{
    bvp_error error = {.sys_errno = 7};
    ck_assert_int_eq(bvpi_error_set(&error, BVP_ERR_CORRUPT, 42, "HDR-4", "%d of %s", 3, "four"),
                     BVP_ERR_CORRUPT);
    ck_assert_int_eq(error.status, BVP_ERR_CORRUPT);
    ck_assert_int_eq(error.sys_errno, 0);
    ck_assert_uint_eq(error.offset, 42);
    ck_assert_str_eq(error.rule, "HDR-4");
    ck_assert_str_eq(error.message, "3 of four");
    ck_assert_int_eq(bvpi_error_set(NULL, BVP_ERR_LIMIT, 0, "", "nobody listens"), BVP_ERR_LIMIT);
}
END_TEST

START_TEST(test_system)
{
    bvp_error error = {0};
    errno = ENOENT;
    ck_assert_int_eq(bvpi_error_system(&error, "cannot open %s", "x"), BVP_ERR_SYSTEM);
    ck_assert_int_eq(error.sys_errno, ENOENT);
    ck_assert_msg(strncmp(error.message, "cannot open x: ", 15) == 0 && strlen(error.message) > 15,
                  "%s", error.message);
    ck_assert_int_eq(bvpi_error_system(NULL, "nobody listens"), BVP_ERR_SYSTEM);
    ck_assert_int_eq(bvpi_error_memory(&error, 1000), BVP_ERR_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(error.message, "1000"));
}
END_TEST

/* A long message ends with a whole character. */
START_TEST(test_long)
{
    char text[400];
    bvp_error error;
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'x', shift);
        for (size_t i = shift; i + 4 < sizeof text; i += 4)
            memcpy(text + i, "\xf0\x9f\x94\xa7", 5);
        bvpi_error_set(&error, BVP_ERR_ARGUMENT, 0, "", "%s", text);
        const size_t length = strlen(error.message);
        ck_assert_uint_eq((length - shift) % 4, 0);
        ck_assert_uint_gt(length, sizeof error.message - 6);
        errno = EIO;
        bvpi_error_system(&error, "%s", text);
        ck_assert(bvpi_is_utf8((const uint8_t *)error.message, strlen(error.message)));
    }
}
END_TEST

SUITE(test_status)
{
    const TTest *const tests[] = {test_names, test_set, test_system, test_long, NULL};
    return suite_run("status", tests);
}
