/* SPDX-License-Identifier: MIT
 * test_import_ply.c: PLY in its three encodings, lists of every type, and broken ones.
 */
#include <stdlib.h>
#include "import_case.h"
#include "suite.h"

#define XYZ      "property float x\nproperty float y\nproperty float z\n"
#define HEAD     "ply\nformat ascii 1.0\nelement vertex 4\n" XYZ
#define FACES(n) "element face " n "\nproperty list uchar int vertex_indices\nend_header\n"
#define SQUARE   "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

/* A binary file under construction. */
typedef struct file {
    uint8_t bytes[2048];
    size_t size;
    int big;
} file;

static void put_text(file *f, const char *text)
{
    memcpy(f->bytes + f->size, text, strlen(text));
    f->size += strlen(text);
}

static void put(file *f, uint64_t bits, size_t size)
{
    for (size_t i = 0; i < size; i++)
        f->bytes[f->size++] = (uint8_t)(bits >> (8 * (f->big ? size - 1 - i : i)));
}

static void put_float(file *f, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(f, bits, 4);
}

static void put_double(file *f, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(f, bits, 8);
}

static void check_square(const model *m, const char *format)
{
    ck_assert_str_eq(m->format, format);
    ck_assert_uint_eq(m->mesh_count, 1);
    ck_assert_uint_eq(m->meshes[0].triangle_count, 2);
    ck_assert(corner_at(&m->meshes[0], 0, 1, 0) == 1 && corner_at(&m->meshes[0], 0, 1, 1) == 0);
    ck_assert(corner_at(&m->meshes[0], 1, 2, 0) == 0 && corner_at(&m->meshes[0], 1, 2, 1) == 1);
    ck_assert_uint_eq(m->meshes[0].ids[1], 0);
}

static void expect_square(const char *text)
{
    model m;
    expect_model(NULL, text, &m);
    check_square(&m, "PLY (ASCII)");
    ck_assert_uint_eq(m.warning_count, 0);
    model_free(&m);
}

START_TEST(ascii)
{
    expect_square(HEAD FACES("1") SQUARE "4 0 1 2 3\n");
    expect_square("ply\r\nformat ascii 1.0\r\ncomment x\r\nobj_info y\r\nelement vertex 4\r\n"
                  "property double x\r\nproperty int y\r\nproperty uchar z\r\n"
                  "element face 1\r\nproperty list uint8 uint32 vertex_index\r\nend_header\r\n"
                  "0 0 0\r\n1.0 0 0\r\n1 1 0\r\n0 1 0\r\n4 0 1 2 3\r\n");
    /* faces first, properties and elements that nobody needs */
    expect_square("ply\nformat ascii 1.0\nelement face 1\nproperty uchar red\n"
                  "property list uchar float texcoord\nproperty list uint uint vertex_indices\n"
                  "element vertex 4\nproperty list uchar uchar odd\nproperty float z\n"
                  "property float nan\nproperty float y\nproperty float x\nelement empty 7\n"
                  "element other 1\nproperty list uchar double l\nend_header\n"
                  "255 2 0.5 0.5 4 0 1 2 3\n0 0 nan 0 0\n1 7 0 nan 0 1\n0 0 1 1 1\n2 1 2 0 1 1 0\n"
                  "3 1 2 3.5");
}
END_TEST

static void binary(int big, int wide, const char *end)
{
    file f = {.big = big};
    model m;
    put_text(&f, "ply\nformat ");
    put_text(&f, big ? "binary_big_endian" : "binary_little_endian");
    put_text(&f, " 1.0\nelement vertex 4\nproperty uchar skipped\n");
    put_text(&f, wide ? "property double x\nproperty double y\nproperty short z\n" : XYZ);
    put_text(&f, "element face 1\nproperty list ushort short more\nproperty list ");
    put_text(&f, wide ? "int uint" : "char ushort");
    put_text(&f, " vertex_indices\nend_header");
    put_text(&f, end);
    static const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int v = 0; v < 4; v++) {
        put(&f, 200, 1);
        for (int i = 0; i < 2; i++)
            wide ? put_double(&f, square[v][i]) : put_float(&f, (float)square[v][i]);
        wide ? put(&f, 0, 2) : put_float(&f, 0);
    }
    put(&f, 3, 2);
    for (int i = 0; i < 3; i++)
        put(&f, 9999, 2);
    put(&f, 4, wide ? 4 : 1);
    for (unsigned i = 0; i < 4; i++)
        put(&f, i, wide ? 4 : 2);
    expect_model_of(NULL, f.bytes, f.size, 0, &m);
    check_square(&m, big ? "PLY (binary, big-endian)" : "PLY (binary, little-endian)");
    ck_assert(!m.meshes[0].is_double);
    model_free(&m);
    for (size_t size = f.size - 60; size < f.size; size++)
        expect_refusal_of(NULL, f.bytes, size, 0, BVP_ERR_CORRUPT, "end of the file");
    put(&f, 65, 1);
    expect_refusal_of(NULL, f.bytes, f.size, 0, BVP_ERR_CORRUPT, "found 1 more bytes");
}

START_TEST(binaries)
{
    for (int big = 0; big < 2; big++)
        for (int wide = 0; wide < 2; wide++) {
            binary(big, wide, "\n");
            binary(big, wide, "\r\n");
        }
}
END_TEST

/* The first byte of the body is that of a newline. */
START_TEST(body_begins_with_newline)
{
    file f = {.big = 0};
    model m;
    put_text(&f, "ply\nformat binary_little_endian 1.0\nelement vertex 3\n" XYZ FACES("1"));
    for (int v = 0; v < 9; v++)
        put(&f, 0x3f80000a + (uint64_t)v, 4);
    put(&f, 3, 1);
    for (unsigned i = 0; i < 3; i++)
        put(&f, i, 4);
    expect_model_of(NULL, f.bytes, f.size, 0, &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 1);
    model_free(&m);
}
END_TEST

START_TEST(strips)
{
    model m;
    expect_model(NULL,
                 "ply\nformat ascii 1.0\nelement vertex 5\n" XYZ
                 "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
                 "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n9 0 1 2 3 -1 2 3 4 -1\n",
                 &m);
    static const uint32_t expected[9] = {0, 1, 2, 2, 1, 3, 2, 3, 4};
    static const double y[5] = {0, 0, 1, 1, 2};
    ck_assert_uint_eq(m.meshes[0].triangle_count, 3);
    for (int i = 0; i < 9; i++)
        ck_assert(corner_at(&m.meshes[0], (uint64_t)i / 3, i % 3, 1) == y[expected[i]]);
    model_free(&m);
}
END_TEST

START_TEST(precision)
{
    model m;
    expect_model(NULL,
                 "ply\nformat ascii 1.0\nelement vertex 3\n" XYZ FACES(
                     "1") "3512345.678 0 0\n0 0.1 0\n0 0 1\n3 0 1 2\n",
                 &m);
    ck_assert(!m.meshes[0].is_double); /* declared as float */
    model_free(&m);
    file f = {.big = 0};
    put_text(&f, "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty double x\n"
                 "property double y\nproperty double z\n" FACES("1"));
    for (int v = 0; v < 9; v++)
        put_double(&f, 3512345.678 + v);
    put(&f, 3, 1);
    for (unsigned i = 0; i < 3; i++)
        put(&f, i, 4);
    expect_model_of(NULL, f.bytes, f.size, 0, &m);
    ck_assert(m.meshes[0].is_double);
    ck_assert(corner_at(&m.meshes[0], 0, 0, 0) == 3512345.678);
    model_free(&m);
}
END_TEST

START_TEST(broken_headers)
{
    static const struct {
        const char *text, *phrase;
    } cases[] = {
        {"ply\nformat ascii 1.0\nelement vertex 4\n" XYZ, "end_header"},
        {"ply\nformat ascii 2.0\n", "version 1.0"},
        {"ply\nformat binary_middle_endian 1.0\n", "case:2: expected ascii"},
        {"ply\nelement vertex 0\nend_header\n", "no \"format\" line"},
        {"ply\nend_header\n", "no \"format\" line"},
        {"ply\nformat ascii 1.0\nproperty float x\n", "case:3: expected an element before"},
        {"ply\nformat ascii 1.0\nelement vertex -1\n", "the element's count"},
        {"ply\nformat ascii 1.0\nelement vertex 99999999999999999999\n", "the element's count"},
        {"ply\nformat ascii 1.0\nelement vertex 4\nproperty complex x\n", "a property's type"},
        {"ply\nformat ascii 1.0\nelement face 4\nproperty list float int vertex_index\n",
         "a whole number as a list's length"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 2\n", "twice"},
        {"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nend_header\n", "x, y and z"},
        {"ply\nformat ascii 1.0\nbanana\n", "found \"banana\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bvp_error error;
        model m;
        ck_assert_int_ne(import_bytes("ply", cases[i].text, strlen(cases[i].text), 0, &m, &error),
                         BVP_OK);
        ck_assert_msg(strstr(error.message, cases[i].phrase) != NULL, "%s", error.message);
    }
}
END_TEST

START_TEST(broken_bodies)
{
    expect_refusal("ply", HEAD FACES("1") SQUARE "4 0 1 2 4\n", BVP_ERR_CORRUPT,
                   "case:14: expected a vertex number below 4, found 4");
    expect_refusal("ply", HEAD FACES("1") SQUARE "4 0 1 2 -1\n", BVP_ERR_CORRUPT, "found -1");
    expect_refusal("ply", HEAD FACES("1") SQUARE "4 0 1 2 1.5\n", BVP_ERR_CORRUPT, "found 1.5");
    expect_refusal("ply", HEAD FACES("1") SQUARE "-4 0 1 2\n", BVP_ERR_CORRUPT,
                   "number of corners");
    expect_refusal("ply", HEAD FACES("1") SQUARE "4 0 1 2\n", BVP_ERR_CORRUPT, "end of the");
    expect_refusal("ply", HEAD FACES("2") SQUARE "4 0 1 2 3\n", BVP_ERR_CORRUPT, "face 1 of 2");
    expect_refusal("ply", HEAD FACES("1") SQUARE "3 0 1 2\nmore\n", BVP_ERR_CORRUPT, "more bytes");
    expect_refusal("ply", HEAD FACES("1") "0 0\n1 0 0\n", BVP_ERR_CORRUPT,
                   "vertex 0 of 4: expected a coordinate, found the end of the line");
    expect_refusal("ply", HEAD FACES("1") "0 0,5 0\n", BVP_ERR_CORRUPT, "decimals need a point");
    expect_refusal("ply", HEAD FACES("1") "0 inf 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n",
                   BVP_ERR_ARGUMENT, "case:10: vertex 0, of polygon 0");
    expect_refusal("ply", HEAD FACES("4294967295") SQUARE, BVP_ERR_CORRUPT, "4294967295 elements");
    expect_refusal("ply", HEAD "end_header\n" SQUARE, BVP_ERR_ARGUMENT, "no triangles");
}
END_TEST

START_TEST(invalid_dropped)
{
    const char *text = HEAD FACES("4") "0 0 0\n1 0 0\n1 1 0\nnan 1 0\n3 0 1 2\n3 1 2 3\n3 0 1 77\n"
                                       "3 2 1 0 255\n";
    model m;
    expect_model_of("ply", text, strlen(text), 1, &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 2);
    ck_assert_uint_eq(m.meshes[0].ids[1], 3);
    ck_assert_uint_eq(warnings_of(&m, "bad indices"), 2);
    ck_assert_uint_eq(warnings_of(&m, "longer than the header"), 1);
    model_free(&m);
}
END_TEST

SUITE(test_import_ply)
{
    const TTest *const tests[] = {ascii,         binaries,        body_begins_with_newline,
                                  strips,        precision,       broken_headers,
                                  broken_bodies, invalid_dropped, NULL};
    return suite_run("import_ply", tests);
}
