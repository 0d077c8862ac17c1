/* SPDX-License-Identifier: MIT
 * test_primitive_names.c: the primitive and the material of a triangle, from what a file says.
 */
#include <stdlib.h>
#include <string.h>
#include "suite.h"
#include "text/memory_text.h"
#include "text/primitive_names.h"

static void expect_of(const char *list, const char *asset, uint64_t triangle, const char *expected)
{
    const primitive_names names = {{list, strlen(list)}, {asset, strlen(asset)}};
    memory_text text;
    json j;
    FILE *out = memory_text_open(&text);
    ck_assert_ptr_nonnull(out);
    jsonw_start(&j, out, 0);
    jsonw_object(&j, NULL);
    primitive_put_json(&j, &names, triangle);
    jsonw_end(&j);
    ck_assert_int_eq(memory_text_close(&text), 0);
    ck_assert_str_eq(text.data, expected);
    free(text.data);
}

static void expect(const char *list, uint64_t triangle, const char *expected)
{
    expect_of(list, "", triangle, expected);
}

START_TEST(lists)
{
    static const char *const list = "[[0,\"steel\"],[5,null],[5,3],[7,null]]";
    expect(list, 0, "{\"primitive\":0,\"primitive_triangle\":0,\"material\":\"steel\"}");
    expect(list, 4, "{\"primitive\":0,\"primitive_triangle\":4,\"material\":\"steel\"}");
    expect(list, 5,
           "{\"primitive\":2,\"primitive_triangle\":0,\"material\":3}"); /* the one before has no
                                                                            triangles */
    expect(list, 6, "{\"primitive\":2,\"primitive_triangle\":1,\"material\":3}");
    expect(list, 700, "{\"primitive\":3,\"primitive_triangle\":693,\"material\":null}");
}
END_TEST

/* A file may say anything. */
START_TEST(damaged)
{
    expect("", 0, "{}");
    expect("[[0,", 0, "{}");
    expect("7", 0, "{}");
    expect("[]", 0, "{}");
    expect("[7]", 0, "{}");
    expect("[[3,\"late\"]]", 2, "{}");
    expect("[[0],[-1,2]]", 2, "{\"primitive\":0,\"primitive_triangle\":2,\"material\":null}");
    expect("[[0,{}]]", 2, "{\"primitive\":0,\"primitive_triangle\":2,\"material\":null}");
}
END_TEST

START_TEST(numbers)
{
    expect_of("[[0,1],[5,2]]", "[4,7]", 6,
              "{\"node\":4,\"mesh\":7,\"primitive\":1,\"primitive_triangle\":1,\"material\":2}");
    expect_of("", "[4,0,3]", 6,
              "{\"node\":4,\"mesh\":0,\"node_instance\":3,\"primitive\":0,\"primitive_triangle\":6,"
              "\"material\":null}");
    static const char *const damaged_ones[] = {"[4]",    "[]",  "7", "[\"4\",7]",
                                               "[4,-1]", "[4,", "{}"};
    for (size_t i = 0; i < sizeof damaged_ones / sizeof damaged_ones[0]; i++)
        expect_of("", damaged_ones[i], 6, "{}");
}
END_TEST

SUITE(test_primitive_names)
{
    const TTest *const tests[] = {lists, damaged, numbers, NULL};
    return suite_run("primitive_names", tests);
}
