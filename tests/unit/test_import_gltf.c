/* SPDX-License-Identifier: MIT
 * test_import_gltf.c: glTF and GLB: containers, accessors, primitives, and broken ones.
 */
#include "gltf/gltf_accessors.h"
#include "glb_case.h"
#include "suite.h"

#include <stdlib.h>

/* Bytes that malloc has given out, where the C library tells. musl has no __GLIBC_PREREQ. */
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define HEAP_IN_USE (mallinfo2().uordblks)
#endif
#endif
#ifndef HEAP_IN_USE
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
                                  bad_data,
                                  bad_indices,
                                  extensions_and_versions,
                                  ignored_parts,
                                  container,
                                  uris,
                                  unfolding,
                                  NULL};
    return suite_run("import_gltf", tests);
}
