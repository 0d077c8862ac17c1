/* SPDX-License-Identifier: MIT
 * test_import_gltf.c: glTF and GLB: accessors, primitives, the tree of nodes, and broken ones.
 */
#include <math.h>
#include <stdlib.h>
#include "gltf/gltf_accessors.h"
#include "glb_case.h"
#include "suite.h"

/* Bytes that malloc has given out, where the C library tells. */
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define HEAP_IN_USE (mallinfo2().uordblks)
#else
#define HEAP_IN_USE 0
#endif

START_TEST(triangles)
{
    data d = make_points(6);
    model m;
    expect_glb(ONE_NODE MESH "'accessors':[" POINTS("6") "]," BUFFERS, &d, 0, &m);
    check_corners(&m, (const uint32_t[]){0, 1, 2, 3, 4, 5}, 2);
    ck_assert_uint_eq(m.node_count, 1);
    ck_assert_uint_eq(m.nodes[0].mesh, 0);
    ck_assert_uint_eq(m.nodes[0].parent, BVP_NONE);
    model_free(&m);
}
END_TEST

static void with_mode(const char *mode, const uint32_t *expected, uint64_t count)
{
    char text[1024];
    data d = make_points(6);
    model m;
    snprintf(text, sizeof text,
             ONE_NODE "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':%s}]}],"
                      "'accessors':[" POINTS("5") "]," BUFFERS,
             mode);
    expect_glb(text, &d, 0, &m);
    check_corners(&m, expected, count);
    model_free(&m);
}

START_TEST(modes)
{
    with_mode("5", (const uint32_t[]){0, 1, 2, 1, 3, 2, 2, 3, 4}, 3);
    with_mode("5.0", (const uint32_t[]){0, 1, 2, 1, 3, 2, 2, 3, 4}, 3);
    with_mode("6", (const uint32_t[]){1, 2, 0, 2, 3, 0, 3, 4, 0}, 3);
    with_mode("4", (const uint32_t[]){0, 1, 2}, 1);
    data d = make_points(6);
    model m;
    expect_glb(ONE_NODE "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':1},"
                        "{'attributes':{'POSITION':0},'mode':0},{'attributes':{}},{'attributes':{"
                        "'POSITION':0}}]}],'accessors':[" POINTS("4") "]," BUFFERS,
               &d, 0, &m);
    check_corners(&m, (const uint32_t[]){0, 1, 2}, 1);
    ck_assert_uint_eq(warnings_of(&m, "points or lines"), 2);
    ck_assert_uint_eq(warnings_of(&m, "without positions"), 1);
    ck_assert_uint_eq(warnings_of(&m, "left over"), 1);
    model_free(&m);
    refuse_glb(ONE_NODE "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':7}]}]}", &d,
               BVP_ERR_CORRUPT, "meshes[0]: unknown primitive mode 7");
}
END_TEST

/* Numbers run through a mesh's primitives in their order, also over triangles that are dropped;
 * points have none. */
START_TEST(numbers)
{
    static const uint8_t strip[8] = {0, 1, 2, 9,
                                     3, 4, 5}; /* of five triangles three need vertex 9 */
    static const uint32_t expected[5] = {0, 1, 2, 6, 7};
    data d = make_points(6);
    model m;
    for (int i = 0; i < 8; i++)
        put(&d, strip[i], 1);
    expect_glb(ONE_NODE
               "'meshes':[{'primitives':[{'attributes':{'POSITION':0}},{'attributes':{'POSITION':0}"
               ",'mode':0},{'attributes':{'POSITION':0},'indices':1,'mode':5},{'attributes':{"
               "'POSITION':2}}]}],'accessors':[" POINTS(
                   "6") ",{'bufferView':1,'componentType':5121"
                        ",'count':7,'type':'SCALAR'}," POINTS(
                            "3") "],'bufferViews':[{'buffer':0,"
                                 "'byteLength':72},{'buffer':0,'byteOffset':72,'byteLength':7}],'"
                                 "buffers':[{"
                                 "'byteLength':79}]}",
               &d, 1, &m);
    check_corners(&m, (const uint32_t[]){0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2}, 5);
    for (int i = 0; i < 5; i++)
        ck_assert_uint_eq(m.meshes[0].ids[i], expected[i]);
    model_free(&m);
}
END_TEST

START_TEST(indices)
{
    static const struct {
        int type, size;
    } types[] = {{5121, 1}, {5123, 2}, {5125, 4}};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        data d = make_points(6);
        model m;
        put(&d, 0, 4); /* a gap */
        for (int k = 0; k < 6; k++)
            put(&d, (uint64_t)(5 - k), types[i].size);
        snprintf(text, sizeof text,
                 ONE_NODE
                 "'meshes':[{'name':'part','primitives':[{'attributes':{'POSITION':0},"
                 "'indices':1}]}],'accessors':[" POINTS(
                     "6") ",{'bufferView':1,'byteOffset':4,'componentType':%d,'count':6,'type':"
                          "'SCALAR'}],'bufferViews':[{'buffer':0,'byteLength':72},{'buffer':0,"
                          "'byteOffset':72,'byteLength':%d}],'buffers':[{'byteLength':%zu}]}",
                 types[i].type, 4 + 6 * types[i].size, d.size);
        expect_glb(text, &d, 0, &m);
        check_corners(&m, (const uint32_t[]){5, 4, 3, 2, 1, 0}, 2);
        ck_assert_str_eq(m.meshes[0].name, "part");
        model_free(&m);
    }
}
END_TEST

/* Positions as integers, with a stride: KHR_mesh_quantization. */
START_TEST(quantized)
{
    static const struct {
        int type, size, normalized;
        int64_t raw;
        float value;
    } cases[] = {{5120, 1, 0, -7, -7},
                 {5121, 1, 0, 200, 200},
                 {5122, 2, 0, -3000, -3000},
                 {5123, 2, 0, 60000, 60000},
                 {5120, 1, 1, -128, -1},
                 {5120, 1, 1, 1, 1 / 127.0f},
                 {5121, 1, 1, 255, 1},
                 {5122, 2, 1, -32768, -1},
                 {5122, 2, 1, 16384, 16384 / 32767.0f},
                 {5123, 2, 1, 1, 1 / 65535.0f}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        data d = {.size = 0};
        model m;
        for (int v = 0; v < 3; v++) {
            for (int k = 0; k < 3; k++)
                put(&d, k == 1 ? (uint64_t)cases[i].raw : (uint64_t)v, cases[i].size);
            while (d.size % 8 != 0)
                put(&d, 255, 1);
        }
        snprintf(text, sizeof text,
                 ASSET "'extensionsRequired':['KHR_mesh_quantization'],'nodes':[{'mesh':0}]," MESH
                       "'accessors':[{'bufferView':0,'componentType':%d,'count':3,'type':'VEC3',"
                       "'normalized':%s}],'bufferViews':[{'buffer':0,'byteLength':%zu,"
                       "'byteStride':8}],'buffers':[{'byteLength':%zu}]}",
                 cases[i].type, cases[i].normalized ? "true" : "false", d.size, d.size);
        expect_glb(text, &d, 0, &m);
        ck_assert(corner_at(&m.meshes[0], 0, 0, 1) == (double)cases[i].value);
        model_free(&m);
    }
}
END_TEST

#define SPARSE(view, index)                                                                        \
    ONE_NODE MESH "'accessors':[{" view "'componentType':5126,'count':3,'type':'VEC3','sparse':{"  \
                  "'count':1,'indices':{'bufferView':1,'componentType':5121,'byteOffset':" index   \
                  "},'values':{'bufferView':0,'byteOffset':36}}}],'bufferViews':[{'buffer':0,"     \
                  "'byteLength':72},{'buffer':0,'byteOffset':72,'byteLength':2}],'buffers':[{"     \
                  "'byteLength':74}]}"

START_TEST(sparse)
{
    data d = make_points(6);
    model m;
    put(&d, 1, 1);
    put(&d, 3, 1);
    put(&d, 0, 2);
    expect_glb(SPARSE("'bufferView':0,", "0"), &d, 0, &m);
    check_corners(&m, (const uint32_t[]){0, 3, 2}, 1);
    model_free(&m);
    expect_glb(SPARSE("", "0"), &d, 0, &m);
    check_corners(&m, (const uint32_t[]){0, 3, 0}, 1);
    model_free(&m);
    refuse_glb(SPARSE("", "1"), &d, BVP_ERR_CORRUPT, "sparse index 3");
    refuse_glb(SPARSE("", "2"), &d, BVP_ERR_CORRUPT, "accessors[0]");
}
END_TEST

/* Opened again and again, an accessor that fails leaks nothing. */
START_TEST(sparse_fails_twice)
{
    data d = make_points(6);
    put(&d, 1, 1);
    put(&d, 3, 1);
    glb g = make(SPARSE("", "1"), &d);
    const import_options options = {.thread_count = 1};
    bvp_error error = {0};
    model m = {0};
    importer im = {.data = g.bytes,
                   .size = g.size,
                   .name = "case",
                   .format = "gltf",
                   .options = &options,
                   .out = &m,
                   .error = &error};
    gltf_document doc;
    gltf_accessors accessors;
    const accessor *found;
    ck_assert_msg(gltf_document_open(&im, &doc) == BVP_OK, "%s", error.message);
    ck_assert_int_eq(gltf_accessors_open(&doc, &accessors), BVP_OK);
    ck_assert_int_eq(gltf_accessor_open(&accessors, 0, &found), BVP_ERR_CORRUPT);
    ck_assert_msg(strstr(error.message, "sparse index 3") != NULL, "%s", error.message);
    size_t used[2] = {0, 0};
    int refused = 0;
    for (int i = 0; i < 200; i++) {
        used[i >= 100] = HEAP_IN_USE; /* the first rounds fill malloc's own caches */
        refused += gltf_accessor_open(&accessors, 0, &found) == BVP_ERR_CORRUPT;
    }
    ck_assert_uint_eq(used[0], used[1]);
    ck_assert_int_eq(refused, 200);
    gltf_accessors_close(&accessors);
    gltf_document_close(&doc);
}
END_TEST

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

START_TEST(bad_data)
{
    data d = make_points(6);
    refuse_glb(ONE_NODE MESH "'accessors':[" POINTS("1000000") "]," BUFFERS, &d, BVP_ERR_CORRUPT,
               "accessors[0]: 1000000 elements");
    refuse_glb(ONE_NODE MESH "'accessors':[" POINTS("4611686018427387904") "]," BUFFERS, &d,
               BVP_ERR_CORRUPT, "accessors[0]");
    refuse_glb(ONE_NODE MESH "'accessors':[" POINTS("-1") "]," BUFFERS, &d, BVP_ERR_CORRUPT,
               "\"count\"");
    refuse_glb(ONE_NODE MESH
               "'accessors':[{'componentType':5126,'count':3,'type':'VEC3'}]," BUFFERS,
               &d, BVP_ERR_CORRUPT, "no buffer view");
    refuse_glb(ONE_NODE MESH "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':"
                             "'VEC2'}]," BUFFERS,
               &d, BVP_ERR_CORRUPT, "expected positions");
    refuse_glb(ONE_NODE MESH "'accessors':[{'bufferView':0,'componentType':1,'count':3,'type':"
                             "'VEC3'}]," BUFFERS,
               &d, BVP_ERR_CORRUPT, "unknown component type");
    refuse_glb(ONE_NODE MESH
               "'accessors':[" POINTS("3") "],'bufferViews':[{'buffer':0,'byteLength':"
                                           "36,'byteOffset':4294967290}],'buffers':[{"
                                           "'byteLength':72}]}",
               &d, BVP_ERR_CORRUPT, "bufferViews[0]: bytes 4294967290");
    refuse_glb(ONE_NODE MESH
               "'accessors':[" POINTS("3") "],'bufferViews':[{'buffer':0,'byteLength':"
                                           "36}],'buffers':[{'byteLength':720}]}",
               &d, BVP_ERR_CORRUPT, "buffers[0]: expected 720 bytes");
    refuse_glb(ONE_NODE MESH
               "'accessors':[" POINTS("3") "],'bufferViews':[{'buffer':0,'byteLength':"
                                           "36,'byteStride':4}],'buffers':[{"
                                           "'byteLength':72}]}",
               &d, BVP_ERR_CORRUPT, "stride is 4");
    refuse_glb(ONE_NODE MESH "'accessors':[" POINTS("3") "]," BUFFERS, NULL, BVP_ERR_CORRUPT,
               "buffers[0]");
}
END_TEST

START_TEST(bad_indices)
{
    static const char *const text = ONE_NODE
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}],"
        "'accessors':[" POINTS(
            "3") ",{'bufferView':1,'componentType':5121,'count':6,"
                 "'type':'SCALAR'}],'bufferViews':[{'buffer':0,'byteLength':72},{'buffer':0,"
                 "'byteOffset':72,'byteLength':6}],'buffers':[{'byteLength':78}]}";
    data d = make_points(6);
    model m;
    static const uint8_t bytes[8] = {0, 1, 3, 2, 1, 0};
    for (int i = 0; i < 8; i++)
        put(&d, bytes[i], 1);
    refuse_glb(text, &d, BVP_ERR_CORRUPT, "meshes[0]: triangle 0: index 3");
    expect_glb(text, &d, 1, &m);
    check_corners(&m, (const uint32_t[]){2, 1, 0}, 1);
    ck_assert_uint_eq(m.meshes[0].ids[0], 1);
    ck_assert_uint_eq(warnings_of(&m, "bad indices"), 1);
    model_free(&m);
    d.bytes[3] = 0xff; /* vertex 0 becomes a NaN */
    d.bytes[2] = 0xff;
    d.bytes[74] = 1;
    refuse_glb(text, &d, BVP_ERR_ARGUMENT, "is not finite");
}
END_TEST

START_TEST(extensions_and_versions)
{
    refuse_glb(ASSET "'extensionsRequired':['EXT_future_compression'],'nodes':[{}]}", NULL,
               BVP_ERR_ARGUMENT, "EXT_future_compression");
    refuse_glb(ONE_NODE "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'extensions':{"
                        "'KHR_draco_mesh_compression':{}}}]}],'accessors':[{'componentType':5126,"
                        "'count':3,'type':'VEC3'}]}",
               NULL, BVP_ERR_CORRUPT,
               "meshes[0]: \"KHR_draco_mesh_compression\" names no positions");
    refuse_glb(ONE_NODE
               "'meshes':[{'primitives':[{'mode':5,'attributes':{'POSITION':0},'extensions':{"
               "'KHR_draco_mesh_compression':{'bufferView':7,'attributes':{'POSITION':0}}}}]}],"
               "'accessors':[{'componentType':5126,'count':3,'type':'VEC3'}]}",
               NULL, BVP_ERR_CORRUPT, "bufferViews[7]");
    refuse_glb(ONE_NODE
               "'meshes':[{'primitives':[{'mode':6,'attributes':{'POSITION':0},'extensions':{"
               "'KHR_draco_mesh_compression':{'bufferView':0,'attributes':{'POSITION':0}}}}]}],"
               "'accessors':[{'componentType':5126,'count':3,'type':'VEC3'}]}",
               NULL, BVP_ERR_CORRUPT, "a fan is compressed");
    refuse_glb("{'asset':{'version':'1.0'}}", NULL, BVP_ERR_ARGUMENT, "version 1.0");
    refuse_glb("{'asset':{'version':'3.0'}}", NULL, BVP_ERR_NEWER, "version 3.0");
    refuse_glb("{'nodes':[]}", NULL, BVP_ERR_CORRUPT, "asset");
    refuse_glb("[]", NULL, BVP_ERR_CORRUPT, "asset");
    refuse_glb("{'asset':", NULL, BVP_ERR_CORRUPT, "byte ");
    refuse_glb(SCENE "'nodes':[{}]}", NULL, BVP_ERR_ARGUMENT, "no triangles");
}
END_TEST

START_TEST(ignored_parts)
{
    data d = make_points(6);
    model m;
    expect_glb(
        SCENE
        "'nodes':[{'mesh':0,'skin':0,'weights':[0.5]}],'skins':[{'joints':[0]}],'animations':[{"
        "},{}],'meshes':[{'primitives':[{"
        "'attributes':{'POSITION':0},'targets':[{'POSITION':0}]}]}],'accessors':[" POINTS(
            "3") "]," BUFFERS,
        &d, 0, &m);
    ck_assert_uint_eq(warnings_of(&m, "skinned"), 1);
    ck_assert_uint_eq(warnings_of(&m, "morphed"), 1);
    ck_assert_uint_eq(warnings_of(&m, "morphing of single nodes"), 1);
    ck_assert_uint_eq(warnings_of(&m, "animations"), 2);
    model_free(&m);
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

START_TEST(container)
{
    data d = make_points(6);
    glb g = make(ONE_NODE MESH "'accessors':[" POINTS("6") "]," BUFFERS, &d);
    for (size_t size = 4; size < g.size; size++)
        expect_refusal_of(NULL, g.bytes, size, 0, BVP_ERR_CORRUPT, "cut off");
    g.bytes[g.size] = 0;
    expect_refusal_of(NULL, g.bytes, g.size + 1, 0, BVP_ERR_CORRUPT, "something follows");
    glb other = g;
    other.bytes[4] = 1;
    expect_refusal_of(NULL, other.bytes, other.size, 0, BVP_ERR_ARGUMENT, "GLB version 2");
    other.bytes[4] = 3;
    expect_refusal_of(NULL, other.bytes, other.size, 0, BVP_ERR_NEWER, "GLB version 2");
    other = g;
    other.bytes[15] = 0xff;
    expect_refusal_of(NULL, other.bytes, other.size, 0, BVP_ERR_CORRUPT, "byte 12");
    other = g;
    other.bytes[16] = 'X';
    expect_refusal_of(NULL, other.bytes, other.size, 0, BVP_ERR_CORRUPT, "byte 16");
}
END_TEST

START_TEST(uris)
{
    static const struct {
        const char *uri, *phrase;
    } cases[] = {{"other.bin", "expected a file in the model's folder"},
                 {"data:;base64,AA$A", "base64"},
                 {"data:;base64,AAAAA", "base64"},
                 {"data:text/plain,hello", "base64"},
                 {"data:;base64,AAAA", "expected 36 bytes, found 3"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 ONE_NODE MESH "'accessors':[" POINTS(
                     "3") "],'bufferViews':[{'buffer':0,"
                          "'byteLength':36}],'buffers':[{'byteLength':36,'uri':'%s'}]}",
                 cases[i].uri);
        bvp_error error;
        model m;
        glb g = make(text, NULL);
        ck_assert(import_bytes(NULL, g.bytes, g.size, 0, &m, &error));
        ck_assert_msg(strstr(error.message, cases[i].phrase) != NULL, "%s", error.message);
    }
}
END_TEST

/* Many meshes that use the same data: what they unfold to is bounded by the file's size. */
START_TEST(unfolding)
{
    enum { MESHES = 2000, ROOM = 400000, CORNERS = 6000 };
    char *text = malloc(ROOM);
    size_t used = (size_t)snprintf(text, ROOM, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (int i = 0; i < MESHES; i++)
        used += (size_t)snprintf(text + used, ROOM - used, "%s{\"mesh\":%d}", i ? "," : "", i);
    used += (size_t)snprintf(text + used, ROOM - used, "],\"meshes\":[");
    for (int i = 0; i < MESHES; i++)
        used += (size_t)snprintf(
            text + used, ROOM - used,
            "%s{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":5}]}",
            i ? "," : "");
    used += (size_t)snprintf(
        text + used, ROOM - used,
        "],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},{"
        "\"bufferView\":0,\"componentType\":5121,\"count\":%d,\"type\":\"SCALAR\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":%d}],\"buffers\":[{\"byteLength\":%d,"
        "\"uri\":\"data:;base64,",
        CORNERS, CORNERS, CORNERS);
    memset(text + used, 'A', CORNERS / 3 * 4);
    used += CORNERS / 3 * 4;
    used += (size_t)snprintf(text + used, ROOM - used, "\"}]}");
    ck_assert_uint_lt(used, ROOM);
    expect_refusal_of(NULL, text, used, 0, BVP_ERR_LIMIT, "unfold");
    free(text);
}
END_TEST

SUITE(test_import_gltf)
{
    const TTest *const tests[] = {triangles,
                                  modes,
                                  numbers,
                                  indices,
                                  quantized,
                                  sparse,
                                  sparse_fails_twice,
                                  tree,
                                  bad_trees,
                                  singular_dropped,
                                  deep_chain,
                                  bad_data,
                                  bad_indices,
                                  extensions_and_versions,
                                  ignored_parts,
                                  skins,
                                  morphs,
                                  primitives,
                                  colours,
                                  instancing,
                                  bad_instancing,
                                  container,
                                  uris,
                                  unfolding,
                                  NULL};
    return suite_run("import_gltf", tests);
}
