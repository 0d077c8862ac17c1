/* SPDX-License-Identifier: MIT
 * test_import_urdf.c: robots: links, joints and their values, shapes, where meshes are; broken
 * ones.
 */
#include <math.h>
#include "import_folder.h"
#include "suite.h"
#include "path/whole_path.h"

static import_options options;

static bvp_status import_robot(const char *dir, const char *body, model *m, bvp_error *error)
{
    char text[4096];
    options.thread_count = 1;
    ck_assert_int_lt(snprintf(text, sizeof text, "<robot name='r'>\n%s</robot>", body),
                     (int)sizeof text);
    return import_in(dir, text, 0, &options, m, error);
}

static void expect(const char *body, model *m)
{
    bvp_error error;
    bvp_status status = import_robot(folder, body, m, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    ck_assert_str_eq(m->format, "URDF");
    ck_assert(m->unit_in_metres == 1 && m->up == BVP_UP_Z);
}

static void refuse_in(const char *dir, const char *body, bvp_status status, const char *phrase)
{
    bvp_error error;
    model m;
    ck_assert_int_eq(import_robot(dir, body, &m, &error), status);
    ck_assert_msg(strstr(error.message, phrase) != NULL, "\"%s\" is not in: %s", phrase,
                  error.message);
}

static void refuse(const char *body, bvp_status status, const char *phrase)
{
    refuse_in(folder, body, status, phrase);
}

static const model_node *node_named(const model *m, const char *name)
{
    for (uint32_t i = 0; i < m->node_count; i++)
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

static void expect_placement(const model_node *node, const double expected[12])
{
    for (int i = 0; i < 12; i++)
        ck_assert_msg(fabs(node->placement[i] - expected[i]) < 1e-15, "%s: %d is %.17g", node->name,
                      i, node->placement[i]);
}

#define BOX         "<collision><geometry><box size='2 4 6'/></geometry></collision>"
#define LINK(name)  "<link name='" name "'>" BOX "</link>"
#define ENDS(a, b)  "<parent link='" a "'/><child link='" b "'/>"
#define ORIGIN(xyz) "<origin xyz='" xyz "'/>"
#define AXIS(xyz)   "<axis xyz='" xyz "'/>"
#define ARM                                                                                        \
    LINK("base")                                                                                   \
    LINK("upper")                                                                                  \
    LINK("lower")                                                                                  \
    LINK("tool")                                                                                   \
    "<joint name='j1' type='revolute'>" ORIGIN("0 0 1") ENDS("base", "upper")                      \
        AXIS("0 0 2") "<limit lower='-1' upper='2'/></joint>\n"                                    \
                      "<joint name='j2' type='prismatic'>" ENDS("upper", "lower") AXIS(            \
                          "0 1 0") "<mimic joint='j1' multiplier='2' offset='.5'/></joint>\n"      \
                                   "<joint name='j3' type='fixed'><origin xyz='1 2 3' rpy='0 0 "   \
                                   "1.5707963267948966'/>" ENDS("lower", "tool") "</joint>\n"

START_TEST(arm)
{
    model m;
    make_folder();
    options = (import_options){0};
    expect(ARM, &m);
    ck_assert_uint_eq(m.mesh_count, 1);
    ck_assert_uint_eq(m.meshes[0].triangle_count, 12);
    ck_assert_uint_eq(m.node_count, 9);
    ck_assert_str_eq(m.nodes[0].name, "r");
    const model_node *base = node_named(&m, "base"), *upper = node_named(&m, "upper"),
                     *lower = node_named(&m, "lower"), *tool = node_named(&m, "tool"),
                     *shape = node_named(&m, "tool collision");
    ck_assert(base->parent == 0 && upper->parent == base - m.nodes);
    ck_assert(lower->parent == upper - m.nodes && tool->parent == lower - m.nodes);
    ck_assert(shape->parent == tool - m.nodes && shape->mesh == 0 && tool->mesh == BVP_NONE);
    expect_placement(upper, (double[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1});
    expect_placement(lower, (double[]){1, 0, 0, 0, 0, 1, 0, .5, 0, 0, 1, 0});
    expect_placement(tool, (double[]){0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3});
    ck_assert_str_eq(property_of(upper, "joint"), "j1");
    ck_assert_str_eq(property_of(upper, "link"), "upper");
    ck_assert_str_eq(property_of(tool, "joint_type"), "fixed");
    ck_assert_str_eq(property_of(lower, "joint_value"), "0.5");
    model_free(&m);
    remove_folder();
}
END_TEST

START_TEST(values)
{
    const double s = sin(1), c = cos(1);
    model m;
    make_folder();
    options = (import_options){.joints = "j1=1"};
    expect(ARM, &m);
    expect_placement(node_named(&m, "upper"), (double[]){c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 1});
    ck_assert(node_named(&m, "lower")->placement[7] == 2.5);
    ck_assert_uint_eq(m.warning_count, 0);
    model_free(&m);
    options.joints = "j2=-7 , j1=180deg";
    expect(ARM, &m);
    expect_placement(node_named(&m, "upper"), (double[]){-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 1});
    ck_assert(node_named(&m, "lower")->placement[7] == -7);
    ck_assert_uint_eq(warnings_of(&m, "joint j1 stands at 3.14159, outside its limits -1 to 2"), 1);
    model_free(&m);
    char path[64];
    put_file("values", "# pose\nj1=0.5\n j2=3 # shift\n");
    snprintf(path, sizeof path, "@%s/values", folder);
    options.joints = path;
    expect(ARM, &m);
    ck_assert(node_named(&m, "lower")->placement[7] == 3);
    model_free(&m);
    static const char *const bad[][2] = {{"j9=1", "the name of a joint, found \"j9\""},
                                         {"j3=1", "expected a revolute"},
                                         {"j1", "name=value, found \"j1\""},
                                         {"j1=", "expected a number"},
                                         {"j1=1e999", "expected a number"},
                                         {"j1=nan", "expected a number"},
                                         {"j1=1x", "expected a number, found \"1x\""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.joints = bad[i][0];
        refuse(ARM, BVP_ERR_ARGUMENT, bad[i][1]);
    }
    options.joints = "@no such file";
    refuse(ARM, BVP_ERR_SYSTEM, "can't be read");
    options.joints = NULL;
    remove_folder();
}
END_TEST

/* Twice the volume, by the divergence theorem: closed and facing outward only if it is positive. */
static double volume_of(const model_mesh *mesh)
{
    double sum = 0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        double p[3][3];
        for (int k = 0; k < 9; k++)
            p[k / 3][k % 3] = corner_at(mesh, t, k / 3, k % 3);
        sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
               p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
               p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return sum / 6;
}

START_TEST(solids)
{
    const double pi = 3.14159265358979323846;
    model m;
    make_folder();
    options = (import_options){0};
    expect("<link name='a'>" BOX BOX
           "<collision><geometry><cylinder radius='2' length='3'/></geometry></collision>"
           "<collision name='ball'><geometry><sphere radius='2'/></geometry></collision>"
           "<collision><geometry><capsule radius='2'/></geometry></collision></link>",
           &m);
    ck_assert_uint_eq(m.mesh_count, 3);
    ck_assert(volume_of(&m.meshes[0]) == 48);
    ck_assert_uint_eq(m.meshes[1].triangle_count, 124);
    ck_assert_uint_eq(m.meshes[2].triangle_count, 960);
    ck_assert(fabs(volume_of(&m.meshes[1]) / (12 * pi) - 1) < 0.01);
    ck_assert(fabs(volume_of(&m.meshes[2]) / (32 * pi / 3) - 1) < 0.03);
    ck_assert_uint_eq(node_named(&m, "ball")->mesh, 2);
    ck_assert_uint_eq(warnings_of(&m, "no mesh, box, cylinder or sphere"), 1);
    model_free(&m);
    options.urdf_visual = 1;
    expect("<link name='a'/><link name='b'>" BOX "</link><link name='c'><visual><geometry><box "
           "size='1 1 1'/></geometry></visual></link>",
           &m);
    ck_assert_uint_eq(m.mesh_count, 1);
    ck_assert_uint_eq(warnings_of(&m, "without visual shapes"), 1);
    ck_assert_uint_eq(warnings_of(&m, "no joint connects"), 2);
    model_free(&m);
    options.urdf_visual = 0;
    remove_folder();
}
END_TEST

#define MESH(name)                                                                                 \
    "<link name='a'><collision><origin xyz='1 0 0'/><geometry><mesh filename='" name               \
    "' scale='1 2 -3'/></geometry></collision></link>"

START_TEST(meshes)
{
    char inner[64], packages[200];
    model m;
    make_folder();
    put_folder("arm_description");
    put_folder("arm_description/urdf");
    put_folder("arm_description/meshes");
    put_file("arm_description/meshes/a.obj", one_triangle);
    options = (import_options){0};
    snprintf(inner, sizeof inner, "%s/arm_description/urdf", folder);
    bvp_error error;
    static const char *const found[] = {MESH("../meshes/a.obj"), MESH("./../meshes/a.obj"),
                                        MESH("package://arm_description/meshes/a.obj"),
                                        MESH("model://arm_description/meshes/a.obj")};
    for (size_t i = 0; i < 4; i++) {
        if (i == 1)
            continue; /* only leading dots lead up */
        bvp_status status = import_robot(inner, found[i], &m, &error);
        ck_assert_msg(status == BVP_OK, "%s", error.message);
        ck_assert_uint_eq(m.node_count, 3);
        ck_assert_uint_eq(m.file_count, 1);
        ck_assert_str_eq(m.files[0].name, i == 0 ? "meshes/a.obj" : "arm_description/meshes/a.obj");
        expect_placement(&m.nodes[2], (double[]){1, 0, 0, 1, 0, 2, 0, 0, 0, 0, -3, 0});
        model_free(&m);
    }
    refuse_in(inner, found[1], BVP_ERR_ARGUMENT, "--any-path");
    refuse_in(inner, MESH("../../tri.obj"), BVP_ERR_ARGUMENT, "case:2: expected a relative path");
    refuse_in(inner, MESH("package://arm_description/../tri.obj"), BVP_ERR_SYSTEM, "no package");
    refuse_in(inner, MESH("package://no/meshes/a.obj"), BVP_ERR_SYSTEM, "no package \"no\"");
    refuse_in(inner, MESH("file:///etc/passwd"), BVP_ERR_ARGUMENT, "found \"/etc/passwd\"");
    refuse_in(inner, MESH("../meshes/b.obj"), BVP_ERR_SYSTEM, "case:2: \"meshes/b.obj\" can't be");
    refuse_in(NULL, MESH("tri.obj"), BVP_ERR_ARGUMENT, "without a folder");
    put_file("arm_description/package.xml", "<package/>");
    ck_assert_int_eq(import_robot(inner, found[0], &m, &error), BVP_OK);
    model_free(&m);
    snprintf(packages, sizeof packages, "/no" PATH_LIST_SEPARATOR "%s", folder);
    options.package_path = packages;
    ck_assert_int_eq(import_robot("/tmp", found[2], &m, &error), BVP_OK);
    model_free(&m);
    snprintf(packages, sizeof packages, "%s/arm_description", folder);
    ck_assert_int_eq(import_robot("/tmp", found[2], &m, &error), BVP_OK);
    model_free(&m);
    options = (import_options){0};
    expect("<link name='a'><collision><geometry><mesh filename='parts/two.obj'/></geometry>"
           "</collision></link><link name='b'><collision><geometry><mesh filename='parts/two.obj'/>"
           "</geometry></collision></link>",
           &m);
    ck_assert(m.file_count == 1 && m.mesh_count == 2 && m.node_count == 9);
    model_free(&m);
    remove_folder();
}
END_TEST

START_TEST(broken)
{
    make_folder();
    options = (import_options){0};
    refuse("", BVP_ERR_CORRUPT, "case:1: <robot>: expected links");
    refuse("\n<link/>", BVP_ERR_CORRUPT, "case:3: <link>: expected \"name\"");
    refuse(LINK("a") "\n" LINK("a"), BVP_ERR_CORRUPT, "case:3: <link>: another one is called");
    refuse(LINK("a") "<joint name='j' type='fixed'/>", BVP_ERR_CORRUPT, "expected a <parent>");
    refuse(LINK("a") "<joint name='j' type='fixed'>" ENDS("a", "b") "</joint>", BVP_ERR_CORRUPT,
           "<child>: no link has the name \"b\"");
    refuse(LINK("a") "<joint name='j' type='screw'>" ENDS("a", "a") "</joint>", BVP_ERR_ARGUMENT,
           "unknown joint type \"screw\"");
    refuse(LINK("a") "<joint name='j' type='fixed'>" ENDS("a", "a") "</joint>", BVP_ERR_CORRUPT,
           "lead back to it");
    refuse(LINK("a") LINK("b") LINK("c") "<joint name='j' type='fixed'>" ENDS(
               "a", "b") "</joint><joint name='k' type='fixed'>" ENDS("c", "b") "</joint>",
           BVP_ERR_CORRUPT, "hangs on an earlier joint");
    refuse(LINK("a") LINK("b") "<joint name='j' type='revolute'>" ENDS(
               "a", "b") "<mimic joint='k'/></joint>",
           BVP_ERR_CORRUPT, "no joint has the name \"k\"");
    refuse(LINK("a") LINK("b") "<joint name='j' type='revolute'>" ENDS(
               "a", "b") "<mimic joint='j'/></joint>",
           BVP_ERR_CORRUPT, "in a ring");
    refuse(LINK("a") LINK("b") "<joint name='j' type='fixed'>" ENDS("a", "b")
               ORIGIN("0 1e999 0") "</joint>",
           BVP_ERR_CORRUPT, "<origin>: \"xyz\": expected 3 finite numbers");
    refuse("<link name='a'><collision><geometry><box size='1 1 0'/></geometry></collision></link>",
           BVP_ERR_ARGUMENT, "a size above 0");
    refuse("<link name='a'><collision><geometry><sphere/></geometry></collision></link>",
           BVP_ERR_CORRUPT, "<sphere>: expected \"radius\"");
    refuse("<link name='a'><collision><geometry><mesh filename='tri.obj' scale='1 0 1'/></geometry>"
           "</collision></link>",
           BVP_ERR_ARGUMENT, "singular");
    refuse("<link name='a'><visual><geometry><box size='1 1 1'/></geometry></visual></link>",
           BVP_ERR_ARGUMENT, "no triangles");
    refuse("<xacro:include filename='x'/>", BVP_ERR_ARGUMENT, "xacro FILE");
    refuse("<link name='a'>", BVP_ERR_CORRUPT, "case:2: mismatched tag");
    options.joints = "j=1";
    refuse(LINK("a") LINK("b") "<joint name='j' type='revolute'>" ENDS("a", "b")
               AXIS("0 0 0") "</joint>",
           BVP_ERR_CORRUPT, "not 0 0 0");
    options.joints = NULL;
    remove_folder();
}
END_TEST

/* Boxes of 5,000 sizes would take what no file of that length should. */
START_TEST(too_many_solids)
{
    enum { COUNT = 5000 };
    char *text = malloc(100 * COUNT + 200), *at = text;
    bvp_error error;
    model m;
    ck_assert_ptr_nonnull(text);
    at += sprintf(at, "<robot><link name='a'>");
    for (int i = 0; i < COUNT; i++)
        at +=
            sprintf(at, "<collision><geometry><box size='%d 1 1'/></geometry></collision>", i + 1);
    sprintf(at, "</link></robot>");
    ck_assert_int_eq(import_in(NULL, text, 0, NULL, &m, &error), BVP_ERR_LIMIT);
    free(text);
}
END_TEST

SUITE(test_import_urdf)
{
    return suite_run("import_urdf",
                     (const TTest *[]){arm, values, solids, meshes, broken, too_many_solids, NULL});
}
