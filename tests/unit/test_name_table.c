/* SPDX-License-Identifier: MIT
 * test_name_table.c: numbers by name, many of them.
 */
#include "model/name_table.h"

#include <stdio.h>
#include "suite.h"

static uint32_t put(name_table *t, const char *name, uint32_t value)
{
    ck_assert_int_eq(name_table_put(t, name, &value), 0);
    return value;
}

START_TEST(first_wins)
{
    name_table t = {0};
    ck_assert_uint_eq(name_table_get(&t, "a"), UINT32_MAX);
    ck_assert_uint_eq(put(&t, "a", 7), 7);
    ck_assert_uint_eq(put(&t, "", 8), 8);
    ck_assert_uint_eq(put(&t, "a", 9), 7);
    ck_assert_uint_eq(name_table_get(&t, "a"), 7);
    ck_assert_uint_eq(name_table_get(&t, ""), 8);
    ck_assert_uint_eq(name_table_get(&t, "aa"), UINT32_MAX);
    ck_assert_uint_eq(t.count, 2);
    name_table_free(&t);
    ck_assert_uint_eq(name_table_get(&t, "a"), UINT32_MAX);
}
END_TEST

START_TEST(many)
{
    enum { COUNT = 20000 };
    name_table t = {0};
    char name[16];
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < COUNT; i++) {
            snprintf(name, sizeof name, "n%u", i);
            ck_assert_uint_eq(put(&t, name, i + (uint32_t)round), i);
        }
    ck_assert_uint_eq(t.count, COUNT);
    ck_assert_uint_eq(name_table_get(&t, "n20000"), UINT32_MAX);
    name_table_free(&t);
}
END_TEST

SUITE(test_name_table)
{
    return suite_run("name_table", (const TTest *[]){first_wins, many, NULL});
}
