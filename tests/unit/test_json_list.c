/* SPDX-License-Identifier: MIT
 * test_json_list.c: elements of one array of a JSON text, each parsed when it is asked for.
 */
#include "text/json_list.h"

#include <string.h>

#include "suite.h"

/* What lies around the array, and in strings, does not mislead. */
START_TEST(elements)
{
    static const char text[] = "{\"x\": {\"nodes\": [7]}, \"y\": \"nodes\", \"n\\\"\": [1],\n"
                               " \"nodes\" : [ {\"a\": \"]},[\\\"\"} , [1, 2],\t3 ], \"z\": 4}";
    json_fault fault;
    json_list list;
    uint64_t number;
    json_value *root = json_list_open(text, sizeof text - 1, "nodes", &list, &fault);
    ck_assert_ptr_nonnull(root);
    ck_assert_uint_eq(list.count, 3);
    ck_assert_uint_eq(json_tree_size(json_tree_get(root, "nodes")), 0);
    ck_assert(json_tree_count(json_tree_get(root, "z"), &number) && number == 4);
    ck_assert(json_list_is_object(&list, 0) && !json_list_is_object(&list, 1));
    ck_assert_uint_eq(json_tree_size(json_list_at(&list, 1, &fault)), 2);
    ck_assert_str_eq(json_tree_text(json_tree_get(json_list_at(&list, 0, &fault), "a")), "]},[\"");
    ck_assert(json_list_at(&list, 0, &fault) == json_list_at(&list, 0, &fault));
    json_list_close(&list);
    json_tree_close(root);
}
END_TEST

START_TEST(none)
{
    static const char *const texts[] = {"{}", "{\"nodes\": []}", "{\"nodes\": {\"a\": 1}}",
                                        "[[1]]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_fault fault;
        json_list list;
        json_value *root = json_list_open(texts[i], strlen(texts[i]), "nodes", &list, &fault);
        ck_assert_ptr_nonnull(root);
        ck_assert_uint_eq(list.count, 0);
        json_list_close(&list);
        json_tree_close(root);
    }
}
END_TEST

/* Every beginning of a text is refused, as the tree refuses it; a bad element when it is asked for.
 */
START_TEST(faults)
{
    static const char text[] = "{\"nodes\": [{\"a\": \"b\\\"\"}, {\"c\": [1, 2]}], \"d\": 1}";
    static const char bad[] = "{\"nodes\": [[], {\"a\" 2}, ]}";
    json_fault fault, expected;
    json_list list;
    for (size_t size = 0; size < sizeof text - 1; size++) {
        ck_assert_ptr_null(json_list_open(text, size, "nodes", &list, &fault));
        ck_assert_ptr_null(json_tree_open(text, size, &expected));
        ck_assert_str_eq(fault.text, expected.text);
        json_list_close(&list);
    }
    json_value *root = json_list_open(bad, sizeof bad - 1, "nodes", &list, &fault);
    ck_assert_ptr_nonnull(root);
    ck_assert_ptr_nonnull(json_list_at(&list, 0, &fault));
    ck_assert_ptr_null(json_list_at(&list, 1, &fault));
    ck_assert_ptr_nonnull(strstr(fault.text, "':' expected"));
    ck_assert_ptr_null(json_list_at(&list, 2, &fault));
    json_list_close(&list);
    json_tree_close(root);
}
END_TEST

SUITE(test_json_list)
{
    const TTest *const tests[] = {elements, none, faults, NULL};
    return suite_run("json_list", tests);
}
