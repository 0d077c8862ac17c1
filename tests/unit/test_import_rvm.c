/* SPDX-License-Identifier: MIT
 * test_import_rvm.c: RVM: groups, parts, attributes; broken files.
 */
#include <math.h>

#include "import_folder.h"
#include "solid_case.h"
#include "suite.h"

static rvm_file file;

/* ---- groups ---------------------------------------------------------------------------------- */

static const model_node *node_named(const model *m, const char *name)
{
    for (uint32_t i = m->node_count; i-- > 0;)
        if (m->nodes[i].name && strcmp(m->nodes[i].name, name) == 0)
            return &m->nodes[i];
    ck_abort_msg("no node %s", name);
    return NULL;
}

static const char *property_of(const model_node *node, const char *key)
{
    for (uint32_t i = 0; i < node->property_count; i++)
        if (strcmp(node->properties[i].key, key) == 0)
            return node->properties[i].value;
    return "";
}

START_TEST(tree)
{
    model m;
    rvm_plant(&file);
    expect_file(&file, NULL, &m);
    ck_assert_str_eq(m.nodes[0].name, "/PLANT");
    ck_assert_str_eq(property_of(&m.nodes[0], "project"), "PRJ");
    ck_assert_str_eq(property_of(&m.nodes[0], "user"), "someone");
    ck_assert_uint_eq(warnings_of(&m, "lines left out"), 1);
    ck_assert_uint_eq(warnings_of(&m, "insulation volumes"), 1);
    ck_assert_uint_eq(warnings_of(&m, "obstruction volumes"), 1);
    const model_node *site = node_named(&m, "/SITE"), *cylinder = node_named(&m, "/CYLI");
    ck_assert(site->parent == 0 && site->mesh == BVP_NONE);
    ck_assert(cylinder->parent == site - m.nodes && cylinder->mesh != BVP_NONE);
    ck_assert(fabs(cylinder->placement[3] - 4000) < 1e-9 && cylinder->placement[0] == 1);
    ck_assert_str_eq(m.meshes[cylinder->mesh].name, "cylinder");
    ck_assert_str_eq(property_of(cylinder, "material"), "5");
    ck_assert_str_eq(property_of(cylinder, "bvpack_colours"), "0:102030ff");
    ck_assert_str_eq(property_of(site, "bvpack_colours"), "");
    ck_assert(node_named(&m, "/LINE")->mesh == BVP_NONE);
    /* a group with volumes of several sorts has them below it */
    const model_node *insulation = node_named(&m, "/PIPE insulation");
    const model_node *pipe = &m.nodes[insulation->parent];
    ck_assert_str_eq(pipe->name, "/PIPE");
    ck_assert(pipe->mesh == BVP_NONE);
    ck_assert_str_eq(property_of(insulation, "volume"), "insulation");
    const model_node *access = node_named(&m, "/PIPE obstruction");
    ck_assert_str_eq(property_of(access, "volume"), "obstruction");
    const model_node *solids = node_named(&m, "/PIPE");
    ck_assert(&m.nodes[solids->parent] == pipe && solids->mesh != BVP_NONE);
    ck_assert_str_eq(property_of(solids, "volume"), "");
    expect_closed(&m.meshes[solids->mesh]);
    const double wanted = M_PI * (2500. * 400 + 6400 * 20);
    ck_assert(fabs(volume_of(&m.meshes[solids->mesh]) / wanted - 1) < .01);
    ck_assert(fabs(solids->placement[3] - 6000) < 1e-9);
    model_free(&m);
}
END_TEST

/* Equal primitives are one part, in whatever direction they are; a group is one part. */
START_TEST(parts)
{
    static const float turned[12] = {0, .001f, 0, -.001f, 0, 0, 0, 0, .001f, 1, 2, 3};
    static const float mirrored[12] = {-.001f, 0, 0, 0, .001f, 0, 0, 0, .001f, 1, 0, 0};
    static const float large[12] = {.1f, 0, 0, 0, .1f, 0, 0, 0, .1f, 0, 0, 0};
    const float numbers[] = {57.15f, 221.5f};
    model m;
    rvm_head(&file);
    for (int i = 0; i < 3; i++) {
        rvm_open_group(&file, "/SAME", 1);
        rvm_primitive(&file, "PRIM", 8, i == 0 ? NULL : i == 1 ? turned : large, numbers);
        rvm_close_group(&file);
    }
    rvm_open_group(&file, "/BOTH", 1);
    rvm_block(&file, turned, 1);
    rvm_block(&file, mirrored, 1);
    rvm_close_group(&file);
    rvm_finish(&file);
    expect_file(&file, NULL, &m);
    ck_assert_uint_eq(m.mesh_count, 3);
    ck_assert(m.nodes[1].mesh == m.nodes[2].mesh && m.nodes[1].mesh != m.nodes[3].mesh);
    /* what is drawn a hundred times as large has ten times the sides */
    ck_assert_uint_gt(m.meshes[m.nodes[3].mesh].triangle_count,
                      9 * m.meshes[m.nodes[1].mesh].triangle_count);
    const double *p = m.nodes[2].placement;
    ck_assert(p[1] == -1 && p[4] == 1 && p[3] == 1000 && p[11] == 3000);
    const model_node *both = node_named(&m, "/BOTH");
    ck_assert_str_eq(m.meshes[both->mesh].name, "/BOTH");
    expect_closed(&m.meshes[both->mesh]);
    ck_assert(fabs(volume_of(&m.meshes[both->mesh]) - 140) < 1e-3);
    ck_assert(both->placement[3] == 1000 && both->placement[7] == 2000);
    model_free(&m);
}
END_TEST

START_TEST(attributes)
{
    static const char text[] =
        "CADC_Attributes_File v1.0 , start: NEW , end: END , name_end: := , sep: &end&\r\n"
        "NEW Header Information\r\n  Source:= PDMS Data &end& Date:= today\r\nEND\r\n"
        "NEW /SITE\r\n  Name:=  /SITE\r\n  Description:= 'HC - \xc4 DECK'\r\n"
        "  NEW /PIPE\r\n    Bore:= 100mm &end& Spec:= /30F1I &end& Pressure:= 0\r\n"
        "    bvpack_colours:= 0:ffffffff\r\n  END\r\n"
        "  NEW /NOBODY\r\n    Bore:= 7\r\n  END\r\n"
        "  what is this\r\n"
        "END\r\n";
    bvp_error error = {0};
    model m;
    make_folder();
    put_file("plant.txt", text);
    rvm_plant(&file);
    const import_options options = {.thread_count = 1};
    bvp_status status =
        model_import_memory(file.bytes, file.size, "a/plant.rvm", folder, &options, &m, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    const model_node *site = node_named(&m, "/SITE");
    const model_node *pipe = &m.nodes[node_named(&m, "/PIPE insulation")->parent];
    ck_assert_str_eq(property_of(site, "Name"), "/SITE");
    ck_assert_str_eq(property_of(site, "Description"), "HC - \xc3\x84 DECK");
    ck_assert_str_eq(property_of(pipe, "Bore"), "100mm");
    ck_assert_str_eq(property_of(pipe, "Spec"), "/30F1I");
    ck_assert_str_eq(property_of(pipe, "Pressure"), "0");
    ck_assert_uint_eq(warnings_of(&m, "elements with attributes"), 1);
    ck_assert_uint_eq(warnings_of(&m, "odd lines"), 1);
    ck_assert_uint_eq(m.file_count, 1);
    ck_assert_str_eq(m.files[0].name, "plant.txt");
    model_free(&m);
    put_file("plant.att", "nothing of the kind");
    remove_folder();
}
END_TEST

/* Of groups with one name the one below the group around it is meant. */
START_TEST(same_names)
{
    static const char text[] =
        "CADC_Attributes_File v1.0\nNEW /B\n NEW VALVE\n  Of:= B\n END\nEND\n"
        "NEW /A\n NEW VALVE\n  Of:= A\n END\nEND\n";
    bvp_error error = {0};
    model m;
    make_folder();
    put_file("plant.att", text);
    rvm_head(&file);
    for (int i = 0; i < 2; i++) {
        rvm_open_group(&file, i ? "/B" : "/A", 1);
        rvm_open_group(&file, "VALVE", 1);
        rvm_primitive(&file, "PRIM", 9, NULL, rvm_examples[9]);
        rvm_close_group(&file);
        rvm_close_group(&file);
    }
    rvm_finish(&file);
    const import_options options = {.thread_count = 1};
    ck_assert_int_eq(
        model_import_memory(file.bytes, file.size, "plant.rvm", folder, &options, &m, &error),
        BVP_OK);
    ck_assert_str_eq(property_of(&m.nodes[2], "Of"), "A");
    ck_assert_str_eq(property_of(&m.nodes[4], "Of"), "B");
    model_free(&m);
    remove_folder();
}
END_TEST

/* ---- broken files ---------------------------------------------------------------------------- */

static void refuse_file(bvp_status status, const char *phrase)
{
    expect_refusal_of("rvm", file.bytes, file.size, 0, status, phrase);
}

static size_t chunk_at; /* of the primitive that broken() makes */

/* A file with one primitive. */
static void broken(uint32_t kind)
{
    rvm_head(&file);
    rvm_open_group(&file, "/A", 1);
    chunk_at = file.size;
    if (kind == 11)
        rvm_block(&file, NULL, 1);
    else
        rvm_primitive(&file, "PRIM", kind, NULL, rvm_examples[kind]);
    rvm_close_group(&file);
    rvm_finish(&file);
}

START_TEST(refusals)
{
    enum { NEXT = 16, KIND = 28, MATRIX = 32, NUMBERS = MATRIX + 72 };
    broken(8);
    rvm_set(&file, 0, 'X');
    refuse_file(BVP_ERR_NOT_OURS, "whose first chunk is HEAD, found XEAD");
    expect_refusal_of(NULL, "HEAD\r\n    1   1\r\n", 16, 0, BVP_ERR_NOT_OURS, "RVM file as text");
    broken(8);
    rvm_set(&file, chunk_at, 0x80);
    refuse_file(BVP_ERR_CORRUPT, "expected a chunk's name, one letter in each word");
    broken(8);
    rvm_set(&file, chunk_at + NEXT, (uint32_t)chunk_at);
    refuse_file(BVP_ERR_CORRUPT, "PRIM: expected the next chunk's offset");
    rvm_set(&file, chunk_at + NEXT, (uint32_t)file.size + 1);
    refuse_file(BVP_ERR_CORRUPT, "PRIM: expected the next chunk's offset");
    rvm_set(&file, chunk_at + NEXT, (uint32_t)(chunk_at + NUMBERS + 4));
    refuse_file(BVP_ERR_CORRUPT, "");
    broken(8);
    rvm_set(&file, chunk_at + KIND, 12);
    refuse_file(BVP_ERR_CORRUPT, "expected a kind of primitive, 1 to 11, found 12");
    broken(8);
    rvm_set(&file, chunk_at + NUMBERS, 0x7fc00000);
    refuse_file(BVP_ERR_ARGUMENT, "PRIM: a measure: expected a finite number, found nan");
    broken(8);
    rvm_set(&file, chunk_at + MATRIX, 0);
    refuse_file(BVP_ERR_ARGUMENT, "expected a placement of three directions");
    broken(7);
    rvm_set(&file, chunk_at + NUMBERS + 20, 0x40490fdb);
    refuse_file(BVP_ERR_ARGUMENT, "lean by less than 90 degrees");
    broken(9);
    rvm_set(&file, chunk_at + NUMBERS, 0x7e000000);
    refuse_file(BVP_ERR_LIMIT, "takes more than 4096 sides");
    broken(11);
    rvm_set(&file, chunk_at + NUMBERS, 0x40000000);
    refuse_file(BVP_ERR_CORRUPT, "expected the number of polygons that fits into");
    broken(11);
    rvm_set(&file, chunk_at + NUMBERS + 8, 0xffffffff);
    refuse_file(BVP_ERR_CORRUPT, "expected the number of a contour's corners that fits into");
    broken(8);
    rvm_set(&file, 28, 0x7fffffff);
    refuse_file(BVP_ERR_CORRUPT, "HEAD: expected the length of info, at most");
    broken(8);
    file.size = chunk_at;
    refuse_file(BVP_ERR_CORRUPT, "expected a chunk, found the end of the file; it is cut off");
    rvm_finish(&file);
    refuse_file(BVP_ERR_CORRUPT, "found the end with 1 groups open");
    rvm_head(&file);
    rvm_close_group(&file);
    rvm_finish(&file);
    refuse_file(BVP_ERR_CORRUPT, "but none is open");
    rvm_head(&file);
    for (int i = 0; i < 257; i++)
        rvm_open_group(&file, "/A", 1);
    refuse_file(BVP_ERR_LIMIT, "more than 256 deep");
    rvm_head(&file);
    rvm_finish(&file);
    refuse_file(BVP_ERR_ARGUMENT, "no triangles");
}
END_TEST

/* Every file that ends too early is refused, and none is read beyond its end. */
START_TEST(cut_off)
{
    rvm_plant(&file);
    for (size_t size = 1; size + 24 < file.size; size++) {
        bvp_error error;
        model m;
        bvp_status status = import_bytes("rvm", file.bytes, size, 0, &m, &error);
        ck_assert_msg(status == BVP_ERR_CORRUPT, "%zu bytes: %d, %s", size, status, error.message);
    }
}
END_TEST

START_TEST(dropped)
{
    bvp_error error;
    model m;
    rvm_head(&file);
    rvm_open_group(&file, "/A", 1);
    rvm_primitive(&file, "PRIM", 8, NULL, (const float[]){NAN, 1});
    rvm_primitive(&file, "PRIM", 8, NULL, (const float[]){1, 1});
    rvm_close_group(&file);
    rvm_finish(&file);
    ck_assert_int_eq(import_bytes("rvm", file.bytes, file.size, 1, &m, &error), BVP_OK);
    ck_assert_uint_eq(m.mesh_count, 1);
    ck_assert_uint_eq(warnings_of(&m, "not finite or without a placement"), 1);
    model_free(&m);
}
END_TEST

SUITE(test_import_rvm)
{
    return suite_run("import_rvm", (const TTest *[]){tree, parts, attributes, same_names, refusals,
                                                     cut_off, dropped, NULL});
}
