/* SPDX-License-Identifier: MIT
 * test_import_obj.c: Wavefront OBJ, its forms of faces and indices, and broken ones.
 */
#include <stdlib.h>
#include "import_folder.h"
#include "suite.h"

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void expect_triangles(const char *text, uint64_t count)
{
    model m;
    expect_model("obj", text, &m);
    ck_assert_uint_eq(m.mesh_count, 1);
    ck_assert_uint_eq(m.meshes[0].triangle_count, count);
    ck_assert_uint_eq(m.warning_count, 0);
    model_free(&m);
}

START_TEST(faces)
{
    expect_triangles(SQUARE "f 1 2 3\n", 1);
    expect_triangles(SQUARE "f 1 2 3 4", 2);
    expect_triangles(SQUARE "f 1/5 2/6/7 3//8 4/ # comment\n", 2);
    expect_triangles(SQUARE "f -4 -3 -2\nf -4//1 -2//1 -1//1\n", 2);
    expect_triangles(SQUARE "f 1 2 \\\n 3\\\r\n 4\n", 2);
    expect_triangles("\xef\xbb\xbf" SQUARE "f 1 2 3\r\nf\t1\t3\t4  \r\n", 2);
    expect_triangles("f 1 2 3\n" SQUARE, 1);
    expect_triangles("v 0 0 0 1 0.5 nan\nv 1 0 0 1.0\nv 0 1 0 255 0 0\nvn 0 0 nan\nvt x\ng a b\n"
                     "s off\nusemtl C:\\x\\\nmtllib C:\\y\\\nf 1 2 3\n",
                     1);
    expect_triangles("v 0 0 \\\n0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", 1);
}
END_TEST

/* -1 is the vertex before the face, not the last one of the file. */
START_TEST(negative_indices)
{
    model m;
    expect_model("obj", SQUARE "f -4 -3 -1\nv 9 0 0\nf -5 -2 -1\n", &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 2);
    ck_assert(corner_at(&m.meshes[0], 0, 0, 0) == 0 && corner_at(&m.meshes[0], 0, 0, 1) == 0);
    ck_assert(corner_at(&m.meshes[0], 0, 1, 0) == 1 && corner_at(&m.meshes[0], 0, 1, 1) == 0);
    ck_assert(corner_at(&m.meshes[0], 0, 2, 0) == 0 && corner_at(&m.meshes[0], 0, 2, 1) == 1);
    ck_assert(corner_at(&m.meshes[0], 1, 1, 0) == 0 && corner_at(&m.meshes[0], 1, 1, 1) == 1);
    ck_assert(corner_at(&m.meshes[0], 1, 2, 0) == 9);
    model_free(&m);
}
END_TEST

START_TEST(objects)
{
    model m;
    expect_model(
        NULL, SQUARE "f 1 2 3\no first one \nf 1 3 4\nf 1 2 3 4\no empty\no last\nf 2 3 4\n", &m);
    ck_assert_uint_eq(m.mesh_count, 3);
    ck_assert_ptr_null(m.meshes[0].name);
    ck_assert_str_eq(m.meshes[1].name, "first one");
    ck_assert_str_eq(m.meshes[2].name, "last");
    ck_assert_uint_eq(m.meshes[1].triangle_count, 3);
    ck_assert_uint_eq(m.meshes[1].ids[0], 1); /* faces count through the file */
    ck_assert_uint_eq(m.meshes[1].ids[2], 2);
    ck_assert_uint_eq(m.meshes[2].vertex_count, 3);
    ck_assert(corner_at(&m.meshes[2], 0, 0, 0) == 1 && corner_at(&m.meshes[2], 0, 2, 1) == 1);
    model_free(&m);
}
END_TEST

START_TEST(concave)
{
    model m;
    expect_model("obj", "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nf 1 2 3 4 5\n", &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 3);
    for (uint64_t t = 0; t < 3; t++) {
        double area = 0;
        for (int k = 0; k < 3; k++)
            area += corner_at(&m.meshes[0], t, k, 0) * corner_at(&m.meshes[0], t, (k + 1) % 3, 1) -
                    corner_at(&m.meshes[0], t, k, 1) * corner_at(&m.meshes[0], t, (k + 1) % 3, 0);
        ck_assert(area > 0);
        ck_assert_uint_eq(m.meshes[0].ids[t], 0);
    }
    model_free(&m);
    expect_model("obj", "v 0 0 0\nv 4 4 0\nv 4 0 0\nv 0 3 0\nf 1 2 3 4\n", &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 2);
    ck_assert_uint_eq(warnings_of(&m, "cross themselves"), 1);
    model_free(&m);
}
END_TEST

START_TEST(left_out)
{
    model m;
    expect_model("obj",
                 SQUARE
                 "p 1 2\nl 1 2\nl 2 3\nf\nf 1 2\ncstype bezier\ncurv 0 1 1 \\\n2\nwhat is it\n"
                 "f 1 2 3\n",
                 &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 1);
    ck_assert_uint_eq(m.meshes[0].ids[0], 2);
    ck_assert_uint_eq(warnings_of(&m, "point"), 1);
    ck_assert_uint_eq(warnings_of(&m, "line statements"), 2);
    ck_assert_uint_eq(warnings_of(&m, "fewer than three"), 2);
    ck_assert_uint_eq(warnings_of(&m, "free-form"), 1);
    ck_assert_uint_eq(warnings_of(&m, "unknown"), 1);
    model_free(&m);
}
END_TEST

START_TEST(precision)
{
    model m;
    expect_model("obj", "v 3512345.678 1 0\nv 3512345.778 0.1 0\nv 3512346 0 0\nf 1 2 3\n", &m);
    ck_assert(m.meshes[0].is_double);
    ck_assert(corner_at(&m.meshes[0], 0, 0, 0) == 3512345.678);
    ck_assert(corner_at(&m.meshes[0], 0, 1, 1) == 0.1);
    model_free(&m);
    expect_model("obj", "v 0.1 1 0\nv 123.4567 0 0\nv 3512346 0 0\nf 1 2 3\n", &m);
    ck_assert(!m.meshes[0].is_double);
    ck_assert(corner_at(&m.meshes[0], 0, 0, 0) == (double)0.1f);
    model_free(&m);
}
END_TEST

START_TEST(broken)
{
    expect_refusal("obj", SQUARE "f 0 1 2\n", BVP_ERR_CORRUPT, "case:5: there is no vertex 0");
    expect_refusal("obj", SQUARE "f 1 2 5\n", BVP_ERR_CORRUPT, "case:5: there is no vertex 5");
    expect_refusal("obj", SQUARE "f 1 2 4000000000\n", BVP_ERR_CORRUPT, "vertex 4000000000");
    expect_refusal("obj", SQUARE "f 1 2 4294967297\n", BVP_ERR_CORRUPT, "vertex 4294967297");
    expect_refusal("obj", SQUARE "f -1 -2 -5\n", BVP_ERR_CORRUPT, "there is no vertex -5");
    expect_refusal("obj", SQUARE "f 1 2 x\n", BVP_ERR_CORRUPT, "expected a vertex number");
    expect_refusal("obj", SQUARE "f 1 2 3.5\n", BVP_ERR_CORRUPT, "found \"3.5\"");
    expect_refusal("obj", "v 0 0\nf 1 1 1\n", BVP_ERR_CORRUPT, "case:1: expected a coordinate");
    expect_refusal("obj", "v 0,5 0 0\nf 1 1 1\n", BVP_ERR_CORRUPT, "decimals need a point");
    expect_refusal("obj", SQUARE "p 1\n", BVP_ERR_ARGUMENT, "no triangles");
    expect_refusal_of(NULL, "\xff\xfev\0 \0", 6, 0, BVP_ERR_NOT_OURS, "UTF-16");
}
END_TEST

START_TEST(invalid_dropped)
{
    const char *text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv nan 0 0\nf 1 2 3\nf 1 2 4\nf 0 1 2\nf 1 2 9\n"
                       "f 1 2 99999999999\nf -9 2 3\nf 3 2 1\n";
    model m;
    expect_refusal("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv nan 0 0\nf 1 2 3\nf 1 2 4\n",
                   BVP_ERR_ARGUMENT, "case:4: vertex 3, of polygon 1");
    expect_model_of("obj", text, strlen(text), 1, &m);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 2);
    ck_assert_uint_eq(m.meshes[0].ids[0], 0);
    ck_assert_uint_eq(m.meshes[0].ids[1], 6);
    ck_assert_uint_eq(m.meshes[0].vertex_count, 3);
    ck_assert_uint_eq(warnings_of(&m, "bad indices"), 5);
    model_free(&m);
    expect_triangles("v nan 0 0\n" SQUARE "f 2 3 4\n", 1); /* nobody uses it */
}
END_TEST

/* The quotient of the farthest and the rest exceeds the largest double. */
START_TEST(infinitely_far_out)
{
    enum { COUNT = 200 };
    char text[64 * COUNT] = "v 0 0 0\nv 4e-320 0 0\nv 0 4e-320 0\nv 1e300 0 0\n"
                            "v 1e300 1e299 0\nv 1e300 0 1e299\nf 4 5 6\n";
    for (int i = 0; i < COUNT; i++)
        strcat(text, "f 1 2 3\n");
    const import_options options = {
        .thread_count = 1, .format = "obj", .strays = MODEL_STRAYS_PART};
    bvp_error error = {0};
    model m;
    const bvp_status status =
        model_import_memory(text, strlen(text), "case", NULL, &options, &m, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    ck_assert_uint_eq(m.meshes[0].triangle_count, COUNT);
    ck_assert_ptr_nonnull(m.meshes[0].strays);
    ck_assert_uint_eq(m.meshes[0].strays->triangle_count, 1);
    ck_assert_uint_eq(warnings_of(&m, "10^308 times farther out"), 1);
    model_free(&m);
}
END_TEST

static void expect_colours(const char *text, uint64_t warnings, model *out)
{
    const import_options options = {.thread_count = 1, .format = "obj"};
    bvp_error error;
    uint64_t found = 0;
    ck_assert_int_eq(model_import_memory(text, strlen(text), "case", folder, &options, out, &error),
                     BVP_OK);
    for (uint32_t i = 0; i < out->warning_count; i++)
        found += out->warnings[i].count;
    ck_assert_uint_eq(found, warnings);
}

/* Faces of several objects and materials, in libraries that are there, are not, or lie outside. */
START_TEST(colours)
{
    model m;
    make_folder();
    put_file("a.mtl", "Kd 1 1 1\nnewmtl red\nKa 9 9 9\nKd 1 0 0\nd 0.5\nnewmtl  two words \r\n"
                      "  Kd\t0.2 0.4 0.6\nTr 0\nnewmtl none\nNs 3\nnewmtl red\nKd 0 1 0\n");
    put_file("b c.mtl", "newmtl grey\nkd 0.5\nmap_Kd wood.png\nnewmtl wild\nKd 1e999 -3 x\n");
    expect_colours("mtllib a.mtl\nmtllib b c.mtl\n" SQUARE "f 1 2 3\nusemtl red\nf 1 2 4\n"
                   "usemtl nowhere\nusemtl two words\no second\nf 1 2 3\nusemtl red\nusemtl none\n"
                   "f 1 2 4\nf 2 3 4\nusemtl grey\nf 1 2 3\no third\nf 1 3 4\n",
                   1, &m);
    ck_assert_uint_eq(m.mesh_count, 3);
    ck_assert_str_eq(m.meshes[0].colours, "0:- 1:ff000080");
    ck_assert_str_eq(m.meshes[1].colours, "0:336699ff 3:- 5:808080ff");
    ck_assert_str_eq(m.meshes[2].colours, "0:808080ff");
    ck_assert_uint_eq(m.file_count, 2);
    ck_assert_str_eq(m.files[1].name, "b c.mtl");
    model_free(&m);
    /* two of one statement, one of them is not there; one that is not used says nothing */
    expect_colours("mtllib a.mtl no.mtl\n" SQUARE "usemtl red\nf 1 2 3\n", 1, &m);
    ck_assert_str_eq(m.meshes[0].colours, "0:ff000080");
    model_free(&m);
    expect_colours("mtllib ../a.mtl\nmtllib /etc/passwd\n" SQUARE "usemtl red\nf 1 2 3\n", 2, &m);
    ck_assert_ptr_null(m.meshes[0].colours);
    ck_assert_uint_eq(m.file_count, 0);
    model_free(&m);
    /* a material that no library has, whose name sorts before one that it has */
    expect_colours("mtllib a.mtl\n" SQUARE "usemtl nz\nf 1 2 3\n", 0, &m);
    ck_assert_ptr_null(m.meshes[0].colours);
    model_free(&m);
    expect_colours("mtllib no.mtl\n" SQUARE "f 1 2 3\n", 0, &m);
    model_free(&m);
    expect_colours("mtllib b c.mtl\n" SQUARE "usemtl wild\nf 1 2 3\n", 1, &m);
    ck_assert_str_eq(m.meshes[0].colours, "0:ff00ffff");
    model_free(&m);
    remove_folder();
}
END_TEST

SUITE(test_import_obj)
{
    const TTest *const tests[] = {
        faces,           negative_indices,   objects, concave, left_out, precision, broken,
        invalid_dropped, infinitely_far_out, colours, NULL};
    return suite_run("import_obj", tests);
}
