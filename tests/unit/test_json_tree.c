/* SPDX-License-Identifier: MIT
 * test_json_tree.c: values of a JSON text, missing ones, and texts that are none.
 */
#include "text/json_tree.h"

#include <stdlib.h>
#include <string.h>

#include "suite.h"

static json_value *read_text(const char *text)
{
    json_fault fault;
    json_value *root = json_tree_open(text, strlen(text), &fault);
    ck_assert_ptr_nonnull(root);
    return root;
}

START_TEST(containers)
{
    json_value *root = read_text("{\"list\": [1, {}, true], \"text\": \"a\\u00e9\"}");
    const json_value *list = json_tree_get(root, "list");
    ck_assert_uint_eq(json_tree_size(list), 3);
    ck_assert(!json_tree_is_object(list));
    ck_assert(json_tree_is_object(json_tree_at(list, 1)));
    ck_assert(json_tree_is_true(json_tree_at(list, 2)));
    ck_assert_ptr_null(json_tree_at(list, 3));
    ck_assert_ptr_null(json_tree_get(list, "text"));
    const json_value *text = json_tree_get(root, "text");
    ck_assert_str_eq(json_tree_text(text), "a\xc3\xa9");
    ck_assert_uint_eq(json_tree_text_size(text), 3);
    ck_assert_uint_eq(json_tree_size(text), 0);
    json_tree_close(root);
}
END_TEST

/* Whatever is asked of a value that is missing is missing. */
START_TEST(missing)
{
    uint64_t count = 7;
    double number[1];
    ck_assert_ptr_null(json_tree_get(NULL, "x"));
    ck_assert_ptr_null(json_tree_at(NULL, 0));
    ck_assert_ptr_null(json_tree_text(NULL));
    ck_assert_uint_eq(json_tree_size(NULL), 0);
    ck_assert_uint_eq(json_tree_text_size(NULL), 0);
    ck_assert(!json_tree_is_object(NULL) && !json_tree_is_true(NULL));
    ck_assert(!json_tree_count(NULL, &count) && !json_tree_numbers(NULL, 1, number));
    ck_assert_uint_eq(count, 7);
    ck_assert_int_eq(json_tree_each(NULL, NULL, NULL), 0);
    json_tree_close(NULL);
}
END_TEST

START_TEST(numbers)
{
    static const struct {
        const char *text;
        int is_count;
        uint64_t count;
    } cases[] = {{"[12]", 1, 12},
                 {"[12.0]", 1, 12},
                 {"[-1]", 0, 0},
                 {"[0.5]", 0, 0},
                 {"[1e300]", 0, 0},
                 {"[\"3\"]", 0, 0},
                 {"[8e15]", 1, 8000000000000000},
                 {"[null]", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t count = 0;
        json_value *root = read_text(cases[i].text);
        ck_assert_int_eq(json_tree_count(json_tree_at(root, 0), &count), cases[i].is_count);
        ck_assert_uint_eq(count, cases[i].count);
        json_tree_close(root);
    }
    double three[3];
    json_value *root = read_text("[1, -2.5, 3e2]");
    ck_assert(json_tree_numbers(root, 3, three));
    ck_assert(three[0] == 1 && three[1] == -2.5 && three[2] == 300);
    ck_assert(!json_tree_numbers(root, 2, three));
    json_tree_close(root);
    root = read_text("[1, \"2\", 3]");
    ck_assert(!json_tree_numbers(root, 3, three));
    json_tree_close(root);
}
END_TEST

static int count_to_two(void *user, const char *key, const json_value *value)
{
    int *met = user;
    ck_assert_uint_eq(strlen(key), 1);
    ck_assert_ptr_nonnull(value);
    return ++*met == 2 ? 5 : 0;
}

START_TEST(members)
{
    int met = 0;
    json_value *root = read_text("{\"a\": 1, \"b\": null, \"c\": [2, 0.1]}");
    ck_assert_int_eq(json_tree_each(root, count_to_two, &met), 5);
    ck_assert_int_eq(met, 2);
    char *text = json_tree_dump(json_tree_get(root, "c"));
    ck_assert_str_eq(text, "[2,0.10000000000000001]");
    free(text);
    json_tree_close(root);
}
END_TEST

START_TEST(faults)
{
    static const char text[] = "{\"a\": 1,\n \"b\" 2}";
    json_fault fault = {0};
    ck_assert_ptr_null(json_tree_open(text, sizeof text - 1, &fault));
    ck_assert_int_eq(fault.line, 2);
    ck_assert(fault.offset > 8 && fault.offset < sizeof text);
    ck_assert_ptr_nonnull(strstr(fault.text, "':' expected"));
    ck_assert_ptr_null(json_tree_open("", 0, &fault));
    ck_assert_ptr_null(json_tree_open("[1", 2, &fault));
}
END_TEST

SUITE(test_json_tree)
{
    const TTest *const tests[] = {containers, missing, numbers, members, faults, NULL};
    return suite_run("json_tree", tests);
}
