/* SPDX-License-Identifier: MIT
 * test_import_ap242.c: AP242 XML: the tree, placements, files and units, properties; broken ones.
 */
#include <math.h>
#include "import_folder.h"
#include "suite.h"

static const import_hooks *millimetres; /* or NULL: files are read as they are */

static bvp_status read_ap242(const char *dir, const char *body, model *m, bvp_error *error)
{
    const import_options options = {.thread_count = 1, .hooks = millimetres};
    static char text[65536];
    ck_assert_int_lt(
        snprintf(text, sizeof text,
                 "<?xml version='1.0'?>\n<n0:Uos "
                 "xmlns:n0='http://standards.iso.org/iso/ts/10303/-4442/-ed-2/tech/xml-schema/"
                 "domain_model' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>\n"
                 "<DataContainer xsi:type='n0:AP242DataContainer'>\n%s</DataContainer></n0:Uos>",
                 body),
        (int)sizeof text);
    return import_in(dir, text, 1, &options, m, error);
}

static void expect(const char *body, model *m)
{
    bvp_error error;
    const bvp_status status = read_ap242(folder, body, m, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    ck_assert_str_eq(m->format, "AP242 XML");
}

static void refuse(const char *body, bvp_status status, const char *phrase)
{
    bvp_error error;
    model m;
    ck_assert_int_eq(read_ap242(folder, body, &m, &error), status);
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
        ck_assert_double_eq_tol(n->placement[4 * i + 3], move[i], 1e-15);
}

#define MM                                                                                         \
    "<Unit uid='mm'><Name><ClassString>metre</ClassString></Name><Prefix><ClassString>milli"       \
    "</ClassString></Prefix><Quantity><ClassString>length</ClassString></Quantity></Unit>\n"
#define FILE_OF(uid, location)                                                                     \
    "<File xsi:type='n0:DigitalFile' uid='" uid "'><Locations><ExternalItem><Id id='" location     \
    "'/></ExternalItem></Locations></File>\n"
/* A part with one view; its number is `id`. */
#define PART(id, name, view)                                                                       \
    "<Part uid='p-" id "'><Id id='" id "'/><Name><CharacterString>" name                           \
    "</CharacterString></Name><Versions><PartVersion uid='v-" id "'><Id id='A'/><Views><PartView " \
    "uid='w-" id "'>" view "</PartView></Views></PartVersion></Versions></Part>\n"
#define DOCUMENT(file)                                                                             \
    "<DocumentAssignment><AssignedDocument uidRef='" file "'/></DocumentAssignment>"
#define OCCURRENCE(uid, id)                                                                        \
    "<Occurrence xsi:type='n0:SingleOccurrence' uid='" uid "'><Id id='" id "'/></Occurrence>"
#define PLACED(uid, placement)                                                                     \
    "<ViewOccurrenceRelationship xsi:type='n0:NextAssemblyOccurrenceUsage' uid='r-" uid            \
    "'><Related uidRef='" uid "'/>" placement "</ViewOccurrenceRelationship>\n"
#define MOVED(vector)                                                                              \
    "<Placement><CartesianTransformation><RotationMatrix>1 0 0 0 1 0 0 0 1</RotationMatrix>"       \
    "<TranslationVector>" vector "</TranslationVector></CartesianTransformation></Placement>"

static const double home[3] = {0, 0, 0};

/* An assembly with a sub-assembly that is there twice, each with two bolts. */
START_TEST(unfolds)
{
    model m;
    make_folder();
    expect(MM FILE_OF("f1", "./tri.obj") FILE_OF("f2", "parts\\two.obj") PART(
               "skid", "Skid",
               PLACED("o1", MOVED("0 0 0"))
                   PLACED("o2", "<Placement><CartesianTransformation><RotationMatrix>"
                                "0 1 0 -1 0 0 0 0 1</RotationMatrix><TranslationVector>5 6\n7"
                                "</TranslationVector></CartesianTransformation></Placement>")
                       PLACED("o3", MOVED("0 0 0")))
               PART("flange", "Flange",
                    OCCURRENCE("o1", "left") OCCURRENCE("o2", "right") PLACED("o4", MOVED("0 0 0"))
                        PLACED("o5", MOVED(".5 0 0")))
                   PART("bolt", "Bolt",
                        OCCURRENCE("o4", "bolt.1") OCCURRENCE("o5", "bolt.2") DOCUMENT("f1"))
                       PART("plate", "Plate &amp; rim", "<Occurrence uid='o3'/>" DOCUMENT("f2")),
           &m);
    const uint32_t none = BVP_NONE;
    ck_assert_double_eq(m.unit_in_metres, .001);
    ck_assert_uint_eq(m.mesh_count, 3);
    ck_assert_uint_eq(m.node_count, 10);
    expect_node(&m, 0, "Skid", none, none, home);
    expect_node(&m, 1, "left", 0, none, home);
    expect_node(&m, 2, "bolt.1", 1, 0, home);
    expect_node(&m, 3, "bolt.2", 1, 0, (double[]){.5, 0, 0});
    expect_node(&m, 4, "right", 0, none, (double[]){5, 6, 7});
    ck_assert(m.nodes[4].placement[1] == -1 && m.nodes[4].placement[4] == 1); /* axis by axis */
    expect_node(&m, 5, "bolt.1", 4, 0, home);
    expect_node(&m, 7, "Plate & rim", 0, none, home);
    expect_node(&m, 8, "left", 7, 1, home);
    ck_assert_str_eq(property_of(&m.nodes[2], "part_number"), "bolt");
    ck_assert_str_eq(property_of(&m.nodes[2], "product"), "Bolt");
    ck_assert_str_eq(property_of(&m.nodes[2], "revision"), "A");
    ck_assert_str_eq(property_of(&m.nodes[7], "product"), "");
    ck_assert_uint_eq(m.file_count, 2);
    ck_assert_uint_eq(m.warning_count, 1); /* OBJ has no unit */
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

#define UNIT(uid, name)                                                                            \
    "<Unit uid='" uid "'><Name><ClassString>" name                                                 \
    "</ClassString></Name><Quantity><ClassString>length</ClassString></Quantity></Unit>"

START_TEST(units)
{
    static const import_hooks hooks = {.import = in_millimetres};
    const char *parts = FILE_OF("f", "tri.obj") PART("a", "a", PLACED("o", MOVED("3 0 0")))
        PART("b", "b", OCCURRENCE("o", "b1") DOCUMENT("f"));
    char body[4096];
    model m;
    make_folder();
    millimetres = &hooks;
    snprintf(body, sizeof body, "%s%s", UNIT("u", "metre"), parts);
    expect(body, &m);
    ck_assert_double_eq(m.unit_in_metres, 1);
    expect_node(&m, 1, "b1", 0, 0, (double[]){3, 0, 0});
    ck_assert_double_eq(m.nodes[1].placement[0], .001);
    model_free(&m);
    snprintf(body, sizeof body, "%s%s", UNIT("u", "inch"), parts);
    expect(body, &m);
    ck_assert_double_eq(m.unit_in_metres, .0254);
    ck_assert_double_eq_tol(m.nodes[1].placement[0], 1 / 25.4, 1e-15);
    model_free(&m);
    expect(parts, &m); /* none: millimetres, which is said */
    ck_assert_double_eq(m.unit_in_metres, .001);
    ck_assert_uint_eq(m.warning_count, 1);
    ck_assert_ptr_nonnull(strstr(m.warnings[0].text, "without a unit of length"));
    model_free(&m);
    snprintf(body, sizeof body, MM UNIT("u", "inch") "%s", parts);
    refuse(body, BVP_ERR_ARGUMENT, "a second unit of length");
    millimetres = NULL;
    remove_folder();
}
END_TEST

/* As axes, inline and by reference; a placement of another kind is no identity. */
START_TEST(axes)
{
    model m;
    make_folder();
    expect(MM FILE_OF("f", "tri.obj")
               PART("a", "a",
                    PLACED("o1",
                           "<Placement><AxisPlacement><Position>1 2 3</Position><Axis>0 0 -2</Axis>"
                           "<RefDirection>0 5 4</RefDirection></AxisPlacement></Placement>")
                        PLACED("o2", "<Placement uidRef='x'/>") PLACED("o3", ""))
                   PART("b", "b",
                        OCCURRENCE("o1", "1") OCCURRENCE("o2", "2") OCCURRENCE("o3", "3")
                            DOCUMENT("f")) "<AxisPlacement uid='x'><Position>4 5 6</Position>"
                                           "</AxisPlacement>\n",
           &m);
    static const double turned[12] = {0, 1, 0, 1, 1, 0, 0, 2, 0, 0, -1, 3};
    for (int i = 0; i < 12; i++)
        ck_assert_double_eq_tol(m.nodes[1].placement[i], turned[i], 1e-15);
    expect_node(&m, 2, "2", 0, 0, (double[]){4, 5, 6});
    expect_node(&m, 3, "3", 0, 0, home);
    ck_assert(m.warning_count == 2 && strstr(m.warnings[0].text, "without a placement"));
    model_free(&m);
    const char *const bad[][2] = {
        {"<Placement/>", "expected a <CartesianTransformation>"},
        {"<Placement uidRef='gone'/>", "no element has the uid \"gone\""},
        {"<Placement><CartesianTransformation/></Placement>", "expected a <RotationMatrix>"},
        {MOVED("1 2"), "expected 3 finite numbers"},
        {MOVED("1 2 nan"), "expected 3 finite numbers"},
        {MOVED("1 2 3 4"), "expected 3 finite numbers"},
        {"<Placement><AxisPlacement><Position>1 2 3</Position><Axis>0 0 0</Axis></AxisPlacement>"
         "</Placement>",
         "no system of axes"},
        {"<Placement><AxisPlacement/></Placement>", "expected a <Position>"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char body[4096];
        snprintf(body, sizeof body,
                 MM FILE_OF("f", "tri.obj") PART("a", "a", PLACED("o", "%s"))
                     PART("b", "b", OCCURRENCE("o", "1") DOCUMENT("f")),
                 bad[i][0]);
        refuse(body, strstr(bad[i][1], "<Cart") ? BVP_ERR_ARGUMENT : BVP_ERR_CORRUPT, bad[i][1]);
    }
    remove_folder();
}
END_TEST

#define VALUE(name, value)                                                                         \
    "<PropertyValueAssignment uid='a-" name value                                                  \
    "'><AssignedPropertyValues><PropertyValue xsi:type='n0:StringValue'><Name><CharacterString>"   \
    "" name "</CharacterString></Name><Value><CharacterString>" value                              \
    "</CharacterString></Value></PropertyValue></AssignedPropertyValues></"                        \
    "PropertyValueAssignment>"

START_TEST(properties)
{
    model m;
    make_folder();
    expect(
        MM FILE_OF(
            "f",
            "tri.obj") "<Effectivity uid='e'><Id id='unit 12-40'/></Effectivity>\n"
                       "<PropertyDefinition uid='pd'><Id id='mass'/></PropertyDefinition>\n" PART(
                           "a", "a",
                           PLACED("o", MOVED("0 0 0") "<EffectivityAssignment><AssignedEffectivity "
                                                      "uidRef='e'/></EffectivityAssignment>"))
                           PART("4711", "valve",
                                "<Occurrence uid='o'><Id><Identifier uid='i' "
                                "id='V-101'/></Id>" VALUE("tag", "x &lt;&#65;&#xe9;>") VALUE(
                                    "bvpack_tolerance", "0") "</Occurrence>" VALUE("tag", "none")
                                    VALUE(
                                        "material",
                                        "1.4301") "<PropertyValueAssignment uid='n'><PropertyValue "
                                                  "xsi:type='n0:NumericalValue'>"
                                                  "<Definition><PropertyDefinition "
                                                  "uidRef='pd'/></Definition><ValueComponent>12.5"
                                                  "</ValueComponent></PropertyValue></"
                                                  "PropertyValueAssignment>" DOCUMENT("f")),
        &m);
    const model_node *node = &m.nodes[1];
    ck_assert_str_eq(node->name, "V-101");
    ck_assert_str_eq(property_of(node, "tag"), "x <A\xc3\xa9>"); /* the occurrence's wins */
    ck_assert_str_eq(property_of(node, "material"), "1.4301");
    ck_assert_str_eq(property_of(node, "mass"), "12.5");
    ck_assert_str_eq(property_of(node, "part_number"), "4711");
    ck_assert_str_eq(property_of(node, "product"), "valve");
    ck_assert_str_eq(property_of(node, "effectivity"), "unit 12-40");
    ck_assert_uint_eq(node->property_count, 7); /* and no tolerance of its own */
    model_free(&m);
    remove_folder();
}
END_TEST

/* By a document's definition, by a geometric model; JT is left out, with a warning. */
START_TEST(files)
{
    model m;
    make_folder();
    expect(
        MM FILE_OF("f1", "a.jt") FILE_OF(
            "f2",
            "tri.obj") "<Document uid='d'><Versions><DocumentVersion "
                       "uid='dv'><Views><DocumentDefinition "
                       "uid='dd'><Files><DigitalFile uidRef='f1'/><DigitalFile "
                       "uidRef='f2'/></Files>"
                       "</DocumentDefinition></Views></DocumentVersion></Versions></Document>\n"
                       "<Representation xsi:type='n0:ExternalGeometricModel' uid='g'><ExternalFile "
                       "uidRef='f2'/></Representation>\n" PART(
                           "top", "top",
                           PLACED("o1", MOVED("0 0 0")) PLACED("o2", MOVED("0 0 0"))
                               PLACED("o3", MOVED("0 0 0")) PLACED("o4", MOVED("0 0 0")))
                           PART("a", "a", OCCURRENCE("o1", "1") DOCUMENT("dd")) PART(
                               "b", "b", OCCURRENCE("o2", "2") "<DefiningGeometry uidRef='g'/>")
                               PART("c", "c", OCCURRENCE("o3", "3") DOCUMENT("f1"))
                                   PART("d", "d", OCCURRENCE("o4", "4")),
        &m);
    ck_assert(m.nodes[1].mesh == 0 && m.nodes[2].mesh == 0);
    ck_assert(m.nodes[3].mesh == BVP_NONE && m.nodes[4].mesh == BVP_NONE);
    ck_assert_uint_eq(m.warning_count, 3);
    ck_assert(m.warnings[0].count == 1 && strstr(m.warnings[0].text, "JT"));
    ck_assert(m.warnings[1].count == 1 && strstr(m.warnings[1].text, "without geometry"));
    model_free(&m);
    refuse(MM FILE_OF("f", "a.jt") PART("a", "a", DOCUMENT("f")), BVP_ERR_ARGUMENT,
           "export parts as STEP");
    refuse(MM FILE_OF("f", "gone.obj") PART("a", "a", DOCUMENT("f")), BVP_ERR_SYSTEM, "gone.obj");
    refuse(MM FILE_OF("f", "../tri.obj") PART("a", "a", DOCUMENT("f")), BVP_ERR_ARGUMENT,
           "--any-path");
    expect(MM FILE_OF("f", "tri.obj") PART("a", "alone", DOCUMENT("f")), &m);
    expect_node(&m, 0, "alone", BVP_NONE, 0, home);
    model_free(&m);
    remove_folder();
}
END_TEST

START_TEST(broken)
{
    bvp_error error;
    model m;
    make_folder();
    refuse("", BVP_ERR_CORRUPT, "expected a <PartView> that is an assembly");
    refuse(PART("a", "a", "<ViewOccurrenceRelationship/>"), BVP_ERR_CORRUPT,
           "case:4: <ViewOccurrenceRelationsh>: expected a <Related>");
    refuse(PART("a", "a", PLACED("gone", "")), BVP_ERR_CORRUPT, "no element has the uid \"gone\"");
    refuse(PART("a", "a", PLACED("mm", "")) MM, BVP_ERR_CORRUPT,
           "<Unit>: expected an occurrence in a <PartView>");
    refuse(PART("a", "a", "") PART("a", "a", ""), BVP_ERR_CORRUPT, "another element has the uid");
    refuse(PART("a", "a", OCCURRENCE("o", "1") PLACED("o", "")), BVP_ERR_CORRUPT,
           "in no other assembly");
    refuse(PART("r", "r",
                "<ViewOccurrenceRelationship><Related uidRef='o'/></ViewOccurrenceRelationship>")
               PART("a", "a", OCCURRENCE("o", "1") PLACED("o", "")),
           BVP_ERR_LIMIT, "does a part contain itself?");
    refuse("<!-- --><Part", BVP_ERR_CORRUPT, "repair the XML text");
    ck_assert_int_eq(
        read_ap242(NULL, MM FILE_OF("f", "tri.obj") PART("a", "a", DOCUMENT("f")), &m, &error),
        BVP_ERR_ARGUMENT);
    remove_folder();
}
END_TEST

/* Each level names the one below twice: a short text of 2^64 nodes. */
START_TEST(too_many)
{
    static char body[60000];
    int size = 0;
    make_folder();
    for (int k = 0; k < 64; k++)
        size += snprintf(body + size, sizeof body - (size_t)size,
                         "<Part><Versions><PartVersion><Views><PartView><Occurrence uid='a%d'/>"
                         "<Occurrence uid='b%d'/><ViewOccurrenceRelationship><Related "
                         "uidRef='a%d'/></ViewOccurrenceRelationship><ViewOccurrenceRelationship>"
                         "<Related uidRef='b%d'/></ViewOccurrenceRelationship></PartView></Views>"
                         "</PartVersion></Versions></Part>\n",
                         k, k, k + 1, k + 1);
    snprintf(body + size, sizeof body - (size_t)size,
             "<Part><Versions><PartVersion><Views><PartView><Occurrence uid='a64'/><Occurrence "
             "uid='b64'/></PartView></Views></PartVersion></Versions></Part>\n");
    refuse(body, BVP_ERR_LIMIT, "nodes");
    remove_folder();
}
END_TEST

/* Values are copied to each node of a part; documents name each other in any number of ways. */
START_TEST(too_many_values)
{
    static char body[60000];
    int size = snprintf(
        body, sizeof body,
        MM FILE_OF("f", "tri.obj") "<Part><Versions><PartVersion><Views><PartView>" DOCUMENT(
            "f") "<PropertyValueAssignment>");
    make_folder();
    for (int k = 0; k < 520; k++)
        size += snprintf(body + size, sizeof body - (size_t)size,
                         "<PropertyValue><Name>%d</Name><Value>x</Value></PropertyValue>", k);
    snprintf(body + size, sizeof body - (size_t)size,
             "</PropertyValueAssignment></PartView></Views></PartVersion></Versions></Part>\n");
    refuse(body, BVP_ERR_LIMIT, "more than 512 property values");
    size = snprintf(body, sizeof body, "%s", MM PART("a", "a", DOCUMENT("d0")));
    for (int k = 0; k < 5; k++) {
        size += snprintf(body + size, sizeof body - (size_t)size, "<Document uid='d%d'>", k);
        for (int i = 0; i < 200; i++)
            size += snprintf(body + size, sizeof body - (size_t)size, "<A uidRef='d%d'/>", k + 1);
        size += snprintf(body + size, sizeof body - (size_t)size, "</Document>\n");
    }
    refuse(body, BVP_ERR_CORRUPT, "expected a <PartView>");
    remove_folder();
}
END_TEST

SUITE(test_import_ap242)
{
    const TTest *const tests[] = {unfolds,  units,           axes, properties, files, broken,
                                  too_many, too_many_values, NULL};
    return suite_run("import_ap242", tests);
}
