/* SPDX-License-Identifier: MIT
 * test_import_off.c: OFF and its prefixes, comments and line breaks, and broken ones.
 */
#include <stdlib.h>
#include "import_case.h"
#include "suite.h"

#define BODY "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"

static void expect_triangles(const char *format, const char *text, uint64_t count)
{
    model m;
    expect_model(format, text, &m);
    ck_assert_str_eq(m.format, "OFF");
    ck_assert_uint_eq(m.meshes[0].triangle_count, count);
    ck_assert(corner_at(&m.meshes[0], 0, 1, 0) == 1);
    model_free(&m);
}

START_TEST(variants)
{
    expect_triangles(NULL, "OFF\n4 2 0\n" BODY, 2);
    expect_triangles(NULL, "OFF 4 2 5\n" BODY, 2);
    expect_triangles(NULL, "\n # first\n  OFF4 2 0 # counts\n\n" BODY "# last", 2);
    expect_triangles(NULL, "OFF\r\n4 2\r\n" BODY, 2);
    expect_triangles("off", "4 2 0\n" BODY, 2);
    expect_triangles(NULL,
                     "COFF\n4 1 0\n0 0 0 255 0 0 255\n1 0 0 1 1 1 1\n1 1 0 # c\n0 1 0\n"
                     "4 0 1 2 3 0.1 0.2 0.3\n",
                     2);
}
END_TEST

START_TEST(prefixes)
{
    expect_triangles(NULL, "NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n", 1);
    expect_triangles(NULL, "STCNOFF 3 1 0\n0 0 0 9 9\n1 0 0 9 9\n0 1 0 9 9\n3 0 1 2\n", 1);
    expect_refusal(NULL, "4OFF\n3 1 0\n", BVP_ERR_ARGUMENT, "other dimensions");
    expect_refusal(NULL, "nOFF 4\n3 1 0\n", BVP_ERR_ARGUMENT, "other dimensions");
    expect_refusal(NULL, "OFF BINARY\n", BVP_ERR_ARGUMENT, "binary OFF");
}
END_TEST

START_TEST(ids_and_sizes)
{
    model m;
    expect_model("off", "OFF 4 4 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 0 1\n4 0 1 2 3\n1 0\n3 0 1 2\n",
                 &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 3);
    ck_assert_uint_eq(m.meshes[0].ids[0], 1);
    ck_assert_uint_eq(m.meshes[0].ids[2], 3);
    ck_assert_uint_eq(warnings_of(&m, "fewer than three"), 2);
    model_free(&m);
}
END_TEST

START_TEST(broken)
{
    expect_refusal("off", "OFF\n4294967295 2 0\n" BODY, BVP_ERR_CORRUPT, "case:2: 4294967295");
    expect_refusal("off", "OFF\n4 99999 0\n" BODY, BVP_ERR_CORRUPT, "99999 faces");
    expect_refusal("off", "OFF\n4 -1 0\n" BODY, BVP_ERR_CORRUPT, "number of faces");
    expect_refusal("off", "OFF\n4 3 0\n" BODY, BVP_ERR_CORRUPT, "found the end of the file");
    expect_refusal("off", "OFF\n4 1 0\n" BODY, BVP_ERR_CORRUPT, "the end of the file after");
    expect_refusal("off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", BVP_ERR_CORRUPT,
                   "case:6: expected a vertex number below 3, found 3");
    expect_refusal("off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n4294967295 0 1 2\n", BVP_ERR_CORRUPT,
                   "end of the file");
    expect_refusal("off", "OFF\n3 1 0\n0 0 0\n1 0,5 0\n0 1 0\n3 0 1 2\n", BVP_ERR_CORRUPT,
                   "case:4: expected a vertex's coordinate, found \"0,5\"");
    expect_refusal("off", "OFF\n3 1 0\n0 0 0\n1 inf 0\n0 1 0\n3 0 1 2\n", BVP_ERR_ARGUMENT,
                   "case:4: vertex 1, of polygon 0");
    expect_refusal("off", "OFF\n3 0 0\n0 0 0\n1 1 0\n0 1 0\n", BVP_ERR_ARGUMENT, "no triangles");
}
END_TEST

START_TEST(invalid_dropped)
{
    const char *text = "OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n0 nan 0\n3 0 1 2\n3 0 1 3\n3 0 1 -1\n";
    model m;
    expect_model_of("off", text, strlen(text), 1, &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 1);
    ck_assert_uint_eq(warnings_of(&m, "bad indices"), 2);
    model_free(&m);
}
END_TEST

SUITE(test_import_off)
{
    const TTest *const tests[] = {variants, prefixes, ids_and_sizes, broken, invalid_dropped, NULL};
    return suite_run("import_off", tests);
}
