/* SPDX-License-Identifier: MIT
 * test_import_gltf_nodes.c: what stands at nodes of glTF: their tree, skins, morphs, instances,
 * names of primitives and colours.
 */
#include "glb_case.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>

/* A property of node `index`, or NULL. */
static const char *property_of(const model *m, uint32_t index, const char *key)
{
    for (uint32_t i = 0; i < m->nodes[index].property_count; i++)
        if (strcmp(m->nodes[index].properties[i].key, key) == 0)
            return m->nodes[index].properties[i].value;
    return NULL;
}

START_TEST(tree)
{
    data d = make_points(6);
    model m;
    expect_glb(ASSET
               "'scene':1,'scenes':[{'nodes':[4]},{'nodes':[1,3]}],'nodes':[{'mesh':0,'name':'a'},"
               "{'children':[2,0],'name':'root','extras':{'count':3,'on':true,'text':'x\\u00fc',"
               "'list':[1,2.5]}},{'mesh':0,'matrix':[0,1,0,0,-1,0,0,0,0,0,1,0,5,6,7,1]},"
               "{'translation':[1,2,3],'rotation':[0,0,2,0],'scale':[1,-1,2],'extras':7},"
               "{'mesh':0}]," MESH "'accessors':[" POINTS("3") "]," BUFFERS,
               &d, 0, &m);
    ck_assert_uint_eq(m.node_count, 4);
    ck_assert_uint_eq(m.mesh_count, 1); /* shared */
    ck_assert_str_eq(m.nodes[0].name, "root");
    ck_assert_uint_eq(m.nodes[0].mesh, BVP_NONE);
    ck_assert_uint_eq(m.nodes[1].parent, 0);
    ck_assert_uint_eq(m.nodes[1].mesh, 0);
    ck_assert_uint_eq(m.nodes[2].parent, 0);
    ck_assert_str_eq(m.nodes[2].name, "a");
    ck_assert_uint_eq(m.nodes[3].parent, BVP_NONE);
    static const double turned[12] = {0, -1, 0, 5, 1, 0, 0, 6, 0, 0, 1, 7};
    static const double trs[12] = {-1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 2, 3};
    for (int i = 0; i < 12; i++) {
        ck_assert(m.nodes[1].placement[i] == turned[i]);
        ck_assert(m.nodes[3].placement[i] == trs[i]);
    }
    ck_assert_str_eq(property_of(&m, 0, "count"), "3");
    ck_assert_str_eq(property_of(&m, 0, "on"), "true");
    ck_assert_str_eq(property_of(&m, 0, "text"), "x\xc3\xbc");
    ck_assert_str_eq(property_of(&m, 0, "list"), "[1,2.5]");
    ck_assert_str_eq(property_of(&m, 3, "extras"), "7");
    ck_assert_uint_eq(warnings_of(&m, "scenes"), 1);
    ck_assert_uint_eq(warnings_of(&m, "outside the scene"), 1);
    model_free(&m);
}
END_TEST

START_TEST(bad_trees)
{
    data d = make_points(6);
    refuse_glb(SCENE "'nodes':[{'children':[1]},{'children':[0]}]}", &d, BVP_ERR_CORRUPT,
               "nodes[0]: is reached twice");
    refuse_glb(SCENE "'nodes':[{'children':[1,2]},{'children':[2]},{}]}", &d, BVP_ERR_CORRUPT,
               "nodes[2]: is reached twice");
    refuse_glb(SCENE "'nodes':[{'children':[0]}]}", &d, BVP_ERR_CORRUPT, "is reached twice");
    refuse_glb(SCENE "'nodes':[{'children':[9]}]}", &d, BVP_ERR_CORRUPT, "nodes[9]");
    refuse_glb(SCENE "'nodes':[{'children':[-1]}]}", &d, BVP_ERR_CORRUPT, "nodes[");
    refuse_glb(SCENE "'nodes':[{'mesh':7}]," MESH "'accessors':[]}", &d, BVP_ERR_CORRUPT,
               "meshes[7]");
    refuse_glb(SCENE "'nodes':[{'matrix':[1,2,3]}]}", &d, BVP_ERR_ARGUMENT, "not 16 numbers");
    refuse_glb(SCENE "'nodes':[{'matrix':[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}]}", &d,
               BVP_ERR_ARGUMENT, "last row");
    refuse_glb(SCENE "'nodes':[{'name':'lid','scale':[1,0,1]}]}", &d, BVP_ERR_ARGUMENT,
               "nodes[0]: \"lid\" has a placement that is singular");
    refuse_glb(SCENE "'nodes':[{'rotation':[0,0,0,0]}]}", &d, BVP_ERR_ARGUMENT, "singular");
    refuse_glb(ASSET "'scene':3,'scenes':[{'nodes':[0]}],'nodes':[{}]}", &d, BVP_ERR_CORRUPT,
               "scenes[3]");
}
END_TEST

START_TEST(singular_dropped)
{
    data d = make_points(6);
    model m;
    expect_glb(ASSET "'scenes':[{'nodes':[0,2]}],'nodes':[{'scale':[0,0,0],'children':[1]},{'mesh':"
                     "0},{'mesh':0}]," MESH "'accessors':[" POINTS("3") "]," BUFFERS,
               &d, 1, &m);
    ck_assert_uint_eq(m.node_count, 1);
    ck_assert_uint_eq(warnings_of(&m, "singular"), 1);
    model_free(&m);
}
END_TEST

/* 100,000 nodes, each the child of the one before: no recursion. */
START_TEST(deep_chain)
{
    enum { DEPTH = 100000, ROOM = 64 * DEPTH };
    char *text = malloc(ROOM);
    size_t used = (size_t)snprintf(text, ROOM, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (int i = 0; i + 1 < DEPTH; i++)
        used += (size_t)snprintf(text + used, ROOM - used, "{\"children\":[%d]},", i + 1);
    used += (size_t)snprintf(
        text + used, ROOM - used,
        "{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,"
        "\"uri\":\"data:application/octet-stream;base64,"
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}");
    model m;
    expect_model_of(NULL, text, used, 0, &m);
    ck_assert_uint_eq(m.node_count, DEPTH);
    ck_assert_uint_eq(m.nodes[DEPTH - 1].parent, DEPTH - 2);
    ck_assert(corner_at(&m.meshes[0], 0, 1, 0) == 1 && corner_at(&m.meshes[0], 0, 2, 1) == 1);
    ck_assert_str_eq(m.format, "glTF");
    model_free(&m);
    free(text);
}
END_TEST

/* A skin of the joints nodes[2] and nodes[3], bound by the matrix of accessor 1. */
#define SKINNED(nodes, joints)                                                                     \
    SCENE "'nodes':[" nodes "],'skins':[{'joints':[" joints "],'inverseBindMatrices':1}]," MESH    \
          "'accessors':[" POINTS("3") ",{'bufferView':0,'byteOffset':36,'componentType':5126,"     \
                                      "'count':1,'type':'MAT4'}],'bufferViews':[{'buffer':0,'"     \
                                      "byteLength':100}],'buffers':[{"                             \
                                      "'byteLength':100}]}"
#define JOINTS ",{'translation':[0,10,0],'children':[3]},{'rotation':[0,0,1,0]}"

/* Three points and a matrix: twice as large, moved by x. */
static data make_bound(float x)
{
    data d = make_points(3);
    const float columns[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, x, 0, 0, 1};
    for (int i = 0; i < 16; i++)
        put_float(&d, columns[i]);
    return d;
}

/* The mesh stands where the first joint and its matrix say; the node's own placement says nothing,
 * but does for its children. */
START_TEST(skins)
{
    static const double by_2[12] = {2, 0, 0, 5, 0, 2, 0, 10, 0, 0, 2, 0};
    static const double from_1[12] = {2, 0, 0, 4, 0, 2, 0, 10, 0, 0, 2, 0};
    data d = make_bound(5);
    model m;
    expect_glb(
        SKINNED("{'children':[1,2]},{'mesh':0,'skin':0,'translation':[1,0,0]}" JOINTS, "2,3"), &d,
        0, &m);
    ck_assert_uint_eq(m.node_count, 4);
    ck_assert(memcmp(m.nodes[1].placement, by_2, sizeof by_2) == 0);
    ck_assert_uint_eq(m.nodes[1].mesh, 0);
    model_free(&m);
    expect_glb(SKINNED("{'children':[1]},{'name':'skin','mesh':0,'skin':0,'translation':[1,0,0],"
                       "'children':[2]}" JOINTS,
                       "2"),
               &d, 0, &m);
    ck_assert_uint_eq(m.node_count, 5);
    ck_assert(m.nodes[1].placement[3] == 1 && m.nodes[1].mesh == BVP_NONE);
    ck_assert_uint_eq(m.nodes[2].parent, 1);
    ck_assert_uint_eq(m.nodes[2].mesh, 0);
    ck_assert_str_eq(m.nodes[2].name, "skin");
    ck_assert(m.nodes[2].placement[3] == from_1[3] + 1 && m.nodes[2].placement[7] == 10);
    ck_assert_uint_eq(m.nodes[3].parent, 1); /* the joint is below the node as before */
    model_free(&m);
    /* the second joint is turned by half a turn */
    expect_glb(SKINNED("{'children':[1,2]},{'mesh':0,'skin':0}" JOINTS, "3,2"), &d, 0, &m);
    ck_assert(m.nodes[1].placement[0] == -2 && m.nodes[1].placement[3] == -5);
    model_free(&m);
    /* where the node is to what floats say: its own placement, exactly */
    expect_glb(
        SKINNED("{'children':[1,2]},{'mesh':0,'skin':0,'translation':[5.00001,10,0],'scale':[2,2,2]"
                "}" JOINTS,
                "2"),
        &d, 0, &m);
    ck_assert(m.nodes[1].placement[3] == 5.00001);
    model_free(&m);
    refuse_glb(SKINNED("{'children':[1,2]},{'mesh':0,'skin':1}" JOINTS, "2"), &d, BVP_ERR_CORRUPT,
               "skins[1]: is referred to");
    refuse_glb(SKINNED("{'children':[1,2]},{'mesh':0,'skin':0}" JOINTS, ""), &d, BVP_ERR_CORRUPT,
               "skins[0]: expected joints");
    refuse_glb(SKINNED("{'children':[1,2]},{'mesh':0,'skin':0}" JOINTS, "4"), &d, BVP_ERR_CORRUPT,
               "skins[0]: expected joints");
    refuse_glb(SKINNED("{'mesh':0,'skin':0},{'children':[2]},{'children':[1]}", "2"), &d,
               BVP_ERR_CORRUPT, "is below itself");
    refuse_glb(
        SKINNED("{'children':[1,2]},{'mesh':0,'skin':0,'name':'lid'},{'scale':[0,1,1]}", "2"), &d,
        BVP_ERR_ARGUMENT, "nodes[1]: \"lid\" is skinned by a joint");
    put_float(&d, 0);
    d.bytes[36 + 4 * 3] = 1; /* in the matrix's last row */
    refuse_glb(SKINNED("{'children':[1,2]},{'mesh':0,'skin':0}" JOINTS, "2"), &d, BVP_ERR_CORRUPT,
               "skins[0]: its first joint");
}
END_TEST

/* At rest the mesh's weights say which targets move it, and how far. */
START_TEST(morphs)
{
    static const char *const text =
        ONE_NODE "'meshes':[{'weights':[%s],'primitives':[{'attributes':{'POSITION':0},'targets':[{"
                 "'POSITION':1},{'NORMAL':1},{'POSITION':0}]}]}],'accessors':[" POINTS(
                     "3") ",{'bufferView':0,'byteOffset':36,'componentType':5126,'count':%d,'type':"
                          "'VEC3'}]," BUFFERS;
    static const struct {
        const char *weights;
        double x; /* of vertex 2: 2 there, 5 in the first target, 2 in the third */
    } cases[] = {{"0,0,0", 2}, {"0.5,0,0", 4.5}, {"0,7,2", 6}, {"1,0,-1", 5}, {"", 2}};
    char made[1024];
    data d = make_points(6);
    model m;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(made, sizeof made, text, cases[i].weights, 3);
        expect_glb(made, &d, 0, &m);
        ck_assert(corner_at(&m.meshes[0], 0, 2, 0) == cases[i].x);
        ck_assert_uint_eq(warnings_of(&m, cases[i].x == 2 ? "basic form" : "mesh's weights"), 1);
        model_free(&m);
    }
    snprintf(made, sizeof made, text, "1", 2);
    refuse_glb(made, &d, BVP_ERR_CORRUPT, "accessors[1]: expected how a target moves 3 positions");
}
END_TEST

/* What is said of a mesh's primitives stands at each node that places it. */
START_TEST(primitives)
{
    static const char *const text =
        SCENE "'nodes':[{'mesh':0,'children':[1,2]},{'mesh':1},{'mesh':2}],'materials':[{'name':'"
              "st\\u00e4"
              "hl'},{}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'material':0},{"
              "'attributes':{'POSITION':0},'mode':0},{'attributes':{'POSITION':0},'material':1},{"
              "'attributes':{'POSITION':0}},{'attributes':{'POSITION':0},'material':7}]},{"
              "'primitives':[{'attributes':{'POSITION':0},'material':0}]},{'primitives':[{"
              "'attributes':{'POSITION':0}}]}],'accessors':[" POINTS("6") "]," BUFFERS;
    data d = make_points(6);
    model m;
    expect_glb(text, &d, 0, &m);
    ck_assert_str_eq(property_of(&m, 0, "bvpack_primitives"),
                     "[[0,\"st\xc3\xa4hl\"],[2,null],[2,1],[4,null],[6,7]]");
    ck_assert_str_eq(property_of(&m, 1, "bvpack_primitives"), "[[0,\"st\xc3\xa4hl\"]]");
    ck_assert_ptr_null(property_of(&m, 2, "bvpack_primitives")); /* there is nothing to say */
    model_free(&m);
}
END_TEST

/* Materials with and without a factor, linear; both workflows; blended or not; with a texture. */
START_TEST(colours)
{
    static const char *const text = SCENE
        "'nodes':[{'mesh':0,'children':[1]},{'mesh':1,'extras':{'bvpack_colours':'0:12345678'}}],"
        "'materials':[{'pbrMetallicRoughness':{'baseColorFactor':[0.2,1,%s]}},{},"
        "{'pbrMetallicRoughness':{'baseColorTexture':{'index':0}}},{'alphaMode':'BLEND',"
        "'extensions':{'KHR_materials_pbrSpecularGlossiness':{'diffuseFactor':[0,0,0,0.5]"
        "}}}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'material':0},"
        "{'attributes':{'POSITION':0},'material':1},{'attributes':{'POSITION':0}},"
        "{'attributes':{'POSITION':0,'COLOR_0':0},'material':3},{'attributes':{'POSITION':0},"
        "'material':2}]},{'primitives':[{'attributes':{'POSITION':0}}]}],"
        "'accessors':[" POINTS("6") "]," BUFFERS;
    char made[2048];
    data d = make_points(6);
    model m;
    snprintf(made, sizeof made, text, "0,0.3");
    expect_glb(made, &d, 0, &m);
    ck_assert_uint_eq(m.mesh_count, 2);
    ck_assert_str_eq(m.meshes[0].colours, "0:7cff00ff 2:ffffffff 4:- 6:00000080 8:-");
    ck_assert_ptr_null(m.meshes[1].colours);
    ck_assert_ptr_null(property_of(&m, 1, "bvpack_colours")); /* another file's */
    ck_assert_uint_eq(warnings_of(&m, "colours of vertices, which are not kept"), 1);
    ck_assert_uint_eq(warnings_of(&m, "textures, which are not kept"), 1);
    model_free(&m);
    snprintf(made, sizeof made, text, "0"); /* three numbers are no factor */
    expect_glb(made, &d, 0, &m);
    ck_assert_str_eq(m.meshes[0].colours, "0:ffffffff 4:- 6:00000080 8:-");
    model_free(&m);
}
END_TEST

/* Two instances: turned and scaled, the turn in floats or in normalized shorts, below a node that
 * is moved and has a child of its own. */
#define INSTANCED(attributes, component, counts)                                                   \
    SCENE "'extensionsRequired':['EXT_mesh_gpu_instancing'],'nodes':[{'name':'n','mesh':0,"        \
          "'children':[1],'translation':[0,0,9],'extensions':{'EXT_mesh_gpu_instancing':{"         \
          "'attributes':{" attributes "}}}},{'name':'child'}],"                                    \
          "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],'accessors':[" POINTS(        \
              "6") ",{'bufferView':0,'byteOffset':72,'componentType':5126,'count':" counts         \
                   ",'type':'VEC3'},{"                                                             \
                   "'bufferView':0,'byteOffset':96,'componentType':" component                     \
                   ",'count':2,'type':'VEC4'},{"                                                   \
                   "'bufferView':0,'byteOffset':128,'componentType':5126,'count':2,'type':'VEC3'}" \
                   "],"                                                                            \
                   "'bufferViews':[{'buffer':0,'byteLength':152}],'buffers':[{'byteLength':152}]}"

static data make_instances(int shorts)
{
    data d = make_points(6);
    const float moves[6] = {1, 2, 3, 4, 5, 6}, scales[6] = {1, 1, 1, 2, 3, -4};
    const float turns[8] = {0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f}; /* none; about z */
    const int16_t small[8] = {0, 0, 0, 32767, 0, 0, 23170, 23170};
    ck_assert_uint_eq(d.size, 72);
    for (int i = 0; i < 6; i++)
        put_float(&d, moves[i]);
    for (int i = 0; i < 8; i++)
        if (shorts)
            put(&d, (uint16_t)small[i], 2);
        else
            put_float(&d, turns[i]);
    while (d.size < 128)
        put(&d, 0, 1);
    for (int i = 0; i < 6; i++)
        put_float(&d, scales[i]);
    return d;
}

static void expect_placement(const model_node *node, const double expected[12])
{
    for (int k = 0; k < 12; k++)
        ck_assert_msg(fabs(node->placement[k] - expected[k]) < 1e-6, "%d: %g, not %g", k,
                      node->placement[k], expected[k]);
}

START_TEST(instancing)
{
    static const char *const texts[2] = {
        INSTANCED("'TRANSLATION':1,'ROTATION':2,'SCALE':3", "5126", "2"),
        INSTANCED("'TRANSLATION':1,'ROTATION':2,'SCALE':3,'_ID':77", "5122,'normalized':true",
                  "2")};
    for (int shorts = 0; shorts < 2; shorts++) {
        data d = make_instances(shorts);
        model m;
        expect_glb(texts[shorts], &d, 0, &m);
        ck_assert_uint_eq(m.node_count, 4);
        ck_assert_uint_eq(m.nodes[0].mesh, BVP_NONE);
        ck_assert(m.nodes[0].placement[11] == 9);
        for (uint32_t i = 1; i < 3; i++) {
            ck_assert_uint_eq(m.nodes[i].parent, 0);
            ck_assert_uint_eq(m.nodes[i].mesh, 0);
            ck_assert_str_eq(m.nodes[i].name, "n");
        }
        ck_assert_str_eq(property_of(&m, 1, "bvpack_asset"), "[0,0,0]");
        ck_assert_str_eq(property_of(&m, 2, "bvpack_asset"), "[0,0,1]");
        ck_assert_ptr_null(property_of(&m, 0, "bvpack_asset"));
        expect_placement(&m.nodes[1], (double[]){1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3});
        expect_placement(&m.nodes[2], (double[]){0, -3, 0, 4, 2, 0, 0, 5, 0, 0, -4, 6});
        ck_assert_str_eq(m.nodes[3].name, "child");
        ck_assert_uint_eq(m.nodes[3].parent, 0);
        model_free(&m);
    }
}
END_TEST

START_TEST(bad_instancing)
{
    data d = make_instances(0);
    model m;
    refuse_glb(INSTANCED("", "5126", "2"), &d, BVP_ERR_ARGUMENT, "neither TRANSLATION");
    refuse_glb(INSTANCED("'TRANSLATION':1,'SCALE':3", "5126", "1"), &d, BVP_ERR_ARGUMENT,
               "not as many");
    refuse_glb(INSTANCED("'TRANSLATION':2", "5126", "2"), &d, BVP_ERR_CORRUPT, "VEC3 of floats");
    refuse_glb(INSTANCED("'ROTATION':1", "5126", "2"), &d, BVP_ERR_CORRUPT, "VEC4");
    refuse_glb(INSTANCED("'ROTATION':2", "5122", "2"), &d, BVP_ERR_CORRUPT, "normalized");
    refuse_glb(INSTANCED("'TRANSLATION':9", "5126", "2"), &d, BVP_ERR_CORRUPT, "accessors");
    refuse_glb(INSTANCED("'TRANSLATION':1", "5126", "4000000000"), &d, BVP_ERR_CORRUPT,
               "accessors[1]");
    refuse_glb(INSTANCED("'TRANSLATION':'x'", "5126", "2"), &d, BVP_ERR_CORRUPT, "TRANSLATION");
    memset(d.bytes + 128, 0, 12); /* the first one's scale */
    refuse_glb(INSTANCED("'SCALE':3", "5126", "2"), &d, BVP_ERR_ARGUMENT, "singular");
    expect_glb(INSTANCED("'SCALE':3", "5126", "2"), &d, 1, &m);
    ck_assert_uint_eq(m.node_count, 3);
    ck_assert_str_eq(property_of(&m, 1, "bvpack_asset"), "[0,0,1]");
    ck_assert_uint_eq(warnings_of(&m, "instances with singular placements"), 1);
    model_free(&m);
}
END_TEST

SUITE(test_import_gltf_nodes)
{
    const TTest *const tests[] = {tree,   bad_trees,  singular_dropped, deep_chain, skins,
                                  morphs, primitives, colours,          instancing, bad_instancing,
                                  NULL};
    return suite_run("import_gltf_nodes", tests);
}
