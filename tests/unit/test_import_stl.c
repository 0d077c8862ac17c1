/* SPDX-License-Identifier: MIT
 * test_import_stl.c: binary and ASCII STL, odd ones and broken ones.
 */
#include <math.h>
#include <stdlib.h>
#include "import_case.h"
#include "suite.h"

enum { HEADER = 84, FACET = 50 };

typedef struct file {
    uint8_t bytes[HEADER + FACET * 8];
    size_t size;
} file;

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* Facet f has the corners (f, 0, 0), (f, 1, 0), (f, 0, 1). */
static file make_binary(uint32_t count, const char *header)
{
    file out = {.size = HEADER + FACET * (size_t)count};
    strncpy((char *)out.bytes, header, 80);
    put_u32(out.bytes + 80, count);
    for (uint32_t f = 0; f < count; f++) {
        const float corners[9] = {(float)f, 0, 0, (float)f, 1, 0, (float)f, 0, 1};
        for (int i = 0; i < 9; i++) {
            uint32_t bits;
            memcpy(&bits, &corners[i], sizeof bits);
            put_u32(out.bytes + HEADER + FACET * f + 12 + 4 * i, bits);
        }
    }
    return out;
}

static void set_coordinate(file *f, uint32_t facet, int i, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(f->bytes + HEADER + FACET * facet + 12 + 4 * i, bits);
}

START_TEST(binary)
{
    static const char *const headers[] = {"", "solid looks like text", "ply"};
    for (int i = 0; i < 3; i++) {
        file f = make_binary(4, headers[i]);
        model m;
        expect_model_of(NULL, f.bytes, f.size, 0, &m);
        ck_assert_str_eq(m.format, "STL (binary)");
        ck_assert_uint_eq(m.mesh_count, 1);
        ck_assert_uint_eq(m.meshes[0].triangle_count, 4);
        ck_assert_ptr_null(m.meshes[0].ids);
        ck_assert(!m.meshes[0].is_double);
        ck_assert(corner_at(&m.meshes[0], 3, 0, 0) == 3 && corner_at(&m.meshes[0], 3, 1, 1) == 1);
        model_free(&m);
    }
}
END_TEST

START_TEST(welds_by_bits)
{
    file f = make_binary(3, "");
    model m;
    for (int i = 0; i < 9; i++)
        set_coordinate(&f, 1, i, i % 3 == 0 ? 0 : i == 4 || i == 8); /* facet 0 again */
    set_coordinate(&f, 2, 0, -0.0f);
    expect_model_of("stl", f.bytes, f.size, 0, &m);
    ck_assert_uint_eq(m.meshes[0].vertex_count, 6);
    ck_assert(signbit(corner_at(&m.meshes[0], 2, 0, 0)));
    ck_assert_uint_eq(m.meshes[0].indices[3], 0);
    model_free(&m);
}
END_TEST

START_TEST(not_finite)
{
    file f = make_binary(4, "");
    model m;
    set_coordinate(&f, 2, 4, NAN);
    expect_refusal_of("stl", f.bytes, f.size, 0, BVP_ERR_ARGUMENT, "byte 212: facet 2");
    expect_model_of("stl", f.bytes, f.size, 1, &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 3);
    ck_assert_uint_eq(m.meshes[0].ids[1], 1);
    ck_assert_uint_eq(m.meshes[0].ids[2], 3);
    ck_assert_uint_eq(warnings_of(&m, "not finite"), 1);
    model_free(&m);
    set_coordinate(&f, 2, 4, -INFINITY);
    expect_refusal_of("stl", f.bytes, f.size, 0, BVP_ERR_ARGUMENT, "found -inf");
}
END_TEST

START_TEST(wrong_size)
{
    file f = make_binary(4, "");
    for (size_t size = 1; size < f.size; size++)
        expect_refusal_of("stl", f.bytes, size, 0, BVP_ERR_CORRUPT, "cut off");
    expect_refusal_of("stl", f.bytes, 0, 0, BVP_ERR_NOT_OURS, "empty");
    f.size += 7;
    expect_refusal_of("stl", f.bytes, f.size, 0, BVP_ERR_CORRUPT, "byte 284");
    put_u32(f.bytes + 80, UINT32_MAX);
    expect_refusal_of("stl", f.bytes, f.size, 0, BVP_ERR_CORRUPT, "4294967295 facets");
    f = make_binary(0, "");
    expect_refusal_of("stl", f.bytes, f.size, 0, BVP_ERR_ARGUMENT, "no triangles");
}
END_TEST

#define FACET_TEXT(z)                                                                              \
    "facet normal 0 0 1\nouter loop\nvertex 0 0 " z "\nvertex 1 0 " z "\nvertex 0 1 " z            \
    "\nendloop\nendfacet\n"

START_TEST(ascii)
{
    static const char *const texts[] = {
        "solid cube 1\n" FACET_TEXT("0") FACET_TEXT("2.5") "endsolid cube 1\n",
        "  SOLID cube 1\r\n" FACET_TEXT("0") FACET_TEXT("2.5") "EndSolid\r\n\r\n",
        "solid cube 1 facet normal nan nan nan outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 "
        "endloop endfacet facet outer loop vertex 0 0 2.5 vertex 1 0 2.5 vertex 0 1 2.5 endloop "
        "endfacet endsolid cube 1"};
    for (int i = 0; i < 3; i++) {
        model m;
        expect_model(NULL, texts[i], &m);
        ck_assert_str_eq(m.format, "STL (ASCII)");
        ck_assert_uint_eq(m.mesh_count, 1);
        ck_assert_str_eq(m.meshes[0].name, "cube 1");
        ck_assert_uint_eq(m.meshes[0].triangle_count, 2);
        ck_assert(corner_at(&m.meshes[0], 1, 2, 2) == 2.5);
        ck_assert_uint_eq(m.warning_count, 0);
        model_free(&m);
    }
}
END_TEST

START_TEST(several_solids)
{
    model m;
    expect_model("stl",
                 "solid a\n" FACET_TEXT("0") "endsolid a\nsolid none\nendsolid none\nsolid "
                                             "\xc3\xbc\n" FACET_TEXT("1") FACET_TEXT("2"),
                 &m);
    ck_assert_uint_eq(m.mesh_count, 2);
    ck_assert_str_eq(m.meshes[0].name, "a");
    ck_assert_str_eq(m.meshes[1].name, "\xc3\xbc");
    ck_assert_uint_eq(m.meshes[1].ids[0], 1); /* facets count through the file */
    ck_assert_uint_eq(m.meshes[1].ids[1], 2);
    ck_assert_uint_eq(warnings_of(&m, "empty solids"), 1);
    ck_assert_uint_eq(warnings_of(&m, "without \"endsolid\""), 1);
    model_free(&m);
}
END_TEST

START_TEST(precision)
{
    model m;
    expect_model("stl", "solid\n" FACET_TEXT("3512345.5") "endsolid\n", &m);
    ck_assert(!m.meshes[0].is_double);
    model_free(&m);
    expect_model("stl", "solid\n" FACET_TEXT("0.1") FACET_TEXT("3512345.678") "endsolid\n", &m);
    ck_assert(m.meshes[0].is_double);
    ck_assert(corner_at(&m.meshes[0], 1, 0, 2) == 3512345.678);
    ck_assert(corner_at(&m.meshes[0], 0, 0, 2) == 0.1);
    model_free(&m);
}
END_TEST

START_TEST(broken_text)
{
    static const struct {
        const char *text, *phrase;
    } cases[] = {
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1,5\n", "case:4: facet 0: expected a "
                                                                      "number, found \"1,5\""},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "end of the file"},
        {"solid x\n" FACET_TEXT("0") "facet", "facet 1: expected \"outer loop\""},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 "
         "0\nvertex "
         "0 0 0\n",
         "case:7: facet 0: expected \"endloop\""},
        {"solid x\nbanana\n", "found \"banana\""},
        {"solid x\nendsolid x\nbanana\n", "case:3"},
        {"solid x\n\x1b[2J\n", "\\x1b[2J"},
        {"solid x\n", "no triangles"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bvp_error error;
        model m;
        ck_assert(import_bytes("stl", cases[i].text, strlen(cases[i].text), 0, &m, &error));
        ck_assert_msg(strstr(error.message, cases[i].phrase) != NULL, "%s", error.message);
    }
}
END_TEST

START_TEST(not_finite_text)
{
    const char *text = "solid x\n" FACET_TEXT("0") FACET_TEXT("nan") FACET_TEXT("1") "endsolid\n";
    model m;
    expect_refusal("stl", text, BVP_ERR_ARGUMENT, "case:11: facet 1");
    expect_model_of("stl", text, strlen(text), 1, &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 2);
    ck_assert_uint_eq(m.meshes[0].ids[1], 2);
    ck_assert_uint_eq(warnings_of(&m, "not finite"), 1);
    model_free(&m);
    expect_refusal("stl", "solid x\n" FACET_TEXT("0") FACET_TEXT("-inf") "endsolid\n",
                   BVP_ERR_ARGUMENT, "case:11: facet 1");
    expect_refusal("stl", "solid x\n" FACET_TEXT("0") FACET_TEXT("1e999") "endsolid\n",
                   BVP_ERR_ARGUMENT, "case:11: facet 1");
}
END_TEST

/* Every prefix of a text is refused or a model, never a crash. */
START_TEST(prefixes)
{
    const char *text = "solid x\n" FACET_TEXT("0") FACET_TEXT("1e3") "endsolid x\n";
    for (size_t size = 0; size < strlen(text); size++) {
        bvp_error error;
        model m;
        if (import_bytes("stl", text, size, 0, &m, &error) == BVP_OK)
            model_free(&m);
        else
            ck_assert(error.message[0]);
    }
}
END_TEST

SUITE(test_import_stl)
{
    const TTest *const tests[] = {binary,          welds_by_bits,  not_finite, wrong_size,
                                  ascii,           several_solids, precision,  broken_text,
                                  not_finite_text, prefixes,       NULL};
    return suite_run("import_stl", tests);
}
