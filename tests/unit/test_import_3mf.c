/* SPDX-License-Identifier: MIT
 * test_import_3mf.c: 3MF packages that the test writes: items, components, units; broken ones.
 */
#include <stdlib.h>
#include "import_case.h"
#include "suite.h"
#include "zip_case.h"

static const char pair[] = TETRA("1", "name=\"Tetra\" partnumber=\"T-1\"") //
    "<object id=\"2\" type=\"model\" name=\"Pair\"><components><component objectid=\"1\"/>"
    "<component objectid=\"1\" transform=\"0 1 0 -1 0 0 0 0 1 10 20 30\"/></components></object>"
    "<object id=\"3\" type=\"model\" name=\"Outer\"><components><component objectid=\"2\" "
    "transform=\"2 0 0 0 2 0 0 0 2 0 0 5\"/></components></object>";

static void expect_placement(const model_node *node, const double expected[12])
{
    for (int i = 0; i < 12; i++)
        ck_assert_msg(node->placement[i] == expected[i], "%d is %g", i, node->placement[i]);
}

START_TEST(tree)
{
    static zip z;
    model m;
    make_package(&z, 0, "inch", pair,
                 "<item objectid=\"3\" transform=\"1 0 0 0 1 0 0 0 1 1 2 3\" partnumber=\"I-9\"/>"
                 "<item objectid=\"1\"/>");
    expect_model_of(NULL, z.bytes, z.size, 0, &m);
    ck_assert_str_eq(m.format, "3MF");
    ck_assert(m.unit_in_metres == 0.0254 && m.up == BVP_UP_Z);
    ck_assert_uint_eq(m.mesh_count, 1);
    ck_assert_str_eq(m.meshes[0].name, "Tetra");
    ck_assert_uint_eq(m.meshes[0].triangle_count, 4);
    ck_assert(corner_at(&m.meshes[0], 1, 2, 2) == 2.5);
    static const char *const names[] = {"Outer", "Pair", "Tetra", "Tetra", "Tetra"};
    static const uint32_t parents[] = {BVP_NONE, 0, 1, 1, BVP_NONE};
    ck_assert_uint_eq(m.node_count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(m.nodes[i].name, names[i]);
        ck_assert_uint_eq(m.nodes[i].parent, parents[i]);
        ck_assert_uint_eq(m.nodes[i].mesh, i < 2 ? BVP_NONE : 0);
    }
    expect_placement(&m.nodes[0], (double[]){1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3});
    expect_placement(&m.nodes[1], (double[]){2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 5});
    /* x goes to y, y to -x */
    expect_placement(&m.nodes[3], (double[]){0, -1, 0, 10, 1, 0, 0, 20, 0, 0, 1, 30});
    ck_assert_str_eq(m.nodes[0].properties[0].value, "I-9");
    ck_assert_uint_eq(m.nodes[1].property_count, 0);
    ck_assert_str_eq(m.nodes[4].properties[0].key, "part_number");
    ck_assert_str_eq(m.nodes[4].properties[0].value, "T-1");
    model_free(&m);
}
END_TEST

/* A writer that does not know sizes beforehand leaves room for 64 bits. */
START_TEST(sizes_in_64_bits)
{
    static zip z;
    model m;
    make_package(&z, 1, "meter", TETRA("1", ""), "<item objectid=\"1\"/>");
    expect_model_of("3mf", z.bytes, z.size, 0, &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 4);
    model_free(&m);
    /* they are looked at: 2^40 bytes, in the directory's first entry */
    uint8_t *const first = z.bytes + z.size - 22 - 20 - 56 - z.directory_size;
    ck_assert_uint_eq(first[0], 'P');
    first[46 + strlen("[Content_Types].xml") + 4 + 5] = 1;
    expect_refusal_of("3mf", z.bytes, z.size, 0, BVP_ERR_LIMIT, "unpack");
}
END_TEST

START_TEST(units)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"micron", 1e-6}, {"millimeter", 1e-3}, {"centimeter", 1e-2},
                 {"inch", 0.0254}, {"foot", 0.3048},     {"meter", 1}};
    for (int i = 0; i < 6; i++) {
        static zip z;
        model m;
        make_package(&z, 0, units[i].name, TETRA("7", ""), "<item objectid=\"7\"/>");
        expect_model_of("3mf", z.bytes, z.size, 0, &m);
        ck_assert(m.unit_in_metres == units[i].metres);
        model_free(&m);
    }
}
END_TEST

/* 20 objects of two components each: a million nodes of one page of text. */
START_TEST(unfolding)
{
    char text[8192], *at = text;
    static zip z;
    at += sprintf(at, "%s", TETRA("1", ""));
    for (int i = 2; i <= 21; i++)
        at += sprintf(at,
                      "<object id=\"%d\"><components><component objectid=\"%d\"/><component "
                      "objectid=\"%d\"/></components></object>",
                      i, i - 1, i - 1);
    make_package(&z, 0, "meter", text, "<item objectid=\"21\"/>");
    expect_refusal_of(NULL, z.bytes, z.size, 0, BVP_ERR_LIMIT, "unfold");
}
END_TEST

/* An archive whose directory says that a file takes 4 GB. */
START_TEST(bomb)
{
    static zip z;
    make_package(&z, 0, "meter", TETRA("1", ""), "<item objectid=\"1\"/>");
    memset(z.bytes + z.size - 22 - z.directory_size + 24, 0xff, 4);
    expect_refusal_of(NULL, z.bytes, z.size, 0, BVP_ERR_LIMIT, "unpack");
}
END_TEST

START_TEST(broken)
{
    static zip z;
    bvp_error error;
    model m;
    make_package(&z, 0, "meter", TETRA("1", ""), "<item objectid=\"2\"/>");
    expect_refusal_of(NULL, z.bytes, z.size, 0, BVP_ERR_CORRUPT, "lib3mf says: Could not find");
    make_package(&z, 0, "meter",
                 "<object id=\"1\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/></vertices>"
                 "<triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles></mesh></object>",
                 "<item objectid=\"1\"/>");
    expect_refusal_of(NULL, z.bytes, z.size, 0, BVP_ERR_CORRUPT, "lib3mf");
    make_package(&z, 0, "meter", TETRA("1", ""), "<item objectid=\"1\"/>");
    for (size_t size = 1; size < z.size; size += 61)
        expect_refusal_of("3mf", z.bytes, size, 0, BVP_ERR_CORRUPT, "lib3mf");
    make_package(&z, 0, "meter", TETRA("1", ""),
                 "<item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 0 0 0 0\"/>");
    ck_assert_int_ne(import_bytes(NULL, z.bytes, z.size, 0, &m, &error), BVP_OK);
    make_package(&z, 0, "meter", TETRA("1", ""), "");
    ck_assert_int_ne(import_bytes(NULL, z.bytes, z.size, 0, &m, &error), BVP_OK);
}
END_TEST

static int is_left_out(void)
{
    const import_options options = {.format = "3mf"};
    bvp_error error;
    model m;
    return model_import_memory("PK", 2, "case", NULL, &options, &m, &error) == BVP_ERR_ARGUMENT &&
           strstr(error.message, "lib3mf-dev") != NULL;
}

/* Materials and their colours: of the object, of single triangles, and none. */
START_TEST(colours)
{
    static const char *const text =
        "<basematerials id=\"5\"><base name=\"red\" displaycolor=\"#FF0000\"/><base "
        "name=\"glass\" displaycolor=\"#00FF0080\"/></basematerials>"
        "<object id=\"1\" type=\"model\" pid=\"5\" pindex=\"0\"><mesh><vertices>"
        "<vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/>"
        "<vertex x=\"0\" y=\"1\" z=\"0\"/><vertex x=\"0\" y=\"0\" z=\"1\"/></vertices>"
        "<triangles><triangle v1=\"0\" v2=\"2\" v3=\"1\"/><triangle v1=\"0\" v2=\"1\" "
        "v3=\"3\" pid=\"5\" p1=\"1\"/><triangle v1=\"1\" v2=\"2\" v3=\"3\"/>"
        "<triangle v1=\"0\" v2=\"3\" v3=\"2\"/></triangles></mesh></object>";
    static zip z;
    model m;
    make_package(&z, 0, "millimeter", text, "<item objectid=\"1\"/>");
    expect_model_of(NULL, z.bytes, z.size, 0, &m);
    ck_assert_ptr_nonnull(m.meshes[0].colours);
    ck_assert_str_eq(m.meshes[0].colours, "0:ff0000ff 1:00ff0080 2:ff0000ff");
    model_free(&m);
    make_package(&z, 0, "millimeter", TETRA("1", "name=\"Tetra\""), "<item objectid=\"1\"/>");
    expect_model_of(NULL, z.bytes, z.size, 0, &m);
    ck_assert_ptr_null(m.meshes[0].colours);
    model_free(&m);
}
END_TEST

SUITE(test_import_3mf)
{
    if (is_left_out()) {
        puts("3MF was left out of this build: skipped");
        return 77;
    }
    return suite_run("import_3mf", (const TTest *[]){tree, sizes_in_64_bits, units, unfolding, bomb,
                                                     colours, broken, NULL});
}
