/* SPDX-License-Identifier: MIT
 * test_import_plmxml.c: PLM XML: the tree, placements, files and units, properties; broken ones.
 */
#include <math.h>
#include "import_folder.h"
#include "suite.h"

static const import_hooks *millimetres; /* or NULL: files are read as they are */

static bvp_status read_plmxml(const char *dir, const char *body, model *m, bvp_error *error)
{
    const import_options options = {.thread_count = 1, .hooks = millimetres};
    static char text[32768];
    ck_assert_int_lt(
        snprintf(text, sizeof text,
                 "<?xml version='1.0'?>\n<PLMXML "
                 "xmlns='http://www.plmxml.org/Schemas/PLMXMLSchema' schemaVersion='6'>\n%s"
                 "</PLMXML>",
                 body),
        (int)sizeof text);
    return import_in(dir, text, 1, &options, m, error);
}

static void expect(const char *body, model *m)
{
    bvp_error error;
    const bvp_status status = read_plmxml(folder, body, m, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    ck_assert_str_eq(m->format, "PLM XML");
    ck_assert_double_eq(m->unit_in_metres, 1);
}

static void refuse(const char *body, bvp_status status, const char *phrase)
{
    bvp_error error;
    model m;
    ck_assert_int_eq(read_plmxml(folder, body, &m, &error), status);
    ck_assert_msg(strstr(error.message, phrase) != NULL, "\"%s\" is not in: %s", phrase,
                  error.message);
}

static const char *property_of(const model_node *node, const char *key)
{
    for (uint32_t i = 0; i < node->property_count; i++)
        if (strcmp(node->properties[i].key, key) == 0)
            return node->properties[i].value;
    return "";
}

static void expect_node(const model *m, uint32_t node, const char *name, uint32_t parent,
                        uint32_t mesh, const double move[3])
{
    ck_assert_uint_lt(node, m->node_count);
    const model_node *n = &m->nodes[node];
    ck_assert_str_eq(n->name, name);
    ck_assert_uint_eq(n->parent, parent);
    ck_assert_uint_eq(n->mesh, mesh);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(n->placement[4 * i + 3], move[i]);
}

#define GRAPH(roots, body)                                                                         \
    "<ProductDef id='d'><InstanceGraph id='g' rootRefs='" roots "'>\n" body                        \
    "</InstanceGraph></ProductDef>\n"
#define FILE_OF(location) "<Representation id='' format='x' location='" location "'/>"
#define LEAF(id, name, location)                                                                   \
    "<ProductRevisionView id='" id "' name='" name "'>" FILE_OF(location) "</"                     \
                                                                          "ProductRevisionView>\n"

static const double home[3] = {0, 0, 0};

/* An assembly with a sub-assembly that is there twice, each with two bolts. */
START_TEST(unfolds)
{
    model m;
    make_folder();
    expect(GRAPH("v1", "<ProductRevisionView id='v1' name='skid' instanceRefs='i1 i2 #i3'/>\n"
                       "<ProductInstance id='i1' name='left' partRef='#v2'/>\n"
                       "<ProductInstance id='i2' name='right' partRef='#v2'><Transform id='t1'>"
                       "0 1 0 0\n-1 0 0 0  0 0 1 0\t5 6 7 1 </Transform></ProductInstance>\n"
                       "<Instance id='i3' instancedRef='v3'/>\n"
                       "<ProductRevisionView id='v2' name='flange' instanceRefs='i4 i5'/>\n"
                       "<ProductInstance id='i4' name='bolt:1' partRef='v4'/>"
                       "<ProductInstance id='i5' name='bolt:2' partRef='v4'><Transform>"
                       "1 0 0 0 0 1 0 0 0 0 1 0 .5 0 0 1</Transform></ProductInstance>\n" LEAF(
                           "v3", "plate", "parts\\two.obj") LEAF("v4", "bolt", "./tri.obj")),
           &m);
    const uint32_t none = BVP_NONE;
    ck_assert_uint_eq(m.mesh_count, 3);
    ck_assert_uint_eq(m.node_count, 10);
    expect_node(&m, 0, "skid", none, none, home);
    expect_node(&m, 1, "left", 0, none, home);
    expect_node(&m, 2, "bolt:1", 1, 0, home);
    expect_node(&m, 3, "bolt:2", 1, 0, (double[]){.5, 0, 0});
    expect_node(&m, 4, "right", 0, none, (double[]){5, 6, 7});
    ck_assert(m.nodes[4].placement[1] == -1 && m.nodes[4].placement[4] == 1); /* by columns */
    expect_node(&m, 5, "bolt:1", 4, 0, home);
    expect_node(&m, 6, "bolt:2", 4, 0, (double[]){.5, 0, 0});
    expect_node(&m, 7, "plate", 0, none, home);
    expect_node(&m, 8, "left", 7, 1, home);
    expect_node(&m, 9, "right", 7, 2, home);
    ck_assert_uint_eq(m.file_count, 2);
    ck_assert_uint_eq(m.warning_count, 1); /* OBJ has no unit */
    ck_assert_uint_eq(m.warnings[0].count, 2);
    model_free(&m);
    remove_folder();
}
END_TEST

/* Reads part files as if they said that their unit is the millimetre. */
static bvp_status in_millimetres(void *user, const void *data, size_t size, const uint8_t hash[16],
                                 const char *path, const char *dir, const import_options *options,
                                 model *out, bvp_error *error)
{
    const bvp_status status = model_import_memory(data, size, path, dir, options, out, error);
    (void)user, (void)hash;
    if (status == BVP_OK)
        out->unit_in_metres = .001;
    return status;
}

/* A part's file in another unit is scaled; what hangs on the part's node is not. */
START_TEST(units)
{
    static const import_hooks hooks = {.import = in_millimetres};
    model m;
    make_folder();
    put_file("one part.obj", one_triangle);
    millimetres = &hooks;
    expect(GRAPH("v1", "<Part id='v1' name='a' instanceRefs='i1'>" FILE_OF(
                           "one%20part.obj") "</Part>\n"
                                             "<Instance id='i1' partRef='v2'><Transform>"
                                             "1 0 0 0 0 1 0 0 0 0 1 0 3 0 0 1</Transform>"
                                             "</Instance>\n" LEAF("v2", "b", "one part.obj")),
           &m);
    millimetres = NULL;
    ck_assert_uint_eq(m.file_count, 1); /* read once */
    ck_assert_uint_eq(m.mesh_count, 1);
    ck_assert_uint_eq(m.warning_count, 0);
    ck_assert_uint_eq(m.node_count, 3);
    expect_node(&m, 0, "a", BVP_NONE, BVP_NONE, home);
    ck_assert(m.nodes[1].parent == 0 && m.nodes[1].mesh == 0);
    ck_assert_str_eq(m.nodes[1].name, "a");
    ck_assert_double_eq(m.nodes[0].placement[0], 1);
    ck_assert_double_eq(m.nodes[1].placement[0], .001);
    expect_node(&m, 2, "b", 0, 0, (double[]){3, 0, 0});
    ck_assert_double_eq(m.nodes[2].placement[5], .001);
    model_free(&m);
    remove_folder();
}
END_TEST

START_TEST(properties)
{
    model m;
    make_folder();
    expect(
        GRAPH(
            "i1",
            "<ProductInstance id='i1' name='valve' partRef='v1' effectivityRefs='e1'>"
            "<UserData id='u1'><UserValue title='tag' value='V-101'/>"
            "<UserValue title='mass' value=''/></UserData></ProductInstance>\n"
            "<ProductRevisionView id='v1' name='DN80' revisionRef='#r1'>" FILE_OF(
                "tri.obj") "<UserData><UserValue title='tag' value='none'/>"
                           "<UserValue title='material' "
                           "value='1.4301'/></UserData></ProductRevisionView>\n") "<ProductRevision"
                                                                                  " id='r1' "
                                                                                  "revision='C' "
                                                                                  "masterRef='#p1'/"
                                                                                  ">\n"
                                                                                  "<Product "
                                                                                  "id='p1' "
                                                                                  "productId='"
                                                                                  "000471'/"
                                                                                  ">\n<Effectivity "
                                                                                  "id='e1' "
                                                                                  "name='unit "
                                                                                  "12-40'/>\n",
        &m);
    ck_assert_uint_eq(m.node_count, 1);
    ck_assert_str_eq(property_of(&m.nodes[0], "tag"), "V-101"); /* the instance's wins */
    ck_assert_str_eq(property_of(&m.nodes[0], "material"), "1.4301");
    ck_assert_str_eq(property_of(&m.nodes[0], "part_number"), "000471");
    ck_assert_str_eq(property_of(&m.nodes[0], "revision"), "C");
    ck_assert_str_eq(property_of(&m.nodes[0], "effectivity"), "unit 12-40");
    ck_assert_uint_eq(m.nodes[0].property_count, 5);
    model_free(&m);
    remove_folder();
}
END_TEST

/* JT is left out with a warning, and the first representation that can be read is taken. */
START_TEST(representations)
{
    model m;
    make_folder();
    expect(GRAPH("v1 v2 v3",
                 "<Part id='v1' name='a'><Representation location='a.jt'/><Representation "
                 "location='tri.obj'/></Part>\n<Part id='v2' name='b'><CompoundRep "
                 "location='b.JT'/></Part>\n<Part id='v3' name='c'/>\n"),
           &m);
    ck_assert_uint_eq(m.node_count, 3);
    ck_assert(m.nodes[0].mesh == 0 && m.nodes[1].mesh == BVP_NONE && m.nodes[2].mesh == BVP_NONE);
    ck_assert_uint_eq(m.warning_count, 3);
    ck_assert(m.warnings[0].count == 1 && strstr(m.warnings[0].text, "JT"));
    ck_assert(m.warnings[1].count == 1 && strstr(m.warnings[1].text, "without geometry"));
    model_free(&m);
    refuse(GRAPH("v1", LEAF("v1", "a", "a.jt")), BVP_ERR_ARGUMENT, "export parts as STEP");
    remove_folder();
}
END_TEST

START_TEST(broken)
{
    bvp_error error;
    model m;
    make_folder();
    refuse("", BVP_ERR_CORRUPT, "expected an <InstanceGraph>");
    refuse("<InstanceGraph/>", BVP_ERR_CORRUPT, "case:3: <InstanceGraph>: expected \"rootRefs\"");
    refuse(GRAPH("v9", ""), BVP_ERR_CORRUPT, "no element has the id \"v9\"");
    refuse(GRAPH("i1", "<ProductInstance id='i1'/>"), BVP_ERR_CORRUPT, "expected \"partRef\"");
    refuse(GRAPH("i1", "<ProductInstance id='i1' partRef='#gone'/>"), BVP_ERR_CORRUPT,
           "no element has the id \"gone\"");
    refuse(GRAPH("v1", LEAF("v1", "a", "tri.obj") LEAF("v1", "b", "tri.obj")), BVP_ERR_CORRUPT,
           "another element has the id \"v1\"");
    refuse(GRAPH("i1", "<ProductInstance id='i1' partRef='v1'><Transform>1 0 0 0 0 1 0 0 0 0 1 0 0 "
                       "0 0</Transform></ProductInstance>" LEAF("v1", "a", "tri.obj")),
           BVP_ERR_CORRUPT, "<Transform>: expected 16 finite numbers");
    refuse(GRAPH("i1", "<ProductInstance id='i1' partRef='v1'><Transform>1 0 0 0 0 1 0 0 0 0 1 0 0 "
                       "nan 0 1</Transform></ProductInstance>" LEAF("v1", "a", "tri.obj")),
           BVP_ERR_CORRUPT, "<Transform>: expected 16 finite numbers");
    refuse(GRAPH("v1", "<Part id='v1' instanceRefs='i1'/><Instance id='i1' partRef='v1'/>"),
           BVP_ERR_LIMIT, "does a part contain itself?");
    refuse(GRAPH("v1", LEAF("v1", "a", "gone.obj")), BVP_ERR_SYSTEM, "gone.obj");
    refuse(GRAPH("v1", LEAF("v1", "a", "../tri.obj")), BVP_ERR_ARGUMENT, "--any-path");
    ck_assert_int_eq(read_plmxml(NULL, GRAPH("v1", LEAF("v1", "a", "tri.obj")), &m, &error),
                     BVP_ERR_ARGUMENT);
    remove_folder();
}
END_TEST

/* Each level names the one below twice: a short text of 2^64 nodes. */
START_TEST(too_many)
{
    char body[8192];
    int size = snprintf(body, sizeof body, "<InstanceGraph rootRefs='v0'>");
    make_folder();
    for (int k = 0; k < 64; k++)
        size +=
            snprintf(body + size, sizeof body - (size_t)size,
                     "<Part id='v%d' instanceRefs='i%d i%d'/><Instance id='i%d' partRef='v%d'/>", k,
                     k, k, k, k + 1);
    size += snprintf(body + size, sizeof body - (size_t)size, "<Part id='v64'/></InstanceGraph>");
    ck_assert_int_lt(size, (int)sizeof body - 200);
    refuse(body, BVP_ERR_LIMIT, "nodes");
    remove_folder();
}
END_TEST

/* Values are copied to each node of a part. */
START_TEST(too_many_values)
{
    enum { MOST = 512 };
    static char body[200 + (MOST + 1) * 40];
    make_folder();
    for (int count = MOST; count <= MOST + 1; count++) {
        int size = snprintf(body, sizeof body,
                            "<InstanceGraph rootRefs='v'><Part id='v'>"
                            "<Representation location='tri.obj'/><UserData>");
        for (int k = 0; k < count; k++)
            size += snprintf(body + size, sizeof body - (size_t)size,
                             "<UserValue title='%d' value='x'/>", k);
        snprintf(body + size, sizeof body - (size_t)size, "</UserData></Part></InstanceGraph>");
        if (count > MOST) {
            refuse(body, BVP_ERR_LIMIT, "more than 512 user values, or references");
        } else {
            model m;
            expect(body, &m);
            ck_assert_uint_eq(m.nodes[0].property_count, MOST);
            model_free(&m);
        }
    }
    remove_folder();
}
END_TEST

SUITE(test_import_plmxml)
{
    const TTest *const tests[] = {unfolds, units,    properties,      representations,
                                  broken,  too_many, too_many_values, NULL};
    return suite_run("import_plmxml", tests);
}
